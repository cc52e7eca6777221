//! The context measure of the paper on Walden's Paths (Dalal et al. 2004, section
//! 4.1), as published.
//!
//! The *context* of a page is the other members of its collection. A page and its
//! context are vectors of term weights. The weight of a term is the logarithm of
//! its count plus a constant, multiplied by a factor for nouns. A new version of a
//! page is classified by the change of the angle between page and context.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::language::TextLanguage;
use crate::term_vector::TermVector;

/// The settings of the paper's measure.
#[derive(Debug, Clone, PartialEq)]
pub struct AngleSettings {
    /// The scaling constant that is added to the logarithm of a count. The
    /// paper gives no value; the default is 1.
    pub scaling: f64,
    /// The factor for nouns. The paper gives no value; the default is 1.5.
    pub noun_factor: f64,
    /// The nouns. The paper uses a list of nouns; the default is empty.
    pub nouns: NounStems,
    /// Minimum movement toward the context for [`AngleBand::Toward`], in degrees
    /// (section 4.1).
    pub toward: f64,
    /// Minimum movement away from the context for [`AngleBand::Away`], in degrees
    /// (section 4.1).
    pub away: f64,
}

impl Default for AngleSettings {
    fn default() -> Self {
        Self { scaling: 1.0, noun_factor: 1.5, nouns: NounStems::default(), toward: 2.0, away: 4.0 }
    }
}

/// The stems of nouns of one language. Clones share the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NounStems {
    language: TextLanguage,
    stems: Arc<BTreeSet<String>>,
}

impl NounStems {
    /// Stems a list of nouns.
    ///
    /// ```
    /// use relink_change::{NounStems, TextLanguage, TermVector};
    /// let nouns = NounStems::new(TextLanguage::En, ["owls", "houses"]);
    /// let page = TermVector::from_text("The house of the owls is not far from the old river");
    /// assert_eq!(nouns.count_in(&page), 2);
    /// ```
    pub fn new<'w>(language: TextLanguage, nouns: impl IntoIterator<Item = &'w str>) -> Self {
        let stemmer = language.stemmer();
        let stem = |word: &str| match &stemmer {
            Some(stemmer) => stemmer.stem(&word.to_lowercase()).into_owned(),
            None => word.to_lowercase(),
        };
        Self { language, stems: Arc::new(nouns.into_iter().map(stem).collect()) }
    }

    /// Returns the number of distinct nouns of a page; 0 in another language.
    pub fn count_in(&self, page: &TermVector) -> usize {
        page.iter().filter(|(term, _)| self.contains(page.language(), term)).count()
    }

    fn contains(&self, language: TextLanguage, term: &str) -> bool {
        language == self.language && self.stems.contains(term)
    }
}

/// The classification of a change of the angle (section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AngleBand {
    /// The page moved toward the context: accept.
    Toward,
    /// The angle is similar: a person decides.
    Similar,
    /// The page moved away from the context: reject.
    Away,
}

impl AngleSettings {
    /// Returns the band of a change of the angle, in degrees; positive is toward
    /// the context.
    ///
    /// ```
    /// use relink_change::{AngleBand, AngleSettings};
    /// let bands = [2.0, 1.9, -3.9, -4.0].map(|degrees| AngleSettings::default().band(degrees));
    /// assert_eq!(bands[0], AngleBand::Toward);
    /// assert_eq!(bands[1..3], [AngleBand::Similar; 2]);
    /// assert_eq!(bands[3], AngleBand::Away);
    /// ```
    pub fn band(&self, degrees: f64) -> AngleBand {
        if degrees >= self.toward {
            AngleBand::Toward
        } else if degrees <= -self.away {
            AngleBand::Away
        } else {
            AngleBand::Similar
        }
    }
}

/// The context vector of a page: the other members of its collection.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperContext {
    settings: AngleSettings,
    weights: BTreeMap<String, f64>,
}

impl PaperContext {
    /// Creates the context from all members except the page.
    pub fn new<'m>(
        others: impl IntoIterator<Item = &'m TermVector>,
        settings: AngleSettings,
    ) -> Self {
        let mut others = others.into_iter();
        // The sum has the language of the first member.
        let mut sum = others.next().cloned().unwrap_or_default();
        others.for_each(|member| sum.add(member));
        let weights = term_weights(&sum, &settings);
        Self { settings, weights }
    }

    /// Returns the angle between a page and the context, in degrees.
    pub fn angle(&self, page: &TermVector) -> f64 {
        angle(&self.weights, &term_weights(page, &self.settings))
    }

    /// Returns the movement of a page toward the context, in degrees. A negative
    /// value means away from the context.
    pub fn angle_change(&self, before: &TermVector, after: &TermVector) -> f64 {
        self.angle(before) - self.angle(after)
    }

    /// Returns the angle between two pages, in degrees.
    pub fn angle_between(&self, left: &TermVector, right: &TermVector) -> f64 {
        angle(&term_weights(left, &self.settings), &term_weights(right, &self.settings))
    }

    /// Returns the band of a change of the angle, in degrees.
    pub fn band(&self, degrees: f64) -> AngleBand {
        self.settings.band(degrees)
    }
}

/// Returns the weights of the terms of a page.
fn term_weights(page: &TermVector, settings: &AngleSettings) -> BTreeMap<String, f64> {
    let weights = page.iter().map(|(term, count)| {
        let is_noun = settings.nouns.contains(page.language(), term);
        let factor = if is_noun { settings.noun_factor } else { 1.0 };
        (term.to_owned(), factor * (f64::from(count).ln() + settings.scaling))
    });
    weights.collect()
}

/// Returns the angle between two vectors, in degrees.
fn angle(left: &BTreeMap<String, f64>, right: &BTreeMap<String, f64>) -> f64 {
    let length = |vector: &BTreeMap<String, f64>| {
        vector.values().map(|weight| weight * weight).sum::<f64>().sqrt()
    };
    let product: f64 =
        left.iter().filter_map(|(term, weight)| right.get(term).map(|other| other * weight)).sum();
    let lengths = length(left) * length(right);
    let cosine = if lengths > 0.0 { product / lengths } else { 0.0 };
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> TermVector {
        TermVector::from_text(text)
    }

    #[test]
    fn angle_is_0_for_equal_and_90_for_unrelated_pages() {
        let context = PaperContext::new([&terms("owl mouse")], AngleSettings::default());
        assert!(context.angle(&terms("mouse owl")) < 1e-4);
        assert!((context.angle(&terms("train hour")) - 90.0).abs() < 1e-9);
        assert!((context.angle(&TermVector::default()) - 90.0).abs() < 1e-9);
    }

    #[test]
    fn page_that_leaves_the_topic_moves_away() {
        let members = [terms("owl mouse night"), terms("owl night forest")];
        let context = PaperContext::new(&members, AngleSettings::default());
        let (owl, train) = (terms("owl night moon"), terms("train hour station"));
        assert_eq!(context.band(context.angle_change(&owl, &train)), AngleBand::Away);
        assert_eq!(context.band(context.angle_change(&train, &owl)), AngleBand::Toward);
        assert_eq!(context.band(context.angle_change(&owl, &owl)), AngleBand::Similar);
    }

    #[test]
    fn nouns_have_more_weight() {
        let text = "the owl is in the mouse";
        let angle = |noun_factor: f64, language| {
            let nouns = NounStems::new(language, ["owls"]);
            let settings = AngleSettings { noun_factor, nouns, ..AngleSettings::default() };
            PaperContext::new([&terms(text)], settings).angle(&terms("the owl is in the"))
        };
        assert!(angle(1.5, TextLanguage::En) < angle(1.0, TextLanguage::En));
        let other_language = angle(1.5, TextLanguage::Fr) - angle(1.0, TextLanguage::Fr);
        assert!(other_language.abs() < 1e-9);
    }
}
