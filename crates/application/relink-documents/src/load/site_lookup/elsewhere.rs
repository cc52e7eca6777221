//! Looks up paths that no site of their document publishes: in the repository, in other sites, and
//! from documents that include the document.

use std::path::Path;

use relink_sites::{DocSite, Generator, ProjectTree as _, RouteLookup, SiteIndex, join_path};

use super::super::anchor_check::PARTIAL_DIRECTORIES;
use super::super::project::Project;
use super::relative::{find_relative, is_above_root, is_file_name, names_book};
use super::{PAGE_EXTENSIONS, SiteLookup, in_project, is_below};

/// Looks up a path that no site of its document publishes.
pub(super) fn elsewhere(
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
    // The pages that include this part, from whose URLs the path starts, are unknown.
    if !path.starts_with('/') && is_unknown_part(project, document) {
        return Some(SiteLookup::Generated);
    }
    if is_build_result(project, sites, document, path) {
        return Some(SiteLookup::Generated);
    }
    // A redirect may lead to a page that a build creates.
    let mut targets = sites.iter().filter_map(|(_, index)| index.redirect_target(path));
    if path.starts_with('/')
        && let Some(to) = targets.find(|to| is_build_result(project, sites, document, to))
    {
        return Some(SiteLookup::Redirect { to, file: None });
    }
    if is_template(sites, document) {
        return Some(SiteLookup::Generated);
    }
    // Sites of one project are often published below each other.
    if path.starts_with("../")
        && leaves_sites(sites, document, path)
        && let Some(found) = in_any_site(project, path)
    {
        return Some(found);
    }
    // A plugin of the project may send links to source files to the repository of the documents.
    let has_plugin = |site: &DocSite| site.generator == Generator::Docusaurus && site.has_link_hook;
    if leaves_sites(sites, document, path) && sites.iter().any(|(site, _)| has_plugin(site)) {
        return Some(SiteLookup::Generated);
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

/// Whether a document is a template from which documents are made, at a place that is unknown.
fn is_template(sites: &[(&DocSite, &SiteIndex)], document: &str) -> bool {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let has = |names: &[&str]| folder.split('/').any(|name| names.contains(&name));
    let mut mounts = sites.iter().flat_map(|(site, _)| &site.mounts);
    let is_published = mounts.any(|mount| is_below(document, &mount.dir));
    has(&["_templates", "archetypes"])
        || !sites.is_empty() && !is_published && has(&["templates", "template"])
}

/// Whether a document is a part, by the name of its directory, and no document includes it in a
/// way that is known.
fn is_unknown_part(project: &Project, document: &str) -> bool {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_part = folder.split('/').any(|name| name == "_includes" || name == "_partials");
    is_part && project.includers_of(document).next().is_none()
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
pub(super) fn in_any_site(project: &Project, path: &str) -> Option<SiteLookup> {
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
