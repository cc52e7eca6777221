//! Directories of documents without a configuration file, whose links show that
//! they are published as a site: another repository contains the generator.

use crate::generators;
use crate::index::{RouteLookup, SiteIndex};
use crate::paths::{join, parent, split_page};
use crate::{DocSite, Generator, MountContent, ProjectTree};

/// Names of directories of documents.
const NAMES: [&str; 7] = ["docs", "doc", "documentation", "content", "guide", "guides", "pages"];
/// Maximum depth of a directory of documents.
const MAX_DEPTH: usize = 3;
/// Maximum number of documents read as evidence for one directory.
const MAX_DOCUMENTS: usize = 200;
/// Number of bytes read from each document.
const MAX_HEAD: usize = 256 * 1024;
/// Minimum number of links that start with `/` as evidence.
const MIN_LINKS: usize = 10;
/// Minimum share of links that start with `/` and lead to a document, in percent.
const MIN_PERCENT: usize = 80;

/// Returns the directories that are published as sites although they have no configuration:
/// most links in them that start with `/` lead to one of their documents. Directories of
/// `known` sites are skipped.
pub fn infer_sites(tree: &dyn ProjectTree, known: &[DocSite]) -> Vec<DocSite> {
    let is_free = |dir: &String| known.iter().all(|site| site.ownership(dir).is_none());
    let mut sites = Vec::new();
    let mut level = vec![String::new()];
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for directory in level {
            for (name, is_dir) in tree.entries(&directory) {
                let dir = join(&directory, &name);
                if !is_dir || !crate::site::is_searched(&name) || !is_free(&dir) {
                    continue;
                }
                if NAMES.contains(&name.as_str()) {
                    sites.extend(infer_site(tree, &dir, &name));
                } else {
                    next.push(dir);
                }
            }
        }
        level = next;
    }
    sites
}

fn infer_site(tree: &dyn ProjectTree, dir: &str, name: &str) -> Option<DocSite> {
    let mut site = DocSite::new(Generator::Plain, dir, dir);
    site.mount(dir, name, MountContent::Pages);
    site.mount(dir, "", MountContent::Pages);
    for files in ["public", "static"] {
        site.mount_existing(tree, &join(parent(dir), files), "", MountContent::Files);
    }
    // `{% link a.md %}` of Jekyll starts from this directory.
    site.alias(crate::SOURCE_PREFIX, dir);
    // A missing path is broken only if its first segment is published from here. Other paths
    // may belong to other repositories.
    site.is_shared_host = true;
    let index = SiteIndex::build(&site, tree, Vec::new());
    let (mut found, mut total) = (0, 0);
    let mut documents = Vec::new();
    add_documents(tree, dir, &mut documents);
    for document in &documents {
        let text = tree.head(document, MAX_HEAD).unwrap_or_default();
        for link in root_links(&text) {
            match index.find(link) {
                RouteLookup::Found(_) | RouteLookup::Redirect { .. } => {
                    found += 1;
                    total += 1;
                }
                RouteLookup::Missing => total += 1,
                RouteLookup::Generated | RouteLookup::OtherSite => {}
            }
        }
    }
    (total >= MIN_LINKS && found * 100 >= total * MIN_PERCENT).then_some(site)
}

/// Whether the directory of a document has a name that is usual for documents of a site.
pub fn is_in_documents(document: &str) -> bool {
    let directory = parent(document);
    directory.split('/').any(|name| NAMES.contains(&name.to_ascii_lowercase().as_str()))
}

/// Whether links that start with `/` are relative to the project, as on GitHub. This is
/// assumed if most such links in the first documents of the project that belong to no `known`
/// site lead to a file, a directory or a document without its extension.
pub fn has_links_from_root(tree: &dyn ProjectTree, known: &[&DocSite]) -> bool {
    let mut documents = Vec::new();
    add_documents(tree, "", &mut documents);
    documents.retain(|document| known.iter().all(|site| site.ownership(document).is_none()));
    let is_document = |path: &str| {
        let files = ["md", "mdx"].map(|extension| format!("{path}.{extension}"));
        files.iter().any(|file| tree.is_file(file))
    };
    let (mut found, mut total) = (0, 0);
    for document in &documents {
        let text = tree.head(document, MAX_HEAD).unwrap_or_default();
        for link in root_links(&text) {
            let path = link.split(['#', '?']).next().unwrap_or_default();
            let path = join("", path);
            total += 1;
            let exists = tree.is_file(&path) || tree.is_dir(&path) || is_document(&path);
            found += usize::from(exists);
        }
    }
    total >= MIN_LINKS && found * 100 >= total * MIN_PERCENT
}

fn add_documents(tree: &dyn ProjectTree, dir: &str, documents: &mut Vec<String>) {
    for (name, is_dir) in tree.entries(dir) {
        if documents.len() >= MAX_DOCUMENTS {
            return;
        }
        if is_dir && !crate::site::is_searched(&name) {
            continue;
        }
        let path = join(dir, &name);
        let is_document =
            split_page(&name).is_some_and(|(_, extension)| matches!(extension, "md" | "mdx"));
        if is_dir {
            add_documents(tree, &path, documents);
        } else if is_document {
            documents.push(path);
        }
    }
}

/// Returns the destinations of Markdown links that start with `/`, without that slash. Skips
/// `//host/…` and template placeholders.
fn root_links(text: &str) -> impl Iterator<Item = &str> {
    let destinations = text.split("](/").skip(1);
    let destinations = destinations.filter_map(|rest| rest.split([')', ' ', '\n']).next());
    destinations.filter(|path| !path.starts_with('/') && !path.contains(['{', '<', '$']))
}

/// Returns the URL paths of a document: without order numbers such as the `1.` in `1.guide`,
/// and as written.
pub(crate) fn routes(
    mount: &crate::Mount,
    relative: &str,
    page: &crate::FrontMatter,
) -> Vec<String> {
    let mut routes = generators::numbered_routes(mount, relative, page);
    routes.extend(generators::plain_routes(mount, relative, page));
    routes.dedup();
    routes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct Tree(BTreeMap<&'static str, String>);

    impl ProjectTree for Tree {
        fn entries(&self, directory: &str) -> Vec<(String, bool)> {
            let below = self.0.keys().filter_map(|path| crate::paths::below(path, directory));
            let mut names: Vec<(String, bool)> = below
                .map(|rest| match rest.split_once('/') {
                    Some((name, _)) => (name.to_owned(), true),
                    None => (rest.to_owned(), false),
                })
                .collect();
            names.dedup();
            names
        }

        fn head(&self, path: &str, _: usize) -> Option<String> {
            self.0.get(path).cloned()
        }
    }

    #[test]
    fn links_from_the_root_are_paths_of_the_project() {
        let tree = |links: &str| {
            Tree(BTreeMap::from([
                ("guide/intro.md", links.to_owned()),
                ("group/README.md", String::new()),
            ]))
        };
        let good = "[a](/group) [b](/guide/intro.md#c) ".repeat(5);
        assert!(has_links_from_root(&tree(&good), &[]));
        assert!(has_links_from_root(&tree(&good.replace(".md", "")), &[]));
        assert!(!has_links_from_root(&tree("[a](/group)"), &[]));
        assert!(!has_links_from_root(&tree(&good.replace("(/g", "(/docs/g")), &[]));
        let site = DocSite::new(Generator::MkDocs, "guide", "guide/mkdocs.yml");
        assert!(!has_links_from_root(&tree(&good), &[&site]));
    }

    #[test]
    fn a_directory_with_working_links_from_the_root_is_a_site() {
        // The index ignores a version such as `3.x`.
        let links = "[a](/docs/3.x/guide/intro) [b](/guide/intro#c) ".repeat(5);
        let tree = |links: &str| {
            Tree(BTreeMap::from([
                ("docs/1.guide/1.intro.md", links.to_owned()),
                ("README.md", String::new()),
            ]))
        };
        let sites = infer_sites(&tree(&links), &[]);
        assert_eq!(sites.len(), 1, "{sites:?}");
        assert_eq!(sites.first().unwrap().root, "docs");
        assert!(infer_sites(&tree("[a](/guide/gone)"), &[]).is_empty());
        let broken = format!("{}{}", "[a](/guide/gone) ".repeat(5), "[b](/guide/intro) ".repeat(5));
        assert!(infer_sites(&tree(&broken), &[]).is_empty());
    }
}
