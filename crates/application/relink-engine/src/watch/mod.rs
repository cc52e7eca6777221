//! `watch`: keeps collections of pages healthy.
//!
//! Members are fetched like the links of a check, so robots.txt, rate limits, the
//! address policy, retries and the judge apply. A page in several collections is
//! fetched once and judged in each.
//!
//! A page is due until its result is stored. An interrupted run therefore
//! continues where it stopped, without a state of its own.

mod add;
mod capture;
mod curate;
mod decide;
mod edit;
mod keyphrases;
mod library;
mod record;
mod review;
mod run;
mod suggest;

use relink_ports::StoreError;
use thiserror::Error;

use crate::EngineError;

pub use self::add::{AddRequest, ImportSummary, add_collection};
pub use self::curate::{
    CollectionEdit, MemberEditRequest, edit_collection, edit_member, replace_member,
};
pub use self::decide::{AutomaticDecisions, decide_automatically};
pub use self::edit::{MemberSelector, WatchAction, apply_action, remove_collection};
pub use self::keyphrases::member_keyphrases;
pub use self::library::AngleOptions;
pub use self::review::{collection_list, collection_urls, review_collection};
pub use self::run::{WatchEnd, WatchOutcome, WatchSettings, watch_pages};
pub use self::suggest::{SuggestRequest, suggest_replacements};

/// An error of a use case of collections.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The engine or the store failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no collection with this name.
    #[error("no collection `{name}`")]
    UnknownCollection {
        /// The name.
        name: String,
        /// The names of the outermost collections.
        known: Vec<String>,
    },
    /// The name contains characters that separate or hide parts of a name.
    #[error(
        "invalid collection name: `{name}` (expected letters, digits and punctuation except `/`)"
    )]
    InvalidName {
        /// The name.
        name: String,
    },
    /// The file has no links to web pages.
    #[error("no links in `{source_name}`")]
    EmptyFile {
        /// The file.
        source_name: String,
    },
    /// No member matches.
    #[error("no member `{member}` in `{collection}`")]
    UnknownMember {
        /// The number or URL as given.
        member: String,
        /// The collection.
        collection: String,
    },
    /// The URL is not that of a web page.
    #[error("`{url}` is not the URL of a web page")]
    InvalidUrl {
        /// The URL.
        url: String,
    },
    /// The search engine cannot be used.
    #[error(transparent)]
    Search(relink_ports::SearchError),
    /// The action needs a version of the page.
    #[error("`{url}` has no version to accept")]
    NoVersion {
        /// The URL.
        url: String,
    },
}

impl From<StoreError> for WatchError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}
