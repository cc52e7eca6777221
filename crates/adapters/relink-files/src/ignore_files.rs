//! Guards the walk against ignore files that never end.
//!
//! The `ignore` crate opens `.gitignore` and its kin itself, without limits. A
//! walk in which one of them is not a small regular file applies none of them:
//! it finds more documents than wanted, and never fewer.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;

use crate::open::require_regular;

/// The ignore files of a directory.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// Directories with files that the kernel makes up.
const SYSTEM_DIRECTORIES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Maximum size of an ignore file.
const MAX_BYTES: u64 = 4 << 20;

/// An ignore file that is not read, and why.
pub(crate) type Refused = (PathBuf, io::Error);

/// The first unusable ignore file of a directory or of one above it.
pub(crate) fn refused_above(directory: &Path) -> Option<Refused> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    directory.ancestors().find_map(refused_in)
}

/// Skips directories with unusable ignore files, and collects those.
pub(crate) fn skip_refused(walk: &mut WalkBuilder) -> Arc<Mutex<Vec<Refused>>> {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let found = Arc::clone(&refused);
    walk.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(file) = is_directory.then(|| refused_in(entry.path())).flatten() else {
            return true;
        };
        found.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        false
    });
    refused
}

/// Walks as if there were no ignore files.
pub(crate) fn disregard(walk: &mut WalkBuilder) {
    walk.ignore(false).git_ignore(false).git_exclude(false).parents(false);
    walk.filter_entry(|_| true);
}

fn refused_in(directory: &Path) -> Option<Refused> {
    NAMES.iter().map(|name| directory.join(name)).find_map(|path| {
        let error = check(&path).err()?;
        Some((path, error))
    })
}

fn check(path: &Path) -> io::Result<()> {
    // Most directories have none of these files.
    let Ok(own) = path.symlink_metadata() else { return Ok(()) };
    let Ok(target) = path.metadata() else { return Ok(()) };
    if target.is_dir() {
        // The `ignore` crate fails to read it, and goes on.
        return Ok(());
    }
    require_regular(&target)?;
    if own.is_symlink() && path.canonicalize().is_ok_and(|path| is_system_file(&path)) {
        return Err(io::Error::other("it is a file of the system"));
    }
    if target.len() > MAX_BYTES {
        return Err(io::Error::other("it is longer than 4 MiB"));
    }
    Ok(())
}

/// Whether a path leads to what the kernel makes up. Some of these files never
/// end, and their length does not show it.
fn is_system_file(path: &Path) -> bool {
    SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory))
}
