//! Lexical signatures: five words that together stand on one page alone.
//!
//! Phelps and Wilensky, *Robust Hyperlinks Cost Just Five Words Each*, 2000:
//! words that are rare on the web, with some weight for those that are
//! frequent on the page.

use std::collections::HashMap;

use crate::frequency::{DocumentFrequencies, ratio};
use crate::runs::words;
use crate::stop_words::is_stop_word;

/// How many words are enough (Phelps and Wilensky).
pub const SIGNATURE_WORDS: usize = 5;

/// Words of so few letters are left out.
const SHORT: usize = 4;

/// How often a word counts at most, lest one word that fills the page wins.
const MOST_COUNTED: u64 = 3;

/// The words of a text by which it can be found, the most telling first.
///
/// They are ordered by the pages of the web that have a word, divided by how
/// often the text has it, which counts three times at most. Where nobody has
/// counted, longer words are taken to be rarer.
///
/// ```
/// use relink_page::{Frequencies, lexical_signature};
/// let mut frequencies = Frequencies::of(1_000);
/// frequencies.extend([("snowy", 20), ("lemmings", 2), ("hunts", 90)]);
/// let words = lexical_signature("The snowy owl hunts lemmings", &frequencies, 2);
/// assert_eq!(words, ["lemmings", "snowy"]);
/// ```
pub fn lexical_signature(
    text: &str,
    frequencies: &DocumentFrequencies,
    size: usize,
) -> Vec<String> {
    let mut counts: HashMap<String, (u64, usize)> = HashMap::new();
    for word in words(text).filter(|word| is_rare(word)) {
        let order = counts.len();
        counts.entry(word).or_insert((0, order)).0 += 1;
    }
    counts.retain(|word, _| !frequencies.is_nowhere(word));
    let weighed = counts.into_iter().map(|(word, (count, order))| {
        let here = count.min(MOST_COUNTED);
        let weight = match frequencies.count(&word) {
            Some(elsewhere) => ratio(elsewhere, here),
            None => ratio(1, here * word.chars().count() as u64),
        };
        (weight, order, word)
    });
    let mut weighed: Vec<_> = weighed.collect();
    weighed.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    weighed.into_iter().map(|(_, _, word)| word).take(size).collect()
}

/// Whether a word can be rare: it is long enough, no number and no stop word.
fn is_rare(word: &str) -> bool {
    let is_long = word.chars().count() > SHORT;
    is_long && word.contains(char::is_alphabetic) && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, counts: &[(&str, u64)], expect: &str) {
        let mut frequencies = DocumentFrequencies::of(1_000);
        frequencies.extend(counts.iter().copied());
        let found = lexical_signature(text, &frequencies, SIGNATURE_WORDS);
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn rare_words_come_first_and_frequent_ones_gain() {
        check("alpha bravo charlie", &[("alpha", 9), ("bravo", 3), ("charlie", 6)], {
            "bravo charlie alpha"
        });
        check("alpha alpha bravo", &[("alpha", 10), ("bravo", 6)], "alpha bravo");
    }

    #[test]
    fn a_word_counts_three_times_at_most() {
        let text = "alpha ".repeat(100) + "bravo";
        check(&text, &[("alpha", 30), ("bravo", 9)], "bravo alpha");
    }

    #[test]
    fn short_words_numbers_and_words_found_nowhere_are_left_out() {
        check("owls 12345 would lemming xyzzy", &[("xyzzy", 0)], "lemming");
    }

    #[test]
    fn five_words_are_enough() {
        check("alpha bravo charlie delta echoes foxtrot golfing", &[], {
            "charlie foxtrot golfing echoes alpha"
        });
    }
}
