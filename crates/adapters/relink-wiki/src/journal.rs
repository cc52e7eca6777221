//! The journal of edits: a file with one JSON object per line.
//!
//! An edit is recorded before it is sent, and its result afterwards. An edit without a
//! result was interrupted. It counts as saved if the page has a new revision.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use relink_ports::{WikiEditRecord, WikiJournal};
use serde::{Deserialize, Serialize};

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
enum JournalLine {
    /// An edit that is about to be sent.
    Edit { page: u64, title: String, base_revision: u64, urls: Vec<String>, edited_at: String },
    /// The result of the last edit of a page. An edit without a revision was rejected.
    Result { page: u64, revision: Option<u64> },
}

/// The state of the repair of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepairState {
    /// The edit was saved.
    Saved,
    /// An edit that is based on this revision was sent, and its result is unknown.
    Sent(u64),
}

/// A journal in a file, which is locked for other processes.
#[derive(Debug)]
pub struct JsonJournal {
    file: File,
    /// The states by page id and URL.
    repairs: HashMap<(u64, String), RepairState>,
}

impl JsonJournal {
    /// Opens or creates a journal.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not a journal, or is in use.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if file.try_lock().is_err() {
            return Err(io::Error::other("another process edits this wiki"));
        }
        let text = fs::read_to_string(path)?;
        let mut journal = Self { file, repairs: HashMap::new() };
        // A crash can leave an incomplete last line.
        if !text.is_empty() && !text.ends_with('\n') {
            journal.file.write_all(b"\n")?;
        }
        // The URLs of edits without a result, by the id of the page.
        let mut open_edits: HashMap<u64, Vec<String>> = HashMap::new();
        for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            journal.replay(line, &mut open_edits);
        }
        Ok(journal)
    }

    /// Applies a line of the file to the state in memory.
    fn replay(&mut self, line: JournalLine, open_edits: &mut HashMap<u64, Vec<String>>) {
        match line {
            JournalLine::Edit { page, base_revision, urls, .. } => {
                for url in &urls {
                    let sent = RepairState::Sent(base_revision);
                    self.repairs.entry((page, url.clone())).or_insert(sent);
                }
                open_edits.insert(page, urls);
            }
            JournalLine::Result { page, revision } => {
                for url in open_edits.remove(&page).unwrap_or_default() {
                    self.set_result(page, url, revision);
                }
            }
        }
    }

    /// Records the result of an edit. A rejected edit does not change an earlier saved repair.
    fn set_result(&mut self, page: u64, url: String, revision: Option<u64>) {
        let key = (page, url);
        if revision.is_some() {
            self.repairs.insert(key, RepairState::Saved);
        } else if self.repairs.get(&key) != Some(&RepairState::Saved) {
            self.repairs.remove(&key);
        }
    }

    /// Appends a line to the file.
    fn append(&mut self, line: &JournalLine) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

impl WikiJournal for JsonJournal {
    fn was_repaired(&self, page: u64, url: &str, revision: u64) -> bool {
        match self.repairs.get(&(page, url.to_owned())) {
            Some(RepairState::Saved) => true,
            Some(RepairState::Sent(base)) => *base != revision,
            None => false,
        }
    }

    fn begin(&mut self, record: &WikiEditRecord) -> io::Result<()> {
        self.append(&JournalLine::Edit {
            page: record.page,
            title: record.title.clone(),
            base_revision: record.base_revision,
            urls: record.urls.clone(),
            edited_at: record.edited_at.to_string(),
        })?;
        for url in &record.urls {
            let sent = RepairState::Sent(record.base_revision);
            self.repairs.entry((record.page, url.clone())).or_insert(sent);
        }
        Ok(())
    }

    fn finish(&mut self, page: u64, revision: Option<u64>) -> io::Result<()> {
        self.append(&JournalLine::Result { page, revision })?;
        let open_edits: Vec<String> = self
            .repairs
            .iter()
            .filter(|((id, _), state)| *id == page && matches!(state, RepairState::Sent(_)))
            .map(|((_, url), _)| url.clone())
            .collect();
        for url in open_edits {
            self.set_result(page, url, revision);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an edit of revision 10.
    fn record(page: u64, url: &str) -> WikiEditRecord {
        WikiEditRecord {
            page,
            title: format!("Page {page}"),
            base_revision: 10,
            urls: vec![url.to_owned()],
            edited_at: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn saved_edit_is_known_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/journal.jsonl");
        let mut journal = JsonJournal::open(&path).unwrap();
        journal.begin(&record(1, "http://a.test/")).unwrap();
        journal.finish(1, Some(11)).unwrap();
        journal.begin(&record(2, "http://a.test/")).unwrap();
        journal.finish(2, None).unwrap();
        assert!(journal.was_repaired(1, "http://a.test/", 12));
        drop(journal);
        let journal = JsonJournal::open(&path).unwrap();
        assert!(journal.was_repaired(1, "http://a.test/", 12));
        assert!(!journal.was_repaired(1, "http://b.test/", 12));
        assert!(!journal.was_repaired(2, "http://a.test/", 10));
    }

    #[test]
    fn interrupted_edit_counts_if_the_page_has_a_new_revision() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.jsonl");
        JsonJournal::open(&path).unwrap().begin(&record(1, "http://a.test/")).unwrap();
        fs::write(&path, format!("{}{{\"event\"", fs::read_to_string(&path).unwrap())).unwrap();
        let journal = JsonJournal::open(&path).unwrap();
        assert!(!journal.was_repaired(1, "http://a.test/", 10));
        assert!(journal.was_repaired(1, "http://a.test/", 11));
    }

    #[test]
    fn journal_is_locked() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.jsonl");
        let _journal = JsonJournal::open(&path).unwrap();
        let error = JsonJournal::open(&path).unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
    }
}
