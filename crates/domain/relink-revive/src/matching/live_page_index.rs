//! The live pages of a site, indexed so that likely aliases are found at once.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use std::collections::HashMap;

use super::features::{count, ratio};
use super::profile::{Key, PageProfile, key_of_all};
use super::vocabulary::{Term, Vocabulary};

/// A live page, by its number in the library.
pub type PageNumber = u32;

/// A term on more than one in so many pages does not help to find one.
const COMMON_SHARE: usize = 12;

/// On a small site, terms on so many pages still help.
const COMMON_FLOOR: usize = 40;

/// How many pages of a folder are looked up in another.
const PARALLEL_SAMPLE: usize = 40;

/// Which terms of a page an index holds.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    /// Slug and title: what the page is called.
    Name,
    /// Path and title: what it is called and where it stands.
    All,
}

/// The live pages and their indexes.
#[derive(Debug, Default)]
pub struct LivePageIndex {
    /// What each page says about itself.
    pub pages: Vec<PageProfile>,
    name: Index,
    all: Index,
    by_slug: HashMap<Key, Vec<PageNumber>>,
    by_title: HashMap<Key, Vec<PageNumber>>,
    folders: HashMap<Key, Vec<Key>>,
    below: HashMap<Key, u32>,
}

/// For each term the pages that use it, and for each page how much it says.
#[derive(Debug, Default)]
struct Index {
    pages: Vec<Vec<PageNumber>>,
    lengths: Vec<f32>,
}

impl LivePageIndex {
    /// Indexes pages, whose terms `vocabulary` has counted and weighed.
    pub fn new(pages: Vec<PageProfile>, vocabulary: &Vocabulary) -> Self {
        let mut library = Self {
            name: Index::new(pages.iter().map(|page| page.name.as_slice()), vocabulary),
            all: Index::new(pages.iter().map(|page| page.all.as_slice()), vocabulary),
            ..Self::default()
        };
        for (number, page) in (0..).zip(&pages) {
            library.by_slug.entry(page.slug_key).or_default().push(number);
            if let Some(key) = page.title_key {
                library.by_title.entry(key).or_default().push(number);
            }
            library.folders.entry(key_of_all(page.folder())).or_default().push(page.slug_key);
            for end in 1..=page.components.len() {
                *library.below.entry(key_of_all(&page.components[..end])).or_default() += 1;
            }
        }
        library.folders.values_mut().for_each(|slugs| slugs.sort_unstable());
        library.pages = pages;
        library
    }

    /// The pages with this slug.
    pub fn with_slug(&self, key: Key) -> &[PageNumber] {
        self.by_slug.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The pages with this title.
    pub fn with_title(&self, key: Key) -> &[PageNumber] {
        self.by_title.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The page at the address of `profile`, if it is live.
    pub fn at(&self, profile: &PageProfile) -> Option<PageNumber> {
        let mut twins = self.with_slug(profile.slug_key).iter().copied();
        twins.find(|&page| self.pages[page as usize].components == profile.components)
    }

    /// How many pages stand directly in a folder.
    pub fn in_folder(&self, folder: &[Key]) -> usize {
        self.slugs(folder).len()
    }

    /// How much of the smaller of two folders the other has as well: trees
    /// that stand side by side, such as versions or languages, hold pages of
    /// the same name that are not each other's alias.
    pub fn parallel(&self, one: &[Key], other: &[Key]) -> f32 {
        if one == other {
            return 0.0;
        }
        let (one, other) = (self.slugs(one), self.slugs(other));
        let (small, large) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let step = small.len().div_ceil(PARALLEL_SAMPLE).max(1);
        let sample = small.iter().step_by(step);
        let both = sample.clone().filter(|slug| large.binary_search(slug).is_ok()).count();
        ratio(count(both), count(sample.len()))
    }

    /// The slugs of the pages that stand directly in a folder, sorted.
    fn slugs(&self, folder: &[Key]) -> &[Key] {
        self.folders.get(&key_of_all(folder)).map_or(&[], Vec::as_slice)
    }

    /// How many pages have an address that begins so.
    pub fn below(&self, start: &[Key]) -> u32 {
        self.below.get(&key_of_all(start)).copied().unwrap_or(0)
    }

    /// The pages nearest to some terms, best first, at most `most` of them.
    pub fn nearest(
        &self,
        field: Field,
        terms: &[Term],
        most: usize,
        vocabulary: &Vocabulary,
        sums: &mut Sums,
    ) -> Vec<PageNumber> {
        let index = match field {
            Field::Name => &self.name,
            Field::All => &self.all,
        };
        let common = (self.pages.len() / COMMON_SHARE).max(COMMON_FLOOR);
        sums.clear(self.pages.len());
        for &term in terms {
            let Some(pages) = index.pages.get(term as usize) else { continue };
            if pages.len() <= common {
                let weight = vocabulary.weight(term);
                for &page in pages {
                    sums.add(page, weight * weight);
                }
            }
        }
        sums.best(most, &index.lengths)
    }
}

impl Index {
    /// Indexes the terms of pages.
    fn new<'a>(pages: impl Iterator<Item = &'a [Term]>, vocabulary: &Vocabulary) -> Self {
        let mut index = Self::default();
        for (number, terms) in (0..).zip(pages) {
            let mut squares = 0.0;
            for &term in terms {
                let at = term as usize;
                if index.pages.len() <= at {
                    index.pages.resize_with(at + 1, Vec::new);
                }
                index.pages[at].push(number);
                squares += vocabulary.weight(term).powi(2);
            }
            index.lengths.push(f32::sqrt(squares).max(f32::MIN_POSITIVE));
        }
        index
    }
}

/// Room for the sums of one search, used again for the next.
#[derive(Debug, Default)]
pub struct Sums {
    sums: Vec<f32>,
    touched: Vec<PageNumber>,
}

impl Sums {
    /// Makes room for so many pages, all at zero.
    fn clear(&mut self, pages: usize) {
        for &page in &self.touched {
            self.sums[page as usize] = 0.0;
        }
        self.touched.clear();
        self.sums.resize(pages, 0.0);
    }

    /// Adds to the sum of a page.
    fn add(&mut self, page: PageNumber, weight: f32) {
        let sum = &mut self.sums[page as usize];
        if *sum == 0.0 {
            self.touched.push(page);
        }
        *sum += weight;
    }

    /// The pages with the greatest sums for their length, best first.
    fn best(&self, most: usize, lengths: &[f32]) -> Vec<PageNumber> {
        let score = |page: PageNumber| self.sums[page as usize] / lengths[page as usize];
        let mut scored: Vec<(f32, PageNumber)> =
            self.touched.iter().map(|&page| (score(page), page)).collect();
        let order =
            |a: &(f32, PageNumber), b: &(f32, PageNumber)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if scored.len() > most && most > 0 {
            scored.select_nth_unstable_by(most - 1, order);
            scored.truncate(most);
        }
        scored.sort_unstable_by(order);
        scored.into_iter().map(|(_, page)| page).collect()
    }
}
