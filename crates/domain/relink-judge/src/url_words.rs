//! Words of a page, without those that only repeat its address.
//!
//! Error pages like to quote what was asked for, the time and a request
//! number. Two of them are the same page nevertheless, so such words are left
//! out before titles, headings and short texts are compared.

use std::borrow::Cow;
use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;

/// Words of mixed letters and digits from this length on are request numbers.
const TOKEN_LENGTH: usize = 8;

/// The words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !is_of_word(character))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Whether a character belongs to a word: letters, digits, and the signs above
/// and below letters that many scripts write apart.
pub(crate) fn is_of_word(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(
            character,
            '\u{300}'..='\u{36f}'
                | '\u{591}'..='\u{5c7}'
                | '\u{610}'..='\u{61a}'
                | '\u{64b}'..='\u{65f}'
                | '\u{900}'..='\u{dff}'
                | '\u{e31}'..='\u{e4e}'
                | '\u{3099}'..='\u{309a}'
        )
}

/// The words an address is made of.
#[derive(Debug, Default)]
pub(crate) struct UrlWords(BTreeSet<String>);

impl UrlWords {
    /// Of these addresses: the one asked and the one that answered.
    pub(crate) fn of(addresses: &[&str]) -> Self {
        let decoded = addresses.iter().map(|address| percent_decoded(address));
        Self(decoded.flat_map(|address| words(&address).collect::<Vec<_>>()).collect())
    }

    /// The words of a text that are no request numbers.
    pub(crate) fn distinct_words(&self, text: &str) -> DistinctWords<'_> {
        DistinctWords { words: words(text).filter(|word| !is_token(word)).collect(), echo: self }
    }
}

/// The words of a text, and which of them only repeat its address.
#[derive(Debug)]
pub(crate) struct DistinctWords<'e> {
    words: BTreeSet<String>,
    echo: &'e UrlWords,
}

impl DistinctWords<'_> {
    /// Whether nothing is said beyond the address.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| self.echo.0.contains(word))
    }

    /// The share of words said in both texts, where words that one of them
    /// repeats from its address count for nothing; 1 if there are no others.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let shared = self.words.intersection(&other.words).count();
        let all = shared + self.beyond(other) + other.beyond(self);
        if all == 0 { 1.0 } else { share(shared, all) }
    }

    /// Whether both say the same, but for their addresses.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        self.beyond(other) == 0 && other.beyond(self) == 0
    }

    /// How many words of this text neither the other text nor the own address
    /// holds.
    fn beyond(&self, other: &Self) -> usize {
        let is_own = |word: &&String| !other.words.contains(*word) && !self.echo.0.contains(*word);
        self.words.iter().filter(is_own).count()
    }
}

/// Numbers, times and request numbers.
fn is_token(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits == word.len() || (digits > 0 && word.len() >= TOKEN_LENGTH)
}

/// A way of writing, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Cyrillic,
    EastAsian,
    Other,
}

/// The script most letters are of.
#[expect(clippy::indexing_slicing, reason = "there is a count for each script")]
pub(crate) fn script(text: &str) -> Option<Script> {
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

/// A count as a share of another.
pub(crate) fn share(part: usize, all: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let share = part as f64 / all.max(1) as f64;
    share
}

/// A word without its accents, as addresses write it.
pub(crate) fn plain(word: &str) -> String {
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

/// `%20` and its kin resolved where that gives text.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), expect: f64) {
        let echoes = (UrlWords::of(&[one.0]), UrlWords::of(&[other.0]));
        let (one, other) = (echoes.0.distinct_words(one.1), echoes.1.distinct_words(other.1));
        assert!((one.overlap(&other) - expect).abs() < 1e-9, "{}", one.overlap(&other));
        assert_eq!(one.agrees(&other), expect > 0.999);
    }

    #[test]
    fn words_of_the_address_and_request_numbers_say_nothing() {
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
    fn a_word_of_the_address_counts_where_the_other_text_has_it() {
        check(("http://a.test/error", "Error"), ("http://a.test/xyz", "Error"), 1.0);
        check(("http://a.test/hours", "Hours"), ("http://a.test/xyz", "Museum"), 0.0);
        check(("http://a.test/a", "one two"), ("http://a.test/b", "two three"), 1.0 / 3.0);
    }

    #[test]
    fn a_text_that_repeats_its_address_is_silent() {
        let echo = UrlWords::of(&["http://a.test/opening-hours"]);
        assert!(echo.distinct_words("Opening hours 2024").is_empty());
        assert!(!echo.distinct_words("Museum").is_empty());
    }
}
