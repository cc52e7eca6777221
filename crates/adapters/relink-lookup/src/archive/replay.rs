//! Replays captures (reads archived responses), and finds the capture nearest to a date.
//! A memento is a capture in the terms of RFC 7089.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use relink_model::{Capture, Snapshot, with_authority};
use relink_ports::{ArchiveError, FetchResult, RedirectMode, Replay, RequestOptions};
use url::Url;

use super::web::WebArchive;
use super::{cdx, timemap, timestamp};

/// Maximum number of redirects within an archive: to the exact time, to
/// `https`, or from an aggregator to an archive.
const MAX_REDIRECTS: usize = 5;

/// Replay modifier for the original response without rewriting.
const RAW_MODIFIER: &str = "id_";

/// Returns the replay URL of a capture: `prefix`, timestamp, `modifier` and
/// original URL.
pub(super) fn replay_url(prefix: &Url, capture: &Capture, modifier: &str) -> Option<Url> {
    let time = timestamp::format(capture.captured_at);
    Url::parse(&format!("{prefix}{time}{modifier}/{}", cdx::sanitize_url(&capture.url))).ok()
}

impl WebArchive {
    /// Replays a capture.
    ///
    /// Only a response with the header `Memento-Datetime` is a capture. The status 404 with
    /// this header is an archived error page. The status 404 without this header means that
    /// the archive has no capture.
    pub(super) async fn replay_raw(
        &self,
        capture: &Capture,
    ) -> Result<Option<Replay>, ArchiveError> {
        let mut url =
            self.raw_url(capture).ok_or_else(|| self.unsupported("the content of captures"))?;
        for _ in 0..MAX_REDIRECTS {
            let result = self.fetch(&url, self.page_options(Vec::new())).await?;
            if let Some(captured_at) = memento_datetime(&result) {
                return Ok(Some(self.to_replay(result, captured_at, capture)));
            }
            match (status(&result), redirect_target(&result, &url)) {
                (300..=399, Some(next)) => url = next,
                (404, _) => return Ok(None),
                (200..=399, _) => break,
                (status, _) => return Err(self.refused(status)),
            }
        }
        Err(self.invalid_response("an archived page"))
    }

    /// Returns the URL of the raw capture: below the replay prefix, or derived
    /// from the replay URL of the capture.
    fn raw_url(&self, capture: &Capture) -> Option<Url> {
        if let Some(prefix) = &self.settings.replay {
            return replay_url(prefix, capture, RAW_MODIFIER);
        }
        let replay_url = capture.replay_url.as_ref()?;
        let Some((_, url)) = timemap::split_replay_url(replay_url) else {
            return Some(replay_url.clone());
        };
        let prefix = replay_url.as_str().strip_suffix(url)?.strip_suffix('/')?;
        let is_modifier = |character: char| character.is_ascii_alphabetic() || character == '_';
        let prefix = prefix.trim_end_matches(is_modifier);
        Url::parse(&format!("{prefix}{RAW_MODIFIER}/{url}")).ok()
    }

    /// Converts a response of the archive to the archived response.
    fn to_replay(&self, result: FetchResult, captured_at: Timestamp, capture: &Capture) -> Replay {
        let location_header = result.hops.last().and_then(|hop| hop.location.as_deref());
        let location = result.header("x-archive-orig-location").or(location_header);
        let location = location.map(|location| self.strip_archive_prefix(location).to_owned());
        let target = location
            .as_deref()
            .and_then(|location| capture.url.join(&with_authority(location)).ok());
        Replay {
            captured_at,
            status: status(&result),
            target: target.filter(is_web),
            location,
            body: result.body.unwrap_or_default(),
        }
    }

    /// Removes the archive's replay prefix from a `Location`. Some archives add their
    /// prefix even in raw captures.
    fn strip_archive_prefix<'a>(&self, location: &'a str) -> &'a str {
        let Some(prefix) = &self.settings.replay else { return strip_any_archive_prefix(location) };
        let stripped = location.strip_prefix(prefix.as_str());
        let stripped = stripped.or_else(|| location.strip_prefix(prefix.path()));
        let time_and_url = stripped.and_then(timestamp::split);
        let time_and_url = time_and_url.filter(|(_, url)| url.starts_with("http"));
        time_and_url.map_or(location, |(_, url)| url)
    }

    /// Finds the capture nearest to a date with datetime negotiation (RFC 7089,
    /// section 4).
    pub(super) async fn negotiate(
        &self,
        timegate: &Url,
        url: &Url,
        when: Timestamp,
    ) -> Result<Option<Snapshot>, ArchiveError> {
        let first = Url::parse(&format!("{timegate}{}", cdx::sanitize_url(url)));
        let mut timegate_url = first.map_err(|_| self.unsupported("this URL"))?;
        for _ in 0..MAX_REDIRECTS {
            let date = vec![("Accept-Datetime".to_owned(), http_date(when))];
            let result = self.fetch(&timegate_url, self.page_options(date)).await?;
            if let Some(captured_at) = memento_datetime(&result) {
                return Ok(Some(new_snapshot(
                    url,
                    timegate_url,
                    captured_at,
                    Some(status(&result)),
                )));
            }
            match (status(&result), redirect_target(&result, &timegate_url)) {
                // A redirect target that contains the time of the capture need not
                // be fetched.
                (300..=399, Some(target)) => match timemap::split_replay_url(&target) {
                    Some((captured_at, _)) => {
                        return Ok(Some(new_snapshot(url, target, captured_at, None)));
                    }
                    None => timegate_url = target,
                },
                (404, _) => return Ok(None),
                (200..=399, _) => break,
                (status, _) => return Err(self.refused(status)),
            }
        }
        Err(self.invalid_response("an archived page"))
    }

    /// Returns the options of requests for archived pages.
    fn page_options(&self, headers: Vec<(String, String)>) -> RequestOptions {
        RequestOptions {
            redirects: RedirectMode::Report,
            headers,
            max_body_bytes: Some(self.settings.max_page_bytes),
            ..RequestOptions::default()
        }
    }
}

/// Creates a snapshot. Its URL is the archived URL that the replay URL contains, or else
/// `url`.
fn new_snapshot(
    url: &Url,
    replay_url: Url,
    captured_at: Timestamp,
    status: Option<u16>,
) -> Snapshot {
    let url = timemap::original_url(&replay_url).unwrap_or_else(|| url.clone());
    Snapshot { url, captured_at, replay_url, status }
}

/// Removes the replay prefix of any archive. Only absolute URLs are considered.
/// Used if the settings have no replay prefix.
fn strip_any_archive_prefix(location: &str) -> &str {
    let is_absolute = location.starts_with("http://") || location.starts_with("https://");
    let url = Url::parse(location).ok().filter(|_| is_absolute);
    let original = url.as_ref().and_then(timemap::split_replay_url);
    let original_length = original.map(|(_, original)| original.len());
    let original_text =
        original_length.and_then(|length| location.get(location.len().checked_sub(length)?..));
    original_text.unwrap_or(location)
}

/// Whether a URL can be requested over HTTP.
fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn status(result: &FetchResult) -> u16 {
    // `WebArchive::fetch` returns only results that have a status.
    result.outcome.status().unwrap_or_default()
}

/// Returns the time of the capture if the response is a capture.
fn memento_datetime(result: &FetchResult) -> Option<Timestamp> {
    timemap::parse_http_date(result.header("memento-datetime")?)
}

/// Returns the redirect target of a response if it is an HTTP URL.
fn redirect_target(result: &FetchResult, url: &Url) -> Option<Url> {
    let location = result.hops.last()?.location.as_deref()?;
    let next = url.join(location).ok()?;
    matches!(next.scheme(), "http" | "https").then_some(next)
}

/// Formats a time for an HTTP header.
fn http_date(when: Timestamp) -> String {
    let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&when);
    // Only years before 1 and after 9999 cannot be formatted.
    date.unwrap_or_default()
}
