//! Checks a list of pages and passes their bodies to the caller.
//!
//! The pages are fetched like the links of a check, so rate limits, the address policy,
//! retries and the judge apply, and robots.txt does not.

use std::sync::Arc;

use relink_frontier::{NetworkDoubt, host_key};
use relink_model::{LinkKind, RequestRights, SourceLocation};
use relink_ports::{
    CacheWindow, LinkBatch, NewDocument, NewLink, NewTarget, OpenRun, RunKey, RunState,
};
use url::Url;

use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher, ListJob, PageSink};
use crate::{DispatchSettings, Observer};
use relink_documents::LoadProgress;
use relink_requests::{EngineError, Ports, StopSignal};

/// Number of URLs stored at a time.
const CHUNK_SIZE: usize = 1000;

/// The pages of a run.
#[derive(Debug, Clone, Copy)]
pub struct PageRun<'r> {
    /// The name of the command, in the key of the run.
    pub command: &'r str,
    /// The inputs of the command, in the key of the run.
    pub inputs: &'r [String],
    /// The name of the document that contains the pages.
    pub label: &'r str,
    /// The canonical URLs.
    pub urls: &'r [String],
    /// Permissions of the requests.
    pub rights: RequestRights,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRunEnd {
    /// Every page is checked.
    Finished,
    /// Every page is checked, but failures may be caused by the local network.
    InDoubt(NetworkDoubt),
    /// No host responded, so no page was judged.
    NoNetwork,
    /// Interrupted by the user.
    Interrupted,
}

/// Checks pages. Each body is passed to `sink` before its page is judged. An unfinished
/// run is not resumed, because the caller knows which pages are left.
pub async fn check_pages(
    ports: &Ports,
    pages: PageRun<'_>,
    settings: &DispatchSettings,
    sink: Arc<dyn PageSink>,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<PageRunEnd, EngineError> {
    let run = open_run(ports, pages).await?;
    let progress = LoadProgress::default();
    progress.add_batch(pages.urls.len());
    progress.finish_empty();
    let start = DispatchStart::AfterLoading;
    let mut job = ListJob::with_page_sink(sink);
    let dispatcher = Dispatcher::new(ports, &run, settings, start, &progress, &mut job);
    let end = dispatcher.run(observer, stop).await?;
    let (end, state) = match end {
        DispatchEnd::Done => (PageRunEnd::Finished, RunState::Finished),
        DispatchEnd::InDoubt(doubt) => (PageRunEnd::InDoubt(doubt), RunState::Finished),
        DispatchEnd::NoNetwork => (PageRunEnd::NoNetwork, RunState::NoNetwork),
        // Only crawls have a time limit or stop when a host blocks them.
        DispatchEnd::Stopped
        | DispatchEnd::TimeLimitReached
        | DispatchEnd::BlockedByHost { .. } => (PageRunEnd::Interrupted, RunState::Open),
    };
    ports.store.close_run(run.id, state, ports.now()).await?;
    Ok(end)
}

/// Opens a run with one task per page.
async fn open_run(ports: &Ports, pages: PageRun<'_>) -> Result<OpenRun, EngineError> {
    let store = &ports.store;
    let now = ports.now();
    // A new run: an unfinished one is not resumed.
    let is_fresh = true;
    let key = RunKey {
        command: pages.command.to_owned(),
        inputs: pages.inputs.to_vec(),
        scope: String::new(),
    };
    let run = store.open_run(&key, is_fresh, now).await?;
    // Tasks belong to links, and links to a document, so store the pages as a document.
    let document = NewDocument { label: pages.label.to_owned(), content_hash: 0, revision: None };
    let document = store.load_document(run.id, &document).await?.id;
    for (chunk, first) in pages.urls.chunks(CHUNK_SIZE).zip((0..).step_by(CHUNK_SIZE)) {
        let links: Vec<NewLink> = chunk.iter().filter_map(|url| link(url, pages.rights)).collect();
        // Do not use cached results: they have no body.
        let cache_window = CacheWindow { now, fresh_since: jiff::Timestamp::MAX };
        let batch = LinkBatch { document, first_position: first, links: &links, cache_window };
        store.add_links(run.id, batch).await?;
    }
    store.finish_document(document).await?;
    store.finish_loading(run.id, &[document]).await?;
    Ok(run)
}

/// Returns the link to a page; `None` if the URL is invalid.
fn link(url: &str, rights: RequestRights) -> Option<NewLink> {
    let host = host_key(&Url::parse(url).ok()?);
    // The list of pages is not a file, so the location has no meaning.
    let location =
        SourceLocation { span: (0..0).into(), line: 1, column: 1, kind: LinkKind::ListEntry };
    let target = NewTarget::Web { url: url.to_owned(), host, rights };
    let original_url = url.to_owned();
    Some(NewLink { location, original_url, target, fragment: None, ignored_codes: Vec::new() })
}
