//! Writes repaired files, and restores them (`relink fix --undo`).
//!
//! The journal of a repair is a file next to the database, with one JSON line
//! per document: its path, its hashes before and after the repair, and the
//! edits. A line is on disk before its document is changed, so every change can be
//! undone after a crash. A document that was changed since the check or the repair is
//! never written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_fix::{Edit, apply, invert};
use relink_model::Span;
use relink_repair::DocumentFix;
use relink_report::human::counted;
use relink_report::printable;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::write::{create, replace, writable_path};
use crate::cli::FixArgs;
use crate::database::companion_path;
use crate::error::{CommandError, Exit};
use crate::settings::database_path;

/// The record of one changed document.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEntry {
    /// The absolute path.
    path: PathBuf,
    /// The hash of the document before the repair.
    old_hash: String,
    /// The hash of the document after the repair.
    new_hash: String,
    /// The edits, sorted by position.
    edits: Vec<JournalEdit>,
    /// Whether the repair created the file.
    #[serde(default)]
    is_new: bool,
}

/// One edit.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEdit {
    /// The byte offset in the old document.
    start: usize,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// The journal of one repair. The file is created with the first document.
pub struct Journal {
    directory: PathBuf,
    started_at: Timestamp,
    /// The id and the file of the journal; `None` before the first document.
    open_file: Option<(String, File)>,
}

impl Journal {
    /// Creates the journal of a repair that starts now.
    pub fn new(database: &Path, now: Timestamp) -> Self {
        Self { directory: journal_directory(database), started_at: now, open_file: None }
    }

    /// Returns the id of the journal, if a document was changed.
    pub fn id(&self) -> Option<&str> {
        self.open_file.as_ref().map(|(id, _)| id.as_str())
    }

    /// Records and writes a repaired document. The inner error is the reason why the
    /// document cannot be written.
    pub fn apply(&mut self, document: &DocumentFix) -> Result<Result<(), String>, CommandError> {
        let path = match writable_path(&document.path) {
            Ok(path) => path,
            Err(reason) => return Ok(Err(reason)),
        };
        self.append(&journal_entry(&path, document))?;
        Ok(replace(&path, &document.old, &document.new).map_err(|error| error.to_string()))
    }

    /// Records and creates a new file. The inner error is the reason why the file cannot
    /// be written.
    pub fn create(&mut self, document: &DocumentFix) -> Result<Result<(), String>, CommandError> {
        self.append(&JournalEntry { is_new: true, ..journal_entry(&document.path, document) })?;
        Ok(create(&document.path, &document.new).map_err(|error| error.to_string()))
    }

    fn append(&mut self, entry: &JournalEntry) -> Result<(), CommandError> {
        self.write_entry(entry).map_err(|error| {
            CommandError::internal("cannot write the journal for `--undo`")
                .cause(error.to_string())
                .hint("no file was changed after this error")
        })
    }

    fn write_entry(&mut self, entry: &JournalEntry) -> io::Result<()> {
        let (_, file) = match &mut self.open_file {
            Some(open_file) => open_file,
            none => none.insert(create_journal(&self.directory, self.started_at)?),
        };
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()
    }
}

/// Creates the journal file and returns its id. Two repairs within one second
/// get different ids.
fn create_journal(directory: &Path, now: Timestamp) -> io::Result<(String, File)> {
    fs::create_dir_all(directory)?;
    let base = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let mut suffix = 1;
    loop {
        let id = if suffix == 1 { base.clone() } else { format!("{base}-{suffix}") };
        let path = directory.join(format!("{id}.jsonl"));
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => suffix += 1,
            file => return Ok((id, file?)),
        }
    }
}

/// Returns the directory of the journals, such as `relink.db.fixes`.
fn journal_directory(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".fixes");
    name.into()
}

fn journal_entry(path: &Path, document: &DocumentFix) -> JournalEntry {
    let journal_edit = |edit: &Edit| JournalEdit {
        start: edit.span.start,
        old: edit.old.clone(),
        new: edit.new.clone(),
    };
    JournalEntry {
        path: path.to_owned(),
        old_hash: hash(&document.old),
        new_hash: hash(&document.new),
        edits: document.edits.iter().map(journal_edit).collect(),
        is_new: false,
    }
}

fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

/// Restores the files of a repair.
#[expect(clippy::print_stderr, reason = "the summary goes to stderr")]
pub fn undo(args: &FixArgs, id: &str) -> Result<Exit, CommandError> {
    let database = database_path(args.db.as_deref(), args.config.as_deref())?;
    let entries = read_journal(&journal_directory(&companion_path(&database)?), id)?;
    let mut restored = 0;
    let mut has_failed = false;
    for entry in entries.iter().rev() {
        match restore(entry) {
            Ok(is_changed) => restored += u64::from(is_changed),
            Err(error) => {
                has_failed = true;
                let path = entry.path.to_string_lossy();
                CommandError::usage(format!("cannot restore `{}`", printable(&path)))
                    .cause(error)
                    .warn();
            }
        }
    }
    eprintln!("restored {}", counted(restored, "file"));
    Ok(if has_failed { Exit::Findings } else { Exit::Clean })
}

fn read_journal(directory: &Path, id: &str) -> Result<Vec<JournalEntry>, CommandError> {
    // Reject an id such as `../x`, which would be a path to another file.
    let is_id = id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let path = directory.join(format!("{id}.jsonl"));
    let text = if is_id { fs::read_to_string(path).ok() } else { None };
    let text = text.ok_or_else(|| {
        CommandError::usage(format!("no repair with the id `{}`", printable(id)))
            .hint("`relink fix --apply` prints the id; use the same `--db`")
    })?;
    // Skip an incomplete last line: the program was killed before it changed the document.
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Restores one file. Returns whether it was changed, or the reason why it
/// cannot be restored.
fn restore(entry: &JournalEntry) -> Result<bool, String> {
    if entry.is_new && !entry.path.exists() {
        return Ok(false);
    }
    let current = fs::read(&entry.path).map_err(|error| error.to_string())?;
    let current_hash = hash(&current);
    // The file was restored before, or never changed.
    if current_hash == entry.old_hash {
        return Ok(false);
    }
    if current_hash != entry.new_hash {
        return Err("the file has changed since it was repaired".to_owned());
    }
    if entry.is_new {
        return fs::remove_file(&entry.path).map(|()| true).map_err(|error| error.to_string());
    }
    let edits: Vec<Edit> = entry.edits.iter().map(edit).collect();
    let old = apply(&current, &invert(&edits)).map_err(|error| error.to_string())?;
    if hash(&old) != entry.old_hash {
        return Err("the journal does not match the file".to_owned());
    }
    replace(&entry.path, &current, &old).map_err(|error| error.to_string())?;
    Ok(true)
}

fn edit(edit: &JournalEdit) -> Edit {
    let span = Span { start: edit.start, end: edit.start + edit.old.len() };
    Edit { span, old: edit.old.clone(), new: edit.new.clone() }
}
