//! Writes small WARC files (ISO 28500) with one gzip member per record.
//!
//! ```
//! use relink_testkit::warc::Warc;
//! let warc = Warc::new()
//!     .redirect("http://example.org/old", "20150506070809", 301, "/new")
//!     .page("http://example.org/new", "20150506070810", 200, "<title>New</title>");
//! assert!(warc.to_gzip().starts_with(&[0x1f, 0x8b]));
//! ```

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A builder of WARC files.
#[derive(Debug, Clone, Default)]
pub struct Warc {
    records: Vec<Vec<u8>>,
}

impl Warc {
    /// Creates a file without records.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an archived web page. Times have 14 digits.
    #[must_use]
    pub fn page(self, url: &str, time: &str, status: u16, body: &str) -> Self {
        self.response(url, time, status, &[("Content-Type", "text/html")], body.as_bytes())
    }

    /// Adds an archived redirect with an empty body.
    #[must_use]
    pub fn redirect(self, url: &str, time: &str, status: u16, location: &str) -> Self {
        self.response(url, time, status, &[("Location", location)], b"")
    }

    /// Adds an archived response.
    #[must_use]
    pub fn response(
        self,
        url: &str,
        time: &str,
        status: u16,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Self {
        let block = [http_head(status, headers).as_bytes(), body].concat();
        let digest = format!("WARC-Payload-Digest: sha1:{}\r\n", digest(body));
        self.record("response", url, time, &digest, &block)
    }

    /// Adds a revisit record: headers without a body. `first` is the time of the original
    /// record. `body` is the body of the original record, of which only the digest is written.
    #[must_use]
    pub fn revisit(self, url: &str, time: &str, status: u16, first: &str, body: &str) -> Self {
        let head = http_head(status, &[("Content-Type", "text/html")]);
        let extra = format!(
            "WARC-Payload-Digest: sha1:{}\r\n\
             WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
             WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {}\r\n",
            digest(body.as_bytes()),
            date(first)
        );
        self.record("revisit", url, time, &extra, head.as_bytes())
    }

    /// Adds any record. `extra` are additional header lines.
    #[must_use]
    pub fn record(mut self, kind: &str, url: &str, time: &str, extra: &str, block: &[u8]) -> Self {
        let number = self.records.len() + 1;
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {}\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n{extra}\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            date(time),
            block.len()
        );
        self.records.push([head.as_bytes(), block, b"\r\n\r\n"].concat());
        self
    }

    /// Returns the uncompressed file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.records.concat()
    }

    /// Returns the file with separately compressed records.
    pub fn to_gzip(&self) -> Vec<u8> {
        self.records.iter().flat_map(|record| gzip(record)).collect()
    }

    /// Returns the file compressed as a whole, as some programs do.
    pub fn to_single_gzip(&self) -> Vec<u8> {
        gzip(&self.to_bytes())
    }
}

/// Compresses bytes as one gzip member.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory cannot fail")
}

/// Returns the status line and headers of a response.
fn http_head(status: u16, headers: &[(&str, &str)]) -> String {
    let mut head = format!("HTTP/1.1 {status} Archived\r\n");
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head + "\r\n"
}

/// Converts 14 digits to a WARC date.
fn date(time: &str) -> String {
    let part = |from: usize, to: usize| time.get(from..to).expect("a time has 14 digits");
    let [year, month, day] = [part(0, 4), part(4, 6), part(6, 8)];
    format!("{year}-{month}-{day}T{}:{}:{}Z", part(8, 10), part(10, 12), part(12, 14))
}

/// Returns a fake digest in Base32. No test verifies it.
fn digest(body: &[u8]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut name = String::new();
    for letter in 0..32 {
        // FNV-1a, continued for each letter.
        for byte in body.iter().chain(&[letter]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let index = usize::try_from(hash >> 59).expect("five bits fit");
        name.push(char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[index]));
    }
    name
}
