//! Texts that explain the decisions of the bandit.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::mixture::{RATES, mean_and_variance};
use super::{Bandit, DomainId};
use crate::plan::{LotDecision, SamplingPlan};

/// Minimum rate of broken URLs in live directories that is reported as scattered.
const MIN_SCATTERED_RATE: f64 = 0.03;

/// Returns the reason for the decision on a domain.
pub(super) fn reason(bandit: &Bandit<'_>, domain: DomainId) -> String {
    let (catalog, counts) = (bandit.log.catalog(), bandit.log.domain(domain));
    let size = catalog.domain_size(domain);
    if counts.checked == size {
        return format!("all {size} URLs were checked, {} are broken", counts.broken);
    }
    let seen = format!("{} of {} checked are broken", counts.broken, counts.checked);
    if bandit.decision(domain) == LotDecision::Continue {
        return format!("{seen}; some directories are worth further checks");
    }
    let rest = format!(
        "expected rate of the rest {:.1} %, threshold {:.0} %",
        100.0 * expected_rate(bandit, domain),
        100.0 * bandit.min_index
    );
    if is_scattered(bandit, domain) {
        return format!("{seen}, scattered over the directories; {rest}");
    }
    let directories = catalog.directories_of(domain).len();
    let full = catalog
        .directories_of(domain)
        .filter(|directory| bandit.unchecked_in(*directory) == 0)
        .count();
    format!("{seen}, {full} of {directories} directories checked in full; {rest}")
}

/// Returns the expected rate of broken URLs among the unchecked URLs of a domain.
fn expected_rate(bandit: &Bandit<'_>, domain: DomainId) -> f64 {
    let (mut remaining, mut broken) = (0.0, 0.0);
    for directory in bandit.log.catalog().directories_of(domain) {
        let rest = f64::from(bandit.unchecked_in(directory));
        remaining += rest;
        broken += rest * mean_and_variance(&bandit.posterior(directory)).0;
    }
    broken / f64::max(remaining, 1.0)
}

/// Whether most directories have a medium rate.
fn is_scattered(bandit: &Bandit<'_>, domain: DomainId) -> bool {
    let weights = bandit.domains[domain.index()].weights.iter().zip(RATES);
    let medium = weights
        .filter(|(_, rate)| (MIN_SCATTERED_RATE..bandit.settings.full_check_rate).contains(rate));
    medium.map(|(weight, _)| weight).sum::<f64>() > 0.5
}
