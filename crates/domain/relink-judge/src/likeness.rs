//! How much two pages are alike: title and headings before the body.
//!
//! Heavy page frames make all pages of a site resemble each other, and error
//! pages with recommendations resemble nothing; what a page calls itself is
//! telling in both cases.

use crate::page::Page;

/// From this resemblance on two texts count as the same (sic-transit §3 asks
/// for "almost identical" and names no number).
pub(crate) const SAME_TEXT: f64 = 0.9;

/// Below this resemblance two error pages are not one page but a new one each
/// time.
const ROTATING: f64 = 0.5;

/// What two pages have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likeness {
    /// Whether both were answered from one address.
    pub(crate) landing: Landing,
    /// Whether they call themselves the same.
    pub(crate) labels: Labels,
    /// How much their texts resemble each other.
    pub(crate) text: f64,
    /// Whether both are of one kind, HTML or not.
    pub(crate) is_same_kind: bool,
}

/// Where two answers came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Landing {
    /// From one and the same address.
    Same,
    /// From addresses that differ only in what was asked.
    Echoed,
    /// From different ones.
    Apart,
}

/// What two pages call themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
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
pub(crate) fn compare(one: &Page<'_>, other: &Page<'_>) -> Likeness {
    Likeness {
        landing: landing(one, other),
        labels: labels(one, other),
        text: text(one, other),
        is_same_kind: one.is_html() == other.is_html(),
    }
}

/// How a page relates to two strays that it looks like in name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// It is the page that strays get.
    Same,
    /// It is another page.
    Other,
    /// Strays get a new page each time, so the text tells nothing.
    Rotating,
}

/// Tells by the texts of two strays whether a page is what strays get: it is,
/// if it differs from them no more than they differ from each other.
pub(crate) fn kinship(page: &Page<'_>, first: &Page<'_>, second: &Page<'_>) -> Kinship {
    let among = text(first, second);
    if among < ROTATING {
        return Kinship::Rotating;
    }
    let nearest = text(page, first).max(text(page, second));
    // What a stray leaves open between itself and another, a page may too.
    let tolerance = 0.05 + (1.0 - among) / 2.0;
    let is_near = nearest >= among - tolerance;
    if is_near && is_as_long(page, first, second) { Kinship::Same } else { Kinship::Other }
}

/// Whether a page is as long as the strays are, but for the addresses they
/// may repeat: a paragraph more is content.
fn is_as_long(page: &Page<'_>, first: &Page<'_>, second: &Page<'_>) -> bool {
    let length = |page: &Page<'_>| page.digest.text_length;
    let apart = length(page).abs_diff(length(first)).min(length(page).abs_diff(length(second)));
    let addresses = page.url.len().abs_diff(first.url.len()) as u64;
    let among = length(first).abs_diff(length(second));
    apart <= (24 + 4 * addresses).saturating_add(among.saturating_mul(2))
}

fn landing(one: &Page<'_>, other: &Page<'_>) -> Landing {
    if one.landing == other.landing {
        return Landing::Same;
    }
    if !one.is_elsewhere() || !other.is_elsewhere() {
        return Landing::Apart;
    }
    let (first, second) = (one.arrival(), other.arrival());
    let is_one_page = first.origin == second.origin && first.path == second.path;
    if is_one_page && repeats(one) && repeats(other) { Landing::Echoed } else { Landing::Apart }
}

/// Whether the query of the address that answered repeats the name of the page
/// asked.
fn repeats(page: &Page<'_>) -> bool {
    let query = page.arrival().query.unwrap_or_default().to_lowercase();
    let name = page.address().name().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !stem.is_empty() && query.contains(stem)
}

/// Compares what two pages call themselves.
pub(crate) fn labels(one: &Page<'_>, other: &Page<'_>) -> Labels {
    // The commonest case needs no listening.
    let is_literal = one.title() == other.title() && one.digest.headings == other.digest.headings;
    if is_literal && !one.title().is_empty() {
        return Labels::Same;
    }
    let echoes = (one.echo(), other.echo());
    let titles = (echoes.0.listen(one.title()), echoes.1.listen(other.title()));
    let headings = |page: &Page<'_>| page.digest.headings.join(" ");
    let headings = (echoes.0.listen(&headings(one)), echoes.1.listen(&headings(other)));
    let is_silent = titles.0.is_silent() && titles.1.is_silent();
    match (titles.0.agrees(&titles.1), headings.0.agrees(&headings.1)) {
        (true, true) if is_silent && headings.0.is_silent() && headings.1.is_silent() => {
            Labels::Silent
        }
        (true, true) => Labels::Same,
        (true, false) => Labels::Partly,
        (false, _) => Labels::Differ,
    }
}

/// The resemblance of two texts: by words for short ones, where one repeated
/// address would spoil every shingle, and by shingles for others.
pub(crate) fn text(one: &Page<'_>, other: &Page<'_>) -> f64 {
    if one.digest.is_short() && other.digest.is_short() {
        let echoes = (one.echo(), other.echo());
        let first = echoes.0.listen(&one.digest.opening);
        return first.overlap(&echoes.1.listen(&other.digest.opening));
    }
    one.digest.sketch.resemblance(&other.digest.sketch)
}
