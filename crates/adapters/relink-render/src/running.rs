//! The browsers that this process runs, so that every exit can end them.
//!
//! Tasks that were stopped may hold a browser until the process ends, and a
//! second Ctrl-C ends the process without dropping anything. Both would leave
//! the browser's profile behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How often a profile is removed while processes that end still write there,
/// and the pause in between.
const REMOVALS: (u32, Duration) = (100, Duration::from_millis(5));

static RUNNING: Mutex<Running> = Mutex::new(Running { is_ending: false, browsers: Vec::new() });

/// Browsers, each with the leader of its process group and its profile.
pub(crate) struct Running {
    /// Whether the process ends, so that no further browser may start.
    is_ending: bool,
    browsers: Vec<(Pid, PathBuf)>,
}

impl Running {
    /// Whether a browser may start.
    pub(crate) fn may_start(&self) -> bool {
        !self.is_ending
    }

    /// Adds a browser that was started.
    pub(crate) fn add(&mut self, leader: Pid, profile: &Path) {
        self.browsers.push((leader, profile.to_owned()));
    }

    /// Forgets a browser that was ended.
    pub(crate) fn remove(&mut self, profile: &Path) {
        self.browsers.retain(|(_, known)| known != profile);
    }
}

/// The browsers that run. While this is held, none starts and none is ended.
pub(crate) fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every browser of this process and removes its profile. No further one
/// starts. For the end of a process.
pub fn end_browsers() {
    let mut running = running();
    running.is_ending = true;
    for (leader, profile) in running.browsers.drain(..) {
        // The leader is not waited for before it is removed from the list, so
        // that its id still means this group.
        let _ = kill_process_group(leader, Signal::KILL);
        remove_profile(&profile);
    }
}

/// Removes a profile. A process that is about to end may still write there.
pub(crate) fn remove_profile(profile: &Path) {
    let (attempts, pause) = REMOVALS;
    for _ in 0..attempts {
        if fs::remove_dir_all(profile).is_ok() || !profile.exists() {
            return;
        }
        thread::sleep(pause);
    }
}
