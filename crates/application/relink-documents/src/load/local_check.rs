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
use relink_sites::{Generator, Variables};

use super::Diagnostic;
use super::directory_cache::DirectoryCache;
use super::labels::Labels;
use super::listing::Listings;
use super::local::LocalLink;
use super::project::{AssumedSite, Project};
use super::read_options::ReadOptions;
use super::skip::CheckSkipReason;

/// Index files of a directory, unless configured.
const DEFAULT_INDEX_FILES: [&str; 6] =
    ["index.html", "README.md", "index.md", "readme.md", "index.mdx", "_index.md"];
/// Extension of documents whose format a generator may decide.
const TEXT_EXTENSION: &str = "txt";

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
pub(super) enum PathLookup {
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
    pub(super) directories: DirectoryCache,
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
    pub(super) listings: Listings,
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

    /// Returns the variables of the site that publishes a document, with its generator.
    pub(super) async fn variables(&mut self, document: &Path) -> Option<(Generator, Variables)> {
        let project = self.project().await?;
        let document = project.relative(document)?;
        let site = project.site_of(&document);
        if [".adoc", ".asciidoc"].iter().any(|extension| document.ends_with(extension)) {
            let mut variables = site.map(|site| site.variables.clone()).unwrap_or_default();
            let read = {
                let project = Arc::clone(&project);
                move || super::attribute_files::read(&project, &document)
            };
            let included = tokio::task::spawn_blocking(read).await.unwrap_or_default();
            variables.extend(included);
            return Some((Generator::Antora, variables));
        }
        site.map(|site| (site.generator, site.variables.clone()))
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
            PathLookup::Missing(_) if link.has_placeholder() => {
                LocalLinkResult::Skipped(CheckSkipReason::Placeholder)
            }
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
