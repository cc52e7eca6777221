//! Protects directory walks against ignore files that never end or are not regular files.
//!
//! The `ignore` crate opens `.gitignore` and similar files without limits. If one of
//! these files in a directory above the walk is not a small regular file, the walk
//! applies no ignore files at all. Then the walk finds too many documents rather than too few.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;

use crate::open::require_regular;

/// The ignore files of a directory.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// Directories with virtual files of the kernel.
const SYSTEM_DIRECTORIES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Maximum size of an ignore file.
const MAX_BYTES: u64 = 4 << 20;

/// An ignore file that is not used, and the reason.
pub(crate) type UnusableFile = (PathBuf, io::Error);

/// Returns the first unusable ignore file of a directory or its parents.
pub(crate) fn unusable_above(directory: &Path) -> Option<UnusableFile> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    directory.ancestors().find_map(unusable_in)
}

/// Makes the walk skip directories with unusable ignore files. Returns the list
/// in which these files are collected during the walk.
pub(crate) fn skip_unusable(walk: &mut WalkBuilder) -> Arc<Mutex<Vec<UnusableFile>>> {
    let unusable = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&unusable);
    walk.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(file) = is_directory.then(|| unusable_in(entry.path())).flatten() else {
            return true;
        };
        list.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        false
    });
    unusable
}

/// Disables all ignore files.
pub(crate) fn disable(walk: &mut WalkBuilder) {
    walk.ignore(false).git_ignore(false).git_exclude(false).parents(false);
    walk.filter_entry(|_| true);
}

/// Returns the first unusable ignore file of a directory.
pub(crate) fn unusable_in(directory: &Path) -> Option<UnusableFile> {
    NAMES.iter().map(|name| directory.join(name)).find_map(|path| {
        let error = check_usable(&path).err()?;
        Some((path, error))
    })
}

/// Fails if an ignore file exists and must not be read.
fn check_usable(path: &Path) -> io::Result<()> {
    // Most directories have none of these files.
    let Ok(own_metadata) = path.symlink_metadata() else { return Ok(()) };
    let Ok(target) = path.metadata() else { return Ok(()) };
    if target.is_dir() {
        // The `ignore` crate skips directories of this name.
        return Ok(());
    }
    require_regular(&target)?;
    if own_metadata.is_symlink() && path.canonicalize().is_ok_and(|path| is_system_file(&path)) {
        return Err(io::Error::other("it is a virtual file of the kernel"));
    }
    if target.len() > MAX_BYTES {
        return Err(io::Error::other("it is longer than 4 MiB"));
    }
    Ok(())
}

/// Whether a path refers to a virtual file of the kernel. Some of these files
/// never end, and their length does not show it.
fn is_system_file(path: &Path) -> bool {
    SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory))
}
