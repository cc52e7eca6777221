//! What the asker may know of a loading that is still going on.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use relink_model::Probe;
use tokio::sync::Notify;
use xxhash_rust::xxh3::xxh3_64;

/// Shared between the loader, which writes, and the asker, which reads.
#[derive(Debug, Default)]
pub(crate) struct LoadProgress {
    documents: AtomicU64,
    links: AtomicU64,
    chunks: AtomicU64,
    is_done: AtomicBool,
    notify: Notify,
    brought: Mutex<Arc<LoadHandoff>>,
}

/// What a loading leaves to the asker.
#[derive(Debug, Default)]
pub(crate) struct LoadHandoff {
    /// What the pages among the inputs answered, so that they need not be
    /// asked twice.
    pub(crate) pages: HashMap<String, ProbedPage>,
    /// Hashes of the addresses of pages whose places are wanted.
    wanted: HashSet<u64>,
}

/// A page that was asked while loading.
#[derive(Debug, Clone)]
pub(crate) struct ProbedPage {
    /// What came back.
    pub(crate) probe: Probe,
    /// The places it offers, where they are looked for and can be told.
    pub(crate) anchors: Option<Vec<u32>>,
}

impl LoadHandoff {
    /// Some link wants a place on this page.
    pub(super) fn want(&mut self, url: &str) {
        self.wanted.insert(xxh3_64(url.as_bytes()));
    }

    /// Whether some link wants a place on this page.
    pub(crate) fn wants(&self, url: &str) -> bool {
        !self.wanted.is_empty() && self.wanted.contains(&xxh3_64(url.as_bytes()))
    }

    /// Whether any place is wanted.
    pub(crate) fn wants_any(&self) -> bool {
        !self.wanted.is_empty()
    }
}

impl LoadProgress {
    /// One more document was opened.
    pub(super) fn add_document(&self) {
        self.documents.fetch_add(1, Ordering::Relaxed);
    }

    /// Some more links were stored.
    pub(super) fn add_chunk(&self, links: usize) {
        self.links.fetch_add(links as u64, Ordering::Relaxed);
        self.chunks.fetch_add(1, Ordering::Release);
        self.notify.notify_one();
    }

    /// Everything is stored, and this is left to the asker.
    pub(super) fn finish(&self, brought: LoadHandoff) {
        *self.brought.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(brought);
        self.is_done.store(true, Ordering::Release);
        self.notify.notify_one();
    }

    /// There is nothing to load.
    pub(crate) fn finish_empty(&self) {
        self.finish(LoadHandoff::default());
    }

    /// Documents opened so far.
    pub(crate) fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    /// Links stored so far.
    pub(crate) fn links(&self) -> u64 {
        self.links.load(Ordering::Relaxed)
    }

    /// How often something was stored: if it grew, there may be new tasks.
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks.load(Ordering::Acquire)
    }

    /// Whether everything is stored.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// What is left to the asker; nothing before the end.
    pub(crate) fn brought(&self) -> Arc<LoadHandoff> {
        Arc::clone(&self.brought.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until something was stored.
    pub(crate) async fn changed(&self) {
        self.notify.notified().await;
    }
}
