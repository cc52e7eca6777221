//! An archive on the disk: WARC files and the CDXJ files that index them.
//!
//! The index is in memory, some 300 bytes for a capture; the files stay where
//! they are and are read again at each replay.

mod index;
mod payload;
mod warc;

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Capture, Snapshot};
use relink_ports::{Archive, ArchiveError, CaptureList, CaptureOrder, CaptureQuery, Replay};
use url::Url;

use self::index::{Index, IndexedCapture};
use self::payload::Payload;
use self::warc::Records;
use super::cdx;

/// The most bytes read of an index file.
const INDEX_CAP: u64 = 512 * 1024 * 1024;

/// The most captures held.
const CAPTURES: usize = 2_000_000;

/// An archive made of files.
///
/// Its copies have no address on the web, so it has captures to list and
/// replay but no snapshot to offer to people.
#[derive(Debug, Clone)]
pub struct LocalArchive {
    index: Arc<Index>,
    problems: Vec<LocalProblem>,
}

/// Something in an archive file that could not be used. The rest is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalProblem {
    /// The file.
    pub path: PathBuf,
    /// What is the matter, in plain words.
    pub what: String,
}

impl LocalArchive {
    /// Reads the indexes, and of every WARC file that no index names all
    /// heads. Takes as long as reading the files: not for an async task.
    ///
    /// Files are told apart by their beginnings, not their names. A file that
    /// is damaged is used up to the damage, which is told by
    /// [`Self::problems`].
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let mut index = Index::default();
        let mut problems = Vec::new();
        let (mut warcs, mut lists) = (Vec::new(), Vec::new());
        for path in paths {
            let is_warc = warc::is_one(open(path)?).map_err(|source| error(path, source))?;
            if is_warc { warcs.push(path) } else { lists.push(path) }
        }
        for path in lists {
            problems.extend(read_list(&mut index, path)?);
        }
        for path in warcs {
            if !index.names(path) {
                problems.extend(read_warc(&mut index, path)?);
            }
        }
        index.sort();
        Ok(Self { index: Arc::new(index), problems })
    }

    /// What could not be used.
    pub fn problems(&self) -> &[LocalProblem] {
        &self.problems
    }
}

/// Opens a regular file; a device or a pipe may never end.
fn open(path: &Path) -> Result<BufReader<File>, ArchiveError> {
    let opened = path.metadata().and_then(|metadata| {
        if metadata.is_file() {
            File::open(path)
        } else {
            Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
        }
    });
    opened.map(BufReader::new).map_err(|source| error(path, source))
}

fn error(path: &Path, source: Error) -> ArchiveError {
    ArchiveError::File { path: path.display().to_string(), source }
}

/// Takes over the rows of an index file.
fn read_list(index: &mut Index, path: &Path) -> Result<Option<LocalProblem>, ArchiveError> {
    let problem = |what: &str| Ok(Some(LocalProblem { path: path.to_owned(), what: what.into() }));
    let mut bytes = Vec::new();
    let read = open(path)?.take(INDEX_CAP).read_to_end(&mut bytes);
    let length = read.map_err(|source| error(path, source))?;
    let is_cut = length as u64 == INDEX_CAP;
    let room = CAPTURES.saturating_sub(index.len());
    let Some(answer) = cdx::read(&bytes, room, is_cut) else {
        return problem("is neither a WARC file nor an index");
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut skipped = answer.skipped;
    for row in &answer.rows {
        match IndexedCapture::of_row(row, folder, index) {
            Some(held) => index.add(held),
            None => skipped += 1,
        }
    }
    match (answer.is_truncated, skipped) {
        (true, _) => problem("is longer than is read"),
        (_, 1..) => problem(&format!("has {skipped} rows that cannot be used")),
        _ => Ok(None),
    }
}

/// Takes over the records of a WARC file.
fn read_warc(index: &mut Index, path: &Path) -> Result<Option<LocalProblem>, ArchiveError> {
    let problem = |what: String| Ok(Some(LocalProblem { path: path.to_owned(), what }));
    let file = index.file(path);
    let mut records = Records::new(open(path)?);
    loop {
        match records.next_record() {
            Ok(Some(mut record)) => {
                if let Some(held) = IndexedCapture::of_record(&mut record, file) {
                    index.add(held);
                }
            }
            Ok(None) => return Ok(None),
            Err(damage) => return problem(format!("is damaged: {damage}")),
        }
        if index.len() >= CAPTURES {
            return problem("holds more captures than are kept".to_owned());
        }
    }
}

impl Index {
    /// Reads the answer of a held capture; of a repetition, the body of what
    /// it repeats.
    fn replay(&self, held: &IndexedCapture) -> Result<Option<Replay>, ArchiveError> {
        let Some(mut payload) = self.payload(held)? else { return Ok(None) };
        if held.capture.is_revisit {
            let Some(first) = self.repeated(held) else { return Ok(None) };
            let Some(original) = self.payload(first)? else { return Ok(None) };
            payload = payload.with_body_of(original);
        }
        Ok(Some(payload.into_replay(&held.capture)))
    }

    fn payload(&self, held: &IndexedCapture) -> Result<Option<Payload>, ArchiveError> {
        let path = self.path(held);
        let mut file = open(path)?;
        file.seek(SeekFrom::Start(held.offset)).map_err(|source| error(path, source))?;
        let mut records = Records::new(file);
        if records.skip(held.within).is_err() {
            return Ok(None);
        }
        // A file that was changed behind the index has nothing to say.
        let Ok(Some(mut record)) = records.next_record() else { return Ok(None) };
        let is_the_one = record.is_of(&held.capture.url, held.capture.captured_at);
        Ok(is_the_one.then(|| Payload::read(&mut record)))
    }
}

#[async_trait]
impl Archive for LocalArchive {
    fn name(&self) -> &'static str {
        "archive files"
    }

    async fn captures(&self, query: &CaptureQuery) -> Result<CaptureList, ArchiveError> {
        Ok(self.index.list(query))
    }

    async fn replay(&self, capture: &Capture) -> Result<Option<Replay>, ArchiveError> {
        let Some(held) = self.index.find(capture).cloned() else { return Ok(None) };
        let index = Arc::clone(&self.index);
        let read = tokio::task::spawn_blocking(move || index.replay(&held)).await;
        read.unwrap_or(Ok(None))
    }

    async fn nearest(&self, url: &Url, when: Timestamp) -> Result<Option<Snapshot>, ArchiveError> {
        let order = CaptureOrder::Nearest(when);
        let query = CaptureQuery { order, limit: 1, ..CaptureQuery::new(url.clone()) };
        Ok(self.index.list(&query).captures.first().and_then(Capture::snapshot))
    }
}

#[cfg(test)]
mod tests;
