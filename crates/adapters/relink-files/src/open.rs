//! Opens files for reading. All reads of local paths go through here.
//!
//! A path may refer to anything. For example, git stores symbolic links, and a link may
//! lead to a device, a FIFO or a file of `/proc`. Reading such a file may never
//! end. Therefore only regular files are read, up to a size limit. The type is checked
//! twice: before opening, because opening a device can have side effects, and on the open
//! handle, because the path may have changed meanwhile.
//!
//! A user may supply a pipe, such as a process substitution. Pipes are read
//! only with [`Allowed::Documents`].

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek as _};
use std::path::Path;

/// Maximum size of a document that is read in parts, and of a file that the user supplied.
pub const MAX_DOCUMENT_BYTES: u64 = 4 << 30;

/// Maximum size of a file that is read into memory as a whole.
pub(crate) const MAX_WHOLE_BYTES: u64 = 64 << 20;

/// Number of bytes by which a file may grow while it is read. Files of `/proc`
/// have a length of zero, and some of them never end.
const MAX_GROWTH_BYTES: u64 = 64 << 20;

/// Maximum number of bytes read from a character device, such as a terminal.
const MAX_DEVICE_BYTES: u64 = 64 << 20;

/// Directories of special files of the system. A path that starts with such a directory was
/// supplied by the user, because files of projects are not there.
const SYSTEM_DIRECTORIES: [&str; 2] = ["/dev", "/proc"];

/// The file types that may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Regular files.
    Regular,
    /// Regular files, and pipes and terminals that the user supplied.
    Documents,
}

/// Opens a file for reading at most `limit` bytes.
pub(crate) fn open(path: &Path, allowed: Allowed, limit: u64) -> io::Result<BoundedReader<File>> {
    let own_metadata = path.symlink_metadata()?;
    let is_stream = allowed == Allowed::Documents && is_user_stream(path, &own_metadata);
    // For a symbolic link, the type of its target is needed.
    if !is_stream && !own_metadata.is_file() {
        require_regular(&path.metadata()?)?;
    }
    let file = open_options(is_stream).open(path)?;
    let metadata = file.metadata()?;
    if !is_stream {
        require_regular(&metadata)?;
        require_size(&metadata, limit)?;
    }
    Ok(BoundedReader::new(file, read_limit(&metadata, limit)))
}

/// Reads at most `length` bytes of a regular file, starting at `start`.
pub(crate) fn read_range(path: &Path, start: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut file = open(path, Allowed::Regular, MAX_DOCUMENT_BYTES)?.reader;
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text file that the user supplied, or a configuration file.
///
/// # Errors
///
/// Fails if the path is not a regular file or a pipe supplied by the user, if
/// the file is too large or not UTF-8, or if it cannot be read.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path, Allowed::Documents, MAX_DOCUMENT_BYTES)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Whether the path is a pipe, or a path below [`SYSTEM_DIRECTORIES`] that leads to a pipe or
/// terminal. A symbolic link in another directory does not count, because it may be part of a
/// project.
fn is_user_stream(path: &Path, own_metadata: &Metadata) -> bool {
    let is_system = SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    let target = if is_system { path.metadata().ok() } else { None };
    match FileKind::from_metadata(target.as_ref().unwrap_or(own_metadata)) {
        FileKind::Pipe => true,
        FileKind::CharacterDevice => is_system,
        _ => false,
    }
}

/// Returns the options with which a file is opened.
#[cfg(unix)]
fn open_options(is_stream: bool) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    // Without NONBLOCK, opening a pipe that has replaced the file would wait
    // for a writer. For a stream that the user supplied, the wait is intended.
    let flags = if is_stream { OFlags::NOCTTY } else { OFlags::NOCTTY | OFlags::NONBLOCK };
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    options
}

#[cfg(not(unix))]
fn open_options(_is_stream: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

/// Fails unless this is a regular file.
pub(crate) fn require_regular(metadata: &Metadata) -> io::Result<()> {
    match FileKind::from_metadata(metadata) {
        FileKind::Regular => Ok(()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, NotRegularError { kind })),
    }
}

/// Fails if the file is larger than the limit.
fn require_size(metadata: &Metadata, limit: u64) -> io::Result<()> {
    if metadata.len() > limit { Err(too_long(limit)) } else { Ok(()) }
}

/// Returns the number of bytes after which a read fails.
fn read_limit(metadata: &Metadata, limit: u64) -> u64 {
    match FileKind::from_metadata(metadata) {
        FileKind::Regular => limit.min(metadata.len().saturating_add(MAX_GROWTH_BYTES)),
        FileKind::CharacterDevice => limit.min(MAX_DEVICE_BYTES),
        _ => limit,
    }
}

/// A reader that fails after a number of bytes.
#[derive(Debug)]
pub struct BoundedReader<R> {
    reader: R,
    limit: u64,
    remaining: u64,
}

impl<R> BoundedReader<R> {
    /// Limits `reader` to `limit` bytes.
    pub fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, remaining: limit }
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.remaining == 0 {
            // Exactly `limit` bytes are allowed, so check whether another byte follows.
            return match self.reader.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(too_long(self.limit)),
            };
        }
        let max_length = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(buffer.len());
        let length = self.reader.read(buffer.get_mut(..max_length).unwrap_or_default())?;
        self.remaining = self.remaining.saturating_sub(length as u64);
        Ok(length)
    }
}

fn too_long(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, TooLongError { limit })
}

/// File type of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Regular,
    Directory,
    Pipe,
    Socket,
    CharacterDevice,
    BlockDevice,
    Other,
}

impl FileKind {
    /// Returns the type of a file.
    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::FileTypeExt as _;

        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => Self::Regular,
            () if kind.is_dir() => Self::Directory,
            () if kind.is_fifo() => Self::Pipe,
            () if kind.is_socket() => Self::Socket,
            () if kind.is_char_device() => Self::CharacterDevice,
            () if kind.is_block_device() => Self::BlockDevice,
            () => Self::Other,
        }
    }

    #[cfg(not(unix))]
    fn from_metadata(metadata: &Metadata) -> Self {
        match () {
            () if metadata.is_file() => Self::Regular,
            () if metadata.is_dir() => Self::Directory,
            () => Self::Other,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regular => "a regular file",
            Self::Directory => "a directory",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::CharacterDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Other => "a special file",
        })
    }
}

/// Error for paths that are not regular files.
#[derive(Debug)]
struct NotRegularError {
    kind: FileKind,
}

impl fmt::Display for NotRegularError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is {}, not a regular file", self.kind)
    }
}

impl std::error::Error for NotRegularError {}

/// Error for files that exceed the size limit.
#[derive(Debug)]
struct TooLongError {
    limit: u64,
}

impl fmt::Display for TooLongError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.limit >> 30, self.limit >> 20) {
            (0, 0) => write!(f, "it is longer than {} bytes", self.limit),
            (0, mebibytes) => write!(f, "it is longer than {mebibytes} MiB"),
            (gibibytes, _) => write!(f, "it is longer than {gibibytes} GiB"),
        }
    }
}

impl std::error::Error for TooLongError {}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
