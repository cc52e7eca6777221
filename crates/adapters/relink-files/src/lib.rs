//! Local file system: finds and reads documents, checks whether local paths
//! exist, and commits changed files with git.
//!
//! This adapter returns paths and bytes. It does not parse documents, decode
//! percent escapes or resolve links.

mod auxiliary;
mod formats;
mod git_commit;
mod git_ignored;
mod ignore_files;
mod open;
mod pattern;
mod walk;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use relink_ports::{DirectoryEntry, FileError, Files, WalkRequest, WalkResult};

pub use formats::EXTENSIONS;
pub use git_commit::{GitFileState, GitWorkTree};
use git_ignored::GitIgnoreRules;
use open::{Allowed, MAX_WHOLE_BYTES};
pub use open::{BoundedReader, MAX_DOCUMENT_BYTES, read_to_string};

/// Number of bytes that is sufficient for most documents.
const USUAL_LENGTH: usize = 16 << 10;

/// Settings of the local file system.
#[derive(Debug, Clone, Default)]
pub struct LocalFilesSettings {
    /// The directory that relative paths start from. Empty means the current
    /// directory of the process.
    pub root: PathBuf,
    /// How a walk treats ignored files.
    pub ignored: IgnoredFiles,
    /// Whether a walk reads hidden files that are not ignored.
    pub includes_hidden: bool,
    /// Extensions of the files that a walk reads. `None` means the extensions of documents.
    pub extensions: Option<Vec<String>>,
}

/// How a walk treats hidden files, files excluded by `.gitignore` or
/// `.ignore`, test data, and copies of dependencies.
///
/// This only applies to files that a walk finds. A file, directory or pattern
/// base that the user supplies is used even if it is hidden or ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// Skips these files.
    #[default]
    Skip,
    /// Treats these files like all others.
    Include,
}

/// The local file system.
///
/// ```
/// use relink_files::{LocalFiles, LocalFilesSettings};
/// use relink_ports::{Files, WalkRequest};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let files = LocalFiles::new(LocalFilesSettings::default());
/// let request = WalkRequest { inputs: vec!["no-such-file.md".into()] };
/// let error = files.walk(&request).await.unwrap_err();
/// assert_eq!(error.to_string(), "no such file or directory: `no-such-file.md`");
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LocalFiles {
    settings: LocalFilesSettings,
    ignored: Arc<GitIgnoreRules>,
}

impl LocalFiles {
    /// Creates an adapter with these settings.
    pub fn new(settings: LocalFilesSettings) -> Self {
        Self { settings, ignored: Arc::default() }
    }

    /// Returns the path to open for a path that a caller has passed.
    fn resolve(&self, path: &Path) -> PathBuf {
        self.settings.root.join(path)
    }
}

#[async_trait]
impl Files for LocalFiles {
    async fn walk(&self, request: &WalkRequest) -> Result<WalkResult, FileError> {
        let (settings, inputs) = (self.settings.clone(), request.inputs.clone());
        let labels: Vec<_> = inputs.iter().map(|input| input.to_string_lossy()).collect();
        let label = labels.join(" ");
        run_blocking(label, move || walk::documents(&settings, &inputs)).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let label = path.to_string_lossy().into_owned();
        let path = self.resolve(path);
        run_blocking(label, move || read(&path).map_err(|source| error(&path, source))).await
    }

    fn read_blocking(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let path = self.resolve(path);
        read(&path).map_err(|source| error(&path, source))
    }

    async fn read_range(
        &self,
        path: &Path,
        start: u64,
        length: usize,
    ) -> Result<Vec<u8>, FileError> {
        let label = path.to_string_lossy().into_owned();
        let path = self.resolve(path);
        let read =
            move || open::read_range(&path, start, length).map_err(|source| error(&path, source));
        run_blocking(label, read).await
    }

    fn open(&self, path: &Path) -> Result<Box<dyn io::Read + Send>, FileError> {
        let path = self.resolve(path);
        match open::open(&path, Allowed::Documents, MAX_DOCUMENT_BYTES) {
            Ok(file) => Ok(Box::new(file)),
            Err(source) => Err(error(&path, source)),
        }
    }

    fn can_reopen(&self, path: &Path) -> bool {
        self.resolve(path).metadata().is_ok_and(|metadata| metadata.is_file())
    }

    async fn exists(&self, path: &Path) -> bool {
        let path = self.resolve(path);
        // The closure cannot panic. A join error means that the runtime is
        // shutting down, so the result is not used.
        tokio::task::spawn_blocking(move || path.metadata().is_ok()).await.unwrap_or(false)
    }

    async fn is_dir(&self, path: &Path) -> bool {
        let path = self.resolve(path);
        tokio::task::spawn_blocking(move || path.is_dir()).await.unwrap_or(false)
    }

    fn entries(&self, directory: &Path) -> Option<Vec<DirectoryEntry>> {
        entries(&self.resolve(directory))
    }

    fn is_ignored(&self, path: &Path) -> bool {
        self.ignored.is_ignored(&self.absolute(path))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let path = self.resolve(path);
        // If the current directory was deleted, paths stay relative.
        std::path::absolute(&path).unwrap_or(path)
    }

    async fn list_dir(&self, directory: &Path) -> Vec<String> {
        let directory = self.resolve(directory);
        tokio::task::spawn_blocking(move || entry_names(&directory)).await.unwrap_or_default()
    }
}

/// Reads a regular file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Most files need one read with this capacity.
    let mut bytes = Vec::with_capacity(USUAL_LENGTH);
    open::open(path, Allowed::Regular, MAX_WHOLE_BYTES)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the names in a directory, sorted. Names that are not UTF-8 are
/// skipped.
fn entry_names(directory: &Path) -> Vec<String> {
    let current = Path::new(".");
    let directory = if directory.as_os_str().is_empty() { current } else { directory };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Lists a directory. Only symbolic links need a system call for each name. Returns `None` if the
/// directory exists but cannot be read.
fn entries(directory: &Path) -> Option<Vec<DirectoryEntry>> {
    let current = Path::new(".");
    let directory = if directory.as_os_str().is_empty() { current } else { directory };
    let listing = match std::fs::read_dir(directory) {
        Ok(listing) => listing,
        Err(error) if is_missing(&error) => return Some(Vec::new()),
        Err(_) => return None,
    };
    let entries = listing.flatten().filter_map(|entry| directory_entry(&entry));
    Some(entries.collect())
}

/// Whether an error means that a directory does not exist.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Converts a directory entry. Returns `None` for a dangling link or a name that is not UTF-8.
fn directory_entry(entry: &std::fs::DirEntry) -> Option<DirectoryEntry> {
    let kind = entry.file_type().ok()?;
    let is_dir =
        if kind.is_symlink() { entry.path().metadata().ok()?.is_dir() } else { kind.is_dir() };
    Some(DirectoryEntry { name: entry.file_name().into_string().ok()?, is_dir })
}

/// Runs blocking work on a thread for blocking I/O.
async fn run_blocking<T: Send + 'static>(
    label: String,
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(FileError::Unreadable { path: label, source: io::Error::other(error) })
    })
}

/// Converts an I/O error while accessing a path.
fn error(path: &Path, source: io::Error) -> FileError {
    let path = path.to_string_lossy().into_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Missing { path },
        _ => FileError::Unreadable { path, source },
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    /// Returns an adapter for a directory with the file `docs/a b.md`.
    fn files() -> (tempfile::TempDir, LocalFiles) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("docs")).unwrap();
        std::fs::write(directory.path().join("docs/a b.md"), "[x](y)").unwrap();
        let root = directory.path().to_owned();
        let settings = LocalFilesSettings { root, ..LocalFilesSettings::default() };
        (directory, LocalFiles::new(settings))
    }

    #[tokio::test]
    async fn read_returns_the_bytes_of_a_file() {
        let (_directory, files) = files();
        let bytes = files.read(Path::new("docs/a b.md")).await.unwrap();
        assert_eq!(bytes, b"[x](y)");
    }

    #[tokio::test]
    async fn read_range_returns_only_existing_bytes() {
        let (_directory, files) = files();
        let path = Path::new("docs/a b.md");
        assert_eq!(files.read_range(path, 1, 2).await.unwrap(), b"x]");
        assert_eq!(files.read_range(path, 4, 20).await.unwrap(), b"y)");
        assert_eq!(files.read_range(path, 20, 20).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn read_distinguishes_missing_from_unreadable_files() {
        let (_directory, files) = files();
        let missing = files.read(Path::new("docs/b.md")).await.unwrap_err();
        assert!(matches!(missing, FileError::Missing { .. }), "{missing}");
        let below_a_file = files.read(Path::new("docs/a b.md/c")).await.unwrap_err();
        assert!(matches!(below_a_file, FileError::Missing { .. }), "{below_a_file}");
        let directory = files.read(Path::new("docs")).await.unwrap_err();
        assert!(matches!(directory, FileError::Unreadable { .. }), "{directory}");
        assert!(directory.source().is_some());
    }

    #[tokio::test]
    async fn exists_is_true_for_files_and_directories_only() {
        let (directory, files) = files();
        for existing in ["docs/a b.md", "docs", "docs/", ".", "docs/../docs"] {
            assert!(files.exists(Path::new(existing)).await, "{existing}");
        }
        for missing in ["docs/b.md", "docs/a%20b.md", "docs/a b.md/", "a\0b"] {
            assert!(!files.exists(Path::new(missing)).await, "{missing:?}");
        }
        assert!(files.exists(directory.path()).await);
    }

    #[tokio::test]
    async fn is_dir_and_list_dir_recognize_directories() {
        let (_directory, files) = files();
        assert!(files.is_dir(Path::new("docs")).await);
        assert!(!files.is_dir(Path::new("docs/a b.md")).await);
        assert!(!files.is_dir(Path::new("gone")).await);
        assert_eq!(files.list_dir(Path::new("docs")).await, ["a b.md"]);
        assert_eq!(files.list_dir(Path::new("")).await, ["docs"]);
        assert!(files.list_dir(Path::new("gone")).await.is_empty());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn symlink_to_device_is_an_error_with_path_and_reason() {
        let (directory, files) = files();
        std::os::unix::fs::symlink("/dev/null", directory.path().join("null.md")).unwrap();
        let read = files.read(Path::new("null.md")).await.unwrap_err();
        let Err(opened) = files.open(Path::new("null.md")) else { panic!("the device was opened") };
        for error in [read, opened] {
            assert!(error.to_string().ends_with("null.md`"), "{error}");
            let reason = error.source().unwrap().to_string();
            assert_eq!(reason, "it is a character device, not a regular file");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn dangling_symlink_does_not_exist() {
        let (directory, files) = files();
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).unwrap();
        assert!(!files.exists(Path::new("link")).await);
    }
}
