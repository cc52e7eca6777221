//! Search index of the live pages of a site.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use std::collections::HashMap;

use super::features::{count, ratio};
use super::profile::{Key, PageProfile, hash_keys};
use super::vocabulary::{Term, Vocabulary};

/// Index of a live page in [`LivePageIndex::pages`].
pub type PageNumber = u32;

/// Searches ignore common terms. With a value of 12, a term is common if more than one in 12
/// pages contains the term.
const PAGES_PER_COMMON_TERM: usize = 12;

/// A term that occurs on at most this number of pages is never common.
const MIN_COMMON_PAGES: usize = 40;

/// Maximum number of pages of a folder that are compared with another folder.
const MAX_OVERLAP_SAMPLE: usize = 40;

/// The fields of a page that an index covers.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    /// Slug and title.
    SlugAndTitle,
    /// Path and title.
    PathAndTitle,
}

/// The live pages and their indexes.
#[derive(Debug, Default)]
pub struct LivePageIndex {
    /// The profiles of the pages.
    pub pages: Vec<PageProfile>,
    slug_and_title: InvertedIndex,
    path_and_title: InvertedIndex,
    by_slug: HashMap<Key, Vec<PageNumber>>,
    by_title: HashMap<Key, Vec<PageNumber>>,
    /// For each folder, the slugs of its pages, sorted.
    folders: HashMap<Key, Vec<Key>>,
    /// For each URL prefix, the number of pages below it.
    counts_below: HashMap<Key, u32>,
}

/// Inverted index: the pages of each term, and the vector length of each page, for
/// the cosine similarity.
#[derive(Debug, Default)]
struct InvertedIndex {
    pages: Vec<Vec<PageNumber>>,
    lengths: Vec<f32>,
}

impl LivePageIndex {
    /// Indexes pages. `vocabulary` must have computed the weights of their terms.
    pub fn new(pages: Vec<PageProfile>, vocabulary: &Vocabulary) -> Self {
        let mut index = Self {
            slug_and_title: InvertedIndex::new(
                pages.iter().map(|page| page.slug_and_title.as_slice()),
                vocabulary,
            ),
            path_and_title: InvertedIndex::new(
                pages.iter().map(|page| page.path_and_title.as_slice()),
                vocabulary,
            ),
            ..Self::default()
        };
        for (number, page) in (0..).zip(&pages) {
            index.by_slug.entry(page.slug_key).or_default().push(number);
            if let Some(key) = page.title_key {
                index.by_title.entry(key).or_default().push(number);
            }
            index.folders.entry(hash_keys(page.folder())).or_default().push(page.slug_key);
            for end in 1..=page.components.len() {
                *index.counts_below.entry(hash_keys(&page.components[..end])).or_default() += 1;
            }
        }
        index.folders.values_mut().for_each(|slugs| slugs.sort_unstable());
        index.pages = pages;
        index
    }

    /// Returns the pages with this slug.
    pub fn with_slug(&self, key: Key) -> &[PageNumber] {
        self.by_slug.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Returns the pages with this title.
    pub fn with_title(&self, key: Key) -> &[PageNumber] {
        self.by_title.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Returns the live page with the URL of `profile`.
    pub fn find(&self, profile: &PageProfile) -> Option<PageNumber> {
        let mut candidates = self.with_slug(profile.slug_key).iter().copied();
        candidates.find(|&page| self.pages[page as usize].components == profile.components)
    }

    /// Returns the number of pages directly in a folder.
    pub fn folder_size(&self, folder: &[Key]) -> usize {
        self.slugs(folder).len()
    }

    /// Returns which share of the slugs in the smaller of two folders also occurs in the
    /// other folder. A high share is a sign of parallel trees, such as versions or languages:
    /// their pages with equal names are not aliases of each other. The result is 0 for the
    /// same folder, because it is not parallel to itself.
    pub fn folder_overlap(&self, one: &[Key], other: &[Key]) -> f32 {
        if one == other {
            return 0.0;
        }
        let (one, other) = (self.slugs(one), self.slugs(other));
        let (small, large) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let step = small.len().div_ceil(MAX_OVERLAP_SAMPLE).max(1);
        let sample = small.iter().step_by(step);
        let sample_size = sample.len();
        let shared = sample.filter(|slug| large.binary_search(slug).is_ok()).count();
        ratio(count(shared), count(sample_size))
    }

    /// Returns the slugs of the pages directly in a folder, sorted.
    fn slugs(&self, folder: &[Key]) -> &[Key] {
        self.folders.get(&hash_keys(folder)).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of pages whose URL starts with these components.
    pub fn count_below(&self, start: &[Key]) -> u32 {
        self.counts_below.get(&hash_keys(start)).copied().unwrap_or(0)
    }

    /// Returns up to `max` pages whose field is most similar to `terms`, best first. The
    /// similarity is the cosine of the term vectors.
    pub fn nearest(
        &self,
        field: Field,
        terms: &[Term],
        max: usize,
        vocabulary: &Vocabulary,
        scores: &mut ScoreBuffer,
    ) -> Vec<PageNumber> {
        let index = match field {
            Field::SlugAndTitle => &self.slug_and_title,
            Field::PathAndTitle => &self.path_and_title,
        };
        let max_pages = (self.pages.len() / PAGES_PER_COMMON_TERM).max(MIN_COMMON_PAGES);
        scores.clear(self.pages.len());
        for &term in terms {
            let Some(pages) = index.pages.get(term as usize) else { continue };
            if pages.len() <= max_pages {
                let weight = vocabulary.weight(term);
                for &page in pages {
                    scores.add(page, weight * weight);
                }
            }
        }
        scores.best(max, &index.lengths)
    }
}

impl InvertedIndex {
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

/// Reusable buffer for the scores of one search.
#[derive(Debug, Default)]
pub struct ScoreBuffer {
    /// For each page, the sum of the weights that were added to it.
    scores: Vec<f32>,
    /// Pages with a score other than zero.
    touched: Vec<PageNumber>,
}

impl ScoreBuffer {
    /// Resizes the buffer and sets all scores to zero.
    fn clear(&mut self, pages: usize) {
        for &page in &self.touched {
            self.scores[page as usize] = 0.0;
        }
        self.touched.clear();
        self.scores.resize(pages, 0.0);
    }

    /// Adds to the score of a page.
    fn add(&mut self, page: PageNumber, weight: f32) {
        let score = &mut self.scores[page as usize];
        if *score == 0.0 {
            self.touched.push(page);
        }
        *score += weight;
    }

    /// Returns the pages with the highest ratio of score to vector length, best first.
    fn best(&self, max: usize, lengths: &[f32]) -> Vec<PageNumber> {
        let similarity = |page: PageNumber| self.scores[page as usize] / lengths[page as usize];
        let mut scored: Vec<(f32, PageNumber)> =
            self.touched.iter().map(|&page| (similarity(page), page)).collect();
        let order =
            |a: &(f32, PageNumber), b: &(f32, PageNumber)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        // Only the best pages are sorted.
        if max < scored.len() {
            scored.select_nth_unstable_by(max, order);
            scored.truncate(max);
        }
        scored.sort_unstable_by(order);
        scored.into_iter().map(|(_, page)| page).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_returns_at_most_the_requested_number_of_pages() {
        let mut buffer = ScoreBuffer::default();
        buffer.clear(3);
        for (page, weight) in [(0, 1.0), (1, 3.0), (2, 2.0)] {
            buffer.add(page, weight);
        }
        for (max, expected) in [(0, vec![]), (1, vec![1]), (2, vec![1, 2]), (9, vec![1, 2, 0])] {
            assert_eq!(buffer.best(max, &[1.0; 3]), expected, "{max}");
        }
    }
}
