//! General document frequencies of terms, by language.
//!
//! The document frequency of a term is the number of texts that contain it.
//! `relink-eval background` builds a table from a directory of texts. The crate
//! contains one such table; `docs/change.md` lists its sources. A line is
//! `term count`. A line `# language texts` precedes the terms of a language.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::sync::LazyLock;

use crate::language::TextLanguage;
use crate::ratio::{number, ratio};
use crate::term_vector::TermVector;

/// The built-in table.
static BUILTIN: LazyLock<Background> =
    LazyLock::new(|| Background::parse(include_str!("background.txt")).unwrap_or_default());

/// The terms of one language.
#[derive(Debug, Clone, Default, PartialEq)]
struct Table {
    texts: usize,
    counts: HashMap<String, usize>,
    /// The smallest share of texts of a term.
    rarest: f64,
}

/// Document frequencies of terms, by language.
///
/// ```
/// use relink_change::{Background, TextLanguage};
/// let table = Background::parse("# en 100\nowl 2\nfile 60\n").unwrap();
/// assert_eq!(table.document_share(TextLanguage::En, "file"), 0.6);
/// assert_eq!(table.document_share(TextLanguage::En, "zebra"), 0.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Background {
    tables: BTreeMap<TextLanguage, Table>,
}

/// The error for a line that is neither `term count` nor `# language texts`.
/// Holds the line number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseBackgroundError(usize);

impl fmt::Display for ParseBackgroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid line {} (expected `# language texts` or `term count`)", self.0)
    }
}

impl std::error::Error for ParseBackgroundError {}

impl Background {
    /// Returns the built-in table.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Parses a table.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid line.
    pub fn parse(text: &str) -> Result<Self, ParseBackgroundError> {
        let mut background = Self::default();
        let mut table = None;
        for (at, line) in text.lines().enumerate() {
            let invalid = || ParseBackgroundError(at + 1);
            let (name, count) = line.rsplit_once(' ').ok_or_else(invalid)?;
            let count: usize = count.parse().map_err(|_| invalid())?;
            if let Some(language) = name.strip_prefix("# ") {
                let new = background.tables.entry(TextLanguage::from_tag(language)).or_default();
                new.texts = count;
                table = Some(new);
            } else {
                let table = table.as_mut().ok_or_else(invalid)?;
                table.counts.insert(name.to_owned(), count);
            }
        }
        for table in background.tables.values_mut() {
            let rarest = table.counts.values().min().copied().unwrap_or(1).max(1);
            table.rarest = ratio(rarest, table.texts);
        }
        Ok(background)
    }

    /// Returns the share of texts of a language that contain a term, from 0 to 1.
    /// For a language without a table, returns the greatest share in any language.
    pub fn document_share(&self, language: TextLanguage, term: &str) -> f64 {
        if let Some(table) = self.tables.get(&language) {
            return table.document_share(term);
        }
        self.tables.values().map(|table| table.document_share(term)).fold(0.0, f64::max)
    }

    /// Returns the share of texts of a language that contain a word, greater than 0. A word
    /// that is not in the table is assumed to be in half as many texts as the rarest word of
    /// the table. Returns `None` for a language without a table.
    ///
    /// ```
    /// use relink_change::{Background, TextLanguage};
    /// let share = |word| Background::builtin().word_share(TextLanguage::De, word).unwrap();
    /// assert!(share("Jahre") > share("Schneeeulen"));
    /// ```
    pub fn word_share(&self, language: TextLanguage, word: &str) -> Option<f64> {
        let table = self.tables.get(&language)?;
        let share = |term: &str| table.counts.get(term).map(|count| ratio(*count, table.texts));
        let terms = TermVector::from_word(language, word);
        let shares = terms.iter().map(|(term, _)| share(term).unwrap_or(table.unknown_share()));
        Some(shares.fold(1.0, f64::min))
    }

    /// Returns the smoothed inverse document frequency of a term, at least 1. For a
    /// language without a table, returns the smallest value of any language.
    pub(crate) fn rarity(&self, language: TextLanguage, term: &str) -> f64 {
        if let Some(table) = self.tables.get(&language) {
            return table.rarity(term);
        }
        let rarities = self.tables.values().map(|table| table.rarity(term));
        rarities.min_by(f64::total_cmp).unwrap_or(1.0)
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.tables.values().map(|table| table.counts.len()).sum()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// Returns the assumed share of texts with a term that is not in the table.
    fn unknown_share(&self) -> f64 {
        self.rarest / 2.0
    }

    fn rarity(&self, term: &str) -> f64 {
        let count = self.counts.get(term).copied().unwrap_or(0);
        // With 1 added to both counts, an unknown term has a finite rarity.
        (number(self.texts + 1) / number(count + 1)).ln() + 1.0
    }

    fn document_share(&self, term: &str) -> f64 {
        ratio(self.counts.get(term).copied().unwrap_or(0), self.texts)
    }
}

/// Builds a table from texts.
#[derive(Debug, Default)]
pub struct BackgroundBuilder {
    tables: BTreeMap<TextLanguage, Table>,
}

impl BackgroundBuilder {
    /// Counts the terms of one text.
    pub fn add(&mut self, language: TextLanguage, terms: &TermVector) {
        let table = self.tables.entry(language).or_default();
        table.texts += 1;
        for (term, _) in terms.iter() {
            *table.counts.entry(term.to_owned()).or_default() += 1;
        }
    }

    /// Returns the table as text, sorted by terms. For each language, only the most
    /// frequent terms are included, at most `max_terms` of the language.
    pub fn finish(self, max_terms: impl Fn(TextLanguage) -> usize) -> String {
        let mut text = String::new();
        for (language, table) in self.tables {
            // Ignore the result: writing to a string cannot fail.
            let _ = writeln!(text, "# {language} {}", table.texts);
            let mut counts: Vec<(String, usize)> = table.counts.into_iter().collect();
            counts.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
            counts.truncate(max_terms(language));
            counts.sort();
            for (term, count) in counts {
                let _ = writeln!(text, "{term} {count}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finish_includes_the_most_frequent_terms_of_each_language() {
        let mut builder = BackgroundBuilder::default();
        builder.add(TextLanguage::En, &TermVector::from_text("owl mouse"));
        builder.add(TextLanguage::En, &TermVector::from_text("owl fox"));
        builder.add(TextLanguage::Ja, &TermVector::from_text("東京"));
        let text = builder.finish(|_| 2);
        assert_eq!(text, "# en 2\nfox 1\nowl 2\n# ja 1\n東京 1\n");
        let table = Background::parse(&text).unwrap();
        assert_eq!(table.len(), 3);
        assert!((table.document_share(TextLanguage::Other, "owl") - 1.0).abs() < 1e-9);
        assert!(table.document_share(TextLanguage::Ja, "owl").abs() < 1e-9);
    }

    #[test]
    fn parse_rejects_invalid_lines() {
        for (text, line) in [("owl 2\n", 1), ("# en 2\nowl\n", 2), ("# en x\n", 1)] {
            assert_eq!(Background::parse(text), Err(ParseBackgroundError(line)));
        }
    }

    #[test]
    fn builtin_table_contains_every_language() {
        let table = Background::builtin();
        assert!(table.len() > 20_000);
        for language in TextLanguage::ALL {
            assert!(language == TextLanguage::Other || table.tables.contains_key(&language));
        }
        let share = |term| table.document_share(TextLanguage::En, term);
        assert!(share("file") > share("forest") && share("forest") < 0.05);
    }
}
