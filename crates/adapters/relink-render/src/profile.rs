//! Temporary profile directory of a browser, which contains its cookies, caches and
//! settings.
//!
//! If this process is killed, the shell that started the browser removes the
//! profile. If the shell is killed too, the profile is removed when the next
//! browser starts. A profile in use is recognized by the lock on a file in it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::browser_registry::remove_profile;

/// Prefix of the directory names.
const PREFIX: &str = "relink-browser-";

/// Name of the lock file.
const LOCK_FILE: &str = "relink.lock";

/// Name of the file for the browser's standard error.
const STDERR_FILE: &str = "relink.stderr";

/// Minimum age of an unlocked profile before it is removed. A newer profile may not be
/// locked yet.
const MIN_ABANDONED_AGE: Duration = Duration::from_mins(1);

/// Maximum length of the standard error output in messages.
const MAX_TAIL_BYTES: usize = 300;

/// A temporary profile directory. Dropping it removes the directory.
pub(crate) struct BrowserProfile {
    directory: TempDir,
    // The system releases the lock when the file is closed or the process is
    // killed.
    _lock: File,
}

impl BrowserProfile {
    /// Creates a profile and removes abandoned profiles.
    pub fn create() -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::create(directory.path().join(LOCK_FILE))?;
        lock.try_lock()?;
        if let Some(parent) = directory.path().parent() {
            remove_abandoned(parent, MIN_ABANDONED_AGE);
        }
        Ok(Self { directory, _lock: lock })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Creates a file for the browser's standard error.
    pub fn stderr_log(&self) -> io::Result<File> {
        File::create(self.path().join(STDERR_FILE))
    }

    /// Returns the end of the browser's standard error output.
    pub fn stderr_tail(&self) -> String {
        let output = fs::read(self.path().join(STDERR_FILE)).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let mut lines: Vec<&str> = Vec::new();
        for line in output.lines().rev().filter(|line| !line.trim().is_empty()) {
            lines.push(line.trim());
            if lines.iter().map(|line| line.len()).sum::<usize>() > MAX_TAIL_BYTES {
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

/// Removes the abandoned profiles in `parent`. Ignores errors, because a directory that
/// cannot be removed belongs to another user.
fn remove_abandoned(parent: &Path, age: Duration) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let is_profile = |name: &str| name.starts_with(PREFIX);
    let has_profile_name =
        |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(is_profile);
    for entry in entries.flatten().filter(has_profile_name) {
        if is_abandoned(&entry.path().join(LOCK_FILE), age) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a lock file is old enough and not locked.
fn is_abandoned(lock: &Path, age: Duration) -> bool {
    let Ok(file) = File::open(lock) else { return false };
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    let is_old =
        modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed >= age));
    is_old && file.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drop_removes_the_directory() {
        let profile = BrowserProfile::create().unwrap();
        let path = profile.path().to_owned();
        assert!(path.is_dir());
        drop(profile);
        assert!(!path.exists());
    }

    #[test]
    fn only_abandoned_profiles_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let create_directory = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            File::create(path.join(LOCK_FILE)).unwrap()
        };
        let locked = create_directory("relink-browser-locked");
        locked.lock().unwrap();
        drop(create_directory("relink-browser-abandoned"));
        drop(create_directory("other-directory"));
        remove_abandoned(parent.path(), MIN_ABANDONED_AGE);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3, "all are too new");
        remove_abandoned(parent.path(), Duration::ZERO);
        let mut names: Vec<_> =
            fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["other-directory", "relink-browser-locked"]);
    }

    #[test]
    fn stderr_tail_is_one_line() {
        let profile = BrowserProfile::create().unwrap();
        fs::write(profile.path().join(STDERR_FILE), "first\n\n  second \n").unwrap();
        assert_eq!(profile.stderr_tail(), "first; second");
    }
}
