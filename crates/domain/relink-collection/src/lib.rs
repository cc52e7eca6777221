//! Collections of pages, such as reading lists and bookmarks.
//!
//! - [`read_outline`] reads a file of bookmarks, a Markdown list, a table, OPML,
//!   JSON or a sitemap, [`crawl_outline`] the pages of a crawl. Folders, headings,
//!   outlines and directories become nested collections.
//! - [`merge`] combines an edited file with the stored collection. Nothing that
//!   the user accepted, rejected or annotated is lost.
//! - [`RecheckInterval`] adapts to how often a page changes.
//! - [`track`] decides whether a fetched page is a new version.
//! - [`review`] classifies the members of a collection by change and context.
//! - [`Topicality`] is what the focus of a collection needs to know of each page.
//! - [`side_by_side`] compares two versions of a page for display.
//!
//! All functions are pure. Nothing is fetched or stored.

#![warn(clippy::indexing_slicing)]

mod focus;
mod import;
mod merge;
mod outline;
mod reorder;
mod review;
mod schedule;
mod side_by_side;
mod topic;
mod track;

pub use focus::{DEFAULT_FOCUS_STOP, Topicality, focus_start};
pub use import::{
    CrawledPage, ImportFormat, ParseImportFormatError, crawl_outline, is_sitemap_index,
    read_outline,
};
pub use merge::{MemberEdit, MergedCollection, MergedMember, StoredEntry, merge};
pub use outline::{
    ContextKind, MAX_ENTRIES, MAX_FOLDER_DEPTH, Outline, OutlineBuilder, OutlineEntry,
    OutlineFolder, ParseContextKindError,
};
pub use review::{
    Availability, ContextJudgment, MemberReview, MemberState, NextStep, ReviewMember, ReviewedList,
    Reviewer, VersionSummary, judge_candidate, review,
};
pub use schedule::{RecheckInterval, RecheckResult};
pub use side_by_side::{ComparedRow, ComparedText, RowChange, TextPart, side_by_side};
pub use topic::{MAX_TOPIC_MEMBERS, has_common_topic};
pub use track::{Candidate, PageTrack, TrackDecision, is_version, track};
