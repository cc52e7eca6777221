//! Extracts keyphrases: short phrases that identify a page in a search engine.
//!
//! A keyphrase has one to three words without stop words or punctuation
//! (Walden's Paths: Dalal et al., *Managing Distributed Collections*, JCDL 2004,
//! section 5). The paper requires an optional adjective followed by nouns. Here
//! stop words and word shapes replace the part-of-speech tagger, so no language
//! needs a dictionary.

use std::collections::{HashMap, HashSet};

use crate::document_frequencies::DocumentFrequencies;
use crate::word_runs::for_each_run;

/// Maximum number of words of a keyphrase (Walden's Paths, section 5).
const MAX_WORDS: usize = 3;

/// Minimum number of letters of a keyphrase with one word.
const MIN_LETTERS: usize = 4;

/// Maximum number of keyphrases in a list.
const MAX_PHRASES: usize = 20;

/// Minimum number of occurrences of a phrase in [`Keyphrases::similar`].
const MIN_COUNT: u32 = 2;

/// A phrase of a page, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Keyphrase {
    /// One to three words, separated by spaces.
    pub text: String,
    /// Number of occurrences on the page.
    pub count: u32,
}

/// The keyphrases of a page; each list starts with the most specific phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyphrases {
    /// Phrases to find the page itself: frequent on the page and rare elsewhere.
    pub exact: Vec<Keyphrase>,
    /// Phrases to find pages on the same topic. Phrases that occur only once on
    /// the page are excluded, unless all do.
    pub similar: Vec<Keyphrase>,
}

/// Extracts the keyphrases of a page's text, including its title.
///
/// ```
/// use relink_page::{DocumentFrequencies, keyphrases};
/// let text = "The snowy owl hunts lemmings. A snowy owl is white.";
/// let found = keyphrases(text, &DocumentFrequencies::default());
/// assert_eq!(found.similar[0].text, "snowy owl");
/// ```
pub fn keyphrases(text: &str, frequencies: &DocumentFrequencies) -> Keyphrases {
    let mut phrases = candidate_phrases(text);
    phrases.retain(|phrase| !frequencies.occurs_nowhere(&phrase.text));
    let weight = |phrase: &Keyphrase| f64::from(phrase.count) * frequencies.rarity(&phrase.text);
    let mut similar: Vec<_> =
        phrases.iter().filter(|phrase| phrase.count >= MIN_COUNT).cloned().collect();
    if similar.is_empty() {
        similar.clone_from(&phrases);
    }
    // The sorts are stable: equal phrases stay in text order.
    phrases.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
    similar.sort_by(|left, right| {
        let by_count = right.count.cmp(&left.count);
        by_count.then_with(|| weight(right).total_cmp(&weight(left)))
    });
    phrases.truncate(MAX_PHRASES);
    similar.truncate(MAX_PHRASES);
    Keyphrases { exact: phrases, similar }
}

/// Returns the phrases of a text with their counts, in text order. Phrases that
/// occur only within one longer phrase are excluded.
fn candidate_phrases(text: &str) -> Vec<Keyphrase> {
    let phrase_counts = phrase_counts(text);
    let redundant_parts = redundant_parts(&phrase_counts);
    let phrases = phrase_counts
        .iter()
        .filter(|(text, _)| is_long_enough(text) && !redundant_parts.contains(text.as_str()));
    let mut phrases: Vec<_> = phrases.map(|(text, &(count, order))| (order, text, count)).collect();
    phrases.sort_unstable();
    phrases.into_iter().map(|(_, text, count)| Keyphrase { text: text.clone(), count }).collect()
}

/// Returns the count and the rank of the first occurrence of every phrase.
fn phrase_counts(text: &str) -> HashMap<String, (u32, usize)> {
    let mut phrase_counts = HashMap::new();
    for_each_run(text, |run| {
        for length in 1..=MAX_WORDS.min(run.len()) {
            for words in run.windows(length) {
                let order = phrase_counts.len();
                phrase_counts.entry(words.join(" ")).or_insert((0, order)).0 += 1;
            }
        }
    });
    phrase_counts
}

/// Returns the phrases that occur as often as a longer phrase that contains
/// them.
fn redundant_parts(phrase_counts: &HashMap<String, (u32, usize)>) -> HashSet<&str> {
    let mut redundant_parts = HashSet::new();
    for (text, (count, _)) in phrase_counts {
        let (Some((_, tail)), Some((head, _))) = (text.split_once(' '), text.rsplit_once(' '))
        else {
            continue;
        };
        let is_part =
            |part: &&str| phrase_counts.get(*part).is_some_and(|(other, _)| other == count);
        redundant_parts.extend([head, tail].into_iter().filter(is_part));
    }
    redundant_parts
}

fn is_long_enough(text: &str) -> bool {
    text.contains(' ') || !text.is_ascii() || text.len() >= MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn format_phrases(phrases: &[Keyphrase]) -> String {
        let lines: Vec<_> =
            phrases.iter().map(|phrase| format!("{} {}", phrase.count, phrase.text)).collect();
        lines.join(", ")
    }

    #[track_caller]
    fn check(text: &str, page_counts: &[(&str, u64)], exact: &str, similar: &str) {
        let mut frequencies = DocumentFrequencies::new(1_000);
        frequencies.extend(page_counts.iter().copied());
        let found = keyphrases(text, &frequencies);
        assert_eq!(
            (format_phrases(&found.exact).as_str(), format_phrases(&found.similar).as_str()),
            (exact, similar)
        );
    }

    #[test]
    fn phrase_has_at_most_three_words_and_replaces_its_parts() {
        check("The snowy owl. A snowy owl!", &[], "2 snowy owl", "2 snowy owl");
        check("wild snowy owl nest", &[], "1 wild snowy owl, 1 snowy owl nest", {
            "1 wild snowy owl, 1 snowy owl nest"
        });
    }

    #[test]
    fn part_that_also_occurs_alone_is_a_phrase() {
        check("snowy owl, snow, owls, owls", &[], "1 snowy owl, 2 owls, 1 snow", "2 owls");
    }

    #[test]
    fn exact_prefers_rare_phrases_and_similar_prefers_frequent_ones() {
        let text = "birds. owls. birds. owls. birds. quetzal.";
        let page_counts = [("birds", 500), ("owls", 100), ("quetzal", 1)];
        check(text, &page_counts, "1 quetzal, 2 owls, 3 birds", "3 birds, 2 owls");
    }

    #[test]
    fn phrase_without_search_results_is_excluded() {
        check("quetzal. owls.", &[("quetzal", 0), ("owls", 3)], "1 owls", "1 owls");
    }

    #[test]
    fn text_without_words_has_no_keyphrases() {
        check("12 of the 34, and a!", &[], "", "");
    }

    proptest! {
        #[test]
        fn every_phrase_is_short_and_occurs_in_the_text(text in "[a-f ,.]{0,80}") {
            let found = keyphrases(&text, &DocumentFrequencies::default());
            prop_assert!(found.exact.len() <= MAX_PHRASES);
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for phrase in found.exact.iter().chain(&found.similar) {
                prop_assert!(phrase.text.split(' ').count() <= MAX_WORDS);
                prop_assert!(folded.contains(&phrase.text), "{} in {}", phrase.text, folded);
            }
        }
    }
}
