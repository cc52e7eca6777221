//! Checks local links: whether the file exists and contains the anchor.
//!
//! `docs/check.md` describes the rules. A link that cannot be decided on the
//! file system is skipped with a reason.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_judge::codes;
use relink_model::{FindingCode, Verdict};
use relink_page::{Anchors, DocumentFormat, IncludedFile, SlugStyle};
use relink_ports::{FileError, Files, NewTarget};
use relink_sites::{DocSite, Generator};

use super::directory_cache::{DirectoryCache, PathKind};
use super::includes::{self, IncludeLookup};
use super::labels::Labels;
use super::listing::Listings;
use super::local::LocalLink;
use super::project::{AssumedSite, Project};
use super::read_options::ReadOptions;
use super::site_lookup::{self, SiteLookup};
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
const DEFAULT_INDEX_FILES: [&str; 6] =
    ["index.html", "README.md", "index.md", "readme.md", "index.mdx", "_index.md"];
/// Extensions of documents, which GitHub finds from the root of a repository.
const DOCUMENTS: [&str; 5] = [".md", ".mdx", ".rst", ".adoc", ".markdown"];
/// Directories of text that is published as a part of other pages.
const PARTIAL_DIRECTORIES: [&str; 10] = [
    "_includes",
    "_partials",
    "_snippets",
    "_common",
    "includes",
    "partials",
    "snippets",
    "reusables",
    "shared",
    "fragments",
];
/// Maximum number of files that one document includes.
const MAX_INCLUDES: usize = 200;
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
    /// A redirect map leads to another path.
    Redirect {
        to: String,
        file: Option<PathBuf>,
    },
    Skipped(CheckSkipReason),
    Missing(String),
}

/// Checks local links, with a cache of anchors.
pub(super) struct LocalLinkChecker<'a> {
    files: &'a Arc<dyn Files>,
    options: &'a ReadOptions,
    directories: DirectoryCache,
    /// Paths of the inputs, from which the project is found.
    inputs: Vec<PathBuf>,
    /// The project; `None` before the first link needs it.
    project: Option<Option<Arc<Project>>>,
    /// Labels of sites, by configuration file.
    labels: HashMap<String, Arc<Labels>>,
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
    pub(super) fn new(
        files: &'a Arc<dyn Files>,
        options: &'a ReadOptions,
        inputs: Vec<PathBuf>,
    ) -> Self {
        Self {
            files,
            options,
            directories: DirectoryCache::default(),
            inputs,
            project: None,
            labels: HashMap::new(),
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

    /// Returns the sites whose rules were applied.
    pub(super) fn assumed_sites(&self) -> Vec<AssumedSite> {
        self.project.iter().flatten().flat_map(|project| project.assumed_sites()).collect()
    }

    /// Checks a link.
    pub(super) async fn check(&mut self, link: &LocalLink) -> LocalLinkResult {
        let lookup = self.find(link).await;
        let may_be_page_name = link.style().may_be_page_name;
        match lookup {
            PathLookup::Missing(_) if self.is_label(link).await => alive(link, "the label exists"),
            PathLookup::Missing(_) if may_be_page_name => {
                LocalLinkResult::Skipped(CheckSkipReason::PageName)
            }
            PathLookup::Missing(reason) => finding(link, codes::MISSING_FILE, reason),
            PathLookup::Skipped(reason) => LocalLinkResult::Skipped(reason),
            PathLookup::File(file) => self.check_file(&resolved(link, &file), file).await,
            PathLookup::Folder(folder) => {
                self.check_folder(&resolved(link, &folder), &folder).await
            }
            PathLookup::Redirect { to, file } => self.check_redirect(link, &to, file).await,
        }
    }

    async fn check_file(&mut self, link: &LocalLink, file: PathBuf) -> LocalLinkResult {
        match link.fragment() {
            None => alive(link, "the file exists"),
            Some(fragment) => self.check_anchor(link, fragment, &[file], true).await,
        }
    }

    async fn check_folder(&mut self, link: &LocalLink, folder: &Path) -> LocalLinkResult {
        match link.fragment() {
            None => alive(link, "the directory exists"),
            Some(fragment) => {
                let pages = DEFAULT_INDEX_FILES.map(|name| folder.join(name));
                self.check_anchor(link, fragment, &pages, false).await
            }
        }
    }

    /// Checks a link that works through a redirect map: the anchor must exist
    /// on the new page.
    async fn check_redirect(
        &mut self,
        link: &LocalLink,
        to: &str,
        file: Option<PathBuf>,
    ) -> LocalLinkResult {
        if let (Some(file), Some(fragment)) = (file, link.fragment()) {
            let result = self.check_anchor(link, fragment, &[file], true).await;
            let is_finding = matches!(
                &result,
                LocalLinkResult::Checked(NewTarget::Local { verdict: Verdict::Local, .. })
            );
            if is_finding {
                return result;
            }
        }
        checked_link(link, Verdict::Moved, Some(codes::MOVED), format!("redirects to `{to}`"))
    }

    /// Looks up the path: the file itself, then by the rules of the site.
    async fn find(&mut self, link: &LocalLink) -> PathLookup {
        if self.is_page_url(link).await
            && let Some(found) = self.find_on_site(link).await
        {
            return found;
        }
        let mut missing = None;
        for path in link.candidates() {
            match self.find_file(path, link).await {
                PathLookup::Missing(reason) => missing = missing.or(Some(reason)),
                found => return found,
            }
        }
        if let Some(found) = self.find_on_site(link).await {
            return found;
        }
        match missing {
            Some(reason) if !reason.is_empty() => PathLookup::Missing(reason),
            _ => PathLookup::Missing(self.missing_reason(link.path()).await),
        }
    }

    /// Whether the rules of the site have priority over files.
    async fn is_page_url(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        if link.is_site_only() || path.is_empty() || path.contains('.') && !path.ends_with('/') {
            return false;
        }
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await;
        project.is_some_and(|project| site_lookup::is_page_url(&project, &document, &path))
    }

    /// Whether the path of a link is a label of its site.
    async fn is_label(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let (document, path) = (document.to_owned(), path.to_owned());
        self.has_label(&document, &path).await.is_some_and(|(has_label, _)| has_label)
    }

    /// Returns whether the site of a document has a label, and whether labels
    /// may be defined elsewhere; `None` if the generator has no labels.
    async fn has_label(&mut self, document: &Path, label: &str) -> Option<(bool, bool)> {
        let project = self.project().await?;
        let relative = project.relative(document)?;
        let site = project.labels_site(&relative)?.clone();
        let is_external = site.has_external_labels;
        let labels = self.site_labels(&project, site).await;
        Some((labels.contains(label), is_external))
    }

    async fn site_labels(&mut self, project: &Arc<Project>, site: DocSite) -> Arc<Labels> {
        if let Some(labels) = self.labels.get(&site.config) {
            return Arc::clone(labels);
        }
        let (files, project, config) =
            (Arc::clone(self.files), Arc::clone(project), site.config.clone());
        let read = move || Labels::read(&*files, &project, &site);
        let labels = Arc::new(tokio::task::spawn_blocking(read).await.unwrap_or_default());
        self.labels.insert(config, Arc::clone(&labels));
        labels
    }

    /// Looks up a file, with the extensions that a link may omit. The reason
    /// for a missing file is empty.
    async fn find_file(&mut self, path: &Path, link: &LocalLink) -> PathLookup {
        match self.kind(path).await {
            PathKind::File => return PathLookup::File(path.to_owned()),
            PathKind::Directory => return self.folder(path).await,
            PathKind::Missing | PathKind::Unknown => {}
        }
        let fallback = self.options.local.fallback_extensions.iter().map(String::as_str);
        let extensions = link.style().extensions.iter().copied();
        for extension in extensions.chain([DEFAULT_EXTENSION]).chain(fallback) {
            let extended = with_extension(path, extension);
            if self.exists(&extended).await {
                return PathLookup::File(extended);
            }
        }
        PathLookup::Missing(String::new())
    }

    /// Returns what a path leads to.
    async fn kind(&mut self, path: &Path) -> PathKind {
        match self.directories.kind(&**self.files, path) {
            PathKind::Unknown => {}
            known => return known,
        }
        match self.files.exists(path).await {
            false => PathKind::Missing,
            true if self.files.is_dir(path).await => PathKind::Directory,
            true => PathKind::File,
        }
    }

    async fn exists(&mut self, path: &Path) -> bool {
        self.kind(path).await != PathKind::Missing
    }

    async fn folder(&mut self, path: &Path) -> PathLookup {
        let options = self.options;
        let names = &options.local.index_files;
        for name in names {
            let index = path.join(name);
            if name == "." {
                break;
            }
            if self.exists(&index).await {
                return PathLookup::File(index);
            }
        }
        if names.is_empty() || names.iter().any(|name| name == ".") {
            return PathLookup::Folder(path.to_owned());
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        PathLookup::Missing(format!("the directory has no {}", names.join(" or ")))
    }

    /// Returns the project of the inputs.
    async fn project(&mut self) -> Option<Arc<Project>> {
        if self.project.is_none() {
            let (files, inputs) = (Arc::clone(self.files), self.inputs.clone());
            let choice = self.options.local.site;
            let find = move || Project::find(files, &inputs, choice).map(Arc::new);
            self.project = Some(tokio::task::spawn_blocking(find).await.unwrap_or_default());
        }
        self.project.clone().flatten()
    }

    /// Looks up the link by the rules of the site that publishes its document.
    async fn find_on_site(&mut self, link: &LocalLink) -> Option<PathLookup> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let Some(project) = self.project().await else { return self.without_site(link, None) };
        let is_repository = project.is_repository();
        if !link.is_site_only() && site_lookup::is_above_project(&project, &document, &path) {
            return Some(PathLookup::Skipped(CheckSkipReason::OtherSite));
        }
        let look_up = move || site_lookup::look_up(&project, &document, &path);
        let found = tokio::task::spawn_blocking(look_up).await.unwrap_or(SiteLookup::NoSite);
        match found {
            SiteLookup::File(file) => Some(PathLookup::File(file)),
            SiteLookup::Folder(folder) => Some(PathLookup::Folder(folder)),
            SiteLookup::Redirect { to, file } => Some(PathLookup::Redirect { to, file }),
            SiteLookup::Generated => Some(PathLookup::Skipped(CheckSkipReason::Generated)),
            SiteLookup::OtherSite => Some(PathLookup::Skipped(CheckSkipReason::OtherSite)),
            SiteLookup::Missing if link.is_site_only() => {
                Some(PathLookup::Missing("no page of the site has this path".to_owned()))
            }
            SiteLookup::Missing => None,
            SiteLookup::NoSite => self.without_site(link, Some(is_repository)),
        }
    }

    /// Returns the result of a link in a document that belongs to no site. The
    /// root of other links than those to documents is unknown.
    fn without_site(&self, link: &LocalLink, is_repository: Option<bool>) -> Option<PathLookup> {
        if !link.is_site_only() {
            return None;
        }
        let path = link.path().to_string_lossy();
        let is_document = DOCUMENTS.iter().any(|extension| path.ends_with(extension));
        if is_document && is_repository == Some(true) {
            return Some(PathLookup::Missing("no such file in the repository".to_owned()));
        }
        Some(PathLookup::Skipped(CheckSkipReason::NoRoot))
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
            if self.exists(&next).await {
                folder = next;
                similar = similar.map(|similar| similar.join(component));
                continue;
            }
            let is_last = components.peek().is_none();
            let wanted = component.as_os_str().to_str()?;
            let listing = self.listings.get(&**self.files, &folder).await;
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
        if let Some(result) = self.check_label(link, &decoded).await {
            return result;
        }
        if !has_known_anchors || (link.style().may_be_page_name && link.style().is_same_document) {
            // The content of a directory without an index file is unknown.
            return LocalLinkResult::Skipped(CheckSkipReason::Anchor);
        }
        if self.is_generated_anchor(link, files, &decoded).await {
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

    /// Checks an anchor as a label of the site. Returns `None` if the generator
    /// has no labels, or if the label is missing and cannot be elsewhere.
    async fn check_label(&mut self, link: &LocalLink, label: &str) -> Option<LocalLinkResult> {
        let (document, _) = link.site_path().filter(|_| link.style().is_same_document)?;
        let document = document.to_owned();
        let (has_label, is_external) = self.has_label(&document, label).await?;
        if has_label {
            return Some(alive(link, "the label exists"));
        }
        let is_reference = link.style().may_be_page_name;
        let may_be_external = is_external && (is_reference || label.contains('.'));
        if may_be_external || !is_reference {
            return may_be_external.then_some(LocalLinkResult::Skipped(CheckSkipReason::Anchor));
        }
        let reason = format!("no label `{label}` in the documents of the site");
        Some(finding(link, codes::MISSING_ANCHOR, reason))
    }

    /// Whether a missing anchor may be created when the site is built: tabs of
    /// docfx, names of documented objects, and anchors in text that is only
    /// published as a part of other pages.
    async fn is_generated_anchor(
        &mut self,
        link: &LocalLink,
        files: &[PathBuf],
        anchor: &str,
    ) -> bool {
        let is_partial = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default();
            name.as_encoded_bytes().starts_with(b"_") && name != "_index.md"
                || file.iter().any(|part| PARTIAL_DIRECTORIES.iter().any(|name| part == *name))
        };
        if link.style().is_same_document && files.iter().any(is_partial) {
            return true;
        }
        let (Some(project), Some(file)) = (self.project().await, files.first()) else {
            return false;
        };
        let Some(document) = project.relative(file) else { return false };
        project.site_of(&document).is_some_and(|site| {
            site.generator == Generator::Docfx && anchor.starts_with("tab/")
                || site.has_generated_reference && anchor.contains(['.', '+'])
        })
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
        let mut anchors = self.read(file, format, slugs).await;
        if let Some(anchors) = &mut anchors {
            self.add_includes(file, anchors, slugs).await;
        }
        let anchors = anchors.map(Arc::new);
        let count = anchors.as_ref().map_or(0, |anchors| anchors.len());
        if self.cached_anchors + count > MAX_ANCHORS || self.anchors.len() >= MAX_DOCUMENTS {
            self.anchors.clear();
            self.cached_anchors = 0;
        }
        self.cached_anchors += count;
        self.anchors.insert(file.to_owned(), anchors.clone());
        anchors
    }

    /// Adds the anchors of included files.
    async fn add_includes(&mut self, file: &Path, anchors: &mut Anchors, slugs: SlugStyle) {
        let includes_of = |file: &Path, anchors: &Anchors| -> Vec<(PathBuf, IncludedFile)> {
            anchors.includes().map(|include| (file.to_owned(), include.clone())).collect()
        };
        let mut queue = includes_of(file, anchors);
        if queue.is_empty() {
            return;
        }
        let project = self.project().await;
        let mut seen = HashSet::new();
        while let Some((document, include)) = queue.pop() {
            if seen.len() >= MAX_INCLUDES || !seen.insert((document.clone(), include.clone())) {
                continue;
            }
            let found =
                project.as_deref().map(|project| includes::find(project, &document, &include));
            match found.unwrap_or(IncludeLookup::Unknown) {
                IncludeLookup::Nothing => {}
                IncludeLookup::Unknown => *anchors = std::mem::take(anchors).with_unknown(),
                IncludeLookup::File(path) => {
                    if let Some(included) = self.read(&path, None, slugs).await {
                        queue.extend(includes_of(&path, &included));
                        anchors.merge(&included);
                    }
                }
            }
        }
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

/// Returns the link with the path of the file that a site publishes. A file
/// found by its own path retains the path as written.
fn resolved(link: &LocalLink, path: &Path) -> LocalLink {
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let is_own = link.candidates().any(|candidate| bytes(path).starts_with(&bytes(candidate)));
    if is_own { link.clone() } else { link.with_path(path) }
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

    use super::super::LocalRules;
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
        LocalLink::new(text, Path::new("docs"), None, &LocalRules::default()).unwrap()
    }

    #[tokio::test]
    async fn suggestions_for_anchors_are_cached_and_limited() {
        let files: Arc<dyn Files> = Arc::new(Same("# Install\n"));
        let options = ReadOptions::default();
        let mut checker = LocalLinkChecker::new(&files, &options, Vec::new());
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
