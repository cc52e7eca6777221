//! Simulates a catalog that decays week by week, and the URLs that a schedule leaves undetected.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::{Schedule, Week};
use crate::catalog::{Catalog, UrlId};
use crate::check_log::UrlHealth;
use crate::rng::SplitMix64;
use crate::simulate::count;

/// The parameters of a simulated catalog.
#[derive(Debug, Clone, Copy)]
pub struct DecaySimulation {
    /// Number of URLs.
    pub urls: u32,
    /// Number of domains.
    pub domains: u32,
    /// Mean number of URLs per directory (log-normal).
    pub directory: f64,
    /// Standard deviation of the logarithm of the number of URLs per directory.
    pub directory_spread: f64,
    /// Share of live URLs that die per week, on average.
    pub deaths: f64,
    /// Standard deviation of the logarithm of the death rates (hazards) of domains.
    pub hazard_spread: f64,
    /// Share of deaths that affect a whole directory.
    pub by_directory: f64,
    /// Share of the URLs of an affected directory that die.
    pub completeness: f64,
    /// Share of dead URLs that come back per week.
    pub revivals: f64,
    /// Number of simulated weeks.
    pub weeks: Week,
    /// Number of weeks at the start that do not count.
    pub ignored: Week,
    /// Maximum share of the URLs that is checked per week.
    pub budget: f64,
}

impl Default for DecaySimulation {
    fn default() -> Self {
        Self {
            urls: 60_000,
            domains: 300,
            directory: 40.0,
            directory_spread: 1.3,
            deaths: 0.0035,
            hazard_spread: 1.0,
            by_directory: 0.8,
            completeness: 0.95,
            revivals: 0.0023,
            weeks: 104,
            ignored: 26,
            budget: 0.1,
        }
    }
}

/// The result, as means over the weeks that count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DecaySimulationResult {
    /// Dead URLs recorded as alive, in percent of all.
    pub undetected: f64,
    /// Requests per week, in percent of all URLs.
    pub requests: f64,
    /// Dead URLs, in percent of all.
    pub dead: f64,
}

/// Simulates the weeks and checks the URLs that the schedule selects.
pub fn simulate_decay(simulation: &DecaySimulation, seed: u64) -> DecaySimulationResult {
    let mut rng = SplitMix64::new(seed);
    let catalog = build_catalog(simulation, &mut rng);
    let mut world = World::new(&catalog, simulation, &mut rng);
    let mut schedule = Schedule::new(&catalog, 0);
    let budget = count(simulation.budget * f64::from(catalog.len()));
    let mut sum = DecaySimulationResult::default();
    for week in 1..=simulation.weeks {
        world.advance_week(simulation, &mut rng);
        let requests = check_week(&mut schedule, &world, week, budget);
        if week > simulation.ignored {
            sum.add(&schedule, &world, requests);
        }
    }
    sum.mean(simulation.weeks.saturating_sub(simulation.ignored), catalog.len())
}

/// Builds domains of equal size with directories of log-normal size.
fn build_catalog(simulation: &DecaySimulation, rng: &mut SplitMix64) -> Catalog {
    let mut urls = Vec::new();
    for domain in 0..simulation.domains {
        let mut remaining = simulation.urls / simulation.domains.max(1);
        let mut directory = 0;
        while remaining > 0 {
            let size =
                count(rng.log_normal(simulation.directory, simulation.directory_spread).round());
            let size = size.clamp(1, remaining);
            let name = format!("{domain}.test");
            let url = |page| (name.clone(), format!("http://{domain}.test/d{directory}/{page}"));
            urls.extend((0..size).map(url));
            (remaining, directory) = (remaining - size, directory + 1);
        }
    }
    Catalog::new(urls)
}

/// Runs the checks of one week and returns their number.
fn check_week(schedule: &mut Schedule<'_>, world: &World<'_>, week: Week, budget: u32) -> u32 {
    schedule.start_week(week);
    for request in 0..budget {
        let Some(url) = schedule.next_url() else { return request };
        let is_dead = world.dead[url.index()];
        schedule.record(url, if is_dead { UrlHealth::Broken } else { UrlHealth::Alive });
    }
    budget
}

/// The true state of all URLs. The schedule receives only the results of checks.
struct World<'a> {
    catalog: &'a Catalog,
    dead: Vec<bool>,
    /// Share of live URLs that die per week, by domain.
    hazards: Vec<f64>,
}

impl<'a> World<'a> {
    fn new(catalog: &'a Catalog, simulation: &DecaySimulation, rng: &mut SplitMix64) -> Self {
        let mut hazards: Vec<f64> =
            catalog.domains().map(|_| rng.log_normal(1.0, simulation.hazard_spread)).collect();
        let domains = f64::from(u32::try_from(hazards.len()).unwrap_or(u32::MAX));
        let mean = hazards.iter().sum::<f64>() / domains.max(1.0);
        for hazard in &mut hazards {
            *hazard *= simulation.deaths / mean;
        }
        Self { catalog, dead: vec![false; catalog.len() as usize], hazards }
    }

    /// Lets URLs die and come back for one week.
    fn advance_week(&mut self, simulation: &DecaySimulation, rng: &mut SplitMix64) {
        for directory in self.catalog.directories() {
            let hazard = self.hazards[self.catalog.domain_of(directory).index()];
            let is_affected =
                rng.bernoulli(hazard * simulation.by_directory / simulation.completeness);
            for url in self.catalog.urls_of(directory) {
                let is_dead = &mut self.dead[url.index()];
                *is_dead = if *is_dead {
                    !rng.bernoulli(simulation.revivals)
                } else {
                    rng.bernoulli(hazard * (1.0 - simulation.by_directory))
                        || is_affected && rng.bernoulli(simulation.completeness)
                };
            }
        }
    }
}

impl DecaySimulationResult {
    fn add(&mut self, schedule: &Schedule<'_>, world: &World<'_>, requests: u32) {
        let is_dead = |url: &UrlId| world.dead[url.index()];
        let (mut dead, mut undetected) = (0_u32, 0_u32);
        for url in world.catalog.urls().filter(is_dead) {
            dead += 1;
            undetected += u32::from(!schedule.is_known_broken(url));
        }
        self.undetected += f64::from(undetected);
        self.requests += f64::from(requests);
        self.dead += f64::from(dead);
    }

    /// Converts sums over `weeks` to weekly means, in percent of `urls`.
    fn mean(self, weeks: u32, urls: u32) -> Self {
        let percent = |sum: f64| 100.0 * sum / f64::from(weeks.max(1)) / f64::from(urls.max(1));
        Self {
            undetected: percent(self.undetected),
            requests: percent(self.requests),
            dead: percent(self.dead),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: DecaySimulation = DecaySimulation {
        urls: 2_000,
        domains: 10,
        weeks: 20,
        ignored: 5,
        directory: 40.0,
        directory_spread: 1.3,
        deaths: 0.0035,
        hazard_spread: 1.0,
        by_directory: 0.8,
        completeness: 0.95,
        revivals: 0.0023,
        budget: 0.1,
    };

    #[test]
    fn budget_is_respected() {
        let outcome = simulate_decay(&SMALL, 1);
        assert!(outcome.requests <= 10.0 + 1e-9 && outcome.dead > 0.0, "{outcome:?}");
    }

    #[test]
    fn more_requests_leave_less_undetected() {
        let few_requests = simulate_decay(&DecaySimulation { budget: 0.05, ..SMALL }, 1);
        let many_requests = simulate_decay(&DecaySimulation { budget: 0.3, ..SMALL }, 1);
        assert!(
            many_requests.undetected < few_requests.undetected,
            "{many_requests:?} {few_requests:?}"
        );
    }

    #[test]
    fn full_budget_leaves_nothing_undetected() {
        let outcome = simulate_decay(&DecaySimulation { budget: 1.0, ..SMALL }, 1);
        assert!(outcome.undetected <= 0.0, "{outcome:?}");
    }

    #[test]
    fn nothing_is_undetected_if_nothing_dies() {
        let outcome = simulate_decay(&DecaySimulation { deaths: 0.0, ..SMALL }, 1);
        assert!(outcome.undetected <= 0.0 && outcome.dead <= 0.0, "{outcome:?}");
    }
}
