//! A catalog that decays week by week, and what a schedule leaves undetected.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::{Schedule, Week};
use crate::catalog::{Catalog, UrlId};
use crate::ledger::UrlHealth;
use crate::rng::SplitMix64;
use crate::simulate::count;

/// How a catalog decays.
#[derive(Debug, Clone, Copy)]
pub struct DecaySimulation {
    /// How many URLs there are.
    pub urls: u32,
    /// On how many domains.
    pub domains: u32,
    /// How many URLs a directory has on average (log-normal).
    pub directory: f64,
    /// The deviation of the logarithm of that size.
    pub directory_spread: f64,
    /// The share of live URLs that die in a week.
    pub deaths: f64,
    /// The deviation of the logarithm of that share over domains.
    pub hazard_spread: f64,
    /// The share of deaths that come with a whole directory.
    pub by_directory: f64,
    /// The share of a directory that dies with it.
    pub completeness: f64,
    /// The share of dead URLs that come back in a week.
    pub revivals: f64,
    /// How many weeks are played.
    pub weeks: Week,
    /// How many of them at the beginning do not count.
    pub ignored: Week,
    /// The share of the URLs that may be asked in a week.
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

/// What came of it, as means over the weeks that count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DriftOutcome {
    /// Dead URLs taken for alive, in percent of all.
    pub undetected: f64,
    /// Requests in a week, in percent of all URLs.
    pub requests: f64,
    /// Dead URLs, in percent of all.
    pub dead: f64,
}

/// Plays the weeks, the schedule asking each week what it may.
pub fn drift(drift: &DecaySimulation, seed: u64) -> DriftOutcome {
    let mut chance = SplitMix64::new(seed);
    let catalog = catalog(drift, &mut chance);
    let mut world = World::new(&catalog, drift, &mut chance);
    let mut schedule = Schedule::new(&catalog, 0);
    let budget = count(drift.budget * f64::from(catalog.len()));
    let mut sum = DriftOutcome::default();
    for week in 1..=drift.weeks {
        world.advance_week(drift, &mut chance);
        let requests = check(&mut schedule, &world, week, budget);
        if week > drift.ignored {
            sum.add(&schedule, &world, requests);
        }
    }
    sum.mean(drift.weeks.saturating_sub(drift.ignored), catalog.len())
}

/// Domains of equal size, with directories of log-normal size.
fn catalog(drift: &DecaySimulation, chance: &mut SplitMix64) -> Catalog {
    let mut urls = Vec::new();
    for domain in 0..drift.domains {
        let mut left = drift.urls / drift.domains.max(1);
        let mut directory = 0;
        while left > 0 {
            let size = count(chance.log_normal(drift.directory, drift.directory_spread).round());
            let size = size.clamp(1, left);
            let name = format!("{domain}.test");
            let url = |page| (name.clone(), format!("http://{domain}.test/d{directory}/{page}"));
            urls.extend((0..size).map(url));
            (left, directory) = (left - size, directory + 1);
        }
    }
    Catalog::new(urls)
}

/// One week of checks; how many were made.
fn check(schedule: &mut Schedule<'_>, world: &World<'_>, week: Week, budget: u32) -> u32 {
    schedule.begin(week);
    for request in 0..budget {
        let Some(url) = schedule.next_url() else { return request };
        let is_dead = world.dead[url.index()];
        schedule.take(url, if is_dead { UrlHealth::Broken } else { UrlHealth::Alive });
    }
    budget
}

/// The truth.
struct World<'a> {
    catalog: &'a Catalog,
    dead: Vec<bool>,
    /// The share of live URLs that die in a week, by domain.
    hazards: Vec<f64>,
}

impl<'a> World<'a> {
    fn new(catalog: &'a Catalog, drift: &DecaySimulation, chance: &mut SplitMix64) -> Self {
        let mut hazards: Vec<f64> =
            catalog.domains().map(|_| chance.log_normal(1.0, drift.hazard_spread)).collect();
        let domains = f64::from(u32::try_from(hazards.len()).unwrap_or(u32::MAX));
        let mean = hazards.iter().sum::<f64>() / domains.max(1.0);
        for hazard in &mut hazards {
            *hazard *= drift.deaths / mean;
        }
        Self { catalog, dead: vec![false; catalog.len() as usize], hazards }
    }

    fn advance_week(&mut self, drift: &DecaySimulation, chance: &mut SplitMix64) {
        for directory in self.catalog.directories() {
            let hazard = self.hazards[self.catalog.domain_of(directory).index()];
            let is_struck = chance.bernoulli(hazard * drift.by_directory / drift.completeness);
            for url in self.catalog.urls_of(directory) {
                let is_dead = &mut self.dead[url.index()];
                *is_dead = if *is_dead {
                    !chance.bernoulli(drift.revivals)
                } else {
                    chance.bernoulli(hazard * (1.0 - drift.by_directory))
                        || is_struck && chance.bernoulli(drift.completeness)
                };
            }
        }
    }
}

impl DriftOutcome {
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
    fn the_budget_is_kept() {
        let outcome = drift(&SMALL, 1);
        assert!(outcome.requests <= 10.0 + 1e-9 && outcome.dead > 0.0, "{outcome:?}");
    }

    #[test]
    fn more_requests_leave_less_undetected() {
        let frugal = drift(&DecaySimulation { budget: 0.05, ..SMALL }, 1);
        let generous = drift(&DecaySimulation { budget: 0.3, ..SMALL }, 1);
        assert!(generous.undetected < frugal.undetected, "{generous:?} {frugal:?}");
    }

    #[test]
    fn whoever_checks_everything_misses_nothing() {
        let outcome = drift(&DecaySimulation { budget: 1.0, ..SMALL }, 1);
        assert!(outcome.undetected <= 0.0, "{outcome:?}");
    }

    #[test]
    fn where_nothing_dies_nothing_is_missed() {
        let outcome = drift(&DecaySimulation { deaths: 0.0, ..SMALL }, 1);
        assert!(outcome.undetected <= 0.0 && outcome.dead <= 0.0, "{outcome:?}");
    }
}
