//! Words and terms: the units in which addresses and titles are compared.
//!
//! A *word* is a run of letters and digits in lower case. A *term* is what is
//! counted: the stem of a word, and for `camelCase` words the parts as well.
//! The stemmer is deliberately light; it joins `Debugging` and `debug`, and
//! makes no claim to grammar.

/// The shortest stem that an ending is taken off from.
const SHORTEST_STEM: usize = 3;

/// The words of a text, in order, in lower case.
pub fn words(text: &str) -> Vec<String> {
    runs(text).map(str::to_lowercase).collect()
}

/// The text without anything but letters and digits, in lower case.
///
/// Two names that agree in this form differ in separators and case only.
pub fn normalized_name(text: &str) -> String {
    runs(text).flat_map(str::chars).flat_map(char::to_lowercase).collect()
}

/// The terms of a text, in no order that matters, with repetitions.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for run in runs(text) {
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

/// The numbers of a text, without leading zeros: `01` equals `1`.
pub fn numbers(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .map(|run| run.trim_start_matches('0').to_owned())
        .collect()
}

/// Runs of letters and digits.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// Whether a letter stands for a word of its own, as in Chinese and Japanese.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// The parts of a `camelCase` or `HTTPServer` word.
fn camel_parts(run: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let mut cuts = vec![0];
    for (index, pair) in letters.windows(2).enumerate() {
        let [(_, before), (at, here)] = *pair else { continue };
        let next = letters.get(index + 2).map(|&(_, letter)| letter);
        let rises = before.is_lowercase() && here.is_uppercase();
        let ends_acronym =
            before.is_uppercase() && here.is_uppercase() && next.is_some_and(char::is_lowercase);
        if rises || ends_acronym {
            cuts.push(at);
        }
    }
    cuts.push(run.len());
    let ends = cuts.iter().skip(1);
    cuts.iter().zip(ends).filter_map(|(&start, &end)| run.get(start..end)).collect()
}

/// The stem of an English word in lower case; other words mostly pass as they are.
fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = without_plural(word);
    let stem = ["ing", "ed"]
        .iter()
        .find_map(|ending| singular.strip_suffix(ending))
        .filter(|stem| stem.len() >= SHORTEST_STEM && stem.bytes().any(is_vowel))
        .map_or(singular.as_str(), without_double);
    match stem.strip_suffix('e') {
        Some(short) if short.len() >= SHORTEST_STEM => short.to_owned(),
        _ => stem.to_owned(),
    }
}

/// A word without its plural ending.
fn without_plural(word: &str) -> String {
    if let Some(start) = word.strip_suffix("ies")
        && start.len() >= SHORTEST_STEM
    {
        return format!("{start}y");
    }
    match word.strip_suffix('s') {
        Some(start) if start.len() >= SHORTEST_STEM && !start.ends_with(['s', 'u', 'i']) => {
            start.to_owned()
        }
        _ => word.to_owned(),
    }
}

/// A stem without the doubling of its last consonant: `debugg` is `debug`.
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

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(terms(text).join(" "), expect);
    }

    #[test]
    fn endings_do_not_set_words_apart() {
        check("Debugging debug debugged", "debug debug debug");
        check("Configure configuring configures", "configur configur configur");
        check("policies policy", "policy policy");
        check("status class this", "status class this");
        check("string thing", "string thing");
    }

    #[test]
    fn camel_case_counts_in_parts_and_whole() {
        check("LeaseCandidate", "leas candidat leasecandidat");
        check("getAttributeNS()", "get attribut ns getattributen");
        check("HTTPServer", "http server httpserver");
    }

    #[test]
    fn an_ideograph_is_a_word() {
        check("日本 API", "日 本 api");
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        assert_eq!(numbers("v1.08 part-01"), ["1", "8", "1"]);
    }

    #[test]
    fn squeezing_leaves_letters_and_digits() {
        assert_eq!(normalized_name("Getting_Started (v2)"), "gettingstartedv2");
        assert_eq!(words("Getting_Started"), ["getting", "started"]);
    }
}
