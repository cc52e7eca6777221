//! Progress of the loader, shared with the dispatcher.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use relink_model::Probe;
use tokio::sync::Notify;
use xxhash_rust::xxh3::xxh3_64;

/// Progress of the loader. The loader writes it, the dispatcher reads it.
#[derive(Debug, Default)]
pub struct LoadProgress {
    documents: AtomicU64,
    links: AtomicU64,
    stored_batches: AtomicU64,
    is_done: AtomicBool,
    notify: Notify,
    handoff: Mutex<Arc<LoadHandoff>>,
}

/// Data that the loader hands to the dispatcher.
#[derive(Debug, Default)]
pub struct LoadHandoff {
    /// Probes of pages among the inputs, so that they are not fetched twice.
    pub pages: HashMap<String, ProbedPage>,
    /// Hashes of the URLs of pages whose anchors are needed.
    needs_anchors: HashSet<u64>,
    /// Whether the anchors of all pages are needed, because it is unknown which
    /// ones are.
    needs_all_anchors: bool,
}

/// A page that was fetched while loading.
#[derive(Debug, Clone)]
pub struct ProbedPage {
    /// The probe.
    pub probe: Probe,
    /// Hashes of its anchors; `None` if not needed or unknown.
    pub anchors: Option<Vec<u32>>,
}

impl LoadHandoff {
    /// Records that a link refers to an anchor of this page.
    pub(super) fn require_anchors(&mut self, url: &str) {
        self.needs_anchors.insert(xxh3_64(url.as_bytes()));
    }

    /// Whether the anchors of this page are needed.
    pub fn needs_anchors(&self, url: &str) -> bool {
        self.needs_all_anchors
            || !self.needs_anchors.is_empty()
                && self.needs_anchors.contains(&xxh3_64(url.as_bytes()))
    }

    /// Whether the anchors of any page are needed.
    pub fn needs_any_anchors(&self) -> bool {
        !self.needs_anchors.is_empty()
    }
}

impl LoadProgress {
    /// Counts an opened document.
    pub(super) fn add_document(&self) {
        self.documents.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a batch of stored links.
    pub fn add_batch(&self, links: usize) {
        self.links.fetch_add(links as u64, Ordering::Relaxed);
        self.stored_batches.fetch_add(1, Ordering::Release);
        self.notify.notify_one();
    }

    /// Records that all links are stored, and hands over the data.
    pub(super) fn finish(&self, handoff: LoadHandoff) {
        *self.handoff.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(handoff);
        self.is_done.store(true, Ordering::Release);
        self.notify.notify_one();
    }

    /// Records that there is nothing to load.
    pub fn finish_empty(&self) {
        self.finish(LoadHandoff::default());
    }

    /// Records that another process has loaded everything.
    pub fn finish_for_worker(&self, needs_all_anchors: bool) {
        self.finish(LoadHandoff { needs_all_anchors, ..LoadHandoff::default() });
    }

    /// Returns the number of opened documents.
    pub fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    /// Returns the number of stored links.
    pub fn links(&self) -> u64 {
        self.links.load(Ordering::Relaxed)
    }

    /// Returns the number of stored batches. If it grew, there may be new
    /// tasks.
    pub fn stored_batches(&self) -> u64 {
        self.stored_batches.load(Ordering::Acquire)
    }

    /// Whether all links are stored.
    pub fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Returns the data from the loader; empty before the end.
    pub fn handoff(&self) -> Arc<LoadHandoff> {
        Arc::clone(&self.handoff.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until links are stored.
    pub async fn changed(&self) {
        self.notify.notified().await;
    }
}
