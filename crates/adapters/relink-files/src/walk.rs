//! From what the user gave to a list of documents, each once.
//!
//! Inputs keep their order; what one input stands for is sorted by the bytes
//! of its path, so that two runs over the same tree see the same list. The
//! system is asked once per file; no file is opened.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::sync::PoisonError;

use ignore::WalkBuilder;
use relink_ports::{DocumentSource, FileError, WalkResult};

use crate::formats::is_document;
use crate::ignore_files::{self, Refused};
use crate::open::require_regular;
use crate::pattern::{GlobPattern, is_pattern};
use crate::{IgnoredFiles, LocalFilesSettings, error};

/// Every document the inputs stand for.
pub(crate) fn documents(
    settings: &LocalFilesSettings,
    inputs: &[PathBuf],
) -> Result<WalkResult, FileError> {
    let expanded =
        inputs.iter().map(|input| expand(settings, input)).collect::<Result<Vec<_>, _>>()?;
    let is_surely_distinct = matches!(&*expanded, [alone] if !alone.has_links);
    let mut walked = WalkResult::default();
    for found in expanded {
        walked.documents.extend(found.documents);
        walked.unreadable.extend(found.unreadable);
    }
    if !is_surely_distinct {
        let mut seen = HashSet::new();
        walked.documents.retain(|document| seen.insert(identity(&document.path)));
    }
    make_labels_distinct(&mut walked.documents);
    Ok(walked)
}

/// Two paths that are not UTF-8 may have the same label. All but the first are
/// shown with their bytes escaped, as in `a\xFF.md`.
fn make_labels_distinct(documents: &mut [DocumentSource]) {
    if documents.iter().all(|document| document.path.to_str().is_some()) {
        return;
    }
    let mut seen = HashSet::new();
    for document in documents {
        if !seen.insert(document.label.clone()) && document.path.to_str().is_none() {
            document.label = bytes(&document.path).escape_ascii().to_string();
        }
    }
}

/// The documents that one input stands for.
struct Expanded {
    documents: Vec<DocumentSource>,
    /// Whether a symbolic link is among them. Without one, no two of them are
    /// the same file, and a tree of thousands need not be asked for it.
    has_links: bool,
    /// Directories that could not be looked into, and documents that are not
    /// regular files.
    unreadable: Vec<FileError>,
}

/// What makes two paths the same file. What has no canonical path, such as a
/// pipe, is only itself.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The documents one input stands for.
fn expand(settings: &LocalFilesSettings, input: &Path) -> Result<Expanded, FileError> {
    let path = settings.root.join(input);
    let label = input.to_string_lossy().into_owned();
    match path.metadata() {
        Ok(found) if found.is_dir() => in_directory(settings, input),
        // The user named it, so its extension and ignore files do not matter.
        Ok(_) => {
            let documents = vec![DocumentSource { label, path }];
            Ok(Expanded { documents, has_links: false, unreadable: Vec::new() })
        }
        // A file may be called `a[1].md`; only what is not there can be a
        // pattern.
        Err(_) if input.to_str().is_some_and(is_pattern) => matching(settings, &label),
        Err(source) => Err(error(input, source)),
    }
}

/// The documents in a directory and below.
fn in_directory(settings: &LocalFilesSettings, input: &Path) -> Result<Expanded, FileError> {
    let top = settings.root.join(input);
    let mut walk = walker(settings, &top);
    files(&mut walk, settings, &top, &as_prefix(&input.to_string_lossy()), is_document)
}

/// The files a pattern stands for; at least one.
fn matching(settings: &LocalFilesSettings, input: &str) -> Result<Expanded, FileError> {
    let pattern = GlobPattern::read(input)?;
    let no_match = || FileError::NoMatch { pattern: input.to_owned() };
    let top = settings.root.join(as_place(&pattern.base));
    if !top.is_dir() {
        return Err(no_match());
    }
    let mut walk = walker(settings, &top);
    walk.max_depth(pattern.depth);
    if pattern.names_hidden {
        walk.hidden(false);
    }
    let found = files(&mut walk, settings, &top, &pattern.base, |below| pattern.takes(below))?;
    if found.documents.is_empty() {
        return Err(no_match());
    }
    Ok(found)
}

/// A walk from one directory, under the settings.
fn walker(settings: &LocalFilesSettings, directory: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(directory);
    // An ignore file means what it says in an unpacked archive too, where
    // there is no `.git` beside it.
    walk.standard_filters(settings.ignored == IgnoredFiles::Skip)
        .require_git(false)
        .follow_links(false);
    walk
}

/// The files of a walk that are `meant`, sorted, labelled with the prefix.
fn files(
    walk: &mut WalkBuilder,
    settings: &LocalFilesSettings,
    top: &Path,
    prefix: &str,
    meant: impl Fn(&Path) -> bool,
) -> Result<Expanded, FileError> {
    if settings.ignored == IgnoredFiles::Take {
        return collect(walk, top, prefix, meant);
    }
    let mut refused = Vec::from_iter(ignore_files::refused_above(top));
    if refused.is_empty() {
        let found_refused = ignore_files::skip_refused(walk);
        let found = collect(walk, top, prefix, &meant)?;
        refused.append(&mut found_refused.lock().unwrap_or_else(PoisonError::into_inner));
        if refused.is_empty() {
            return Ok(found);
        }
    }
    ignore_files::disregard(walk);
    let mut found = collect(walk, top, prefix, meant)?;
    found.unreadable.extend(refused.into_iter().map(|file| unused_ignore_file(prefix, top, file)));
    Ok(found)
}

/// The files of one walk that are `meant`.
fn collect(
    walk: &WalkBuilder,
    top: &Path,
    prefix: &str,
    meant: impl Fn(&Path) -> bool,
) -> Result<Expanded, FileError> {
    let (mut found, mut has_links, mut errors) = (Vec::new(), false, Vec::new());
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if has_vanished(&error) => continue,
            // The other directories can be read all the same.
            Err(error) if path_of(&error).is_some_and(|path| path != top) => {
                errors.push(unreadable(prefix, top, error));
                continue;
            }
            Err(error) => return Err(unreadable(prefix, top, error)),
        };
        let Ok(below) = entry.path().strip_prefix(top) else {
            continue;
        };
        if !meant(below) {
            continue;
        }
        let label = format!("{prefix}{}", below.to_string_lossy());
        match readability(&entry) {
            Readability::Readable => {
                has_links |= entry.path_is_symlink();
                found.push(DocumentSource { label, path: entry.into_path() });
            }
            Readability::Special(source) => {
                errors.push(FileError::Unreadable { path: label, source });
            }
            Readability::Skipped => {}
        }
    }
    found.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    Ok(Expanded { documents: found, has_links, unreadable: errors })
}

/// Whether an entry can be read as a document.
enum Readability {
    /// A file, or a symbolic link to one.
    Readable,
    /// A device, pipe or socket, or a symbolic link to one.
    Special(io::Error),
    /// A directory, or a symbolic link that leads nowhere or to a directory,
    /// which may lead in a circle.
    Skipped,
}

fn readability(entry: &ignore::DirEntry) -> Readability {
    match entry.file_type() {
        Some(kind) if kind.is_file() => return Readability::Readable,
        Some(kind) if kind.is_dir() => return Readability::Skipped,
        _ => {}
    }
    let Ok(target) = entry.path().metadata() else { return Readability::Skipped };
    match require_regular(&target) {
        _ if target.is_dir() => Readability::Skipped,
        Ok(()) => Readability::Readable,
        Err(source) => Readability::Special(source),
    }
}

/// Reports an ignore file that is not read, and what follows from it.
fn unused_ignore_file(prefix: &str, top: &Path, (path, error): Refused) -> FileError {
    let label = match path.strip_prefix(top) {
        Ok(below) => format!("{prefix}{}", below.to_string_lossy()),
        Err(_) => path.to_string_lossy().into_owned(),
    };
    let text = format!("{error}; no ignore file of `{}` is applied", as_place(prefix));
    FileError::Unreadable { path: label, source: io::Error::new(error.kind(), text) }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// What stands before the path of everything below a directory, as the user
/// would write it.
fn as_prefix(input: &str) -> String {
    match input {
        "." => String::new(),
        _ if input.ends_with(is_separator) => input.to_owned(),
        _ => format!("{input}/"),
    }
}

/// The directory a prefix stands for.
fn as_place(prefix: &str) -> &str {
    if prefix.is_empty() { "." } else { prefix }
}

/// Whether a file was deleted while we walked, which is nobody's error.
fn has_vanished(error: &ignore::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A walk's error in our words, its path as the user would write it.
fn unreadable(prefix: &str, top: &Path, error: ignore::Error) -> FileError {
    let below = path_of(&error).and_then(|path| path.strip_prefix(top).ok());
    let path = below
        .map_or_else(|| prefix.to_owned(), |below| format!("{prefix}{}", below.to_string_lossy()));
    let text = error.to_string();
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other(text));
    FileError::Unreadable { path, source }
}

/// The path a walk's error speaks of.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
