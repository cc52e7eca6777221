//! Which live pages are worth comparing with a dead one.
//!
//! Pages with the same slug, pages with the same title, and the nearest by
//! name and by name and place. What is not among them is never answered.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::live_page_index::{Field, LivePageIndex, PageNumber, Sums};
use super::profile::PageProfile;
use super::vocabulary::{Vocabulary, union};

/// How many pages are taken for each way of being near.
const NEAREST: usize = 10;

/// A slug or title on more live pages than this finds none by itself; the
/// nearest of them are found by their place.
const MOST_TWINS: usize = 10;

/// The live pages worth comparing with `old`, sorted.
pub fn candidates(
    old: &PageProfile,
    library: &LivePageIndex,
    vocabulary: &Vocabulary,
    sums: &mut Sums,
) -> Vec<PageNumber> {
    let mut found = library.nearest(Field::Name, &old.name, NEAREST, vocabulary, sums);
    found.extend(library.nearest(Field::All, &old.all, NEAREST, vocabulary, sums));
    let with_slug = library.with_slug(old.slug_key);
    found.extend(with_slug.iter().take(twins(with_slug.len())));
    if let Some(key) = old.title_key {
        let with_title = library.with_title(key);
        found.extend(with_title.iter().take(twins(with_title.len())));
    }
    if with_slug.len() > MOST_TWINS {
        let place = union(&old.slug, &old.parent);
        found.extend(nearest_twins(&place, with_slug, library, vocabulary));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How many of so many twins are taken.
fn twins(number: usize) -> usize {
    if number > MOST_TWINS { 0 } else { number }
}

/// The pages among `twins` whose paths share most with the terms `place`.
fn nearest_twins(
    place: &[u32],
    twins: &[PageNumber],
    library: &LivePageIndex,
    vocabulary: &Vocabulary,
) -> Vec<PageNumber> {
    let mut scored: Vec<(f32, PageNumber)> = twins
        .iter()
        .map(|&page| (vocabulary.shared(place, &library.pages[page as usize].path), page))
        .collect();
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(NEAREST).map(|(_, page)| page).collect()
}
