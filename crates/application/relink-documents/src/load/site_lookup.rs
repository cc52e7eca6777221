//! Resolves a link by the rules of the site that publishes its document.

use std::path::{Path, PathBuf};

use relink_sites::{
    DocSite, Generator, MountContent, ProjectTree as _, RouteLookup, SiteIndex,
    find_antora_resource, join_path,
};

use super::anchor_check::PARTIAL_DIRECTORIES;
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

/// Looks up a path that no site of its document publishes.
fn elsewhere(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<SiteLookup> {
    // GitHub resolves such a link from the root of the repository.
    if path.starts_with('/') && project.is_repository() {
        let found = in_project(project, &join_path("", path));
        if found.is_some() {
            return found;
        }
    }
    if path.starts_with('/')
        && let Some(found) = below_mounts(project, sites, document, path)
    {
        return Some(found);
    }
    let shared = untranslated(project, sites, document, path)
        .or_else(|| shared_resource(project, sites, document, path))
        .or_else(|| above_partials(project, document, path));
    if let Some(file) = shared {
        return Some(SiteLookup::File(project.path(&file), Vec::new()));
    }
    if let Some(found) = from_includers(project, sites, document, path) {
        return Some(found);
    }
    if is_build_result(project, sites, document, path) {
        return Some(SiteLookup::Generated);
    }
    // Sites of one project are often published below each other.
    if path.starts_with("../")
        && leaves_sites(sites, document, path)
        && let Some(found) = in_any_site(project, path)
    {
        return Some(found);
    }
    // A document that is not published itself may be copied into a site.
    let is_published = project
        .known_sites()
        .iter()
        .any(|site| site.mounts.iter().any(|mount| is_below(document, &mount.dir)));
    let is_part = document.contains('/') && !is_published && !path.starts_with('/');
    let found = is_part.then(|| in_any_site(project, path)).flatten();
    // A book is often published next to others.
    let leaves_book = is_part
        && path.starts_with("../")
        && names_book(path)
        && Path::new(path).extension().is_some_and(|name| name == "html")
        && project.known_sites().iter().any(|site| site.generator == Generator::MdBook);
    found.or_else(|| leaves_book.then_some(SiteLookup::OtherSite(None)))
}

/// Looks up a path from the directories that contain the document. Sphinx and
/// Docusaurus accept such paths of source files, also of hidden ones.
fn below_mounts(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<SiteLookup> {
    let mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    let mut own = mounts.into_iter().filter(|mount| is_below(document, &mount.dir));
    let file = own.find_map(|mount| {
        let file = join_path(&mount.dir, path);
        // Sphinx chooses one of the files of `image.*`.
        let Some(prefix) = file.strip_suffix('*').filter(|prefix| prefix.ends_with('.')) else {
            return project.is_file(&file).then_some(file);
        };
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        let names = project.entries(folder).into_iter().map(|(name, _)| name);
        let mut files = names.map(|name| join_path(folder, &name));
        files.find(|file| file.starts_with(prefix))
    })?;
    Some(SiteLookup::File(project.path(&file), Vec::new()))
}

/// Returns the document in the default language for a path in a translation.
/// Docusaurus publishes it in place of a missing translation.
fn untranslated(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<String> {
    let mut docusaurus = sites.iter().filter(|(site, _)| site.generator == Generator::Docusaurus);
    let (site, _) = docusaurus.next()?;
    let translations = join_path(&site.root, "i18n");
    let mount = site.mounts.iter().filter(|mount| is_below(document, &mount.dir));
    let mount = mount.max_by_key(|mount| mount.dir.len())?;
    if !is_below(&mount.dir, &translations) {
        return None;
    }
    let inside = document.strip_prefix(mount.dir.as_str())?;
    let folder = inside.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if path.starts_with('/') { join_path("", path) } else { join_path(folder, path) };
    // The directory of a version has the same name in each language.
    let version = mount.dir.rsplit('/').next().filter(|name| name.starts_with("version-"));
    let originals = site.mounts.iter().filter(|mount| !is_below(&mount.dir, &translations));
    let mut originals = originals.filter(|mount| match version {
        Some(version) => mount.dir.ends_with(version),
        None => !mount.dir.contains("/version-"),
    });
    originals.find_map(|mount| {
        let file = join_path(&mount.dir, &path);
        (!path.is_empty() && project.is_file(&file)).then_some(file)
    })
}

/// Returns a file next to a translation of the document. Hugo shares the files of
/// page bundles between languages.
fn shared_resource(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<String> {
    let (site, _) = sites.iter().find(|(site, _)| site.generator == Generator::Hugo)?;
    let is_markdown = Path::new(path).extension().is_some_and(|name| name == "md");
    if path.starts_with('/') || !is_file_name(path) || is_markdown {
        return None;
    }
    let languages = site.mounts.iter().filter(|mount| is_locale(&mount.dir));
    let own = languages.clone().find(|mount| is_below(document, &mount.dir))?;
    let inside = document.strip_prefix(own.dir.as_str())?;
    let folder = inside.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files = languages.map(|mount| join_path(&mount.dir, &format!("{folder}/{path}")));
    files.find(|file| project.is_file(file))
}

/// Whether the last segment of a directory is a language.
fn is_locale(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    let language = name.split(['-', '_']).next().unwrap_or_default();
    (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns the file of a relative path in a document that other documents
/// include: the path may start from the directory above that of the parts.
fn above_partials(project: &Project, document: &str, path: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    if path.starts_with('/') || !name.starts_with('_') || is_above_root(above, path) {
        return None;
    }
    let file = join_path(above, path);
    let documents = PAGE_EXTENSIONS.iter().map(|extension| format!("{file}.{extension}"));
    std::iter::once(file.clone()).chain(documents).find(|file| project.is_file(file))
}

/// Looks up a relative path of a part of documents from the documents that include it.
fn from_includers(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> Option<SiteLookup> {
    if path.starts_with('/') || path.is_empty() || !is_part(sites, document) {
        return None;
    }
    project.includers_of(document).filter(|includer| *includer != document).find_map(|includer| {
        let folder = includer.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !is_above_root(folder, path)
            && let Some(found) = in_project(project, &join_path(folder, path))
        {
            return Some(found);
        }
        sites.iter().find_map(|(site, index)| match find_relative(site, index, includer, path) {
            RouteLookup::Found(file) => Some(SiteLookup::File(project.path(&file), Vec::new())),
            _ => None,
        })
    })
}

/// Whether a document is probably a part of others: by the name of its directory or its own
/// name, or because no site publishes it.
fn is_part(sites: &[(&DocSite, &SiteIndex)], document: &str) -> bool {
    let mut mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    document.split('/').any(|name| name.starts_with('_') || PARTIAL_DIRECTORIES.contains(&name))
        || !mounts.any(|mount| is_below(document, &mount.dir))
}

/// Whether git ignores the file that a link would lead to, so that a build
/// probably creates it.
fn is_build_result(
    project: &Project,
    sites: &[(&DocSite, &SiteIndex)],
    document: &str,
    path: &str,
) -> bool {
    // The links of an ignored document are not build results by that alone.
    if project.is_ignored(document) {
        return false;
    }
    if !path.starts_with('/') {
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        return project.is_ignored(&join_path(folder, path));
    }
    let mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    mounts.into_iter().any(|mount| {
        let prefix = format!("/{}", mount.prefix);
        let rest = path.strip_prefix(prefix.trim_end_matches('/'));
        rest.is_some_and(|rest| {
            let file = join_path(&mount.dir, rest);
            let documents = PAGE_EXTENSIONS.iter().map(|extension| format!("{file}.{extension}"));
            project.is_ignored(&file)
                || !file.is_empty()
                    && !is_file_name(rest)
                    && documents.into_iter().any(|document| project.is_ignored(&document))
        })
    })
}

/// Whether a relative path leads above the directory of each site of the document.
fn leaves_sites(sites: &[(&DocSite, &SiteIndex)], document: &str, path: &str) -> bool {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    let inside = mounts.filter(|mount| is_below(document, &mount.dir));
    let mut inside = inside.filter_map(|mount| folder.strip_prefix(mount.dir.as_str())).peekable();
    inside.peek().is_some() && inside.all(|inside| is_above_root(inside, path))
}

/// Looks up a relative path from the root of each site of the project.
fn in_any_site(project: &Project, path: &str) -> Option<SiteLookup> {
    let mut rest = path;
    while let Some(after) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("./")) {
        rest = after;
    }
    let found = project.all_sites().find_map(|(site, index)| {
        // A site in a directory may be published below its name.
        let nested = rest.strip_prefix(site.root.as_str()).filter(|_| !site.root.is_empty());
        let urls = [Some(format!("/{rest}")), nested.map(|rest| format!("/{rest}"))];
        urls.into_iter().flatten().find_map(|url| match index.find(&url) {
            RouteLookup::Found(file) => Some(file),
            _ => None,
        })
    })?;
    Some(SiteLookup::File(project.path(&found), Vec::new()))
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

/// Resolves a relative link as a URL, from the page and from its directory,
/// because a page may be published with or without a slash at the end. Some
/// generators also resolve it from the root of the content.
fn find_relative(site: &DocSite, index: &SiteIndex, document: &str, path: &str) -> RouteLookup {
    let Some(route) = index.route_of(document) else { return RouteLookup::Missing };
    let mut last = RouteLookup::Missing;
    for base in bases(site, document, route) {
        let full = join_path(&site.base, &base);
        let target = join_path(&full, path);
        let is_below_base =
            site.base.is_empty() || target == site.base || is_below(&target, &site.base);
        if is_above_root(&full, path) || !is_below_base {
            last = RouteLookup::OtherSite;
            continue;
        }
        let found = index.find(&format!("/{target}"));
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
    if site.generator == Generator::MdBook && leaves_book && names_book(path) {
        last
    } else {
        RouteLookup::Missing
    }
}

/// Whether a path that leaves a book names a page of another book: `../book/page`.
fn names_book(path: &str) -> bool {
    path.trim_start_matches("../").contains('/')
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
