//! Index of the captures in local WARC files, sorted by SURT key (a URL with a reversed
//! host, see [`surt`]). A revisit is a capture without content that refers to an earlier
//! capture, its original. A gzip member is an independently compressed part of a file.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use relink_model::Capture;
use relink_ports::{CaptureList, CaptureQuery, CaptureScope};
use url::Url;

use super::payload::Payload;
use super::warc::Record;
use crate::archive::cdx::{self, Row};
use crate::archive::{listing, surt};

/// A capture and its location in a file.
#[derive(Debug, Clone)]
pub(super) struct IndexedCapture {
    key: String,
    pub capture: Capture,
    /// Position of the file in [`Index::files`].
    file_number: usize,
    /// Offset of the gzip member that contains the record, or of the record
    /// itself in a plain file.
    pub offset: u64,
    /// Offset of the record within the decompressed member.
    pub offset_in_member: u64,
    /// URL and time of the original of a revisit, if the record contains them.
    refers_to: Option<(Url, Timestamp)>,
}

/// The captures of all files.
#[derive(Debug, Default)]
pub(super) struct Index {
    files: Vec<PathBuf>,
    captures: Vec<IndexedCapture>,
}

impl IndexedCapture {
    /// Creates the capture of a record that contains an HTTP response.
    pub fn from_record<R: BufRead>(record: &mut Record<'_, R>, file_number: usize) -> Option<Self> {
        let kind = record.header("WARC-Type")?.to_ascii_lowercase();
        let is_revisit = kind == "revisit";
        if !is_revisit && kind != "response" {
            return None;
        }
        let url = record.url().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let captured_at = record.captured_at()?;
        let digest = record.header("WARC-Payload-Digest").map(str::to_owned);
        let refers_to = refers_to(record);
        let payload = Payload::read_head(record);
        let mime = payload.header("content-type").and_then(|value| value.split(';').next());
        let capture = Capture {
            status: payload.status,
            mime: mime.map(|mime| mime.trim().to_owned()),
            digest,
            redirect: payload
                .redirect_target(&url)
                .filter(|_| matches!(payload.status, Some(300..=399))),
            is_revisit,
            ..Capture::new(url, captured_at)
        };
        let (offset, offset_in_member) = (record.offset, record.offset_in_member);
        Some(Self {
            key: surt::key(&capture.url),
            capture,
            file_number,
            offset,
            offset_in_member,
            refers_to,
        })
    }

    /// Creates the capture of an index row. Only the last component of the path
    /// in the row is used, so an index cannot refer to files outside
    /// `directory`.
    pub fn from_row(row: &Row, directory: &Path, index: &mut Index) -> Option<Self> {
        let capture = cdx::capture_from_row(row)?;
        let name = Path::new(row.file.as_deref()?).file_name()?;
        let offset = row.offset.as_deref()?.parse().ok()?;
        let key = surt::key(&capture.url);
        let file_number = index.add_file(&directory.join(name));
        Some(Self { key, capture, file_number, offset, offset_in_member: 0, refers_to: None })
    }
}

/// Returns the URL and the time of the original of a revisit. Like all capture times,
/// the time is in whole seconds.
fn refers_to<R: BufRead>(record: &Record<'_, R>) -> Option<(Url, Timestamp)> {
    let url = Url::parse(record.header("WARC-Refers-To-Target-URI")?).ok()?;
    let captured_at: Timestamp = record.header("WARC-Refers-To-Date")?.parse().ok()?;
    Some((url, Timestamp::from_second(captured_at.as_second()).ok()?))
}

impl Index {
    /// Adds a file if it is new, and returns its number.
    pub fn add_file(&mut self, path: &Path) -> usize {
        // Consecutive rows usually refer to the file that was added last.
        let existing = self.files.iter().rposition(|file| file == path);
        existing.unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.files.len() - 1
        })
    }

    /// Whether this file is in the index.
    pub fn has_file(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file == path)
    }

    /// Returns the file of a capture.
    pub fn path(&self, indexed: &IndexedCapture) -> &Path {
        &self.files[indexed.file_number]
    }

    /// Returns the number of captures.
    pub fn len(&self) -> usize {
        self.captures.len()
    }

    /// Adds a capture. The index must be sorted afterwards.
    pub fn add(&mut self, capture: IndexedCapture) {
        self.captures.push(capture);
    }

    /// Sorts the captures. Must be called after all captures are added and
    /// before queries.
    pub fn sort(&mut self) {
        self.captures.sort_by(|left, right| {
            (&left.key, left.capture.captured_at).cmp(&(&right.key, right.capture.captured_at))
        });
    }

    /// Returns the captures that match a query.
    pub fn list(&self, query: &CaptureQuery) -> CaptureList {
        let matching = match query.scope {
            CaptureScope::Exact => self.with_key(&surt::key(&query.url)),
            CaptureScope::Prefix => self.with_prefix(&surt::prefix(&query.url)),
        };
        let mut list = listing::Listing::default();
        list.captures.extend(matching.iter().map(|indexed| indexed.capture.clone()));
        list.finish(query)
    }

    /// Returns the indexed capture with the same URL, time and digest.
    pub fn find(&self, capture: &Capture) -> Option<&IndexedCapture> {
        let candidates = self.with_key(&surt::key(&capture.url));
        let is_same = |indexed: &&IndexedCapture| {
            indexed.capture.url == capture.url
                && indexed.capture.captured_at == capture.captured_at
                && indexed.capture.digest == capture.digest
        };
        candidates.iter().find(is_same)
    }

    /// Returns the original of a revisit: the capture that the record refers to. If the
    /// record does not refer to a capture, returns the last earlier capture of the same
    /// URL with the same digest.
    pub fn original_of(&self, revisit: &IndexedCapture) -> Option<&IndexedCapture> {
        if let Some((url, captured_at)) = &revisit.refers_to {
            let candidates = self.with_key(&surt::key(url));
            let original =
                candidates.iter().find(|indexed| indexed.capture.captured_at == *captured_at);
            return original.filter(|indexed| !indexed.capture.is_revisit);
        }
        let digest = revisit.capture.digest.as_ref()?;
        let candidates = self.with_key(&revisit.key).iter().rev();
        let mut earlier =
            candidates.filter(|indexed| indexed.capture.captured_at <= revisit.capture.captured_at);
        earlier.find(|indexed| {
            !indexed.capture.is_revisit && indexed.capture.digest.as_ref() == Some(digest)
        })
    }

    /// Returns the captures with this key, which are adjacent.
    fn with_key(&self, key: &str) -> &[IndexedCapture] {
        let from = self.captures.partition_point(|indexed| indexed.key.as_str() < key);
        let to = self.captures.partition_point(|indexed| indexed.key.as_str() <= key);
        &self.captures[from..to]
    }

    /// Returns the captures whose keys start with `prefix`, which are adjacent.
    fn with_prefix(&self, prefix: &str) -> &[IndexedCapture] {
        let from = self.captures.partition_point(|indexed| indexed.key.as_str() < prefix);
        let count =
            self.captures[from..].partition_point(|indexed| indexed.key.starts_with(prefix));
        &self.captures[from..from + count]
    }
}
