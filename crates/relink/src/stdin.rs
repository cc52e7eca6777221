//! Standard input as a document: in memory, or in a file of its own if there is
//! much of it.
//!
//! A run goes through a huge document twice, and standard input can be read
//! once; so what does not fit is put aside first.

use std::io::{self, Read};
use std::sync::Arc;

use relink_engine::Input;
use tempfile::{NamedTempFile, TempPath};

use crate::failure::Failure;

/// Bytes from which on it is put aside.
const MUCH: usize = 16 << 20;

/// What came in.
pub struct Stdin {
    /// It, as an input.
    pub input: Input,
    /// The file it was put aside in, which is there as long as this is.
    pub aside: Option<TempPath>,
}

impl Stdin {
    /// Reads standard input to its end.
    pub fn read() -> Result<Self, Failure> {
        read(io::stdin().lock())
            .map_err(|fault| Failure::usage("cannot read standard input").cause(fault.to_string()))
    }
}

fn read(mut stdin: impl Read) -> io::Result<Stdin> {
    let mut head = Vec::new();
    stdin.by_ref().take(MUCH as u64).read_to_end(&mut head)?;
    if head.len() < MUCH {
        return Ok(Stdin { input: Input::Stdin(Arc::from(head)), aside: None });
    }
    let mut file = NamedTempFile::with_prefix("relink-stdin-")?;
    io::copy(&mut head.as_slice().chain(stdin), &mut file)?;
    let aside = file.into_temp_path();
    Ok(Stdin { input: Input::Spooled(aside.to_path_buf()), aside: Some(aside) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_is_kept_in_memory() {
        let Stdin { input, aside } = read(&b"https://a.test/\n"[..]).unwrap();
        assert_eq!(input, Input::Stdin(Arc::from(&b"https://a.test/\n"[..])));
        assert!(aside.is_none());
    }

    #[test]
    fn much_is_put_aside_whole_and_taken_away_again() {
        let Stdin { input, aside } = read(io::repeat(b'a').take(MUCH as u64 + 5)).unwrap();
        let aside = aside.unwrap();
        let path = aside.to_path_buf();
        assert_eq!(input, Input::Spooled(path.clone()));
        assert_eq!(path.metadata().unwrap().len(), MUCH as u64 + 5);
        drop(aside);
        assert!(!path.exists());
    }
}
