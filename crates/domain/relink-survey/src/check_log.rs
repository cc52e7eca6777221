//! The checks of a run: URLs in flight and results.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};

/// The result of checking a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlHealth {
    /// The page is alive, or blocked. The content of a blocked page is unknown, so it does not
    /// count as dead.
    Alive,
    /// The page is dead.
    Broken,
}

/// Number of checked and broken URLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// Number of checked URLs.
    pub checked: u32,
    /// Number of broken URLs among them.
    pub broken: u32,
}

impl CheckCounts {
    /// Returns the share of broken URLs; 0 if none were checked.
    pub fn rate(self) -> f64 {
        f64::from(self.broken) / f64::from(self.checked.max(1))
    }

    pub(crate) fn add(&mut self, health: UrlHealth) {
        self.checked += 1;
        self.broken += u32::from(health == UrlHealth::Broken);
    }
}

/// The state of a URL in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlState {
    Unchecked,
    InFlight,
    Checked(UrlHealth),
}

/// The results of a run with counts per directory and domain.
#[derive(Debug)]
pub struct CheckLog<'a> {
    catalog: &'a Catalog,
    states: Vec<UrlState>,
    directories: Vec<CheckCounts>,
    domains: Vec<CheckCounts>,
    total: CheckCounts,
    in_flight: u32,
}

impl<'a> CheckLog<'a> {
    /// Returns an empty log.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self {
            catalog,
            states: vec![UrlState::Unchecked; catalog.len() as usize],
            directories: vec![CheckCounts::default(); catalog.directories().len()],
            domains: vec![CheckCounts::default(); catalog.domains().len()],
            total: CheckCounts::default(),
            in_flight: 0,
        }
    }

    /// Returns the catalog.
    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// Records that a check starts. Returns false if the URL is already in flight or checked.
    pub fn start(&mut self, url: UrlId) -> bool {
        let state = &mut self.states[url.index()];
        let is_new = *state == UrlState::Unchecked;
        if is_new {
            *state = UrlState::InFlight;
            self.in_flight += 1;
        }
        is_new
    }

    /// Records a result. Returns false if the URL has a result, which does not change.
    pub fn record(&mut self, url: UrlId, health: UrlHealth) -> bool {
        let state = &mut self.states[url.index()];
        if matches!(state, UrlState::Checked(_)) {
            return false;
        }
        self.in_flight -= u32::from(*state == UrlState::InFlight);
        *state = UrlState::Checked(health);
        let directory = self.catalog.directory_of(url);
        self.directories[directory.index()].add(health);
        self.domains[self.catalog.domain_of(directory).index()].add(health);
        self.total.add(health);
        true
    }

    /// Whether the check of a URL has started and has no result yet.
    pub fn is_in_flight(&self, url: UrlId) -> bool {
        self.states[url.index()] == UrlState::InFlight
    }

    /// Whether a URL is neither in flight nor checked.
    pub fn is_unchecked(&self, url: UrlId) -> bool {
        self.states[url.index()] == UrlState::Unchecked
    }

    /// Returns the result of a URL, if it was checked.
    pub fn health(&self, url: UrlId) -> Option<UrlHealth> {
        match self.states[url.index()] {
            UrlState::Checked(health) => Some(health),
            UrlState::Unchecked | UrlState::InFlight => None,
        }
    }

    /// Returns the URLs found broken.
    pub fn broken(&self) -> impl Iterator<Item = UrlId> {
        self.catalog.urls().filter(|url| self.health(*url) == Some(UrlHealth::Broken))
    }

    /// Returns the counts of a directory.
    pub fn directory(&self, directory: DirectoryId) -> CheckCounts {
        self.directories[directory.index()]
    }

    /// Returns the counts of a domain.
    pub fn domain(&self, domain: DomainId) -> CheckCounts {
        self.domains[domain.index()]
    }

    /// Returns the counts of all URLs.
    pub fn total(&self) -> CheckCounts {
        self.total
    }

    /// Returns the number of checks in flight.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Returns the number of URLs without a result.
    pub fn remaining(&self) -> u32 {
        self.catalog.len() - self.total.checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_is_counted_once() {
        let catalog = Catalog::new([("a", "a/1"), ("a", "a/2"), ("b", "b/1")]);
        let mut log = CheckLog::new(&catalog);
        let url = catalog.urls().next().unwrap();
        assert!(log.start(url) && !log.start(url) && !log.is_unchecked(url));
        assert!(log.record(url, UrlHealth::Broken));
        assert!(!log.record(url, UrlHealth::Alive));
        let one = CheckCounts { checked: 1, broken: 1 };
        assert_eq!(log.total(), one);
        assert_eq!(log.directory(catalog.directory_of(url)), one);
        assert_eq!(log.domain(catalog.domains().next().unwrap()), one);
        assert_eq!((log.remaining(), log.health(url)), (2, Some(UrlHealth::Broken)));
    }
}
