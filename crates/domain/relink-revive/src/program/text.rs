//! Pieces of texts, and how they are written.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::facts::ExtractedText;
use super::{Extract, Style, Substring};
use crate::tokens::{stem, unpadded};

/// What is escaped in a text that was not taken from an address: all but
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

/// What is taken from a text that was found.
pub(super) fn taken<'a>(take: &Extract, found: ExtractedText<'a>) -> Option<Cow<'a, str>> {
    let ExtractedText { text, is_escaped } = found;
    let text = cut(text, take.stem, take.piece)?;
    written(text, is_escaped, take.style)
}

/// The piece of a text.
pub(super) fn cut(
    text: Cow<'_, str>,
    is_stem: bool,
    piece: Option<Substring>,
) -> Option<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => cut_str(text, is_stem, piece).map(Cow::Borrowed),
        Cow::Owned(text) => cut_str(&text, is_stem, piece).map(|text| Cow::Owned(text.to_owned())),
    }
}

fn cut_str(text: &str, is_stem: bool, piece: Option<Substring>) -> Option<&str> {
    let text = if is_stem { stem(text) } else { text };
    let piece = match piece {
        None => Some(text),
        Some(Substring::Field { by, at }) => field(text, by, at),
        Some(Substring::After(by)) => text.split_once(by).map(|(_, after)| after),
        Some(Substring::Before(by)) => text.rsplit_once(by).map(|(before, _)| before),
        Some(Substring::Number(at)) => number(text, at),
    };
    piece.filter(|piece| !piece.is_empty())
}

fn field(text: &str, by: char, at: i32) -> Option<&str> {
    if !text.contains(by) {
        return None;
    }
    nth_of(text.split(by), at)
}

fn number(text: &str, at: i32) -> Option<&str> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    nth_of(runs.filter(|run| !run.is_empty()), at)
}

fn nth_of<'a>(mut all: impl DoubleEndedIterator<Item = &'a str>, at: i32) -> Option<&'a str> {
    let back = usize::try_from(at.unsigned_abs()).ok()?;
    if at < 0 { all.nth_back(back - 1) } else { all.nth(back) }
}

/// A text in a style, ready for an address; nothing if the style is not for
/// such a text.
pub(super) fn written(text: Cow<'_, str>, is_escaped: bool, style: Style) -> Option<Cow<'_, str>> {
    let is_number = || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match style {
        Style::AsIs if is_escaped => Some(text),
        Style::AsIs => Some(Cow::Owned(escape(&text))),
        Style::Lower if is_escaped => Some(lower_outside_escapes(text)),
        Style::Lower => {
            let lowered: String = text.chars().flat_map(char::to_lowercase).collect();
            Some(Cow::Owned(escape(&lowered)))
        }
        Style::Dashes => joined(&text, is_escaped, "-", Words::KEEP),
        Style::LowerDashes => joined(&text, is_escaped, "-", Words::LOWER),
        Style::Underscores => joined(&text, is_escaped, "_", Words::KEEP),
        Style::LowerUnderscores => joined(&text, is_escaped, "_", Words::LOWER),
        Style::Pluses => joined(&text, is_escaped, "+", Words::KEEP),
        Style::CamelToDashes => joined(&text, is_escaped, "-", Words::HUMPS),
        Style::Compact => joined(&text, is_escaped, "", Words::LOWER),
        Style::Padded => is_number().then(|| Cow::Owned(format!("{text:0>2}"))),
        Style::Unpadded => is_number().then(|| Cow::Owned(unpadded(&text).to_owned())),
    }
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Letters of escapes stay: `%2F` is spelt in upper case in all addresses.
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

/// How the words of a text are found and spelt.
#[derive(Clone, Copy)]
struct Words {
    is_lower: bool,
    has_humps: bool,
}

impl Words {
    const KEEP: Self = Self { is_lower: false, has_humps: false };
    const LOWER: Self = Self { is_lower: true, has_humps: false };
    const HUMPS: Self = Self { is_lower: true, has_humps: true };
}

/// The words of a text, joined. Apostrophes are dropped, all else that is no
/// letter and no digit divides.
fn joined(text: &str, is_escaped: bool, by: &str, words: Words) -> Option<Cow<'static, str>> {
    let plain = if is_escaped && text.contains('%') {
        percent_decode_str(text).decode_utf8_lossy()
    } else {
        Cow::Borrowed(text)
    };
    let mut out = String::with_capacity(plain.len() + by.len());
    let mut previous = None;
    let mut is_apart = false;
    for letter in plain.chars().filter(|letter| !matches!(letter, '\'' | '\u{2019}')) {
        if !letter.is_alphanumeric() {
            is_apart = true;
            previous = None;
            continue;
        }
        let is_hump = words.has_humps
            && letter.is_uppercase()
            && previous.is_some_and(|before: char| !before.is_uppercase());
        if (is_apart || is_hump) && !out.is_empty() {
            out.push_str(by);
        }
        is_apart = false;
        previous = Some(letter);
        push(&mut out, letter, words.is_lower);
    }
    (!out.is_empty()).then_some(Cow::Owned(out))
}

fn push(out: &mut String, letter: char, is_lower: bool) {
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

    #[track_caller]
    fn check_style(style: Style, text: &str, expect: &str) {
        let found = written(Cow::Borrowed(text), true, style);
        assert_eq!(found.as_deref().unwrap_or("-"), expect, "{style:?}");
    }

    #[track_caller]
    fn check_piece(piece: Substring, text: &str, expect: &str) {
        let found = cut(Cow::Borrowed(text), true, Some(piece));
        assert_eq!(found.as_deref().unwrap_or("-"), expect, "{piece:?}");
    }

    #[test]
    fn words_are_joined_in_many_styles() {
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
    fn numbers_gain_and_lose_zeros() {
        check_style(Style::Padded, "4", "04");
        check_style(Style::Padded, "2012", "2012");
        check_style(Style::Unpadded, "04", "4");
        check_style(Style::Unpadded, "00", "0");
        check_style(Style::Padded, "four", "-");
    }

    #[test]
    fn pieces_stand_around_delimiters() {
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
