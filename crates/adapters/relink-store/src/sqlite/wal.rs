//! Brings the write-ahead log to the disk beside the work.
//!
//! A checkpoint has to wait until all of the log is on the disk, and all
//! requests wait for the checkpoint. What a thread of its own has brought there
//! by then is not waited for.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Commits after which the log is worth the trouble: a few megabytes at full
/// speed.
const COMMITS: u32 = 16;

/// The thread that looks after the log. It ends with this.
pub(super) struct WalSyncer {
    bell: SyncSender<()>,
    commits: AtomicU32,
}

impl WalSyncer {
    /// Looks after the log of this database.
    pub(super) fn of(database: &Path) -> Self {
        let (bell, rung) = sync_channel(1);
        let log = log_of(database);
        // Without the thread only its gain is lost.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(move || keep(&log, &rung));
        Self { bell, commits: AtomicU32::new(0) }
    }

    /// Says that something was committed.
    pub(super) fn note_commit(&self) {
        if self.commits.fetch_add(1, Ordering::Relaxed) % COMMITS == COMMITS - 1 {
            // If it has been rung already, or if nobody listens, so be it.
            let _ = self.bell.try_send(());
        }
    }
}

fn keep(log: &Path, rung: &Receiver<()>) {
    let mut opened = None;
    while rung.recv().is_ok() {
        if opened.is_none() {
            opened = OpenOptions::new().write(true).open(log).ok();
        }
        if let Some(log) = &opened {
            // SQLite does so again before it relies on it, and tells of an error.
            let _ = log.sync_data();
        }
    }
}

pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = OsString::from(database);
    log.push("-wal");
    log.into()
}
