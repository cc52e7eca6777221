//! Resolves a link by the rules of the site that publishes its document.

use std::path::{Path, PathBuf};

use relink_sites::{DocSite, Generator, ProjectTree as _, RouteLookup, SiteIndex, join_path};

use super::project::Project;

/// Extensions of documents that a link may omit.
const PAGE_EXTENSIONS: [&str; 7] = ["md", "mdx", "markdown", "adoc", "rst", "html", "yml"];
/// Index pages of a directory.
const INDEX_PAGES: [&str; 8] = [
    "index.md",
    "index.mdx",
    "_index.md",
    "README.md",
    "index.html",
    "index.adoc",
    "index.rst",
    "index.yml",
];

/// Result of a link by the rules of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SiteLookup {
    /// The link leads to this file.
    File(PathBuf),
    /// The link leads to a directory of the repository.
    Folder(PathBuf),
    /// The link works through a redirect.
    Redirect {
        /// The new path or URL.
        to: String,
        /// The file of the new path, if it is known.
        file: Option<PathBuf>,
    },
    /// The generator creates the page.
    Generated,
    /// The page belongs to another site.
    OtherSite,
    /// No page of the site has this path.
    Missing,
    /// The document belongs to no site.
    NoSite,
}

/// Whether a path is a URL of a page rather than the name of a file, so that
/// the rules of the site have priority over files of the same path.
pub(super) fn is_page_url(project: &Project, document: &Path, path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_relative = !path.is_empty() && !path.starts_with('/') && !name.contains('.');
    let Some(document) = project.relative(document).filter(|_| is_relative) else { return false };
    project.site_of(&document).is_some_and(DocSite::has_directory_urls)
}

/// Whether a path leads above the repository. On GitHub, `../../issues` is a
/// page of the repository.
pub(super) fn is_above_project(project: &Project, document: &Path, path: &str) -> bool {
    let Some(document) = project.relative(document) else { return false };
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    project.is_repository() && !path.starts_with('/') && is_above_root(folder, path)
}

/// Looks up a path as written in a document. Blocks the thread.
pub(super) fn look_up(project: &Project, document: &Path, path: &str) -> SiteLookup {
    let Some(document) = project.relative(document) else { return SiteLookup::NoSite };
    let sites = project.sites_of(&document);
    if let Some(file) = aliased(project, &sites, path) {
        return file;
    }
    let mut result = SiteLookup::NoSite;
    for (site, index) in sites {
        let found = if path.starts_with('/') {
            index.find(path)
        } else {
            find_relative(site, index, &document, path)
        };
        let found = to_lookup(project, found);
        if !matches!(found, SiteLookup::Missing) {
            return found;
        }
        result = found;
    }
    // GitHub resolves such a link from the root of the repository.
    let is_github = path.starts_with('/') && project.is_repository();
    let in_repository = is_github.then(|| in_project(project, &join_path("", path)));
    in_repository.flatten().unwrap_or(result)
}

fn to_lookup(project: &Project, found: RouteLookup) -> SiteLookup {
    match found {
        RouteLookup::Found(file) => SiteLookup::File(project.path(&file)),
        RouteLookup::Redirect { to, file } => {
            SiteLookup::Redirect { to, file: file.map(|file| project.path(&file)) }
        }
        RouteLookup::Generated => SiteLookup::Generated,
        RouteLookup::OtherSite => SiteLookup::OtherSite,
        RouteLookup::Missing => SiteLookup::Missing,
    }
}

/// Resolves a relative link as a URL, from the page and from its directory,
/// because a page may be published with or without a slash at the end. Some
/// generators also resolve it from the root of the content.
fn find_relative(site: &DocSite, index: &SiteIndex, document: &str, path: &str) -> RouteLookup {
    let Some(route) = index.route_of(document) else { return RouteLookup::Missing };
    let mut last = RouteLookup::Missing;
    for base in bases(site, document, route) {
        if is_above_root(&base, path) {
            last = RouteLookup::OtherSite;
            continue;
        }
        let found = index.find(&format!("/{}", join_path(&base, path)));
        // A file name is relative to the directory of the document, so another
        // base does not prove that the generator creates the file.
        let is_proof = !is_file_name(path) || base != route;
        match found {
            RouteLookup::Missing | RouteLookup::OtherSite => {}
            RouteLookup::Generated if !is_proof => {}
            found => return found,
        }
    }
    if site.has_link_hook && !path.contains(['/', '.']) {
        return RouteLookup::Generated;
    }
    // A book is often published next to others, with links between them.
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mounts = site.mounts.iter();
    let inside = mounts
        .filter_map(|mount| folder.strip_prefix(mount.dir.as_str()))
        .min_by_key(|rest| rest.len());
    let leaves_book = is_above_root(inside.unwrap_or_default(), path);
    if site.generator == Generator::MdBook && leaves_book { last } else { RouteLookup::Missing }
}

/// Whether a path ends with the name of a file that is not a page.
fn is_file_name(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension != "html" && extension != "htm")
}

/// Returns the URL paths from which a relative link may start, best first.
fn bases(site: &DocSite, document: &str, route: &str) -> Vec<String> {
    let parent = route.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
    let mut bases = vec![parent, route.to_owned()];
    if site.has_directory_urls() {
        bases.reverse();
    }
    if matches!(site.generator, Generator::Docusaurus | Generator::Hugo) {
        let mounts = site.mounts.iter().filter(|mount| document.starts_with(mount.dir.as_str()));
        bases.extend(mounts.map(|mount| mount.prefix.clone()));
    }
    bases
}

/// Whether a relative path leads above the root of the site.
fn is_above_root(base: &str, path: &str) -> bool {
    let mut depth = base.split('/').filter(|segment| !segment.is_empty()).count();
    for segment in path.split('/') {
        match segment {
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            "" | "." => {}
            _ => depth += 1,
        }
    }
    false
}

/// Resolves `~/`, `@site/` and similar prefixes.
fn aliased(project: &Project, sites: &[(&DocSite, &SiteIndex)], path: &str) -> Option<SiteLookup> {
    let mut is_alias = false;
    for (site, _) in sites {
        for alias in &site.aliases {
            let Some(rest) = path.strip_prefix(alias.prefix.as_str()) else { continue };
            is_alias = true;
            if let Some(found) = in_project(project, &join_path(&alias.dir, rest)) {
                return Some(found);
            }
        }
    }
    is_alias.then_some(SiteLookup::Missing)
}

/// Looks up a path of the project, with the extensions of documents.
fn in_project(project: &Project, path: &str) -> Option<SiteLookup> {
    if project.is_file(path) {
        return Some(SiteLookup::File(project.path(path)));
    }
    if !path.is_empty() && project.is_dir(path) {
        let index = INDEX_PAGES.iter().map(|name| join_path(path, name));
        let index = index.into_iter().find(|page| project.is_file(page));
        return Some(match index {
            Some(page) => SiteLookup::File(project.path(&page)),
            None => SiteLookup::Folder(project.path(path)),
        });
    }
    let with_extension = PAGE_EXTENSIONS.iter().map(|extension| format!("{path}.{extension}"));
    let page = with_extension.into_iter().find(|page| project.is_file(page))?;
    Some(SiteLookup::File(project.path(&page)))
}
