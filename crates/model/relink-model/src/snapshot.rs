//! What web archives hold.
//!
//! A capture is a row of an archive's index: it tells what the server said
//! then, not whether that was the page. An archived error page is a capture
//! like any other; whether it is one is for the judge to say.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

/// An archived copy, with its time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Snapshot {
    /// The URL that was archived.
    pub url: Url,
    /// When it was archived.
    pub captured_at: Timestamp,
    /// Where people can read the copy.
    pub replay_url: Url,
    /// What the server had answered, where the archive tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// One row of an archive's index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Capture {
    /// The URL that was archived, in the spelling of the archive.
    pub url: Url,
    /// When it was archived, to the second.
    pub captured_at: Timestamp,
    /// What the server had answered. Some archives do not tell, and none does
    /// for a repetition whose first capture it does not list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The content type, as the archive names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// The archive's checksum of the body. Redirects to different places have
    /// the same one, for their bodies are alike or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The size of the archive's record in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Where a redirect led, where the index tells; most do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Url>,
    /// Whether the archive kept no body because it had the same one already
    /// (a `revisit` record).
    #[serde(default)]
    pub is_revisit: bool,
    /// Where people can read the copy, where the archive is on the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_url: Option<Url>,
}

impl Capture {
    /// A capture of which no more is known than what was archived and when.
    pub const fn new(url: Url, taken: Timestamp) -> Self {
        Self {
            url,
            captured_at: taken,
            status: None,
            mime: None,
            digest: None,
            length: None,
            redirect: None,
            is_revisit: false,
            replay_url: None,
        }
    }

    /// Whether the server had sent the reader elsewhere.
    pub const fn is_redirect(&self) -> bool {
        matches!(self.status, Some(300..=399))
    }

    /// Whether the server had said that all is well.
    pub const fn is_success(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }

    /// The copy to show to people, where the archive is on the web.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let address = self.replay_url.clone()?;
        Some(Snapshot {
            url: self.url.clone(),
            captured_at: self.captured_at,
            replay_url: address,
            status: self.status,
        })
    }
}

/// As a line: time, status, URL and, of a redirect, where it led.
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
    fn a_capture_is_told_in_a_line() {
        let target = Url::parse("http://example.org/b").unwrap();
        let moved = Capture { redirect: Some(target), ..capture(Some(301)) };
        let line = "2015-05-06T07:08:09Z 301 http://example.org/a -> http://example.org/b";
        assert_eq!(moved.to_string(), line);
        assert_eq!(capture(None).to_string(), "2015-05-06T07:08:09Z - http://example.org/a");
    }

    #[test]
    fn what_is_not_known_is_neither_good_nor_a_redirect() {
        let is = |status| (capture(status).is_success(), capture(status).is_redirect());
        assert_eq!(is(None), (false, false));
        assert_eq!(is(Some(200)), (true, false));
        assert_eq!(is(Some(308)), (false, true));
        assert_eq!(is(Some(404)), (false, false));
    }

    #[test]
    fn a_capture_is_stored_and_read_back() {
        let text = serde_json::to_string(&capture(Some(200))).unwrap();
        assert_eq!(serde_json::from_str::<Capture>(&text).unwrap(), capture(Some(200)));
    }
}
