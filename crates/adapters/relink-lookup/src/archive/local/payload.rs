//! Parses the HTTP response in a WARC record: status, headers and body.

use std::io::{Read, Write};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use relink_model::{Capture, with_authority};
use relink_ports::{Body, Replay};
use url::Url;

/// Maximum size of a response head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Maximum size of a body, before and after decoding.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Maximum length of the line with the length of a chunk.
const MAX_CHUNK_LINE_BYTES: usize = 64;

/// Size of brotli's input buffer.
const BROTLI_BUFFER: usize = 4096;

/// An archived HTTP response.
#[derive(Debug, Clone, Default)]
pub(super) struct Payload {
    pub status: Option<u16>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_truncated: bool,
}

impl Payload {
    /// Reads head and body within limits. A damaged record is read up to the damage.
    pub fn read(block: &mut impl Read) -> Self {
        let mut bytes = Vec::new();
        let limit = MAX_HEAD_BYTES + MAX_BODY_BYTES;
        let result = block.take(limit as u64 + 1).read_to_end(&mut bytes);
        let is_truncated = result.is_err() || bytes.len() > limit;
        bytes.truncate(limit);
        Self { is_truncated, ..Self::parse(&bytes) }
    }

    /// Reads only the head.
    pub fn read_head(block: &mut impl Read) -> Self {
        let mut bytes = Vec::new();
        // Parse whatever could be read from a damaged record.
        let _ = block.take(MAX_HEAD_BYTES as u64).read_to_end(&mut bytes);
        Self::parse(&bytes)
    }

    /// Parses a response. If the bytes are not an HTTP response, the result is empty.
    fn parse(bytes: &[u8]) -> Self {
        if !bytes.starts_with(b"HTTP/") {
            return Self::default();
        }
        let (head, body) = split_head(bytes);
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split_ascii_whitespace().nth(1));
        let headers = lines.filter_map(|line| line.split_once(':'));
        Self {
            status: status.and_then(|status| status.parse().ok()),
            headers: headers
                .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
                .collect(),
            body: body.to_vec(),
            is_truncated: false,
        }
    }

    /// Combines the head of a revisit, which has no body, with the body of its
    /// original.
    pub fn with_body_of(self, original: Self) -> Self {
        if self.status.is_none() {
            return original;
        }
        // The encoding headers must describe the body, which comes from the original.
        let is_encoding = |name: &str| matches!(name, "content-encoding" | "transfer-encoding");
        let own_headers = self.headers.into_iter().filter(|(name, _)| !is_encoding(name));
        let encoding_headers = original.headers.into_iter().filter(|(name, _)| is_encoding(name));
        let headers = own_headers.chain(encoding_headers).collect();
        Self {
            status: self.status,
            headers,
            body: original.body,
            is_truncated: original.is_truncated,
        }
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the redirect target relative to `url`, if it is an HTTP URL.
    pub fn redirect_target(&self, url: &Url) -> Option<Url> {
        let target = url.join(&with_authority(self.header("location")?)).ok()?;
        matches!(target.scheme(), "http" | "https").then_some(target)
    }

    /// Converts the response of a capture to a replay.
    pub fn into_replay(self, capture: &Capture) -> Replay {
        let (bytes, is_truncated) = self.decoded_body();
        Replay {
            captured_at: capture.captured_at,
            status: self.status.or(capture.status).unwrap_or_default(),
            location: self.header("location").map(str::to_owned),
            target: self.redirect_target(&capture.url),
            body: Body {
                content_type: self.header("content-type").map(str::to_owned),
                language: self.header("content-language").map(str::to_owned),
                robots: self.header("x-robots-tag").map(str::to_owned),
                bytes: bytes.into(),
                is_truncated: is_truncated || self.is_truncated,
            },
        }
    }

    /// Returns the body without chunked framing and content codings, and
    /// whether it is truncated.
    fn decoded_body(&self) -> (Vec<u8>, bool) {
        let is_chunked =
            self.header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
        let mut body = if is_chunked { join_chunks(&self.body) } else { self.body.clone() };
        let codings = self.header("content-encoding").unwrap_or_default().to_ascii_lowercase();
        let mut is_truncated = false;
        for coding in codings.split(',').rev() {
            (body, is_truncated) = match decode(coding.trim(), &body) {
                Some((bytes, is_part)) => (bytes, is_truncated || is_part),
                None => (body, is_truncated),
            };
        }
        is_truncated |= body.len() > MAX_BODY_BYTES;
        body.truncate(MAX_BODY_BYTES);
        (body, is_truncated)
    }
}

/// Splits a response into head and body at the first empty line.
fn split_head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let position_of =
        |separator: &[u8]| bytes.windows(separator.len()).position(|window| window == separator);
    let separators = [(position_of(b"\r\n\r\n"), 4), (position_of(b"\n\n"), 2)];
    let separators = separators.into_iter();
    match separators.filter_map(|(index, length)| Some((index?, length))).min() {
        Some((index, length)) => (&bytes[..index], &bytes[index + length..]),
        None => (bytes, &[]),
    }
}

/// Removes chunked framing. Some writers of archives remove the framing but not the
/// header. Such a body is returned unchanged.
fn join_chunks(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((length, after)) = chunk_length(rest) {
        if length == 0 {
            return bytes;
        }
        let chunk = &after[..length.min(after.len())];
        bytes.extend_from_slice(chunk);
        rest = after[chunk.len()..].trim_ascii_start();
    }
    if bytes.is_empty() { body.to_vec() } else { bytes }
}

/// Parses the line with the length of a chunk. Returns the length and the bytes after the
/// line.
fn chunk_length(rest: &[u8]) -> Option<(usize, &[u8])> {
    let end = rest.iter().take(MAX_CHUNK_LINE_BYTES).position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&rest[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    Some((usize::from_str_radix(digits, 16).ok()?, &rest[end + 1..]))
}

/// Decodes one content coding, such as `gzip`, within limits. Returns the bytes and
/// whether they are truncated. Returns `None` for unknown codings, and for bytes that the
/// writer of the archive has already decoded.
fn decode(coding: &str, encoded: &[u8]) -> Option<(Vec<u8>, bool)> {
    match coding {
        "gzip" | "x-gzip" if encoded.starts_with(&[0x1f, 0x8b]) => {
            Some(read_limited(MultiGzDecoder::new(encoded)))
        }
        "deflate" if encoded.first().is_some_and(|byte| byte & 0x0f == 8) => {
            Some(read_limited(ZlibDecoder::new(encoded)))
        }
        "deflate" => Some(read_limited(DeflateDecoder::new(encoded))),
        "br" => Some(read_limited(brotli_decompressor::Decompressor::new(encoded, BROTLI_BUFFER))),
        _ => None,
    }
}

/// Reads up to the size limit from a decoder. Returns the bytes and whether they are
/// truncated.
fn read_limited(reader: impl Read) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let result = std::io::copy(&mut reader.take(MAX_BODY_BYTES as u64 + 1), bytes.by_ref());
    let is_truncated = result.is_err() || bytes.len() > MAX_BODY_BYTES;
    bytes.truncate(MAX_BODY_BYTES);
    (bytes, is_truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks status, redirect target and body of a record, printed as `STATUS -> TARGET BODY`.
    /// After a truncated body follows `truncated`.
    #[track_caller]
    fn check(block: &str, expect: &str) {
        let capture = Capture::new(Url::parse("http://a.test/d/x").unwrap(), jiff::Timestamp::MIN);
        let replay = Payload::read(&mut block.as_bytes()).into_replay(&capture);
        let target = replay.target.map_or(String::new(), |target| format!(" -> {target}"));
        let body = String::from_utf8_lossy(&replay.body.bytes);
        let suffix = if replay.body.is_truncated { " truncated" } else { "" };
        assert_eq!(format!("{}{target} {body}{suffix}", replay.status), expect);
    }

    #[test]
    fn read_parses_head_and_body() {
        check("HTTP/1.1 200 OK\r\nContent-Type: a\r\n\r\nhello\r\n", "200 hello\r\n");
        check("HTTP/1.0 301 x\nLocation: ../y\n\n", "301 -> http://a.test/y ");
        check("HTTP/1.1 302\r\nlocation: javascript:alert(1)\r\n\r\n", "302 ");
        check("HTTP/1.1 404 Not Found", "404 ");
        check("not HTTP", "0 ");
    }

    #[test]
    fn chunks_are_joined_unless_the_writer_has_joined_them() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(&format!("{head}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"), "200 hello world");
        check(&format!("{head}<p>hello"), "200 <p>hello");
        check(&format!("{head}ffff\r\nshort"), "200 short");
    }

    #[test]
    fn already_decoded_body_is_unchanged() {
        check("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain", "200 plain");
        check("HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\n\r\nplain", "200 plain");
    }

    #[test]
    fn body_is_limited() {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{}", "a".repeat(MAX_BODY_BYTES + 1));
        check(&block, &format!("200 {} truncated", "a".repeat(MAX_BODY_BYTES)));
    }
}
