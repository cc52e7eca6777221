//! Resolves relative links as URLs, from the page that a site publishes.

use std::path::Path;

use relink_sites::{DocSite, Generator, RouteLookup, SiteIndex, join_path};

use super::is_below;

/// Resolves a relative link as a URL, from the page and from its directory,
/// because a page may be published with or without a slash at the end. Some
/// generators also resolve it from the root of the content.
pub(super) fn find_relative(
    site: &DocSite,
    index: &SiteIndex,
    document: &str,
    path: &str,
) -> RouteLookup {
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
    let has_hook = site.has_link_hook && site.generator == Generator::Hugo;
    if has_hook && !path.contains(['/', '.']) {
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
pub(super) fn names_book(path: &str) -> bool {
    path.trim_start_matches("../").contains('/')
}

/// Whether a path ends with the name of a file that is not a page.
pub(super) fn is_file_name(path: &str) -> bool {
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
pub(super) fn is_above_root(base: &str, path: &str) -> bool {
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
