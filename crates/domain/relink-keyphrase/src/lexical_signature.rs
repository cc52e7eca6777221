//! Lexical signatures: five words that together occur on only one page.
//!
//! The words are rare on the web and, with a smaller weight, frequent on the
//! page (Phelps and Wilensky, *Robust Hyperlinks Cost Just Five Words Each*,
//! 2000).

use std::collections::HashMap;

use relink_page::is_stop_word;

use crate::document_frequencies::{DocumentFrequencies, ratio};
use crate::word_runs::words;

/// Number of words in a signature (Phelps and Wilensky).
pub const SIGNATURE_WORDS: usize = 5;

/// Maximum length of words that are excluded, in characters.
const MAX_SHORT_WORD: usize = 4;

/// Maximum count of a word, so that one repeated word does not dominate.
const MAX_COUNT: u64 = 3;

/// Returns the words that identify a text, the most specific first.
///
/// Words are ordered by the number of web pages that contain them, divided by
/// their count in the text (at most 3). If the number of pages is unknown,
/// longer words are assumed to be rarer.
///
/// ```
/// use relink_keyphrase::{DocumentFrequencies, lexical_signature};
/// let mut frequencies = DocumentFrequencies::new(1_000);
/// frequencies.extend([("snowy", 20), ("lemmings", 2), ("hunts", 90)]);
/// let words = lexical_signature("The snowy owl hunts lemmings", &frequencies, 2);
/// assert_eq!(words, ["lemmings", "snowy"]);
/// ```
pub fn lexical_signature(
    text: &str,
    frequencies: &DocumentFrequencies,
    size: usize,
) -> Vec<String> {
    // For each word, its count and its position among the first occurrences of all words.
    let mut counts: HashMap<String, (u64, usize)> = HashMap::new();
    for word in words(text).filter(|word| may_be_rare(word)) {
        let order = counts.len();
        let (count, _) = counts.entry(word).or_insert((0, order));
        *count += 1;
    }
    counts.retain(|word, _| !frequencies.occurs_nowhere(word));
    let weighted = counts.into_iter().map(|(word, (count, order))| {
        let count = count.min(MAX_COUNT);
        let weight = match frequencies.count(&word) {
            Some(pages) => ratio(pages, count),
            None => ratio(1, count * word.chars().count() as u64),
        };
        (weight, order, word)
    });
    let mut weighted: Vec<_> = weighted.collect();
    weighted.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
    weighted.into_iter().map(|(_, _, word)| word).take(size).collect()
}

/// Whether a word can be part of a signature: it is long enough, and neither a
/// number nor a stop word.
fn may_be_rare(word: &str) -> bool {
    let is_long = word.chars().count() > MAX_SHORT_WORD;
    is_long && word.contains(char::is_alphabetic) && !is_stop_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the signature of a text. `counts` are the numbers of pages that contain a word.
    #[track_caller]
    fn check(text: &str, counts: &[(&str, u64)], expect: &str) {
        let mut frequencies = DocumentFrequencies::new(1_000);
        frequencies.extend(counts.iter().copied());
        let found = lexical_signature(text, &frequencies, SIGNATURE_WORDS);
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn rare_words_rank_first_and_repeated_words_gain_weight() {
        let counts = [("alpha", 9), ("bravo", 3), ("charlie", 6)];
        check("alpha bravo charlie", &counts, "bravo charlie alpha");
        check("alpha alpha bravo", &[("alpha", 10), ("bravo", 6)], "alpha bravo");
    }

    #[test]
    fn word_counts_at_most_three_times() {
        let text = "alpha ".repeat(100) + "bravo";
        check(&text, &[("alpha", 30), ("bravo", 9)], "bravo alpha");
    }

    #[test]
    fn short_words_numbers_and_words_without_results_are_excluded() {
        check("owls 12345 would lemming xyzzy", &[("xyzzy", 0)], "lemming");
    }

    #[test]
    fn signature_has_five_words() {
        let text = "alpha bravo charlie delta echoes foxtrot golfing";
        check(text, &[], "charlie foxtrot golfing echoes alpha");
    }
}
