//! What stands on the disk: finding documents, reading them, and whether a
//! local link leads somewhere.
//!
//! This edge returns paths and bytes. It does not look inside a document, does
//! not decode percent escapes and does not know what a link is; the engine
//! asks the page crate for that.

mod formats;
mod ignore_files;
mod open;
mod pattern;
mod walk;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use relink_ports::{FileError, Files, WalkRequest, WalkResult};

pub use formats::EXTENSIONS;
use open::{Allowed, MAX_WHOLE_BYTES};
pub use open::{Bounded, MAX_DOCUMENT_BYTES, read_to_string};

/// How the disk is looked at.
#[derive(Debug, Clone, Default)]
pub struct LocalFilesSettings {
    /// The directory that relative paths start from; the process's own if
    /// empty.
    pub root: PathBuf,
    /// What is done with files that an ignore file excludes.
    pub ignored: IgnoredFiles,
}

/// What a walk does with files that are hidden or excluded by `.gitignore` or
/// `.ignore`.
///
/// Only a walk asks: a file, directory or pattern that the user names is taken
/// even if it lies in an ignored place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// They are left out.
    #[default]
    Skip,
    /// They are taken like all others.
    Take,
}

/// The local disk.
///
/// ```
/// use relink_files::{Disk, DiskSettings};
/// use relink_ports::{Files, Walk};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let disk = Disk::new(DiskSettings::default());
/// let walk = Walk { inputs: vec!["no-such-file.md".into()] };
/// let error = disk.walk(&walk).await.unwrap_err();
/// assert_eq!(error.to_string(), "no such file or directory: `no-such-file.md`");
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LocalFiles {
    settings: LocalFilesSettings,
}

impl LocalFiles {
    /// The disk, looked at in this way.
    pub fn new(settings: LocalFilesSettings) -> Self {
        Self { settings }
    }

    /// The path to open for a path as given.
    fn resolve(&self, path: &Path) -> PathBuf {
        self.settings.root.join(path)
    }
}

#[async_trait]
impl Files for LocalFiles {
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError> {
        let (settings, inputs) = (self.settings.clone(), walk.inputs.clone());
        let labels: Vec<_> = inputs.iter().map(|input| input.to_string_lossy()).collect();
        let label = labels.join(" ");
        run_blocking(label, move || walk::documents(&settings, &inputs)).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let label = path.to_string_lossy().into_owned();
        let path = self.resolve(path);
        run_blocking(label, move || read(&path).map_err(|source| error(&path, source))).await
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
        // A panic cannot happen in a bare system call; a runtime that shuts
        // down has nobody left to ask.
        tokio::task::spawn_blocking(move || path.metadata().is_ok()).await.unwrap_or(false)
    }

    async fn is_dir(&self, path: &Path) -> bool {
        let path = self.resolve(path);
        tokio::task::spawn_blocking(move || path.is_dir()).await.unwrap_or(false)
    }

    async fn list_dir(&self, folder: &Path) -> Vec<String> {
        let folder = self.resolve(folder);
        tokio::task::spawn_blocking(move || names(&folder)).await.unwrap_or_default()
    }
}

/// The bytes of a regular file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open::open(path, Allowed::Regular, MAX_WHOLE_BYTES)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The names in a directory, sorted; names that are no text are left out.
fn names(folder: &Path) -> Vec<String> {
    let here = Path::new(".");
    let folder = if folder.as_os_str().is_empty() { here } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Runs blocking work where blocking harms nobody.
async fn run_blocking<T: Send + 'static>(
    label: String,
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(FileError::Unreadable { path: label, source: io::Error::other(error) })
    })
}

/// Says in our words what the system said about a path.
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

    fn disk() -> (tempfile::TempDir, LocalFiles) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("docs")).unwrap();
        std::fs::write(directory.path().join("docs/a b.md"), "[x](y)").unwrap();
        let root = directory.path().to_owned();
        let settings = LocalFilesSettings { root, ..LocalFilesSettings::default() };
        (directory, LocalFiles::new(settings))
    }

    #[tokio::test]
    async fn a_file_is_read_byte_for_byte() {
        let (_directory, disk) = disk();
        let bytes = disk.read(Path::new("docs/a b.md")).await.unwrap();
        assert_eq!(bytes, b"[x](y)");
    }

    #[tokio::test]
    async fn read_range_returns_the_bytes_that_are_there() {
        let (_directory, disk) = disk();
        let path = Path::new("docs/a b.md");
        assert_eq!(disk.read_range(path, 1, 2).await.unwrap(), b"x]");
        assert_eq!(disk.read_range(path, 4, 20).await.unwrap(), b"y)");
        assert_eq!(disk.read_range(path, 20, 20).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn reading_says_whether_a_file_is_missing_or_unreadable() {
        let (_directory, disk) = disk();
        let missing = disk.read(Path::new("docs/b.md")).await.unwrap_err();
        assert!(matches!(missing, FileError::Missing { .. }), "{missing}");
        let below_a_file = disk.read(Path::new("docs/a b.md/c")).await.unwrap_err();
        assert!(matches!(below_a_file, FileError::Missing { .. }), "{below_a_file}");
        let directory = disk.read(Path::new("docs")).await.unwrap_err();
        assert!(matches!(directory, FileError::Unreadable { .. }), "{directory}");
        assert!(directory.source().is_some());
    }

    #[tokio::test]
    async fn files_and_directories_exist_and_nothing_else_does() {
        let (directory, disk) = disk();
        for there in ["docs/a b.md", "docs", "docs/", ".", "docs/../docs"] {
            assert!(disk.exists(Path::new(there)).await, "{there}");
        }
        for absent in ["docs/b.md", "docs/a%20b.md", "docs/a b.md/", "a\0b"] {
            assert!(!disk.exists(Path::new(absent)).await, "{absent:?}");
        }
        assert!(disk.exists(directory.path()).await);
    }

    #[tokio::test]
    async fn a_directory_is_told_from_a_file_and_lists_its_names() {
        let (_directory, disk) = disk();
        assert!(disk.is_dir(Path::new("docs")).await);
        assert!(!disk.is_dir(Path::new("docs/a b.md")).await);
        assert!(!disk.is_dir(Path::new("gone")).await);
        assert_eq!(disk.list_dir(Path::new("docs")).await, ["a b.md"]);
        assert_eq!(disk.list_dir(Path::new("")).await, ["docs"]);
        assert!(disk.list_dir(Path::new("gone")).await.is_empty());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn read_and_open_symlink_to_device_name_path_and_reason() {
        let (directory, disk) = disk();
        std::os::unix::fs::symlink("/dev/null", directory.path().join("null.md")).unwrap();
        let read = disk.read(Path::new("null.md")).await.unwrap_err();
        let Err(opened) = disk.open(Path::new("null.md")) else { panic!("it is opened") };
        for error in [read, opened] {
            assert!(error.to_string().ends_with("null.md`"), "{error}");
            let reason = error.source().unwrap().to_string();
            assert_eq!(reason, "it is a character device, not a regular file");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_dangling_symbolic_link_leads_nowhere() {
        let (directory, disk) = disk();
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).unwrap();
        assert!(!disk.exists(Path::new("link")).await);
    }
}
