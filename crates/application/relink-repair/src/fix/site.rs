//! Repairs of links on the pages of a crawled site.
//!
//! A crawl reports the pages on which links are. [`map_to_sources`] finds the files that
//! the pages are made from. For other pages, [`repair_page`] rewrites a copy of the page,
//! and [`select_links`] lists its links for a content management system.

use std::path::{Path, PathBuf};

use relink_fix::{LinkEdit, css_selector, rewrite};
use relink_frontier::canonicalize;
use relink_model::{FetchOutcome, Link, LinkTarget, RequestRights};
use relink_page::{DocumentFormat, Options, links_with};
use relink_ports::{Fetch as _, FetchRequest, Files, LinkLocation, RequestOptions, UserAgent};
use url::Url;

use super::LinkFix;
use relink_documents::LocalRules;
use relink_engine::DispatchSettings;
use relink_requests::{PoliteFetch, PoliteFetchSettings, Ports, RobotsUse};

/// Extensions of source files.
const EXTENSIONS: [&str; 10] =
    ["md", "mdx", "markdown", "rst", "adoc", "asciidoc", "html", "htm", "txt", "wiki"];

/// Names of source files of a directory, without extension.
const INDEX_NAMES: [&str; 3] = ["index", "_index", "README"];

/// The repairs of a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteFixes {
    /// Repairs of links in source files, by document and position.
    pub in_sources: Vec<LinkFix>,
    /// Repairs of links on pages without a source file, by page.
    pub on_pages: Vec<LinkFix>,
}

/// Maps repairs of pages to the source files of the pages. `repairs` is sorted by page.
pub async fn map_to_sources(
    files: &dyn Files,
    rules: &LocalRules,
    repairs: Vec<LinkFix>,
) -> SiteFixes {
    let mut site = SiteFixes::default();
    let is_same_page = |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    for page in repairs.chunk_by(is_same_page) {
        let url = page.first().and_then(|fix| Url::parse(&fix.location.path).ok());
        let source_repairs = match &url {
            Some(url) => source_fixes(files, rules, url, page).await,
            None => Vec::new(),
        };
        let is_in_source =
            |fix: &LinkFix| source_repairs.iter().any(|found| found.old_url == fix.old_url);
        site.on_pages.extend(page.iter().filter(|fix| !is_in_source(fix)).cloned());
        site.in_sources.extend(source_repairs);
    }
    let position = |fix: &LinkFix| (fix.location.path.clone(), fix.location.location.span);
    site.in_sources.sort_by_cached_key(position);
    // Several pages can be made from one file.
    site.in_sources.dedup_by(|one, other| position(one) == position(other));
    site
}

/// Returns the repairs of a page in its source file: the first possible file that contains one of
/// the links.
async fn source_fixes(
    files: &dyn Files,
    rules: &LocalRules,
    page: &Url,
    repairs: &[LinkFix],
) -> Vec<LinkFix> {
    for path in rules.paths_of(page.path()).iter().flat_map(|path| source_paths(path)) {
        if files.is_dir(&path).await || !files.exists(&path).await {
            continue;
        }
        let Ok(bytes) = files.read(&path).await else { continue };
        let label = path.to_string_lossy().into_owned();
        let format = DocumentFormat::from_file(Some(&label), &bytes);
        let links = links_with(format, &bytes, &Options::from_file_name(&label)).links;
        let source_repairs = repairs_in_document(&links, &label, repairs);
        if !source_repairs.is_empty() {
            return source_repairs;
        }
    }
    Vec::new()
}

/// Returns the files that a page at this path may be made from.
fn source_paths(path: &Path) -> Vec<PathBuf> {
    let name = path.to_string_lossy();
    let stem = name.trim_end_matches('/');
    let stem = stem.strip_suffix(".html").or_else(|| stem.strip_suffix(".htm")).unwrap_or(stem);
    let mut paths = vec![path.to_owned()];
    paths.extend(EXTENSIONS.iter().map(|extension| PathBuf::from(format!("{stem}.{extension}"))));
    for name in INDEX_NAMES {
        let index = |extension: &&str| Path::new(stem).join(format!("{name}.{extension}"));
        paths.extend(EXTENSIONS.iter().map(index));
    }
    // The source of `/guide/index.html` is often `guide.md` or `guide/index.md`.
    let index_directory = Path::new(stem).parent().filter(|_| stem.ends_with("/index"));
    if let Some(directory) = index_directory {
        let directory = directory.to_string_lossy().into_owned();
        let sibling = |extension: &&str| PathBuf::from(format!("{directory}.{extension}"));
        paths.extend(EXTENSIONS.iter().map(sibling));
    }
    paths
}

/// Returns a repair for each link of a document to a URL of `fixes`. The repairs have the
/// locations of the links in this document.
fn repairs_in_document(links: &[Link], label: &str, fixes: &[LinkFix]) -> Vec<LinkFix> {
    let mut found = Vec::new();
    for link in links {
        let LinkTarget::Web(text) = &link.target else { continue };
        let Ok(url) = canonicalize(None, text) else { continue };
        let fix = fixes.iter().find(|fix| fix.old_url == url.as_str());
        found.extend(fix.map(|fix| LinkFix {
            location: LinkLocation { path: label.to_owned(), location: link.location },
            ..fix.clone()
        }));
    }
    found
}

/// Fetches a page that a crawl reported.
///
/// # Errors
///
/// Returns the reason if the page cannot be fetched.
pub async fn fetch_page(
    ports: &Ports,
    settings: &DispatchSettings,
    page: &Url,
) -> Result<Vec<u8>, String> {
    let polite = PoliteFetch::new(PoliteFetchSettings {
        fetch: &*ports.fetch,
        clock: &*ports.clock,
        store: Some(&*ports.store),
        politeness: settings.politeness,
        max_host_wait: settings.max_host_wait,
        robots: RobotsUse::Obey,
    });
    let stored = ports.store.dead_target(page.as_str()).await.map_err(|error| error.to_string())?;
    let rights = stored.map_or(RequestRights::discovered(), |stored| stored.rights);
    let options = RequestOptions {
        max_body_bytes: Some(settings.max_page_bytes),
        ..RequestOptions::default()
    };
    let request =
        FetchRequest { url: page.clone(), rights, user_agent: UserAgent::Relink, options };
    let result = polite.fetch(request).await;
    if let Some(refusal) = polite.take_refusal() {
        return Err(refusal.to_string());
    }
    let FetchOutcome::Response(200) = result.outcome else {
        return Err(result.outcome.to_string());
    };
    Ok(result.body.map(|body| body.bytes.to_vec()).unwrap_or_default())
}

/// Returns a copy of a page with the repairs, or `None` if the page has none of the links.
pub fn repair_page(page: &Url, bytes: &[u8], fixes: &[LinkFix]) -> Option<Vec<u8>> {
    let options = Options::default();
    let links = links_with(DocumentFormat::Html, bytes, &options).links;
    let edits: Vec<LinkEdit> = repairs_in_document(&links, page.as_str(), fixes)
        .iter()
        .map(|fix| fix.edit(DocumentFormat::Html))
        .collect();
    let rewritten = rewrite(DocumentFormat::Html, &options, bytes, &edits);
    (!rewritten.edits.is_empty()).then_some(rewritten.bytes)
}

/// A repair of a link on a page, with the selector of the link.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedFix {
    /// A CSS selector of the link.
    pub selector: String,
    /// The URL of the link as written on the page.
    pub written_url: String,
    /// The repair.
    pub fix: LinkFix,
}

/// Returns the links of a page that have a repair, each selector once.
pub fn select_links(page: &Url, bytes: &[u8], fixes: &[LinkFix]) -> Vec<SelectedFix> {
    let links = links_with(DocumentFormat::Html, bytes, &Options::default()).links;
    let mut selected: Vec<SelectedFix> = Vec::new();
    for fix in repairs_in_document(&links, page.as_str(), fixes) {
        let span = fix.location.location.span;
        let Some(link) = links.iter().find(|link| link.location.span == span) else { continue };
        let written_url = link.target.text().to_owned();
        let Some(selector) = css_selector(bytes, span, &written_url) else { continue };
        if selected.iter().all(|other| other.selector != selector) {
            selected.push(SelectedFix { selector, written_url, fix });
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_paths_contains_the_page_itself_and_usual_sources() {
        let sources = |page: &str| -> Vec<String> {
            let paths = source_paths(Path::new(page)).into_iter();
            paths.map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let of_page = sources("docs/guide/setup.html");
        assert_eq!(of_page.first().map(String::as_str), Some("docs/guide/setup.html"));
        assert!(of_page.contains(&"docs/guide/setup.md".to_owned()));
        assert!(of_page.contains(&"docs/guide/setup/index.rst".to_owned()));
        assert!(sources("docs/guide/").contains(&"docs/guide/_index.md".to_owned()));
        assert!(sources("docs/guide/index.html").contains(&"docs/guide.md".to_owned()));
    }
}
