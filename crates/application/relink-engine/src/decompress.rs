//! Packed documents: gzip, unpacked within bounds.
//!
//! A file of a kilobyte may unpack to a gigabyte of nothing, so there is a
//! bound to what one may grow to. What came out before a bound or an error is
//! kept: half a sitemap has links, too.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

/// What every gzip file begins with.
const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// What a packed document may grow to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The most bytes.
    pub(crate) bytes: usize,
    /// The most bytes for each packed one.
    pub(crate) ratio: usize,
    /// The bytes that the ratio is not asked for.
    pub(crate) free: usize,
}

impl Default for Bounds {
    /// A gibibyte, and two hundred to one: text is packed to a twentieth at
    /// best, an endless run of one byte to a thousandth.
    fn default() -> Self {
        Self { bytes: 1 << 30, ratio: 200, free: 16 << 20 }
    }
}

/// A document was not unpacked to its end.
#[derive(Debug, Error)]
pub(crate) enum DecompressError {
    /// It is cut short or damaged.
    #[error("the gzip data ends early or is damaged ({0}); what could be unpacked is read")]
    Damaged(io::Error),
    /// It would grow past a bound.
    #[error("it unpacks to more than {0} bytes; the rest is not read")]
    TooLarge(usize),
}

/// Whether the bytes are gzip's.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The name of what is packed: `a.md` for `a.md.gz`.
pub(crate) fn inner_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((inner, extension)) if extension.eq_ignore_ascii_case("gz") => inner,
        _ => name,
    }
}

/// Unpacks piece by piece, as far as it goes.
///
/// Its errors are [`UnpackFault`]s.
pub(crate) struct Unpacking<R> {
    decoder: MultiGzDecoder<BufReader<CountingReader<R>>>,
    bounds: Bounds,
    /// Bytes that came out.
    unpacked: usize,
    /// The bound that was reached, if more came out than it allows.
    over: Option<usize>,
}

impl<R: Read> Unpacking<R> {
    pub(crate) fn new(packed: R, bounds: Bounds) -> Self {
        let packed = BufReader::with_capacity(PIECE, CountingReader { reader: packed, count: 0 });
        Self { decoder: MultiGzDecoder::new(packed), bounds, unpacked: 0, over: None }
    }

    /// What may have come out, of what went in so far.
    fn most(&self) -> usize {
        let packed = self.decoder.get_ref().get_ref().count;
        self.bounds.bytes.min(packed.saturating_mul(self.bounds.ratio).max(self.bounds.free))
    }
}

impl<R: Read> Read for Unpacking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(most) = self.over {
            return Err(io::Error::other(DecompressError::TooLarge(most)));
        }
        let read = self.decoder.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::other(DecompressError::Damaged(error)),
        })?;
        let most = self.most();
        let kept = read.min(most.saturating_sub(self.unpacked));
        self.unpacked += kept;
        // What was left out here is missing from all that would follow.
        self.over = (kept < read).then_some(most);
        if kept == 0 && read > 0 {
            return Err(io::Error::other(DecompressError::TooLarge(most)));
        }
        Ok(kept)
    }
}

/// Unpacks what is in memory, as far as it goes.
pub(crate) fn unpack(packed: &[u8], bounds: Bounds) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = Vec::new();
    let error = Unpacking::new(packed, bounds).read_to_end(&mut bytes).err();
    (bytes, error)
}

/// Packed bytes that are read at a time.
const PIECE: usize = 32 << 10;

/// Counts what is read.
struct CountingReader<R> {
    reader: R,
    count: usize,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn kind(error: Option<io::Error>) -> Option<DecompressError> {
        error?.downcast().ok()
    }

    #[test]
    fn what_was_packed_comes_out() {
        let both = [packed(b"[a](b)"), packed(b" [c](d)")].concat();
        assert!(is_packed(&both));
        let (bytes, error) = unpack(&both, Bounds::default());
        assert_eq!(bytes, b"[a](b) [c](d)");
        assert!(error.is_none());
    }

    #[test]
    fn what_came_out_before_a_fault_is_kept() {
        let lines: Vec<String> = (0..20_000).map(|n| format!("https://a.test/{n}\n")).collect();
        let text = lines.concat();
        let whole = packed(text.as_bytes());
        let (bytes, error) = unpack(&whole[..whole.len() / 2], Bounds::default());
        assert!(!bytes.is_empty() && text.as_bytes().starts_with(&bytes));
        assert!(matches!(kind(error), Some(DecompressError::Damaged(_))));
    }

    #[test]
    fn nothing_grows_past_its_bounds() {
        let bomb = packed(&vec![b'['; 1 << 20]);
        let by_ratio = Bounds { bytes: 1 << 30, ratio: 10, free: 100 };
        let (bytes, error) = unpack(&bomb, by_ratio);
        assert_eq!(bytes.len(), bomb.len() * 10);
        assert!(matches!(kind(error), Some(DecompressError::TooLarge(_))));
        let just_enough = Bounds { bytes: 1 << 20, ratio: 1 << 20, free: 0 };
        assert!(unpack(&bomb, just_enough).1.is_none());
        let by_size = Bounds { bytes: (1 << 20) - 1, ..just_enough };
        let (bytes, error) = unpack(&bomb, by_size);
        assert_eq!(bytes.len(), (1 << 20) - 1);
        assert!(matches!(kind(error), Some(DecompressError::TooLarge(_))));
    }

    #[test]
    fn the_inner_name_has_one_extension_less() {
        assert_eq!(inner_name("a/sitemap.xml.gz"), "a/sitemap.xml");
        assert_eq!(inner_name("A.MD.GZ"), "A.MD");
        assert_eq!(inner_name("a.md"), "a.md");
    }
}
