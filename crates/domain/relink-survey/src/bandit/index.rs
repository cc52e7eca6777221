//! What checking on in a directory is worth.

use super::mixture::{RATES, RateWeights};

/// How much evidence, in nats, tells a directory below the floor from one above.
const EVIDENCE: f64 = 2.0;

/// The broken URLs that each further check of a directory can be hoped to
/// find, if `left` are unchecked and one goes on only while it is worth it.
///
/// With probability *q* its rate is above the floor and all that are left will
/// be checked; otherwise a few checks show that it is not. The index is what is
/// found divided by what is checked in both cases together.
pub(super) fn index(posterior: &RateWeights, left: u32, floor: f64) -> f64 {
    if left == 0 {
        return 0.0;
    }
    let left = f64::from(left);
    let (mut above, mut found_above, mut below, mut found_below) = (0.0, 0.0, 0.0, 0.0);
    for (weight, rate) in posterior.iter().zip(RATES) {
        if rate >= floor {
            (above, found_above) = (above + weight, found_above + weight * rate);
        } else {
            (below, found_below) = (below + weight, found_below + weight * rate);
        }
    }
    if above <= 0.0 || below <= 0.0 {
        return found_above + found_below;
    }
    let tries = tries(found_below / below, found_above / above).min(left);
    (found_above * left + found_below * tries) / (above * left + below * tries)
}

/// How many checks show that the rate is `low` and not `high`: the evidence
/// divided by what one check brings (Kullback & Leibler).
fn tries(low: f64, high: f64) -> f64 {
    let divergence = low * (low / high).ln() + (1.0 - low) * ((1.0 - low) / (1.0 - high)).ln();
    (EVIDENCE / divergence).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::mixture::{Likelihood, at_first};
    use super::*;
    use crate::ledger::CheckCounts;

    /// The index of a directory of `left` after a sample.
    fn after(broken: u32, checked: u32, left: u32) -> f64 {
        let posterior = Likelihood::new().posterior(&at_first(), CheckCounts { checked, broken });
        index(&posterior, left, 0.25)
    }

    #[test]
    fn a_hit_raises_it_and_a_miss_lowers_it() {
        assert!(after(1, 1, 39) > after(0, 0, 40));
        assert!(after(0, 1, 39) < after(0, 0, 40));
        assert!(after(0, 3, 37) < 0.25, "{}", after(0, 3, 37));
    }

    #[test]
    fn more_to_gain_is_worth_more() {
        assert!(after(0, 0, 200) > after(0, 0, 20));
        assert!(after(0, 0, 0) <= 0.0);
    }
}
