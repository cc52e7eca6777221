//! Decodes content codings (compressed bodies) within limits.
//!
//! The caller has limited the size of the encoded body. This module limits the decoded
//! size. Damaged data is not an error: the decoded part is returned and marked as
//! truncated.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

/// Maximum ratio of decoded to encoded size. The limit stops bombs, which are small bodies with
/// a huge decoded size. The ratio of HTML is 5 to 20. The maximum ratio of gzip is 1030.
const MAX_RATIO: usize = 200;

/// Output size below which the ratio is not checked.
const RATIO_EXEMPT_BYTES: usize = 64 * 1024;

/// Maximum zstd window size (RFC 9659 limits it to 8 MiB for HTTP).
const MAX_ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// Maximum number of nested codings.
const MAX_CODINGS: usize = 2;

/// Size of brotli's input buffer.
const BROTLI_BUFFER: usize = 4096;

/// One content coding (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Parses a `Content-Encoding` value into codings, in the order applied.
///
/// Unknown values are skipped, as in browsers, because some servers send `utf-8`, `none` or
/// `identity`.
pub(crate) fn codings(header: &str) -> Vec<Coding> {
    let coding = |name: &str| match name.trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Some(Coding::Gzip),
        "deflate" => Some(Coding::Deflate),
        "br" => Some(Coding::Brotli),
        "zstd" => Some(Coding::Zstd),
        _ => None,
    };
    header.split(',').filter_map(coding).collect()
}

/// The bytes of a body, which may be incomplete.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyBytes {
    pub bytes: Vec<u8>,
    pub is_truncated: bool,
}

/// Decodes `codings`, last first, to at most `limit` bytes.
pub(crate) fn decode(codings: &[Coding], encoded: BodyBytes, limit: usize) -> BodyBytes {
    if codings.len() > MAX_CODINGS {
        return BodyBytes { bytes: Vec::new(), is_truncated: true };
    }
    codings.iter().rev().fold(encoded, |layer, coding| {
        let is_truncated = layer.is_truncated;
        let inner = decode_one(*coding, &layer.bytes, limit);
        BodyBytes { is_truncated: is_truncated || inner.is_truncated, ..inner }
    })
}

/// Decodes one coding.
fn decode_one(coding: Coding, encoded: &[u8], limit: usize) -> BodyBytes {
    let ratio_limit = RATIO_EXEMPT_BYTES.max(encoded.len().saturating_mul(MAX_RATIO));
    let limit = limit.min(ratio_limit);
    match coding {
        _ if encoded.is_empty() => BodyBytes::default(),
        Coding::Gzip => expand(GzDecoder::new(encoded), limit),
        Coding::Deflate if is_zlib(encoded) => expand(ZlibDecoder::new(encoded), limit),
        // Some servers omit the zlib header.
        Coding::Deflate => expand(DeflateDecoder::new(encoded), limit),
        // The window is at most 16 MiB, because large windows are disabled by default.
        Coding::Brotli => {
            let reader = brotli_decompressor::Decompressor::new(encoded, BROTLI_BUFFER);
            expand(reader, limit)
        }
        Coding::Zstd => {
            match StreamingDecoder::new_with_max_window_size(encoded, MAX_ZSTD_WINDOW) {
                Ok(reader) => expand(reader, limit),
                Err(_) => BodyBytes { bytes: Vec::new(), is_truncated: true },
            }
        }
    }
}

/// Whether the bytes start with a zlib header (RFC 1950, section 2.2).
fn is_zlib(encoded: &[u8]) -> bool {
    match encoded {
        [method, flags, ..] => {
            method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
        }
        _ => false,
    }
}

/// Reads at most `limit` bytes from a decoder.
fn expand(reader: impl Read, limit: usize) -> BodyBytes {
    let mut bytes = Vec::new();
    // One additional byte shows whether the output exceeds the limit.
    let read_limit = limit as u64 + 1;
    // On an error, `bytes` contains the part that was decoded before.
    let result = reader.take(read_limit).read_to_end(&mut bytes);
    let is_truncated = result.is_err() || bytes.len() > limit;
    bytes.truncate(limit);
    BodyBytes { bytes, is_truncated }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const LIMIT: usize = 512 * 1024;
    const TEXT: &[u8] = b"a page, a page, a page and another page";

    /// One mebibyte of zeros, compressed with brotli.
    const BROTLI_BOMB: [u8; 14] =
        [0x5b, 0xff, 0xff, 0x8f, 0x7f, 0x02, 0x20, 0x1e, 0x0b, 0x04, 0x72, 0xef, 0x1f, 0x00];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    /// A zstd frame of `blocks` run-length blocks of 128 KiB of zeros in 4
    /// bytes each (RFC 8878, section 3.1.1), with this window descriptor.
    fn zstd_bomb(blocks: usize, window: u8) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, window];
        for number in 1..=blocks {
            let is_last = u32::from(number == blocks);
            let header = (128 * 1024) << 3 | 1 << 1 | is_last;
            frame.extend(&u32::to_le_bytes(header)[..3]);
            frame.push(0);
        }
        frame
    }

    /// A brotli stream of one uncompressed meta-block (RFC 7932, section 9.2).
    fn brotli(bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len() - 1).unwrap();
        // One bit for window size 16, not last, 4 nibbles of length,
        // uncompressed.
        let header = length << 4 | 1 << 20;
        let mut stream = header.to_le_bytes()[..3].to_vec();
        stream.extend(bytes);
        stream.push(0b11);
        stream
    }

    /// Checks that a body with this `Content-Encoding` is decoded completely.
    #[track_caller]
    fn check(header: &str, sent: Vec<u8>, expect: &[u8]) {
        let read = BodyBytes { bytes: sent, is_truncated: false };
        let decoded = decode(&codings(header), read, LIMIT);
        assert_eq!(decoded.bytes, expect);
        assert!(!decoded.is_truncated);
    }

    /// Checks that decoding stops after `expect` bytes.
    #[track_caller]
    fn check_truncated(header: &str, sent: Vec<u8>, expect: usize) {
        let read = BodyBytes { bytes: sent, is_truncated: false };
        let decoded = decode(&codings(header), read, LIMIT);
        assert_eq!(decoded.bytes.len(), expect);
        assert!(decoded.is_truncated);
    }

    #[test]
    fn decode_supports_each_coding() {
        check("gzip", gzip(TEXT), TEXT);
        check("X-GZIP", gzip(TEXT), TEXT);
        check("deflate", zlib(TEXT), TEXT);
        check("deflate", deflate(TEXT), TEXT);
        check("br", brotli(TEXT), TEXT);
        check("zstd", zstd(TEXT), TEXT);
        check("zstd, gzip", gzip(&zstd(TEXT)), TEXT);
    }

    #[test]
    fn unknown_codings_and_empty_bodies_are_ignored() {
        check("", TEXT.to_vec(), TEXT);
        check("identity", TEXT.to_vec(), TEXT);
        check("utf-8", TEXT.to_vec(), TEXT);
        check("gzip", Vec::new(), b"");
    }

    #[test]
    fn bombs_stop_at_the_size_limit() {
        check_truncated("gzip", gzip(&vec![0; 4 << 20]), LIMIT);
        check_truncated("deflate", zlib(&vec![0; 4 << 20]), LIMIT);
        check_truncated("zstd", zstd_bomb(8192, 0x38), LIMIT);
        check_truncated("gzip, gzip", gzip(&gzip(&vec![0; 4 << 20])), LIMIT);
    }

    #[test]
    fn bombs_below_the_size_limit_stop_at_the_ratio() {
        let sent = gzip(&vec![0; 400 * 1024]);
        let limit = sent.len() * MAX_RATIO;
        assert!((RATIO_EXEMPT_BYTES..400 * 1024).contains(&limit));
        check_truncated("gzip", sent, limit);
        check_truncated("zstd", zstd_bomb(3, 0x38), RATIO_EXEMPT_BYTES);
        check_truncated("br", BROTLI_BOMB.to_vec(), RATIO_EXEMPT_BYTES);
    }

    #[test]
    fn zstd_windows_above_8_mib_are_rejected() {
        // Exponent 13 is 8 MiB, exponent 14 is 16 MiB (RFC 8878, section
        // 3.1.1.1.2).
        let largest = zstd_bomb(1, 13 << 3);
        let decoded = decode_one(Coding::Zstd, &largest, LIMIT);
        assert_eq!(decoded.bytes.len(), RATIO_EXEMPT_BYTES);
        check_truncated("zstd", zstd_bomb(1, 14 << 3), 0);
    }

    #[test]
    fn more_than_two_codings_are_not_decoded() {
        check_truncated("gzip, gzip, gzip", gzip(&gzip(&gzip(TEXT))), 0);
    }

    #[test]
    fn bytes_before_the_damage_are_decoded() {
        let long: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let mut sent = gzip(&long);
        sent.truncate(sent.len() / 2);
        let decoded = decode_one(Coding::Gzip, &sent, LIMIT);
        assert!(decoded.is_truncated);
        assert!(decoded.bytes.len() > 10_000);
        assert!(long.starts_with(&decoded.bytes));
    }

    #[test]
    fn invalid_data_is_marked_as_truncated() {
        for header in ["gzip", "deflate", "br", "zstd"] {
            let read = BodyBytes { bytes: vec![0xff; 100], is_truncated: false };
            assert!(decode(&codings(header), read, LIMIT).is_truncated, "{header}");
        }
    }
}
