//! Asking a search engine.

use std::error::Error as StdError;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchOutcome, SearchHit, SearchQuery};
use thiserror::Error;

/// What a search engine found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResponse {
    /// In the order of the engine, the best first; no page twice.
    pub hits: Vec<SearchHit>,
    /// How many pages fit, where the engine tells. It may be a guess of the
    /// engine's, and is never less than the hits.
    pub total: Option<u64>,
    /// How many rows could not be made sense of, or were not asked for.
    pub skipped: usize,
}

impl SearchResponse {
    /// How many pages fit, as far as can be told.
    pub fn found(&self) -> u64 {
        self.total.unwrap_or(self.hits.len() as u64)
    }
}

/// A search engine could not be asked, or not be understood.
///
/// No error ever shows a key.
#[derive(Debug, Error)]
pub enum SearchError {
    /// It asks for a key, and none is set.
    #[error("the search engine `{engine}` needs a key in `{variable}`")]
    MissingApiKey {
        /// Its name.
        engine: String,
        /// The environment variable to set.
        variable: String,
    },
    /// It wants to be left alone for a while.
    #[error("the search engine `{engine}` asks for patience until {until}")]
    RateLimited {
        /// Its name.
        engine: String,
        /// When it may be asked again.
        until: Timestamp,
    },
    /// Our own daily budget for it is used up.
    #[error("today's {budget} requests to the search engine `{engine}` are used up")]
    BudgetExhausted {
        /// Its name.
        engine: String,
        /// How many requests there are in a day.
        budget: u32,
        /// When the next day begins.
        until: Timestamp,
    },
    /// It could not be reached.
    #[error("the search engine `{engine}` cannot be reached: {outcome}")]
    Unreachable {
        /// Its name.
        engine: String,
        /// What happened instead.
        outcome: FetchOutcome,
    },
    /// It will not tell, as where the key is wrong or JSON is switched off.
    #[error("the search engine `{engine}` refuses with status {status}")]
    Refused {
        /// Its name.
        engine: String,
        /// What it answered.
        status: u16,
    },
    /// What it said makes no sense.
    #[error("the answer of the search engine `{engine}` is not {expected}")]
    InvalidResponse {
        /// Its name.
        engine: String,
        /// What should have come.
        expected: &'static str,
    },
    /// It found nothing only because those it asks did not answer it.
    #[error("the search engine `{engine}` got no answer from those it asks")]
    UpstreamUnavailable {
        /// Its name.
        engine: String,
    },
    /// The index on the disk cannot be read or written.
    #[error("cannot use the search index at `{path}`")]
    Index {
        /// Where it is.
        path: String,
        /// What went wrong.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl SearchError {
    /// When asking again may help, where that is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::RateLimited { until, .. } | Self::BudgetExhausted { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// A search engine.
///
/// Nothing is not an error: what is not found is an empty list.
#[async_trait]
pub trait SearchEngine: Send + Sync {
    /// What people call it.
    fn name(&self) -> &str;

    /// How many requests it has been sent.
    fn requests(&self) -> u64 {
        0
    }

    /// The name under which the answer to a query may be kept, the same in
    /// every run and with no secret in it; nothing where asking again is as
    /// cheap as looking it up.
    fn cache_key(&self, query: &SearchQuery) -> Option<String>;

    /// Which pages fit a query. One with no words finds nothing.
    async fn search(&self, query: &SearchQuery) -> Result<SearchResponse, SearchError>;
}
