//! Enumerates the ways to produce one text of a new URL from an old page.
//!
//! A *slice* is a text of the old page, such as a path component or the first word
//! of the title. A *choice* is a sequence of slices and constants that produces the
//! text in one example. [`choose`] selects the choice that also works in most other
//! examples.

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use super::parsed_old_page::{ExtractedText, ParsedOldPage};
use super::price::{self, Price, Role};
use super::run::append;
use super::text::{apply_style, substring};
use super::{DatePart, Extract, HostPart, Part, Style, Substring, TextSource, TitlePiece};
use crate::tokens::{extension_start, strip_leading_zeros};

/// Characters at which a text may be split.
const DELIMITERS: [char; 12] = ['-', '_', '.', ',', '~', '+', '=', ':', ';', '!', '(', ')'];

/// All styles, the simplest first.
const STYLES: [Style; 11] = [
    Style::AsIs,
    Style::Lower,
    Style::Dashes,
    Style::LowerDashes,
    Style::Underscores,
    Style::LowerUnderscores,
    Style::Pluses,
    Style::CamelToDashes,
    Style::Compact,
    Style::Padded,
    Style::Unpadded,
];

/// Maximum number of choices that are tried on other examples, cheapest first.
const MAX_CHOICES: usize = 48;

/// Maximum number of examples on which a choice is tried.
const MAX_TRIALS: usize = 24;

/// A text extracted from an old page that may occur in a new URL.
#[derive(Debug)]
pub(super) struct TextSlice<'a> {
    extract: Extract,
    text: Cow<'a, str>,
    is_escaped: bool,
    /// The letters and digits of `text` in lower case.
    key: String,
    price: Price,
}

/// One way to produce a text, with its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) parts: Vec<Part>,
    pub(super) price: Price,
}

/// Returns all texts of a page that may occur in paths and queries.
pub(super) fn text_slices<'a>(old: &ParsedOldPage<'a>) -> Vec<TextSlice<'a>> {
    let mut slices = Vec::new();
    for source in sources(old) {
        let Some(text) = old.extract(&source) else { continue };
        add_slices(&mut slices, &source, &text);
    }
    slices
}

/// Returns all texts of a page that may occur in hosts.
pub(super) fn host_slices<'a>(old: &ParsedOldPage<'a>) -> Vec<TextSlice<'a>> {
    let mut sources = vec![TextSource::Host(HostPart::Whole), TextSource::Host(HostPart::Bare)];
    sources.push(TextSource::Label(0));
    sources.extend(
        (0..old.path.len().min(2)).filter_map(|at| i32::try_from(at).ok()).map(TextSource::Path),
    );
    let whole = |source: TextSource| {
        let text = old.extract(&source)?;
        TextSlice::new(source, false, None, &text)
    };
    sources.into_iter().filter_map(whole).collect()
}

fn sources(old: &ParsedOldPage) -> Vec<TextSource> {
    let mut sources = vec![TextSource::Path(-1)];
    let count = i32::try_from(old.path.len()).unwrap_or(i32::MAX);
    for at in 0..count - 1 {
        sources.extend([TextSource::Path(at), TextSource::Path(at - count)]);
    }
    sources.extend(old.query.iter().map(|(name, _)| TextSource::Query((*name).to_owned())));
    if old.title.is_some() {
        let pieces = [TitlePiece::Whole, TitlePiece::First, TitlePiece::Last];
        sources.extend(pieces.map(TextSource::Title));
    }
    if old.date.is_some() {
        sources.extend([DatePart::Year, DatePart::Month, DatePart::Day].map(TextSource::Date));
    }
    sources.push(TextSource::Label(0));
    sources
}

fn add_slices<'a>(
    slices: &mut Vec<TextSlice<'a>>,
    source: &TextSource,
    extracted: &ExtractedText<'a>,
) {
    slices.extend(TextSlice::new(source.clone(), false, None, extracted));
    if !matches!(source, TextSource::Path(_) | TextSource::Query(_)) {
        return;
    }
    let is_stem = extension_start(&extracted.text).is_some();
    if is_stem {
        slices.extend(TextSlice::new(source.clone(), true, None, extracted));
    }
    // Directories are moved and renamed, but rarely split.
    if matches!(source, TextSource::Path(at) if *at != -1) {
        return;
    }
    let Some(stem) = substring(extracted.text.clone(), is_stem, None) else { return };
    for piece in pieces(&stem) {
        slices.extend(TextSlice::new(source.clone(), is_stem, Some(piece), extracted));
    }
}

/// Returns the substrings of a text that are worth trying.
fn pieces(text: &str) -> Vec<Substring> {
    let mut pieces = Vec::new();
    for by in DELIMITERS {
        let fields = text.matches(by).count() + 1;
        if fields == 1 {
            continue;
        }
        pieces.extend([Substring::After(by), Substring::Before(by)]);
        pieces.extend([0, -1].map(|at| Substring::Field { by, at }));
        if fields > 2 {
            pieces.extend([1, 2, -2].map(|at| Substring::Field { by, at }));
        }
    }
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digits && !text.bytes().all(|byte| byte.is_ascii_digit()) {
        pieces.extend([0, -1].map(Substring::Number));
    }
    pieces
}

impl<'a> TextSlice<'a> {
    fn new(
        source: TextSource,
        stem: bool,
        piece: Option<Substring>,
        extracted: &ExtractedText<'a>,
    ) -> Option<Self> {
        let text = substring(extracted.text.clone(), stem, piece)?;
        let key = key(&text);
        if key.is_empty() {
            return None;
        }
        let piece_price = piece.map_or(0, price::substring_price);
        let price =
            price::source_price(&source) + piece_price + if stem { price::STEM_PRICE } else { 0 };
        let extract = Extract { source, stem, piece, style: Style::AsIs };
        Some(Self { extract, text, is_escaped: extracted.is_escaped, key, price })
    }

    /// Whether `key` contains the key of this slice.
    fn is_within(&self, key: &str) -> bool {
        key.contains(&self.key) || {
            let stripped = strip_leading_zeros(&self.key);
            stripped.len() < self.key.len() && key.contains(stripped)
        }
    }

    fn styled(&self, style: Style) -> Option<Cow<'_, str>> {
        apply_style(Cow::Borrowed(&self.text), self.is_escaped, style)
    }

    fn part(&self, style: Style) -> Part {
        Part::Extract(Extract { style, ..self.extract.clone() })
    }
}

/// Returns the letters and digits of a text in lower case.
fn key(text: &str) -> String {
    let plain = if text.contains('%') {
        percent_decode_str(text).decode_utf8_lossy()
    } else {
        Cow::Borrowed(text)
    };
    plain.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the ways to produce `target`, cheapest first. A constant is always
/// among them.
pub(super) fn choices(slices: &[TextSlice], target: &str, role: Role) -> Vec<Choice> {
    let target_key = key(target);
    let constant = vec![Part::Text(target.to_owned())];
    let mut choices = vec![Choice { parts: constant, price: role.constant_price() }];
    let mut remainders = Remainders { slices, cache: HashMap::new() };
    for slice in slices.iter().filter(|slice| slice.is_within(&target_key)) {
        let base = slice.price + role.move_surcharge(&slice.extract.source);
        for style in STYLES {
            let Some(value) = slice.styled(style) else { continue };
            let price = base + price::style_price(style);
            if value == target {
                choices.push(Choice { parts: vec![slice.part(style)], price });
            } else if let Some((before, after)) = split_around(target, &value) {
                let price = price + role.mixture_surcharge();
                remainders.add_mixtures(&mut choices, (before, slice.part(style), after), price);
            }
        }
    }
    choices.sort_by_key(|choice| choice.price);
    choices.truncate(MAX_CHOICES);
    choices
}

/// Returns the text before and after `value` in `target`, if `value` occurs
/// there as a separate word.
fn split_around<'t>(target: &'t str, value: &str) -> Option<(&'t str, &'t str)> {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if value.len() < 2 && !is_number {
        return None;
    }
    let (before, after) = target.split_once(value)?;
    // A number may touch letters: `article419483`.
    let is_boundary = |letter: char| {
        if is_number { !letter.is_ascii_digit() } else { !letter.is_alphanumeric() }
    };
    let is_separate = before.chars().next_back().is_none_or(is_boundary)
        && after.chars().next().is_none_or(is_boundary);
    is_separate.then_some((before, after))
}

/// Produces the text before and after an extracted part: as another extracted
/// text or as a constant.
struct Remainders<'c, 't> {
    slices: &'c [TextSlice<'c>],
    /// For each text, the result of [`longest_slice_within`].
    cache: HashMap<&'t str, Option<(Vec<Part>, Price)>>,
}

impl<'t> Remainders<'_, 't> {
    /// Adds the choice with constants around a part. If the surrounding texts
    /// contain other slices of the page, adds the choice with those, too.
    fn add_mixtures(
        &mut self,
        choices: &mut Vec<Choice>,
        (before, part, after): (&'t str, Part, &'t str),
        price: Price,
    ) {
        let join = |before: Vec<Part>, after: Vec<Part>| {
            before.into_iter().chain([part.clone()]).chain(after).collect()
        };
        let (constant_before, constant_after) = (constant(before), constant(after));
        let (extracted_before, extracted_after) =
            (self.longest_slice(before), self.longest_slice(after));
        let is_extracted = extracted_before.is_some() || extracted_after.is_some();
        let mut add = |before: (Vec<Part>, Price), after: (Vec<Part>, Price)| {
            let ((parts_before, price_before), (parts_after, price_after)) = (before, after);
            let parts = join(parts_before, parts_after);
            choices.push(Choice { parts, price: price + price_before + price_after });
        };
        if is_extracted {
            let before = extracted_before.unwrap_or_else(|| constant_before.clone());
            add(before, extracted_after.unwrap_or_else(|| constant_after.clone()));
        }
        add(constant_before, constant_after);
    }

    fn longest_slice(&mut self, text: &'t str) -> Option<(Vec<Part>, Price)> {
        let slices = self.slices;
        self.cache.entry(text).or_insert_with(|| longest_slice_within(slices, text)).clone()
    }
}

/// Returns a constant next to an extracted part, with its price.
fn constant(text: &str) -> (Vec<Part>, Price) {
    if text.is_empty() {
        return (Vec::new(), 0);
    }
    (vec![Part::Text(text.to_owned())], price::adjacent_constant_price(text))
}

/// Returns the parts that produce `text` from the longest slice of the page within it, with
/// constants before and after the slice, and their price.
fn longest_slice_within(slices: &[TextSlice], text: &str) -> Option<(Vec<Part>, Price)> {
    let text_key = key(text);
    if text_key.len() < 2 {
        return None;
    }
    let within = slices.iter().filter(|slice| slice.key.len() >= 2 && slice.is_within(&text_key));
    let located = within.filter_map(|slice| Some((slice, split_around(text, &slice.text)?)));
    let (slice, (before, after)) =
        located.max_by_key(|(slice, _)| (slice.key.len(), std::cmp::Reverse(slice.price)))?;
    let ((mut parts, price_before), (after, price_after)) = (constant(before), constant(after));
    parts.push(slice.part(Style::AsIs));
    parts.extend(after);
    Some((parts, slice.price + price_before + price_after))
}

/// An old page and the text that a choice has to produce for it.
pub(super) type Trial<'t> = (&'t ParsedOldPage<'t>, &'t str);

/// Returns the choice that produces the text in most examples; among equals,
/// the cheapest. Returns `None` only if `choices` is empty.
pub(super) fn choose<'c>(choices: &'c [Choice], trials: &[Trial]) -> Option<&'c Choice> {
    let step = trials.len().div_ceil(MAX_TRIALS).max(1);
    let trials: Vec<Trial> = trials.iter().copied().step_by(step).collect();
    let mut buffer = String::new();
    let mut best: Option<(usize, &Choice)> = None;
    for choice in choices {
        // Stop counting at the failures of a cheaper choice, because this choice cannot win then.
        let max_misses = best.as_ref().map_or(usize::MAX, |(misses, _)| *misses);
        let failed =
            trials.iter().filter(|trial| !produces_target(&choice.parts, trial, &mut buffer));
        let misses = failed.take(max_misses).count();
        if misses < max_misses {
            best = Some((misses, choice));
        }
        if misses == 0 {
            break;
        }
    }
    best.map(|(_, choice)| choice)
}

fn produces_target(parts: &[Part], (old, target): &Trial, buffer: &mut String) -> bool {
    buffer.clear();
    append(buffer, parts, old).is_some() && buffer == target
}
