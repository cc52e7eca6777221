//! The context measure of Walden's Paths (section 4.1), as published.
//!
//! The weight of a term is the logarithm of its count plus a constant, times a
//! factor for nouns. The context vector is made of all members but the page.
//! A page is judged by how its angle to the context vector changes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::term_vector::TermVector;

/// The settings of the paper's measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AngleSettings {
    /// The scaling constant that is added to the logarithm of a count. The
    /// paper gives no value; 1 is ours.
    pub scaling: f64,
    /// The factor for nouns. The paper gives no value; 1.5 is ours.
    pub noun_factor: f64,
    /// The terms that are nouns, stemmed. The paper has a list of nouns; here
    /// the caller gives one, and none is the default.
    pub nouns: BTreeSet<String>,
    /// A page moved toward the context by at least this angle is accepted, in
    /// degrees (section 4.1).
    pub toward: f64,
    /// A page moved away from the context by at least this angle is rejected,
    /// in degrees (section 4.1).
    pub away: f64,
}

impl Default for AngleSettings {
    fn default() -> Self {
        Self { scaling: 1.0, noun_factor: 1.5, nouns: BTreeSet::new(), toward: 2.0, away: 4.0 }
    }
}

/// What the change of an angle means (section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AngleBand {
    /// Moved toward the context: accept.
    Toward,
    /// Similar to the prior situation: ask a person.
    Similar,
    /// Moved away from the context: reject.
    Away,
}

impl AngleSettings {
    /// The band of a difference of angles, in degrees; positive is toward the
    /// context.
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
    /// The context of all members but the page.
    pub fn new<'m>(
        others: impl IntoIterator<Item = &'m TermVector>,
        settings: AngleSettings,
    ) -> Self {
        let mut sum = TermVector::default();
        others.into_iter().for_each(|member| sum.add(member));
        let weights = weights(&sum, &settings);
        Self { settings, weights }
    }

    /// The angle between a page and the context, in degrees.
    pub fn angle(&self, page: &TermVector) -> f64 {
        angle(&self.weights, &weights(page, &self.settings))
    }

    /// How far a page moved toward the context, in degrees; negative is away.
    pub fn moved(&self, before: &TermVector, after: &TermVector) -> f64 {
        self.angle(before) - self.angle(after)
    }

    /// The angle between two pages, in degrees.
    pub fn angle_between(&self, one: &TermVector, other: &TermVector) -> f64 {
        angle(&weights(one, &self.settings), &weights(other, &self.settings))
    }

    /// The band of a difference of angles.
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

fn angle(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let length =
        |vector: &BTreeMap<String, f64>| vector.values().map(|it| it * it).sum::<f64>().sqrt();
    let product: f64 =
        one.iter().filter_map(|(term, weight)| other.get(term).map(|it| it * weight)).sum();
    let lengths = length(one) * length(other);
    let cosine = if lengths > 0.0 { product / lengths } else { 0.0 };
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> TermVector {
        TermVector::of_text(text)
    }

    #[test]
    fn angle_is_0_for_equal_and_90_for_unrelated_pages() {
        let context = PaperContext::new([&terms("owl mouse")], AngleSettings::default());
        assert!(context.angle(&terms("mouse owl")) < 1e-4);
        assert!((context.angle(&terms("train hour")) - 90.0).abs() < 1e-9);
        assert!((context.angle(&TermVector::default()) - 90.0).abs() < 1e-9);
    }

    #[test]
    fn a_page_that_leaves_the_topic_moves_away() {
        let members = [terms("owl mouse night"), terms("owl night forest")];
        let context = PaperContext::new(&members, AngleSettings::default());
        let (owl, train) = (terms("owl night moon"), terms("train hour station"));
        assert_eq!(context.band(context.moved(&owl, &train)), AngleBand::Away);
        assert_eq!(context.band(context.moved(&train, &owl)), AngleBand::Toward);
        assert_eq!(context.band(context.moved(&owl, &owl)), AngleBand::Similar);
    }

    #[test]
    fn nouns_weigh_more() {
        let nouns = BTreeSet::from(["owl".to_owned()]);
        let weighted = AngleSettings { nouns, ..AngleSettings::default() };
        let others = [terms("owl mouse")];
        let plain = PaperContext::new(&others, AngleSettings::default());
        let with_nouns = PaperContext::new(&others, weighted);
        assert!(with_nouns.angle(&terms("owl")) < plain.angle(&terms("owl")));
    }
}
