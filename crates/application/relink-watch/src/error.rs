//! Errors of use cases of collections.

use relink_ports::StoreError;
use relink_requests::EngineError;
use serde::Serialize;
use thiserror::Error;

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
    /// The name is empty or too long, or contains `/` or a control character.
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
    /// The file is an index of sitemaps.
    #[error("`{source_name}` lists sitemaps, not pages")]
    SitemapIndex {
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

/// Serializes a record for the store. An error ends the use case, because an empty
/// record would be read as valid.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, WatchError> {
    Ok(serde_json::to_string(value).map_err(EngineError::from)?)
}
