//! Writes a repaired file atomically.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Returns the path to write, without symbolic links. The error is the reason why the file
/// is not writable.
pub fn writable_path(document: &Path) -> Result<PathBuf, String> {
    let path = document.canonicalize().map_err(|error| error.to_string())?;
    let metadata = fs::metadata(&path).map_err(|error| error.to_string())?;
    if metadata.permissions().readonly() {
        return Err("the file is read-only".to_owned());
    }
    Ok(path)
}

/// Creates a file atomically. Fails if the file exists.
pub fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(content)?;
    set_default_mode(file.as_file())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map(|_| ()).map_err(|error| error.error)
}

/// Makes a temporary file readable for others, as new files are.
#[cfg(unix)]
fn set_default_mode(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_default_mode(_: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Replaces a file atomically, if it still has the old content. Preserves the mode of the
/// file.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(parent)?;
    file.write_all(new)?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.as_file().sync_all()?;
    if fs::read(path)? != old {
        return Err(io::Error::other("the document has changed since it was checked"));
    }
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}
