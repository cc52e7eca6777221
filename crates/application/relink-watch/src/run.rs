//! Fetches the pages of collections that are due.
//!
//! A run has several rounds. The first round fetches all pages that are due. A page that
//! is new or seems to have changed is stored as a *candidate* of a version and stays due.
//! The next round fetches the page again. If the content is the same, the candidate becomes a
//! version.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use relink_engine::{
    DispatchSettings, Observer, PageRun, PageRunEnd, PageSink, Progress, check_pages,
};
use relink_frontier::NetworkDoubt;
use relink_keyphrase::KeyphraseSettings;
use relink_model::RequestRights;
use relink_ports::{CheckedTarget, CollectionId, CollectionStore};
use relink_requests::{Ports, StopSignal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::WatchError;
use crate::capture::{Capture, PageHint};
use crate::library::{CollectionSettings, Library, PhraseOptions};
use crate::record::{CheckedPage, RecordCounts, record};

/// Maximum number of rounds. The third round is for pages whose candidate was too old to
/// be confirmed, because an earlier run was interrupted.
const MAX_ROUNDS: usize = 3;

/// Number of URLs read from the store at a time.
const CHUNK_SIZE: usize = 1000;

/// Maximum number of results stored at a time.
const BATCH_SIZE: usize = 64;

/// Settings of a run.
#[derive(Debug, Clone)]
pub struct WatchSettings {
    /// The collections to check; all if empty.
    pub names: Vec<String>,
    /// Whether to check pages that are not due.
    pub checks_all: bool,
    /// Limits and rules for fetching.
    pub dispatch: DispatchSettings,
    /// Permissions of the requests.
    pub rights: RequestRights,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// No page is due.
    Finished,
    /// No host responded, so no page was judged.
    NoNetwork,
    /// Interrupted by the user. The next run continues.
    Interrupted,
}

/// Result of a run.
#[derive(Debug, Clone)]
pub struct WatchOutcome {
    /// Why the run ended.
    pub end: WatchEnd,
    /// Why failures may be caused by the local network, if that is suspected.
    pub doubt: Option<NetworkDoubt>,
    /// Pages that were due.
    pub due: u64,
    /// Pages whose check is finished.
    pub checked: u64,
    /// Pages that were seen for the first time.
    pub first: u64,
    /// Pages without a visible change.
    pub unchanged: u64,
    /// Pages with a confirmed change.
    pub changed: u64,
    /// Pages that showed a change only once.
    pub unstable: u64,
    /// Pages that are probably unavailable for a short time.
    pub temporary: u64,
    /// Pages that are probably gone for good.
    pub permanent: u64,
    /// Pages that were not requested, because their host limits the requests.
    pub not_requested: u64,
}

/// Fetches the pages that are due, and stores new versions.
pub async fn watch_pages(
    ports: &Ports,
    store: &dyn CollectionStore,
    settings: &WatchSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<WatchOutcome, WatchError> {
    let library = load_selected(store, &settings.names).await?;
    let ids = library.ids();
    if settings.checks_all {
        store.schedule_pages(&ids, ports.now()).await?;
    }
    let (keeps_text, annotations) = (urls_with_text(&library), annotations(&library));
    let phrases = phrase_settings(&library);
    let watch = WatchRun { ports, store, settings, ids, keeps_text, annotations, phrases };
    let mut counts = RecordCounts::default();
    let mut end = PageRunEnd::Finished;
    let mut due = None;
    for _ in 0..MAX_ROUNDS {
        let urls = watch.due_urls().await?;
        due.get_or_insert(urls.len() as u64);
        if urls.is_empty() {
            break;
        }
        end = watch.round(&urls, observer, &mut counts, stop).await?;
        if end != PageRunEnd::Finished {
            break;
        }
    }
    Ok(outcome(end, due.unwrap_or(0), counts))
}

/// Loads the collections with these names and their nested collections. Without names, loads
/// all collections.
async fn load_selected(
    store: &dyn CollectionStore,
    names: &[String],
) -> Result<Library, WatchError> {
    if names.is_empty() {
        return Library::load(store).await;
    }
    // Fail if a name is unknown.
    for name in names {
        Library::load_tree(store, name).await?;
    }
    let mut library = Library::load(store).await?;
    let is_selected = |name: &str| names.iter().any(|root| crate::library::is_in_tree(name, root));
    library.collections.retain(|list| is_selected(&list.name));
    Ok(library)
}

/// Returns the URLs whose text is stored.
fn urls_with_text(library: &Library) -> HashSet<String> {
    let lists = library.collections.iter();
    let lists = lists.filter(|list| CollectionSettings::parse(&list.settings).keeps_text);
    lists.flat_map(|list| library.members(list.id)).map(|member| member.url.clone()).collect()
}

/// Returns the forms of keyphrases of each page. If a page is in several collections, the
/// first collection with settings of its own decides.
fn phrase_settings(library: &Library) -> HashMap<String, KeyphraseSettings> {
    let mut settings = HashMap::new();
    for collection in &library.collections {
        let options = CollectionSettings::parse(&collection.settings).phrases;
        if options == PhraseOptions::default() {
            continue;
        }
        for member in library.members(collection.id) {
            settings.entry(member.url.clone()).or_insert_with(|| options.settings());
        }
    }
    settings
}

/// Returns the annotations of each page. A page may be in several collections.
fn annotations(library: &Library) -> HashMap<String, String> {
    let mut annotations: HashMap<String, String> = HashMap::new();
    for member in library.collections.iter().flat_map(|list| library.members(list.id)) {
        if !member.annotation.is_empty() {
            let text = annotations.entry(member.url.clone()).or_default();
            text.push_str(&member.annotation);
            text.push('\n');
        }
    }
    annotations
}

/// Returns the result of the run.
fn outcome(end: PageRunEnd, due: u64, counts: RecordCounts) -> WatchOutcome {
    let (end, doubt) = match end {
        PageRunEnd::Finished => (WatchEnd::Finished, None),
        PageRunEnd::InDoubt(doubt) => (WatchEnd::Finished, Some(doubt)),
        PageRunEnd::NoNetwork => (WatchEnd::NoNetwork, None),
        PageRunEnd::Interrupted => (WatchEnd::Interrupted, None),
    };
    let RecordCounts { first, unchanged, changed, unstable, temporary, permanent, not_requested } =
        counts;
    let checked = counts.finished();
    WatchOutcome {
        end,
        doubt,
        due,
        checked,
        first,
        unchanged,
        changed,
        unstable,
        temporary,
        permanent,
        not_requested,
    }
}

/// A run with what it needs to know about the pages.
struct WatchRun<'w> {
    ports: &'w Ports,
    store: &'w dyn CollectionStore,
    settings: &'w WatchSettings,
    /// The collections to check.
    ids: Vec<CollectionId>,
    /// URLs whose text is stored.
    keeps_text: HashSet<String>,
    /// Annotations by URL.
    annotations: HashMap<String, String>,
    /// Forms of keyphrases by URL.
    phrases: HashMap<String, KeyphraseSettings>,
}

impl WatchRun<'_> {
    /// Returns the URLs of the pages that are due now.
    async fn due_urls(&self) -> Result<Vec<String>, WatchError> {
        let mut urls: Vec<String> = Vec::new();
        loop {
            let after = urls.last().cloned().unwrap_or_default();
            let page =
                self.store.due_pages(&self.ids, self.ports.now(), &after, CHUNK_SIZE).await?;
            if page.is_empty() {
                return Ok(urls);
            }
            urls.extend(page);
        }
    }

    /// Runs one round: fetches pages and stores their results as they arrive.
    async fn round(
        &self,
        urls: &[String],
        observer: &mut dyn Observer,
        counts: &mut RecordCounts,
        stop: &StopSignal,
    ) -> Result<PageRunEnd, WatchError> {
        let capture = Arc::new(Capture::new(self.hints(urls).await?));
        let sink: Arc<dyn PageSink> = Arc::clone(&capture) as Arc<_>;
        let WatchSettings { names, dispatch, rights, .. } = self.settings;
        let pages = PageRun {
            command: "watch",
            inputs: names,
            label: "collections",
            urls,
            rights: *rights,
        };
        let (sender, receiver) = unbounded_channel();
        let checking = async {
            // The recorder ends when the observer is dropped.
            let mut observer = CapturingObserver { observer, capture, sender };
            Ok(check_pages(self.ports, pages, dispatch, sink, &mut observer, stop).await?)
        };
        let (end, ()) = tokio::try_join!(checking, self.record_all(receiver, counts))?;
        Ok(end)
    }

    /// Stores results as they arrive, until all are received.
    async fn record_all(
        &self,
        mut receiver: UnboundedReceiver<CheckedPage>,
        counts: &mut RecordCounts,
    ) -> Result<(), WatchError> {
        loop {
            let mut batch = Vec::with_capacity(BATCH_SIZE);
            if receiver.recv_many(&mut batch, BATCH_SIZE).await == 0 {
                return Ok(());
            }
            record(self.store, batch, self.ports.now(), counts).await?;
        }
    }

    /// Returns what is known about each page before it is fetched.
    async fn hints(&self, urls: &[String]) -> Result<HashMap<String, PageHint>, WatchError> {
        let mut hints = HashMap::with_capacity(urls.len());
        for chunk in urls.chunks(CHUNK_SIZE) {
            for page in self.store.watched_pages(chunk).await? {
                let hint = PageHint {
                    checksum: page.checksum,
                    has_candidate: page.candidate.is_some(),
                    keeps_text: self.keeps_text.contains(&page.url),
                    annotation: self.annotations.get(&page.url).cloned().unwrap_or_default(),
                    phrases: self.phrases.get(&page.url).copied().unwrap_or_default(),
                };
                hints.insert(page.url, hint);
            }
        }
        Ok(hints)
    }
}

/// Sends each result with the captured page to the recorder.
struct CapturingObserver<'o> {
    observer: &'o mut dyn Observer,
    capture: Arc<Capture>,
    sender: UnboundedSender<CheckedPage>,
}

impl Observer for CapturingObserver<'_> {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        let page = CheckedPage {
            url: checked.url.clone(),
            result: checked.result.clone(),
            captured: self.capture.take(&checked.url),
        };
        // Ignore the error: the recorder has failed and ends the run.
        let _ = self.sender.send(page);
        self.observer.on_result(checked)
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.observer.on_progress(progress);
    }
}
