//! Tests whether broken URLs are scattered or clustered in directories.
//!
//! Wald's test, pooled over domains: are siblings of a broken URL broken more often than other
//! URLs of the domain? Siblings are checked only until the test decides. Without a decision,
//! breakage counts as clustered.

use crate::check_log::UrlHealth;

/// Share of broken URLs that die with their directory if breakage is clustered. Below half of
/// it, directories are not worth a separate sample.
const CLUSTERED_SHARE: f64 = 0.4;

/// Log-likelihood ratio at which breakage is scattered: one to a hundred.
const SCATTERED: f64 = -4.6;

/// Log-likelihood ratio at which breakage is clustered: twenty to one.
const CLUSTERED: f64 = 3.0;

/// The distribution of the broken URLs of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clustering {
    /// Not decided yet.
    Unknown,
    /// Independent of directories.
    Scattered,
    /// By directory, or undecided.
    Clustered,
}

/// Classifies siblings, each with the rate of broken URLs in its domain.
pub(super) fn classify(siblings: impl Iterator<Item = (f64, UrlHealth)>) -> Clustering {
    let evidence: f64 = siblings.map(|(rate, health)| evidence(rate, health)).sum();
    if evidence <= SCATTERED {
        Clustering::Scattered
    } else if evidence >= CLUSTERED {
        Clustering::Clustered
    } else {
        Clustering::Unknown
    }
}

/// Returns the logarithm of the likelihood ratio of a result: clustered to scattered.
fn evidence(rate: f64, health: UrlHealth) -> f64 {
    let rate = rate.clamp(0.001, 0.999);
    let clustered_rate = rate + CLUSTERED_SHARE * (1.0 - rate);
    match health {
        UrlHealth::Broken => (clustered_rate / rate).ln(),
        UrlHealth::Alive => ((1.0 - clustered_rate) / (1.0 - rate)).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the result for `broken` of the siblings on domains with a rate of 10 %.
    #[track_caller]
    fn check(broken: usize, siblings: usize, expect: Clustering) {
        let siblings = (0..siblings)
            .map(|at| (0.1, if at < broken { UrlHealth::Broken } else { UrlHealth::Alive }));
        assert_eq!(classify(siblings), expect);
    }

    #[test]
    fn siblings_with_average_rate_mean_scattered() {
        check(0, 10, Clustering::Scattered);
        check(2, 20, Clustering::Scattered);
    }

    #[test]
    fn broken_siblings_mean_clustered() {
        check(2, 2, Clustering::Clustered);
        check(8, 20, Clustering::Clustered);
    }

    #[test]
    fn few_siblings_mean_unknown() {
        check(0, 0, Clustering::Unknown);
        check(0, 5, Clustering::Unknown);
        check(5, 20, Clustering::Unknown);
    }
}
