//! The answer of a server as a WARC record keeps it: head and body of HTTP.

use std::io::{Read, Write};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use relink_model::{Capture, with_authority};
use relink_ports::{Body, Replay};
use url::Url;

/// The longest head of an answer.
const HEAD_CAP: usize = 64 * 1024;

/// The most bytes taken of a body, before and after it is unpacked.
const BODY_CAP: usize = 1024 * 1024;

/// The buffer between brotli and its input.
const BROTLI_BUFFER: usize = 4096;

/// An answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Payload {
    pub status: Option<u16>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_truncated: bool,
}

impl Payload {
    /// Reads head and body, within bounds. A damaged record gives what could
    /// be read.
    pub fn read(block: &mut impl Read) -> Self {
        let mut bytes = Vec::new();
        let cap = HEAD_CAP + BODY_CAP;
        let outcome = block.take(cap as u64 + 1).read_to_end(&mut bytes);
        let is_cut = outcome.is_err() || bytes.len() > cap;
        bytes.truncate(cap);
        Self { is_truncated: is_cut, ..Self::parse(&bytes) }
    }

    /// Reads the head alone.
    pub fn read_head(block: &mut impl Read) -> Self {
        let mut bytes = Vec::new();
        // What a damaged record still has is enough or it is not.
        let _ = block.take(HEAD_CAP as u64).read_to_end(&mut bytes);
        Self::parse(&bytes)
    }

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

    /// This answer with the body of another: a repetition keeps none.
    pub fn with_body_of(self, original: Self) -> Self {
        if self.status.is_none() {
            return original;
        }
        // How a body is packed is said where the body is.
        let packing = |name: &str| matches!(name, "content-encoding" | "transfer-encoding");
        let own = self.headers.into_iter().filter(|(name, _)| !packing(name));
        let its = original.headers.into_iter().filter(|(name, _)| packing(name));
        let headers = own.chain(its).collect();
        Self {
            status: self.status,
            headers,
            body: original.body,
            is_truncated: original.is_truncated,
        }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Where it points from `url`, if that is on the web.
    pub fn target(&self, url: &Url) -> Option<Url> {
        let target = url.join(&with_authority(self.header("location")?)).ok()?;
        matches!(target.scheme(), "http" | "https").then_some(target)
    }

    /// What a capture says.
    pub fn into_replay(self, capture: &Capture) -> Replay {
        let (bytes, is_cut) = self.unpacked();
        Replay {
            captured_at: capture.captured_at,
            status: self.status.or(capture.status).unwrap_or_default(),
            location: self.header("location").map(str::to_owned),
            target: self.target(&capture.url),
            body: Body {
                content_type: self.header("content-type").map(str::to_owned),
                language: self.header("content-language").map(str::to_owned),
                robots: self.header("x-robots-tag").map(str::to_owned),
                bytes: bytes.into(),
                is_truncated: is_cut || self.is_truncated,
            },
        }
    }

    /// The body out of its chunks and codings, and whether some is missing.
    fn unpacked(&self) -> (Vec<u8>, bool) {
        let is_chunked = self.header("transfer-encoding").is_some_and(|it| it.contains("chunked"));
        let mut body = if is_chunked { unchunked(&self.body) } else { self.body.clone() };
        let codings = self.header("content-encoding").unwrap_or_default().to_ascii_lowercase();
        let mut is_cut = false;
        for coding in codings.split(',').rev() {
            (body, is_cut) = match unpack(coding.trim(), &body) {
                Some((bytes, is_short)) => (bytes, is_cut || is_short),
                None => (body, is_cut),
            };
        }
        is_cut |= body.len() > BODY_CAP;
        body.truncate(BODY_CAP);
        (body, is_cut)
    }
}

/// Head and body, at the first empty line.
fn split_head(bytes: &[u8]) -> (&[u8], &[u8]) {
    let find = |mark: &[u8]| bytes.windows(mark.len()).position(|it| it == mark);
    let ends = [(find(b"\r\n\r\n"), 4), (find(b"\n\n"), 2)];
    let first = ends.into_iter().filter_map(|(at, length)| Some((at?, length))).min();
    match first {
        Some((at, length)) => (&bytes[..at], &bytes[at + length..]),
        None => (bytes, &[]),
    }
}

/// Takes a body out of its chunks. Some writers have done so already and left
/// the header; then it is no chunk and stays as it is.
fn unchunked(body: &[u8]) -> Vec<u8> {
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

fn chunk_length(rest: &[u8]) -> Option<(usize, &[u8])> {
    let end = rest.iter().take(64).position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&rest[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    Some((usize::from_str_radix(digits, 16).ok()?, &rest[end + 1..]))
}

/// Undoes one coding, within bounds; `None` for a word that is none. Bytes
/// that were unpacked by the writer already stay as they are.
fn unpack(coding: &str, packed: &[u8]) -> Option<(Vec<u8>, bool)> {
    match coding {
        "gzip" | "x-gzip" if packed.starts_with(&[0x1f, 0x8b]) => {
            Some(expand(MultiGzDecoder::new(packed)))
        }
        "deflate" if packed.first().is_some_and(|byte| byte & 0x0f == 8) => {
            Some(expand(ZlibDecoder::new(packed)))
        }
        "deflate" => Some(expand(DeflateDecoder::new(packed))),
        "br" => Some(expand(brotli_decompressor::Decompressor::new(packed, BROTLI_BUFFER))),
        _ => None,
    }
}

fn expand(reader: impl Read) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let outcome = std::io::copy(&mut reader.take(BODY_CAP as u64 + 1), bytes.by_ref());
    let is_cut = outcome.is_err() || bytes.len() > BODY_CAP;
    bytes.truncate(BODY_CAP);
    (bytes, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(block: &str, expect: &str) {
        let capture = Capture::new(Url::parse("http://a.test/d/x").unwrap(), jiff::Timestamp::MIN);
        let replay = Payload::read(&mut block.as_bytes()).into_replay(&capture);
        let target = replay.target.map_or(String::new(), |target| format!(" -> {target}"));
        let body = String::from_utf8_lossy(&replay.body.bytes);
        let cut = if replay.body.is_truncated { " cut" } else { "" };
        assert_eq!(format!("{}{target} {body}{cut}", replay.status), expect);
    }

    #[test]
    fn an_answer_is_read() {
        check("HTTP/1.1 200 OK\r\nContent-Type: a\r\n\r\nhello\r\n", "200 hello\r\n");
        check("HTTP/1.0 301 x\nLocation: ../y\n\n", "301 -> http://a.test/y ");
        check("HTTP/1.1 302\r\nlocation: javascript:alert(1)\r\n\r\n", "302 ");
        check("HTTP/1.1 404 Not Found", "404 ");
        check("no answer", "0 ");
    }

    #[test]
    fn chunks_are_put_together_unless_that_was_done() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(&format!("{head}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n"), "200 hello world");
        check(&format!("{head}<p>hello"), "200 <p>hello");
        check(&format!("{head}ffff\r\nshort"), "200 short");
    }

    #[test]
    fn a_coding_that_was_undone_already_does_no_harm() {
        check("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain", "200 plain");
        check("HTTP/1.1 200 OK\r\nContent-Encoding: utf-8\r\n\r\nplain", "200 plain");
    }

    #[test]
    fn a_body_is_read_to_the_cap() {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{}", "a".repeat(BODY_CAP + 1));
        check(&block, &format!("200 {} cut", "a".repeat(BODY_CAP)));
    }
}
