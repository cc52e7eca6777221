//! Words and terms: the units in which URLs and titles are compared.
//!
//! A *word* is a sequence of letters and digits in lower case. A *term* is a
//! stemmed word; the parts of `camelCase` and `entry12345` words are terms as well. The
//! stemmer only removes frequent endings: it maps `Debugging` to `debug`.

use crate::tokens::strip_leading_zeros;

/// Minimum number of digits of a page id inside a word.
const MIN_ID_DIGITS: usize = 4;

/// Minimum length of a stem after an ending is removed.
const MIN_STEM_LENGTH: usize = 3;

/// Returns the words of a text, in order. Numbers have no leading zeros.
pub fn words(text: &str) -> Vec<String> {
    runs(text).map(str::to_lowercase).collect()
}

/// Returns the letters and digits of a text in lower case, and a dot between two adjacent
/// numbers.
///
/// Two names with the same result differ only in separators, in case and in leading zeros
/// of numbers. Because of the dot, `1.11.1` is not `1.1.11`.
pub fn normalized_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for run in runs(text) {
        let ends_with_digit = name.ends_with(|letter: char| letter.is_ascii_digit());
        if ends_with_digit && run.starts_with(|letter: char| letter.is_ascii_digit()) {
            name.push('.');
        }
        name.extend(run.chars().flat_map(char::to_lowercase));
    }
    name
}

/// Returns the terms of a text in any order, with repetitions.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(text) {
        // Texts with ideographs have no spaces between words, so every character is a term.
        if run.chars().any(is_ideograph) {
            terms.extend(run.chars().map(String::from));
            continue;
        }
        let parts = camel_parts(run);
        if parts.len() > 1 {
            terms.extend(parts.iter().map(|part| stem(&part.to_lowercase())));
        }
        terms.push(stem(&run.to_lowercase()));
    }
    terms
}

/// Returns the numbers of a text without leading zeros: `01` equals `1`, and `00` equals `0`.
pub fn numbers(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .map(|run| strip_leading_zeros(run).to_owned())
        .collect()
}

/// Splits a text into sequences of letters and digits, without the leading
/// zeros of numbers.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|run| !run.is_empty())
        .map(strip_leading_zeros)
}

/// Whether a character is a word by itself, as in Chinese and Japanese.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Whether a page id ends or starts at this position, as in `entry12345`. Short
/// numbers are part of a name, as in `utf8`.
fn borders_id(run: &str, at: usize) -> bool {
    let (before, after) = run.split_at_checked(at).unwrap_or((run, ""));
    let is_digit = |letter: &char| letter.is_ascii_digit();
    let digits_before = before.chars().rev().take_while(is_digit).count();
    let digits_after = after.chars().take_while(is_digit).count();
    digits_before.max(digits_after) >= MIN_ID_DIGITS
}

/// Splits a `camelCase`, `HTTPServer` or `entry12345` word into its parts.
fn camel_parts(run: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let mut boundaries = vec![0];
    for (index, pair) in letters.windows(2).enumerate() {
        let [(_, before), (at, here)] = *pair else { continue };
        let next = letters.get(index + 2).map(|&(_, letter)| letter);
        let is_camel_case_start = before.is_lowercase() && here.is_uppercase();
        let ends_acronym =
            before.is_uppercase() && here.is_uppercase() && next.is_some_and(char::is_lowercase);
        let is_id_border = before.is_ascii_digit() != here.is_ascii_digit() && borders_id(run, at);
        if is_camel_case_start || ends_acronym || is_id_border {
            boundaries.push(at);
        }
    }
    boundaries.push(run.len());
    let ends = boundaries.iter().skip(1);
    boundaries.iter().zip(ends).filter_map(|(&start, &end)| run.get(start..end)).collect()
}

/// Returns the stem of an English word. Most other words stay unchanged.
fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = without_plural(word);
    let stem = ["ing", "ed"]
        .iter()
        .find_map(|ending| singular.strip_suffix(ending))
        .filter(|stem| stem.len() >= MIN_STEM_LENGTH && stem.bytes().any(is_vowel))
        .map_or(singular.as_str(), without_double);
    match stem.strip_suffix('e') {
        Some(short) if short.len() >= MIN_STEM_LENGTH => short.to_owned(),
        _ => stem.to_owned(),
    }
}

/// Removes a plural ending.
fn without_plural(word: &str) -> String {
    if let Some(start) = word.strip_suffix("ies")
        && start.len() >= MIN_STEM_LENGTH
    {
        return format!("{start}y");
    }
    match word.strip_suffix('s') {
        Some(start) if start.len() >= MIN_STEM_LENGTH && !start.ends_with(['s', 'u', 'i']) => {
            start.to_owned()
        }
        _ => word.to_owned(),
    }
}

/// Removes a doubled final consonant: `debugg` becomes `debug`.
fn without_double(stem: &str) -> &str {
    let bytes = stem.as_bytes();
    let Some((&last, rest)) = bytes.split_last() else { return stem };
    let is_double = rest.last() == Some(&last) && !is_vowel(last) && !b"lsz".contains(&last);
    if is_double { stem.get(..rest.len()).unwrap_or(stem) } else { stem }
}

/// Whether an ASCII letter is a vowel.
fn is_vowel(byte: u8) -> bool {
    b"aeiouy".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the terms of a text, joined with spaces.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(terms(text).join(" "), expect);
    }

    #[test]
    fn terms_are_stemmed() {
        check("Debugging debug debugged", "debug debug debug");
        check("Configure configuring configures", "configur configur configur");
        check("policies policy", "policy policy");
        check("status class this", "status class this");
        check("string thing", "string thing");
    }

    #[test]
    fn camel_case_words_yield_parts_and_whole() {
        check("LeaseCandidate", "leas candidat leasecandidat");
        check("getAttributeNS()", "get attribut ns getattributen");
        check("HTTPServer", "http server httpserver");
    }

    #[test]
    fn page_id_inside_a_word_is_a_term() {
        check("entry839166", "entry 839166 entry839166");
        check("utf8 k8s x86", "utf8 k8s x86");
    }

    #[test]
    fn ideograph_is_a_word() {
        check("日本 API", "日 本 api");
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        assert_eq!(numbers("v1.08 part-01"), ["1", "8", "1"]);
        assert_eq!(numbers("v1.0 part-00"), ["1", "0", "0"]);
    }

    #[test]
    fn normalized_name_ignores_separators_case_and_leading_zeros() {
        assert_eq!(normalized_name("Getting_Started (v2)"), "gettingstartedv2");
        assert_eq!(words("Getting_Started"), ["getting", "started"]);
        assert_eq!(normalized_name("part-03"), normalized_name("part_3"));
        assert_eq!(words("00"), ["0"]);
        assert_ne!(normalized_name("v1.11.1"), normalized_name("v1.1.11"));
        assert_eq!(normalized_name("v1-2"), normalized_name("v1.2"));
    }
}
