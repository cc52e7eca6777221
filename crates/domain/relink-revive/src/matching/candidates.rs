//! Selects the live pages that are compared with a dead page.
//!
//! Candidates are the pages with the same slug or title, and the nearest pages
//! by slug and title and by path and title. Other pages cannot be matched.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::live_page_index::{Field, LivePageIndex, PageNumber, ScoreBuffer};
use super::profile::PageProfile;
use super::vocabulary::{Vocabulary, union};

/// Maximum number of nearest pages for each search.
const MAX_NEAREST: usize = 10;

/// Maximum number of live pages with the same slug or title that all become candidates. If
/// more pages share the title, none of them becomes a candidate for that reason. If more
/// pages share the slug, those with the most similar paths become candidates.
const MAX_DUPLICATES: usize = 10;

/// Returns the candidates for `old`, sorted.
pub fn candidates(
    old: &PageProfile,
    live_pages: &LivePageIndex,
    vocabulary: &Vocabulary,
    scores: &mut ScoreBuffer,
) -> Vec<PageNumber> {
    let mut found = live_pages.nearest(
        Field::SlugAndTitle,
        &old.slug_and_title,
        MAX_NEAREST,
        vocabulary,
        scores,
    );
    found.extend(live_pages.nearest(
        Field::PathAndTitle,
        &old.path_and_title,
        MAX_NEAREST,
        vocabulary,
        scores,
    ));
    let with_slug = live_pages.with_slug(old.slug_key);
    found.extend(with_slug.iter().take(accepted_duplicates(with_slug.len())));
    if let Some(key) = old.title_key {
        let with_title = live_pages.with_title(key);
        found.extend(with_title.iter().take(accepted_duplicates(with_title.len())));
    }
    if with_slug.len() > MAX_DUPLICATES {
        let terms = union(&old.slug, &old.parent);
        found.extend(nearest_duplicates(&terms, with_slug, live_pages, vocabulary));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns how many of `count` duplicates are candidates: all or none.
fn accepted_duplicates(count: usize) -> usize {
    if count > MAX_DUPLICATES { 0 } else { count }
}

/// Returns the pages whose paths have the most terms in common with `terms`, weighted by how
/// rare the terms are.
fn nearest_duplicates(
    terms: &[u32],
    pages: &[PageNumber],
    live_pages: &LivePageIndex,
    vocabulary: &Vocabulary,
) -> Vec<PageNumber> {
    let mut scored: Vec<(f32, PageNumber)> = pages
        .iter()
        .map(|&page| (vocabulary.shared_weight(terms, &live_pages.pages[page as usize].path), page))
        .collect();
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(MAX_NEAREST).map(|(_, page)| page).collect()
}
