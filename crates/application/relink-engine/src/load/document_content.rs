//! A file's content: as a whole, or if it is huge, what tells it from another.
//!
//! A huge document is gone through twice, once to know whether it changed and
//! once for its links, and never held in memory. Packed files are unpacked.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_ports::{FileError, Files};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::HUGE;
use crate::decompress::{Bounds, DecompressError, Unpacking, is_packed};

/// How much of a huge document is kept, to tell its format.
const HEAD: usize = 64 << 10;

/// What a document holds.
#[derive(Debug, Clone)]
pub(super) enum DocumentContent {
    /// All its bytes.
    Whole(Arc<[u8]>),
    /// Too much to hold.
    Huge { path: PathBuf, head: Arc<[u8]>, hash: u64 },
}

impl DocumentContent {
    /// What the document begins with, to tell its format.
    pub(super) fn head(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Huge { head, .. } => head,
        }
    }

    /// What tells the content from another.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Whole(bytes) => xxh3_64(bytes),
            Self::Huge { hash, .. } => *hash,
        }
    }
}

/// Reads a file, with what kept it from being unpacked to its end. It takes
/// the thread it is called on.
pub(super) fn open(
    files: &dyn Files,
    path: &Path,
) -> Result<(DocumentContent, Option<DecompressError>), FileError> {
    let unreadable = |source| {
        let path = path.to_string_lossy().into_owned();
        FileError::Unreadable { path, source }
    };
    let mut document = stream(files, path)?;
    let mut bytes = Vec::new();
    let read = document.by_ref().take(HUGE as u64).read_to_end(&mut bytes);
    if let Err(error) = read {
        let error = unpack_error(error).map_err(unreadable)?;
        return Ok((DocumentContent::Whole(bytes.into()), Some(error)));
    }
    if bytes.len() < HUGE {
        return Ok((DocumentContent::Whole(bytes.into()), None));
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes);
    bytes.truncate(HEAD);
    let error = add_rest(&mut hash, &mut document).err().map(unpack_error);
    let error = error.transpose().map_err(unreadable)?;
    let (path, head, hash) = (path.to_owned(), bytes.into(), hash.digest());
    Ok((DocumentContent::Huge { path, head, hash }, error))
}

/// What a file begins with, unpacked; nothing if it cannot be read, which is
/// told when it is opened. It takes the thread it is called on.
pub(super) fn head(files: &dyn Files, path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(document) = stream(files, path) {
        // Half a head tells as much as there is.
        let _ = document.take(HEAD as u64).read_to_end(&mut head);
    }
    head
}

/// The bytes of a file as they come, unpacked.
pub(super) fn stream(files: &dyn Files, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
    let mut file = files.open(path)?;
    let mut head = Vec::new();
    // What is wrong with the file shows again when it is read on.
    let _ = file.by_ref().take(HEAD as u64).read_to_end(&mut head);
    let is_packed = is_packed(&head);
    let file = io::Cursor::new(head).chain(file);
    if is_packed {
        return Ok(Box::new(Unpacking::new(file, Bounds::default())));
    }
    Ok(Box::new(file))
}

fn add_rest(hash: &mut Xxh3, document: &mut dyn Read) -> io::Result<()> {
    let mut room = vec![0; HEAD];
    loop {
        match document.read(&mut room) {
            Ok(0) => return Ok(()),
            Ok(length) => hash.update(&room[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The error of unpacking that this is, or the error of reading.
fn unpack_error(error: io::Error) -> Result<DecompressError, io::Error> {
    error.downcast()
}
