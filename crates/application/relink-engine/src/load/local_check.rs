//! Checks local links: whether the file exists and contains the anchor.
//!
//! `docs/check.md` describes the rules. A link that cannot be decided on the
//! file system is skipped with a reason.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_judge::codes;
use relink_model::{FindingCode, Verdict};
use relink_page::{Anchors, DocumentFormat, SlugStyle};
use relink_ports::{FileError, Files, NewTarget};

use super::listing::Listings;
use super::local::LocalLink;
use super::read_options::ReadOptions;
use super::skip::CheckSkipReason;
use super::{Diagnostic, unreadable};
use crate::anchors::{decoded, is_line_fragment};
use crate::isolation::isolate;

/// Maximum number of cached anchors, over all documents.
const MAX_ANCHORS: usize = 500_000;
/// Maximum number of documents with cached anchors.
const MAX_DOCUMENTS: usize = 20_000;
/// Maximum number of missing anchors with a suggestion. One suggestion compares
/// up to 2,000 anchors.
const MAX_SUGGESTIONS: usize = 5_000;
/// Index files of a directory, unless configured.
const DEFAULT_INDEX_FILES: [&str; 4] = ["index.html", "README.md", "index.md", "readme.md"];
/// Extension that most servers add to a URL path.
const DEFAULT_EXTENSION: &str = "html";

/// Result of a local link.
#[derive(Debug)]
pub(super) enum LocalLinkResult {
    /// The link is checked.
    Checked(NewTarget),
    /// The link cannot be decided.
    Skipped(CheckSkipReason),
}

/// Result of a path lookup.
enum PathLookup {
    File(PathBuf),
    Folder(PathBuf),
    Missing(String),
}

/// Checks local links, with a cache of anchors.
pub(super) struct LocalLinkChecker<'a> {
    files: &'a dyn Files,
    options: &'a ReadOptions,
    anchors: HashMap<PathBuf, Option<Arc<Anchors>>>,
    /// Total number of cached anchors.
    cached_anchors: usize,
    /// Suggestions for missing anchors, by file and anchor.
    suggestions: HashMap<(PathBuf, String), Option<String>>,
    /// Names in directories with missing files.
    listings: Listings,
    /// Files whose anchors could not be read.
    problems: Vec<Diagnostic>,
}

impl<'a> LocalLinkChecker<'a> {
    pub(super) fn new(files: &'a dyn Files, options: &'a ReadOptions) -> Self {
        Self {
            files,
            options,
            anchors: HashMap::new(),
            cached_anchors: 0,
            suggestions: HashMap::new(),
            listings: Listings::default(),
            problems: Vec::new(),
        }
    }

    /// Returns the files that could not be read since the last call.
    pub(super) fn take_problems(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.problems)
    }

    /// Checks a link.
    pub(super) async fn check(&mut self, link: &LocalLink) -> LocalLinkResult {
        let lookup = self.find(link).await;
        let may_be_page_name = link.style().may_be_page_name;
        match (lookup, link.fragment()) {
            (PathLookup::Missing(_), _) if may_be_page_name => {
                LocalLinkResult::Skipped(CheckSkipReason::PageName)
            }
            (PathLookup::Missing(reason), _) => finding(link, codes::MISSING_FILE, reason),
            (PathLookup::File(_), None) => alive(link, "the file exists"),
            (PathLookup::Folder(_), None) => alive(link, "the directory exists"),
            (PathLookup::File(file), Some(fragment)) => {
                self.check_anchor(link, fragment, &[file], true).await
            }
            (PathLookup::Folder(folder), Some(fragment)) => {
                let pages = DEFAULT_INDEX_FILES.map(|name| folder.join(name));
                self.check_anchor(link, fragment, &pages, false).await
            }
        }
    }

    /// Looks up the path, with the extensions that a link may omit.
    async fn find(&mut self, link: &LocalLink) -> PathLookup {
        let path = link.path();
        if self.files.exists(path).await {
            return self.file_or_folder(path).await;
        }
        let fallback = self.options.local.fallback_extensions.iter().map(String::as_str);
        let extensions = link.style().extensions.iter().copied();
        for extension in extensions.chain([DEFAULT_EXTENSION]).chain(fallback) {
            let extended = with_extension(path, extension);
            if self.files.exists(&extended).await {
                return PathLookup::File(extended);
            }
        }
        PathLookup::Missing(self.missing_reason(path).await)
    }

    async fn file_or_folder(&self, path: &Path) -> PathLookup {
        if !self.files.is_dir(path).await {
            return PathLookup::File(path.to_owned());
        }
        let names = &self.options.local.index_files;
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

    /// Returns the reason for a missing file, with a similar path if there is
    /// one.
    async fn missing_reason(&mut self, path: &Path) -> String {
        match self.similar_path(path).await {
            Some(similar) => format!("no such file; there is `{similar}`"),
            None => "no such file".to_owned(),
        }
    }

    /// Returns a path that differs only by case or extension, starting at the
    /// first different component.
    async fn similar_path(&mut self, path: &Path) -> Option<String> {
        let mut folder = PathBuf::new();
        let mut similar: Option<PathBuf> = None;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let next = folder.join(component);
            if self.files.exists(&next).await {
                folder = next;
                similar = similar.map(|similar| similar.join(component));
                continue;
            }
            let is_last = components.peek().is_none();
            let wanted = component.as_os_str().to_str()?;
            let listing = self.listings.get(self.files, &folder).await;
            let name = listing.similar_name(wanted, is_last)?;
            folder.push(name);
            similar = Some(similar.unwrap_or_default().join(name));
        }
        similar.map(|similar| similar.display().to_string())
    }

    /// Checks that one of these files has the anchor. `is_certain` means that
    /// the link can refer only to them.
    async fn check_anchor(
        &mut self,
        link: &LocalLink,
        fragment: &str,
        files: &[PathBuf],
        is_certain: bool,
    ) -> LocalLinkResult {
        let Some(slugs) = self.options.local.anchors else {
            return alive(link, "the file exists");
        };
        let decoded = decoded(fragment);
        let mut similar = None;
        let mut has_known_anchors = false;
        for file in files {
            let Some(anchors) = self.anchors(file, link.style().is_same_document, slugs).await
            else {
                continue;
            };
            if anchors.has(fragment) || has_line_anchors(slugs) && is_line_fragment(fragment) {
                return alive(link, "the anchor exists");
            }
            if anchors.may_have_more() {
                return LocalLinkResult::Skipped(CheckSkipReason::Anchor);
            }
            has_known_anchors = true;
            similar = similar.or_else(|| self.similar_anchor(file, &anchors, &decoded));
        }
        if !has_known_anchors || (link.style().may_be_page_name && link.style().is_same_document) {
            // The content of a directory without an index file is unknown.
            return LocalLinkResult::Skipped(CheckSkipReason::Anchor);
        }
        let position = match (link.style().is_same_document, is_certain) {
            (true, _) => "in this document",
            (false, true) => "in that file",
            (false, false) => "in that directory's page",
        };
        let suggestion = similar.map(|name| format!("; there is `#{name}`")).unwrap_or_default();
        finding(
            link,
            codes::MISSING_ANCHOR,
            format!("no anchor `#{decoded}` {position}{suggestion}"),
        )
    }

    /// Returns a similar anchor. Suggestions are cached, and their number is
    /// limited.
    fn similar_anchor(&mut self, file: &Path, anchors: &Anchors, name: &str) -> Option<String> {
        let key = (file.to_owned(), name.to_owned());
        if let Some(cached) = self.suggestions.get(&key) {
            return cached.clone();
        }
        if self.suggestions.len() >= MAX_SUGGESTIONS {
            return None;
        }
        let similar = anchors.nearest(name).map(str::to_owned);
        self.suggestions.insert(key, similar.clone());
        similar
    }

    /// Returns the anchors of a file; `None` if they are unknown.
    async fn anchors(
        &mut self,
        file: &Path,
        is_same_document: bool,
        slugs: SlugStyle,
    ) -> Option<Arc<Anchors>> {
        if let Some(cached) = self.anchors.get(file) {
            return cached.clone();
        }
        let format = self.options.format.filter(|_| is_same_document);
        let anchors = self.read(file, format, slugs).await.map(Arc::new);
        let count = anchors.as_ref().map_or(0, |anchors| anchors.len());
        if self.cached_anchors + count > MAX_ANCHORS || self.anchors.len() >= MAX_DOCUMENTS {
            self.anchors.clear();
            self.cached_anchors = 0;
        }
        self.cached_anchors += count;
        self.anchors.insert(file.to_owned(), anchors.clone());
        anchors
    }

    async fn read(
        &mut self,
        file: &Path,
        format: Option<DocumentFormat>,
        slugs: SlugStyle,
    ) -> Option<Anchors> {
        // Detect the format by name only, so that large media files are not
        // read.
        let detect = || DocumentFormat::from_file(Some(&file.to_string_lossy()), b"");
        let format = format.unwrap_or_else(detect);
        if !has_anchors(format) {
            return None;
        }
        let bytes = match self.files.read(file).await {
            Ok(bytes) => bytes,
            // A directory has only some of the index files.
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

/// Whether this renderer has anchors for source lines.
fn has_line_anchors(slugs: SlugStyle) -> bool {
    matches!(slugs, SlugStyle::Any | SlugStyle::GitHub | SlugStyle::GitLab)
}

/// Appends an extension: `a.b` becomes `a.b.html`, because `.b` may not be an
/// extension.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut extended = path.as_os_str().to_owned();
    extended.push(".");
    extended.push(extension.trim_start_matches('.'));
    extended.into()
}

fn alive(link: &LocalLink, reason: &str) -> LocalLinkResult {
    checked_link(link, Verdict::Alive, None, reason.to_owned())
}

fn finding(link: &LocalLink, code: FindingCode, reason: String) -> LocalLinkResult {
    checked_link(link, Verdict::Local, Some(code), reason)
}

/// Returns the result of a link whose check panicked.
pub(super) fn internal_error(link: &LocalLink) -> LocalLinkResult {
    let reason = "internal error while reading this link".to_owned();
    checked_link(link, Verdict::Failing, Some(codes::INTERNAL_ERROR), reason)
}

fn checked_link(
    link: &LocalLink,
    verdict: Verdict,
    code: Option<FindingCode>,
    reason: String,
) -> LocalLinkResult {
    LocalLinkResult::Checked(NewTarget::Local { key: link.key(), verdict, code, reason })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use async_trait::async_trait;
    use relink_ports::{WalkRequest, WalkResult};

    use super::*;

    /// A directory in which every file has the same content.
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
    async fn suggestions_for_anchors_are_cached_and_limited() {
        let (files, options) = (Same("# Install\n"), ReadOptions::default());
        let mut checker = LocalLinkChecker::new(&files, &options);
        for _ in 0..100 {
            let LocalLinkResult::Checked(NewTarget::Local { reason, .. }) =
                checker.check(&link("a.md#instal")).await
            else {
                panic!("the link is not checked");
            };
            assert!(reason.ends_with("there is `#install`"), "{reason}");
        }
        assert_eq!(checker.suggestions.len(), 1);
        for n in 0..2 * MAX_SUGGESTIONS {
            checker.check(&link(&format!("a.md#x{n}"))).await;
        }
        assert_eq!(checker.suggestions.len(), MAX_SUGGESTIONS);
    }
}
