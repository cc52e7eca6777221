//! Checks local links: whether the file exists. `anchor_check` checks anchors.
//!
//! `docs/check.md` describes the rules. A link that cannot be decided on the
//! file system is skipped with a reason.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_judge::codes;
use relink_model::{FindingCode, Verdict};
use relink_page::{Anchors, DocumentFormat};
use relink_ports::{Files, NewTarget};
use relink_sites::{Generator, ProjectTree as _, Variables, join_path};

use super::Diagnostic;
use super::directory_cache::{DirectoryCache, PathKind};
use super::label_check::LabelLookup;
use super::labels::Labels;
use super::listing::Listings;
use super::local::{LocalLink, has_known_extension};
use super::project::{AssumedSite, Project};
use super::read_options::ReadOptions;
use super::site_lookup::{self, SiteLookup};
use super::skip::CheckSkipReason;

/// Index files of a directory, unless configured.
const DEFAULT_INDEX_FILES: [&str; 6] =
    ["index.html", "README.md", "index.md", "readme.md", "index.mdx", "_index.md"];
/// Extensions of documents, which GitHub finds from the root of a repository.
const DOCUMENTS: [&str; 5] = [".md", ".mdx", ".rst", ".adoc", ".markdown"];
/// Ends of host names. Other ends, such as `.md` and `.rs`, are usually file extensions.
const HOST_ENDINGS: [&str; 14] = [
    ".com", ".org", ".net", ".io", ".dev", ".edu", ".gov", ".ly", ".co", ".ai", ".app", ".eu",
    ".de", ".uk",
];
/// Extension of documents whose format a generator may decide.
const TEXT_EXTENSION: &str = "txt";
/// Extension that most servers add to a URL path.
const DEFAULT_EXTENSION: &str = "html";

/// Result of a local link.
#[derive(Debug)]
pub(super) enum LocalLinkResult {
    /// The link is checked.
    Checked(NewTarget),
    /// The link cannot be decided.
    Skipped(CheckSkipReason),
    /// The text is not a link for the generator of the document.
    Text,
    /// The link leads to this URL.
    Web(String),
}

/// Result of a path lookup.
enum PathLookup {
    File(PathBuf),
    /// A page of a site, and its other translations and versions.
    Page(PathBuf, Vec<PathBuf>),
    /// A page of another site.
    Web(String),
    /// A resource that the site does not have.
    MissingResource,
    Folder(PathBuf),
    /// A redirect map leads to another path.
    Redirect {
        to: String,
        file: Option<PathBuf>,
    },
    Skipped(CheckSkipReason),
    Missing(String),
}

/// The project of the inputs.
enum ProjectState {
    /// Not searched yet; the first link that needs it starts the search.
    Unknown,
    /// There are no files among the inputs.
    None,
    Found(Arc<Project>),
}

/// Checks local links, with a cache of anchors.
pub(super) struct LocalLinkChecker<'a> {
    pub(super) files: &'a Arc<dyn Files>,
    pub(super) options: &'a ReadOptions,
    /// Whether no other task needs the thread, because the run is offline.
    pub(super) may_block: bool,
    directories: DirectoryCache,
    /// Paths of the inputs, from which the project is found.
    inputs: Vec<PathBuf>,
    project: ProjectState,
    /// Labels of sites, by configuration file.
    pub(super) labels: HashMap<String, Arc<Labels>>,
    pub(super) anchors: HashMap<PathBuf, Option<Arc<Anchors>>>,
    /// Total number of cached anchors.
    pub(super) cached_anchors: usize,
    /// Suggestions for missing anchors, by file and anchor.
    pub(super) suggestions: HashMap<(PathBuf, String), Option<String>>,
    /// Names in directories with missing files.
    listings: Listings,
    /// Files whose anchors could not be read.
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> LocalLinkChecker<'a> {
    pub(super) fn new(
        files: &'a Arc<dyn Files>,
        options: &'a ReadOptions,
        inputs: Vec<PathBuf>,
        may_block: bool,
    ) -> Self {
        Self {
            files,
            options,
            may_block,
            directories: DirectoryCache::default(),
            inputs,
            project: ProjectState::Unknown,
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
        match &self.project {
            ProjectState::Found(project) => project.assumed_sites(),
            ProjectState::Unknown | ProjectState::None => Vec::new(),
        }
    }

    /// Returns the format of a document if the generator decides it, and not the name.
    pub(super) async fn site_format(&mut self, document: &Path) -> Option<DocumentFormat> {
        if document.extension().is_none_or(|extension| extension != TEXT_EXTENSION) {
            return None;
        }
        let project = self.project().await?;
        let site = project.site_of(&project.relative(document)?)?;
        site.has_text_documents.then_some(DocumentFormat::Rst)
    }

    /// Whether the generator of a Markdown document has no wiki links. The brackets of
    /// `[[name]]` are text then.
    async fn is_text(&mut self, link: &LocalLink) -> bool {
        let Some((document, _)) = link.site_path().filter(|_| link.style().is_wiki_link) else {
            return false;
        };
        let document = document.to_owned();
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        project.site_of(&document).is_some_and(|site| !site.generator.may_have_wiki_links())
    }

    /// Returns the variables of the site that publishes a document, with its generator.
    pub(super) async fn variables(&mut self, document: &Path) -> Option<(Generator, Variables)> {
        let project = self.project().await?;
        let site = project.site_of(&project.relative(document)?)?;
        Some((site.generator, site.variables.clone()))
    }

    /// Returns the URL of a path on the host of the site that publishes the document.
    async fn url_on_site(&mut self, link: &LocalLink) -> Option<String> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await?;
        let site = project.site_of(&project.relative(&document)?)?;
        site.origin.as_ref().map(|origin| format!("{origin}{path}"))
    }

    /// Checks a link.
    pub(super) async fn check(&mut self, link: &LocalLink) -> LocalLinkResult {
        let mut lookup = self.find(link).await;
        if link.style().is_url
            && matches!(lookup, PathLookup::Missing(_))
            && let Some(url) = self.url_on_site(link).await
        {
            lookup = PathLookup::Web(url);
        }
        let may_be_page_name = link.style().may_be_page_name;
        if matches!(lookup, PathLookup::Missing(_))
            && let Some(result) = self.check_other_project(link).await
        {
            return result;
        }
        match lookup {
            PathLookup::Missing(_) if self.is_label(link).await => alive(link, "the label exists"),
            PathLookup::Missing(_) if self.is_text(link).await => LocalLinkResult::Text,
            PathLookup::Missing(_) if may_be_page_name && self.is_below_root(link).await => {
                alive(link, "the file exists")
            }
            PathLookup::Missing(_)
                if may_be_page_name
                    || self.may_be_object(link).await
                    || self.may_be_external_document(link).await =>
            {
                LocalLinkResult::Skipped(CheckSkipReason::PageName)
            }
            PathLookup::Missing(reason) => finding(link, codes::MISSING_FILE, reason),
            PathLookup::Skipped(reason) => LocalLinkResult::Skipped(reason),
            PathLookup::MissingResource => {
                let reason = "the component has no such resource".to_owned();
                finding(link, codes::MISSING_FILE, reason)
            }
            PathLookup::Web(url) => LocalLinkResult::Web(match link.fragment() {
                Some(fragment) => format!("{url}#{fragment}"),
                None => url,
            }),
            PathLookup::File(file) => self.check_file(&resolved(link, &file), vec![file]).await,
            PathLookup::Page(file, others) => {
                // The same path may be missing in another document, so the key is that of the
                // file. Which anchors are valid depends on the language of the document.
                let depends_on_document = !others.is_empty() && link.fragment().is_some();
                let link = if depends_on_document { link.clone() } else { link.with_path(&file) };
                let files = std::iter::once(file).chain(others).collect();
                self.check_file(&link, files).await
            }
            PathLookup::Folder(folder) => {
                self.check_folder(&resolved(link, &folder), &folder).await
            }
            PathLookup::Redirect { to, file } => self.check_redirect(link, &to, file).await,
        }
    }

    async fn check_file(&mut self, link: &LocalLink, files: Vec<PathBuf>) -> LocalLinkResult {
        match link.fragment() {
            None => alive(link, "the file exists"),
            Some(fragment) => self.check_anchor(link, fragment, &files, true).await,
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
        if let Some(file) = self.find_in_images_dir(link).await {
            return PathLookup::File(file);
        }
        match missing {
            Some(reason) if !reason.is_empty() => PathLookup::Missing(reason),
            _ => PathLookup::Missing(self.missing_reason(link).await),
        }
    }

    /// Whether the rules of the site have priority over files.
    async fn is_page_url(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        if link.is_site_only() {
            return false;
        }
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await;
        project.is_some_and(|project| site_lookup::is_page_url(&project, &document, &path))
    }

    /// Whether a link in Markdown of a Sphinx site may be the name of an object
    /// or label that is defined in source code or in another project.
    async fn may_be_object(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let is_name = !path.is_empty() && !path.contains('/') && !has_known_extension(path);
        let is_markdown = DocumentFormat::from_file(Some(&document.to_string_lossy()), b"")
            == DocumentFormat::Markdown;
        if !is_name || !is_markdown {
            return false;
        }
        let is_item = path.contains("::") || !path.contains('.');
        let is_hyphenated = path.contains('-') && !path.contains(['.', ':']);
        let label = path.to_owned();
        let document = document.to_owned();
        if is_hyphenated
            && let Some(LabelLookup::Missing(_)) = self.find_label(&document, &label).await
        {
            return false;
        }
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        project.labels_site(&document).is_some_and(|site| {
            // Names of rules have dots and are in the documents; names of Rust
            // items are not.
            if site.has_rule_labels {
                is_item
            } else {
                let has_objects = site.has_external_labels || site.has_source_labels;
                has_objects || site.has_generated_reference
            }
        })
    }

    /// Whether a reference in a Sphinx site may lead to a document of another project.
    async fn may_be_external_document(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let is_reference = !link.style().extensions.is_empty() && !path.starts_with(['/', '.']);
        let (document, written) = (document.to_owned(), path.to_owned());
        if !is_reference || has_known_extension(path) {
            return false;
        }
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        // A document in a directory of the site is one of its own.
        let Some((folder, _)) = written.split_once('/') else { return false };
        let own = document.rsplit_once('/').map_or("", |(own, _)| own);
        project.labels_site(&document).is_some_and(|site| {
            let mut parents = [own, site.root.as_str()].into_iter();
            site.has_external_documents
                && !parents.any(|parent| project.is_dir(&join_path(parent, folder)))
        })
    }

    /// Whether a path is that of a page or file from the root of the site. A component may
    /// add the slash.
    async fn is_below_root(&mut self, link: &LocalLink) -> bool {
        let Some(link) = link.to_root_relative() else { return false };
        let found = self.find_on_site(&link).await;
        matches!(found, Some(PathLookup::File(_) | PathLookup::Page(..)))
    }

    /// Whether the path of a link is a label of its site.
    async fn is_label(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let (document, path) = (document.to_owned(), path.to_owned());
        self.find_label(&document, &path).await == Some(LabelLookup::Found)
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
        match self.any_extension(path) {
            Some(file) => PathLookup::File(file),
            None => PathLookup::Missing(String::new()),
        }
    }

    /// Returns the first file of `image.*`, from which Sphinx chooses one.
    fn any_extension(&mut self, path: &Path) -> Option<PathBuf> {
        let prefix = path.file_name()?.to_str()?.strip_suffix('*').filter(|p| p.ends_with('.'))?;
        let folder = path.parent()?;
        let names = self.directories.listing(&**self.files, folder)?;
        let name = names.keys().filter(|name| name.starts_with(prefix)).min()?;
        Some(folder.join(name))
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
    pub(super) async fn project(&mut self) -> Option<Arc<Project>> {
        if matches!(self.project, ProjectState::Unknown) {
            let (files, inputs) = (Arc::clone(self.files), self.inputs.clone());
            let choice = self.options.local.site;
            let find = move || Project::find(files, &inputs, choice).map(Arc::new);
            let project = tokio::task::spawn_blocking(find).await.unwrap_or_default();
            self.project = project.map_or(ProjectState::None, ProjectState::Found);
        }
        match &self.project {
            ProjectState::Found(project) => Some(Arc::clone(project)),
            ProjectState::Unknown | ProjectState::None => None,
        }
    }

    /// Looks up the link by the rules of the site that publishes its document.
    async fn find_on_site(&mut self, link: &LocalLink) -> Option<PathLookup> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let written = path.clone();
        let Some(project) = self.project().await else {
            return without_site(link, None, false);
        };
        let is_repository = project.is_repository();
        if !link.is_site_only() && site_lookup::is_above_project(&project, &document, &path) {
            return Some(PathLookup::Skipped(CheckSkipReason::OtherSite));
        }
        let found = if project.is_ready(&document) {
            site_lookup::look_up(&project, &document, &path)
        } else {
            let look_up = move || site_lookup::look_up(&project, &document, &path);
            tokio::task::spawn_blocking(look_up).await.unwrap_or(SiteLookup::NoSite)
        };
        match found {
            SiteLookup::File(file, others) => Some(PathLookup::Page(file, others)),
            SiteLookup::MissingResource => Some(PathLookup::MissingResource),
            SiteLookup::Folder(folder) => Some(PathLookup::Folder(folder)),
            SiteLookup::Redirect { to, file } => Some(PathLookup::Redirect { to, file }),
            SiteLookup::Generated => Some(PathLookup::Skipped(CheckSkipReason::Generated)),
            SiteLookup::OtherSite(Some(url)) => Some(PathLookup::Web(url)),
            SiteLookup::OtherSite(None) => Some(PathLookup::Skipped(CheckSkipReason::OtherSite)),
            // The entry of a page that a bundler builds.
            SiteLookup::Missing if link.is_site_only() && is_source_module(&written) => {
                Some(PathLookup::Skipped(CheckSkipReason::Generated))
            }
            SiteLookup::Missing if link.is_site_only() => {
                Some(PathLookup::Missing("no page of the site has this path".to_owned()))
            }
            SiteLookup::Missing => None,
            SiteLookup::NoSite => {
                let Some(project) = self.project().await else {
                    return without_site(link, None, false);
                };
                let search = move || project.has_links_from_root();
                let is_root = tokio::task::spawn_blocking(search).await.unwrap_or_default();
                without_site(link, Some(is_repository), is_root)
            }
        }
    }

    /// Returns the reason for a missing file, with a similar path if there is
    /// one.
    async fn missing_reason(&mut self, link: &LocalLink) -> String {
        let hint = link.site_path().and_then(|(_, written)| url_hint(written));
        if let Some(hint) = hint {
            return format!("no such file; {hint}");
        }
        match self.similar_path(link.path()).await {
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
}

/// Whether a path is a module in a language that browsers do not run.
fn is_source_module(path: &str) -> bool {
    [".ts", ".tsx", ".jsx", ".vue", ".svelte"].iter().any(|extension| path.ends_with(extension))
}

/// Returns what is wrong with a path that is probably meant as a URL or an address.
fn url_hint(written: &str) -> Option<&'static str> {
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_host = |host: &str| {
        host.contains('.') && host.split('.').all(is_label) && {
            HOST_ENDINGS.iter().any(|ending| host.ends_with(ending))
        }
    };
    if written.starts_with(['(', '[', '"', '\'']) && written.contains("://") {
        return Some("the URL is in extra brackets or quotes");
    }
    if written.rsplit_once('@').is_some_and(|(name, host)| !name.contains('/') && is_host(host)) {
        return Some("a mail address needs `mailto:`");
    }
    let host = written.split(['/', ':']).next().unwrap_or_default();
    is_host(host).then_some("a URL needs `https://`")
}

/// Returns the result of a link in a document that belongs to no site. Unless other documents
/// show that links start from the root of the repository (`is_root`), the root of other links
/// than those to documents is unknown.
fn without_site(
    link: &LocalLink,
    is_repository: Option<bool>,
    is_root: bool,
) -> Option<PathLookup> {
    if !link.is_site_only() {
        return None;
    }
    let path = link.path().to_string_lossy();
    // `/../../issues` is a page of the repository on GitHub.
    if link.site_path().is_some_and(|(_, written)| written.starts_with("/..")) {
        return Some(PathLookup::Skipped(CheckSkipReason::OtherSite));
    }
    let is_document = DOCUMENTS.iter().any(|extension| path.ends_with(extension));
    if is_root || is_document && is_repository == Some(true) {
        return Some(PathLookup::Missing("no such file in the repository".to_owned()));
    }
    Some(PathLookup::Skipped(CheckSkipReason::NoRoot))
}

/// Returns the link with the path of the file that a site publishes. A file
/// found by its own path retains the path as written.
fn resolved(link: &LocalLink, path: &Path) -> LocalLink {
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    // A link in another syntax may not omit the extension.
    let is_complete = link.style().extensions.is_empty();
    let is_own = link.candidates().any(|candidate| {
        candidate == path || is_complete && bytes(path).starts_with(&bytes(candidate))
    });
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

/// Appends an extension: `a.b` becomes `a.b.html`, because `.b` may not be an
/// extension.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut extended = path.as_os_str().to_owned();
    extended.push(".");
    extended.push(extension.trim_start_matches('.'));
    extended.into()
}

pub(super) fn alive(link: &LocalLink, reason: &str) -> LocalLinkResult {
    checked_link(link, Verdict::Alive, None, reason.to_owned())
}

pub(super) fn finding(link: &LocalLink, code: FindingCode, reason: String) -> LocalLinkResult {
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

    use relink_ports::FileError;

    use super::super::LocalRules;
    use super::super::anchor_check::MAX_SUGGESTIONS;
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

    #[test]
    fn hints_tell_urls_from_files() {
        for (written, expected) in [
            ("(https://a.test/b)", Some("the URL is in extra brackets or quotes")),
            ("ada@mail.example.org", Some("a mail address needs `mailto:`")),
            ("example.com/a.md", Some("a URL needs `https://`")),
            ("www.example.co.uk", Some("a URL needs `https://`")),
            ("guide.md", None),
            ("src/lib.rs", None),
            ("../example.com", None),
        ] {
            assert_eq!(url_hint(written), expected, "{written}");
        }
    }

    #[tokio::test]
    async fn suggestions_for_anchors_are_cached_and_limited() {
        let files: Arc<dyn Files> = Arc::new(Same("# Install\n"));
        let options = ReadOptions::default();
        let mut checker = LocalLinkChecker::new(&files, &options, Vec::new(), true);
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
