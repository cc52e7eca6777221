//! Similarity of two pages. Titles and headings are compared before the text.
//!
//! The text alone is misleading in two cases. All pages of a site with a large template
//! have similar texts. Two error pages that recommend other pages have different texts.
//! Titles and headings are reliable in both cases. Texts are compared by their
//! *resemblance*: the share of shingles (runs of words) that both contain, from 0 to 1,
//! estimated from stored sketches.
//!
//! A *random page* is the response to a random URL, usually an error page.

use crate::page::PageView;
use crate::url_words::{DistinctWords, pair_overlap, words};

/// Minimum resemblance of equal texts (sic-transit §3 requires "almost identical"
/// and gives no number).
pub(crate) const SAME_TEXT: f64 = 0.9;

/// Minimum resemblance of two random pages of one host. Below it, the error page changes
/// with every request.
const MIN_STABLE_RESEMBLANCE: f64 = 0.5;

/// Difference of resemblance that has no meaning, because sketches are samples.
const RESEMBLANCE_TOLERANCE: f64 = 0.05;

/// Characters by which the lengths of two copies of one error page may differ, for
/// example because of the time.
pub(crate) const LENGTH_TOLERANCE: u64 = 24;

/// Maximum number of times that an error page repeats its URL. A longer URL then makes a
/// longer page.
pub(crate) const MAX_URL_REPETITIONS: u64 = 4;

/// The result of a comparison of two pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageSimilarity {
    /// The final URLs.
    pub(crate) final_url: FinalUrlMatch,
    /// The titles and headings.
    pub(crate) headings: HeadingMatch,
    /// The resemblance of the texts, from 0 to 1.
    pub(crate) text: f64,
    /// Whether both are HTML or both are not.
    pub(crate) is_same_kind: bool,
}

/// The relation of two final URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalUrlMatch {
    /// The same URL.
    Same,
    /// URLs that differ only in a query that repeats the requested name.
    RepeatsName,
    /// Different URLs.
    Different,
}

/// The relation of the titles and headings of two pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadingMatch {
    /// The same title and headings.
    Same,
    /// The same title, but different headings.
    TitleOnly,
    /// Different titles.
    Different,
    /// No titles or headings, apart from words of the URL.
    Empty,
}

/// Compares two pages.
pub(crate) fn compare(one: &PageView<'_>, other: &PageView<'_>) -> PageSimilarity {
    PageSimilarity {
        final_url: compare_final_urls(one, other),
        headings: compare_headings(one, other),
        text: text_resemblance(one, other),
        is_same_kind: one.is_html() == other.is_html(),
    }
}

/// The relation of a page to two random pages with the same title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorPageMatch {
    /// The page is the error page.
    Same,
    /// The page is another page.
    Other,
    /// The error page changes with every request, so the text is not evidence.
    Rotating,
}

/// Compares a page with two random pages. They are the same error page if the page
/// differs from them at most as much as they differ from each other.
pub(crate) fn error_page_match(
    page: &PageView<'_>,
    first: &PageView<'_>,
    second: &PageView<'_>,
) -> ErrorPageMatch {
    let among_random = text_resemblance(first, second);
    if among_random < MIN_STABLE_RESEMBLANCE {
        return ErrorPageMatch::Rotating;
    }
    let nearest = text_resemblance(page, first).max(text_resemblance(page, second));
    // The page may differ from the random pages by half of their own difference.
    let tolerance = RESEMBLANCE_TOLERANCE + (1.0 - among_random) / 2.0;
    let is_near = nearest >= among_random - tolerance;
    if is_near && has_similar_length(page, first, second) {
        ErrorPageMatch::Same
    } else {
        ErrorPageMatch::Other
    }
}

/// Whether the page has about the length of the random pages. The tolerance covers URLs
/// that the page repeats; an additional paragraph exceeds it.
fn has_similar_length(page: &PageView<'_>, first: &PageView<'_>, second: &PageView<'_>) -> bool {
    let length = |page: &PageView<'_>| page.digest.text_length;
    let difference =
        length(page).abs_diff(length(first)).min(length(page).abs_diff(length(second)));
    let url_difference = page.url.len().abs_diff(first.url.len()) as u64;
    let among_random = length(first).abs_diff(length(second));
    difference
        <= (LENGTH_TOLERANCE + MAX_URL_REPETITIONS * url_difference)
            .saturating_add(among_random.saturating_mul(2))
}

fn compare_final_urls(one: &PageView<'_>, other: &PageView<'_>) -> FinalUrlMatch {
    if one.final_url == other.final_url {
        return FinalUrlMatch::Same;
    }
    if !one.is_redirected() || !other.is_redirected() {
        return FinalUrlMatch::Different;
    }
    let (first, second) = (one.final_url_parts(), other.final_url_parts());
    let is_same_path = first.origin == second.origin && first.path == second.path;
    if is_same_path && repeats_name(one) && repeats_name(other) {
        FinalUrlMatch::RepeatsName
    } else {
        FinalUrlMatch::Different
    }
}

/// Whether the query of the final URL contains the name of the requested page.
fn repeats_name(page: &PageView<'_>) -> bool {
    let query = page.final_url_parts().query.unwrap_or_default().to_lowercase();
    let name = page.url_parts().name().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !stem.is_empty() && query.contains(stem)
}

/// Compares the titles and headings of two pages.
pub(crate) fn compare_headings(one: &PageView<'_>, other: &PageView<'_>) -> HeadingMatch {
    // Fast path for the most common case.
    let is_literal = one.title() == other.title() && one.digest.headings == other.digest.headings;
    if is_literal && !one.title().is_empty() {
        return HeadingMatch::Same;
    }
    let (url_words, other_url_words) = (one.url_words(), other.url_words());
    let title = url_words.distinct_words(one.title());
    let other_title = other_url_words.distinct_words(other.title());
    let headings = url_words.distinct_words(&one.digest.headings.join(" "));
    let other_headings = other_url_words.distinct_words(&other.digest.headings.join(" "));
    // An error page repeats every requested URL or none. If only one of the titles
    // repeats its URL, that page has a title of its own.
    let has_own_title = title.repeats_own_url(&other_title) != other_title.repeats_own_url(&title);
    let is_empty =
        [&title, &other_title, &headings, &other_headings].into_iter().all(DistinctWords::is_empty);
    let has_same_title = title.agrees_with(&other_title) && !has_own_title;
    match (has_same_title, headings.agrees_with(&other_headings)) {
        (true, true) if is_empty => HeadingMatch::Empty,
        (true, true) => HeadingMatch::Same,
        (true, false) => HeadingMatch::TitleOnly,
        (false, _) => HeadingMatch::Different,
    }
}

/// Whether two titles have the same number of words and differ in at most half of
/// them, so that the others may be the title of one error page.
pub(crate) fn may_have_changing_title(one: &PageView<'_>, other: &PageView<'_>) -> bool {
    let (first, second): (Vec<_>, Vec<_>) =
        (words(one.title()).collect(), words(other.title()).collect());
    let same = first.iter().zip(&second).filter(|(one, other)| one == other).count();
    first.len() == second.len() && same > 0 && 2 * same >= first.len()
}

/// Whether the title of a page is that of two random pages, apart from words that change
/// with every request. At each position, the page must have the word of the first random
/// page, or the random pages must have different words.
pub(crate) fn has_same_stable_title(
    page: &PageView<'_>,
    first: &PageView<'_>,
    second: &PageView<'_>,
) -> bool {
    let titles: [Vec<String>; 3] = [page, first, second].map(|page| words(page.title()).collect());
    let [own, first, second] = &titles;
    let is_same_length = own.len() == first.len() && first.len() == second.len();
    let mut all = own.iter().zip(first.iter().zip(second));
    is_same_length && all.all(|(own, (first, second))| own == first || first != second)
}

/// Minimum number of words by which two messages in the same frame differ.
const MIN_OTHER_WORDS: usize = 2;

/// Whether a short page has the words of a random page, but not those of `other`: the
/// pages show two messages in the same frame.
pub(crate) fn shares_message_only_with(
    page: &PageView<'_>,
    random_page: &PageView<'_>,
    other: &PageView<'_>,
) -> bool {
    let pages = [page, random_page, other];
    if !pages.into_iter().all(|page| page.digest.is_short()) {
        return false;
    }
    let [own_url, random_url, other_url] = pages.map(PageView::url_words);
    let own = own_url.distinct_words(&page.digest.text_start);
    let random = random_url.distinct_words(&random_page.digest.text_start);
    let other = other_url.distinct_words(&other.digest.text_start);
    own.agrees_with(&random) && own.differs_by(&other, MIN_OTHER_WORDS)
}

/// Minimum share of equal word pairs of two short texts with the same words. Below it, the
/// texts only draw on the same small vocabulary.
const MIN_SHARED_PAIRS: f64 = 0.3;

/// Returns the resemblance of two texts. Short texts are compared by words, because
/// one repeated URL would change every shingle; long ones by shingles.
pub(crate) fn text_resemblance(one: &PageView<'_>, other: &PageView<'_>) -> f64 {
    if one.digest.is_short() && other.digest.is_short() {
        let (url_words, other_url_words) = (one.url_words(), other.url_words());
        let (text, other_text) = (&one.digest.text_start, &other.digest.text_start);
        let overlap =
            url_words.distinct_words(text).overlap(&other_url_words.distinct_words(other_text));
        if overlap < SAME_TEXT {
            return overlap;
        }
        let pairs = pair_overlap(text, other_text, [&url_words, &other_url_words]);
        return if pairs < MIN_SHARED_PAIRS { pairs } else { overlap };
    }
    one.digest.sketch.resemblance(&other.digest.sketch)
}
