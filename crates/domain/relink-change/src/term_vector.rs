//! The terms of a text and their counts.
//!
//! A term is the stem of a word in lower case (Snowball stemmers). Stop words,
//! numbers and words of one or two letters are not terms. In scripts without
//! spaces, each pair of neighboring characters is a term.

use std::collections::{BTreeMap, HashMap};

use relink_page::{BlockText, is_stop_word};
use rust_stemmers::Stemmer;
use serde::{Deserialize, Serialize};

use crate::language::TextLanguage;
use crate::words::{for_each_word, is_unspaced};

/// Maximum number of distinct terms; the least frequent terms are dropped.
const MAX_TERMS: usize = 4_000;

/// Maximum number of bytes of a text that are processed.
const MAX_TEXT: usize = 256 * 1024;

/// Maximum length of a word, in bytes; longer words are skipped.
const MAX_TERM: usize = 48;

/// Minimum length of a word, in characters.
const MIN_WORD: usize = 3;

/// Additional counts of terms in the title and the annotation.
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
/// let terms = TermVector::from_text("Owls hunt in the forest; an owl hunts at night.");
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
    /// Counts the terms of a text in its detected language.
    pub fn from_text(text: &str) -> Self {
        let mut counter = TermCounter::new(TextLanguage::detect(text));
        counter.add(text, 1);
        counter.finish()
    }

    /// Returns the term of one word in a language; in scripts without spaces, the terms of
    /// its pairs of characters.
    pub(crate) fn from_word(language: TextLanguage, word: &str) -> Self {
        let mut counter = TermCounter::new(language);
        counter.add(word, 1);
        counter.finish()
    }

    /// Counts the terms of a member of a collection: its title, its text outside
    /// boilerplate, and the annotation of the curator.
    pub fn from_member(
        title: &str,
        page: &BlockText,
        annotation: &str,
        settings: TermSettings,
    ) -> Self {
        let mut counter = TermCounter::new(TextLanguage::detect(page.text()));
        counter.add_main_text(page);
        counter.add(title, 1 + settings.title_count);
        counter.add(annotation, 1 + settings.annotation_count);
        counter.finish()
    }

    /// Counts the terms of a page outside boilerplate. Numbers are terms, too, because
    /// often only numbers change on a page.
    pub fn from_main_text(page: &BlockText) -> Self {
        let language = TextLanguage::detect(page.text());
        let mut counter = TermCounter { keeps_numbers: true, ..TermCounter::new(language) };
        counter.add_main_text(page);
        counter.finish()
    }

    /// Adds the terms of an annotation. A page has another annotation in each of its
    /// collections.
    pub fn add_annotation(&mut self, annotation: &str, settings: TermSettings) {
        if annotation.is_empty() {
            return;
        }
        let mut counter = TermCounter::new(self.language);
        counter.add(annotation, 1 + settings.annotation_count);
        self.add(&counter.finish());
    }

    /// Returns the language of the text.
    pub fn language(&self) -> TextLanguage {
        self.language
    }

    /// Returns the count of a term.
    pub fn count(&self, term: &str) -> u32 {
        self.counts.get(term).copied().unwrap_or(0)
    }

    /// Iterates over the terms and their counts, sorted by terms.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(term, count)| (term.as_str(), *count))
    }

    /// Returns the number of distinct terms.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the cosine of two vectors, with logarithmic counts.
    ///
    /// ```
    /// use relink_change::TermVector;
    /// let owls = TermVector::from_text("owls in the forest");
    /// assert!((owls.cosine(&owls) - 1.0).abs() < 1e-9);
    /// assert_eq!(owls.cosine(&TermVector::default()), 0.0);
    /// ```
    pub fn cosine(&self, other: &Self) -> f64 {
        let weight = |count: u32| 1.0 + f64::from(count).ln();
        let length = |vector: &Self| {
            vector.counts.values().map(|count| weight(*count).powi(2)).sum::<f64>().sqrt()
        };
        let lengths = length(self) * length(other);
        let common =
            self.iter().filter_map(|(term, count)| Some((count, *other.counts.get(term)?)));
        // The sum of no products is -0.0, which would be displayed as "-0 %".
        let product = common.map(|(left, right)| weight(left) * weight(right)).sum::<f64>().abs();
        if lengths > 0.0 { product / lengths } else { 0.0 }
    }

    /// Adds the counts of another vector.
    pub(crate) fn add(&mut self, other: &Self) {
        for (term, count) in other.iter() {
            *self.counts.entry(term.to_owned()).or_default() += count;
        }
    }
}

/// Counts the terms of a text.
struct TermCounter {
    language: TextLanguage,
    stemmer: Option<Stemmer>,
    /// Whether numbers, and words with digits, are terms.
    keeps_numbers: bool,
    counts: BTreeMap<String, u32>,
    /// The terms of earlier words, because stemming is slow; `None` for a word that is
    /// not a term.
    cache: HashMap<String, Option<String>>,
}

impl TermCounter {
    fn new(language: TextLanguage) -> Self {
        let stemmer = language.stemmer();
        Self {
            language,
            stemmer,
            keeps_numbers: false,
            counts: BTreeMap::new(),
            cache: HashMap::new(),
        }
    }

    /// Adds the text outside boilerplate, up to a length.
    fn add_main_text(&mut self, page: &BlockText) {
        let mut remaining = MAX_TEXT;
        for block in page.blocks.iter().filter(|block| !block.is_boilerplate) {
            let text = page.text_of(block);
            let text = text.get(..text.floor_char_boundary(remaining)).unwrap_or_default();
            remaining -= text.len();
            self.add(text, 1);
        }
    }

    /// Adds `count` to the count of each term of a text.
    fn add(&mut self, text: &str, count: u32) {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
        let mut previous: Option<&str> = None;
        for_each_word(text, |word| {
            let is_character = word.chars().next().is_some_and(is_unspaced);
            if !is_character {
                previous = None;
                self.add_word(word, count);
                return;
            }
            if let Some(pair) = previous.and_then(|previous| adjacent_pair(text, previous, word)) {
                *self.counts.entry(pair.to_owned()).or_default() += count;
            }
            previous = Some(word);
        });
    }

    fn add_word(&mut self, word: &str, count: u32) {
        if !self.cache.contains_key(word) {
            let term = self.term(word);
            self.cache.insert(word.to_owned(), term);
        }
        if let Some(Some(term)) = self.cache.get(word) {
            *self.counts.entry(term.clone()).or_default() += count;
        }
    }

    /// Returns the term of a word, or `None` if the word is not a term.
    fn term(&self, word: &str) -> Option<String> {
        if word.chars().any(char::is_numeric) {
            let is_term = self.keeps_numbers && word.len() <= MAX_TERM;
            return is_term.then(|| word.to_lowercase());
        }
        let is_word = word.chars().nth(MIN_WORD - 1).is_some() && word.len() <= MAX_TERM;
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
            ordered.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
            ordered.truncate(MAX_TERMS);
            counts = ordered.into_iter().collect();
        }
        TermVector { language, counts }
    }
}

/// Returns the text of two adjacent characters, or `None` if they are not
/// adjacent.
fn adjacent_pair<'t>(text: &'t str, previous: &str, word: &str) -> Option<&'t str> {
    // `previous` and `word` are parts of `text`.
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let (start, next) = (offset(previous), offset(word));
    text.get(start..next + word.len()).filter(|_| start + previous.len() == next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use relink_page::{DocumentFormat, block_text};

    fn terms(text: &str) -> Vec<String> {
        TermVector::from_text(text).iter().map(|(term, count)| format!("{term}:{count}")).collect()
    }

    #[test]
    fn terms_are_stemmed_by_language() {
        assert_eq!(terms("The houses of the owls and the house"), ["hous:2", "owl:1"]);
        assert_eq!(terms("Les maisons des chats et une maison"), ["chat:1", "maison:2"]);
        assert_eq!(terms("Die Häuser und der Hund, die Hunde"), ["haus:1", "hund:2"]);
    }

    #[test]
    fn numbers_stop_words_and_short_words_are_not_terms() {
        assert_eq!(terms("the 2nd x of 123 and an owl ok"), ["owl:1"]);
    }

    #[test]
    fn cosine_of_texts_without_common_terms_is_not_negative() {
        let cosine = TermVector::from_text("owl").cosine(&TermVector::from_text("train"));
        assert_eq!(format!("{cosine:.0}"), "0");
    }

    #[test]
    fn japanese_terms_are_pairs_of_characters() {
        assert_eq!(terms("東京都、京都"), ["京都:2", "東京:1"]);
    }

    #[test]
    fn title_and_annotation_have_more_weight_and_boilerplate_has_none() {
        let html = format!("<nav>menu</nav><p>owl {}", "night ".repeat(20));
        let page = block_text(DocumentFormat::Html, html.as_bytes());
        let vector = TermVector::from_member("Owl", &page, "forest", TermSettings::default());
        let counts = ["owl", "forest", "menu"].map(|term| vector.count(term));
        assert_eq!(counts, [5, 3, 0]);
    }

    #[test]
    fn terms_of_a_hostile_page_are_bounded() {
        let words: Vec<String> = (0..50_000).map(|at| format!("w{}", letters(at))).collect();
        assert_eq!(TermVector::from_text(&words.join(" ")).len(), MAX_TERMS);
        assert!(TermVector::from_text(&"x".repeat(1_000_000)).is_empty());
    }

    /// Returns a different word for each number, because numbers are not terms.
    fn letters(number: u32) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }
}
