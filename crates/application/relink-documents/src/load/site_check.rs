//! Looks up a link by the rules of the site of its document, or without a site.

use relink_sites::is_in_documents;

use super::local::LocalLink;
use super::local_check::{LocalLinkChecker, PathLookup};
use super::site_lookup::{self, SiteLookup};
use super::skip::CheckSkipReason;

impl LocalLinkChecker<'_> {
    /// Returns the URL of a path on the host of the site that publishes the document.
    pub(super) async fn url_on_site(&mut self, link: &LocalLink) -> Option<String> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await?;
        let site = project.site_of(&project.relative(&document)?)?;
        site.origin.as_ref().map(|origin| format!("{origin}{path}"))
    }

    /// Whether the rules of the site have priority over files.
    pub(super) async fn is_page_url(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        if link.is_site_only() {
            return false;
        }
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await;
        project.is_some_and(|project| site_lookup::is_page_url(&project, &document, &path))
    }

    /// Looks up a relative link to a page in a document that another repository probably
    /// publishes. The link has no extension, and starts from the URL of the page or of its
    /// directory.
    async fn find_unknown_page(&mut self, link: &LocalLink) -> Option<PathLookup> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await?;
        let find = move || {
            let relative = project.relative(&document)?;
            let is_published = is_in_documents(&relative) || project.has_links_from_root();
            let file = Some(relative).filter(|_| is_published)?;
            site_lookup::find_page(&project, &file, &path).map(|page| project.path(&page))
        };
        let found = tokio::task::spawn_blocking(find).await.unwrap_or_default()?;
        Some(PathLookup::Page(found, Vec::new()))
    }

    /// Looks up the link by the rules of the site that publishes its document.
    pub(super) async fn find_on_site(&mut self, link: &LocalLink) -> Option<PathLookup> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let written = path.clone();
        let written_in = document.to_string_lossy().into_owned();
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
            SiteLookup::NoSite if !link.is_site_only() => self.find_unknown_page(link).await,
            SiteLookup::NoSite => {
                let Some(project) = self.project().await else {
                    return without_site(link, None, false);
                };
                let search = move || project.has_links_from_root();
                // HTML in the repository belongs to another program than the documents.
                let is_html = [".html", ".htm"].iter().any(|end| written_in.ends_with(end));
                let is_root =
                    !is_html && tokio::task::spawn_blocking(search).await.unwrap_or_default();
                without_site(link, Some(is_repository), is_root)
            }
        }
    }
}

/// Extensions of documents, which GitHub finds from the root of a repository.
const DOCUMENTS: [&str; 5] = [".md", ".mdx", ".rst", ".adoc", ".markdown"];

/// Whether a path is a module in a language that browsers do not run.
fn is_source_module(path: &str) -> bool {
    [".ts", ".tsx", ".jsx", ".vue", ".svelte"].iter().any(|extension| path.ends_with(extension))
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
