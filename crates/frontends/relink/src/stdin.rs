//! Standard input as a document: in memory, or in a file of its own if there is
//! much of it.
//!
//! A run goes through a huge document twice, and standard input can be read
//! once; so what does not fit is put aside first. What is packed may not fit
//! once it is unpacked.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use relink_engine::Input;
use relink_files::{Bounded, MAX_DOCUMENT_BYTES};
use tempfile::{NamedTempFile, TempPath};

use crate::error::CommandError;

/// Bytes from which on it is put aside.
const MUCH: usize = 16 << 20;

/// What every gzip file begins with.
const PACKED: &[u8] = b"\x1f\x8b\x08";

/// What came in.
pub struct Stdin {
    /// It, as an input.
    pub input: Input,
    /// The file it was put aside in, which is there as long as this is.
    pub aside: Option<SpoolFile>,
}

/// A file that is gone with this, or with the program, however that ends.
#[derive(Debug)]
pub struct SpoolFile {
    /// Open, because a file without a name lasts no longer.
    _file: File,
    /// Its name where it needs one: there it stays behind if the program is
    /// killed.
    _name: Option<TempPath>,
}

impl Stdin {
    /// Reads standard input to its end.
    pub fn read() -> Result<Self, CommandError> {
        read(Bounded::new(io::stdin().lock(), MAX_DOCUMENT_BYTES)).map_err(|error| {
            CommandError::usage("cannot read standard input").cause(error.to_string())
        })
    }
}

fn read(mut stdin: impl Read) -> io::Result<Stdin> {
    let mut head = Vec::new();
    stdin.by_ref().take(MUCH as u64).read_to_end(&mut head)?;
    if head.len() < MUCH && !head.starts_with(PACKED) {
        return Ok(Stdin { input: Input::Stdin(Arc::from(head)), aside: None });
    }
    let (mut file, name) = NamedTempFile::with_prefix("relink-stdin-")?.into_parts();
    // Without its name, nothing can be left of it.
    let (path, name) = match nameless(&file) {
        Some(path) => {
            name.close()?;
            (path, None)
        }
        None => (name.to_path_buf(), Some(name)),
    };
    io::copy(&mut head.as_slice().chain(stdin), &mut file)?;
    Ok(Stdin { input: Input::Spooled(path), aside: Some(SpoolFile { _file: file, _name: name }) })
}

/// The path of an open file that holds without its name. Elsewhere, the paths
/// of open files cannot be read from the start again.
#[cfg(target_os = "linux")]
fn nameless(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    File::open(&path).is_ok().then_some(path)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_file: &File) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims that this is put aside and can be read twice.
    #[track_caller]
    fn is_put_aside(bytes: &[u8]) {
        let Stdin { input, aside } = read(bytes).unwrap();
        let Input::Spooled(path) = input else { panic!("{input:?}") };
        for _ in 0..2 {
            assert!(std::fs::read(&path).unwrap() == bytes);
        }
        drop(aside.unwrap());
    }

    #[test]
    fn a_little_is_kept_in_memory() {
        let Stdin { input, aside } = read(&b"https://a.test/\n"[..]).unwrap();
        assert_eq!(input, Input::Stdin(Arc::from(&b"https://a.test/\n"[..])));
        assert!(aside.is_none());
    }

    #[test]
    fn much_is_put_aside_whole() {
        is_put_aside(&vec![b'a'; MUCH + 5]);
    }

    #[test]
    fn what_is_packed_may_be_much() {
        is_put_aside(b"\x1f\x8b\x08 and so on");
    }
}
