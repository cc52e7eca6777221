//! The history of a catalog, and what it asks for next.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::{Alarm, DirectoryWatch, HazardEstimate, UrlHistory, Week};
use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::ledger::UrlHealth;

/// The death rate expected before any death is seen, per URL and week.
const RATE_AT_FIRST: f64 = 0.004;

/// The share of deaths by directory expected before any is seen.
const TOGETHER_AT_FIRST: f64 = 0.5;

/// What is expected counts as much as so many deaths seen.
const WEIGHT: f64 = 2.0;

/// Re-checks of a catalog, week by week.
///
/// It is told every answer and asked for URLs until the requests of the week
/// are used up; most urgent comes first.
#[derive(Debug)]
pub struct Schedule<'a> {
    catalog: &'a Catalog,
    urls: Vec<UrlHistory>,
    directories: Vec<Visits>,
    domains: Vec<HazardEstimate>,
    /// Deaths of all domains, and those among them that came together.
    all: HazardEstimate,
    together: f64,
    now: Week,
    due: VecDeque<UrlId>,
    queue: BinaryHeap<Urgent>,
}

/// The checks in a directory.
#[derive(Debug, Clone, Copy, Default)]
struct Visits {
    last: Week,
    alarm: Alarm,
}

/// A directory in the queue. It is asked once, and queued again when the
/// answer is in.
#[derive(Debug)]
struct Urgent {
    index: f64,
    directory: DirectoryId,
}

impl<'a> Schedule<'a> {
    /// A schedule for URLs that were all found alive in week `now`.
    pub fn new(catalog: &'a Catalog, now: Week) -> Self {
        let visits = Visits { last: now, alarm: Alarm::default() };
        Self {
            catalog,
            urls: vec![UrlHistory { checked: now, failures: 0 }; catalog.len() as usize],
            directories: vec![visits; catalog.directories().len()],
            domains: vec![HazardEstimate::default(); catalog.domains().len()],
            all: HazardEstimate::default(),
            together: 0.0,
            now,
            due: VecDeque::new(),
            queue: BinaryHeap::new(),
        }
    }

    /// Begins a week: what is due, and what every directory is worth now.
    pub fn begin(&mut self, now: Week) {
        self.now = now;
        let is_due = |url: &UrlId| self.urls[url.index()].is_due(now);
        self.due = self.catalog.urls().filter(is_due).collect();
        self.queue.clear();
        for directory in self.catalog.directories() {
            self.directories[directory.index()].alarm = Alarm::default();
            self.enqueue(directory);
        }
    }

    /// The most urgent URL; none if nothing is left for this week. At most one
    /// URL of a directory is out at a time, known broken ones apart.
    pub fn next_url(&mut self) -> Option<UrlId> {
        if let Some(url) = self.due.pop_front() {
            return Some(url);
        }
        while let Some(Urgent { directory, .. }) = self.queue.pop() {
            if let Some(url) = self.oldest(directory) {
                return Some(url);
            }
        }
        None
    }

    /// Takes over what was known of a URL before the schedule began. Nobody
    /// can tell when it died, so nothing is learned of how fast URLs die.
    pub fn recall(&mut self, url: UrlId, watched: UrlHistory) {
        self.urls[url.index()] = watched;
    }

    /// Takes the answer of a URL.
    pub fn take(&mut self, url: UrlId, answer: UrlHealth) {
        let directory = self.catalog.directory_of(url);
        let before = self.urls[url.index()];
        let failures = match answer {
            UrlHealth::Alive => 0,
            UrlHealth::Broken => before.failures.saturating_add(1),
        };
        self.urls[url.index()] = UrlHistory { checked: self.now, failures };
        if before.failures > 0 {
            return;
        }
        self.learn(url, before, answer);
        self.directories[directory.index()].last = self.now;
        self.enqueue(directory);
    }

    /// Whether a URL is known to be broken.
    pub fn is_known_broken(&self, url: UrlId) -> bool {
        self.urls[url.index()].failures > 0
    }

    /// The share of deaths that come with a whole directory.
    pub fn together(&self) -> f64 {
        (self.together + WEIGHT * TOGETHER_AT_FIRST) / (self.all.deaths + WEIGHT)
    }

    /// Learns from a URL that was alive `before`.
    fn learn(&mut self, url: UrlId, before: UrlHistory, answer: UrlHealth) {
        let directory = self.catalog.directory_of(url);
        let domain = self.catalog.domain_of(directory);
        let weeks = f64::from(self.now.saturating_sub(before.checked));
        let alarm = &mut self.directories[directory.index()].alarm;
        let died = f64::from(u8::from(answer == UrlHealth::Broken));
        match answer {
            UrlHealth::Broken => alarm.died += 1,
            UrlHealth::Alive => alarm.lives += 1,
        }
        if answer == UrlHealth::Broken && alarm.died > 1 && alarm.is_on() {
            // The second death shows that the first was not alone either.
            self.together += if alarm.died == 2 { 2.0 } else { 1.0 };
        }
        for mortality in [&mut self.all, &mut self.domains[domain.index()]] {
            mortality.deaths += died;
            mortality.exposure += weeks;
        }
    }

    fn rate(&self, domain: DomainId) -> f64 {
        let common = self.all.rate(RATE_AT_FIRST, WEIGHT);
        self.domains[domain.index()].rate(common, WEIGHT)
    }

    fn enqueue(&mut self, directory: DirectoryId) {
        let index = self.watch(directory).index();
        if index > 0.0 {
            self.queue.push(Urgent { index, directory });
        }
    }

    fn watch(&self, directory: DirectoryId) -> DirectoryWatch {
        let age = |since: Week| f64::from(self.now.saturating_sub(since));
        let (mut alive, mut oldest) = (0, self.now);
        for url in self.catalog.urls_of(directory) {
            let UrlHistory { checked, failures } = self.urls[url.index()];
            if failures == 0 {
                (alive, oldest) = (alive + 1, oldest.min(checked));
            }
        }
        let Visits { last, alarm } = self.directories[directory.index()];
        DirectoryWatch {
            alive,
            rate: self.rate(self.catalog.domain_of(directory)),
            together: self.together(),
            age: age(last),
            oldest: age(oldest),
            alarm,
        }
    }

    /// The URL not known to be broken that waits longest, unless it was
    /// checked this week.
    fn oldest(&self, directory: DirectoryId) -> Option<UrlId> {
        let alive = self.catalog.urls_of(directory).filter(|url| !self.is_known_broken(*url));
        alive
            .min_by_key(|url| self.urls[url.index()].checked)
            .filter(|url| self.urls[url.index()].checked < self.now)
    }
}

impl PartialEq for Urgent {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Urgent {}

impl PartialOrd for Urgent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Urgent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.total_cmp(&other.index).then(other.directory.cmp(&self.directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let url = |directory, page| ("a.test", format!("http://a.test/{directory}/{page}"));
        Catalog::new((0..3).flat_map(|directory| (0..4).map(move |page| url(directory, page))))
    }

    /// The names asked for in a week, `dead` ones being broken.
    fn week(schedule: &mut Schedule<'_>, now: Week, requests: usize, dead: &str) -> Vec<String> {
        schedule.begin(now);
        let mut asked = Vec::new();
        while asked.len() < requests {
            let Some(url) = schedule.next_url() else { break };
            let name = schedule.catalog.url(url).trim_start_matches("http://a.test/").to_owned();
            let is_dead = !dead.is_empty() && name.starts_with(dead);
            schedule.take(url, if is_dead { UrlHealth::Broken } else { UrlHealth::Alive });
            asked.push(name);
        }
        asked
    }

    #[test]
    fn every_directory_has_a_sentinel_first() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        assert_eq!(week(&mut schedule, 1, 3, ""), ["0/0", "1/0", "2/0"]);
        assert_eq!(week(&mut schedule, 2, 3, ""), ["0/1", "1/1", "2/1"]);
    }

    #[test]
    fn a_death_leads_to_the_whole_directory() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let asked = week(&mut schedule, 1, 6, "1/");
        assert_eq!(asked, ["0/0", "1/0", "1/1", "1/2", "1/3", "2/0"]);
        assert!(schedule.together() > 0.5);
    }

    #[test]
    fn what_is_broken_comes_again_after_one_two_and_three_weeks() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let weeks =
            (1..=8).filter(|now| week(&mut schedule, *now, 100, "2/3").contains(&"2/3".to_owned()));
        assert_eq!(weeks.collect::<Vec<Week>>(), [1, 2, 4, 7]);
    }

    #[test]
    fn what_is_recalled_as_broken_is_due_in_its_time_and_raises_no_rate() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let rate = schedule.rate(DomainId::at(0));
        let url = catalog.urls().next().unwrap();
        schedule.recall(url, UrlHistory { checked: 0, failures: 2 });
        assert!(schedule.is_known_broken(url) && schedule.rate(DomainId::at(0)) <= rate);
        assert!(!week(&mut schedule, 1, 100, "0/0").contains(&"0/0".to_owned()));
        assert_eq!(week(&mut schedule, 2, 1, "0/0"), ["0/0"]);
    }

    #[test]
    fn nothing_is_asked_twice_in_a_week() {
        let catalog = catalog();
        let mut schedule = Schedule::new(&catalog, 0);
        let mut asked = week(&mut schedule, 1, 100, "0/");
        assert_eq!(asked.len(), 12);
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), 12);
    }
}
