//! What a copy says, as the server had said it, and which copy is nearest.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use relink_model::{Capture, Snapshot, with_authority};
use relink_ports::{ArchiveError, FetchResult, RedirectMode, Replay, RequestOptions};
use url::Url;

use super::web::WebArchive;
use super::{cdx, timemap, timestamp};

/// How often an archive may send us from one of its own addresses to another:
/// to the exact time, to `https`, from a list of archives to one of them.
const HOPS: usize = 5;

/// Asks for the answer as it was archived, without a changed byte.
const RAW: &str = "id_";

/// The address of a copy, with a word between the time and the URL.
pub(super) fn address_of(root: &Url, capture: &Capture, word: &str) -> Option<Url> {
    let time = timestamp::write(capture.captured_at);
    Url::parse(&format!("{root}{time}{word}/{}", cdx::bare(&capture.url))).ok()
}

impl WebArchive {
    /// Replays a capture.
    ///
    /// Only an answer with the time of its capture is one; the archive's own
    /// 404 says that it has nothing, whereas an archived 404 has a time.
    pub(super) async fn replay_raw(
        &self,
        capture: &Capture,
    ) -> Result<Option<Replay>, ArchiveError> {
        let mut address =
            self.raw_address(capture).ok_or_else(|| self.unsupported("what a copy says"))?;
        for _ in 0..HOPS {
            let fetched = self.ask(&address, self.copy_terms(Vec::new())).await?;
            if let Some(taken) = taken(&fetched) {
                return Ok(Some(self.replayed(fetched, taken, capture)));
            }
            match (status(&fetched), onward(&fetched, &address)) {
                (300..=399, Some(next)) => address = next,
                (404, _) => return Ok(None),
                (200..=399, _) => break,
                (status, _) => return Err(self.refusal(status)),
            }
        }
        Err(self.unreadable("an archived page"))
    }

    /// Where the raw copy is: below the one address of all, or else beside the
    /// copy for people.
    fn raw_address(&self, capture: &Capture) -> Option<Url> {
        if let Some(root) = &self.settings.replay {
            return address_of(root, capture, RAW);
        }
        let copy = capture.replay_url.as_ref()?;
        let Some((_, url)) = timemap::split_address(copy) else { return Some(copy.clone()) };
        let front = copy.as_str().strip_suffix(url)?.strip_suffix('/')?;
        let front = front.trim_end_matches(|it: char| it.is_ascii_alphabetic() || it == '_');
        Url::parse(&format!("{front}{RAW}/{url}")).ok()
    }

    fn replayed(&self, fetched: FetchResult, taken: Timestamp, capture: &Capture) -> Replay {
        let told = fetched.hops.last().and_then(|hop| hop.location.as_deref());
        let location = fetched.header("x-archive-orig-location").or(told);
        let location = location.map(|location| self.unwrapped(location).to_owned());
        let target = location
            .as_deref()
            .and_then(|location| capture.url.join(&with_authority(location)).ok());
        Replay {
            captured_at: taken,
            status: status(&fetched),
            target: target.filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host()),
            location,
            body: fetched.body.unwrap_or_default(),
        }
    }

    /// A `Location` without what the archive has put before it: some rewrite
    /// it into themselves even in a raw copy.
    fn unwrapped<'a>(&self, location: &'a str) -> &'a str {
        let Some(root) = &self.settings.replay else { return unwrapped_anywhere(location) };
        let below = location.strip_prefix(root.as_str());
        let below = below.or_else(|| location.strip_prefix(root.path()));
        let found = below.and_then(timestamp::split).filter(|(_, url)| url.starts_with("http"));
        found.map_or(location, |(_, url)| url)
    }

    /// Asks for the copy nearest to a moment (RFC 7089, section 4).
    pub(super) async fn negotiate(
        &self,
        timegate: &Url,
        url: &Url,
        when: Timestamp,
    ) -> Result<Option<Snapshot>, ArchiveError> {
        let asked = Url::parse(&format!("{timegate}{}", cdx::bare(url)));
        let mut address = asked.map_err(|_| self.unsupported("such a URL"))?;
        for _ in 0..HOPS {
            let date = vec![("Accept-Datetime".to_owned(), http_date(when))];
            let fetched = self.ask(&address, self.copy_terms(date)).await?;
            if let Some(taken) = taken(&fetched) {
                return Ok(Some(snapshot(url, address, taken, Some(status(&fetched)))));
            }
            match (status(&fetched), onward(&fetched, &address)) {
                // An address that tells its time need not be asked.
                (300..=399, Some(copy)) => match timemap::split_address(&copy) {
                    Some((taken, _)) => return Ok(Some(snapshot(url, copy, taken, None))),
                    None => address = copy,
                },
                (404, _) => return Ok(None),
                (200..=399, _) => break,
                (status, _) => return Err(self.refusal(status)),
            }
        }
        Err(self.unreadable("an archived page"))
    }

    fn copy_terms(&self, headers: Vec<(String, String)>) -> RequestOptions {
        let body_cap = Some(self.settings.page_cap);
        RequestOptions {
            redirects: RedirectMode::Report,
            headers,
            max_body_bytes: body_cap,
            ..RequestOptions::default()
        }
    }
}

fn snapshot(url: &Url, address: Url, taken: Timestamp, status: Option<u16>) -> Snapshot {
    let url = timemap::archived_url(&address).unwrap_or_else(|| url.clone());
    Snapshot { url, captured_at: taken, replay_url: address, status }
}

/// The same where no address of the archive is known: only a whole address of
/// a copy is taken for one.
fn unwrapped_anywhere(location: &str) -> &str {
    let is_whole = location.starts_with("http://") || location.starts_with("https://");
    let url = Url::parse(location).ok().filter(|_| is_whole);
    let inner = url.as_ref().and_then(timemap::split_address).map(|(_, inner)| inner.len());
    inner.and_then(|length| location.get(location.len().checked_sub(length)?..)).unwrap_or(location)
}

fn status(fetched: &FetchResult) -> u16 {
    fetched.outcome.status().unwrap_or_default()
}

/// The time of a copy, where the answer is one.
fn taken(fetched: &FetchResult) -> Option<Timestamp> {
    timemap::moment(fetched.header("memento-datetime")?)
}

/// Where the archive sends us, if that is on the web.
fn onward(fetched: &FetchResult, address: &Url) -> Option<Url> {
    let location = fetched.hops.last()?.location.as_deref()?;
    let next = address.join(location).ok()?;
    matches!(next.scheme(), "http" | "https").then_some(next)
}

fn http_date(when: Timestamp) -> String {
    let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&when);
    // Only years before 1 and after 9999 have no such date.
    date.unwrap_or_default()
}
