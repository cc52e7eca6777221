//! The index of a directory: the expected share of broken URLs among its further checks. The
//! bandit checks the directory with the highest index next.

use super::mixture::{RATES, RateWeights};

/// Evidence, as the natural logarithm of a likelihood ratio, that distinguishes a rate below the
/// threshold from a rate above it.
const DECISIVE_EVIDENCE: f64 = 2.0;

/// Returns the expected number of broken URLs per further check of a directory with `remaining`
/// unchecked URLs, if checking stops when it is no longer worthwhile.
///
/// Either the rate of broken URLs is above the threshold and all URLs are checked, or a few
/// checks show that the rate is below the threshold. The index is the expected number of broken
/// URLs found, divided by the expected number of checks, over both cases. `posterior` contains
/// the probability of each rate, given the checks so far.
pub(super) fn index(posterior: &RateWeights, remaining: u32, threshold: f64) -> f64 {
    if remaining == 0 {
        return 0.0;
    }
    let remaining = f64::from(remaining);
    // `above` and `below` are the probabilities of the two cases. `found_above` and
    // `found_below` are the probabilities that a URL is broken and the case applies.
    let (mut above, mut found_above, mut below, mut found_below) = (0.0, 0.0, 0.0, 0.0);
    for (weight, rate) in posterior.iter().zip(RATES) {
        if rate >= threshold {
            (above, found_above) = (above + weight, found_above + weight * rate);
        } else {
            (below, found_below) = (below + weight, found_below + weight * rate);
        }
    }
    if above <= 0.0 || below <= 0.0 {
        return found_above + found_below;
    }
    let checks = checks_to_decide(found_below / below, found_above / above).min(remaining);
    (found_above * remaining + found_below * checks) / (above * remaining + below * checks)
}

/// Returns the number of checks that show that the rate is `low` and not `high`: the evidence
/// divided by the mean evidence of one check (the Kullback-Leibler divergence of the rates).
fn checks_to_decide(low: f64, high: f64) -> f64 {
    let divergence = low * (low / high).ln() + (1.0 - low) * ((1.0 - low) / (1.0 - high)).ln();
    (DECISIVE_EVIDENCE / divergence).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::mixture::{Likelihood, initial_weights};
    use super::*;
    use crate::check_log::CheckCounts;

    /// Returns the index of a directory with `remaining` unchecked URLs after `checked` checks
    /// that found `broken` URLs, with a threshold of 0.25.
    fn index_after(broken: u32, checked: u32, remaining: u32) -> f64 {
        let posterior =
            Likelihood::new().posterior(&initial_weights(), CheckCounts { checked, broken });
        index(&posterior, remaining, 0.25)
    }

    #[test]
    fn broken_url_raises_index_and_live_url_lowers_it() {
        assert!(index_after(1, 1, 39) > index_after(0, 0, 40));
        assert!(index_after(0, 1, 39) < index_after(0, 0, 40));
        assert!(index_after(0, 3, 37) < 0.25, "{}", index_after(0, 3, 37));
    }

    #[test]
    fn index_grows_with_unchecked_urls() {
        assert!(index_after(0, 0, 200) > index_after(0, 0, 20));
        assert!(index_after(0, 0, 0) <= 0.0);
    }
}
