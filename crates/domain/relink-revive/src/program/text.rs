//! Extracts substrings of texts and applies styles.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::parsed_old_page::ExtractedText;
use super::{Extract, Style, Substring};
use crate::tokens::{stem, strip_leading_zeros};

/// Characters to escape in a text that does not come from a URL: all except
/// letters, digits and `-_.!~*'()`, as `encodeURIComponent` does.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Returns the substring of a source text in the style of `extract`.
pub(super) fn extract_text<'a>(
    extract: &Extract,
    source: ExtractedText<'a>,
) -> Option<Cow<'a, str>> {
    let ExtractedText { text, is_escaped } = source;
    let text = substring(text, extract.stem, extract.piece)?;
    apply_style(text, is_escaped, extract.style)
}

/// Returns a substring, or `None` if it does not exist or is empty.
pub(super) fn substring(
    text: Cow<'_, str>,
    is_stem: bool,
    piece: Option<Substring>,
) -> Option<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => substring_of_str(text, is_stem, piece).map(Cow::Borrowed),
        Cow::Owned(text) => {
            substring_of_str(&text, is_stem, piece).map(|text| Cow::Owned(text.to_owned()))
        }
    }
}

fn substring_of_str(text: &str, is_stem: bool, piece: Option<Substring>) -> Option<&str> {
    let text = if is_stem { stem(text) } else { text };
    let piece = match piece {
        None => Some(text),
        Some(Substring::Field { by, at }) => nth_field(text, by, at),
        Some(Substring::After(by)) => text.split_once(by).map(|(_, after)| after),
        Some(Substring::Before(by)) => text.rsplit_once(by).map(|(before, _)| before),
        Some(Substring::Number(at)) => nth_number(text, at),
    };
    piece.filter(|piece| !piece.is_empty())
}

/// Returns a part between separators, or `None` if the text has no separator.
fn nth_field(text: &str, by: char, at: i32) -> Option<&str> {
    if !text.contains(by) {
        return None;
    }
    nth_of(text.split(by), at)
}

fn nth_number(text: &str, at: i32) -> Option<&str> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    nth_of(runs.filter(|run| !run.is_empty()), at)
}

/// Returns an item by its position: 0 is the first, -1 the last.
fn nth_of<'a>(mut all: impl DoubleEndedIterator<Item = &'a str>, at: i32) -> Option<&'a str> {
    let distance = usize::try_from(at.unsigned_abs()).ok()?;
    if at < 0 { all.nth_back(distance - 1) } else { all.nth(distance) }
}

/// Applies a style to a text and escapes the result for a URL. Returns `None`
/// if the style does not apply to the text.
pub(super) fn apply_style(
    text: Cow<'_, str>,
    is_escaped: bool,
    style: Style,
) -> Option<Cow<'_, str>> {
    let is_number = || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match style {
        Style::AsIs if is_escaped => Some(text),
        Style::AsIs => Some(Cow::Owned(escape(&text))),
        Style::Lower if is_escaped => Some(lower_outside_escapes(text)),
        Style::Lower => {
            let lowered: String = text.chars().flat_map(char::to_lowercase).collect();
            Some(Cow::Owned(escape(&lowered)))
        }
        Style::Dashes => join_words(&text, is_escaped, "-", WordStyle::KEEP_CASE),
        Style::LowerDashes => join_words(&text, is_escaped, "-", WordStyle::LOWER),
        Style::Underscores => join_words(&text, is_escaped, "_", WordStyle::KEEP_CASE),
        Style::LowerUnderscores => join_words(&text, is_escaped, "_", WordStyle::LOWER),
        Style::Pluses => join_words(&text, is_escaped, "+", WordStyle::KEEP_CASE),
        Style::CamelToDashes => join_words(&text, is_escaped, "-", WordStyle::SPLIT_CAMEL_CASE),
        Style::Compact => join_words(&text, is_escaped, "", WordStyle::LOWER),
        Style::Padded => is_number().then(|| Cow::Owned(format!("{text:0>2}"))),
        Style::Unpadded => is_number().then(|| Cow::Owned(strip_leading_zeros(&text).to_owned())),
    }
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Converts a text to lower case except for percent-escapes such as `%2F`.
fn lower_outside_escapes(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return text;
    }
    let mut escape_ends = 0;
    let lowered = text.char_indices().map(|(at, letter)| {
        if letter == '%' {
            escape_ends = at + 3;
        }
        if at < escape_ends { letter } else { letter.to_ascii_lowercase() }
    });
    Cow::Owned(lowered.collect())
}

/// How the words of a text are split and written.
#[derive(Clone, Copy)]
struct WordStyle {
    is_lower: bool,
    splits_camel_case: bool,
}

impl WordStyle {
    const KEEP_CASE: Self = Self { is_lower: false, splits_camel_case: false };
    const LOWER: Self = Self { is_lower: true, splits_camel_case: false };
    const SPLIT_CAMEL_CASE: Self = Self { is_lower: true, splits_camel_case: true };
}

/// Joins the words of a text. Apostrophes are removed; all other characters
/// that are not letters or digits separate words.
fn join_words(
    text: &str,
    is_escaped: bool,
    by: &str,
    words: WordStyle,
) -> Option<Cow<'static, str>> {
    let plain = if is_escaped && text.contains('%') {
        percent_decode_str(text).decode_utf8_lossy()
    } else {
        Cow::Borrowed(text)
    };
    let mut out = String::with_capacity(plain.len() + by.len());
    let mut previous = None;
    let mut is_after_separator = false;
    for letter in plain.chars().filter(|letter| !matches!(letter, '\'' | '\u{2019}')) {
        if !letter.is_alphanumeric() {
            is_after_separator = true;
            previous = None;
            continue;
        }
        let is_camel_case_start = words.splits_camel_case
            && letter.is_uppercase()
            && previous.is_some_and(|before: char| !before.is_uppercase());
        if (is_after_separator || is_camel_case_start) && !out.is_empty() {
            out.push_str(by);
        }
        is_after_separator = false;
        previous = Some(letter);
        push_escaped(&mut out, letter, words.is_lower);
    }
    (!out.is_empty()).then_some(Cow::Owned(out))
}

fn push_escaped(out: &mut String, letter: char, is_lower: bool) {
    if letter.is_ascii() {
        out.push(if is_lower { letter.to_ascii_lowercase() } else { letter });
        return;
    }
    let text: String = if is_lower { letter.to_lowercase().collect() } else { letter.to_string() };
    out.extend(utf8_percent_encode(&text, ESCAPED));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts a text in a style; `-` if the style does not apply.
    #[track_caller]
    fn check_style(style: Style, text: &str, expect: &str) {
        let found = apply_style(Cow::Borrowed(text), true, style);
        assert_eq!(found.as_deref().unwrap_or("-"), expect, "{style:?}");
    }

    /// Asserts a substring of a text without its extension; `-` if there is none.
    #[track_caller]
    fn check_piece(piece: Substring, text: &str, expect: &str) {
        let found = substring(Cow::Borrowed(text), true, Some(piece));
        assert_eq!(found.as_deref().unwrap_or("-"), expect, "{piece:?}");
    }

    #[test]
    fn apply_style_joins_words() {
        let text = "What_if--It's%20a.Test";
        check_style(Style::AsIs, text, text);
        check_style(Style::Lower, "What%C3%89_If", "what%C3%89_if");
        check_style(Style::Dashes, text, "What-if-Its-a-Test");
        check_style(Style::LowerDashes, text, "what-if-its-a-test");
        check_style(Style::Underscores, text, "What_if_Its_a_Test");
        check_style(Style::LowerUnderscores, text, "what_if_its_a_test");
        check_style(Style::Pluses, text, "What+if+Its+a+Test");
        check_style(Style::Compact, text, "whatifitsatest");
        check_style(Style::CamelToDashes, "GaryRobbins_jr", "gary-robbins-jr");
        check_style(Style::CamelToDashes, "HTMLPage", "htmlpage");
        check_style(Style::LowerDashes, "caf%C3%89", "caf%C3%A9");
        check_style(Style::LowerDashes, "--", "-");
    }

    #[test]
    fn apply_style_pads_and_strips_numbers() {
        check_style(Style::Padded, "4", "04");
        check_style(Style::Padded, "2012", "2012");
        check_style(Style::Unpadded, "04", "4");
        check_style(Style::Unpadded, "00", "0");
        check_style(Style::Padded, "four", "-");
    }

    #[test]
    fn substring_extracts_text_around_delimiters() {
        check_piece(Substring::Field { by: ',', at: 2 }, "0,,1555422071,00.html", "1555422071");
        check_piece(Substring::Field { by: ',', at: -1 }, "0,,1555422071,00.html", "00");
        check_piece(Substring::Field { by: ',', at: 1 }, "0,,1", "-");
        check_piece(Substring::Field { by: ',', at: 0 }, "none", "-");
        check_piece(Substring::After('-'), "15002-Sullivan-Library.html", "Sullivan-Library");
        check_piece(Substring::Before('-'), "tornado-strikes-17940", "tornado-strikes");
        check_piece(Substring::Number(-1), "hq021717-2.shtml", "2");
        check_piece(Substring::Number(0), "hq021717-2.shtml", "021717");
        check_piece(Substring::Number(i32::MIN), "1", "-");
    }
}
