//! The port of search engines.

use std::error::Error as StdError;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchOutcome, SearchHit, SearchQuery};
use thiserror::Error;

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResponse {
    /// The hits in the order of the engine, without duplicates.
    pub hits: Vec<SearchHit>,
    /// The number of matching pages reported by the engine, possibly an
    /// estimate. Never less than the number of hits.
    pub total: Option<u64>,
    /// The number of rows that could not be parsed or exceed the limit.
    pub skipped: usize,
}

impl SearchResponse {
    /// Returns the reported number of matching pages, otherwise the number of
    /// hits.
    pub fn estimated_total(&self) -> u64 {
        self.total.unwrap_or(self.hits.len() as u64)
    }
}

/// An error of a search engine.
///
/// No message contains an API key.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The engine requires an API key, and none is set.
    #[error("search engine `{engine}` requires an API key in `{variable}`")]
    MissingApiKey {
        /// The name of the engine.
        engine: String,
        /// The environment variable to set.
        variable: String,
    },
    /// The engine limits the request rate.
    #[error("search engine `{engine}` is rate limited until {until}")]
    RateLimited {
        /// The name of the engine.
        engine: String,
        /// The earliest time of the next request.
        until: Timestamp,
    },
    /// The daily request budget of Relink for the engine is exhausted.
    #[error("daily budget of {budget} requests to search engine `{engine}` is exhausted")]
    BudgetExhausted {
        /// The name of the engine.
        engine: String,
        /// The daily number of requests.
        budget: u32,
        /// The start of the next day.
        until: Timestamp,
    },
    /// The engine could not be reached.
    #[error("cannot reach search engine `{engine}`: {outcome}")]
    Unreachable {
        /// The name of the engine.
        engine: String,
        /// The outcome of the fetch.
        outcome: FetchOutcome,
    },
    /// The engine denies access, for example because of a wrong API key or
    /// because its JSON format is disabled.
    #[error("search engine `{engine}` denies access (status {status})")]
    Refused {
        /// The name of the engine.
        engine: String,
        /// The status of the response.
        status: u16,
    },
    /// The response could not be parsed.
    #[error("invalid response of search engine `{engine}`: expected {expected}")]
    InvalidResponse {
        /// The name of the engine.
        engine: String,
        /// The expected format.
        expected: &'static str,
    },
    /// A meta search engine has no hits because its upstream engines did not
    /// respond.
    #[error("search engine `{engine}` got no response from its upstream engines")]
    UpstreamUnavailable {
        /// The name of the engine.
        engine: String,
    },
    /// The local index cannot be read or written.
    #[error("cannot use the search index at `{path}`")]
    Index {
        /// The path of the index.
        path: String,
        /// The cause.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl SearchError {
    /// Returns the earliest time of a retry, if it is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::RateLimited { until, .. } | Self::BudgetExhausted { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// A search engine.
///
/// A query without hits is not an error: the result is an empty list.
#[async_trait]
pub trait SearchEngine: Send + Sync {
    /// Returns the name shown to users.
    fn name(&self) -> &str;

    /// Returns the number of requests sent so far.
    fn requests(&self) -> u64 {
        0
    }

    /// Returns the cache key of a query, which is the same in every run and
    /// contains no secret; `None` if a search is as fast as a cache lookup.
    fn cache_key(&self, query: &SearchQuery) -> Option<String>;

    /// Runs a query. An empty query has no hits.
    async fn search(&self, query: &SearchQuery) -> Result<SearchResponse, SearchError>;
}
