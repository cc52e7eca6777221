//! All ways to make one text of a new address from an old page.

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use super::facts::{ExtractedText, Facts};
use super::price::{self, Price, Role};
use super::run::append;
use super::text::{cut, written};
use super::{DatePart, Extract, HostPart, Part, Style, Substring, TextSource, TitlePiece};
use crate::tokens::{extension_at, unpadded};

/// Where texts may be divided.
const DELIMITERS: [char; 12] = ['-', '_', '.', ',', '~', '+', '=', ':', ';', '!', '(', ')'];

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

/// How many ways are tried on other examples, the cheapest first.
const TRIED: usize = 48;

/// On how many examples, at most.
const TRIALS: usize = 24;

/// Something of an old page that may be a part of a new address.
#[derive(Debug)]
pub(super) struct TextSlice<'a> {
    take: Extract,
    text: Cow<'a, str>,
    is_escaped: bool,
    /// Letters and digits alone, in lower case.
    key: String,
    price: Price,
}

/// A way to make a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) parts: Vec<Part>,
    pub(super) price: Price,
}

/// All that can be cut out of a page, for paths and queries.
pub(super) fn cuts<'a>(facts: &Facts<'a>) -> Vec<TextSlice<'a>> {
    let mut cuts = Vec::new();
    for source in sources(facts) {
        let Some(found) = facts.find(&source) else { continue };
        add_cuts(&mut cuts, &source, &found);
    }
    cuts
}

/// All that can be cut out of a page, for hosts.
pub(super) fn host_cuts<'a>(facts: &Facts<'a>) -> Vec<TextSlice<'a>> {
    let mut sources = vec![TextSource::Host(HostPart::Whole), TextSource::Host(HostPart::Bare)];
    sources.push(TextSource::Label(0));
    sources.extend(
        (0..facts.path.len().min(2)).filter_map(|at| i32::try_from(at).ok()).map(TextSource::Path),
    );
    let whole = |source: TextSource| {
        let found = facts.find(&source)?;
        Some(TextSlice::new(source, false, None, &found)).flatten()
    };
    sources.into_iter().filter_map(whole).collect()
}

fn sources(facts: &Facts) -> Vec<TextSource> {
    let mut sources = vec![TextSource::Path(-1)];
    let count = i32::try_from(facts.path.len()).unwrap_or(i32::MAX);
    for at in 0..count - 1 {
        sources.extend([TextSource::Path(at), TextSource::Path(at - count)]);
    }
    sources.extend(facts.query.iter().map(|(name, _)| TextSource::Query((*name).to_owned())));
    if facts.title.is_some() {
        let pieces = [TitlePiece::Whole, TitlePiece::First, TitlePiece::Last];
        sources.extend(pieces.map(TextSource::Title));
    }
    if facts.date.is_some() {
        sources.extend([DatePart::Year, DatePart::Month, DatePart::Day].map(TextSource::Date));
    }
    sources.push(TextSource::Label(0));
    sources
}

fn add_cuts<'a>(cuts: &mut Vec<TextSlice<'a>>, source: &TextSource, found: &ExtractedText<'a>) {
    cuts.extend(TextSlice::new(source.clone(), false, None, found));
    if !matches!(source, TextSource::Path(_) | TextSource::Query(_)) {
        return;
    }
    let is_stem = extension_at(&found.text).is_some();
    if is_stem {
        cuts.extend(TextSlice::new(source.clone(), true, None, found));
    }
    // Directories are moved and renamed, but hardly ever cut to pieces.
    if matches!(source, TextSource::Path(at) if *at != -1) {
        return;
    }
    let Some(stem) = cut(found.text.clone(), is_stem, None) else { return };
    for piece in pieces(&stem) {
        cuts.extend(TextSlice::new(source.clone(), is_stem, Some(piece), found));
    }
}

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
        found: &ExtractedText<'a>,
    ) -> Option<Self> {
        let text = cut(found.text.clone(), stem, piece)?;
        let key = key(&text);
        if key.is_empty() {
            return None;
        }
        let pieced = piece.map_or(0, price::piece);
        let price = price::source(&source) + pieced + if stem { price::STEM } else { 0 };
        let take = Extract { source, stem, piece, style: Style::AsIs };
        Some(Self { take, text, is_escaped: found.is_escaped, key, price })
    }

    /// Whether its letters are among those of a text, in their order.
    fn is_within(&self, key: &str) -> bool {
        key.contains(&self.key) || {
            let bare = unpadded(&self.key);
            bare.len() < self.key.len() && key.contains(bare)
        }
    }

    fn in_style(&self, style: Style) -> Option<Cow<'_, str>> {
        written(Cow::Borrowed(&self.text), self.is_escaped, style)
    }

    fn part(&self, style: Style) -> Part {
        Part::Take(Extract { style, ..self.take.clone() })
    }
}

/// Letters and digits alone, in lower case.
fn key(text: &str) -> String {
    let plain = if text.contains('%') {
        percent_decode_str(text).decode_utf8_lossy()
    } else {
        Cow::Borrowed(text)
    };
    plain.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// All ways to make `target`, the cheapest first; the last resort, a constant,
/// is always among them.
pub(super) fn choices(cuts: &[TextSlice], target: &str, role: Role) -> Vec<Choice> {
    let target_key = key(target);
    let constant = vec![Part::Text(target.to_owned())];
    let mut choices = vec![Choice { parts: constant, price: role.constant() }];
    let mut remainders = Remainders { cuts, seen: HashMap::new() };
    for cut in cuts.iter().filter(|cut| cut.is_within(&target_key)) {
        let base = cut.price + role.moved(&cut.take.source);
        for style in STYLES {
            let Some(value) = cut.in_style(style) else { continue };
            let price = base + price::style(style);
            if value == target {
                choices.push(Choice { parts: vec![cut.part(style)], price });
            } else if let Some((before, after)) = around(target, &value) {
                let price = price + role.mixture();
                remainders.mix(&mut choices, (before, cut.part(style), after), price);
            }
        }
    }
    choices.sort_by_key(|choice| choice.price);
    choices.truncate(TRIED);
    choices
}

/// What stands before and after `value` in `target`, if it stands there as
/// words of its own.
fn around<'t>(target: &'t str, value: &str) -> Option<(&'t str, &'t str)> {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if value.len() < 2 && !is_number {
        return None;
    }
    let (before, after) = target.split_once(value)?;
    // A number may touch letters: `article419483`.
    let parts = |letter: char| {
        if is_number { !letter.is_ascii_digit() } else { !letter.is_alphanumeric() }
    };
    let is_apart =
        before.chars().next_back().is_none_or(parts) && after.chars().next().is_none_or(parts);
    is_apart.then_some((before, after))
}

/// What stands beside a part, as something of the page or as a constant.
struct Remainders<'c, 't> {
    cuts: &'c [TextSlice<'c>],
    /// The longest thing of the page within each, looked for once.
    seen: HashMap<&'t str, Option<(Vec<Part>, Price)>>,
}

impl<'t> Remainders<'_, 't> {
    /// Adds a part between constants, and between what else of the page is
    /// found in them.
    fn mix(
        &mut self,
        choices: &mut Vec<Choice>,
        (before, part, after): (&'t str, Part, &'t str),
        price: Price,
    ) {
        let join = |before: Vec<Part>, after: Vec<Part>| {
            before.into_iter().chain([part.clone()]).chain(after).collect()
        };
        let (plain_before, plain_after) = (constant(before), constant(after));
        let (found_before, found_after) = (self.found(before), self.found(after));
        let is_found = found_before.is_some() || found_after.is_some();
        let mut add = |(before, left): (Vec<Part>, Price), (after, right): (Vec<Part>, Price)| {
            choices.push(Choice { parts: join(before, after), price: price + left + right });
        };
        if is_found {
            let before = found_before.unwrap_or_else(|| plain_before.clone());
            add(before, found_after.unwrap_or_else(|| plain_after.clone()));
        }
        add(plain_before, plain_after);
    }

    fn found(&mut self, text: &'t str) -> Option<(Vec<Part>, Price)> {
        let cuts = self.cuts;
        self.seen.entry(text).or_insert_with(|| longest_within(cuts, text)).clone()
    }
}

/// A constant beside a part, with its price.
fn constant(text: &str) -> (Vec<Part>, Price) {
    if text.is_empty() {
        return (Vec::new(), 0);
    }
    (vec![Part::Text(text.to_owned())], price::beside(text))
}

/// The longest thing of the page within a text, between constants.
fn longest_within(cuts: &[TextSlice], text: &str) -> Option<(Vec<Part>, Price)> {
    let text_key = key(text);
    if text_key.len() < 2 {
        return None;
    }
    let within = cuts.iter().filter(|cut| cut.key.len() >= 2 && cut.is_within(&text_key));
    let placed = within.filter_map(|cut| Some((cut, around(text, &cut.text)?)));
    let (cut, (before, after)) =
        placed.max_by_key(|(cut, _)| (cut.key.len(), std::cmp::Reverse(cut.price)))?;
    let ((mut parts, left), (after, right)) = (constant(before), constant(after));
    parts.push(cut.part(Style::AsIs));
    parts.extend(after);
    Some((parts, cut.price + left + right))
}

/// One example as a text to make sees it.
pub(super) type Trial<'t> = (&'t Facts<'t>, &'t str);

/// The way that makes the text in most examples; the cheapest of those.
///
/// All ways make it in the example they come from, so there is always one.
pub(super) fn choose<'c>(choices: &'c [Choice], trials: &[Trial]) -> Option<&'c Choice> {
    let step = trials.len().div_ceil(TRIALS).max(1);
    let trials: Vec<Trial> = trials.iter().copied().step_by(step).collect();
    let mut buffer = String::new();
    let mut best: Option<(usize, &Choice)> = None;
    for choice in choices {
        // Whatever fails as often as a cheaper one is out of the running.
        let bound = best.as_ref().map_or(usize::MAX, |(misses, _)| *misses);
        let failed = trials.iter().filter(|trial| !fits(&choice.parts, trial, &mut buffer));
        let misses = failed.take(bound).count();
        if misses < bound {
            best = Some((misses, choice));
        }
        if misses == 0 {
            break;
        }
    }
    best.map(|(_, choice)| choice)
}

fn fits(parts: &[Part], (facts, target): &Trial, buffer: &mut String) -> bool {
    buffer.clear();
    append(buffer, parts, facts).is_some() && buffer == target
}
