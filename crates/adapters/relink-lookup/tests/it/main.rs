//! Integration tests of archives and search engines over loopback sockets: real
//! servers (pywb, Omega), canned responses in the formats of public services,
//! the archive of the demo, and hostile servers.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod demo;
#[cfg(feature = "search")]
mod find_moved_page;
mod hostile;
#[cfg(feature = "search")]
mod index;
mod internet_archive;
mod memento;
mod omega;
mod pywb;
mod search;
mod stored_names;

use std::sync::Arc;

use jiff::Timestamp;
use relink_fetch::{FetchSettings, Fetcher};
use relink_lookup::{ServiceLimits, WebArchive, WebArchiveSettings};
use relink_model::Capture;
use relink_ports::{Archive, ArchiveError, CaptureList, CaptureQuery, Clock};
use url::Url;

/// A clock with a fixed time.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        time("2026-01-01T12:00:00Z")
    }
}

/// Creates an archive client without a pause between requests.
fn archive(settings: WebArchiveSettings) -> WebArchive {
    let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
    let settings = WebArchiveSettings { limits: ServiceLimits::local(), ..settings };
    WebArchive::new(settings, Arc::new(fetcher), Arc::new(FixedClock))
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Returns captures as text lines: time, status, URL and redirect target.
fn lines(list: &CaptureList) -> Vec<String> {
    list.captures.iter().map(Capture::to_string).collect()
}

/// Returns a summary such as `5 captures, 0 skipped, truncated`, or the error.
async fn query_summary(archive: &dyn Archive, query: &CaptureQuery) -> String {
    summarize(archive.captures(query).await)
}

fn summarize(result: Result<CaptureList, ArchiveError>) -> String {
    match result {
        Ok(list) => {
            let suffix = if list.is_truncated { ", truncated" } else { "" };
            format!("{} captures, {} skipped{suffix}", list.captures.len(), list.skipped)
        }
        Err(error) => error.to_string(),
    }
}
