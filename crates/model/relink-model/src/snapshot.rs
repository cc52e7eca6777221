//! Captures and snapshots of web archives.
//!
//! A capture is a row of an archive's index, and a snapshot is the copy that a user can open
//! in a browser. The status of a capture is the status of the archived response. An error
//! page may have the status 200; relink-judge detects such pages.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

/// An archived copy that can be shown to users.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Snapshot {
    /// The URL that was archived.
    pub url: Url,
    /// The time of the capture.
    pub captured_at: Timestamp,
    /// The URL of the copy for browsers.
    pub replay_url: Url,
    /// The status of the archived response, if the archive reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// One row of an archive's index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Capture {
    /// The URL that was archived, in the spelling of the archive.
    pub url: Url,
    /// The time of the capture, to the second.
    pub captured_at: Timestamp,
    /// The status of the archived response. `None` if the archive does not report it, or
    /// if this is a revisit whose original capture is not in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The content type reported by the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// The archive's checksum of the body. Redirects to different URLs often
    /// have the same checksum, because their bodies are equal or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The size of the archive's record in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The target of a redirect. Most indexes do not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Url>,
    /// Whether this is a `revisit` record, whose body is stored with an earlier
    /// capture.
    #[serde(default)]
    pub is_revisit: bool,
    /// The URL of the copy for browsers, if the archive is on the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_url: Option<Url>,
}

impl Capture {
    /// Creates a capture without the optional fields.
    pub const fn new(url: Url, captured_at: Timestamp) -> Self {
        Self {
            url,
            captured_at,
            status: None,
            mime: None,
            digest: None,
            length: None,
            redirect: None,
            is_revisit: false,
            replay_url: None,
        }
    }

    /// Whether the status is 3xx.
    pub const fn is_redirect(&self) -> bool {
        matches!(self.status, Some(300..=399))
    }

    /// Whether the status is 2xx.
    pub const fn is_success(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    /// Returns the copy to show to users, if the archive is on the web.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let replay_url = self.replay_url.clone()?;
        Some(Snapshot {
            url: self.url.clone(),
            captured_at: self.captured_at,
            replay_url,
            status: self.status,
        })
    }
}

/// Formats one line: time, status, URL and the target of a redirect.
impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "{} {status} {}", self.captured_at, self.url),
            None => write!(f, "{} - {}", self.captured_at, self.url),
        }?;
        match &self.redirect {
            Some(target) => write!(f, " -> {target}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(status: Option<u16>) -> Capture {
        let url = Url::parse("http://example.org/a").unwrap();
        Capture { status, ..Capture::new(url, "2015-05-06T07:08:09Z".parse().unwrap()) }
    }

    #[test]
    fn display_has_time_status_url_and_redirect() {
        let target = Url::parse("http://example.org/b").unwrap();
        let moved = Capture { redirect: Some(target), ..capture(Some(301)) };
        let line = "2015-05-06T07:08:09Z 301 http://example.org/a -> http://example.org/b";
        assert_eq!(moved.to_string(), line);
        assert_eq!(capture(None).to_string(), "2015-05-06T07:08:09Z - http://example.org/a");
    }

    #[test]
    fn success_and_redirect_are_classes_of_known_statuses() {
        let check = |status: Option<u16>, is_success: bool, is_redirect: bool| {
            assert_eq!(capture(status).is_success(), is_success, "{status:?}");
            assert_eq!(capture(status).is_redirect(), is_redirect, "{status:?}");
        };
        check(Some(200), true, false);
        check(Some(308), false, true);
        check(Some(404), false, false);
        check(None, false, false);
    }

    #[test]
    fn serde_round_trip() {
        let text = serde_json::to_string(&capture(Some(200))).unwrap();
        assert_eq!(serde_json::from_str::<Capture>(&text).unwrap(), capture(Some(200)));
    }
}
