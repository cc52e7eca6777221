//! `archive`: finds archived copies of live pages, and saves pages without one.
//!
//! [`find_copies`] queries the archives for every live page of a finished check.
//! [`save_pages`] fetches the pages without a copy, with the rate limits and
//! robots.txt of their hosts, and passes the responses to an [`ArchiveWriter`].

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{PolitenessPolicy, host_key};
use relink_model::{Capture, FetchOutcome, Hop, RequestRights, RunId, Verdict};
use relink_ports::{
    Archive, ArchiveError, ArchiveWriter, Body, CaptureOrder, CaptureQuery, CaptureStatusFilter,
    CapturedResponse, CheckedTarget, CheckedTargetQuery, Fetch as _, FetchRequest, FetchResult,
    LinkLocation, RequestOptions, UserAgent,
};
use url::Url;

use relink_requests::{
    EngineError, PoliteFetch, PoliteFetchSettings, Ports, RobotsUse, StopSignal, run_in_order,
};

/// Number of targets read from the store at a time.
const BATCH_SIZE: usize = 256;

/// Number of pages whose copies are looked up at the same time. Each archive gets one request
/// at a time, so more is useless.
const MAX_CONCURRENT_QUERIES: usize = 4;

/// Number of hosts from which pages are saved at the same time. It limits the memory for
/// their bodies.
const MAX_CONCURRENT_SAVES: usize = 8;

/// Verdicts of pages that can be archived.
const LIVE_VERDICTS: [Verdict; 4] =
    [Verdict::Alive, Verdict::Moved, Verdict::Drifted, Verdict::AtRisk];

/// Headers that are stored with a page.
const SAVED_HEADERS: [&str; 7] =
    ["content-type", "content-language", "date", "etag", "last-modified", "link", "server"];

/// Maximum size of a saved page.
const MAX_PAGE_BYTES: usize = 32 << 20;

/// Rate limits of saving.
#[derive(Debug, Clone, Copy)]
pub struct SaveSettings {
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Maximum wait for a host.
    pub max_host_wait: Duration,
}

/// A live page and its archived copy.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePage {
    /// The canonical URL.
    pub url: Url,
    /// Whether the URL redirects to another URL.
    pub redirects: bool,
    /// The first links to the page.
    pub locations: Vec<LinkLocation>,
    /// The archived copy of the page.
    pub copy: CopyState,
}

/// Whether a page has an archived copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyState {
    /// An archive has a copy of this time.
    Archived {
        /// The name of the archive.
        archive: String,
        /// The time of the newest successful capture.
        captured_at: Timestamp,
        /// The URL of the copy, unless the archive is a local file.
        replay_url: Option<Url>,
    },
    /// No archive has a copy.
    Missing,
    /// No archive has a copy, and the page was saved now.
    Saved,
    /// No archive had a copy, and an archive saved the page on request.
    Submitted {
        /// The name of the archive.
        archive: String,
        /// The time of the capture.
        captured_at: Timestamp,
        /// The URL of the copy, if it is known.
        replay_url: Option<Url>,
    },
    /// No archive has a copy, and the page could not be saved, for this reason.
    NotSaved(String),
    /// An archive could not be queried, for this reason.
    Unknown(String),
}

/// Returns the live pages of a run with their archived copies. `progress` receives
/// the number of queried pages and their total.
///
/// # Errors
///
/// Fails if the store cannot be read.
pub async fn find_copies(
    ports: &Ports,
    run: RunId,
    max_locations: usize,
    progress: &mut dyn FnMut(usize, usize),
    stop: &StopSignal,
) -> Result<Vec<LivePage>, EngineError> {
    let mut pages = live_pages(ports, run, max_locations).await?;
    let total = pages.len();
    let query = |page: LivePage| async move {
        // After a stop, no archive is queried.
        let copy = if stop.is_stopped() { None } else { Some(find_copy(ports, &page).await) };
        Ok::<_, EngineError>(copy.map_or(page.clone(), |copy| LivePage { copy, ..page }))
    };
    let mut queried = Vec::with_capacity(total);
    let add = |page| {
        progress(queried.len(), total);
        queried.push(page);
        Ok(())
    };
    run_in_order(pages.drain(..), MAX_CONCURRENT_QUERIES, query, add).await?;
    Ok(queried)
}

/// Returns the live pages of a run, sorted by URL.
async fn live_pages(
    ports: &Ports,
    run: RunId,
    max_locations: usize,
) -> Result<Vec<LivePage>, EngineError> {
    let mut pages = Vec::new();
    let mut query = CheckedTargetQuery {
        limit: BATCH_SIZE,
        verdicts: Some(&LIVE_VERDICTS),
        max_locations,
        ..CheckedTargetQuery::ALL
    };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { break };
        query.after = last.task;
        pages.extend(batch.into_iter().filter_map(live_page));
    }
    pages.sort_by(|one: &LivePage, other| one.url.cmp(&other.url));
    Ok(pages)
}

/// Returns the page of a target, or `None` if its URL is not an HTTP URL.
fn live_page(target: CheckedTarget) -> Option<LivePage> {
    let url =
        Url::parse(&target.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let redirects = target.probe.is_some_and(|probe| probe.hops.len() > 1);
    let copy = CopyState::Unknown("not queried".to_owned());
    Some(LivePage { url, redirects, locations: target.locations, copy })
}

/// Queries the archives in order, until one has a copy. An archived redirect also counts
/// as a copy of a page that redirects.
async fn find_copy(ports: &Ports, page: &LivePage) -> CopyState {
    let mut not_saved_reason = None;
    for archive in &ports.archives {
        match newest_capture(&**archive, page).await {
            Ok(Some(capture)) => {
                return CopyState::Archived {
                    archive: archive.name().to_owned(),
                    captured_at: capture.captured_at,
                    replay_url: capture.snapshot().map(|snapshot| snapshot.replay_url),
                };
            }
            Ok(None) => {}
            Err(error) => not_saved_reason = Some(error.to_string()),
        }
    }
    // An archive that could not be queried may have a copy.
    not_saved_reason.map_or(CopyState::Missing, CopyState::Unknown)
}

/// Returns the newest capture (a row in the index of an archive) that is a copy.
async fn newest_capture(
    archive: &dyn Archive,
    page: &LivePage,
) -> Result<Option<Capture>, ArchiveError> {
    let filters: &[CaptureStatusFilter] = if page.redirects {
        &[CaptureStatusFilter::Success, CaptureStatusFilter::Redirects]
    } else {
        &[CaptureStatusFilter::Success]
    };
    for filter in filters {
        let query = CaptureQuery {
            order: CaptureOrder::Newest,
            statuses: *filter,
            limit: 1,
            ..CaptureQuery::new(page.url.clone())
        };
        if let Some(capture) = archive.captures(&query).await?.captures.into_iter().next() {
            return Ok(Some(capture));
        }
    }
    Ok(None)
}

/// Saves the pages without a copy. `progress` receives the number of pages tried
/// and their total.
///
/// # Errors
///
/// Fails if the writer fails, or if the store cannot be read.
pub async fn save_pages(
    ports: &Ports,
    settings: SaveSettings,
    pages: &mut [LivePage],
    writer: &mut dyn ArchiveWriter,
    progress: &mut (dyn FnMut(usize, usize) + Send),
    stop: &StopSignal,
) -> Result<(), EngineError> {
    let polite = PoliteFetch::new(PoliteFetchSettings {
        fetch: &*ports.fetch,
        clock: &*ports.clock,
        store: Some(&*ports.store),
        politeness: settings.politeness,
        max_host_wait: settings.max_host_wait,
        robots: RobotsUse::Obey,
    });
    let mut hosts: BTreeMap<String, Vec<(usize, Url)>> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        if page.copy == CopyState::Missing {
            hosts.entry(host_key(&page.url)).or_default().push((index, page.url.clone()));
        }
    }
    let total = hosts.values().map(Vec::len).sum();
    let output = Mutex::new(SaveOutput { writer, progress, saved: 0 });
    let saver = PageSaver { ports, polite, output, total };
    let save = |pages| saver.save_host(pages, stop);
    let finish = |copies: Vec<(usize, CopyState)>| {
        for (index, copy) in copies {
            pages[index].copy = copy;
        }
        Ok(())
    };
    run_in_order(hosts.into_values(), MAX_CONCURRENT_SAVES, save, finish).await
}

/// Saves the pages of several hosts at the same time.
struct PageSaver<'a> {
    ports: &'a Ports,
    polite: PoliteFetch<'a>,
    output: Mutex<SaveOutput<'a>>,
    /// Number of all pages to save.
    total: usize,
}

/// What all hosts write to.
struct SaveOutput<'a> {
    writer: &'a mut dyn ArchiveWriter,
    progress: &'a mut (dyn FnMut(usize, usize) + Send),
    /// Number of pages tried.
    saved: usize,
}

impl PageSaver<'_> {
    /// Saves the pages of one host, one after the other. Each page has its index.
    async fn save_host(
        &self,
        pages: Vec<(usize, Url)>,
        stop: &StopSignal,
    ) -> Result<Vec<(usize, CopyState)>, EngineError> {
        let mut copies = Vec::with_capacity(pages.len());
        let polite = self.polite.share();
        for (index, url) in pages {
            if stop.is_stopped() {
                break;
            }
            let captured_at = self.ports.now();
            let result = fetch_page(self.ports, &polite, url).await?;
            let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            let SaveOutput { writer, progress, saved } = &mut *output;
            progress(*saved, self.total);
            *saved += 1;
            let copy = match polite.take_refusal() {
                Some(refusal) => CopyState::NotSaved(refusal.to_string()),
                None => save_page(&result, captured_at, &mut **writer)?,
            };
            copies.push((index, copy));
        }
        Ok(copies)
    }
}

/// Fetches a page to save.
async fn fetch_page(
    ports: &Ports,
    polite: &PoliteFetch<'_>,
    url: Url,
) -> Result<FetchResult, EngineError> {
    // The permissions of the request are stored with the target.
    let stored = ports.store.dead_target(url.as_str()).await?;
    let rights = stored.map_or(RequestRights::default(), |stored| stored.rights);
    let options = RequestOptions {
        response_headers: &SAVED_HEADERS,
        max_body_bytes: Some(MAX_PAGE_BYTES),
        ..RequestOptions::default()
    };
    Ok(polite.fetch(FetchRequest { url, rights, user_agent: UserAgent::Relink, options }).await)
}

/// Saves the responses of a page.
fn save_page(
    result: &FetchResult,
    captured_at: Timestamp,
    writer: &mut dyn ArchiveWriter,
) -> Result<CopyState, EngineError> {
    if let Some(reason) = not_saved_reason(result) {
        return Ok(CopyState::NotSaved(reason));
    }
    for response in captured_responses(result, captured_at) {
        writer.write(&response).map_err(EngineError::Output)?;
    }
    Ok(CopyState::Saved)
}

/// Returns why a response is not worth saving.
fn not_saved_reason(result: &FetchResult) -> Option<String> {
    match (&result.outcome, &result.body) {
        (FetchOutcome::Response(200..=299), Some(_)) => None,
        (FetchOutcome::Response(status), _) => Some(format!("status {status}")),
        (outcome, _) => Some(outcome.to_string()),
    }
}

/// Returns every response of the redirect chain. Only the last response has a body.
fn captured_responses(result: &FetchResult, captured_at: Timestamp) -> Vec<CapturedResponse> {
    let last_index = result.hops.len().saturating_sub(1);
    let captured = |(index, hop): (usize, &Hop)| {
        let mut response = CapturedResponse {
            url: Url::parse(&hop.url).ok()?,
            captured_at,
            ip: hop.ip,
            status: hop.status,
            headers: Vec::new(),
            body: Body::default().bytes,
            is_truncated: false,
        };
        response.headers.extend(hop.location.clone().map(|url| ("location".to_owned(), url)));
        if index == last_index {
            response.headers.extend(result.headers.iter().cloned());
            let body = result.body.clone().unwrap_or_default();
            (response.body, response.is_truncated) = (body.bytes, body.is_truncated);
        }
        Some(response)
    };
    result.hops.iter().enumerate().filter_map(captured).collect()
}
