//! Web archives: which copies there are, and what they say.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Capture, FetchOutcome, Snapshot};
use thiserror::Error;
use url::Url;

use crate::Body;

/// Which captures to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureQuery {
    /// The URL, or the beginning of the URLs.
    pub url: Url,
    /// Whether that URL alone is meant, or all below it.
    pub scope: CaptureScope,
    /// Which answers of the server are wanted.
    pub statuses: CaptureStatusFilter,
    /// None from before this moment.
    pub from: Option<Timestamp>,
    /// None from after this moment.
    pub to: Option<Timestamp>,
    /// Which come first, and so stay if there are more than the limit.
    pub order: CaptureOrder,
    /// The most captures listed.
    pub limit: usize,
}

impl CaptureQuery {
    /// The limit, unless told.
    pub const LIMIT: usize = 1_000;

    /// Every capture of one URL, the oldest first.
    pub const fn new(url: Url) -> Self {
        Self {
            url,
            scope: CaptureScope::Exact,
            statuses: CaptureStatusFilter::Any,
            from: None,
            to: None,
            order: CaptureOrder::Oldest,
            limit: Self::LIMIT,
        }
    }

    /// The captures of every URL that begins like this one, in the order of
    /// the URLs. A directory ends with a slash; what lies deeper is listed too.
    pub fn below(directory: Url) -> Self {
        Self { scope: CaptureScope::Prefix, ..Self::new(directory) }
    }
}

/// Whether a URL alone is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureScope {
    /// This URL alone.
    #[default]
    Exact,
    /// All URLs that begin like it.
    Prefix,
}

/// Which answers of the server are wanted.
///
/// An archive that does not know what was answered lists all captures with no
/// status, and it takes a [`Archive::replay`] to find out. One that knows in
/// general leaves out those of which it does not know: repetitions
/// ([`Capture::is_revisit`]) have a status only where all are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureStatusFilter {
    /// Every one.
    #[default]
    Any,
    /// Those that say all is well (2xx).
    Good,
    /// Those that send the reader elsewhere (3xx).
    Redirects,
}

impl CaptureStatusFilter {
    /// Whether a capture is wanted, as far as is known of it.
    pub const fn admit(self, capture: &Capture) -> bool {
        match self {
            Self::Any => true,
            Self::Good => capture.status.is_none() || capture.is_success(),
            Self::Redirects => capture.status.is_none() || capture.is_redirect(),
        }
    }
}

/// Which captures come first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CaptureOrder {
    /// The oldest.
    #[default]
    Oldest,
    /// The newest. Of the URLs below one, the newest of each.
    Newest,
    /// Those nearest to this moment. Only for [`CaptureScope::Exact`].
    Nearest(Timestamp),
}

/// The captures found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureList {
    /// In the order asked for.
    pub captures: Vec<Capture>,
    /// Whether there are, or may be, more than these.
    pub is_truncated: bool,
    /// How many rows could not be made sense of.
    pub skipped: usize,
}

impl CaptureList {
    /// The captures that may be a good copy, in the order to try them: nearest
    /// to the date of the link where that is known, else the newest first.
    /// Those of which no status is known come last.
    ///
    /// A copy can be an error page whatever its status says. Who wants to be
    /// sure replays one after the other and asks the judge.
    pub fn by_preference(&self, when: Option<Timestamp>) -> Vec<&Capture> {
        let mut wanted: Vec<_> =
            self.captures.iter().filter(|it| CaptureStatusFilter::Good.admit(it)).collect();
        wanted.sort_by_key(|capture| {
            let taken = capture.captured_at.as_second();
            let distance = when.map_or(-taken, |when| (when.as_second() - taken).abs());
            (capture.status.is_none(), distance)
        });
        wanted
    }
}

/// What an archive kept of one answer, as the server had sent it.
#[derive(Debug, Clone)]
pub struct Replay {
    /// When it was archived; it need not be the very moment asked for.
    pub captured_at: Timestamp,
    /// What the server had answered.
    pub status: u16,
    /// Where it pointed, as written then.
    pub location: Option<String>,
    /// The web address that is, if it is one.
    pub target: Option<Url>,
    /// The body, within the caps.
    pub body: Body,
}

/// An archive could not be asked, or not be understood.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// It wants to be left alone for a while, or does not answer as it should
    /// for now.
    #[error("the archive `{archive}` asks for patience until {until}")]
    RateLimited {
        /// Its name.
        archive: String,
        /// When it may be asked again.
        until: Timestamp,
    },
    /// Our own daily budget for it is used up.
    #[error("today's {budget} requests to the archive `{archive}` are used up")]
    BudgetExhausted {
        /// Its name.
        archive: String,
        /// How many requests there are in a day.
        budget: u32,
        /// When the next day begins.
        until: Timestamp,
    },
    /// It could not be reached.
    #[error("the archive `{archive}` cannot be reached: {outcome}")]
    Unreachable {
        /// Its name.
        archive: String,
        /// What happened instead.
        outcome: FetchOutcome,
    },
    /// It will not tell, as where the owner of a site has had it closed.
    #[error("the archive `{archive}` refuses with status {status}")]
    Refused {
        /// Its name.
        archive: String,
        /// What it answered.
        status: u16,
    },
    /// What it said makes no sense.
    #[error("the answer of the archive `{archive}` is not {expected}")]
    InvalidResponse {
        /// Its name.
        archive: String,
        /// What should have come.
        expected: &'static str,
    },
    /// It has no way to answer such a question.
    #[error("the archive `{archive}` cannot list {what}")]
    Unsupported {
        /// Its name.
        archive: String,
        /// What was asked for.
        what: &'static str,
    },
    /// A file of it cannot be read.
    #[error("cannot read the archive file `{path}`")]
    File {
        /// Which.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// When asking again may help, where that is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::RateLimited { until, .. } | Self::BudgetExhausted { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// A web archive.
///
/// Nothing is not an error: what was never archived is an empty list, or `None`.
#[async_trait]
pub trait Archive: Send + Sync {
    /// What people call it.
    fn name(&self) -> &str;

    /// How many requests it has been sent.
    fn requests(&self) -> u64 {
        0
    }

    /// Which captures there are.
    async fn captures(&self, query: &CaptureQuery) -> Result<CaptureList, ArchiveError>;

    /// What one capture says, or `None` if the archive has it no more. An
    /// archived 404 is something it has.
    async fn replay(&self, capture: &Capture) -> Result<Option<Replay>, ArchiveError>;

    /// The copy taken nearest to a moment, whatever it says, or `None` if
    /// there never was one.
    async fn nearest(&self, url: &Url, when: Timestamp) -> Result<Option<Snapshot>, ArchiveError>;
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a wrong slice fails the test")]
mod tests {
    use super::*;

    /// The statuses and years of captures, in the order to try them.
    #[track_caller]
    fn check(captures: &[(u16, i16)], when: Option<i16>, expect: &str) {
        let moment = |year: i16| format!("{year}-07-01T00:00:00Z").parse().unwrap();
        let url = Url::parse("http://example.org/").unwrap();
        let captures = captures.iter().map(|&(status, year)| Capture {
            status: (status > 0).then_some(status),
            ..Capture::new(url.clone(), moment(year))
        });
        let list = CaptureList { captures: captures.collect(), ..CaptureList::default() };
        let order = list.by_preference(when.map(moment));
        let years: Vec<_> =
            order.iter().map(|it| it.captured_at.to_string()[..4].to_owned()).collect();
        assert_eq!(years.join(" "), expect);
    }

    #[test]
    fn without_a_date_the_last_good_copy_comes_first() {
        check(&[(200, 2010), (200, 2012), (301, 2014), (404, 2015)], None, "2012 2010");
    }

    #[test]
    fn with_a_date_the_nearest_good_copy_comes_first() {
        check(&[(200, 2009), (200, 2012), (404, 2011), (200, 2020)], Some(2011), "2012 2009 2020");
    }

    #[test]
    fn copies_of_unknown_status_come_last() {
        check(&[(0, 2011), (200, 2005)], Some(2011), "2005 2011");
        check(&[], None, "");
    }
}
