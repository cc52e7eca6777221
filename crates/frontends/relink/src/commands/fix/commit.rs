//! `relink fix --commit`: writes the repairs and commits them, one commit per
//! cause and host.
//!
//! Files with uncommitted changes are not touched, so a commit contains nothing
//! but repairs. If git rejects a commit, its files are restored.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use relink_files::{GitFileState, GitWorkTree};
use relink_fix::{Edit, apply};
use relink_model::SourceLocation;
use relink_repair::{DocumentFix, FixStatus, FixStyle, LinkFix};
use relink_report::{FixCommitRow, commit_message, printable};
use url::Url;

use super::report::row;
use super::sidecar::Sidecar;
use super::write::{create, replace, writable_path};
use crate::error::CommandError;

/// Identifies a commit: the cause, the style and the host of its repairs.
pub type CommitKey = (&'static str, &'static str, String);

/// A document to commit. Its edits can belong to several commits.
struct CommitDocument {
    path: PathBuf,
    document: DocumentFix,
    /// The commit of each edit, in the order of the edits.
    keys: Vec<CommitKey>,
}

/// Collects the repaired documents of one work tree, and commits them.
pub struct Committer {
    tree: GitWorkTree,
    documents: Vec<CommitDocument>,
}

impl Committer {
    /// Opens the work tree of the current directory.
    pub fn open() -> Result<Self, CommandError> {
        let tree = GitWorkTree::containing(Path::new(".")).map_err(|error| {
            CommandError::usage("cannot commit the repairs")
                .cause(error.to_string())
                .hint("run the command in a git work tree, or use `--apply`")
        })?;
        Ok(Self { tree, documents: Vec::new() })
    }

    /// Adds a repaired document. Returns the reason if it cannot be committed.
    pub fn add(&mut self, document: &DocumentFix, fixes: &[LinkFix]) -> Result<(), String> {
        let path = writable_path(&document.path)?;
        match self.tree.state(&path) {
            GitFileState::Clean => {}
            GitFileState::Changed => return Err("the file has uncommitted changes".to_owned()),
            GitFileState::Untracked => {
                return Err("the file is not in the git repository".to_owned());
            }
        }
        let keys = document.edited_links.iter().map(|link| key_of_link(fixes, *link)).collect();
        self.documents.push(CommitDocument { path, document: document.clone(), keys });
        Ok(())
    }

    /// Returns the reason why an existing sidecar file cannot be committed.
    pub fn check_sidecar(&self, path: &Path) -> Result<(), String> {
        match self.tree.state(path) {
            GitFileState::Changed => Err("the file has uncommitted changes".to_owned()),
            GitFileState::Clean | GitFileState::Untracked => Ok(()),
        }
    }

    /// Adds a sidecar file. Returns the reason if it cannot be committed.
    pub fn add_sidecar(&mut self, sidecar: Sidecar) -> Result<(), String> {
        let is_new = sidecar.old.is_none();
        if !is_new {
            self.check_sidecar(&sidecar.path)?;
        }
        let (document, keys) = sidecar.into_document();
        let path = document.path.clone();
        self.documents.push(CommitDocument { path, document, keys });
        Ok(())
    }

    /// Writes and commits all documents, one commit per key in the order of the keys.
    /// Returns the commits.
    pub fn commit(self, fixes: &[LinkFix]) -> Result<Vec<FixCommitRow>, CommandError> {
        let mut keys: Vec<&CommitKey> =
            self.documents.iter().flat_map(|document| &document.keys).collect();
        keys.sort_unstable();
        keys.dedup();
        let by_key = fixes_by_key(fixes);
        let mut commits = Vec::new();
        for key in keys {
            let rows: Vec<_> = by_key.get(key).into_iter().flatten().map(|fix| row(fix)).collect();
            let (_, _, host) = key;
            let message = commit_message(host, &rows);
            let id = self.create_commit(key, &message).map_err(|cause| {
                CommandError::usage("cannot commit the repairs").cause(cause).hint(format!(
                    "the files of this commit were restored; {} commits were created before",
                    commits.len()
                ))
            })?;
            let subject = message.lines().next().unwrap_or_default().to_owned();
            commits.push(FixCommitRow { id, subject });
        }
        Ok(commits)
    }

    /// Writes the edits of one commit and creates it.
    fn create_commit(&self, key: &CommitKey, message: &str) -> Result<String, String> {
        let mut written_files = Vec::new();
        let result = self.write_edits(key, &mut written_files).and_then(|()| {
            let paths: Vec<PathBuf> =
                written_files.iter().map(|file| file.path.to_owned()).collect();
            self.tree.commit(message, &paths).map_err(|error| error.to_string())
        });
        if result.is_err() {
            for file in written_files {
                // Ignore the error: the error of git, which is returned, is more useful.
                let _ = file.restore();
            }
        }
        result
    }

    /// Writes the edits of one commit to all documents. Adds each changed file to
    /// `written_files`.
    fn write_edits<'a>(
        &'a self,
        key: &CommitKey,
        written_files: &mut Vec<WrittenFile<'a>>,
    ) -> Result<(), String> {
        for document in self.documents.iter().filter(|document| document.keys.contains(key)) {
            // The file has the edits of the earlier commits, which have smaller keys.
            let before = document.content(|edit_key| edit_key < key)?;
            let after = document.content(|edit_key| edit_key <= key)?;
            let is_new = before.is_empty() && !document.path.exists();
            let file = WrittenFile { path: &document.path, before, after, is_new };
            file.write().map_err(|error| {
                format!("{}: {error}", printable(&document.path.to_string_lossy()))
            })?;
            written_files.push(file);
        }
        Ok(())
    }
}

/// A file of a commit, with its content before and after the commit.
struct WrittenFile<'a> {
    path: &'a Path,
    before: Vec<u8>,
    after: Vec<u8>,
    is_new: bool,
}

impl WrittenFile<'_> {
    fn write(&self) -> io::Result<()> {
        if self.is_new {
            return create(self.path, &self.after);
        }
        replace(self.path, &self.before, &self.after)
    }

    fn restore(&self) -> io::Result<()> {
        if self.is_new {
            return std::fs::remove_file(self.path);
        }
        replace(self.path, &self.after, &self.before)
    }
}

impl CommitDocument {
    /// Returns the document with the edits whose key matches `is_included`.
    fn content(&self, is_included: impl Fn(&CommitKey) -> bool) -> Result<Vec<u8>, String> {
        let edits_with_keys = self.document.edits.iter().zip(&self.keys);
        let edits: Vec<Edit> = edits_with_keys
            .filter(|(_, key)| is_included(key))
            .map(|(edit, _)| edit.clone())
            .collect();
        apply(&self.document.old, &edits).map_err(|error| error.to_string())
    }
}

/// Returns the commit that contains the edit of a link.
fn key_of_link(fixes: &[LinkFix], link: SourceLocation) -> CommitKey {
    let fix = fixes.iter().find(|fix| fix.location.location == link);
    fix.map_or_else(|| ("", "", String::new()), commit_key)
}

/// Returns the commit to which a repair belongs.
pub fn commit_key(fix: &LinkFix) -> CommitKey {
    let host = Url::parse(&fix.old_url).ok();
    let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
    (fix.cause.name(), style_name(fix.style), host.to_owned())
}

/// Returns the name of a style in reports.
pub fn style_name(style: FixStyle) -> &'static str {
    match style {
        FixStyle::Replace => "replace",
        FixStyle::SecondLink => "beside",
        FixStyle::Annotate => "annotate",
        FixStyle::Restore | FixStyle::Unmark => "restore",
    }
}

fn fixes_by_key(fixes: &[LinkFix]) -> BTreeMap<CommitKey, Vec<&LinkFix>> {
    let mut by_key: BTreeMap<CommitKey, Vec<&LinkFix>> = BTreeMap::new();
    for fix in fixes.iter().filter(|fix| fix.status == FixStatus::Ready) {
        by_key.entry(commit_key(fix)).or_default().push(fix);
    }
    by_key
}
