//! Standard input as a document, in memory or spooled (copied to a temporary file).
//!
//! A run reads a large document twice, but standard input can be read only once.
//! Large input is therefore spooled first. Compressed input is spooled too, because it may
//! be large after decompression.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use relink_documents::Input;
use relink_files::{BoundedReader, MAX_DOCUMENT_BYTES};
use tempfile::{NamedTempFile, TempPath};

use crate::error::CommandError;

/// Minimum size in bytes of input that is spooled.
const SPOOL_THRESHOLD: usize = 16 << 20;

/// The first bytes of every gzip file.
const GZIP_MAGIC: &[u8] = b"\x1f\x8b\x08";

/// Standard input.
pub struct Stdin {
    /// The input for the engine.
    pub input: Input,
    /// The spool file, if the input is spooled.
    pub spool_file: Option<SpoolFile>,
}

/// A temporary file that is deleted when this value is dropped or the process ends.
#[derive(Debug)]
pub struct SpoolFile {
    /// The open file. An unnamed file is deleted when it is closed.
    _file: File,
    /// The path, on systems where the file cannot be opened without a path. If the process is
    /// killed, the file remains on such systems.
    _path: Option<TempPath>,
}

impl Stdin {
    /// Reads standard input to its end.
    pub fn read() -> Result<Self, CommandError> {
        let stdin = BoundedReader::new(io::stdin().lock(), MAX_DOCUMENT_BYTES);
        read_or_spool(stdin).map_err(|error| {
            CommandError::usage("cannot read standard input").cause(error.to_string())
        })
    }
}

/// Reads the input. Spools large or compressed input.
fn read_or_spool(mut stdin: impl Read) -> io::Result<Stdin> {
    let mut head = Vec::new();
    stdin.by_ref().take(SPOOL_THRESHOLD as u64).read_to_end(&mut head)?;
    if head.len() < SPOOL_THRESHOLD && !head.starts_with(GZIP_MAGIC) {
        return Ok(Stdin { input: Input::Stdin(Arc::from(head)), spool_file: None });
    }
    let (mut file, temp_path) = NamedTempFile::with_prefix("relink-stdin-")?.into_parts();
    // If the system can open an unlinked (deleted) file, unlink the file now, so that no file
    // remains after a crash.
    let (path, temp_path) = match unlinked_path(&file) {
        Some(path) => {
            // This deletes only the directory entry. The content exists until the file is closed.
            temp_path.close()?;
            (path, None)
        }
        None => (temp_path.to_path_buf(), Some(temp_path)),
    };
    io::copy(&mut head.as_slice().chain(stdin), &mut file)?;
    Ok(Stdin {
        input: Input::Spooled(path),
        spool_file: Some(SpoolFile { _file: file, _path: temp_path }),
    })
}

/// Returns a path that opens an unlinked file again from its start. Only Linux has
/// such paths.
#[cfg(target_os = "linux")]
fn unlinked_path(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    File::open(&path).is_ok().then_some(path)
}

#[cfg(not(target_os = "linux"))]
fn unlinked_path(_file: &File) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that this input is spooled and can be read twice.
    #[track_caller]
    fn check_spooled(bytes: &[u8]) {
        let Stdin { input, spool_file } = read_or_spool(bytes).unwrap();
        let Input::Spooled(path) = input else { panic!("{input:?}") };
        for _ in 0..2 {
            assert!(std::fs::read(&path).unwrap() == bytes);
        }
        drop(spool_file.unwrap());
    }

    #[test]
    fn small_input_is_not_spooled() {
        let Stdin { input, spool_file } = read_or_spool(&b"https://a.test/\n"[..]).unwrap();
        assert_eq!(input, Input::Stdin(Arc::from(&b"https://a.test/\n"[..])));
        assert!(spool_file.is_none());
    }

    #[test]
    fn large_input_is_spooled() {
        check_spooled(&vec![b'a'; SPOOL_THRESHOLD + 5]);
    }

    #[test]
    fn compressed_input_is_spooled() {
        check_spooled(b"\x1f\x8b\x08 and so on");
    }
}
