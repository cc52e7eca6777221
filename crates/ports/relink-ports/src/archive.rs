//! Web archives.
//!
//! A *capture* is a copy of one response that an archive saved. An archive lists
//! the captures of a URL, and *replays* a capture: it returns the saved response.

use std::net::IpAddr;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use relink_model::{Capture, FetchOutcome, Snapshot};
use thiserror::Error;
use url::Url;

use crate::Body;

/// A query for captures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureQuery {
    /// The URL or URL prefix.
    pub url: Url,
    /// Whether `url` is an exact URL or a prefix.
    pub scope: CaptureScope,
    /// The statuses of the captures to return.
    pub statuses: CaptureStatusFilter,
    /// The earliest capture time.
    pub from: Option<Timestamp>,
    /// The latest capture time.
    pub to: Option<Timestamp>,
    /// The order. If there are more captures than `limit`, the first ones in this order
    /// are returned.
    pub order: CaptureOrder,
    /// The maximum number of captures.
    pub limit: usize,
}

impl CaptureQuery {
    /// The default of `limit`.
    pub const DEFAULT_LIMIT: usize = 1_000;

    /// Creates a query for all captures of one URL, oldest first.
    pub const fn new(url: Url) -> Self {
        Self {
            url,
            scope: CaptureScope::Exact,
            statuses: CaptureStatusFilter::Any,
            from: None,
            to: None,
            order: CaptureOrder::Oldest,
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// Creates a query for the captures of all URLs with this prefix, in URL
    /// order. A directory ends with a slash; subdirectories are included.
    pub fn for_prefix(prefix: Url) -> Self {
        Self { scope: CaptureScope::Prefix, ..Self::new(prefix) }
    }
}

/// The match type of a capture query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureScope {
    /// The exact URL.
    #[default]
    Exact,
    /// All URLs with this prefix.
    Prefix,
}

/// A filter for the status of captures.
///
/// Some archives do not store statuses. They list all captures, and [`Archive::replay`]
/// returns the status. Other archives omit captures of unknown status. A revisit
/// ([`Capture::is_revisit`]) has the status of an earlier capture, so its status is known
/// only if all captures are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureStatusFilter {
    /// All captures.
    #[default]
    Any,
    /// Status 2xx.
    Success,
    /// Status 3xx.
    Redirects,
}

impl CaptureStatusFilter {
    /// Whether a capture matches. An unknown status always matches.
    pub const fn matches(self, capture: &Capture) -> bool {
        match self {
            Self::Any => true,
            Self::Success => capture.status.is_none() || capture.is_success(),
            Self::Redirects => capture.status.is_none() || capture.is_redirect(),
        }
    }
}

/// The order of captures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureOrder {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first. With [`CaptureScope::Prefix`], in descending URL order, and newest
    /// first for each URL.
    Newest,
    /// Nearest to this time first. Only for [`CaptureScope::Exact`].
    Nearest(Timestamp),
}

/// The result of a capture query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureList {
    /// The captures, in the order of the query.
    pub captures: Vec<Capture>,
    /// Whether there may be more captures.
    pub is_truncated: bool,
    /// The number of rows that could not be parsed.
    pub skipped: usize,
}

impl CaptureList {
    /// Returns the captures that may be a copy of a page, in the order in which callers
    /// should try them: nearest to the date of the link first, or newest first if the date
    /// is unknown. Captures of unknown status come last.
    ///
    /// A capture with status 2xx can still be an error page. Callers have to
    /// replay and judge the captures.
    pub fn by_preference(&self, link_date: Option<Timestamp>) -> Vec<&Capture> {
        let is_candidate = |capture: &&Capture| CaptureStatusFilter::Success.matches(capture);
        let mut candidates: Vec<_> = self.captures.iter().filter(is_candidate).collect();
        candidates.sort_by_key(|capture| {
            let captured_at = capture.captured_at.as_second();
            let distance = match link_date {
                Some(date) => (date.as_second() - captured_at).abs(),
                None => -captured_at,
            };
            (capture.status.is_none(), distance)
        });
        candidates
    }
}

/// An archived response, as sent by the original server.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The time of the capture, which may differ from the requested time.
    pub captured_at: Timestamp,
    /// The status.
    pub status: u16,
    /// The `Location` header, as sent.
    pub location: Option<String>,
    /// The absolute URL of `location`, if `location` is an HTTP URL.
    pub target: Option<Url>,
    /// The body, truncated at the size limit.
    pub body: Body,
}

/// An error of an archive.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The archive limits the request rate or is temporarily unavailable.
    #[error("archive `{archive}` is rate limited until {until}")]
    RateLimited {
        /// The name of the archive.
        archive: String,
        /// The earliest time of the next request.
        until: Timestamp,
    },
    /// The daily request budget of Relink for the archive is exhausted.
    #[error("daily budget of {budget} requests to archive `{archive}` is exhausted")]
    BudgetExhausted {
        /// The name of the archive.
        archive: String,
        /// The daily number of requests.
        budget: u32,
        /// The start of the next day.
        until: Timestamp,
    },
    /// The archive could not be reached.
    #[error("cannot reach archive `{archive}`: {outcome}")]
    Unreachable {
        /// The name of the archive.
        archive: String,
        /// The outcome of the fetch.
        outcome: FetchOutcome,
    },
    /// The archive denies access, for example on request of the site owner.
    #[error("archive `{archive}` denies access (status {status})")]
    Refused {
        /// The name of the archive.
        archive: String,
        /// The status of the response.
        status: u16,
    },
    /// The response could not be parsed.
    #[error("invalid response of archive `{archive}`: expected {expected}")]
    InvalidResponse {
        /// The name of the archive.
        archive: String,
        /// The expected format.
        expected: &'static str,
    },
    /// The archive does not support the query.
    #[error("archive `{archive}` cannot list {what}")]
    Unsupported {
        /// The name of the archive.
        archive: String,
        /// The unsupported part of the query.
        what: &'static str,
    },
    /// An archive file cannot be read.
    #[error("cannot read the archive file `{path}`")]
    File {
        /// The path of the file.
        path: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// Returns the earliest time of a retry, if it is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::RateLimited { until, .. } | Self::BudgetExhausted { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// A web archive.
///
/// A URL without captures is not an error: the result is an empty list or
/// `None`.
#[async_trait]
pub trait Archive: Send + Sync {
    /// Returns the name shown to users.
    fn name(&self) -> &str;

    /// Returns the number of requests sent so far.
    fn requests(&self) -> u64 {
        0
    }

    /// Lists captures.
    async fn captures(&self, query: &CaptureQuery) -> Result<CaptureList, ArchiveError>;

    /// Returns the archived response of a capture, or `None` if the archive no
    /// longer has the capture. Archived error responses (404) are returned too.
    async fn replay(&self, capture: &Capture) -> Result<Option<Replay>, ArchiveError>;

    /// Returns the capture nearest to a time, with any status, or `None` if
    /// there is none.
    async fn nearest(&self, url: &Url, when: Timestamp) -> Result<Option<Snapshot>, ArchiveError>;
}

/// A response to store in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedResponse {
    /// The requested URL.
    pub url: Url,
    /// The time of the request.
    pub captured_at: Timestamp,
    /// The address of the server, if it is known.
    pub ip: Option<IpAddr>,
    /// The status.
    pub status: u16,
    /// The headers, with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The decoded body.
    pub body: Bytes,
    /// Whether the body was cut at a size limit.
    pub is_truncated: bool,
}

/// Stores responses, such as in a WARC file.
pub trait ArchiveWriter: Send {
    /// Appends a response.
    ///
    /// # Errors
    ///
    /// Fails if the response cannot be stored.
    fn write(&mut self, response: &CapturedResponse) -> std::io::Result<()>;
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong slice fails the test")]
mod tests {
    use super::*;

    /// Checks the years of the preferred captures. A capture is a pair of status (0 if unknown)
    /// and year.
    #[track_caller]
    fn check(captures: &[(u16, i16)], link_year: Option<i16>, expect: &str) {
        let timestamp = |year: i16| format!("{year}-07-01T00:00:00Z").parse().unwrap();
        let url = Url::parse("http://example.org/").unwrap();
        let captures = captures.iter().map(|&(status, year)| Capture {
            status: (status > 0).then_some(status),
            ..Capture::new(url.clone(), timestamp(year))
        });
        let list = CaptureList { captures: captures.collect(), ..CaptureList::default() };
        let preferred = list.by_preference(link_year.map(timestamp));
        let year = |capture: &&Capture| capture.captured_at.to_string()[..4].to_owned();
        let years: Vec<String> = preferred.iter().map(year).collect();
        assert_eq!(years.join(" "), expect);
    }

    #[test]
    fn by_preference_without_date_puts_newest_success_first() {
        check(&[(200, 2010), (200, 2012), (301, 2014), (404, 2015)], None, "2012 2010");
    }

    #[test]
    fn by_preference_with_date_puts_nearest_success_first() {
        check(&[(200, 2009), (200, 2012), (404, 2011), (200, 2020)], Some(2011), "2012 2009 2020");
    }

    #[test]
    fn by_preference_puts_unknown_status_last() {
        check(&[(0, 2011), (200, 2005)], Some(2011), "2005 2011");
        check(&[], None, "");
    }
}
