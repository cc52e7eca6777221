//! The terms of a text and their counts.
//!
//! A term is a word in lower case without its ending (Snowball stemmers). Stop
//! words, numbers and single letters are not terms. In scripts without spaces
//! every pair of neighboring characters is a term.

use std::collections::{BTreeMap, HashMap};

use relink_page::{BlockText, is_stop_word};
use rust_stemmers::Stemmer;
use serde::{Deserialize, Serialize};

use crate::language::TextLanguage;
use crate::words::{each_word, is_unspaced};

/// Maximum number of distinct terms; the most frequent ones are kept.
const MAX_TERMS: usize = 4_000;

/// How much of a text is read, in bytes.
const MAX_TEXT: usize = 256 * 1024;

/// Maximum length of a term, in bytes; a longer run of letters is not a word.
const MAX_TERM: usize = 48;

/// Minimum length of a word, in characters.
const MIN_WORD: usize = 3;

/// How often a term of the title and of the annotation counts in addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermSettings {
    /// Additional count of each term of the title.
    pub title_count: u32,
    /// Additional count of each term of the annotation.
    pub annotation_count: u32,
}

impl Default for TermSettings {
    fn default() -> Self {
        Self { title_count: 3, annotation_count: 2 }
    }
}

/// The terms of a text and their counts.
///
/// ```
/// use relink_change::TermVector;
/// let terms = TermVector::of_text("Owls hunt in the forest; an owl hunts at night.");
/// assert_eq!(terms.count("owl"), 2);
/// assert_eq!(terms.count("hunt"), 2);
/// assert_eq!(terms.count("at"), 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermVector {
    language: TextLanguage,
    counts: BTreeMap<String, u32>,
}

impl TermVector {
    /// The terms of a text, in the language it seems to be in.
    pub fn of_text(text: &str) -> Self {
        let mut collector = Collector::new(TextLanguage::of_text(text));
        collector.add(text, 1);
        collector.finish()
    }

    /// The terms of a member of a collection: its title, its text outside
    /// boilerplate, and the annotation of the curator.
    pub fn of_member(
        title: &str,
        page: &BlockText,
        annotation: &str,
        settings: TermSettings,
    ) -> Self {
        let mut collector = Collector::new(TextLanguage::of_text(page.text()));
        let mut left = MAX_TEXT;
        for block in page.blocks.iter().filter(|block| !block.is_boilerplate) {
            let text = page.text_of(block);
            let text = text.get(..text.floor_char_boundary(left)).unwrap_or_default();
            left -= text.len();
            collector.add(text, 1);
        }
        collector.add(title, 1 + settings.title_count);
        collector.add(annotation, 1 + settings.annotation_count);
        collector.finish()
    }

    /// The language of the text.
    pub fn language(&self) -> TextLanguage {
        self.language
    }

    /// The count of a term.
    pub fn count(&self, term: &str) -> u32 {
        self.counts.get(term).copied().unwrap_or(0)
    }

    /// Every term with its count, in the order of the terms.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(term, count)| (term.as_str(), *count))
    }

    /// The number of distinct terms.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds the counts of another vector.
    pub(crate) fn add(&mut self, other: &Self) {
        for (term, count) in other.iter() {
            *self.counts.entry(term.to_owned()).or_default() += count;
        }
    }
}

/// Counts the terms of a text.
struct Collector {
    language: TextLanguage,
    stemmer: Option<Stemmer>,
    counts: BTreeMap<String, u32>,
    /// Terms of words seen before: stemming is what costs.
    known: HashMap<String, Option<String>>,
}

impl Collector {
    fn new(language: TextLanguage) -> Self {
        let stemmer = language.stemmer();
        Self { language, stemmer, counts: BTreeMap::new(), known: HashMap::new() }
    }

    fn add(&mut self, text: &str, count: u32) {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
        let mut before: Option<&str> = None;
        each_word(text, |word| {
            let is_character = word.chars().next().is_some_and(is_unspaced);
            if !is_character {
                before = None;
                self.add_word(word, count);
                return;
            }
            if let Some(pair) = before.and_then(|before| joined(text, before, word)) {
                *self.counts.entry(pair.to_owned()).or_default() += count;
            }
            before = Some(word);
        });
    }

    fn add_word(&mut self, word: &str, count: u32) {
        if !self.known.contains_key(word) {
            let term = self.term(word);
            self.known.insert(word.to_owned(), term);
        }
        if let Some(Some(term)) = self.known.get(word) {
            *self.counts.entry(term.clone()).or_default() += count;
        }
    }

    fn term(&self, word: &str) -> Option<String> {
        let is_word = word.chars().nth(MIN_WORD - 1).is_some()
            && word.len() <= MAX_TERM
            && word.chars().all(|it| !it.is_numeric());
        if !is_word {
            return None;
        }
        let lowered = word.to_lowercase();
        if is_stop_word(&lowered) {
            return None;
        }
        Some(match &self.stemmer {
            Some(stemmer) => stemmer.stem(&lowered).into_owned(),
            None => lowered,
        })
    }

    fn finish(self) -> TermVector {
        let Self { language, mut counts, .. } = self;
        if counts.len() > MAX_TERMS {
            let mut ordered: Vec<(String, u32)> = counts.into_iter().collect();
            ordered.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            ordered.truncate(MAX_TERMS);
            counts = ordered.into_iter().collect();
        }
        TermVector { language, counts }
    }
}

/// Two neighboring characters as one piece of their text; nothing if there is
/// something between them.
fn joined<'t>(text: &'t str, before: &str, word: &str) -> Option<&'t str> {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let (start, next) = (offset(before), offset(word));
    text.get(start..next + word.len()).filter(|_| start + before.len() == next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relink_page::{DocumentFormat, block_text};

    fn terms(text: &str) -> Vec<String> {
        TermVector::of_text(text).iter().map(|(term, count)| format!("{term}:{count}")).collect()
    }

    #[test]
    fn terms_are_stemmed_by_language() {
        assert_eq!(terms("The houses of the owls and the house"), ["hous:2", "owl:1"]);
        assert_eq!(terms("Les maisons des chats et une maison"), ["chat:1", "maison:2"]);
        assert_eq!(terms("Die Häuser und der Hund, die Hunde"), ["haus:1", "hund:2"]);
    }

    #[test]
    fn terms_have_no_numbers_stop_words_or_single_letters() {
        assert_eq!(terms("the 2nd x of 123 and an owl ok"), ["owl:1"]);
    }

    #[test]
    fn japanese_terms_are_pairs_of_characters() {
        assert_eq!(terms("東京都、京都"), ["京都:2", "東京:1"]);
    }

    #[test]
    fn title_and_annotation_count_more_and_boilerplate_does_not() {
        let html = format!("<nav>menu</nav><p>owl {}", "night ".repeat(20));
        let page = block_text(DocumentFormat::Html, html.as_bytes());
        let vector = TermVector::of_member("Owl", &page, "forest", TermSettings::default());
        let counts = ["owl", "forest", "menu"].map(|term| vector.count(term));
        assert_eq!(counts, [5, 3, 0]);
    }

    #[test]
    fn terms_of_a_hostile_page_stay_bounded() {
        let words: Vec<String> = (0..50_000).map(|at| format!("w{}", letters(at))).collect();
        assert_eq!(TermVector::of_text(&words.join(" ")).len(), MAX_TERMS);
        assert!(TermVector::of_text(&"x".repeat(1_000_000)).is_empty());
    }

    fn letters(number: u32) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }
}
