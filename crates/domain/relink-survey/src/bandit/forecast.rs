//! Forecast of the number of checks that find a share of the broken URLs.

use super::Bandit;
use super::mixture::{RATES, mean_and_variance};
use crate::plan::Forecast;
use crate::simulate::count;

/// Share of the catalog that must be checked before a forecast is possible.
const MIN_CHECKED_SHARE: f64 = 0.02;

/// A number of further checks that find broken URLs at the same rate.
struct Part {
    checks: f64,
    found: f64,
}

impl Part {
    fn rate(&self) -> f64 {
        if self.checks > 0.0 { self.found / self.checks } else { 0.0 }
    }
}

/// Returns the forecast for `recall` percent of the broken URLs. Returns `None` as long as too
/// little is known about the catalog.
pub(super) fn forecast(bandit: &Bandit<'_>, recall: f64) -> Option<Forecast> {
    let log = &bandit.log;
    let (catalog, total) = (log.catalog(), log.total());
    let is_known = catalog.domains().all(|domain| log.domain(domain).checked > 0);
    if !is_known || f64::from(total.checked) < MIN_CHECKED_SHARE * f64::from(catalog.len()) {
        return None;
    }
    let (mut planned, mut rest) = (Vec::new(), Vec::new());
    let (mut in_dead, mut in_all) = (f64::from(total.broken), f64::from(total.broken));
    for directory in catalog.directories() {
        let remaining = f64::from(bandit.unchecked_in(directory));
        let posterior = bandit.posterior(directory);
        let full_check_rate = bandit.settings.full_check_rate;
        let dead = posterior.iter().zip(RATES).filter(|(_, rate)| *rate >= full_check_rate);
        in_dead += remaining * dead.map(|(weight, rate)| weight * rate).sum::<f64>();
        let missed = remaining * mean_and_variance(&posterior).0;
        in_all += missed;
        let prospect = bandit.prospect(directory);
        planned.push(Part { checks: prospect.checks, found: prospect.found });
        let found = (missed - prospect.found).max(0.0);
        rest.push(Part { checks: remaining - prospect.checks, found });
    }
    let so_far = Part { checks: f64::from(total.checked), found: f64::from(total.broken) };
    planned.sort_unstable_by(|one, other| other.rate().total_cmp(&one.rate()));
    let clustered = checks_until(recall / 100.0 * in_dead, &so_far, &planned);
    planned.append(&mut rest);
    planned.sort_unstable_by(|one, other| other.rate().total_cmp(&one.rate()));
    let scattered = checks_until(recall / 100.0 * in_all, &so_far, &planned);
    Some(Forecast { clustered, scattered: scattered.max(clustered) })
}

/// Returns the number of checks after which `goal` broken URLs are found.
fn checks_until(goal: f64, so_far: &Part, parts: &[Part]) -> u32 {
    let (mut checks, mut found) = (so_far.checks, so_far.found);
    for part in parts {
        if found + part.found >= goal {
            let share = if part.found > 0.0 { (goal - found).max(0.0) / part.found } else { 0.0 };
            return count(checks + share * part.checks);
        }
        (checks, found) = (checks + part.checks, found + part.found);
    }
    count(checks)
}

#[cfg(test)]
mod tests {
    use super::super::BanditSettings;
    use super::*;
    use crate::plan::SamplingPlan;
    use crate::simulate::{Federation, FederationShape};

    #[test]
    fn forecast_needs_first_checks_and_its_parts_are_ordered() {
        let shape = FederationShape { urls: 20_000, domains: 60, ..FederationShape::default() };
        let federation = Federation::draw(&shape, 5);
        let mut bandit = Bandit::new(&federation.catalog, BanditSettings::default(), 1);
        assert_eq!(bandit.forecast(95.0), None);
        while bandit.forecast(95.0).is_none() {
            let batch = bandit.next_batch(50);
            assert!(!batch.is_empty());
            for url in batch {
                bandit.record(url, federation.health(url));
            }
        }
        let (checked, low, high) =
            (bandit.check_log().total().checked, bandit.forecast(50.0), bandit.forecast(95.0));
        let (low, high) = (low.unwrap(), high.unwrap());
        assert!(checked < federation.catalog.len() / 20, "{checked}");
        assert!(checked < low.clustered && low.clustered < high.clustered, "{low:?} {high:?}");
        assert!(high.clustered <= high.scattered, "{high:?}");
        assert!(high.scattered <= federation.catalog.len(), "{high:?}");
    }

    #[test]
    fn checks_until_interpolates_within_a_part() {
        let so_far = Part { checks: 10.0, found: 5.0 };
        let parts = [Part { checks: 100.0, found: 50.0 }, Part { checks: 100.0, found: 10.0 }];
        assert_eq!(checks_until(30.0, &so_far, &parts), 60);
        assert_eq!(checks_until(60.0, &so_far, &parts), 160);
        assert_eq!(checks_until(1_000.0, &so_far, &parts), 210);
    }
}
