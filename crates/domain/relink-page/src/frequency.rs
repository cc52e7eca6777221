//! How common words are elsewhere, as far as somebody has counted.
//!
//! Nothing is counted here: the numbers come from an index or from the totals
//! that search engines tell.

use std::collections::HashMap;

/// Where nobody has counted, each further word is taken to make a phrase so
/// much rarer (ours; only the order of phrases depends on it).
const RARER_BY_WORD: f64 = 10.0;

/// On how many pages phrases stand, of how many in all.
///
/// ```
/// let mut frequencies = relink_page::Frequencies::of(1_000);
/// frequencies.extend([("snowy owl", 4)]);
/// assert_eq!(frequencies.count("snowy owl"), Some(4));
/// assert_eq!(frequencies.count("barn owl"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFrequencies {
    pages: u64,
    counts: HashMap<String, u64>,
}

impl DocumentFrequencies {
    /// Frequencies among so many pages, none of them known yet.
    pub fn of(pages: u64) -> Self {
        Self { pages, counts: HashMap::new() }
    }

    /// On how many pages a phrase stands, if that is known.
    pub fn count(&self, phrase: &str) -> Option<u64> {
        self.counts.get(phrase).copied()
    }

    /// Whether nobody will find the phrase: it is known to stand nowhere.
    pub(crate) fn is_nowhere(&self, phrase: &str) -> bool {
        self.count(phrase) == Some(0)
    }

    /// How rare a phrase is: all pages by those with it (Walden's Paths). Where
    /// nobody has counted, longer phrases are taken to be rarer.
    pub(crate) fn rarity(&self, phrase: &str) -> f64 {
        if let Some(count) = self.count(phrase) {
            return ratio(self.pages.max(1), count.max(1));
        }
        let more = phrase.split(' ').count().saturating_sub(1);
        RARER_BY_WORD.powi(i32::try_from(more).unwrap_or(i32::MAX))
    }
}

impl<P: Into<String>> Extend<(P, u64)> for DocumentFrequencies {
    /// Notes on how many pages phrases stand, in lower case.
    fn extend<I: IntoIterator<Item = (P, u64)>>(&mut self, counts: I) {
        self.counts.extend(counts.into_iter().map(|(phrase, count)| (phrase.into(), count)));
    }
}

/// One number by another; no index holds so many pages that it would matter
/// that not every large number has a fraction of its own.
#[expect(clippy::cast_precision_loss, reason = "no index has 2^52 pages")]
pub(crate) fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}
