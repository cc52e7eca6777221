//! Registry of the running browsers, used to end them on every exit path.
//!
//! Canceled tasks may hold a browser until the process ends, and a second
//! Ctrl-C ends the process without running destructors. In both cases, the
//! browser's profile would remain without the registry.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// Maximum number of attempts to remove a profile while ending processes still
/// write to it, and the pause between them.
const REMOVAL_RETRIES: (u32, Duration) = (100, Duration::from_millis(5));

/// The browsers that this process has started.
static REGISTRY: Mutex<BrowserRegistry> =
    Mutex::new(BrowserRegistry { is_ending: false, browsers: Vec::new() });

/// Running browsers, each with the leader of its process group and its profile.
pub(crate) struct BrowserRegistry {
    /// Whether the process is ending, so that no browser may start.
    is_ending: bool,
    browsers: Vec<(Pid, PathBuf)>,
}

impl BrowserRegistry {
    /// Whether a browser may start.
    pub(crate) fn may_start(&self) -> bool {
        !self.is_ending
    }

    /// Adds a browser.
    pub(crate) fn add(&mut self, leader: Pid, profile: &Path) {
        self.browsers.push((leader, profile.to_owned()));
    }

    /// Removes a browser.
    pub(crate) fn remove(&mut self, profile: &Path) {
        self.browsers.retain(|(_, path)| path != profile);
    }
}

/// Locks and returns the registry. While it is locked, no browser starts or
/// ends.
pub(crate) fn registry() -> MutexGuard<'static, BrowserRegistry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every browser of this process and removes its profile. No browser
/// starts afterwards. Must only be called when the process ends.
pub fn end_browsers() {
    let mut registry = registry();
    registry.is_ending = true;
    for (leader, profile) in registry.browsers.drain(..) {
        // A browser is removed from the list before its leader is reaped, so the id still
        // refers to this process group. (An id can be reused only after its process is
        // reaped, which means that its exit status is read.)
        let _ = kill_process_group(leader, Signal::KILL);
        remove_profile(&profile);
    }
}

/// Removes a profile. Retries while an ending process still writes to it.
pub(crate) fn remove_profile(profile: &Path) {
    let (attempts, pause) = REMOVAL_RETRIES;
    for _ in 0..attempts {
        if fs::remove_dir_all(profile).is_ok() || !profile.exists() {
            return;
        }
        thread::sleep(pause);
    }
}
