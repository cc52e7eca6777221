//! The words of a text, without those that only repeat its URL.
//!
//! Error pages often contain the requested URL, the time and a request id. Two error
//! pages that differ only in these are the same page. Such words are therefore ignored
//! when titles, headings and short texts are compared.

use std::borrow::Cow;
use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use relink_model::is_indic_punctuation;

/// Minimum length at which a word of letters and digits counts as a request id.
const MIN_TOKEN_LENGTH: usize = 8;

/// Returns the words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !is_word_char(character))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Whether a character belongs to a word: letters, digits, and combining marks of
/// several scripts.
pub(crate) fn is_word_char(character: char) -> bool {
    match character {
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{e31}'..='\u{e4e}'
        | '\u{3099}'..='\u{309a}' => true,
        '\u{900}'..='\u{dff}' => !is_indic_punctuation(character),
        _ => character.is_alphanumeric(),
    }
}

/// The words of one or two URLs.
#[derive(Debug, Default)]
pub(crate) struct UrlWords(BTreeSet<String>);

impl UrlWords {
    /// Returns the words of these URLs.
    pub(crate) fn from_urls(urls: &[&str]) -> Self {
        let decoded = urls.iter().map(|url| percent_decoded(url));
        Self(decoded.flat_map(|url| words(&url).collect::<Vec<_>>()).collect())
    }

    /// Returns the words of a text except request ids.
    pub(crate) fn distinct_words(&self, text: &str) -> DistinctWords<'_> {
        DistinctWords {
            words: words(text).filter(|word| !is_token(word)).collect(),
            url_words: self,
        }
    }
}

/// Returns the share of pairs of adjacent words that two texts have in common, from 0 to 1.
/// Request ids and the words of the URLs do not count.
pub(crate) fn pair_overlap(one: &str, other: &str, urls: [&UrlWords; 2]) -> f64 {
    let pairs = |text: &str| -> BTreeSet<(String, String)> {
        let is_url_word = |word: &String| urls.iter().any(|url| url.0.contains(word));
        let counted: Vec<String> =
            words(text).filter(|word| !is_token(word) && !is_url_word(word)).collect();
        counted.iter().cloned().zip(counted.iter().skip(1).cloned()).collect()
    };
    let (one, other) = (pairs(one), pairs(other));
    let all = one.union(&other).count();
    if all == 0 { 1.0 } else { share(one.intersection(&other).count(), all) }
}

/// The words of a text without request ids, and the words of its URL, which do not
/// count.
#[derive(Debug)]
pub(crate) struct DistinctWords<'u> {
    words: BTreeSet<String>,
    url_words: &'u UrlWords,
}

impl DistinctWords<'_> {
    /// Whether the text contains only words of its URL.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| self.url_words.0.contains(word))
    }

    /// Whether the text contains words of its URL that the other text does not
    /// contain.
    pub(crate) fn repeats_own_url(&self, other: &Self) -> bool {
        let is_own = |word: &&String| self.url_words.0.contains(*word);
        self.words.iter().filter(is_own).any(|word| !other.words.contains(word))
    }

    /// Returns the share of words that both texts contain. Words that a text repeats
    /// from its URL do not count as different; returns 1 if there are no others.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let shared = self.words.intersection(&other.words).count();
        let all = shared + self.count_missing_in(other) + other.count_missing_in(self);
        if all == 0 { 1.0 } else { share(shared, all) }
    }

    /// Whether each text has at least this number of words that the other text and its
    /// own URL do not contain.
    pub(crate) fn differs_by(&self, other: &Self, count: usize) -> bool {
        self.count_missing_in(other) >= count && other.count_missing_in(self) >= count
    }

    /// Whether both texts have the same words except for those of their URLs.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        self.count_missing_in(other) == 0 && other.count_missing_in(self) == 0
    }

    /// Counts the words of this text that are neither in the other text nor in its own
    /// URL.
    fn count_missing_in(&self, other: &Self) -> usize {
        let is_own =
            |word: &&String| !other.words.contains(*word) && !self.url_words.0.contains(*word);
        self.words.iter().filter(is_own).count()
    }
}

/// Whether a word is a number, a time or a request id.
fn is_token(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits == word.len() || (digits > 0 && word.len() >= MIN_TOKEN_LENGTH)
}

/// A group of writing systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Cyrillic,
    EastAsian,
    Other,
}

/// Returns the script of most letters.
#[expect(clippy::indexing_slicing, reason = "there is a count for each script")]
pub(crate) fn script(text: &str) -> Option<Script> {
    if text.is_ascii() {
        let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        return has_letter.then_some(Script::Latin);
    }
    let mut counts = [0_usize; 4];
    for letter in text.chars().filter(|character| character.is_alphabetic()) {
        let script = match letter {
            '\0'..='\u{24f}' => Script::Latin,
            '\u{400}'..='\u{52f}' => Script::Cyrillic,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
                Script::EastAsian
            }
            _ => Script::Other,
        };
        counts[script as usize] += 1;
    }
    let all = [Script::Latin, Script::Cyrillic, Script::EastAsian, Script::Other];
    let most = all.into_iter().max_by_key(|script| counts[*script as usize])?;
    (counts[most as usize] > 0).then_some(most)
}

/// Returns `part / all` as a fraction.
pub(crate) fn share(part: usize, all: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let share = part as f64 / all.max(1) as f64;
    share
}

/// Removes the accents of a word, as URLs often do.
pub(crate) fn without_accents(word: &str) -> String {
    word.chars().map(unaccented).collect()
}

fn unaccented(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        'ł' => 'l',
        'ř' => 'r',
        'ğ' => 'g',
        'ț' | 'ţ' | 'ť' => 't',
        'ď' | 'đ' => 'd',
        other => other,
    }
}

/// Decodes `%20` and the like; invalid UTF-8 is replaced.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), expect: f64) {
        let url_words = (UrlWords::from_urls(&[one.0]), UrlWords::from_urls(&[other.0]));
        let (one, other) = (url_words.0.distinct_words(one.1), url_words.1.distinct_words(other.1));
        assert!((one.overlap(&other) - expect).abs() < 1e-9, "{}", one.overlap(&other));
        assert_eq!(one.agrees_with(&other), expect > 0.999);
    }

    #[test]
    fn words_of_url_and_request_ids_are_ignored() {
        check(
            (
                "http://a.test/docs/gone%C3%A9.html",
                "No /docs/Goneé.html. Request k2j3h4k5 at 10:31",
            ),
            ("http://a.test/docs/xyz.html", "No /docs/xyz.html. Request 77aa88bb at 10:32"),
            1.0,
        );
    }

    #[test]
    fn word_of_url_counts_if_the_other_text_contains_it() {
        check(("http://a.test/error", "Error"), ("http://a.test/xyz", "Error"), 1.0);
        check(("http://a.test/hours", "Hours"), ("http://a.test/xyz", "Museum"), 0.0);
        check(("http://a.test/a", "one two"), ("http://a.test/b", "two three"), 1.0 / 3.0);
    }

    #[test]
    fn text_that_repeats_its_url_is_empty() {
        let url_words = UrlWords::from_urls(&["http://a.test/opening-hours"]);
        assert!(url_words.distinct_words("Opening hours 2024").is_empty());
        assert!(!url_words.distinct_words("Museum").is_empty());
    }
}
