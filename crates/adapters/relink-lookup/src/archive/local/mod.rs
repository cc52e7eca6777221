//! A local archive: WARC files, which contain archived responses (captures), and their
//! CDXJ indexes.
//!
//! The index is held in memory, about 300 bytes per capture. The files are
//! opened again for each replay.

mod index;
mod payload;
mod warc;
mod writer;

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
pub use self::writer::WarcWriter;
use super::cdx;

/// Maximum size of an index file in bytes.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// Extensions of the files that are read from a directory.
const FILE_EXTENSIONS: [&str; 5] = [".warc", ".warc.gz", ".cdxj", ".cdx", ".cdx.gz"];

/// Maximum number of captures in the index, which is held in memory.
const MAX_CAPTURES: usize = 2_000_000;

/// An archive that consists of local files.
///
/// Its captures have no replay URL, so it can list and replay captures but not
/// return snapshots.
#[derive(Debug, Clone)]
pub struct LocalArchive {
    index: Arc<Index>,
    problems: Vec<LocalProblem>,
}

/// A problem with an archive file. The remaining content is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalProblem {
    /// The file.
    pub path: PathBuf,
    /// Description of the problem.
    pub message: String,
}

impl LocalArchive {
    /// Reads the index files, and the record headers of all WARC files that no
    /// index refers to. Blocks while it reads the files, so it must not be
    /// called from an async task.
    ///
    /// File types are detected by content, not by name. A damaged file is used up to the
    /// damage, which is reported in [`Self::problems`]. From a directory, the files with
    /// the extensions of archives are read.
    pub fn open(paths: &[PathBuf]) -> Result<Self, ArchiveError> {
        let mut index = Index::default();
        let mut problems = Vec::new();
        let (mut warcs, mut indexes) = (Vec::new(), Vec::new());
        let paths = expand_directories(paths)?;
        for path in &paths {
            let is_warc = warc::is_warc(open(path)?).map_err(|source| file_error(path, source))?;
            if is_warc { warcs.push(path) } else { indexes.push(path) }
        }
        for path in indexes {
            problems.extend(read_index(&mut index, path)?);
        }
        for path in warcs {
            if !index.has_file(path) {
                problems.extend(read_warc(&mut index, path)?);
            }
        }
        index.sort();
        Ok(Self { index: Arc::new(index), problems })
    }

    /// Returns the problems found while opening.
    pub fn problems(&self) -> &[LocalProblem] {
        &self.problems
    }
}

/// Replaces each directory by its archive files, sorted by name.
fn expand_directories(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ArchiveError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|source| file_error(path, source))?;
        let mut names: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
        names.retain(|name| has_archive_extension(name));
        names.sort();
        files.append(&mut names);
    }
    Ok(files)
}

fn has_archive_extension(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    FILE_EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

/// Opens a regular file. Devices and pipes are rejected because they may be
/// endless.
fn open(path: &Path) -> Result<BufReader<File>, ArchiveError> {
    let opened = path.metadata().and_then(|metadata| {
        if metadata.is_file() {
            File::open(path)
        } else {
            Err(Error::new(ErrorKind::InvalidInput, "not a regular file"))
        }
    });
    opened.map(BufReader::new).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: Error) -> ArchiveError {
    ArchiveError::File { path: path.display().to_string(), source }
}

/// Adds the captures of an index file. Returns a problem if a part of the file was not used.
fn read_index(index: &mut Index, path: &Path) -> Result<Option<LocalProblem>, ArchiveError> {
    let problem =
        |message: &str| Ok(Some(LocalProblem { path: path.to_owned(), message: message.into() }));
    let mut bytes = Vec::new();
    let result = open(path)?.take(MAX_INDEX_BYTES).read_to_end(&mut bytes);
    let length = result.map_err(|source| file_error(path, source))?;
    let is_truncated = length as u64 == MAX_INDEX_BYTES;
    let max_rows = MAX_CAPTURES.saturating_sub(index.len());
    let Some(response) = cdx::parse(&bytes, max_rows, is_truncated) else {
        return problem("neither a WARC file nor an index");
    };
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut skipped = response.skipped;
    for row in &response.rows {
        match IndexedCapture::from_row(row, directory, index) {
            Some(capture) => index.add(capture),
            None => skipped += 1,
        }
    }
    match (response.is_truncated, skipped) {
        (true, _) => problem("too long: only a part was read"),
        (_, 1..) => problem(&format!("{skipped} invalid rows")),
        _ => Ok(None),
    }
}

/// Adds the captures of a WARC file. Returns a problem if a part of the file was not used.
fn read_warc(index: &mut Index, path: &Path) -> Result<Option<LocalProblem>, ArchiveError> {
    let problem = |message: String| Ok(Some(LocalProblem { path: path.to_owned(), message }));
    let file_number = index.add_file(path);
    let mut records = Records::new(open(path)?);
    loop {
        match records.next_record() {
            Ok(Some(mut record)) => {
                if let Some(capture) = IndexedCapture::from_record(&mut record, file_number) {
                    index.add(capture);
                }
            }
            Ok(None) => return Ok(None),
            Err(damage) => return problem(format!("damaged: {damage}")),
        }
        if index.len() >= MAX_CAPTURES {
            return problem("too many captures: only a part was read".to_owned());
        }
    }
}

impl Index {
    /// Reads the response of a capture. A revisit has no body. Its replay has the body of
    /// the original capture.
    fn replay(&self, indexed: &IndexedCapture) -> Result<Option<Replay>, ArchiveError> {
        let Some(mut payload) = self.payload(indexed)? else { return Ok(None) };
        if indexed.capture.is_revisit {
            let Some(original) = self.original_of(indexed) else { return Ok(None) };
            let Some(original_payload) = self.payload(original)? else { return Ok(None) };
            payload = payload.with_body_of(original_payload);
        }
        Ok(Some(payload.into_replay(&indexed.capture)))
    }

    /// Reads the response of a capture. Returns `None` if the file no longer contains the
    /// capture.
    fn payload(&self, indexed: &IndexedCapture) -> Result<Option<Payload>, ArchiveError> {
        let path = self.path(indexed);
        let mut file = open(path)?;
        file.seek(SeekFrom::Start(indexed.offset)).map_err(|source| file_error(path, source))?;
        let mut records = Records::new(file);
        if records.skip(indexed.offset_in_member).is_err() {
            return Ok(None);
        }
        // The file may have changed since it was indexed.
        let Ok(Some(mut record)) = records.next_record() else { return Ok(None) };
        let is_match = record.matches(&indexed.capture.url, indexed.capture.captured_at);
        Ok(is_match.then(|| Payload::read(&mut record)))
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
        let Some(indexed) = self.index.find(capture).cloned() else { return Ok(None) };
        let index = Arc::clone(&self.index);
        let result = tokio::task::spawn_blocking(move || index.replay(&indexed)).await;
        result.unwrap_or(Ok(None))
    }

    async fn nearest(&self, url: &Url, when: Timestamp) -> Result<Option<Snapshot>, ArchiveError> {
        let order = CaptureOrder::Nearest(when);
        let query = CaptureQuery { order, limit: 1, ..CaptureQuery::new(url.clone()) };
        Ok(self.index.list(&query).captures.first().and_then(Capture::snapshot))
    }
}

#[cfg(test)]
mod tests;
