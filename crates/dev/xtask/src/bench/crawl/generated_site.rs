//! Generates the site for `bench crawl`: linked pages, some of whose links are dead. It
//! is the same in every run.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::XtaskError;

/// Pages per directory.
const PAGES_PER_DIRECTORY: usize = 100;
/// One of this number of pages has a dead link.
const DEAD_LINK_INTERVAL: usize = 20;
/// Links of a page to random pages, in addition to the two links to its children in a
/// binary tree.
const CROSS_LINKS: u64 = 8;
/// Words per page.
const WORDS: u64 = 120;

/// Words of the pages.
const PAGE_WORDS: [&str; 16] = [
    "acorn", "birch", "clover", "daisy", "elm", "fern", "gorse", "hazel", "iris", "jasmine",
    "kelp", "laurel", "moss", "nutmeg", "oak", "poppy",
];

/// A generated site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GeneratedSite {
    pub(super) pages: usize,
}

impl GeneratedSite {
    /// Writes the site below `root`.
    pub(super) fn write(self, root: &Path) -> Result<(), XtaskError> {
        for number in 0..self.pages {
            if number.is_multiple_of(PAGES_PER_DIRECTORY) {
                let directory = root.join(format!("c{}", number / PAGES_PER_DIRECTORY));
                std::fs::create_dir_all(&directory)
                    .map_err(|error| XtaskError::io(&directory, &error))?;
            }
            let path = root.join(page_path(number).get(1..).unwrap_or_default());
            std::fs::write(&path, self.html(number))
                .map_err(|error| XtaskError::io(&path, &error))?;
        }
        let path = root.join("index.html");
        std::fs::write(&path, Self::home_page()).map_err(|error| XtaskError::io(&path, &error))
    }

    /// Returns the home page.
    pub(super) fn home_page() -> String {
        format!("<!doctype html><title>A site</title><a href=\"{}\">begin</a>", page_path(0))
    }

    /// Returns the text of a page.
    pub(super) fn html(self, number: usize) -> String {
        let mut html =
            format!("<!doctype html><title>Page {number}</title><h1>Page {number}</h1>\n<p>");
        // Writing to a string cannot fail.
        for word in 0..WORDS {
            let random = hash_pair(number as u64, word);
            let name = PAGE_WORDS[usize::try_from(random % 16).unwrap_or(0)];
            let _ = write!(html, "{name}{} ", random % 997);
        }
        html += "</p>\n<ul>";
        for to in self.links(number) {
            let _ = write!(html, "<li><a href=\"{}\">page {to}</a>", page_path(to));
        }
        if number.is_multiple_of(DEAD_LINK_INTERVAL) {
            let _ = write!(html, "<li><a href=\"{}\">lost</a>", dead_path(number));
        }
        html + "</ul>\n"
    }

    /// Returns the paths of all dead links.
    pub(super) fn dead_paths(self) -> HashSet<String> {
        (0..self.pages).step_by(DEAD_LINK_INTERVAL).map(dead_path).collect()
    }

    /// Returns the links of a page. Its two tree links make every page reachable
    /// from the first.
    fn links(self, number: usize) -> impl Iterator<Item = usize> {
        let tree = [2 * number + 1, 2 * number + 2].map(|to| to % self.pages);
        let random_link = move |link: u64| {
            let random = hash_pair(number as u64, WORDS + link) % self.pages as u64;
            usize::try_from(random).unwrap_or(0)
        };
        tree.into_iter().chain((0..CROSS_LINKS).map(random_link))
    }
}

/// Returns the path of a page.
pub(super) fn page_path(number: usize) -> String {
    format!("/c{}/p{number}.html", number / PAGES_PER_DIRECTORY)
}

/// Returns the path of the dead link on a page.
fn dead_path(number: usize) -> String {
    format!("/c{}/lost{number}.html", number / PAGES_PER_DIRECTORY)
}

/// Returns a pseudo-random number derived from two others (`SplitMix64`).
fn hash_pair(first: u64, second: u64) -> u64 {
    let mut state = (first << 32 | second).wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_reach_every_page_from_the_first() {
        let site = GeneratedSite { pages: 500 };
        let (mut reached, mut waiting) = (HashSet::from([0]), vec![0]);
        while let Some(number) = waiting.pop() {
            waiting.extend(site.links(number).filter(|to| reached.insert(*to)));
        }
        assert_eq!(reached.len(), 500);
    }

    #[test]
    fn dead_links_are_on_every_20th_page() {
        let site = GeneratedSite { pages: 41 };
        assert_eq!(site.dead_paths().len(), 3);
        for path in site.dead_paths() {
            let pages = (0..41).filter(|number| site.html(*number).contains(&path)).count();
            assert_eq!(pages, 1, "{path}");
        }
    }
}
