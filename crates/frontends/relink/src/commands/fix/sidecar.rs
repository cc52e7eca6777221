//! Sidecar files: lists of the original URLs of replaced links. HTML links do not need an
//! entry, because an attribute of the link contains the original URL.
//!
//! Each input directory has its own sidecar file, so that nothing outside of the inputs is
//! written. Entries are only appended. If an original URL cannot be recorded, its link is not
//! replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use relink_fix::{
    Edit, ReplacedLink, SIDECAR_NAME, addition_diff, decode_text, keeps_original, sidecar_entries,
};
use relink_model::{SourceLocation, Span};
use relink_repair::{DocumentFix, FixStatus, FixStyle, LinkFix};
use toml::Value;

use super::commit::{CommitKey, Committer, commit_key};
use super::patch::{patch_base, patch_label};

/// The links to record.
#[derive(Debug, Default)]
pub struct Sidecars {
    /// The replaced links and their commits, by input directory.
    links: BTreeMap<PathBuf, Vec<(CommitKey, ReplacedLink)>>,
    /// The checked sidecar files, by input directory. An error is the reason why entries
    /// cannot be appended.
    states: BTreeMap<PathBuf, Result<(), String>>,
}

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
    /// Rejects the repairs of a document below `root` whose original URLs cannot be recorded.
    /// Returns whether repairs were rejected.
    pub fn reject_unrecorded(
        &mut self,
        root: &Path,
        document: &DocumentFix,
        fixes: &mut [LinkFix],
        committer: Option<&Committer>,
    ) -> bool {
        let state = self.states.entry(root.to_owned()).or_insert_with(|| {
            let path = root.join(SIDECAR_NAME);
            let old = read_sidecar(&path)?;
            match committer {
                Some(committer) if old.is_some() => committer.check_sidecar(&path),
                _ => Ok(()),
            }
        });
        let Err(reason) = state else { return false };
        let reason = format!("the original URL cannot be written to `{SIDECAR_NAME}`: {reason}");
        let mut is_rejected = false;
        for (edit, link) in document.edits.iter().zip(&document.edited_links) {
            for fix in fixes.iter_mut() {
                if fix.location.location == *link && needs_entry(edit, *link, fix) {
                    fix.status = FixStatus::Rejected(reason.clone());
                    is_rejected = true;
                }
            }
        }
        is_rejected
    }

    /// Records the replaced links of a document below `root` that do not keep
    /// their original URL in an attribute.
    pub fn add(&mut self, root: &Path, document: &DocumentFix, fixes: &[LinkFix]) {
        let path = document.path.canonicalize().unwrap_or_else(|_| document.path.clone());
        let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        for (edit, link) in document.edits.iter().zip(&document.edited_links) {
            let fix = fixes.iter().find(|fix| fix.location.location == *link);
            let Some(fix) = fix.filter(|fix| needs_entry(edit, *link, fix)) else { continue };
            let replaced = ReplacedLink {
                file: file.clone(),
                url: decode_text(&document.old, &edit.new),
                original_url: decode_text(&document.old, &edit.old),
                version: fix.version.clone(),
            };
            self.links.entry(root.to_owned()).or_default().push((commit_key(fix), replaced));
        }
    }

    /// Reads the sidecar files and returns those with new entries, or the reason why a file
    /// cannot be changed.
    pub fn load(self) -> Vec<Result<Sidecar, (PathBuf, String)>> {
        let sidecars = self.links.into_iter().map(|(root, links)| load_sidecar(&root, links));
        let is_unchanged = |sidecar: &Result<Sidecar, _>| match sidecar {
            Ok(sidecar) => sidecar.entries.iter().all(|(_, text)| text.is_empty()),
            Err(_) => false,
        };
        sidecars.filter(|sidecar| !is_unchanged(sidecar)).collect()
    }
}

/// Whether the original URL of an edited link is recorded in the sidecar file.
fn needs_entry(edit: &Edit, link: SourceLocation, fix: &LinkFix) -> bool {
    // The edits of other ranges, such as parameters of a template, do not replace the URL.
    fix.style == FixStyle::Replace && edit.span == link.span && !keeps_original(&edit.new)
}

/// Returns the content of a sidecar file; `None` if the file does not exist. The error is the
/// reason why entries cannot be appended.
fn read_sidecar(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    // A symbolic link may lead to a file outside of the inputs.
    if metadata.is_symlink() {
        return Err("the file is a symbolic link".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.permissions().readonly() {
        return Err("the file is read-only".to_owned());
    }
    let content = fs::read(path).map_err(|error| error.to_string())?;
    if is_sidecar(&content) { Ok(Some(content)) } else { Err(NOT_A_SIDECAR.to_owned()) }
}

/// The reason why a file without the structure of a sidecar file is not changed.
const NOT_A_SIDECAR: &str = "the file does not have the format of `relink fix`";

/// Whether a file is empty or has the structure of a sidecar file, so that an entry can be
/// appended.
fn is_sidecar(content: &[u8]) -> bool {
    let table = str::from_utf8(content).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let Some(table) = table else { return false };
    if table.is_empty() {
        return true;
    }
    let is_list_of_tables =
        |value: &Value| value.as_array().is_some_and(|links| links.iter().all(Value::is_table));
    let has_version = table.get("version").and_then(Value::as_integer) == Some(1);
    has_version && table.get("link").is_none_or(is_list_of_tables)
}

/// Reads the sidecar file of an input directory and adds entries for `links`. The error is the
/// path of the file and the reason why the file cannot be changed.
fn load_sidecar(
    root: &Path,
    mut links: Vec<(CommitKey, ReplacedLink)>,
) -> Result<Sidecar, (PathBuf, String)> {
    // Sort by commit, because the first commit must contain the header of the file.
    links.sort_by(|(key, _), (other_key, _)| key.cmp(other_key));
    let path = root.join(SIDECAR_NAME);
    let old = read_sidecar(&path).map_err(|reason| (path.clone(), reason))?;
    let (keys, links): (Vec<_>, Vec<_>) = links.into_iter().unzip();
    let mut entries = sidecar_entries(old.as_deref().unwrap_or_default(), &links);
    if lacks_line_feed(old.as_deref())
        && let Some(first) = entries.iter_mut().find(|entry| !entry.is_empty())
    {
        first.insert(0, '\n');
    }
    Ok(Sidecar { path, old, entries: keys.into_iter().zip(entries).collect() })
}

/// Whether the last line of a file does not end with a line feed.
fn lacks_line_feed(content: Option<&[u8]>) -> bool {
    content.is_some_and(|content| !content.is_empty() && !content.ends_with(b"\n"))
}

impl Sidecar {
    /// Returns the appended text.
    pub fn added(&self) -> String {
        self.entries.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns the diff. Returns `None` if the old file does not end with a line feed, because
    /// the diff cannot describe this change.
    pub fn diff(&self) -> Option<Vec<u8>> {
        if lacks_line_feed(self.old.as_deref()) {
            return None;
        }
        let path = patch_label(patch_base().as_deref(), &self.path);
        addition_diff(&path, self.old.as_deref(), self.added().as_bytes())
    }

    /// Returns the file as a repaired document with one edit per entry, and the commit of
    /// each edit.
    pub fn into_document(self) -> (DocumentFix, Vec<CommitKey>) {
        let old = self.old.unwrap_or_default();
        let end_of_file = Span { start: old.len(), end: old.len() };
        let mut new = old.clone();
        let mut edits = Vec::new();
        let mut keys = Vec::new();
        for (key, text) in self.entries.into_iter().filter(|(_, text)| !text.is_empty()) {
            new.extend_from_slice(text.as_bytes());
            edits.push(Edit { span: end_of_file, old: Vec::new(), new: text.into_bytes() });
            keys.push(key);
        }
        let document = DocumentFix { path: self.path, old, new, edits, edited_links: Vec::new() };
        (document, keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_sidecar_accepts_only_files_to_which_an_entry_can_be_appended() {
        for text in ["", "# x\n", "version = 1\n", "version = 1\n\n[[link]]\nfile = \"a\"\n"] {
            assert!(is_sidecar(text.as_bytes()), "{text}");
        }
        for text in [
            "a: 1\n",
            "version = 2\n",
            "[package]\nname = \"a\"\n",
            "version = 1\nlink = 1\n",
            "version = 1\nlink = [1]\n",
        ] {
            assert!(!is_sidecar(text.as_bytes()), "{text}");
        }
    }
}
