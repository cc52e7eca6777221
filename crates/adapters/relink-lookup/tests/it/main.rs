//! Archives and search engines against real sockets on loopback: real ones,
//! some in the words of public services, a small archive of our own, and some
//! that mean ill.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod demo;
#[cfg(feature = "search")]
mod finding;
mod hostile;
#[cfg(feature = "search")]
mod index;
mod internet_archive;
mod memento;
mod omega;
mod pywb;
mod search;
mod written_down;

use std::sync::Arc;

use jiff::Timestamp;
use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebArchive, WebArchiveSettings};
use relink_model::Capture;
use relink_ports::{Archive, ArchiveError, CaptureList, CaptureQuery, Clock};
use url::Url;

/// A clock that stands still.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        moment("2026-01-01T12:00:00Z")
    }
}

/// An archive asked with no pause between requests.
fn archive(settings: WebArchiveSettings) -> WebArchive {
    let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
    let settings = WebArchiveSettings { limits: ServiceLimits::local(), ..settings };
    WebArchive::new(settings, Arc::new(fetcher), Arc::new(Noon))
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Captures as lines.
fn lines(list: &CaptureList) -> Vec<String> {
    list.captures.iter().map(Capture::to_string).collect()
}

/// What comes of a query, in short.
async fn outcome(archive: &dyn Archive, query: &CaptureQuery) -> String {
    told(archive.captures(query).await)
}

fn told(listed: Result<CaptureList, ArchiveError>) -> String {
    match listed {
        Ok(list) => {
            let cut = if list.is_truncated { ", cut" } else { "" };
            format!("{} captures, {} skipped{cut}", list.captures.len(), list.skipped)
        }
        Err(error) => error.to_string(),
    }
}
