//! Opens files for reading. Every read of a local path goes through here.
//!
//! A path may lead anywhere: git stores symbolic links, and one to a device, a
//! FIFO or a file of `/proc` never ends or never answers. So only regular files
//! are read, up to a size limit. The type is checked before opening, because
//! opening a device can have effects, and again on the open handle, because
//! the path may have changed in between.
//!
//! A user may name a pipe, such as a process substitution. Such a path is read
//! only where [`Allowed::Documents`] says so.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek as _};
use std::path::Path;

/// Maximum size of a document that is read piece by piece.
pub const MAX_DOCUMENT_BYTES: u64 = 4 << 30;

/// Maximum size of a file that is held in memory as a whole.
pub(crate) const MAX_WHOLE_BYTES: u64 = 64 << 20;

/// Bytes by which a file may grow while it is read. Files of `/proc` have a
/// length of zero, and some of them never end.
const MAX_GROWTH_BYTES: u64 = 64 << 20;

/// Maximum number of bytes read from a character device, such as a terminal.
const MAX_DEVICE_BYTES: u64 = 64 << 20;

/// Directories of the system's own special files. A path that begins with one
/// was written by the user, and no file of a project lies there.
const SYSTEM_DIRECTORIES: [&str; 2] = ["/dev", "/proc"];

/// Which kinds of files may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Regular files.
    Regular,
    /// Regular files, and pipes and terminals that the user named.
    Documents,
}

/// Opens a file for reading at most `limit` bytes.
pub(crate) fn open(path: &Path, allowed: Allowed, limit: u64) -> io::Result<Bounded<File>> {
    let is_stream = allowed == Allowed::Documents && is_named_stream(path);
    if !is_stream {
        require_regular(&path.metadata()?)?;
    }
    let file = options(is_stream).open(path)?;
    let metadata = file.metadata()?;
    if !is_stream {
        require_regular(&metadata)?;
        require_size(&metadata, limit)?;
    }
    Ok(Bounded::new(file, read_limit(&metadata, limit)))
}

/// Reads at most `length` bytes of a regular file, from `start` on.
pub(crate) fn read_range(path: &Path, start: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut file = open(path, Allowed::Regular, MAX_DOCUMENT_BYTES)?.reader;
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text file that the user named, or a configuration file.
///
/// # Errors
///
/// If the path does not lead to a regular file, except for a pipe that the user
/// named; if the file is too large; if it is not UTF-8; if the system refuses.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path, Allowed::Documents, MAX_DOCUMENT_BYTES)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Whether the path itself is a pipe, or a system path of a pipe or terminal.
/// A symbolic link elsewhere does not count: it may come with a project.
fn is_named_stream(path: &Path) -> bool {
    let is_system = SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    let metadata = if is_system { path.metadata() } else { path.symlink_metadata() };
    metadata.is_ok_and(|metadata| match Kind::of(&metadata) {
        Kind::Pipe => true,
        Kind::CharacterDevice => is_system,
        _ => false,
    })
}

#[cfg(unix)]
fn options(is_stream: bool) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    // Without NONBLOCK, opening a pipe that replaced the file would wait for a
    // writer. A stream that the user named is waited for.
    let flags = if is_stream { OFlags::NOCTTY } else { OFlags::NOCTTY | OFlags::NONBLOCK };
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    options
}

#[cfg(not(unix))]
fn options(_is_stream: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

/// Fails unless this is a regular file.
pub(crate) fn require_regular(metadata: &Metadata) -> io::Result<()> {
    match Kind::of(metadata) {
        Kind::Regular => Ok(()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, NotRegularError { kind })),
    }
}

fn require_size(metadata: &Metadata, limit: u64) -> io::Result<()> {
    if metadata.len() > limit { Err(too_long(limit)) } else { Ok(()) }
}

/// The number of bytes after which a read fails.
fn read_limit(metadata: &Metadata, limit: u64) -> u64 {
    match Kind::of(metadata) {
        Kind::Regular => limit.min(metadata.len().saturating_add(MAX_GROWTH_BYTES)),
        Kind::CharacterDevice => limit.min(MAX_DEVICE_BYTES),
        _ => limit,
    }
}

/// A reader that fails after a number of bytes.
#[derive(Debug)]
pub struct Bounded<R> {
    reader: R,
    limit: u64,
    remaining: u64,
}

impl<R> Bounded<R> {
    /// Limits `reader` to `limit` bytes.
    pub fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, remaining: limit }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.remaining == 0 {
            // Exactly `limit` bytes are not too many: only a further byte is.
            return match self.reader.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(too_long(self.limit)),
            };
        }
        let room = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(buffer.len());
        let length = self.reader.read(buffer.get_mut(..room).unwrap_or_default())?;
        self.remaining = self.remaining.saturating_sub(length as u64);
        Ok(length)
    }
}

fn too_long(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, TooLongError { limit })
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Regular,
    Directory,
    Pipe,
    Socket,
    CharacterDevice,
    BlockDevice,
    Other,
}

impl Kind {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
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
    fn of(metadata: &Metadata) -> Self {
        match () {
            () if metadata.is_file() => Self::Regular,
            () if metadata.is_dir() => Self::Directory,
            () => Self::Other,
        }
    }
}

impl fmt::Display for Kind {
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

/// The path leads to something other than a regular file.
#[derive(Debug)]
struct NotRegularError {
    kind: Kind,
}

impl fmt::Display for NotRegularError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is {}, not a regular file", self.kind)
    }
}

impl std::error::Error for NotRegularError {}

/// The file is longer than the limit.
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
