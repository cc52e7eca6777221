//! Rewrites one document in memory.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use relink_fix::{Edit, EditError, LinkEdit, RefusedEdit, apply, rewrite};
use relink_model::{SourceLocation, Span};
use relink_page::{DocumentFormat, Options};
use relink_ports::{FileError, Files};
use thiserror::Error;

use super::{FixStatus, LinkFix};
use relink_documents::{ReadOptions, content_hash, is_gzip};

/// A document before and after its repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFix {
    /// The path of the document.
    pub path: PathBuf,
    /// The bytes before the repairs.
    pub old: Vec<u8>,
    /// The bytes after the repairs.
    pub new: Vec<u8>,
    /// The edits, by position.
    pub edits: Vec<Edit>,
    /// The location of the link of each edit, in the order of `edits`.
    pub edited_links: Vec<SourceLocation>,
}

/// One step of the change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixStep<'a, K> {
    /// The key that the edits of the change share.
    pub key: K,
    /// The bytes before the change.
    pub old: Cow<'a, [u8]>,
    /// The bytes after the change.
    pub new: Cow<'a, [u8]>,
    /// Number of links whose edits belong to the change.
    pub links: usize,
}

impl DocumentFix {
    /// Splits the change of the document into consecutive steps: one for each key, in the
    /// order of the keys. `key_of` returns the key of the edits of a link.
    ///
    /// # Errors
    ///
    /// Fails if the edits do not fit the document.
    pub fn steps<K: Ord + Copy>(
        &self,
        key_of: impl Fn(SourceLocation) -> K,
    ) -> Result<Vec<FixStep<'_, K>>, EditError> {
        let keys: Vec<K> = self.edited_links.iter().map(|link| key_of(*link)).collect();
        let mut links_by_key: BTreeMap<K, BTreeSet<Span>> = BTreeMap::new();
        for (key, link) in keys.iter().zip(&self.edited_links) {
            links_by_key.entry(*key).or_default().insert(link.span);
        }
        let last_key = links_by_key.last_key_value().map(|(key, _)| *key);
        let mut old = Cow::Borrowed(&*self.old);
        let mut steps = Vec::with_capacity(links_by_key.len());
        for (key, links) in links_by_key {
            let new = if Some(key) == last_key {
                Cow::Borrowed(&*self.new)
            } else {
                // Apply the edits of this step and of all earlier steps.
                let edit_up_to_key =
                    |(edit, edit_key): (&Edit, &K)| (*edit_key <= key).then(|| edit.clone());
                let edits: Vec<Edit> =
                    self.edits.iter().zip(&keys).filter_map(edit_up_to_key).collect();
                Cow::Owned(apply(&self.old, &edits)?)
            };
            steps.push(FixStep { key, old, new: new.clone(), links: links.len() });
            old = new;
        }
        Ok(steps)
    }
}

/// Why a document cannot be repaired.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// The document is a web page or standard input.
    #[error("not a local file")]
    NotLocal,
    /// The document is compressed.
    #[error("compressed files are not edited")]
    Compressed,
    /// The document was changed after its links were read.
    #[error("the document has changed since it was checked")]
    Changed,
    /// The document cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Rewrites a document with the fixes that are ready. `links` are the fixes of one
/// document. A fix becomes rejected if its link cannot be edited. Returns `None` if
/// nothing was edited. `checked_hash` is the hash of the checked content, or `None` if the
/// caller detects changes in another way.
///
/// # Errors
///
/// Fails if the document cannot be edited, or if its content is not the checked one.
pub async fn plan_document(
    files: &dyn Files,
    read_options: &ReadOptions,
    checked_hash: Option<u64>,
    links: &mut [LinkFix],
) -> Result<Option<DocumentFix>, DocumentError> {
    let Some(label) = links.first().map(|fix| fix.location.path.clone()) else { return Ok(None) };
    let path = local_path(&label).ok_or(DocumentError::NotLocal)?;
    let old = files.read(path).await?;
    if is_gzip(&old) {
        return Err(DocumentError::Compressed);
    }
    if checked_hash.is_some_and(|hash| hash != content_hash(&old)) {
        return Err(DocumentError::Changed);
    }
    let format =
        read_options.format.unwrap_or_else(|| DocumentFormat::from_file(Some(&label), &old));
    let options =
        Options { column: read_options.column.clone(), ..Options::from_file_name(&label) };
    let ready: Vec<LinkEdit> = links
        .iter()
        .filter(|fix| fix.status == FixStatus::Ready)
        .map(|fix| fix.edit(format))
        .collect();
    let rewritten = rewrite(format, &options, &old, &ready);
    reject(links, &rewritten.refused);
    let document = DocumentFix {
        path: path.to_owned(),
        old,
        new: rewritten.bytes,
        edits: rewritten.edits,
        edited_links: rewritten.edited_links,
    };
    Ok((!document.edits.is_empty()).then_some(document))
}

/// Rejects the repairs that need a review but cannot be written, for example because an earlier
/// run has written them. `repairs` is sorted by document.
pub async fn reject_unwritable(
    files: &dyn Files,
    read_options: &ReadOptions,
    repairs: &mut [LinkFix],
) {
    let is_same_document =
        |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    for document in repairs.chunk_by_mut(is_same_document) {
        let needs_review = |fix: &&LinkFix| matches!(fix.status, FixStatus::NeedsReview(_));
        let mut tried: Vec<LinkFix> = document.iter().filter(needs_review).cloned().collect();
        for fix in &mut tried {
            fix.status = FixStatus::Ready;
        }
        // A document that cannot be read is reported when it is rewritten.
        if tried.is_empty() || plan_document(files, read_options, None, &mut tried).await.is_err() {
            continue;
        }
        let reviewed =
            document.iter_mut().filter(|fix| matches!(fix.status, FixStatus::NeedsReview(_)));
        for (fix, tried) in reviewed.zip(tried) {
            if tried.status != FixStatus::Ready {
                fix.status = tried.status;
            }
        }
    }
}

/// Returns the path of a document, if it is a local file.
fn local_path(label: &str) -> Option<&Path> {
    let is_web = label.starts_with("http://") || label.starts_with("https://");
    (!is_web && label != "-").then(|| Path::new(label))
}

/// Marks the fixes whose edits were refused as rejected.
fn reject(fixes: &mut [LinkFix], refused: &[RefusedEdit]) {
    for RefusedEdit { location, reason } in refused {
        for fix in fixes.iter_mut().filter(|fix| fix.location.location == *location) {
            fix.status = FixStatus::Rejected(reason.to_string());
        }
    }
}
