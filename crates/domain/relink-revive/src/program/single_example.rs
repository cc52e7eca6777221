//! What a single example may teach.
//!
//! Of one example alone, much could be read that was never meant. A constant
//! word in a page's own name, or a piece of a name that is not a number cut
//! from words, is believed only if a second example bears it out.

use super::facts::Facts;
use super::text::cut;
use super::{Extract, NewQuery, Part, Segment, UrlProgram};
use crate::tokens::{extension_at, stem};

/// Whether one example is enough for a program.
pub(super) fn needs_one(program: &UrlProgram, facts: &Facts) -> bool {
    let values: Vec<&[Part]> = match &program.query {
        NewQuery::None | NewQuery::Keep => Vec::new(),
        NewQuery::Make(parameters) => {
            parameters.iter().map(|(_, value)| value.as_slice()).collect()
        }
    };
    // Where a query chooses the page, the path may well be a constant.
    let query_tells = match &program.query {
        NewQuery::None => false,
        NewQuery::Keep => !facts.query.is_empty(),
        NewQuery::Make(_) => !values.is_empty(),
    };
    let is_name_plain = match program.path.last() {
        Some(Segment::Component(parts)) => is_plain(parts, facts) || query_tells,
        Some(Segment::Run { .. }) | None => true,
    };
    let path = program.path.iter().filter_map(|segment| match segment {
        Segment::Component(parts) => Some(parts.as_slice()),
        Segment::Run { .. } => None,
    });
    is_name_plain && path.chain(values).all(|parts| has_plain_cuts(parts, facts))
}

/// Whether a name is taken from the page, without words of its own.
fn is_plain(parts: &[Part], facts: &Facts) -> bool {
    let has_take = parts.iter().any(|part| matches!(part, Part::Take(_)));
    let is_wordless = |(at, part): (usize, &Part)| match part {
        Part::Take(_) => true,
        Part::Text(text) => is_bare(text) || (at + 1 == parts.len() && is_extension(text)),
    };
    has_take && parts.iter().enumerate().all(is_wordless) && has_plain_cuts(parts, facts)
}

fn has_plain_cuts(parts: &[Part], facts: &Facts) -> bool {
    parts.iter().all(|part| match part {
        Part::Text(_) => true,
        Part::Take(take) => take.piece.is_none() || divides_number(take, facts),
    })
}

/// Whether what is kept, or what is dropped, has no letters.
fn divides_number(take: &Extract, facts: &Facts) -> bool {
    let Some(found) = facts.find(&take.source) else { return false };
    let Some(kept) = cut(found.text.clone(), take.stem, take.piece) else { return false };
    let whole = stem(&found.text);
    let dropped = letters(whole).saturating_sub(letters(&kept));
    letters(&kept) == 0 || dropped == 0
}

fn letters(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphabetic()).count()
}

fn is_bare(text: &str) -> bool {
    text.chars().all(|letter| !letter.is_alphanumeric())
}

fn is_extension(text: &str) -> bool {
    extension_at(&format!("x{text}")) == Some(1)
}
