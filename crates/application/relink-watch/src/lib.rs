//! Use cases of collections: keeps the pages of reading lists and bookmarks healthy.
//!
//! A *collection* is a set of pages that belong together; it may contain nested collections.
//! A *member* is a page in a collection, with its annotation and its *accepted version*, the
//! content that the user accepted last.
//!
//! Members are fetched like the links of a check, so robots.txt, rate limits, the
//! address policy, retries and the judge apply. A page in several collections is
//! fetched once and judged in each.
//!
//! A page is due until its result is stored. An interrupted run therefore
//! continues where it stopped, without a state of its own.

mod add;
mod candidate_page;
mod capture;
mod curate;
mod dated_versions;
mod decide;
mod edit;
mod error;
mod focus;
mod history;
mod keyphrases;
mod library;
mod record;
mod review;
mod run;
mod suggest;
mod summaries;
mod topic_warnings;

pub use add::{AddContent, AddRequest, ImportSummary, add_collection};
pub use curate::{CollectionEdit, MemberEditRequest, edit_collection, edit_member, replace_member};
pub use dated_versions::ReviewPeriod;
pub use decide::{AutomaticDecisions, decide_automatically};
pub use edit::{MemberSelector, WatchAction, apply_action, remove_collection};
pub use error::WatchError;
pub use focus::{FocusRequest, measure_focus};
pub use history::{member_history, page_histories};
pub use keyphrases::member_keyphrases;
pub use library::{AngleOptions, PhraseOptions};
pub use review::{review_between, review_collection};
pub use run::{WatchEnd, WatchOutcome, WatchSettings, watch_pages};
pub use suggest::{SuggestRequest, suggest_replacements};
pub use summaries::{collection_list, collection_urls};
