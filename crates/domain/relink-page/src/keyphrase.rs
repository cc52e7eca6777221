//! Keyphrases: the few words by which a page can be found again.
//!
//! A keyphrase has one to three words, none of them a stop word, and no mark
//! in between (Walden's Paths, section 5). The paper asks for an optional
//! adjective and nouns; what is noun and what is not is told here by stop
//! words and shape alone, so that no language needs a dictionary.

use std::collections::{HashMap, HashSet};

use crate::frequency::DocumentFrequencies;
use crate::runs::each_run;

/// The most words of a keyphrase (Walden's Paths, section 5).
const MOST_WORDS: usize = 3;

/// The fewest letters of a keyphrase of one word.
const FEWEST_LETTERS: usize = 4;

/// How many keyphrases a list holds at most.
const MOST_PHRASES: usize = 20;

/// How often a phrase must stand on a page to tell what it is about.
const OFTEN: u32 = 2;

/// A phrase of a page, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Keyphrase {
    /// Its one to three words.
    pub text: String,
    /// How often it stands on the page.
    pub count: u32,
}

/// The keyphrases of a page, each list with the most telling first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyphrases {
    /// To find the very page: often here and rare elsewhere.
    pub exact: Vec<Keyphrase>,
    /// To find pages about the same thing: those that are rare on the page
    /// are left out.
    pub similar: Vec<Keyphrase>,
}

/// The keyphrases of a text, its title included.
///
/// ```
/// use relink_page::{Frequencies, keyphrases};
/// let text = "The snowy owl hunts lemmings. A snowy owl is white.";
/// let found = keyphrases(text, &Frequencies::default());
/// assert_eq!(found.similar[0].text, "snowy owl");
/// ```
pub fn keyphrases(text: &str, frequencies: &DocumentFrequencies) -> Keyphrases {
    let mut phrases = counted(text);
    phrases.retain(|phrase| !frequencies.is_nowhere(&phrase.text));
    let weight = |it: &Keyphrase| f64::from(it.count) * frequencies.rarity(&it.text);
    let mut similar: Vec<_> = phrases.iter().filter(|it| it.count >= OFTEN).cloned().collect();
    if similar.is_empty() {
        similar.clone_from(&phrases);
    }
    // Of equals the earlier stays first.
    phrases.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    similar.sort_by(|one, other| {
        let by_count = other.count.cmp(&one.count);
        by_count.then_with(|| weight(other).total_cmp(&weight(one)))
    });
    phrases.truncate(MOST_PHRASES);
    similar.truncate(MOST_PHRASES);
    Keyphrases { exact: phrases, similar }
}

/// The phrases of a text with their counts, in the order of first mention.
/// What only ever stands in one longer phrase is left to that.
fn counted(text: &str) -> Vec<Keyphrase> {
    let counts = counts(text);
    let parts = parts(&counts);
    let kept =
        counts.iter().filter(|(text, _)| is_long_enough(text) && !parts.contains(text.as_str()));
    let mut kept: Vec<_> = kept.map(|(text, &(count, order))| (order, text, count)).collect();
    kept.sort_unstable();
    kept.into_iter().map(|(_, text, count)| Keyphrase { text: text.clone(), count }).collect()
}

/// Every phrase with its count and the order of its first mention.
fn counts(text: &str) -> HashMap<String, (u32, usize)> {
    let mut counts = HashMap::new();
    each_run(text, |run| {
        for length in 1..=MOST_WORDS.min(run.len()) {
            for words in run.windows(length) {
                let order = counts.len();
                counts.entry(words.join(" ")).or_insert((0, order)).0 += 1;
            }
        }
    });
    counts
}

/// Those phrases that stand as often as a longer one they are part of.
fn parts(counts: &HashMap<String, (u32, usize)>) -> HashSet<&str> {
    let mut parts = HashSet::new();
    for (text, (count, _)) in counts {
        let (Some((_, tail)), Some((head, _))) = (text.split_once(' '), text.rsplit_once(' '))
        else {
            continue;
        };
        let is_part = |part: &&str| counts.get(*part).is_some_and(|(other, _)| other == count);
        parts.extend([head, tail].into_iter().filter(is_part));
    }
    parts
}

fn is_long_enough(text: &str) -> bool {
    text.contains(' ') || !text.is_ascii() || text.len() >= FEWEST_LETTERS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(phrases: &[Keyphrase]) -> String {
        let lines: Vec<_> = phrases.iter().map(|it| format!("{} {}", it.count, it.text)).collect();
        lines.join(", ")
    }

    #[track_caller]
    fn check(text: &str, counts: &[(&str, u64)], exact: &str, similar: &str) {
        let mut frequencies = DocumentFrequencies::of(1_000);
        frequencies.extend(counts.iter().copied());
        let found = keyphrases(text, &frequencies);
        assert_eq!(
            (lines(&found.exact).as_str(), lines(&found.similar).as_str()),
            (exact, similar)
        );
    }

    #[test]
    fn a_phrase_has_one_to_three_words_and_takes_its_parts_along() {
        check("The snowy owl. A snowy owl!", &[], "2 snowy owl", "2 snowy owl");
        check("wild snowy owl nest", &[], "1 wild snowy owl, 1 snowy owl nest", {
            "1 wild snowy owl, 1 snowy owl nest"
        });
    }

    #[test]
    fn a_part_that_stands_alone_too_is_a_phrase_of_its_own() {
        check("snowy owl, snow, owls, owls", &[], "1 snowy owl, 2 owls, 1 snow", "2 owls");
    }

    #[test]
    fn what_is_rare_elsewhere_finds_the_page_and_what_is_frequent_here_its_kin() {
        let text = "birds. owls. birds. owls. birds. quetzal.";
        let counts = [("birds", 500), ("owls", 100), ("quetzal", 1)];
        check(text, &counts, "1 quetzal, 2 owls, 3 birds", "3 birds, 2 owls");
    }

    #[test]
    fn what_stands_nowhere_else_cannot_be_found() {
        check("quetzal. owls.", &[("quetzal", 0), ("owls", 3)], "1 owls", "1 owls");
    }

    #[test]
    fn a_page_without_words_has_none() {
        check("12 of the 34, and a!", &[], "", "");
    }

    proptest! {
        #[test]
        fn every_phrase_is_short_and_stands_in_the_text(text in "[a-f ,.]{0,80}") {
            let found = keyphrases(&text, &DocumentFrequencies::default());
            prop_assert!(found.exact.len() <= MOST_PHRASES);
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for phrase in found.exact.iter().chain(&found.similar) {
                prop_assert!(phrase.text.split(' ').count() <= MOST_WORDS);
                prop_assert!(folded.contains(&phrase.text), "{} in {}", phrase.text, folded);
            }
        }
    }
}
