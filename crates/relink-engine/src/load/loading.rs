//! What the asker may know of a loading that is still going on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use relink_model::Probe;
use tokio::sync::Notify;

/// Shared between the loader, which writes, and the asker, which reads.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    documents: AtomicU64,
    links: AtomicU64,
    chunks: AtomicU64,
    is_done: AtomicBool,
    bell: Notify,
    pages: Mutex<Arc<HashMap<String, Probe>>>,
}

impl Loading {
    /// One more document was opened.
    pub(super) fn add_document(&self) {
        self.documents.fetch_add(1, Ordering::Relaxed);
    }

    /// Some more links were stored.
    pub(super) fn add_chunk(&self, links: usize) {
        self.links.fetch_add(links as u64, Ordering::Relaxed);
        self.chunks.fetch_add(1, Ordering::Release);
        self.bell.notify_one();
    }

    /// Everything is stored, with what the pages among the inputs answered.
    pub(super) fn finish(&self, pages: HashMap<String, Probe>) {
        *self.pages.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(pages);
        self.is_done.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// There is nothing to load.
    pub(crate) fn finish_empty(&self) {
        self.finish(HashMap::new());
    }

    /// Documents opened so far.
    pub(crate) fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    /// Links stored so far.
    pub(crate) fn links(&self) -> u64 {
        self.links.load(Ordering::Relaxed)
    }

    /// How often something was stored: if it grew, there may be new errands.
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks.load(Ordering::Acquire)
    }

    /// Whether everything is stored.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// What the pages among the inputs answered; nothing before the end.
    pub(crate) fn pages(&self) -> Arc<HashMap<String, Probe>> {
        Arc::clone(&self.pages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until something was stored.
    pub(crate) async fn changed(&self) {
        self.bell.notified().await;
    }
}
