//! The local file system: documents to check, and files that links point to.

use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use thiserror::Error;

/// The inputs of a directory walk.
#[derive(Debug, Clone, Default)]
pub struct WalkRequest {
    /// Files, directories and globs, as given by the user.
    pub inputs: Vec<PathBuf>,
}

/// A document found by a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSource {
    /// The path shown to users, relative to the current directory. Invalid
    /// UTF-8 is replaced, so the file must be opened with `path`.
    pub label: String,
    /// The path to open.
    pub path: PathBuf,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct WalkResult {
    /// The documents without duplicates, in a stable order.
    pub documents: Vec<DocumentSource>,
    /// Directories below the inputs that could not be read, and documents that
    /// are not regular files.
    pub unreadable: Vec<FileError>,
    /// Number of documents that are not read because they are test data or
    /// belong to a dependency.
    pub auxiliary: u64,
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name.
    pub name: String,
    /// Whether the entry is a directory, or a symbolic link to a directory.
    pub is_dir: bool,
}

/// An error of a file, directory or glob pattern.
#[derive(Debug, Error)]
pub enum FileError {
    /// The path does not exist.
    #[error("no such file or directory: `{path}`")]
    Missing {
        /// The path.
        path: String,
    },
    /// The pattern matches no file.
    #[error("no file matches `{pattern}`")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// The pattern is invalid.
    #[error("invalid pattern: `{pattern}` ({reason})")]
    InvalidPattern {
        /// The pattern.
        pattern: String,
        /// The cause.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

impl FileError {
    /// Returns the path or pattern of the error.
    pub fn path(&self) -> &str {
        match self {
            Self::Missing { path } | Self::Unreadable { path, .. } => path,
            Self::NoMatch { pattern } | Self::InvalidPattern { pattern, .. } => pattern,
        }
    }
}

/// The local file system.
#[async_trait]
pub trait Files: Send + Sync {
    /// Finds the documents of the inputs.
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError>;

    /// Returns the revision of the document with this label, if the source of the documents
    /// has revisions, such as a wiki.
    fn revision(&self, _label: &str) -> Option<String> {
        None
    }

    /// Reads a regular file, such as the target of a link.
    ///
    /// # Errors
    ///
    /// Fails if the file exceeds the size limit for files in memory.
    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError>;

    /// Reads a regular file, such as the target of a link. Blocks the thread.
    fn read_blocking(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        self.open(path)?.read_to_end(&mut bytes).map_err(|source| {
            let path = path.to_string_lossy().into_owned();
            FileError::Unreadable { path, source }
        })?;
        Ok(bytes)
    }

    /// Reads at most `length` bytes of a regular file from `start` on.
    /// Implementations should take time proportional to `length`, not to the
    /// size of the file.
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

    /// Opens a document for streaming. The reader blocks, so the caller needs
    /// its own thread. Supports regular files and user-supplied pipes.
    fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError>;

    /// Whether the path can be opened twice. A pipe cannot. May block.
    fn can_reopen(&self, _path: &Path) -> bool {
        true
    }

    /// Whether the path exists.
    async fn exists(&self, path: &Path) -> bool;

    /// Whether the path is a directory. The default is for implementations
    /// without directories.
    async fn is_dir(&self, _path: &Path) -> bool {
        false
    }

    /// Lists a directory. Returns `None` if the directory cannot be listed, and an empty
    /// list if the directory does not exist. Excludes dangling symbolic links and names
    /// that are not UTF-8. Blocks the thread.
    fn entries(&self, _directory: &Path) -> Option<Vec<DirectoryEntry>> {
        None
    }

    /// Whether git ignores the path, which may not exist. Blocks the thread.
    fn is_ignored(&self, _path: &Path) -> bool {
        false
    }

    /// Returns the absolute path, without accessing the file.
    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    /// Returns the names in a directory; an empty list if the directory cannot be read.
    async fn list_dir(&self, _directory: &Path) -> Vec<String> {
        Vec::new()
    }
}
