//! Document frequencies of words and phrases.
//!
//! The counts come from the built-in table, from a local index, or from the result
//! totals of a search engine.

use std::collections::HashMap;

use relink_change::{Background, TextLanguage};

use crate::phrase_table::PhraseTable;

/// Assumed rarity of a phrase with an unknown count, as a factor per additional word. The
/// value is Relink's own and affects only the order of phrases.
const RARITY_PER_WORD: f64 = 10.0;

/// Assumed rarity factor per additional word in languages without a table of phrases. It
/// is smaller, because no phrase is known to be frequent there.
const RARITY_PER_FOREIGN_WORD: f64 = 2.0;

/// The number of pages that contain each phrase, and the total number of pages.
///
/// ```
/// let mut frequencies = relink_keyphrase::DocumentFrequencies::new(1_000);
/// frequencies.extend([("snowy owl", 4)]);
/// assert_eq!(frequencies.count("snowy owl"), Some(4));
/// assert_eq!(frequencies.count("barn owl"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFrequencies {
    pages: u64,
    counts: HashMap<String, u64>,
    table: Option<&'static PhraseTable>,
}

impl DocumentFrequencies {
    /// Creates an empty table for a collection of `pages` pages.
    pub fn new(pages: u64) -> Self {
        Self { pages, counts: HashMap::new(), table: None }
    }

    /// Returns the built-in table of English words and phrases.
    pub fn builtin() -> Self {
        let table = PhraseTable::builtin();
        Self { pages: table.pages(), counts: HashMap::new(), table: Some(table) }
    }

    /// Returns the total number of pages.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Returns the number of pages that contain a phrase, if known.
    pub fn count(&self, phrase: &str) -> Option<u64> {
        self.counts.get(phrase).copied()
    }

    /// Whether the phrase is known to occur on no page.
    pub(crate) fn occurs_nowhere(&self, phrase: &str) -> bool {
        self.count(phrase) == Some(0)
    }

    /// Returns the inverse document frequency of a phrase: the total number of
    /// pages divided by those that contain it (Walden's Paths). If the number is
    /// unknown, it is estimated from the built-in tables, or longer phrases are
    /// assumed to be rarer.
    pub(crate) fn rarity(&self, phrase: &str, language: TextLanguage) -> f64 {
        if let Some(count) = self.count(phrase) {
            return ratio(self.pages.max(1), count.max(1));
        }
        if let Some(table) = self.table {
            return foreign_rarity(phrase, language).unwrap_or_else(|| table.rarity(phrase));
        }
        let additional_words = phrase.split(' ').count().saturating_sub(1);
        RARITY_PER_WORD.powi(i32::try_from(additional_words).unwrap_or(i32::MAX))
    }
}

/// Returns the rarity of a phrase in a language other than English, by its rarest word in
/// the general table of the language; `None` if there is no such table.
fn foreign_rarity(phrase: &str, language: TextLanguage) -> Option<f64> {
    if language == TextLanguage::En {
        return None;
    }
    let shares = phrase.split(' ').map(|word| Background::builtin().word_share(language, word));
    let rarest = shares.collect::<Option<Vec<f64>>>()?.into_iter().fold(1.0, f64::min);
    let further_words = i32::try_from(phrase.split(' ').count()).unwrap_or(1) - 1;
    Some(RARITY_PER_FOREIGN_WORD.powi(further_words) / rarest)
}

impl<P: Into<String>> Extend<(P, u64)> for DocumentFrequencies {
    /// Adds the number of pages that contain each phrase, given in lower case.
    fn extend<I: IntoIterator<Item = (P, u64)>>(&mut self, counts: I) {
        self.counts.extend(counts.into_iter().map(|(phrase, count)| (phrase.into(), count)));
    }
}

/// Divides two counts.
#[expect(clippy::cast_precision_loss, reason = "no index has 2^52 pages")]
pub(crate) fn ratio(numerator: u64, denominator: u64) -> f64 {
    numerator as f64 / denominator as f64
}
