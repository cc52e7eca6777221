//! The number of texts that contain a word or phrase, for English.
//!
//! `relink-eval phrases` builds a table from a directory of texts. The crate contains
//! one such table; `docs/watch.md` lists its sources. The first line is the number of
//! texts. Each further line has a word or phrase and the number of texts with it.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};
use std::sync::LazyLock;

use crate::candidates::PhraseCount;

/// The built-in table.
static BUILTIN: LazyLock<PhraseTable> =
    LazyLock::new(|| PhraseTable::parse(include_str!("phrases.txt")).unwrap_or_default());

/// Assumed number of texts with a word that is not in the table.
const UNKNOWN_WORD_TEXTS: f64 = 0.5;

/// Factor by which an unknown phrase is assumed to be rarer than its rarest word, for each
/// further word.
const FACTOR_PER_WORD: f64 = 0.1;

/// The number of texts that contain words and phrases.
///
/// ```
/// use relink_keyphrase::PhraseTable;
/// let table = PhraseTable::parse("100\nowl 2\nfile 50\n").unwrap();
/// assert_eq!(table.rarity("owl"), 50.0);
/// assert!(table.rarity("owl file") > table.rarity("owl"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhraseTable {
    texts: u32,
    counts: HashMap<String, u32>,
}

/// The error for an invalid line. Holds the line number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsePhraseTableError(usize);

impl fmt::Display for ParsePhraseTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid line {} (expected `phrase count`, after the number of texts)", self.0)
    }
}

impl std::error::Error for ParsePhraseTableError {}

impl PhraseTable {
    /// Returns the built-in table.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Parses a table.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid line.
    pub fn parse(text: &str) -> Result<Self, ParsePhraseTableError> {
        let mut lines = text.lines().zip(1..);
        let texts = lines.next().and_then(|(line, _)| line.parse().ok());
        let texts = texts.ok_or(ParsePhraseTableError(1))?;
        let mut counts = HashMap::new();
        for (line, number) in lines {
            let entry = line
                .rsplit_once(' ')
                .and_then(|(phrase, count)| Some((phrase.to_owned(), count.parse::<u32>().ok()?)));
            let (phrase, count) = entry.ok_or(ParsePhraseTableError(number))?;
            counts.insert(phrase, count);
        }
        Ok(Self { texts, counts })
    }

    /// Returns the number of texts.
    pub fn pages(&self) -> u64 {
        u64::from(self.texts)
    }

    /// Returns the number of words and phrases.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Iterates over the words, without longer phrases, in any order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.counts.keys().map(String::as_str).filter(|phrase| !phrase.contains(' '))
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the inverse document frequency of a phrase: the number of texts
    /// divided by the number of texts that contain the phrase. For an unknown phrase, the
    /// number is estimated from its rarest word.
    pub fn rarity(&self, phrase: &str) -> f64 {
        f64::from(self.texts.max(1)) / self.text_count(phrase)
    }

    /// Returns the number of texts with a phrase, estimated if it is unknown.
    fn text_count(&self, phrase: &str) -> f64 {
        if let Some(count) = self.counts.get(phrase) {
            return f64::from(*count).max(UNKNOWN_WORD_TEXTS);
        }
        let words = phrase.split(' ');
        let word_counts = words
            .clone()
            .map(|word| self.counts.get(word).copied().map_or(UNKNOWN_WORD_TEXTS, f64::from));
        let rarest = word_counts.fold(f64::INFINITY, f64::min).max(UNKNOWN_WORD_TEXTS);
        let further_words = i32::try_from(words.count()).unwrap_or(1) - 1;
        rarest * FACTOR_PER_WORD.powi(further_words)
    }
}

/// Counts the texts that contain words and phrases.
#[derive(Debug, Default)]
pub struct PhraseTableBuilder {
    texts: u32,
    counts: HashMap<String, u32>,
}

impl PhraseTableBuilder {
    /// Counts the phrases of one text, and their words.
    pub fn add(&mut self, phrases: &[PhraseCount]) {
        self.texts += 1;
        let texts = phrases.iter().map(|phrase| phrase.text.as_str());
        let distinct: HashSet<&str> =
            texts.clone().chain(texts.flat_map(|text| text.split(' '))).collect();
        for phrase in distinct {
            *self.counts.entry(phrase.to_owned()).or_default() += 1;
        }
    }

    /// Returns the table as text, sorted by phrases: the `max_words` most frequent
    /// words and the `max_phrases` most frequent longer phrases, if they occur in at
    /// least `min_texts` texts.
    pub fn finish(self, max_words: usize, max_phrases: usize, min_texts: u32) -> String {
        let frequent = self.counts.into_iter().filter(|(_, count)| *count >= min_texts);
        let (mut phrases, mut words): (Vec<_>, Vec<_>) =
            frequent.partition(|(text, _)| text.contains(' '));
        for (list, length) in [(&mut words, max_words), (&mut phrases, max_phrases)] {
            list.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
            list.truncate(length);
        }
        words.append(&mut phrases);
        words.sort();
        let mut text = format!("{}\n", self.texts);
        for (phrase, count) in words {
            // Ignore the result: writing to a string cannot fail.
            let _ = writeln!(text, "{phrase} {count}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builder_keeps_the_most_frequent_words_and_phrases() {
        let mut builder = PhraseTableBuilder::default();
        let phrase =
            |text: &str| PhraseCount { text: text.to_owned(), count: 1, weighted_count: 1 };
        builder.add(&[phrase("barn owl"), phrase("mouse")]);
        builder.add(&[phrase("barn owl"), phrase("snowy owl")]);
        let text = builder.finish(2, 1, 2);
        assert_eq!(text, "2\nbarn 2\nbarn owl 2\nowl 2\n");
        assert_eq!(PhraseTable::parse(&text).unwrap().len(), 3);
    }

    #[test]
    fn parse_rejects_invalid_lines() {
        for (text, line) in [("", 1), ("x\n", 1), ("3\nowl\n", 2), ("3\nowl 1\nbarn x\n", 3)] {
            assert_eq!(PhraseTable::parse(text), Err(ParsePhraseTableError(line)), "{text}");
        }
    }

    #[test]
    fn builtin_table_knows_common_words_and_phrases() {
        let table = PhraseTable::builtin();
        assert!(table.len() > 5_000 && table.pages() > 1_000);
        assert!(table.rarity("example") < table.rarity("lemming"));
        assert!(table.rarity("climate change") < table.rarity("owl change"));
    }
}
