//! Decides whether a program may be learned from a single example.
//!
//! A single example does not distinguish a rule from a coincidence. Two cases
//! require a second example: a constant word in the name of the page, and a
//! substring that does not simply separate digits from letters.

use super::parsed_old_page::ParsedOldPage;
use super::text::substring;
use super::{Extract, NewQuery, Part, Segment, UrlProgram};
use crate::tokens::{extension_start, stem};

/// Whether a single example is enough for a program.
pub(super) fn one_example_suffices(program: &UrlProgram, old: &ParsedOldPage) -> bool {
    let values: Vec<&[Part]> = match &program.query {
        NewQuery::None | NewQuery::Keep => Vec::new(),
        NewQuery::Make(parameters) => {
            parameters.iter().map(|(_, value)| value.as_slice()).collect()
        }
    };
    // If a query selects the page, the path may be a constant.
    let has_query = match &program.query {
        NewQuery::None => false,
        NewQuery::Keep => !old.query.is_empty(),
        NewQuery::Make(_) => !values.is_empty(),
    };
    let has_safe_name = match program.path.last() {
        Some(Segment::Component(parts)) => is_safe_name(parts, old) || has_query,
        Some(Segment::Run { .. }) | None => true,
    };
    let path = program.path.iter().filter_map(|segment| match segment {
        Segment::Component(parts) => Some(parts.as_slice()),
        Segment::Run { .. } => None,
    });
    has_safe_name && path.chain(values).all(|parts| has_safe_substrings(parts, old))
}

/// Whether a name is extracted from the page, without constant words.
fn is_safe_name(parts: &[Part], old: &ParsedOldPage) -> bool {
    let has_extract = parts.iter().any(|part| matches!(part, Part::Extract(_)));
    let is_safe = |(at, part): (usize, &Part)| match part {
        Part::Extract(_) => true,
        Part::Text(text) => {
            let is_last = at + 1 == parts.len();
            has_no_letters_or_digits(text) || (is_last && is_extension(text))
        }
    };
    has_extract && parts.iter().enumerate().all(is_safe) && has_safe_substrings(parts, old)
}

/// Whether every substring in `parts` simply separates digits from letters.
fn has_safe_substrings(parts: &[Part], old: &ParsedOldPage) -> bool {
    parts.iter().all(|part| match part {
        Part::Text(_) => true,
        Part::Extract(extract) => {
            extract.piece.is_none() || separates_digits_from_letters(extract, old)
        }
    })
}

/// Whether the substring, or the text that is removed, contains no letters.
fn separates_digits_from_letters(extract: &Extract, old: &ParsedOldPage) -> bool {
    let Some(source) = old.extract(&extract.source) else { return false };
    let Some(part) = substring(source.text.clone(), extract.stem, extract.piece) else {
        return false;
    };
    let removed = letter_count(stem(&source.text)).saturating_sub(letter_count(&part));
    letter_count(&part) == 0 || removed == 0
}

fn letter_count(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphabetic()).count()
}

fn has_no_letters_or_digits(text: &str) -> bool {
    text.chars().all(|letter| !letter.is_alphanumeric())
}

/// Whether the text is a file extension with its dot, such as `.html`.
fn is_extension(text: &str) -> bool {
    extension_start(&format!("x{text}")) == Some(1)
}
