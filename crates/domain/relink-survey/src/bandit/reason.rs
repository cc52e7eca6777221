//! Why the bandit stopped, or goes on, in plain words.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::mixture::{RATES, moments};
use super::scatter::Clustering;
use super::{Bandit, DomainId};
use crate::plan::{LotDecision, SamplingPlan};

/// From this rate on broken URLs in live directories are worth a word.
const SCATTERED: f64 = 0.03;

/// Why a domain was ruled on as it was.
pub(super) fn reason(bandit: &Bandit<'_>, domain: DomainId) -> String {
    let (catalog, tally) = (bandit.ledger.catalog(), bandit.ledger.domain(domain));
    let size = catalog.domain_size(domain);
    if tally.checked == size {
        return format!("all {size} URLs were checked, {} are broken", tally.broken);
    }
    if bandit.shape == Clustering::Scattered {
        let reason = bandit.tests.reason(domain, catalog);
        return format!("{reason}; directories tell nothing here");
    }
    let seen = format!("{} of {} checked are broken", tally.broken, tally.checked);
    if bandit.ruling(domain) == LotDecision::Continue {
        return format!("{seen}; some directories are worth more checks");
    }
    let rest = format!(
        "what is left promises {:.1} %, the floor is {:.0} %",
        100.0 * expected_rate(bandit, domain),
        100.0 * bandit.settings.floor
    );
    if is_scattered(bandit, domain) {
        return format!("{seen}, scattered over its directories; {rest}");
    }
    let directories = catalog.directories_of(domain).len();
    let full = catalog.directories_of(domain).filter(|it| bandit.left(*it) == 0).count();
    format!("{seen}, {full} of {directories} directories in full; {rest}")
}

/// The rate of broken URLs expected in the unchecked rest.
fn expected_rate(bandit: &Bandit<'_>, domain: DomainId) -> f64 {
    let (mut left, mut broken) = (0.0, 0.0);
    for directory in bandit.ledger.catalog().directories_of(domain) {
        let rest = f64::from(bandit.left(directory));
        left += rest;
        broken += rest * moments(&bandit.posterior(directory)).0;
    }
    broken / f64::max(left, 1.0)
}

/// Whether most directories have a middling rate: neither sound nor dead.
fn is_scattered(bandit: &Bandit<'_>, domain: DomainId) -> bool {
    let weights = bandit.domains[domain.index()].weights.iter().zip(RATES);
    let middling = weights.filter(|(_, rate)| (SCATTERED..bandit.settings.floor).contains(rate));
    middling.map(|(weight, _)| weight).sum::<f64>() > 0.5
}
