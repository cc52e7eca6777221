//! Writes WARC files (ISO 28500) and their CDXJ index.
//!
//! Each record is compressed separately, as a gzip member, so that replay tools can seek
//! to a record. A record has the decoded body and the headers of the response. Headers
//! with secrets are never written.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_ports::{ArchiveWriter, CapturedResponse};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::super::surt;

/// Headers that are not written. Some contain secrets. Others describe the encoding of
/// the body, which is written decoded.
const OMITTED_HEADERS: [&str; 8] = [
    "authorization",
    "cookie",
    "set-cookie",
    "set-cookie2",
    "proxy-authorization",
    "content-encoding",
    "transfer-encoding",
    "content-length",
];

/// A WARC file that is being written.
#[derive(Debug)]
pub struct WarcWriter {
    file: File,
    path: PathBuf,
    /// Number of bytes written.
    offset: u64,
    /// The lines of the index.
    index: Vec<String>,
}

impl WarcWriter {
    /// Creates a file in a directory, named by the time. The directory is created
    /// if necessary.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created.
    pub fn create(directory: &Path, now: Timestamp, software: &str) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let (path, file) = create_new(directory, now)?;
        let mut writer = Self { file, path, offset: 0, index: Vec::new() };
        let info = format!("software: {software}\r\nformat: WARC File Format 1.1\r\n");
        let head = record_head("warcinfo", now, 0, "application/warc-fields", info.len(), "");
        writer.append(&head, info.as_bytes())?;
        Ok(writer)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the index next to the file: `NAME.cdxj`.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn finish(mut self) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        self.index.sort_unstable();
        // Replaces both extensions of `NAME.warc.gz`.
        let path = self.path.with_extension("").with_extension("cdxj");
        let mut index = OpenOptions::new().write(true).create_new(true).open(&path)?;
        for line in &self.index {
            writeln!(index, "{line}")?;
        }
        index.sync_all()?;
        Ok(self.path)
    }

    /// Appends a record as one gzip member and returns its position and length.
    fn append(&mut self, head: &str, block: &[u8]) -> io::Result<(u64, u64)> {
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        member.write_all(head.as_bytes())?;
        member.write_all(block)?;
        member.write_all(b"\r\n\r\n")?;
        let compressed = member.finish()?;
        self.file.write_all(&compressed)?;
        let (start, length) = (self.offset, compressed.len() as u64);
        self.offset += length;
        Ok((start, length))
    }
}

impl ArchiveWriter for WarcWriter {
    fn write(&mut self, response: &CapturedResponse) -> io::Result<()> {
        // Writing to a string cannot fail, so the results of `write!` are ignored.
        let block = http_message(response);
        let digest = sha1_base32(&response.body);
        let mut fields = format!("WARC-Target-URI: {}\r\n", response.url);
        let _ = write!(fields, "WARC-Payload-Digest: sha1:{digest}\r\n");
        if let Some(ip) = response.ip {
            let _ = write!(fields, "WARC-IP-Address: {ip}\r\n");
        }
        if response.is_truncated {
            fields.push_str("WARC-Truncated: length\r\n");
        }
        let head = record_head(
            "response",
            response.captured_at,
            self.offset,
            "application/http; msgtype=response",
            block.len(),
            &fields,
        );
        let (offset, length) = self.append(&head, &block)?;
        let line = index_line(response, &digest, &self.path, offset, length);
        self.index.push(line);
        Ok(())
    }
}

/// Creates a file that does not exist yet.
fn create_new(directory: &Path, now: Timestamp) -> io::Result<(PathBuf, File)> {
    let time = timestamp_digits(now);
    let mut suffix = 1;
    loop {
        let name = if suffix == 1 { time.clone() } else { format!("{time}-{suffix}") };
        let path = directory.join(format!("relink-{name}.warc.gz"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => suffix += 1,
            file => return Ok((path, file?)),
        }
    }
}

/// Returns a time as 14 digits, in UTC.
fn timestamp_digits(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y%m%d%H%M%S").to_string()
}

/// Returns the head of a WARC record. `fields` are additional header lines.
fn record_head(
    kind: &str,
    time: Timestamp,
    offset: u64,
    content_type: &str,
    length: usize,
    fields: &str,
) -> String {
    let date = time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ");
    let id = record_id(kind, time, offset, fields);
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Date: {date}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
         {fields}Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// Returns a UUID that depends on the kind, time, position and fields of a record.
fn record_id(kind: &str, time: Timestamp, offset: u64, fields: &str) -> String {
    let text = format!("{kind} {} {offset} {fields}", time.as_nanosecond());
    let hex = format!("{:032x}", xxh3_128(text.as_bytes()));
    // The digits 4 and 8 mark the version and variant of a UUID.
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// Returns the HTTP response as bytes: status line, headers and body.
fn http_message(response: &CapturedResponse) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
    for (name, value) in &response.headers {
        let is_omitted = OMITTED_HEADERS.iter().any(|omitted| name.eq_ignore_ascii_case(omitted));
        if !is_omitted && !has_line_break(name) && !has_line_break(value) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
    }
    let _ = write!(head, "content-length: {}\r\n\r\n", response.body.len());
    [head.as_bytes(), &response.body].concat()
}

fn has_line_break(text: &str) -> bool {
    text.contains(['\r', '\n', '\0'])
}

/// Returns the reason phrase of a status. Rare statuses have the phrase `Archived`.
fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        404 => "Not Found",
        410 => "Gone",
        _ => "Archived",
    }
}

/// Returns the CDXJ line of a response.
fn index_line(
    response: &CapturedResponse,
    digest: &str,
    path: &Path,
    offset: u64,
    length: u64,
) -> String {
    let content_type = response.headers.iter().find(|(name, _)| name == "content-type");
    let mime = content_type.and_then(|(_, value)| value.split(';').next()).map_or("unk", str::trim);
    let fields = json!({
        "url": response.url.as_str(),
        "mime": mime,
        "status": response.status.to_string(),
        "digest": digest,
        "length": length.to_string(),
        "offset": offset.to_string(),
        "filename": path.file_name().unwrap_or_default().to_string_lossy(),
    });
    format!("{} {} {fields}", surt::key(&response.url), timestamp_digits(response.captured_at))
}

/// Returns the SHA-1 digest in Base32, as archives write it.
fn sha1_base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, bytes);
    let mut text = String::with_capacity(32);
    // Five bytes (40 bits) become eight letters, of five bits each.
    for chunk in digest.as_ref().chunks(5) {
        let bits = chunk.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for index in (0..8).rev() {
            let letter = usize::try_from(bits >> (5 * index) & 31).unwrap_or_default();
            text.push(char::from(*ALPHABET.get(letter).unwrap_or(&b'A')));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;

    use super::*;

    /// Returns a response captured on 2026-11-18 at 12:00.
    fn response(url: &str, status: u16, headers: &[(&str, &str)], body: &str) -> CapturedResponse {
        CapturedResponse {
            url: url.parse().unwrap(),
            captured_at: "2026-11-18T12:00:00Z".parse().unwrap(),
            ip: None,
            status,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.to_owned().into(),
            is_truncated: false,
        }
    }

    /// Returns the decompressed content of a file.
    fn text(path: &Path) -> String {
        let mut text = String::new();
        MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn records_contain_no_secrets_and_no_stale_encodings() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = WarcWriter::create(directory.path(), Timestamp::UNIX_EPOCH, "t").unwrap();
        let headers = [
            ("content-type", "text/html; charset=utf-8"),
            ("set-cookie", "session=secret"),
            ("Authorization", "Basic secret"),
            ("content-encoding", "gzip"),
            ("x-split", "a\r\nset-cookie: secret"),
        ];
        writer.write(&response("http://example.org/a", 200, &headers, "<p>é</p>")).unwrap();
        let text = text(&writer.finish().unwrap());
        assert!(!text.contains("secret") && !text.contains("gzip"), "{text}");
        assert!(text.ends_with(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\
             content-length: 9\r\n\r\n<p>é</p>\r\n\r\n"
        ));
    }

    #[test]
    fn index_is_sorted_and_points_to_the_records() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = WarcWriter::create(directory.path(), Timestamp::UNIX_EPOCH, "t").unwrap();
        writer.write(&response("http://example.org/b", 301, &[("location", "/a")], "")).unwrap();
        writer.write(&response("http://example.org/a", 200, &[], "x")).unwrap();
        let path = writer.finish().unwrap();
        let index = std::fs::read_to_string(directory.path().join("relink-19700101000000.cdxj"));
        let lines: Vec<String> = index.unwrap().lines().map(str::to_owned).collect();
        assert!(lines[0].starts_with("org,example)/a 20261118120000 {"), "{lines:?}");
        let fields: serde_json::Value = serde_json::from_str(
            lines[0]
                .split_once(" {")
                .map(|(_, json)| json)
                .map(|json| format!("{{{json}"))
                .unwrap()
                .as_str(),
        )
        .unwrap();
        let offset: usize = fields["offset"].as_str().unwrap().parse().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let mut record = String::new();
        flate2::read::GzDecoder::new(&bytes[offset..]).read_to_string(&mut record).unwrap();
        assert!(record.contains("WARC-Target-URI: http://example.org/a\r\n"), "{record}");
    }

    #[test]
    fn second_file_of_the_same_second_has_another_name() {
        let directory = tempfile::tempdir().unwrap();
        let create_file = |_| {
            let writer = WarcWriter::create(directory.path(), Timestamp::UNIX_EPOCH, "t");
            writer.unwrap().finish().unwrap()
        };
        let [first, second] = [0, 1].map(create_file);
        assert_ne!(first, second);
    }

    #[test]
    fn sha1_is_written_in_base32() {
        // The digest of the empty text, as in many archives.
        assert_eq!(sha1_base32(b""), "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }
}
