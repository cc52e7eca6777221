//! Undoes content codings, within bounds.
//!
//! Works on bytes already read and capped; what it makes of them is capped
//! again. Damaged data is no error: what could be decoded is kept, and said to
//! be cut.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

/// Expanding beyond this many times the size sent is not for readers. Plain
/// HTML reaches 5 to 20; the largest gzip can do is 1030.
const RATIO_CAP: usize = 200;

/// The ratio is not looked at below this size.
const RATIO_FREE: usize = 64 * 1024;

/// The largest zstd window taken (RFC 9659 makes 8 MiB the most for HTTP).
const ZSTD_WINDOW_CAP: u64 = 8 * 1024 * 1024;

/// How many codings may lie over each other.
const NESTING_CAP: usize = 2;

/// The buffer between brotli and its input.
const BROTLI_BUFFER: usize = 4096;

/// One content coding (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings a `Content-Encoding` value names, in the order applied.
///
/// Words that are no coding are skipped: servers write `utf-8`, `none` and
/// `identity` there, and browsers do the same.
pub(crate) fn codings(header: &str) -> Vec<Coding> {
    let coding = |word: &str| match word.trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Some(Coding::Gzip),
        "deflate" => Some(Coding::Deflate),
        "br" => Some(Coding::Brotli),
        "zstd" => Some(Coding::Zstd),
        _ => None,
    };
    header.split(',').filter_map(coding).collect()
}

/// Bytes, and whether some are missing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub bytes: Vec<u8>,
    pub is_truncated: bool,
}

/// Undoes `codings`, last first, making at most `cap` bytes.
pub(crate) fn decode(codings: &[Coding], read: Decoded, cap: usize) -> Decoded {
    if codings.len() > NESTING_CAP {
        return Decoded { bytes: Vec::new(), is_truncated: true };
    }
    codings.iter().rev().fold(read, |layer, coding| {
        let is_cut = layer.is_truncated;
        let inner = undo(*coding, &layer.bytes, cap);
        Decoded { is_truncated: is_cut || inner.is_truncated, ..inner }
    })
}

fn undo(coding: Coding, sent: &[u8], cap: usize) -> Decoded {
    let allowance = cap.min(RATIO_FREE.max(sent.len().saturating_mul(RATIO_CAP)));
    match coding {
        _ if sent.is_empty() => Decoded::default(),
        Coding::Gzip => expand(GzDecoder::new(sent), allowance),
        Coding::Deflate if is_zlib(sent) => expand(ZlibDecoder::new(sent), allowance),
        // Some servers leave out the wrapping the name promises.
        Coding::Deflate => expand(DeflateDecoder::new(sent), allowance),
        // The window is at most 16 MiB: large windows are refused by default.
        Coding::Brotli => {
            let reader = brotli_decompressor::Decompressor::new(sent, BROTLI_BUFFER);
            expand(reader, allowance)
        }
        Coding::Zstd => match StreamingDecoder::new_with_max_window_size(sent, ZSTD_WINDOW_CAP) {
            Ok(reader) => expand(reader, allowance),
            Err(_) => Decoded { bytes: Vec::new(), is_truncated: true },
        },
    }
}

/// Whether the bytes begin like zlib (RFC 1950, section 2.2).
fn is_zlib(sent: &[u8]) -> bool {
    match sent {
        [method, flags, ..] => {
            method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
        }
        _ => false,
    }
}

fn expand(reader: impl Read, allowance: usize) -> Decoded {
    let mut bytes = Vec::new();
    let more_than_allowed = allowance as u64 + 1;
    // On an error, `read_to_end` leaves what came before it.
    let outcome = reader.take(more_than_allowed).read_to_end(&mut bytes);
    let is_cut = outcome.is_err() || bytes.len() > allowance;
    bytes.truncate(allowance);
    Decoded { bytes, is_truncated: is_cut }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const CAP: usize = 512 * 1024;
    const TEXT: &[u8] = b"a page, a page, a page and another page";

    /// One mebibyte of zeros, as brotli packs it.
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

    /// A zstd frame of `blocks` times 128 KiB of zeros in 4 bytes each
    /// (RFC 8878, section 3.1.1: repeating blocks), with the window given.
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

    /// A brotli stream of one uncompressed piece (RFC 7932, section 9.2).
    fn brotli(bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len() - 1).unwrap();
        // One bit window 16, not last, 4 nibbles of length, then stored.
        let header = length << 4 | 1 << 20;
        let mut stream = header.to_le_bytes()[..3].to_vec();
        stream.extend(bytes);
        stream.push(0b11);
        stream
    }

    #[track_caller]
    fn check(header: &str, sent: Vec<u8>, expect: &[u8]) {
        let read = Decoded { bytes: sent, is_truncated: false };
        let decoded = decode(&codings(header), read, CAP);
        assert_eq!(decoded.bytes, expect);
        assert!(!decoded.is_truncated);
    }

    #[track_caller]
    fn check_cut(header: &str, sent: Vec<u8>, expect: usize) {
        let read = Decoded { bytes: sent, is_truncated: false };
        let decoded = decode(&codings(header), read, CAP);
        assert_eq!(decoded.bytes.len(), expect);
        assert!(decoded.is_truncated);
    }

    #[test]
    fn each_coding_is_undone() {
        check("gzip", gzip(TEXT), TEXT);
        check("X-GZIP", gzip(TEXT), TEXT);
        check("deflate", zlib(TEXT), TEXT);
        check("deflate", deflate(TEXT), TEXT);
        check("br", brotli(TEXT), TEXT);
        check("zstd", zstd(TEXT), TEXT);
        check("zstd, gzip", gzip(&zstd(TEXT)), TEXT);
    }

    #[test]
    fn words_that_are_no_coding_change_nothing() {
        check("", TEXT.to_vec(), TEXT);
        check("identity", TEXT.to_vec(), TEXT);
        check("utf-8", TEXT.to_vec(), TEXT);
        check("gzip", Vec::new(), b"");
    }

    #[test]
    fn bombs_stop_at_the_cap() {
        check_cut("gzip", gzip(&vec![0; 4 << 20]), CAP);
        check_cut("deflate", zlib(&vec![0; 4 << 20]), CAP);
        check_cut("zstd", zstd_bomb(8192, 0x38), CAP);
        check_cut("gzip, gzip", gzip(&gzip(&vec![0; 4 << 20])), CAP);
    }

    #[test]
    fn bombs_within_the_cap_stop_at_the_ratio() {
        let sent = gzip(&vec![0; 400 * 1024]);
        let allowance = sent.len() * RATIO_CAP;
        assert!((RATIO_FREE..400 * 1024).contains(&allowance));
        check_cut("gzip", sent, allowance);
        check_cut("zstd", zstd_bomb(3, 0x38), RATIO_FREE);
        check_cut("br", BROTLI_BOMB.to_vec(), RATIO_FREE);
    }

    #[test]
    fn zstd_windows_past_eight_mebibytes_are_refused() {
        // Exponent 13 over 1 KiB is 8 MiB, 14 is 16 MiB (RFC 8878, 3.1.1.1.2).
        let largest = zstd_bomb(1, 13 << 3);
        let decoded = undo(Coding::Zstd, &largest, CAP);
        assert_eq!(decoded.bytes.len(), RATIO_FREE);
        check_cut("zstd", zstd_bomb(1, 14 << 3), 0);
    }

    #[test]
    fn more_than_two_codings_are_not_undone() {
        check_cut("gzip, gzip, gzip", gzip(&gzip(&gzip(TEXT))), 0);
    }

    #[test]
    fn what_came_before_the_damage_is_kept() {
        let long: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let mut sent = gzip(&long);
        sent.truncate(sent.len() / 2);
        let decoded = undo(Coding::Gzip, &sent, CAP);
        assert!(decoded.is_truncated);
        assert!(decoded.bytes.len() > 10_000);
        assert!(long.starts_with(&decoded.bytes));
    }

    #[test]
    fn noise_decodes_to_nothing_and_is_cut() {
        for header in ["gzip", "deflate", "br", "zstd"] {
            let read = Decoded { bytes: vec![0xff; 100], is_truncated: false };
            assert!(decode(&codings(header), read, CAP).is_truncated, "{header}");
        }
    }
}
