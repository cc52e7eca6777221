//! The site that is crawled: pages that link to each other, with dead links
//! between them.
//!
//! Page by page the same in every run, and of whatever size.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::XtaskError;

/// Pages in one directory.
const PER_CHAPTER: usize = 100;
/// Every page with this number has a link that leads nowhere.
const DEAD_EVERY: usize = 20;
/// Links to pages anywhere, beside the two that reach all of them.
const CROSS_LINKS: u64 = 8;
/// Words of text on a page.
const WORDS: u64 = 120;

const VOCABULARY: [&str; 16] = [
    "acorn", "birch", "clover", "daisy", "elm", "fern", "gorse", "hazel", "iris", "jasmine",
    "kelp", "laurel", "moss", "nutmeg", "oak", "poppy",
];

/// A site of so many pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GeneratedSite {
    pub(super) pages: usize,
}

impl GeneratedSite {
    /// Writes it below `root`.
    pub(super) fn write(self, root: &Path) -> Result<(), XtaskError> {
        for number in 0..self.pages {
            if number.is_multiple_of(PER_CHAPTER) {
                let chapter = root.join(format!("c{}", number / PER_CHAPTER));
                std::fs::create_dir_all(&chapter)
                    .map_err(|error| XtaskError::io(&chapter, &error))?;
            }
            let path = root.join(page(number).get(1..).unwrap_or_default());
            std::fs::write(&path, self.html(number))
                .map_err(|error| XtaskError::io(&path, &error))?;
        }
        let path = root.join("index.html");
        std::fs::write(&path, Self::cover()).map_err(|error| XtaskError::io(&path, &error))
    }

    /// What the front page says.
    pub(super) fn cover() -> String {
        format!("<!doctype html><title>A book</title><a href=\"{}\">begin</a>", page(0))
    }

    /// What a page says.
    pub(super) fn html(self, number: usize) -> String {
        let mut html =
            format!("<!doctype html><title>Page {number}</title><h1>Page {number}</h1>\n<p>");
        // Writing to a string cannot fail.
        for word in 0..WORDS {
            let chance = mixed(number as u64, word);
            let name = VOCABULARY[usize::try_from(chance % 16).unwrap_or(0)];
            let _ = write!(html, "{name}{} ", chance % 997);
        }
        html += "</p>\n<ul>";
        for to in self.links(number) {
            let _ = write!(html, "<li><a href=\"{}\">page {to}</a>", page(to));
        }
        if number.is_multiple_of(DEAD_EVERY) {
            let _ = write!(html, "<li><a href=\"{}\">lost</a>", lost(number));
        }
        html + "</ul>\n"
    }

    /// The paths of all links that lead nowhere.
    pub(super) fn planted(self) -> HashSet<String> {
        (0..self.pages).step_by(DEAD_EVERY).map(lost).collect()
    }

    /// Every page is reached from the first, by the shape of a binary tree.
    fn links(self, number: usize) -> impl Iterator<Item = usize> {
        let tree = [2 * number + 1, 2 * number + 2].map(|to| to % self.pages);
        let anywhere = move |link: u64| {
            let chance = mixed(number as u64, WORDS + link) % self.pages as u64;
            usize::try_from(chance).unwrap_or(0)
        };
        tree.into_iter().chain((0..CROSS_LINKS).map(anywhere))
    }
}

/// The path of a page.
pub(super) fn page(number: usize) -> String {
    format!("/c{}/p{number}.html", number / PER_CHAPTER)
}

fn lost(number: usize) -> String {
    format!("/c{}/lost{number}.html", number / PER_CHAPTER)
}

/// A number that follows from two others as if by chance (`SplitMix64`).
fn mixed(one: u64, other: u64) -> u64 {
    let mut state = (one << 32 | other).wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_reached_from_the_first() {
        let book = GeneratedSite { pages: 500 };
        let (mut reached, mut waiting) = (HashSet::from([0]), vec![0]);
        while let Some(number) = waiting.pop() {
            waiting.extend(book.links(number).filter(|to| reached.insert(*to)));
        }
        assert_eq!(reached.len(), 500);
    }

    #[test]
    fn dead_links_stand_on_the_pages_that_plant_them() {
        let book = GeneratedSite { pages: 41 };
        assert_eq!(book.planted().len(), 3);
        for path in book.planted() {
            let pages = (0..41).filter(|number| book.html(*number).contains(&path)).count();
            assert_eq!(pages, 1, "{path}");
        }
    }
}
