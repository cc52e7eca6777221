//! How much two pages are alike: title and headings before the body.
//!
//! Heavy page frames make all pages of a site resemble each other, and error
//! pages with recommendations resemble nothing; what a page calls itself is
//! telling in both cases.

use crate::page::PageView;

/// From this resemblance on two texts count as the same (sic-transit §3 asks
/// for "almost identical" and names no number).
pub(crate) const SAME_TEXT: f64 = 0.9;

/// Below this resemblance two error pages are not one page but a new one each
/// time.
const ROTATING: f64 = 0.5;

/// What two pages have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageSimilarity {
    /// Whether both were answered from one address.
    pub(crate) landing: FinalUrlMatch,
    /// Whether they call themselves the same.
    pub(crate) labels: HeadingMatch,
    /// How much their texts resemble each other.
    pub(crate) text: f64,
    /// Whether both are of one kind, HTML or not.
    pub(crate) is_same_kind: bool,
}

/// Where two answers came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalUrlMatch {
    /// From one and the same address.
    Same,
    /// From addresses that differ only in what was asked.
    Echoed,
    /// From different ones.
    Apart,
}

/// What two pages call themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadingMatch {
    /// The same.
    Same,
    /// The same title, but other headings.
    Partly,
    /// Something else.
    Differ,
    /// Neither has a title or heading of its own.
    Silent,
}

/// Compares two pages.
pub(crate) fn compare(one: &PageView<'_>, other: &PageView<'_>) -> PageSimilarity {
    PageSimilarity {
        landing: landing(one, other),
        labels: labels(one, other),
        text: text(one, other),
        is_same_kind: one.is_html() == other.is_html(),
    }
}

/// How a page relates to two strays that it looks like in name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorPageMatch {
    /// It is the page that strays get.
    Same,
    /// It is another page.
    Other,
    /// Strays get a new page each time, so the text tells nothing.
    Rotating,
}

/// Tells by the texts of two strays whether a page is what strays get: it is,
/// if it differs from them no more than they differ from each other.
pub(crate) fn kinship(
    page: &PageView<'_>,
    first: &PageView<'_>,
    second: &PageView<'_>,
) -> ErrorPageMatch {
    let among = text(first, second);
    if among < ROTATING {
        return ErrorPageMatch::Rotating;
    }
    let nearest = text(page, first).max(text(page, second));
    // What a stray leaves open between itself and another, a page may too.
    let tolerance = 0.05 + (1.0 - among) / 2.0;
    let is_near = nearest >= among - tolerance;
    if is_near && is_as_long(page, first, second) {
        ErrorPageMatch::Same
    } else {
        ErrorPageMatch::Other
    }
}

/// Whether a page is as long as the strays are, but for the addresses they
/// may repeat: a paragraph more is content.
fn is_as_long(page: &PageView<'_>, first: &PageView<'_>, second: &PageView<'_>) -> bool {
    let length = |page: &PageView<'_>| page.digest.text_length;
    let apart = length(page).abs_diff(length(first)).min(length(page).abs_diff(length(second)));
    let addresses = page.url.len().abs_diff(first.url.len()) as u64;
    let among = length(first).abs_diff(length(second));
    apart <= (24 + 4 * addresses).saturating_add(among.saturating_mul(2))
}

fn landing(one: &PageView<'_>, other: &PageView<'_>) -> FinalUrlMatch {
    if one.landing == other.landing {
        return FinalUrlMatch::Same;
    }
    if !one.is_elsewhere() || !other.is_elsewhere() {
        return FinalUrlMatch::Apart;
    }
    let (first, second) = (one.arrival(), other.arrival());
    let is_one_page = first.origin == second.origin && first.path == second.path;
    if is_one_page && repeats(one) && repeats(other) {
        FinalUrlMatch::Echoed
    } else {
        FinalUrlMatch::Apart
    }
}

/// Whether the query of the address that answered repeats the name of the page
/// asked.
fn repeats(page: &PageView<'_>) -> bool {
    let query = page.arrival().query.unwrap_or_default().to_lowercase();
    let name = page.address().name().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !stem.is_empty() && query.contains(stem)
}

/// Compares what two pages call themselves.
pub(crate) fn labels(one: &PageView<'_>, other: &PageView<'_>) -> HeadingMatch {
    // The commonest case needs no listening.
    let is_literal = one.title() == other.title() && one.digest.headings == other.digest.headings;
    if is_literal && !one.title().is_empty() {
        return HeadingMatch::Same;
    }
    let echoes = (one.echo(), other.echo());
    let titles = (echoes.0.distinct_words(one.title()), echoes.1.distinct_words(other.title()));
    let headings = |page: &PageView<'_>| page.digest.headings.join(" ");
    let headings =
        (echoes.0.distinct_words(&headings(one)), echoes.1.distinct_words(&headings(other)));
    let is_silent = titles.0.is_empty() && titles.1.is_empty();
    match (titles.0.agrees(&titles.1), headings.0.agrees(&headings.1)) {
        (true, true) if is_silent && headings.0.is_empty() && headings.1.is_empty() => {
            HeadingMatch::Silent
        }
        (true, true) => HeadingMatch::Same,
        (true, false) => HeadingMatch::Partly,
        (false, _) => HeadingMatch::Differ,
    }
}

/// The resemblance of two texts: by words for short ones, where one repeated
/// address would spoil every shingle, and by shingles for others.
pub(crate) fn text(one: &PageView<'_>, other: &PageView<'_>) -> f64 {
    if one.digest.is_short() && other.digest.is_short() {
        let echoes = (one.echo(), other.echo());
        let first = echoes.0.distinct_words(&one.digest.text_start);
        return first.overlap(&echoes.1.distinct_words(&other.digest.text_start));
    }
    one.digest.sketch.resemblance(&other.digest.sketch)
}
