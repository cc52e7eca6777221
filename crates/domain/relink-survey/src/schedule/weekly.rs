//! The state of the schedule and the selection of the next URL, see [`super`] for the rules.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::{Alarm, DirectoryWatch, HazardEstimate, UrlHistory, Week};
use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::check_log::UrlHealth;

/// Prior death rate per URL and week.
const INITIAL_RATE: f64 = 0.004;

/// Prior share of deaths that affect a whole directory.
const INITIAL_CLUSTERED_SHARE: f64 = 0.5;

/// Weight of the priors, as a number of deaths.
const PRIOR_WEIGHT: f64 = 2.0;

/// The re-checks of a catalog, week by week.
///
/// The caller requests URLs, most urgent first, until the budget of the week is used up, and
/// records every result.
#[derive(Debug)]
pub struct Schedule<'a> {
    catalog: &'a Catalog,
    urls: Vec<UrlHistory>,
    directories: Vec<DirectoryState>,
    domains: Vec<HazardEstimate>,
    /// The death rate of all domains together.
    all: HazardEstimate,
    /// Number of deaths of URLs that died together with their directory.
    clustered_deaths: f64,
    now: Week,
    /// Known broken URLs to check again this week.
    due: VecDeque<UrlId>,
    /// Directories of which a live URL may be checked this week, most urgent first.
    queue: BinaryHeap<QueuedDirectory>,
}

/// The checks in a directory.
#[derive(Debug, Clone, Copy, Default)]
struct DirectoryState {
    /// The week of the last check of a URL that was alive before the check.
    last_checked: Week,
    alarm: Alarm,
}

/// A directory in the queue. It is queued again after the result of its URL is recorded.
#[derive(Debug)]
struct QueuedDirectory {
    /// The urgency, see [`DirectoryWatch::index`].
    index: f64,
    directory: DirectoryId,
}

impl<'a> Schedule<'a> {
    /// Returns a schedule for URLs that were all found alive in week `now`.
    pub fn new(catalog: &'a Catalog, now: Week) -> Self {
        let state = DirectoryState { last_checked: now, alarm: Alarm::default() };
        Self {
            catalog,
            urls: vec![UrlHistory { last_checked: now, failures: 0 }; catalog.len() as usize],
            directories: vec![state; catalog.directories().len()],
            domains: vec![HazardEstimate::default(); catalog.domains().len()],
            all: HazardEstimate::default(),
            clustered_deaths: 0.0,
            now,
            due: VecDeque::new(),
            queue: BinaryHeap::new(),
        }
    }

    /// Starts a week: collects the URLs that are due and queues the directories.
    pub fn start_week(&mut self, now: Week) {
        self.now = now;
        let is_due = |url: &UrlId| self.urls[url.index()].is_due(now);
        self.due = self.catalog.urls().filter(is_due).collect();
        self.queue.clear();
        for directory in self.catalog.directories() {
            self.directories[directory.index()].alarm = Alarm::default();
            self.enqueue(directory);
        }
    }

    /// Returns the most urgent URL; `None` if nothing is left for this week. At most one live URL
    /// of a directory is in flight; known broken URLs are not limited.
    pub fn next_url(&mut self) -> Option<UrlId> {
        if let Some(url) = self.due.pop_front() {
            return Some(url);
        }
        while let Some(QueuedDirectory { directory, .. }) = self.queue.pop() {
            if let Some(url) = self.longest_unchecked(directory) {
                return Some(url);
            }
        }
        None
    }

    /// Sets the history of a URL from before this schedule. The time of its death is unknown, so
    /// the death rates are not updated.
    pub fn restore(&mut self, url: UrlId, history: UrlHistory) {
        self.urls[url.index()] = history;
    }

    /// Records the result of a URL.
    pub fn record(&mut self, url: UrlId, health: UrlHealth) {
        let directory = self.catalog.directory_of(url);
        let previous = self.urls[url.index()];
        let failures = match health {
            UrlHealth::Alive => 0,
            UrlHealth::Broken => previous.failures.saturating_add(1),
        };
        self.urls[url.index()] = UrlHistory { last_checked: self.now, failures };
        // A re-check of a broken URL contains no information about deaths.
        if previous.failures > 0 {
            return;
        }
        self.update_rates(url, previous, health);
        self.directories[directory.index()].last_checked = self.now;
        self.enqueue(directory);
    }

    /// Whether a URL is known to be broken.
    pub fn is_known_broken(&self, url: UrlId) -> bool {
        self.urls[url.index()].failures > 0
    }

    /// Returns the share of deaths that affect a whole directory.
    pub fn clustered_share(&self) -> f64 {
        (self.clustered_deaths + PRIOR_WEIGHT * INITIAL_CLUSTERED_SHARE)
            / (self.all.deaths + PRIOR_WEIGHT)
    }

    /// Updates the death rates by the result of a URL that was alive at its `previous` check.
    fn update_rates(&mut self, url: UrlId, previous: UrlHistory, health: UrlHealth) {
        let directory = self.catalog.directory_of(url);
        let domain = self.catalog.domain_of(directory);
        let weeks = f64::from(self.now.saturating_sub(previous.last_checked));
        let alarm = &mut self.directories[directory.index()].alarm;
        let died = f64::from(u8::from(health == UrlHealth::Broken));
        match health {
            UrlHealth::Broken => alarm.died += 1,
            UrlHealth::Alive => alarm.survived += 1,
        }
        if health == UrlHealth::Broken && alarm.died > 1 && alarm.is_on() {
            // The second death shows that the first URL did not die alone, either.
            self.clustered_deaths += if alarm.died == 2 { 2.0 } else { 1.0 };
        }
        for estimate in [&mut self.all, &mut self.domains[domain.index()]] {
            estimate.deaths += died;
            estimate.exposure += weeks;
        }
    }

    /// Returns the death rate of a domain, per URL and week.
    fn rate(&self, domain: DomainId) -> f64 {
        let common = self.all.rate(INITIAL_RATE, PRIOR_WEIGHT);
        self.domains[domain.index()].rate(common, PRIOR_WEIGHT)
    }

    /// Queues a directory, unless a check of it contains no information.
    fn enqueue(&mut self, directory: DirectoryId) {
        let index = self.directory_watch(directory).index();
        if index > 0.0 {
            self.queue.push(QueuedDirectory { index, directory });
        }
    }

    /// Returns the state of a directory from which its urgency is computed.
    fn directory_watch(&self, directory: DirectoryId) -> DirectoryWatch {
        let age = |since: Week| f64::from(self.now.saturating_sub(since));
        let (mut alive, mut oldest) = (0, self.now);
        for url in self.catalog.urls_of(directory) {
            let UrlHistory { last_checked, failures } = self.urls[url.index()];
            if failures == 0 {
                (alive, oldest) = (alive + 1, oldest.min(last_checked));
            }
        }
        let DirectoryState { last_checked, alarm } = self.directories[directory.index()];
        DirectoryWatch {
            alive,
            rate: self.rate(self.catalog.domain_of(directory)),
            clustered_share: self.clustered_share(),
            age: age(last_checked),
            oldest: age(oldest),
            alarm,
        }
    }

    /// Returns the live URL that was not checked for the longest time; `None` if all live URLs
    /// were checked this week.
    fn longest_unchecked(&self, directory: DirectoryId) -> Option<UrlId> {
        let alive = self.catalog.urls_of(directory).filter(|url| !self.is_known_broken(*url));
        alive
            .min_by_key(|url| self.urls[url.index()].last_checked)
            .filter(|url| self.urls[url.index()].last_checked < self.now)
    }
}

impl PartialEq for QueuedDirectory {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for QueuedDirectory {}

impl PartialOrd for QueuedDirectory {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuedDirectory {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.total_cmp(&other.index).then(other.directory.cmp(&self.directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns three directories with four pages each: `0/0` to `2/3`.
    fn catalog() -> Catalog {
        let url = |directory, page| ("a.test", format!("http://a.test/{directory}/{page}"));
        Catalog::new((0..3).flat_map(|directory| (0..4).map(move |page| url(directory, page))))
    }

    /// Checks up to `requests` URLs in week `now` and returns their paths. Paths that start with
    /// `dead` are broken; `""` means none.
    fn run_week(
        schedule: &mut Schedule<'_>,
        now: Week,
        requests: usize,
        dead: &str,
    ) -> Vec<String> {
        schedule.start_week(now);
        let mut requested = Vec::new();
        while requested.len() < requests {
            let Some(url) = schedule.next_url() else { break };
            let name = schedule.catalog.url(url).trim_start_matches("http://a.test/").to_owned();
            let is_dead = !dead.is_empty() && name.starts_with(dead);
            schedule.record(url, if is_dead { UrlHealth::Broken } else { UrlHealth::Alive });
            requested.push(name);
        }
        requested
    }

    #[test]
    fn every_directory_is_checked_by_one_sentinel_first() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        assert_eq!(run_week(&mut schedule, 1, 3, ""), ["0/0", "1/0", "2/0"]);
        assert_eq!(run_week(&mut schedule, 2, 3, ""), ["0/1", "1/1", "2/1"]);
    }

    #[test]
    fn death_leads_to_a_check_of_the_directory() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let requested = run_week(&mut schedule, 1, 6, "1/");
        assert_eq!(requested, ["0/0", "1/0", "1/1", "1/2", "1/3", "2/0"]);
        assert!(schedule.clustered_share() > 0.5);
    }

    #[test]
    fn broken_url_is_checked_after_one_two_and_three_weeks() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let weeks = (1..=8)
            .filter(|now| run_week(&mut schedule, *now, 100, "2/3").contains(&"2/3".to_owned()));
        assert_eq!(weeks.collect::<Vec<Week>>(), [1, 2, 4, 7]);
    }

    #[test]
    fn restored_broken_url_is_due_and_does_not_affect_the_rate() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let rate = schedule.rate(DomainId::at(0));
        let url = catalog.urls().next().unwrap();
        schedule.restore(url, UrlHistory { last_checked: 0, failures: 2 });
        assert!(schedule.is_known_broken(url) && schedule.rate(DomainId::at(0)) <= rate);
        assert!(!run_week(&mut schedule, 1, 100, "0/0").contains(&"0/0".to_owned()));
        assert_eq!(run_week(&mut schedule, 2, 1, "0/0"), ["0/0"]);
    }

    #[test]
    fn no_url_is_requested_twice_in_a_week() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let mut requested = run_week(&mut schedule, 1, 100, "0/");
        assert_eq!(requested.len(), 12);
        requested.sort();
        requested.dedup();
        assert_eq!(requested.len(), 12);
    }
}
