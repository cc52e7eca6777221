//! Content of a document: in memory, or for large files a hash.
//!
//! A large document is read twice, once to detect changes and once for its
//! links, and is never held in memory. Gzip files are decompressed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_ports::{FileError, Files};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::LARGE_DOCUMENT_SIZE;
use crate::decompress::{DecompressError, DecompressLimits, GzipReader, is_gzip};

/// Bytes of a large document that are held in memory to detect its format.
const HEAD_SIZE: usize = 64 << 10;

/// Content of a document.
#[derive(Debug, Clone)]
pub(super) enum DocumentContent {
    /// All bytes.
    InMemory(Arc<[u8]>),
    /// Too large to hold in memory.
    OnDisk { path: PathBuf, head: Arc<[u8]>, hash: u64 },
}

impl DocumentContent {
    /// Returns the first bytes, to detect the format.
    pub(super) fn head(&self) -> &[u8] {
        match self {
            Self::InMemory(bytes) => bytes,
            Self::OnDisk { head, .. } => head,
        }
    }

    /// Returns the hash of the content.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::InMemory(bytes) => content_hash(bytes),
            Self::OnDisk { hash, .. } => *hash,
        }
    }
}

/// Returns the hash of the content of a document.
pub fn content_hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Reads a file. Also returns the error that ended its decompression early.
/// Blocks the thread.
pub(super) fn open(
    files: &dyn Files,
    path: &Path,
) -> Result<(DocumentContent, Option<DecompressError>), FileError> {
    let unreadable = |source| {
        let path = path.to_string_lossy().into_owned();
        FileError::Unreadable { path, source }
    };
    let (head, rest) = read_head(files, path)?;
    if head.len() < HEAD_SIZE && !is_gzip(&head) {
        return Ok((DocumentContent::InMemory(head.into()), None));
    }
    let mut document = decompressed(head, rest);
    let mut bytes = Vec::new();
    let read = document.by_ref().take(LARGE_DOCUMENT_SIZE as u64).read_to_end(&mut bytes);
    if let Err(error) = read {
        let error = decompress_error(error).map_err(unreadable)?;
        return Ok((DocumentContent::InMemory(bytes.into()), Some(error)));
    }
    if bytes.len() < LARGE_DOCUMENT_SIZE {
        return Ok((DocumentContent::InMemory(bytes.into()), None));
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes);
    bytes.truncate(HEAD_SIZE);
    let error = add_rest(&mut hash, &mut document).err().map(decompress_error);
    let error = error.transpose().map_err(unreadable)?;
    let (path, head, hash) = (path.to_owned(), bytes.into(), hash.digest());
    Ok((DocumentContent::OnDisk { path, head, hash }, error))
}

/// Returns the first bytes of a file, decompressed; empty if it cannot be read.
/// The error is reported when the file is opened. Blocks the thread.
pub(super) fn head(files: &dyn Files, path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(document) = stream(files, path) {
        // Ignore the error: use the bytes that could be read.
        let _ = document.take(HEAD_SIZE as u64).read_to_end(&mut head);
    }
    head
}

/// Opens a file as a stream, decompressed.
pub(super) fn stream(files: &dyn Files, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
    let (head, rest) = read_head(files, path)?;
    Ok(decompressed(head, rest))
}

/// Reads the first bytes of a file. A shorter result means that the file ends
/// or cannot be read further.
fn read_head(files: &dyn Files, path: &Path) -> Result<(Vec<u8>, Box<dyn Read + Send>), FileError> {
    let mut file = files.open(path)?;
    // Most documents need one read with this capacity.
    let mut head = Vec::with_capacity(HEAD_SIZE / 4);
    match file.by_ref().take(HEAD_SIZE as u64).read_to_end(&mut head) {
        Ok(_) => Ok((head, file)),
        Err(source) => {
            Err(FileError::Unreadable { path: path.to_string_lossy().into_owned(), source })
        }
    }
}

/// Returns the whole content, decompressed.
fn decompressed(head: Vec<u8>, rest: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let is_gzip_file = is_gzip(&head);
    let file = io::Cursor::new(head).chain(rest);
    if is_gzip_file {
        return Box::new(GzipReader::new(file, DecompressLimits::default()));
    }
    Box::new(file)
}

fn add_rest(hash: &mut Xxh3, document: &mut dyn Read) -> io::Result<()> {
    let mut buffer = vec![0; HEAD_SIZE];
    loop {
        match document.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the decompression error, or the I/O error.
fn decompress_error(error: io::Error) -> Result<DecompressError, io::Error> {
    error.downcast()
}
