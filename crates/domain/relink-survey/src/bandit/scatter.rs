//! Are broken URLs scattered, or do directories die together?
//!
//! Wald's test of one question, pooled over domains: is a sibling of a broken
//! URL broken more often than any other URL of its domain? Each sibling costs
//! a request, so they are asked only until the answer is plain. The rule is
//! conservative: short of plain evidence, directories are taken to matter.

use crate::ledger::UrlHealth;

/// The share of broken URLs that die with their directory, where directories
/// matter. Below half of it they are not worth looking into.
const TOGETHER: f64 = 0.4;

/// The evidence, in nats, at which siblings are taken to be like all others:
/// a hundred to one.
const SCATTERED: f64 = -4.6;

/// The evidence at which they are taken to die together: twenty to one.
const CLUSTERED: f64 = 3.0;

/// How the broken URLs of a catalog lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clustering {
    /// It cannot be told yet.
    Unknown,
    /// Directories tell nothing.
    Scattered,
    /// Directories matter, or it cannot be told.
    Clustered,
}

/// What siblings say: each with the rate of broken URLs in its domain.
pub(super) fn shape(siblings: impl Iterator<Item = (f64, UrlHealth)>) -> Clustering {
    let evidence: f64 = siblings.map(|(rate, answer)| evidence(rate, answer)).sum();
    if evidence <= SCATTERED {
        Clustering::Scattered
    } else if evidence >= CLUSTERED {
        Clustering::Clustered
    } else {
        Clustering::Unknown
    }
}

/// How much more likely an answer is if directories die together, as a
/// logarithm.
fn evidence(rate: f64, answer: UrlHealth) -> f64 {
    let rate = rate.clamp(0.001, 0.999);
    let together = rate + TOGETHER * (1.0 - rate);
    match answer {
        UrlHealth::Broken => (together / rate).ln(),
        UrlHealth::Alive => ((1.0 - together) / (1.0 - rate)).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape if so many of the siblings are broken, on domains of 10 %.
    #[track_caller]
    fn check(broken: usize, siblings: usize, expect: Clustering) {
        let answers = (0..siblings)
            .map(|at| (0.1, if at < broken { UrlHealth::Broken } else { UrlHealth::Alive }));
        assert_eq!(shape(answers), expect);
    }

    #[test]
    fn siblings_like_all_others_mean_scattered() {
        check(0, 10, Clustering::Scattered);
        check(2, 20, Clustering::Scattered);
    }

    #[test]
    fn siblings_that_are_dead_too_mean_clustered() {
        check(2, 2, Clustering::Clustered);
        check(8, 20, Clustering::Clustered);
    }

    #[test]
    fn a_few_siblings_leave_it_open() {
        check(0, 0, Clustering::Unknown);
        check(0, 5, Clustering::Unknown);
        check(5, 20, Clustering::Unknown);
    }
}
