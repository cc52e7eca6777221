//! Repairs links in documents.
//!
//! [`chain_offer`] and [`redirect_offer`] decide which URL replaces the URL of a moved page.
//! [`is_citation`] distinguishes citations from other links.
//! [`rewrite`] replaces the destinations of links, or adds links after them, and
//! leaves every other byte of the document unchanged. [`sidecar_entries`] records
//! the original URLs of replaced links. [`unified_diff`] shows the change as a patch.
//! [`invert`] returns the edits that undo it.
//!
//! All functions are pure. They do not fetch pages and do not read or write
//! files. The engine and the frontend do this.
//!
//! ```
//! use relink_fix::{EditStyle, LinkEdit, rewrite};
//! use relink_page::{DocumentFormat, Options, links};
//!
//! let text = b"See [the docs](http://example.org/old).";
//! let location = links(DocumentFormat::Markdown, text).links[0].location;
//! let edit = LinkEdit {
//!     location,
//!     old_url: "http://example.org/old".into(),
//!     new_url: "https://example.org/new".into(),
//!     style: EditStyle::Replace,
//! };
//! let rewritten = rewrite(DocumentFormat::Markdown, &Options::default(), text, &[edit]);
//! assert_eq!(rewritten.bytes, b"See [the docs](https://example.org/new).");
//! ```

// Untrusted input must not cause a panic: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod anchor_text;
mod archive_parameters;
mod archived_url;
mod bot_exclusion;
mod citation_template;
mod construct;
mod css_selector;
mod diff;
mod edit;
mod edit_summary;
mod embedded_url;
mod grid_table;
mod insertion;
mod intent;
mod landing_page;
mod link_date;
mod link_edit;
mod offer;
mod redirect_map;
mod restoration;
mod review_list;
mod rewrite;
mod robust_link;
mod table_columns;
mod url_form;

pub use anchor_text::anchor_text;
pub use archived_url::original_of;
pub use bot_exclusion::bot_exclusion;
pub use css_selector::css_selector;
pub use diff::{PatchPath, addition_diff, unified_diff};
pub use edit::{Edit, EditError, apply, invert};
pub use edit_summary::{SummaryLink, edit_summary};
pub use insertion::bot_mark_of;
pub use intent::is_citation;
pub use link_date::link_date;
pub use link_edit::{CopyDetails, EditStyle, LinkEdit, Refusal, RefusedEdit, RewrittenDocument};
pub use offer::{Offer, OfferRefusal, ReviewReason, chain_offer, copy_chain_offer, redirect_offer};
pub use redirect_map::{RedirectSyntax, redirect_map};
pub use restoration::{is_restorable, is_same_page};
pub use review_list::{
    Proposal, ReviewCounts, ReviewDecision, ReviewDecisions, read_decisions, review_table, sample,
    unknown_decisions,
};
pub use rewrite::rewrite;
pub use robust_link::{PageVersion, ReplacedLink, SIDECAR_NAME, keeps_original, sidecar_entries};
pub use table_columns::ColumnValues;
pub use url_form::decode_text;
