//! Checks whether files contain the anchors that links refer to, with the
//! anchors of included files. `label_check` looks up the labels of the site.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_judge::codes;
use relink_page::{Anchors, DocumentFormat, IncludedFile, SlugStyle};
use relink_ports::{FileError, Files};
use relink_sites::{DocSite, Generator, ProjectTree as _};

use super::includes::{self, IncludeLookup};
use super::local::LocalLink;
use super::local_check::{LocalLinkChecker, LocalLinkResult, alive, finding, has_anchors};
use super::project::Project;
use super::skip::CheckSkipReason;
use super::unreadable;
use crate::anchors::{decoded, is_line_fragment};
use relink_requests::isolate;

/// Maximum number of cached anchors, over all documents.
const MAX_ANCHORS: usize = 500_000;
/// Maximum number of documents with cached anchors.
const MAX_DOCUMENTS: usize = 20_000;
/// Maximum number of missing anchors with a suggestion. One suggestion compares
/// up to 2,000 anchors.
pub(super) const MAX_SUGGESTIONS: usize = 5_000;
/// Directories of text that is published as a part of other pages.
pub(super) const PARTIAL_DIRECTORIES: [&str; 10] = [
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
/// Maximum number of bytes of a document that are searched for shortcodes.
const MAX_SHORTCODES: usize = 1024 * 1024;
/// Maximum number of files that one document includes.
const MAX_INCLUDES: usize = 200;

impl LocalLinkChecker<'_> {
    /// Checks that one of these files has the anchor. `is_certain` means that
    /// the link can refer only to them.
    pub(super) async fn check_anchor(
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
            if anchors.may_have(&decoded) {
                // A reference by label does not depend on the anchors of a page.
                let is_reference = link.style().may_be_page_name;
                let label =
                    if is_reference { self.check_label(link, &decoded).await } else { None };
                return label.unwrap_or(LocalLinkResult::Skipped(CheckSkipReason::Anchor));
            }
            // A wiki link contains the text of a heading.
            let is_text = link.style().is_wiki_link || self.has_unknown_slugs(file).await;
            if is_text && anchors.has_letters(&decoded) {
                return alive(link, "the anchor exists");
            }
            has_known_anchors = true;
            similar = similar.or_else(|| self.similar_anchor(file, &anchors, &decoded));
        }
        if !has_known_anchors && let Some(result) = self.check_code_tag(link, files, &decoded).await
        {
            return result;
        }
        if decoded.starts_with("tab/") {
            // docfx: the heading of a tab is a link to itself.
            return alive(link, "the tab exists");
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

    /// Whether the program that publishes a document is not known, so that it may write the
    /// ids of headings by other rules: the project has a site without a configuration.
    async fn has_unknown_slugs(&mut self, file: &Path) -> bool {
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(file) else { return false };
        let is_plain = |site: &DocSite| site.generator == Generator::Plain;
        project.site_of(&document).is_none_or(is_plain)
            && project.known_sites().into_iter().any(is_plain)
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
                || is_antora_example(file)
        };
        if super::local::is_placeholder(anchor) {
            return true;
        }
        // `#/path` is the state of a script.
        if link.style().is_same_document && files.iter().any(is_partial) || anchor.contains('/') {
            return true;
        }
        // A page may list the documents of its directory, as a glossary does.
        let is_listed = |file: &PathBuf| {
            let stem = file.file_stem().unwrap_or_default();
            (stem == "index" || stem == "_index")
                && self.files.open(&file.with_file_name(format!("{anchor}.md"))).is_ok()
        };
        if files.iter().any(is_listed) || files.iter().any(|file| self.is_term(file, anchor)) {
            return true;
        }
        let (Some(project), Some(file)) = (self.project().await, files.first()) else {
            return false;
        };
        let Some(document) = project.relative(file) else { return false };
        let site = project.site_of(&document);
        site.is_some_and(|site| site.has_generated_reference && anchor.contains(['.', '+']))
            || site.is_some_and(|site| site.generator == Generator::Hugo)
                && is_shortcode_argument(&project, &document, anchor)
            || site.is_some_and(|site| project.has_plugin_heading(site, anchor))
    }

    /// Whether an anchor names another document of a glossary, whose terms are shown on one page:
    /// `#term-pod` and `pod.md`.
    fn is_term(&self, file: &Path, anchor: &str) -> bool {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        let is_glossary = folder.to_string_lossy().to_lowercase().contains("glossary");
        let name = anchor.split_once('-').filter(|_| is_glossary).map(|(_, name)| name);
        name.is_some_and(|name| self.files.open(&file.with_file_name(format!("{name}.md"))).is_ok())
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
        let mut queue = included_by(file, anchors, Place::Page);
        if queue.is_empty() {
            return;
        }
        let project = self.project().await;
        let mut seen = HashSet::new();
        while let Some((document, include, place)) = queue.pop() {
            if seen.len() >= MAX_INCLUDES || !seen.insert((document.clone(), include.clone())) {
                continue;
            }
            let is_layout = matches!(include, IncludedFile::Layout(_));
            let place = if is_layout { Place::Layout } else { place };
            let found =
                project.as_deref().map(|project| includes::find(project, &document, &include));
            match found.unwrap_or(IncludeLookup::Unknown) {
                IncludeLookup::Nothing => {}
                IncludeLookup::Document => {
                    *anchors = std::mem::take(anchors).with_inserted_document();
                }
                // The unknown text of a layout has few anchors that links refer to.
                IncludeLookup::Unknown if place == Place::Layout => {}
                IncludeLookup::Unknown => *anchors = std::mem::take(anchors).with_unknown(),
                IncludeLookup::File(path) => {
                    if let Some(included) = self.read(&path, None, slugs).await {
                        queue.extend(included_by(&path, &included, place));
                        match place {
                            Place::Page => anchors.merge(&included),
                            Place::Layout => anchors.merge_known(&included),
                        }
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
        let site_format = self.site_format(file).await;
        let detect = || DocumentFormat::from_file(Some(&file.to_string_lossy()), b"");
        let format = format.or(site_format).unwrap_or_else(detect);
        if !has_anchors(format) {
            return None;
        }
        let (files, path) = (Arc::clone(self.files), file.to_owned());
        let work = move || read_anchors(&*files, &path, format, slugs);
        let result =
            if self.may_block { work() } else { tokio::task::spawn_blocking(work).await.ok()? };
        match result {
            Ok(anchors) => anchors,
            // A directory has only some of the index files.
            Err(FileError::Missing { .. }) => None,
            Err(error) => {
                self.problems.push(unreadable(file.to_string_lossy().into_owned(), &error));
                None
            }
        }
    }
}

/// Whether a document passes a name to a shortcode, which may make it an id.
fn is_shortcode_argument(project: &Project, document: &str, name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    let text = project.head(document, MAX_SHORTCODES).unwrap_or_default();
    let mut lines = text.lines().filter(|line| line.contains("{{<") || line.contains("{{%"));
    lines.any(|line| line.contains(&quoted))
}

/// Whether a file is an example of Antora, which pages include: `modules/name/examples/…`.
fn is_antora_example(file: &Path) -> bool {
    let parts: Vec<_> = file.iter().collect();
    let is_example = |parts: &[&std::ffi::OsStr]| matches!(parts, [modules, _, family] if *modules == "modules" && *family == "examples");
    parts.windows(3).any(is_example)
}

/// Where a document is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a page.
    Page,
    /// In the layout of a page.
    Layout,
}

/// Returns the files that a document includes.
fn included_by(
    file: &Path,
    anchors: &Anchors,
    place: Place,
) -> Vec<(PathBuf, IncludedFile, Place)> {
    anchors.includes().map(|include| (file.to_owned(), include.clone(), place)).collect()
}

/// Reads and parses a file. Blocks the thread.
fn read_anchors(
    files: &dyn Files,
    path: &Path,
    format: DocumentFormat,
    slugs: SlugStyle,
) -> Result<Option<Anchors>, FileError> {
    let bytes = files.read_blocking(path)?;
    let label = path.display().to_string();
    Ok(isolate(&label, || relink_page::anchors(format, &bytes, slugs)).ok().flatten())
}

/// Whether this renderer has anchors for source lines.
fn has_line_anchors(slugs: SlugStyle) -> bool {
    matches!(slugs, SlugStyle::Any | SlugStyle::GitHub | SlugStyle::GitLab)
}
