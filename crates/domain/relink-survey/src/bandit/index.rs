//! The index of a directory: the expected share of broken URLs among its further checks. The
//! bandit checks the directory with the highest index next.

use super::mixture::{RATES, RateWeights};

/// Evidence, as the natural logarithm of a likelihood ratio, that distinguishes low rates from
/// high ones.
const DECISIVE_EVIDENCE: f64 = 2.0;

/// The expected result of further checks of a directory, if checking stops when it is no longer
/// worthwhile.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Prospect {
    /// Expected number of checks.
    pub(super) checks: f64,
    /// Expected number of broken URLs found.
    pub(super) found: f64,
}

impl Prospect {
    /// Returns the index: the expected number of broken URLs per check.
    pub(super) fn index(self) -> f64 {
        if self.checks > 0.0 { self.found / self.checks } else { 0.0 }
    }
}

/// Returns the prospect of a directory with `remaining` unchecked URLs.
///
/// Either the rate of broken URLs is at least `full_check_rate` and all URLs are checked, or a few
/// checks show that the rate is lower. The expectation is over both cases. `posterior` contains
/// the probability of each rate, given the checks so far.
pub(super) fn prospect(posterior: &RateWeights, remaining: u32, full_check_rate: f64) -> Prospect {
    if remaining == 0 {
        return Prospect::default();
    }
    let remaining = f64::from(remaining);
    // The probability of a rate above and below `full_check_rate`, and the share of URLs that
    // are found broken in each case.
    let (mut above, mut found_above, mut below, mut found_below) = (0.0, 0.0, 0.0, 0.0);
    for (weight, rate) in posterior.iter().zip(RATES) {
        if rate >= full_check_rate {
            (above, found_above) = (above + weight, found_above + weight * rate);
        } else {
            (below, found_below) = (below + weight, found_below + weight * rate);
        }
    }
    if above <= 0.0 || below <= 0.0 {
        return Prospect { checks: remaining, found: (found_above + found_below) * remaining };
    }
    let checks = checks_to_decide(found_below / below, found_above / above).min(remaining);
    Prospect {
        checks: above * remaining + below * checks,
        found: found_above * remaining + found_below * checks,
    }
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
        prospect(&posterior, remaining, 0.25).index()
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
