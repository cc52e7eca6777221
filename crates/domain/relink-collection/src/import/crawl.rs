//! The pages of a crawl as an outline: directories become folders.

use std::collections::BTreeMap;

use crate::outline::{Outline, OutlineBuilder};

/// Minimum number of pages of a folder. The pages of a smaller directory join the
/// directory above it, because a page needs several other pages as its context.
const MIN_PAGES: usize = 3;

/// A page that a crawl found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrawledPage {
    /// The URL.
    pub url: String,
    /// The title; empty if unknown.
    pub title: String,
}

/// Returns the pages of a crawl in order, with one folder per directory. With `under`,
/// only pages whose URL starts with it are included.
///
/// ```
/// use relink_collection::{CrawledPage, crawl_outline};
/// let pages: Vec<CrawledPage> = ["", "owls/1", "owls/2", "owls/3", "news/1"]
///     .map(|path| CrawledPage { url: format!("https://example.org/{path}"), title: String::new() })
///     .into();
/// let outline = crawl_outline(&pages, None);
/// assert_eq!(outline.title.as_deref(), Some("example.org"));
/// assert_eq!(outline.folders[1].path, ["owls"]);
/// assert_eq!(outline.folders[0].entries.len(), 2);
/// ```
pub fn crawl_outline(pages: &[CrawledPage], under: Option<&str>) -> Outline {
    let pages: Vec<&CrawledPage> = pages
        .iter()
        .filter(|page| under.is_none_or(|prefix| page.url.starts_with(prefix)))
        .collect();
    let directories: Vec<Vec<&str>> = pages.iter().map(|page| directories(&page.url)).collect();
    let common = common_prefix(&directories);
    let paths = folders(directories.iter().map(|path| path.get(common..).unwrap_or_default()));
    let mut builder = OutlineBuilder::default();
    if let Some(first) = directories.first() {
        builder.set_title(&first.get(..common).unwrap_or_default().join("/"));
    }
    for (page, path) in pages.into_iter().zip(paths) {
        builder.select_path(path);
        builder.add_url(&page.url, &page.title);
    }
    builder.finish()
}

/// Returns the host and the directories of a URL.
fn directories(url: &str) -> Vec<&str> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let directory = path.rsplit_once('/').map_or(path, |(directory, _)| directory);
    directory.split('/').filter(|name| !name.is_empty()).collect()
}

/// Returns the number of directories that all URLs have in common.
fn common_prefix(all: &[Vec<&str>]) -> usize {
    let Some((first, others)) = all.split_first() else { return 0 };
    let common_with_first =
        |other: &Vec<&str>| first.iter().zip(other).take_while(|(one, two)| one == two).count();
    others.iter().map(common_with_first).min().unwrap_or(first.len())
}

/// Returns the folder of each page, given the directory of each page. The pages of a directory
/// with too few pages move to its parent directory, from the deepest directories to the root.
fn folders<'p>(paths: impl Iterator<Item = &'p [&'p str]>) -> Vec<Vec<&'p str>> {
    let mut paths: Vec<Vec<&str>> = paths.map(<[&str]>::to_vec).collect();
    let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
    for depth in (1..=deepest).rev() {
        let mut counts: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        for path in paths.iter().filter(|path| path.len() == depth) {
            *counts.entry(path.clone()).or_default() += 1;
        }
        for path in paths.iter_mut().filter(|path| path.len() == depth) {
            if counts.get(path).is_some_and(|count| *count < MIN_PAGES) {
                path.pop();
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the folders of the outline as `path:number of pages`.
    fn outline(urls: &[&str], under: Option<&str>) -> Vec<String> {
        let pages: Vec<CrawledPage> = urls
            .iter()
            .map(|url| CrawledPage { url: (*url).to_owned(), title: String::new() })
            .collect();
        let outline = crawl_outline(&pages, under);
        let folders = outline.folders.iter();
        folders
            .map(|folder| format!("{}:{}", folder.path.join("/"), folder.entries.len()))
            .collect()
    }

    #[test]
    fn directories_become_folders_if_they_have_enough_pages() {
        let urls = [
            "http://a.test/",
            "http://a.test/b/1",
            "http://a.test/b/2",
            "http://a.test/b/3",
            "http://a.test/b/c/4",
            "http://a.test/d/5?x=/y/z",
        ];
        assert_eq!(outline(&urls, None), [":2", "b:4"]);
        assert_eq!(outline(&urls, Some("http://a.test/b/")), [":4"]);
        assert_eq!(outline(&[], None), [":0"]);
    }

    #[test]
    fn pages_of_several_hosts_have_a_folder_per_host() {
        let urls: Vec<String> = (0..6).map(|at| format!("http://h{}.test/{at}", at % 2)).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        assert_eq!(outline(&urls, None), [":0", "h0.test:3", "h1.test:3"]);
    }
}
