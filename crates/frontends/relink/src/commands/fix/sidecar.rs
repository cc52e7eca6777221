//! Sidecar files: they list the original URLs of replaced links in formats without
//! attributes. In HTML, an attribute of the link contains its original URL.
//!
//! Each input directory has its own file, so that nothing outside of the inputs
//! is written. Entries are only appended.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use relink_fix::{
    Edit, ReplacedLink, SIDECAR_NAME, addition_diff, keeps_original, sidecar_entries,
};
use relink_model::Span;
use relink_repair::{DocumentFix, FixStyle, LinkFix};

use super::commit::{CommitKey, commit_key};

/// The links to record, by input directory.
#[derive(Debug, Default)]
pub struct Sidecars(BTreeMap<PathBuf, Vec<(CommitKey, ReplacedLink)>>);

/// A sidecar file with new entries.
#[derive(Debug)]
pub struct Sidecar {
    /// The absolute path.
    pub path: PathBuf,
    /// The content before; `None` if the file does not exist.
    pub old: Option<Vec<u8>>,
    /// The appended text of each entry, and the commit to which the entry belongs. The
    /// text is empty if the file already has the entry.
    pub entries: Vec<(CommitKey, String)>,
}

impl Sidecars {
    /// Records the replaced links of a document below `root` that do not keep
    /// their original URL in an attribute.
    pub fn add(&mut self, root: &Path, document: &DocumentFix, fixes: &[LinkFix]) {
        let path = document.path.canonicalize().unwrap_or_else(|_| document.path.clone());
        let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        for (edit, link) in document.edits.iter().zip(&document.edited_links) {
            let fix = fixes.iter().find(|fix| fix.location.location == *link);
            let Some(fix) = fix.filter(|fix| fix.style == FixStyle::Replace) else { continue };
            if keeps_original(&edit.new) {
                continue;
            }
            let replaced = ReplacedLink {
                file: file.clone(),
                url: String::from_utf8_lossy(&edit.new).into_owned(),
                original_url: String::from_utf8_lossy(&edit.old).into_owned(),
                version: fix.version.clone(),
            };
            self.0.entry(root.to_owned()).or_default().push((commit_key(fix), replaced));
        }
    }

    /// Reads the sidecar files and returns those with new entries.
    pub fn load(self) -> Vec<Sidecar> {
        let is_new = |sidecar: &Sidecar| sidecar.entries.iter().any(|(_, text)| !text.is_empty());
        self.0.into_iter().map(load).filter(is_new).collect()
    }
}

fn load((root, mut links): (PathBuf, Vec<(CommitKey, ReplacedLink)>)) -> Sidecar {
    // Sort by commit: the first entry contains the header of the file.
    links.sort_by(|(a, _), (b, _)| a.cmp(b));
    let path = root.join(SIDECAR_NAME);
    let old = fs::read(&path).ok();
    let (keys, links): (Vec<_>, Vec<_>) = links.into_iter().unzip();
    let mut entries = sidecar_entries(old.as_deref().unwrap_or_default(), &links);
    let lacks_line_feed = old.as_ref().is_some_and(|old| !old.is_empty() && !old.ends_with(b"\n"));
    if let Some(entry) = entries.iter_mut().find(|entry| !entry.is_empty() && lacks_line_feed) {
        entry.insert(0, '\n');
    }
    Sidecar { path, old, entries: keys.into_iter().zip(entries).collect() }
}

impl Sidecar {
    /// Returns the appended text.
    pub fn added(&self) -> String {
        self.entries.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns the diff, with a path relative to the current directory. Returns `None` if
    /// the old file does not end with a line feed, which the diff cannot describe.
    pub fn diff(&self) -> Option<Vec<u8>> {
        if self.old.as_ref().is_some_and(|old| !old.is_empty() && !old.ends_with(b"\n")) {
            return None;
        }
        let current = std::env::current_dir().and_then(|path| path.canonicalize()).ok();
        let path = current.and_then(|current| self.path.strip_prefix(current).ok());
        let path = path.unwrap_or(&self.path).to_string_lossy().replace('\\', "/");
        addition_diff(path.trim_start_matches('/'), self.old.as_deref(), self.added().as_bytes())
    }

    /// Returns the file as a repaired document with one edit per entry, and the commit of
    /// each edit.
    pub fn into_document(self) -> (DocumentFix, Vec<CommitKey>) {
        let old = self.old.unwrap_or_default();
        let end = Span { start: old.len(), end: old.len() };
        let (mut new, mut edits, mut keys) = (old.clone(), Vec::new(), Vec::new());
        for (key, text) in self.entries.into_iter().filter(|(_, text)| !text.is_empty()) {
            new.extend_from_slice(text.as_bytes());
            edits.push(Edit { span: end, old: Vec::new(), new: text.into_bytes() });
            keys.push(key);
        }
        let document = DocumentFix { path: self.path, old, new, edits, edited_links: Vec::new() };
        (document, keys)
    }
}
