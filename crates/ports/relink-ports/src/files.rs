//! Documents on the disk.

use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use thiserror::Error;

/// Where to look for documents and which of them to take.
#[derive(Debug, Clone, Default)]
pub struct WalkRequest {
    /// Files, directories and globs, as the user gave them.
    pub inputs: Vec<PathBuf>,
}

/// One document found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSource {
    /// The path to show, as a user would write it from where they stand. Bytes
    /// that are not UTF-8 are replaced, so that only `path` leads to the file.
    pub label: String,
    /// The path to open.
    pub path: PathBuf,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct WalkResult {
    /// The documents, each once, in a stable order.
    pub documents: Vec<DocumentSource>,
    /// Directories below the inputs that could not be looked into, and
    /// documents that are not regular files.
    pub unreadable: Vec<FileError>,
}

/// A file or directory could not be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// Nothing is there.
    #[error("no such file or directory: `{path}`")]
    Missing {
        /// What was asked for.
        path: String,
    },
    /// A pattern matches nothing.
    #[error("no file matches `{pattern}`")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A pattern is not one.
    #[error("`{pattern}` is not a valid pattern: {reason}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// What was asked for.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl FileError {
    /// The path or pattern that the error is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Missing { path } | Self::Unreadable { path, .. } => path,
            Self::NoMatch { pattern } | Self::BadPattern { pattern, .. } => pattern,
        }
    }
}

/// Finds and reads documents, and says whether a local link leads somewhere.
#[async_trait]
pub trait Files: Send + Sync {
    /// Every document the inputs stand for, each once, in a stable order.
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError>;

    /// The bytes of one regular file, such as the target of a link. Fails if
    /// it is longer than what is held in memory.
    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError>;

    /// Some bytes of one regular file: at most `length` from `start` on. Takes
    /// time by their number, not by the size of the file.
    async fn read_range(
        &self,
        path: &Path,
        start: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        let bytes = self.read(path).await?;
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(length).min(bytes.len());
        Ok(bytes.get(start..end).unwrap_or_default().to_vec())
    }

    /// The bytes of one document, piece by piece, for those who have a thread
    /// of their own to wait on. Reads regular files, and pipes that the user
    /// named.
    fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError>;

    /// Whether what lies at this path may be opened twice: a pipe gives what it
    /// holds once. For those who have a thread of their own to wait on.
    fn can_reopen(&self, _path: &Path) -> bool {
        true
    }

    /// Whether something a reader could open lies at this path.
    async fn exists(&self, path: &Path) -> bool;

    /// Whether a directory lies at this path. Who knows no directories has none.
    async fn is_dir(&self, _path: &Path) -> bool {
        false
    }

    /// The names in a directory; none if it cannot be listed.
    async fn list_dir(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
    }
}
