//! Resolves a link by the rules of the site that publishes its document.

mod elsewhere;
mod relative;

use std::path::{Path, PathBuf};

use relink_sites::{
    DocSite, Generator, MountContent, ProjectTree as _, RouteLookup, SiteIndex,
    find_antora_resource, join_path,
};

use self::elsewhere::{elsewhere, in_any_site};
use self::relative::{find_relative, is_above_root};
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
    /// The link leads to this file. The further files are other translations or
    /// versions of it.
    File(PathBuf, Vec<PathBuf>),
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
    /// The page belongs to another site, with this URL if it is known.
    OtherSite(Option<String>),
    /// No page of the site has this path.
    Missing,
    /// The component of the site has no resource with this id.
    MissingResource,
    /// The document belongs to no site.
    NoSite,
}

/// Whether a path is a URL of a page rather than the name of a file, so that
/// the rules of the site have priority over files of the same path.
pub(super) fn is_page_url(project: &Project, document: &Path, path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_file = name.contains('.') && !matches!(name, "." | "..");
    let is_relative = !path.is_empty() && !path.starts_with('/') && !is_file;
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
    if let Some(found) = antora_resource(project, &document, path) {
        return found;
    }
    let sites = project.sites_of(&document);
    // docfx accepts both separators.
    let is_docfx = sites.iter().any(|(site, _)| site.generator == Generator::Docfx);
    let slashed = (is_docfx && path.contains('\\')).then(|| path.replace('\\', "/"));
    let path = slashed.as_deref().unwrap_or(path);
    if let Some(file) = aliased(project, &sites, path) {
        return file;
    }
    if let Some(found) = from_repository(project, &sites, &document, path) {
        return found;
    }
    let mut result = SiteLookup::NoSite;
    for (site, index) in &sites {
        let found = if path.starts_with('/') {
            index.find(path)
        } else {
            find_relative(site, index, &document, path)
        };
        let found = match found {
            RouteLookup::Found(file) => page(project, index, &file, &document, path),
            found => to_lookup(project, site, found, path),
        };
        if !matches!(found, SiteLookup::Missing) {
            result = found;
            break;
        }
        result = found;
    }
    match result {
        SiteLookup::Missing if path.starts_with('/') && is_unpublished_html(&sites, &document) => {
            elsewhere(project, &sites, &document, path).unwrap_or(SiteLookup::NoSite)
        }
        SiteLookup::Missing | SiteLookup::NoSite => {
            elsewhere(project, &sites, &document, path).unwrap_or(result)
        }
        SiteLookup::OtherSite(_) if path.starts_with('/') => {
            elsewhere(project, &sites, &document, path).unwrap_or(result)
        }
        SiteLookup::OtherSite(_) => in_any_site(project, path).unwrap_or(result),
        found => found,
    }
}

/// Whether a document is HTML that Sphinx does not publish, such as test data: Sphinx only
/// copies the HTML of static directories. The root of its links is unknown.
fn is_unpublished_html(sites: &[(&DocSite, &SiteIndex)], document: &str) -> bool {
    let is_html = [".html", ".htm"].iter().any(|extension| document.ends_with(extension));
    let is_static = |site: &DocSite| {
        let mut files = site.mounts.iter().filter(|mount| mount.content == MountContent::Files);
        files.any(|mount| is_below(document, &mount.dir))
    };
    is_html && sites.iter().any(|(site, _)| site.generator == Generator::Sphinx && !is_static(site))
}

/// Resolves the path of a document from the root of the repository, in a document that no
/// site publishes. GitHub shows such a document.
fn from_repository(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<SiteLookup> {
    let mut mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    let is_published = mounts.any(|mount| is_below(document, &mount.dir));
    let is_document = PAGE_EXTENSIONS
        .iter()
        .any(|extension| path.rsplit_once('.').is_some_and(|(_, written)| written == *extension));
    let file = join_path("", path);
    let is_file = path.starts_with('/')
        && !is_published
        && is_document
        && project.is_repository()
        && project.is_file(&file);
    is_file.then(|| SiteLookup::File(project.path(&file), Vec::new()))
}

/// Returns the file of a page, with its translations and versions.
fn page(
    project: &Project,
    index: &SiteIndex,
    file: &str,
    document: &str,
    path: &str,
) -> SiteLookup {
    let others = index.other_files(path, document).into_iter().map(|file| project.path(file));
    SiteLookup::File(project.path(file), others.collect())
}

/// Resolves a resource id of Antora. A plain path that is not a resource may
/// still be a file.
fn antora_resource(project: &Project, document: &str, path: &str) -> Option<SiteLookup> {
    if path.is_empty() || path.starts_with('/') {
        return None;
    }
    let found = find_antora_resource(&project.known_sites(), project, document, path)?;
    if !matches!(found, RouteLookup::Found(_))
        && let Some(file) = aliased_resource(project, document, path)
    {
        return Some(SiteLookup::File(project.path(&file), Vec::new()));
    }
    match found {
        RouteLookup::Found(file) => Some(SiteLookup::File(project.path(&file), Vec::new())),
        RouteLookup::OtherSite => Some(SiteLookup::OtherSite(None)),
        _ => path.contains([':', '$']).then_some(SiteLookup::MissingResource),
    }
}

/// Returns the page that has a resource id as an alias (`page-aliases`).
fn aliased_resource(project: &Project, document: &str, id: &str) -> Option<String> {
    let sites = project.all_sites().filter(|(site, _)| site.generator == Generator::Antora);
    let mut files = sites.filter_map(|(_, index)| index.aliased_resource(document, id));
    files.next().map(str::to_owned)
}

fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn to_lookup(project: &Project, site: &DocSite, found: RouteLookup, path: &str) -> SiteLookup {
    match found {
        RouteLookup::Found(file) => SiteLookup::File(project.path(&file), Vec::new()),
        RouteLookup::Redirect { to, file } => {
            SiteLookup::Redirect { to, file: file.map(|file| project.path(&file)) }
        }
        RouteLookup::Generated => SiteLookup::Generated,
        RouteLookup::OtherSite => {
            let origin = site.origin.as_ref().filter(|_| path.starts_with('/'));
            SiteLookup::OtherSite(origin.map(|origin| format!("{origin}{path}")))
        }
        RouteLookup::Missing => SiteLookup::Missing,
    }
}

/// Resolves `~/`, `@site/` and similar prefixes.
fn aliased(project: &Project, sites: &[(&DocSite, &SiteIndex)], path: &str) -> Option<SiteLookup> {
    let mut is_alias = false;
    for (site, index) in sites {
        for alias in &site.aliases {
            let Some(rest) = path.strip_prefix(alias.prefix.as_str()) else { continue };
            // docfx copies dependent repositories next to the directory of the site.
            let above = rest.strip_prefix("../").filter(|_| site.generator == Generator::Docfx);
            if above.is_some_and(|name| is_other_repository(project, site, name)) {
                return Some(SiteLookup::OtherSite(None));
            }
            is_alias = true;
            if let Some(found) = in_project(project, &join_path(&alias.dir, rest)) {
                return Some(found);
            }
            // docfx ignores case.
            if site.generator == Generator::Docfx
                && let RouteLookup::Found(file) = index.find(&format!("/{rest}"))
            {
                return Some(SiteLookup::File(project.path(&file), Vec::new()));
            }
        }
    }
    is_alias.then_some(SiteLookup::Missing)
}

/// Whether a path next to the directory of a site starts with a directory that
/// the project does not have.
fn is_other_repository(project: &Project, site: &DocSite, path: &str) -> bool {
    let parent = site.root.rsplit_once('/').map_or("", |(parent, _)| parent);
    path.split_once('/').is_some_and(|(name, _)| !project.is_dir(&join_path(parent, name)))
}

/// Returns the document that a path without an extension leads to, if the document that links to
/// it is published with URLs like `/guide/page/` or `/guide/page`.
pub(super) fn find_page(project: &Project, document: &str, path: &str) -> Option<String> {
    let (folder, name) = document.rsplit_once('/').unwrap_or(("", document));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // GitHub shows this document, not a site.
    let is_readme = stem.eq_ignore_ascii_case("readme");
    if path.starts_with('/') || last.contains('.') || last.is_empty() || is_readme {
        return None;
    }
    let own = join_path(folder, stem);
    let bases = if stem == "index" || stem == "_index" { vec![folder] } else { vec![folder, &own] };
    let pages = bases.into_iter().filter(|base| !is_above_root(base, path)).flat_map(|base| {
        let page = join_path(base, path);
        let files = PAGE_EXTENSIONS.iter().map(move |extension| format!("{page}.{extension}"));
        let page = join_path(base, path);
        files.chain(INDEX_PAGES.iter().map(move |name| join_path(&page, name)))
    });
    pages.into_iter().find(|file| project.is_file(file))
}

/// Looks up a path of the project, with the extensions of documents.
fn in_project(project: &Project, path: &str) -> Option<SiteLookup> {
    if project.is_file(path) {
        return Some(SiteLookup::File(project.path(path), Vec::new()));
    }
    if !path.is_empty() && project.is_dir(path) {
        let index = INDEX_PAGES.iter().map(|name| join_path(path, name));
        let index = index.into_iter().find(|page| project.is_file(page));
        return Some(match index {
            Some(page) => SiteLookup::File(project.path(&page), Vec::new()),
            None => SiteLookup::Folder(project.path(path)),
        });
    }
    let with_extension = PAGE_EXTENSIONS.iter().map(|extension| format!("{path}.{extension}"));
    let page = with_extension.into_iter().find(|page| project.is_file(page))?;
    Some(SiteLookup::File(project.path(&page), Vec::new()))
}
