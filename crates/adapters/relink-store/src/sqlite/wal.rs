//! Syncs the write-ahead log (WAL) to disk in a background thread.
//!
//! A checkpoint, which copies the log into the database, waits until the whole log is on
//! disk. All requests wait for the checkpoint. Syncing the log earlier shortens this
//! wait.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The number of commits between syncs. At full speed, their log has a few megabytes.
const COMMITS_PER_SYNC: u32 = 16;

/// The handle of the sync thread. The thread ends when the handle is dropped.
pub(super) struct WalSyncer {
    signal: SyncSender<()>,
    commits: AtomicU32,
}

impl WalSyncer {
    /// Starts the thread for the log of a database.
    pub(super) fn new(database: &Path) -> Self {
        // One pending signal is enough, because one sync covers all earlier commits.
        let (signal, signals) = sync_channel(1);
        let log = wal_path(database);
        // Ignore the error: without the thread, checkpoints only take longer.
        let _ =
            thread::Builder::new().name("wal".to_owned()).spawn(move || sync_log(&log, &signals));
        Self { signal, commits: AtomicU32::new(0) }
    }

    /// Counts a commit and requests a sync if it is due.
    pub(super) fn record_commit(&self) {
        if self.commits.fetch_add(1, Ordering::Relaxed) % COMMITS_PER_SYNC == COMMITS_PER_SYNC - 1 {
            // Ignore the error: a sync is already pending, or the thread has ended.
            let _ = self.signal.try_send(());
        }
    }
}

/// Syncs the log at each signal, until the sender is dropped.
fn sync_log(log: &Path, signals: &Receiver<()>) {
    let mut opened = None;
    while signals.recv().is_ok() {
        if opened.is_none() {
            opened = OpenOptions::new().write(true).open(log).ok();
        }
        if let Some(log) = &opened {
            // Ignore the error: SQLite syncs the log again and reports errors.
            let _ = log.sync_data();
        }
    }
}

/// Returns the path of the write-ahead log of a database.
pub(super) fn wal_path(database: &Path) -> PathBuf {
    let mut log = OsString::from(database);
    log.push("-wal");
    log.into()
}
