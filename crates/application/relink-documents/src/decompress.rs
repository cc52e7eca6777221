//! Decompression of gzip documents within limits.
//!
//! A file of one kilobyte may decompress to a gigabyte, so the output is
//! limited. The output before a limit or an error is used, because a truncated sitemap
//! still has links.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

/// First bytes of every gzip file.
const MAGIC: &[u8] = b"\x1f\x8b\x08";

/// Limits of the decompressed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecompressLimits {
    /// Maximum number of output bytes.
    pub max_bytes: usize,
    /// Maximum number of output bytes per compressed byte.
    pub max_ratio: usize,
    /// Number of output bytes up to which the ratio does not apply.
    pub ratio_exempt_bytes: usize,
}

impl Default for DecompressLimits {
    /// 1 GiB and a ratio of 200. Text has a ratio of at most 20, a repeated
    /// byte of about 1000.
    fn default() -> Self {
        Self { max_bytes: 1 << 30, max_ratio: 200, ratio_exempt_bytes: 16 << 20 }
    }
}

/// A document could not be decompressed completely.
#[derive(Debug, Error)]
pub enum DecompressError {
    /// The data is truncated or damaged.
    #[error("the gzip data is truncated or damaged ({0}); only the part before is read")]
    Damaged(io::Error),
    /// The output would exceed a limit.
    #[error("decompressed size exceeds {0} bytes; the rest is not read")]
    TooLarge(usize),
}

/// Whether the bytes start like a gzip file.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the name without the `.gz` extension: `a.md` for `a.md.gz`.
pub fn inner_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((inner, extension)) if extension.eq_ignore_ascii_case("gz") => inner,
        _ => name,
    }
}

/// Decompresses a gzip stream until its end, a limit or an error.
///
/// Its errors are [`DecompressError`]s.
pub struct GzipReader<R> {
    decoder: MultiGzDecoder<BufReader<CountingReader<R>>>,
    limits: DecompressLimits,
    /// Number of bytes returned so far.
    output_bytes: usize,
    /// The limit that was exceeded.
    exceeded_limit: Option<usize>,
}

impl<R: Read> GzipReader<R> {
    pub fn new(compressed: R, limits: DecompressLimits) -> Self {
        let compressed =
            BufReader::with_capacity(BUFFER_SIZE, CountingReader { reader: compressed, count: 0 });
        Self {
            decoder: MultiGzDecoder::new(compressed),
            limits,
            output_bytes: 0,
            exceeded_limit: None,
        }
    }

    /// Returns the output limit for the input read so far.
    fn output_limit(&self) -> usize {
        let compressed_bytes = self.decoder.get_ref().get_ref().count;
        let by_ratio = compressed_bytes.saturating_mul(self.limits.max_ratio);
        self.limits.max_bytes.min(by_ratio.max(self.limits.ratio_exempt_bytes))
    }
}

impl<R: Read> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(limit) = self.exceeded_limit {
            return Err(io::Error::other(DecompressError::TooLarge(limit)));
        }
        let read_bytes = self.decoder.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::other(DecompressError::Damaged(error)),
        })?;
        let limit = self.output_limit();
        let returned_bytes = read_bytes.min(limit.saturating_sub(self.output_bytes));
        self.output_bytes += returned_bytes;
        // After a limit, output is missing, so every further read fails.
        self.exceeded_limit = (returned_bytes < read_bytes).then_some(limit);
        if returned_bytes == 0 && read_bytes > 0 {
            // `Ok(0)` would mean the end of the data.
            return Err(io::Error::other(DecompressError::TooLarge(limit)));
        }
        Ok(returned_bytes)
    }
}

/// Decompresses a buffer until its end, a limit or an error.
pub fn decompress(compressed: &[u8], limits: DecompressLimits) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = Vec::new();
    let error = GzipReader::new(compressed, limits).read_to_end(&mut bytes).err();
    (bytes, error)
}

/// Number of compressed bytes read at a time.
const BUFFER_SIZE: usize = 32 << 10;

/// A reader that counts the bytes read from another one.
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

    /// Returns the bytes as one gzip member.
    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn cause(error: Option<io::Error>) -> Option<DecompressError> {
        error?.downcast().ok()
    }

    #[test]
    fn decompress_reads_all_members() {
        let both = [compressed(b"[a](b)"), compressed(b" [c](d)")].concat();
        assert!(is_gzip(&both));
        let (bytes, error) = decompress(&both, DecompressLimits::default());
        assert_eq!(bytes, b"[a](b) [c](d)");
        assert!(error.is_none());
    }

    #[test]
    fn decompress_returns_output_before_an_error() {
        let lines: Vec<String> = (0..20_000).map(|n| format!("https://a.test/{n}\n")).collect();
        let text = lines.concat();
        let whole = compressed(text.as_bytes());
        let (bytes, error) = decompress(&whole[..whole.len() / 2], DecompressLimits::default());
        assert!(!bytes.is_empty() && text.as_bytes().starts_with(&bytes));
        assert!(matches!(cause(error), Some(DecompressError::Damaged(_))));
    }

    #[test]
    fn decompress_stops_at_the_limits() {
        let bomb = compressed(&vec![b'['; 1 << 20]);
        let by_ratio =
            DecompressLimits { max_bytes: 1 << 30, max_ratio: 10, ratio_exempt_bytes: 100 };
        let (bytes, error) = decompress(&bomb, by_ratio);
        assert_eq!(bytes.len(), bomb.len() * 10);
        assert!(matches!(cause(error), Some(DecompressError::TooLarge(_))));
        let just_enough =
            DecompressLimits { max_bytes: 1 << 20, max_ratio: 1 << 20, ratio_exempt_bytes: 0 };
        let (_, error) = decompress(&bomb, just_enough);
        assert!(error.is_none());
        let by_size = DecompressLimits { max_bytes: (1 << 20) - 1, ..just_enough };
        let (bytes, error) = decompress(&bomb, by_size);
        assert_eq!(bytes.len(), (1 << 20) - 1);
        assert!(matches!(cause(error), Some(DecompressError::TooLarge(_))));
    }

    #[test]
    fn inner_name_removes_gz_extension() {
        assert_eq!(inner_name("a/sitemap.xml.gz"), "a/sitemap.xml");
        assert_eq!(inner_name("A.MD.GZ"), "A.MD");
        assert_eq!(inner_name("a.md"), "a.md");
    }
}
