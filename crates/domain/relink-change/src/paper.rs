//! The context measure of Walden's Paths (section 4.1), as published.
//!
//! The weight of a term is the logarithm of its count plus a constant, multiplied
//! by a factor for nouns. The context vector contains all members except the
//! page. The change of the angle between page and context vector classifies the
//! page.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::term_vector::TermVector;

/// The settings of the paper's measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AngleSettings {
    /// The scaling constant that is added to the logarithm of a count. The
    /// paper gives no value; the default is 1.
    pub scaling: f64,
    /// The factor for nouns. The paper gives no value; the default is 1.5.
    pub noun_factor: f64,
    /// The stems of nouns. The paper uses a list of nouns; the default is empty.
    pub nouns: BTreeSet<String>,
    /// Minimum movement toward the context for [`AngleBand::Toward`], in degrees
    /// (section 4.1).
    pub toward: f64,
    /// Minimum movement away from the context for [`AngleBand::Away`], in degrees
    /// (section 4.1).
    pub away: f64,
}

impl Default for AngleSettings {
    fn default() -> Self {
        Self { scaling: 1.0, noun_factor: 1.5, nouns: BTreeSet::new(), toward: 2.0, away: 4.0 }
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
        let mut sum = TermVector::default();
        others.into_iter().for_each(|member| sum.add(member));
        let weights = weights(&sum, &settings);
        Self { settings, weights }
    }

    /// Returns the angle between a page and the context, in degrees.
    pub fn angle(&self, page: &TermVector) -> f64 {
        angle(&self.weights, &weights(page, &self.settings))
    }

    /// Returns the movement of a page toward the context, in degrees; negative is
    /// away from it.
    pub fn angle_change(&self, before: &TermVector, after: &TermVector) -> f64 {
        self.angle(before) - self.angle(after)
    }

    /// Returns the angle between two pages, in degrees.
    pub fn angle_between(&self, left: &TermVector, right: &TermVector) -> f64 {
        angle(&weights(left, &self.settings), &weights(right, &self.settings))
    }

    /// Returns the band of a change of the angle, in degrees.
    pub fn band(&self, degrees: f64) -> AngleBand {
        self.settings.band(degrees)
    }
}

fn weights(page: &TermVector, settings: &AngleSettings) -> BTreeMap<String, f64> {
    let weights = page.iter().map(|(term, count)| {
        let factor = if settings.nouns.contains(term) { settings.noun_factor } else { 1.0 };
        (term.to_owned(), factor * (f64::from(count).ln() + settings.scaling))
    });
    weights.collect()
}

fn angle(left: &BTreeMap<String, f64>, right: &BTreeMap<String, f64>) -> f64 {
    let length =
        |vector: &BTreeMap<String, f64>| vector.values().map(|w| w * w).sum::<f64>().sqrt();
    let product: f64 =
        left.iter().filter_map(|(term, weight)| right.get(term).map(|w| w * weight)).sum();
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
        let nouns = BTreeSet::from(["owl".to_owned()]);
        let weighted = AngleSettings { nouns, ..AngleSettings::default() };
        let others = [terms("owl mouse")];
        let plain = PaperContext::new(&others, AngleSettings::default());
        let with_nouns = PaperContext::new(&others, weighted);
        assert!(with_nouns.angle(&terms("owl")) < plain.angle(&terms("owl")));
    }
}
