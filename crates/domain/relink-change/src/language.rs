//! Languages of texts: detection and stemming.

use std::fmt;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use crate::words::is_unspaced;

/// The language of a text.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum TextLanguage {
    /// English.
    En,
    /// French.
    Fr,
    /// Portuguese.
    Pt,
    /// German.
    De,
    /// Spanish.
    Es,
    /// Japanese; its terms are pairs of characters.
    Ja,
    /// Any other language; its words are not stemmed.
    #[default]
    Other,
}

/// Frequent words that identify a language.
const MARKERS: [(TextLanguage, &[&str]); 5] = [
    (TextLanguage::En, &["the", "of", "and", "is", "to", "in", "with", "for"]),
    (TextLanguage::Fr, &["les", "des", "est", "une", "dans", "du", "et", "le"]),
    (TextLanguage::Pt, &["uma", "não", "os", "em", "do", "da", "é", "um"]),
    (TextLanguage::De, &["der", "und", "die", "das", "ist", "nicht", "ein", "mit"]),
    (TextLanguage::Es, &["los", "el", "una", "es", "en", "y", "las", "del"]),
];

/// Maximum number of bytes at the start of a text that are used for detection.
const SAMPLE_LENGTH: usize = 16 * 1024;

/// Maximum number of words per marker: a text is in a language if at least one of 25 words is
/// a marker of the language.
const WORDS_PER_MARKER: usize = 25;

impl TextLanguage {
    /// All languages.
    pub const ALL: [Self; 7] =
        [Self::En, Self::Fr, Self::Pt, Self::De, Self::Es, Self::Ja, Self::Other];

    /// Returns the language of a tag such as `pt-BR`.
    ///
    /// ```
    /// use relink_change::TextLanguage;
    /// assert_eq!(TextLanguage::from_tag("pt-BR"), TextLanguage::Pt);
    /// ```
    pub fn from_tag(tag: &str) -> Self {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        let known =
            Self::ALL.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(primary));
        known.unwrap_or(Self::Other)
    }

    /// Detects the language of a text by its script and its frequent words.
    ///
    /// ```
    /// use relink_change::TextLanguage;
    /// assert_eq!(TextLanguage::detect("der Hund und die Katze"), TextLanguage::De);
    /// assert_eq!(TextLanguage::detect("吾輩は猫である"), TextLanguage::Ja);
    /// ```
    pub fn detect(text: &str) -> Self {
        let sample = text.get(..text.floor_char_boundary(SAMPLE_LENGTH)).unwrap_or_default();
        // Of the languages with unspaced scripts, only Japanese is distinguished.
        let unspaced = sample.chars().filter(|character| is_unspaced(*character)).count();
        if unspaced * 4 > sample.chars().count() {
            return Self::Ja;
        }
        let mut counts = [0_usize; MARKERS.len()];
        let mut words = 0;
        let candidates = sample.split(|character: char| !character.is_alphanumeric());
        for word in candidates.filter(|word| !word.is_empty()) {
            words += 1;
            let word = word.to_lowercase();
            for (count, (_, markers)) in counts.iter_mut().zip(&MARKERS) {
                *count += usize::from(markers.contains(&word.as_str()));
            }
        }
        // `max_by_key` returns the last of several maxima. `rev` makes this the
        // first language.
        let best = counts.iter().zip(&MARKERS).rev().max_by_key(|(count, _)| **count);
        let best = best.filter(|(count, _)| **count * WORDS_PER_MARKER >= words && **count > 0);
        best.map_or(Self::Other, |(_, (language, _))| *language)
    }

    /// Returns the tag: `en`, `fr`, `pt`, `de`, `es`, `ja` or `other`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
            Self::Pt => "pt",
            Self::De => "de",
            Self::Es => "es",
            Self::Ja => "ja",
            Self::Other => "other",
        }
    }

    /// Returns the Snowball stemmer of the language, if there is one.
    pub(crate) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::En => Algorithm::English,
            Self::Fr => Algorithm::French,
            Self::Pt => Algorithm::Portuguese,
            Self::De => Algorithm::German,
            Self::Es => Algorithm::Spanish,
            Self::Ja | Self::Other => return None,
        };
        Some(Stemmer::create(algorithm))
    }
}

impl fmt::Display for TextLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detect_recognizes_each_language() {
        for (text, expect) in [
            ("The owls of the north hunt in the snow", TextLanguage::En),
            ("Les hiboux du nord chassent dans la neige et une souris", TextLanguage::Fr),
            ("As corujas do norte caçam em uma noite e não dormem", TextLanguage::Pt),
            ("Die Eulen des Nordens und der Schnee ist nicht weit", TextLanguage::De),
            ("Los búhos del norte cazan en el bosque y una noche", TextLanguage::Es),
            ("北のフクロウは雪の中で狩りをする", TextLanguage::Ja),
            ("Sowy północy polują w śniegu", TextLanguage::Other),
            ("", TextLanguage::Other),
        ] {
            assert_eq!(TextLanguage::detect(text), expect, "{text}");
        }
    }

    #[test]
    fn from_tag_uses_the_primary_language() {
        assert_eq!(TextLanguage::from_tag(" EN-us"), TextLanguage::En);
        assert_eq!(TextLanguage::from_tag("pl"), TextLanguage::Other);
    }
}
