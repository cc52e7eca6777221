//! Expands the user's inputs to a list of unique documents.
//!
//! The list has the order of the inputs. The documents of one input are sorted by the
//! bytes of their paths, so two runs over the same tree return the same list. The walk
//! needs one system call per file and opens no files.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::sync::PoisonError;

use ignore::WalkBuilder;
use relink_ports::{DocumentSource, FileError, WalkResult};

use crate::auxiliary::is_auxiliary;
use crate::formats::is_document;
use crate::ignore_files::{self, UnusableFile};
use crate::open::require_regular;
use crate::pattern::{GlobPattern, is_pattern};
use crate::{IgnoredFiles, LocalFilesSettings, error};

/// Returns all documents of the inputs.
pub(crate) fn documents(
    settings: &LocalFilesSettings,
    inputs: &[PathBuf],
) -> Result<WalkResult, FileError> {
    let expanded =
        inputs.iter().map(|input| expand(settings, input)).collect::<Result<Vec<_>, _>>()?;
    // The documents of one input are different files, unless there are symbolic links.
    let is_certainly_distinct = matches!(&*expanded, [only] if !only.has_links);
    let mut result = WalkResult::default();
    for expansion in expanded {
        result.documents.extend(expansion.documents);
        result.unreadable.extend(expansion.unreadable);
        result.auxiliary += expansion.auxiliary;
    }
    if !is_certainly_distinct {
        let mut seen = HashSet::new();
        result.documents.retain(|document| seen.insert(file_identity(&document.path)));
    }
    make_labels_distinct(&mut result.documents);
    Ok(result)
}

/// Makes labels unique. Two paths that are not UTF-8 may have the same label. Labels
/// after the first get escaped bytes, as in `a\xFF.md`.
fn make_labels_distinct(documents: &mut [DocumentSource]) {
    if documents.iter().all(|document| document.path.to_str().is_some()) {
        return;
    }
    let mut seen = HashSet::new();
    for document in documents {
        if !seen.insert(document.label.clone()) && document.path.to_str().is_none() {
            document.label = path_bytes(&document.path).escape_ascii().to_string();
        }
    }
}

/// The documents of one input.
struct Expansion {
    documents: Vec<DocumentSource>,
    /// Whether a symbolic link is among the documents. Without symbolic links, all documents
    /// are different files.
    has_links: bool,
    /// Directories that could not be read, and documents that are not regular
    /// files.
    unreadable: Vec<FileError>,
    /// Number of documents that are not read, because they are test data or belong to a
    /// dependency.
    auxiliary: u64,
}

/// The treatment of a file by a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileMatch {
    /// Read the file.
    Document,
    /// Count the file, which is test data or a document of a dependency.
    Auxiliary,
    /// Ignore the file.
    None,
}

/// Returns the canonical path of a file, which is the same for all paths of the file. Pipes and
/// similar files have no canonical path and are identified by `path` itself.
fn file_identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the documents of one input.
fn expand(settings: &LocalFilesSettings, input: &Path) -> Result<Expansion, FileError> {
    let path = settings.root.join(input);
    let label = input.to_string_lossy().into_owned();
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => expand_directory(settings, input),
        // The user supplied this file, so its extension and ignore files are
        // not checked.
        Ok(_) => {
            let documents = vec![DocumentSource { label, path }];
            Ok(Expansion { documents, has_links: false, unreadable: Vec::new(), auxiliary: 0 })
        }
        // A file may be called `a[1].md`, so only a path that does not exist is
        // treated as a pattern.
        Err(_) if input.to_str().is_some_and(is_pattern) => expand_pattern(settings, &label),
        Err(source) => Err(error(input, source)),
    }
}

/// Returns the documents in a directory and its subdirectories.
fn expand_directory(settings: &LocalFilesSettings, input: &Path) -> Result<Expansion, FileError> {
    let top = settings.root.join(input);
    let mut walk = walk_builder(settings, &top);
    let skips_auxiliary = settings.ignored == IgnoredFiles::Skip;
    let is_selected = |relative: &Path| match &settings.extensions {
        Some(extensions) => has_extension(relative, extensions),
        None => is_document(relative),
    };
    let match_file = |relative: &Path| {
        if !is_selected(relative) {
            FileMatch::None
        } else if skips_auxiliary && is_auxiliary(relative) {
            FileMatch::Auxiliary
        } else {
            FileMatch::Document
        }
    };
    collect_documents(
        &mut walk,
        settings,
        &top,
        &label_prefix(&input.to_string_lossy()),
        match_file,
    )
}

/// Whether a path has one of these extensions, in any case.
fn has_extension(path: &Path, extensions: &[String]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        let is_equal =
            |known: &String| known.trim_start_matches('.').eq_ignore_ascii_case(extension);
        extensions.iter().any(is_equal)
    })
}

/// Returns the files that match a pattern. Fails if there are none.
fn expand_pattern(settings: &LocalFilesSettings, input: &str) -> Result<Expansion, FileError> {
    let pattern = GlobPattern::parse(input)?;
    let no_match = || FileError::NoMatch { pattern: input.to_owned() };
    let top = settings.root.join(directory_of(&pattern.base));
    if !top.is_dir() {
        return Err(no_match());
    }
    let mut walk = walk_builder(settings, &top);
    walk.max_depth(pattern.depth);
    if pattern.includes_hidden {
        walk.hidden(false);
    }
    let expansion = collect_documents(&mut walk, settings, &top, &pattern.base, |relative| {
        if pattern.matches(relative) { FileMatch::Document } else { FileMatch::None }
    })?;
    if expansion.documents.is_empty() {
        return Err(no_match());
    }
    Ok(expansion)
}

/// Creates a walk from one directory with the given settings.
fn walk_builder(settings: &LocalFilesSettings, directory: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(directory);
    // Ignore files also apply in an unpacked archive without a `.git`
    // directory.
    walk.standard_filters(settings.ignored == IgnoredFiles::Skip)
        .require_git(false)
        .follow_links(false);
    if settings.includes_hidden {
        walk.hidden(false);
    }
    // The directory of git contains no documents of the project.
    walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    walk
}

/// Returns the documents of a walk, sorted, with labels that start with `prefix`. If an
/// ignore file cannot be read, repeats the walk without ignore files.
fn collect_documents(
    walk: &mut WalkBuilder,
    settings: &LocalFilesSettings,
    top: &Path,
    prefix: &str,
    match_file: impl Fn(&Path) -> FileMatch,
) -> Result<Expansion, FileError> {
    if settings.ignored == IgnoredFiles::Include {
        return walk_once(walk, top, prefix, match_file);
    }
    let mut unusable = Vec::from_iter(ignore_files::unusable_above(top));
    if unusable.is_empty() {
        let collected = ignore_files::skip_unusable(walk);
        let expansion = walk_once(walk, top, prefix, &match_file)?;
        unusable.append(&mut collected.lock().unwrap_or_else(PoisonError::into_inner));
        if unusable.is_empty() {
            return Ok(expansion);
        }
    }
    ignore_files::disable(walk);
    let mut expansion = walk_once(walk, top, prefix, match_file)?;
    expansion
        .unreadable
        .extend(unusable.into_iter().map(|file| ignore_file_error(prefix, top, file)));
    Ok(expansion)
}

/// Returns the documents of one walk below the directory `top`.
fn walk_once(
    walk: &WalkBuilder,
    top: &Path,
    prefix: &str,
    match_file: impl Fn(&Path) -> FileMatch,
) -> Result<Expansion, FileError> {
    let (mut documents, mut has_links, mut errors) = (Vec::new(), false, Vec::new());
    let mut auxiliary = 0;
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if has_vanished(&error) => continue,
            // Other directories may still be readable.
            Err(error) if error_path(&error).is_some_and(|path| path != top) => {
                errors.push(unreadable(prefix, top, error));
                continue;
            }
            Err(error) => return Err(unreadable(prefix, top, error)),
        };
        let Ok(relative) = entry.path().strip_prefix(top) else {
            continue;
        };
        match match_file(relative) {
            FileMatch::Document => {}
            FileMatch::Auxiliary => {
                auxiliary += 1;
                continue;
            }
            FileMatch::None => continue,
        }
        let label = format!("{prefix}{}", relative.to_string_lossy());
        match readability(&entry) {
            Readability::Readable => {
                has_links |= entry.path_is_symlink();
                documents.push(DocumentSource { label, path: entry.into_path() });
            }
            Readability::Special(source) => {
                errors.push(FileError::Unreadable { path: label, source });
            }
            Readability::Skipped => {}
        }
    }
    documents.sort_by(|left, right| path_bytes(&left.path).cmp(path_bytes(&right.path)));
    Ok(Expansion { documents, has_links, unreadable: errors, auxiliary })
}

/// Whether an entry can be read as a document.
enum Readability {
    /// A file, or a symbolic link to a file.
    Readable,
    /// A device, pipe or socket, or a symbolic link to one of these.
    Special(io::Error),
    /// A directory, a dangling symbolic link, or a symbolic link to a
    /// directory, which may be a cycle.
    Skipped,
}

/// Returns whether an entry is read, skipped or reported as unreadable.
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

/// Creates the error of an unusable ignore file, with its effect.
fn ignore_file_error(prefix: &str, top: &Path, (path, error): UnusableFile) -> FileError {
    let label = match path.strip_prefix(top) {
        Ok(relative) => format!("{prefix}{}", relative.to_string_lossy()),
        Err(_) => path.to_string_lossy().into_owned(),
    };
    let text = format!("{error}; no ignore file of `{}` is applied", directory_of(prefix));
    FileError::Unreadable { path: label, source: io::Error::new(error.kind(), text) }
}

/// Returns the bytes of a path, which may be invalid UTF-8.
fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Returns the prefix of the labels of all files below a directory, such as `docs/`.
fn label_prefix(input: &str) -> String {
    match input {
        "." => String::new(),
        _ if input.ends_with(is_separator) => input.to_owned(),
        _ => format!("{input}/"),
    }
}

/// Returns the directory of a prefix. The empty prefix means the current directory.
fn directory_of(prefix: &str) -> &str {
    if prefix.is_empty() { "." } else { prefix }
}

/// Whether a file was deleted during the walk, which is not an error.
fn has_vanished(error: &ignore::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Converts an error of the walk. The new error contains the label of the file instead of
/// its path.
fn unreadable(prefix: &str, top: &Path, error: ignore::Error) -> FileError {
    let relative = error_path(&error).and_then(|path| path.strip_prefix(top).ok());
    let path = relative.map_or_else(
        || prefix.to_owned(),
        |relative| format!("{prefix}{}", relative.to_string_lossy()),
    );
    let text = error.to_string();
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other(text));
    FileError::Unreadable { path, source }
}

/// Returns the path of an error of the walk.
fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
