//! What is known in a run: which URLs were asked, and what was found.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};

/// What checking a URL came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlHealth {
    /// The page is there. What cannot be told (a wall, a login) counts as
    /// this: blocked is never counted as dead.
    Alive,
    /// The page is dead.
    Broken,
}

/// How many were checked, and how many of them are broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// How many were checked.
    pub checked: u32,
    /// How many of them are broken.
    pub broken: u32,
}

impl CheckCounts {
    /// The broken ones as a share of the checked; 0 if none were.
    pub fn rate(self) -> f64 {
        f64::from(self.broken) / f64::from(self.checked.max(1))
    }

    pub(crate) fn join(&mut self, other: Self) {
        (self.checked, self.broken) = (self.checked + other.checked, self.broken + other.broken);
    }

    pub(crate) fn add(&mut self, answer: UrlHealth) {
        self.checked += 1;
        self.broken += u32::from(answer == UrlHealth::Broken);
    }
}

/// Where a URL stands in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlState {
    Unasked,
    Asked,
    Answered(UrlHealth),
}

/// The answers of a run, with their sums.
#[derive(Debug)]
pub struct CheckLog<'a> {
    catalog: &'a Catalog,
    standings: Vec<UrlState>,
    directories: Vec<CheckCounts>,
    domains: Vec<CheckCounts>,
    total: CheckCounts,
    owed: u32,
}

impl<'a> CheckLog<'a> {
    /// An empty ledger.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self {
            catalog,
            standings: vec![UrlState::Unasked; catalog.len() as usize],
            directories: vec![CheckCounts::default(); catalog.directories().len()],
            domains: vec![CheckCounts::default(); catalog.domains().len()],
            total: CheckCounts::default(),
            owed: 0,
        }
    }

    /// The catalog it is about.
    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// Notes that a URL is being asked; false if it was before.
    pub fn ask(&mut self, url: UrlId) -> bool {
        let standing = &mut self.standings[url.index()];
        let is_new = *standing == UrlState::Unasked;
        if is_new {
            *standing = UrlState::Asked;
            self.owed += 1;
        }
        is_new
    }

    /// Notes an answer; false if there was one, which then stays.
    pub fn note(&mut self, url: UrlId, answer: UrlHealth) -> bool {
        let standing = &mut self.standings[url.index()];
        if matches!(standing, UrlState::Answered(_)) {
            return false;
        }
        self.owed -= u32::from(*standing == UrlState::Asked);
        *standing = UrlState::Answered(answer);
        let directory = self.catalog.directory_of(url);
        self.directories[directory.index()].add(answer);
        self.domains[self.catalog.domain_of(directory).index()].add(answer);
        self.total.add(answer);
        true
    }

    /// Whether a URL has neither been asked nor answered.
    pub fn is_unasked(&self, url: UrlId) -> bool {
        self.standings[url.index()] == UrlState::Unasked
    }

    /// What a URL answered.
    pub fn answer(&self, url: UrlId) -> Option<UrlHealth> {
        match self.standings[url.index()] {
            UrlState::Answered(answer) => Some(answer),
            UrlState::Unasked | UrlState::Asked => None,
        }
    }

    /// The URLs found broken.
    pub fn broken(&self) -> impl Iterator<Item = UrlId> {
        self.catalog.urls().filter(|url| self.answer(*url) == Some(UrlHealth::Broken))
    }

    /// The sums of a directory.
    pub fn directory(&self, directory: DirectoryId) -> CheckCounts {
        self.directories[directory.index()]
    }

    /// The sums of a domain.
    pub fn domain(&self, domain: DomainId) -> CheckCounts {
        self.domains[domain.index()]
    }

    /// The sums of all.
    pub fn total(&self) -> CheckCounts {
        self.total
    }

    /// How many answers are owed.
    pub fn in_flight(&self) -> u32 {
        self.owed
    }

    /// How many URLs have no answer.
    pub fn unchecked(&self) -> u32 {
        self.catalog.len() - self.total.checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_in_every_sum() {
        let catalog = Catalog::new([("a", "a/1"), ("a", "a/2"), ("b", "b/1")]);
        let mut ledger = CheckLog::new(&catalog);
        let url = catalog.urls().next().unwrap();
        assert!(ledger.ask(url) && !ledger.ask(url) && !ledger.is_unasked(url));
        assert!(ledger.note(url, UrlHealth::Broken));
        assert!(!ledger.note(url, UrlHealth::Alive));
        let one = CheckCounts { checked: 1, broken: 1 };
        assert_eq!(ledger.total(), one);
        assert_eq!(ledger.directory(catalog.directory_of(url)), one);
        assert_eq!(ledger.domain(catalog.domains().next().unwrap()), one);
        assert_eq!((ledger.unchecked(), ledger.answer(url)), (2, Some(UrlHealth::Broken)));
    }
}
