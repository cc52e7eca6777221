//! Which captures are in which files, sorted by the keys of their URLs.

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

/// A capture and where it is.
#[derive(Debug, Clone)]
pub(super) struct IndexedCapture {
    key: String,
    pub capture: Capture,
    file: usize,
    /// Where its member begins.
    pub offset: u64,
    /// How far into the member it lies.
    pub within: u64,
    /// What a repetition says it repeats.
    refers_to: Option<(Url, Timestamp)>,
}

/// The captures of all files.
#[derive(Debug, Default)]
pub(super) struct Index {
    files: Vec<PathBuf>,
    held: Vec<IndexedCapture>,
}

impl IndexedCapture {
    /// The capture of a record, if it holds an answer of the web.
    pub fn of_record<R: BufRead>(record: &mut Record<'_, R>, file: usize) -> Option<Self> {
        let kind = record.header("WARC-Type")?.to_ascii_lowercase();
        let is_revisit = kind == "revisit";
        if !is_revisit && kind != "response" {
            return None;
        }
        let url = record.url().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let taken = record.taken()?;
        let digest = record.header("WARC-Payload-Digest").map(str::to_owned);
        let refers_to = refers_to(record);
        let payload = Payload::read_head(record);
        let mime = payload.header("content-type").and_then(|it| it.split(';').next());
        let capture = Capture {
            status: payload.status,
            mime: mime.map(|mime| mime.trim().to_owned()),
            digest,
            redirect: payload.target(&url).filter(|_| matches!(payload.status, Some(300..=399))),
            is_revisit,
            ..Capture::new(url, taken)
        };
        let (offset, within) = (record.offset, record.within);
        Some(Self { key: surt::key(&capture.url), capture, file, offset, within, refers_to })
    }

    /// The capture of a row of an index that lies in `folder`. The file it
    /// names is looked for there and nowhere else.
    pub fn of_row(row: &Row, folder: &Path, index: &mut Index) -> Option<Self> {
        let capture = cdx::capture(row)?;
        let name = Path::new(row.file.as_deref()?).file_name()?;
        let offset = row.offset.as_deref()?.parse().ok()?;
        let key = surt::key(&capture.url);
        let file = index.file(&folder.join(name));
        Some(Self { key, capture, file, offset, within: 0, refers_to: None })
    }
}

fn refers_to<R: BufRead>(record: &Record<'_, R>) -> Option<(Url, Timestamp)> {
    let url = Url::parse(record.header("WARC-Refers-To-Target-URI")?).ok()?;
    let taken: Timestamp = record.header("WARC-Refers-To-Date")?.parse().ok()?;
    Some((url, Timestamp::from_second(taken.as_second()).ok()?))
}

impl Index {
    /// The number of a file.
    pub fn file(&mut self, path: &Path) -> usize {
        let known = self.files.iter().rposition(|it| it == path);
        known.unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.files.len() - 1
        })
    }

    /// Whether a capture of this file is known.
    pub fn names(&self, path: &Path) -> bool {
        self.files.iter().any(|it| it == path)
    }

    /// The file of a capture.
    pub fn path(&self, held: &IndexedCapture) -> &Path {
        &self.files[held.file]
    }

    pub fn len(&self) -> usize {
        self.held.len()
    }

    pub fn add(&mut self, held: IndexedCapture) {
        self.held.push(held);
    }

    /// To be called when all are added.
    pub fn sort(&mut self) {
        self.held.sort_by(|one, other| {
            (&one.key, one.capture.captured_at).cmp(&(&other.key, other.capture.captured_at))
        });
    }

    /// The captures asked for.
    pub fn list(&self, query: &CaptureQuery) -> CaptureList {
        let held = match query.scope {
            CaptureScope::Exact => self.with_key(&surt::key(&query.url)),
            CaptureScope::Prefix => self.below(&surt::stem(&query.url)),
        };
        let mut list = listing::Listing::default();
        list.captures.extend(held.iter().map(|held| held.capture.clone()));
        list.finish(query)
    }

    /// The very capture.
    pub fn find(&self, capture: &Capture) -> Option<&IndexedCapture> {
        let held = self.with_key(&surt::key(&capture.url));
        let is_it = |held: &&IndexedCapture| {
            let it = &held.capture;
            it.url == capture.url
                && it.captured_at == capture.captured_at
                && it.digest == capture.digest
        };
        held.iter().find(is_it)
    }

    /// What a repetition repeats: what it says, or else the last capture
    /// before it with the same body.
    pub fn repeated(&self, revisit: &IndexedCapture) -> Option<&IndexedCapture> {
        if let Some((url, taken)) = &revisit.refers_to {
            let held = self.with_key(&surt::key(url));
            let first = held.iter().find(|held| held.capture.captured_at == *taken);
            return first.filter(|held| !held.capture.is_revisit);
        }
        let digest = revisit.capture.digest.as_ref()?;
        let held = self.with_key(&revisit.key).iter().rev();
        let mut earlier =
            held.filter(|held| held.capture.captured_at <= revisit.capture.captured_at);
        earlier
            .find(|held| !held.capture.is_revisit && held.capture.digest.as_ref() == Some(digest))
    }

    fn with_key(&self, key: &str) -> &[IndexedCapture] {
        let from = self.held.partition_point(|held| held.key.as_str() < key);
        let to = self.held.partition_point(|held| held.key.as_str() <= key);
        &self.held[from..to]
    }

    /// Those whose keys begin alike, which stand together.
    fn below(&self, stem: &str) -> &[IndexedCapture] {
        let from = self.held.partition_point(|held| held.key.as_str() < stem);
        let count = self.held[from..].partition_point(|held| held.key.starts_with(stem));
        &self.held[from..from + count]
    }
}
