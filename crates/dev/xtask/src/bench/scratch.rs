//! A temporary directory, removed when it is dropped.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::XtaskError;

/// A temporary directory, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates a new directory.
    pub(crate) fn new() -> Result<Self, XtaskError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let name = format!("relink-bench-{}-{now}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok(Self(path))
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Ignore the error: a leftover directory does not affect the result.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
