//! Whether a local link leads somewhere: the file, and the place in it.
//!
//! The rule is told in `docs/check.md`. Nothing is settled by guessing: where
//! the disk cannot tell, the link is skipped with the reason.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_judge::codes;
use relink_model::{FindingCode, Verdict};
use relink_page::{Anchors, DocumentFormat, SlugStyle};
use relink_ports::{FileError, Files, NewTarget};

use super::listing::Listings;
use super::local::LocalLink;
use super::reading::ReadOptions;
use super::skip::CheckSkipReason;
use super::{Diagnostic, unreadable};
use crate::anchors::{is_line, shown};
use crate::isolation::isolate;

/// Anchors kept for links to come, over all documents.
const MOST_ANCHORS: usize = 500_000;
/// Documents whose anchors are kept.
const MOST_DOCUMENTS: usize = 20_000;
/// Missing anchors of a run with a hint at a similar one. A hint compares up to
/// 2,000 anchors.
const MAX_HINTS: usize = 5_000;
/// What a directory is shown by, where nobody said.
const USUAL_INDEX_FILES: [&str; 4] = ["index.html", "README.md", "index.md", "readme.md"];
/// A page may be linked without this, as most servers show it.
const CLEAN_EXTENSION: &str = "html";

/// What the disk says of a link.
#[derive(Debug)]
pub(super) enum LocalLinkResult {
    /// It is settled.
    Settled(NewTarget),
    /// It cannot be told.
    Skipped(CheckSkipReason),
}

/// What lies at a link's path.
enum PathLookup {
    File(PathBuf),
    Folder(PathBuf),
    Missing(String),
}

/// The disk as local links see it, with the anchors of documents seen before.
pub(super) struct LocalLinkChecker<'a> {
    files: &'a dyn Files,
    reading: &'a ReadOptions,
    anchors: HashMap<PathBuf, Option<Arc<Anchors>>>,
    /// Anchors kept in all.
    kept: usize,
    /// Hints about missing anchors, by file and anchor.
    hints: HashMap<(PathBuf, String), Option<String>>,
    /// The names in directories with missing files.
    listings: Listings,
    /// Files with anchors that could not be read.
    problems: Vec<Diagnostic>,
}

impl<'a> LocalLinkChecker<'a> {
    pub(super) fn new(files: &'a dyn Files, reading: &'a ReadOptions) -> Self {
        Self {
            files,
            reading,
            anchors: HashMap::new(),
            kept: 0,
            hints: HashMap::new(),
            listings: Listings::default(),
            problems: Vec::new(),
        }
    }

    /// The files that could not be read since the last call.
    pub(super) fn take_problems(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.problems)
    }

    /// Looks where the link leads.
    pub(super) async fn check(&mut self, link: &LocalLink) -> LocalLinkResult {
        let there = self.find(link).await;
        let may_be_name = link.manner().may_be_name;
        match (there, link.fragment()) {
            (PathLookup::Missing(_), _) if may_be_name => {
                LocalLinkResult::Skipped(CheckSkipReason::PageName)
            }
            (PathLookup::Missing(reason), _) => finding(link, codes::MISSING_FILE, reason),
            (PathLookup::File(_), None) => alive(link, "the file is there"),
            (PathLookup::Folder(_), None) => alive(link, "the directory is there"),
            (PathLookup::File(file), Some(fragment)) => {
                self.place(link, fragment, &[file], true).await
            }
            (PathLookup::Folder(folder), Some(fragment)) => {
                let pages = USUAL_INDEX_FILES.map(|name| folder.join(name));
                self.place(link, fragment, &pages, false).await
            }
        }
    }

    /// What lies at the path, or at what the path is short for.
    async fn find(&mut self, link: &LocalLink) -> PathLookup {
        let path = link.path();
        if self.files.exists(path).await {
            return self.file_or_folder(path).await;
        }
        let fallback = self.reading.local.fallback_extensions.iter().map(String::as_str);
        let extensions = link.manner().extensions.iter().copied();
        for extension in extensions.chain([CLEAN_EXTENSION]).chain(fallback) {
            let longer = with_extension(path, extension);
            if self.files.exists(&longer).await {
                return PathLookup::File(longer);
            }
        }
        PathLookup::Missing(self.missing(path).await)
    }

    async fn file_or_folder(&self, path: &Path) -> PathLookup {
        if !self.files.is_dir(path).await {
            return PathLookup::File(path.to_owned());
        }
        let names = &self.reading.local.index_files;
        for name in names {
            let index = path.join(name);
            if name == "." {
                break;
            }
            if self.files.exists(&index).await {
                return PathLookup::File(index);
            }
        }
        if names.is_empty() || names.iter().any(|name| name == ".") {
            return PathLookup::Folder(path.to_owned());
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        PathLookup::Missing(format!("the directory has no {}", names.join(" or ")))
    }

    /// Why nothing is found, with what the writer may have meant.
    async fn missing(&mut self, path: &Path) -> String {
        match self.meant(path).await {
            Some(meant) => format!("no such file; there is `{meant}`"),
            None => "no such file".to_owned(),
        }
    }

    /// What differs from the path only by case or by its extension, from the
    /// first difference on.
    async fn meant(&mut self, path: &Path) -> Option<String> {
        let mut folder = PathBuf::new();
        let mut meant: Option<PathBuf> = None;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let next = folder.join(component);
            if self.files.exists(&next).await {
                folder = next;
                meant = meant.map(|meant| meant.join(component));
                continue;
            }
            let is_last = components.peek().is_none();
            let wanted = component.as_os_str().to_str()?;
            let listing = self.listings.of(self.files, &folder).await;
            let name = listing.alike(wanted, is_last)?;
            folder.push(name);
            meant = Some(meant.unwrap_or_default().join(name));
        }
        meant.map(|meant| meant.display().to_string())
    }

    /// Whether one of these files has the place; `is_sure` if they are all that
    /// the link can mean.
    async fn place(
        &mut self,
        link: &LocalLink,
        fragment: &str,
        files: &[PathBuf],
        is_sure: bool,
    ) -> LocalLinkResult {
        let Some(slugs) = self.reading.local.anchors else {
            return alive(link, "the file is there");
        };
        let decoded = shown(fragment);
        let mut nearest = None;
        let mut is_told = false;
        for file in files {
            let Some(anchors) = self.anchors(file, link.manner().is_own, slugs).await else {
                continue;
            };
            if anchors.has(fragment) || shows_lines(slugs) && is_line(fragment) {
                return alive(link, "the anchor is there");
            }
            if anchors.is_open() {
                return LocalLinkResult::Skipped(CheckSkipReason::Anchor);
            }
            is_told = true;
            nearest = nearest.or_else(|| self.nearest(file, &anchors, &decoded));
        }
        if !is_told || (link.manner().may_be_name && link.manner().is_own) {
            // Of a directory without a page nobody knows what it shows.
            return LocalLinkResult::Skipped(CheckSkipReason::Anchor);
        }
        let place = match (link.manner().is_own, is_sure) {
            (true, _) => "in this document",
            (false, true) => "in that file",
            (false, false) => "in that directory's page",
        };
        let hint = nearest.map(|name| format!("; there is `#{name}`")).unwrap_or_default();
        finding(link, codes::MISSING_ANCHOR, format!("no anchor `#{decoded}` {place}{hint}"))
    }

    /// The anchor that was meant. Each is looked for once, and of a great number
    /// only the first ones.
    fn nearest(&mut self, file: &Path, anchors: &Anchors, wanted: &str) -> Option<String> {
        let key = (file.to_owned(), wanted.to_owned());
        if let Some(known) = self.hints.get(&key) {
            return known.clone();
        }
        if self.hints.len() >= MAX_HINTS {
            return None;
        }
        let nearest = anchors.nearest(wanted).map(str::to_owned);
        self.hints.insert(key, nearest.clone());
        nearest
    }

    /// The anchors of a file; nothing if they cannot be told.
    async fn anchors(
        &mut self,
        file: &Path,
        is_own: bool,
        slugs: SlugStyle,
    ) -> Option<Arc<Anchors>> {
        if let Some(known) = self.anchors.get(file) {
            return known.clone();
        }
        let given = self.reading.format.filter(|_| is_own);
        let found = self.read(file, given, slugs).await.map(Arc::new);
        let count = found.as_ref().map_or(0, |anchors| anchors.len());
        if self.kept + count > MOST_ANCHORS || self.anchors.len() >= MOST_DOCUMENTS {
            self.anchors.clear();
            self.kept = 0;
        }
        self.kept += count;
        self.anchors.insert(file.to_owned(), found.clone());
        found
    }

    async fn read(
        &mut self,
        file: &Path,
        given: Option<DocumentFormat>,
        slugs: SlugStyle,
    ) -> Option<Anchors> {
        // By name alone: a film is not read to learn that it has no anchors.
        let named = || DocumentFormat::of_file(Some(&file.to_string_lossy()), b"");
        let format = given.unwrap_or_else(named);
        if !has_anchors(format) {
            return None;
        }
        let bytes = match self.files.read(file).await {
            Ok(bytes) => bytes,
            // A directory has only some of the usual pages.
            Err(FileError::Missing { .. }) => return None,
            Err(error) => {
                self.problems.push(unreadable(file.to_string_lossy().into_owned(), &error));
                return None;
            }
        };
        let label = file.display().to_string();
        let work = move || isolate(&label, || relink_page::anchors(format, &bytes, slugs));
        tokio::task::spawn_blocking(work).await.ok()?.ok()?
    }
}

pub(super) fn has_anchors(format: DocumentFormat) -> bool {
    matches!(
        format,
        DocumentFormat::Markdown
            | DocumentFormat::Html
            | DocumentFormat::Rst
            | DocumentFormat::AsciiDoc
    )
}

/// Whether lines are places of files as this renderer shows them.
fn shows_lines(slugs: SlugStyle) -> bool {
    matches!(slugs, SlugStyle::Any | SlugStyle::GitHub | SlugStyle::GitLab)
}

/// `a.b` as `a.b.html`: what looks like an extension may be none.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut longer = path.as_os_str().to_owned();
    longer.push(".");
    longer.push(extension.trim_start_matches('.'));
    longer.into()
}

fn alive(link: &LocalLink, reason: &str) -> LocalLinkResult {
    settled(link, Verdict::Alive, None, reason.to_owned())
}

fn finding(link: &LocalLink, code: FindingCode, reason: String) -> LocalLinkResult {
    settled(link, Verdict::Local, Some(code), reason)
}

/// The result of a link that cannot be followed because of an internal error.
pub(super) fn internal_error(link: &LocalLink) -> LocalLinkResult {
    let reason = "internal error while reading this link".to_owned();
    settled(link, Verdict::Failing, Some(codes::INTERNAL_ERROR), reason)
}

fn settled(
    link: &LocalLink,
    word: Verdict,
    code: Option<FindingCode>,
    reason: String,
) -> LocalLinkResult {
    LocalLinkResult::Settled(NewTarget::Local { key: link.key(), verdict: word, code, reason })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use async_trait::async_trait;
    use relink_ports::{WalkRequest, WalkResult};

    use super::*;

    /// A directory in which every file is the same document.
    struct Same(&'static str);

    #[async_trait]
    impl Files for Same {
        async fn walk(&self, _: &WalkRequest) -> Result<WalkResult, FileError> {
            Ok(WalkResult::default())
        }

        async fn read(&self, _: &Path) -> Result<Vec<u8>, FileError> {
            Ok(self.0.as_bytes().to_vec())
        }

        fn open(&self, _: &Path) -> Result<Box<dyn Read + Send>, FileError> {
            Ok(Box::new(self.0.as_bytes()))
        }

        async fn exists(&self, _: &Path) -> bool {
            true
        }
    }

    fn link(text: &str) -> LocalLink {
        LocalLink::new(text, Path::new("docs"), None, None).unwrap()
    }

    #[tokio::test]
    async fn hints_about_anchors_are_found_once_and_bounded() {
        let (files, reading) = (Same("# Install\n"), ReadOptions::default());
        let mut shelf = LocalLinkChecker::new(&files, &reading);
        for _ in 0..100 {
            let LocalLinkResult::Settled(NewTarget::Local { reason, .. }) =
                shelf.check(&link("a.md#instal")).await
            else {
                panic!("it is not settled");
            };
            assert!(reason.ends_with("there is `#install`"), "{reason}");
        }
        assert_eq!(shelf.hints.len(), 1);
        for n in 0..2 * MAX_HINTS {
            shelf.check(&link(&format!("a.md#x{n}"))).await;
        }
        assert_eq!(shelf.hints.len(), MAX_HINTS);
    }
}
