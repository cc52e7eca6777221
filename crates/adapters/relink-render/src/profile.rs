//! A fresh place on the disk for one browser, gone after it.
//!
//! A profile whose owner was killed is removed by the shell that started the
//! browser. If that was killed, too, the next browser that starts removes it:
//! its owner holds a lock on a file in it for as long as it lives.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::running::remove_profile;

/// How the names of our places begin.
const PREFIX: &str = "relink-browser-";

/// The file that is locked.
const LOCK: &str = "relink.lock";

/// The file that the browser's complaints go to.
const COMPLAINTS: &str = "relink.stderr";

/// How old a place without an owner must be: one that was just made may not
/// have been locked yet.
const SETTLED_AGE: Duration = Duration::from_mins(1);

/// How much of the complaints is told.
const TOLD: usize = 300;

/// A directory that lasts as long as this.
pub(crate) struct BrowserProfile {
    directory: TempDir,
    // Unlocked when closed, also by the system when we are killed.
    _lock: File,
}

impl BrowserProfile {
    /// Makes one, and removes those that were left behind.
    pub fn create() -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::create(directory.path().join(LOCK))?;
        lock.try_lock()?;
        if let Some(parent) = directory.path().parent() {
            sweep(parent, SETTLED_AGE);
        }
        Ok(Self { directory, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A file for the browser's complaints.
    pub fn stderr_log(&self) -> io::Result<File> {
        File::create(self.path().join(COMPLAINTS))
    }

    /// The end of what the browser complained about.
    pub fn stderr_tail(&self) -> String {
        let said = fs::read(self.path().join(COMPLAINTS)).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let mut lines: Vec<&str> = Vec::new();
        for line in said.lines().rev().filter(|line| !line.trim().is_empty()) {
            lines.push(line.trim());
            if lines.iter().map(|it| it.len()).sum::<usize>() > TOLD {
                break;
            }
        }
        lines.reverse();
        lines.join("; ")
    }
}

impl Drop for BrowserProfile {
    fn drop(&mut self) {
        remove_profile(self.directory.path());
    }
}

/// Removes the places in `parent` whose owners are gone. What cannot be
/// removed is not ours, and stays.
fn sweep(parent: &Path, age: Duration) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let ours = |name: &str| name.starts_with(PREFIX);
    for entry in entries.flatten().filter(|it| it.file_name().to_str().is_some_and(ours)) {
        if is_abandoned(&entry.path().join(LOCK), age) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether nobody holds this lock, and nobody is about to.
fn is_abandoned(lock: &Path, age: Duration) -> bool {
    let Ok(file) = File::open(lock) else { return false };
    let made = file.metadata().and_then(|it| it.modified());
    let is_old = made.is_ok_and(|made| made.elapsed().is_ok_and(|elapsed| elapsed >= age));
    is_old && file.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_gone_after_its_owner() {
        let profile = BrowserProfile::create().unwrap();
        let path = profile.path().to_owned();
        assert!(path.is_dir());
        drop(profile);
        assert!(!path.exists());
    }

    #[test]
    fn only_what_was_left_behind_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            File::create(path.join(LOCK)).unwrap()
        };
        let held = make("relink-browser-held");
        held.lock().unwrap();
        drop(make("relink-browser-left"));
        drop(make("other-left"));
        sweep(parent.path(), SETTLED_AGE);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3, "all are young");
        sweep(parent.path(), Duration::ZERO);
        let mut names: Vec<_> =
            fs::read_dir(parent.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["other-left", "relink-browser-held"]);
    }

    #[test]
    fn the_last_words_are_told_on_one_line() {
        let profile = BrowserProfile::create().unwrap();
        fs::write(profile.path().join(COMPLAINTS), "first\n\n  second \n").unwrap();
        assert_eq!(profile.stderr_tail(), "first; second");
    }
}
