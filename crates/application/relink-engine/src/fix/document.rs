//! Rewrites one document in memory.

use std::path::{Path, PathBuf};

use relink_fix::{Edit, LinkEdit, RefusedEdit, rewrite};
use relink_model::SourceLocation;
use relink_page::{DocumentFormat, Options};
use relink_ports::{FileError, Files};
use thiserror::Error;

use super::{FixStatus, LinkFix};
use crate::ReadOptions;
use crate::decompress::is_gzip;

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

/// Why a document cannot be repaired.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// The document is a web page or standard input.
    #[error("not a local file")]
    NotLocal,
    /// The document is compressed.
    #[error("compressed files are not edited")]
    Compressed,
    /// The document cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Rewrites a document with its fixes. Links that cannot be replaced become
/// rejected.
pub async fn plan_document(
    files: &dyn Files,
    read_options: &ReadOptions,
    links: &mut [LinkFix],
) -> Result<Option<DocumentFix>, DocumentError> {
    let Some(label) = links.first().map(|fix| fix.location.path.clone()) else { return Ok(None) };
    let path = local_path(&label).ok_or(DocumentError::NotLocal)?;
    let old = files.read(path).await?;
    if is_gzip(&old) {
        return Err(DocumentError::Compressed);
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

/// Returns the path of a document, if it is a local file.
fn local_path(label: &str) -> Option<&Path> {
    let is_web = label.starts_with("http://") || label.starts_with("https://");
    (!is_web && label != "-").then(|| Path::new(label))
}

fn reject(fixes: &mut [LinkFix], refused: &[RefusedEdit]) {
    for RefusedEdit { location, reason } in refused {
        for fix in fixes.iter_mut().filter(|fix| fix.location.location == *location) {
            fix.status = FixStatus::Rejected(reason.to_string());
        }
    }
}
