//! A directory that goes away with the measurement.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::XtaskError;

/// A directory of our own, removed at the end.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one that nobody else has.
    pub(crate) fn new() -> Result<Self, XtaskError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let name = format!("relink-bench-{}-{now}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever cleans the temporary
        // directory; a measurement is not wrong for it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
