//! What is known in a run: which URLs were asked, and what was found.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalogue::{Catalogue, DirectoryId, DomainId, UrlId};

/// What checking a URL came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The page is there. What cannot be told (a wall, a login) counts as
    /// this: blocked is never counted as dead.
    Alive,
    /// The page is dead.
    Broken,
}

/// How many were checked, and how many of them are broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were checked.
    pub checked: u32,
    /// How many of them are broken.
    pub broken: u32,
}

impl Tally {
    /// The broken ones as a share of the checked; 0 if none were.
    pub fn rate(self) -> f64 {
        f64::from(self.broken) / f64::from(self.checked.max(1))
    }

    pub(crate) fn join(&mut self, other: Self) {
        (self.checked, self.broken) = (self.checked + other.checked, self.broken + other.broken);
    }

    pub(crate) fn add(&mut self, answer: Answer) {
        self.checked += 1;
        self.broken += u32::from(answer == Answer::Broken);
    }
}

/// Where a URL stands in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Unasked,
    Asked,
    Answered(Answer),
}

/// The answers of a run, with their sums.
#[derive(Debug)]
pub struct Ledger<'a> {
    catalogue: &'a Catalogue,
    standings: Vec<Standing>,
    directories: Vec<Tally>,
    domains: Vec<Tally>,
    total: Tally,
    owed: u32,
}

impl<'a> Ledger<'a> {
    /// An empty ledger.
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self {
            catalogue,
            standings: vec![Standing::Unasked; catalogue.len() as usize],
            directories: vec![Tally::default(); catalogue.directories().len()],
            domains: vec![Tally::default(); catalogue.domains().len()],
            total: Tally::default(),
            owed: 0,
        }
    }

    /// The catalogue it is about.
    pub fn catalogue(&self) -> &'a Catalogue {
        self.catalogue
    }

    /// Notes that a URL is being asked; false if it was before.
    pub fn ask(&mut self, url: UrlId) -> bool {
        let standing = &mut self.standings[url.index()];
        let is_new = *standing == Standing::Unasked;
        if is_new {
            *standing = Standing::Asked;
            self.owed += 1;
        }
        is_new
    }

    /// Notes an answer; false if there was one, which then stays.
    pub fn note(&mut self, url: UrlId, answer: Answer) -> bool {
        let standing = &mut self.standings[url.index()];
        if matches!(standing, Standing::Answered(_)) {
            return false;
        }
        self.owed -= u32::from(*standing == Standing::Asked);
        *standing = Standing::Answered(answer);
        let directory = self.catalogue.directory_of(url);
        self.directories[directory.index()].add(answer);
        self.domains[self.catalogue.domain_of(directory).index()].add(answer);
        self.total.add(answer);
        true
    }

    /// Whether a URL has neither been asked nor answered.
    pub fn is_unasked(&self, url: UrlId) -> bool {
        self.standings[url.index()] == Standing::Unasked
    }

    /// What a URL answered.
    pub fn answer(&self, url: UrlId) -> Option<Answer> {
        match self.standings[url.index()] {
            Standing::Answered(answer) => Some(answer),
            Standing::Unasked | Standing::Asked => None,
        }
    }

    /// The URLs found broken.
    pub fn broken(&self) -> impl Iterator<Item = UrlId> {
        self.catalogue.urls().filter(|url| self.answer(*url) == Some(Answer::Broken))
    }

    /// The sums of a directory.
    pub fn directory(&self, directory: DirectoryId) -> Tally {
        self.directories[directory.index()]
    }

    /// The sums of a domain.
    pub fn domain(&self, domain: DomainId) -> Tally {
        self.domains[domain.index()]
    }

    /// The sums of all.
    pub fn total(&self) -> Tally {
        self.total
    }

    /// How many answers are owed.
    pub fn owed(&self) -> u32 {
        self.owed
    }

    /// How many URLs have no answer.
    pub fn unchecked(&self) -> u32 {
        self.catalogue.len() - self.total.checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_in_every_sum() {
        let catalogue = Catalogue::new([("a", "a/1"), ("a", "a/2"), ("b", "b/1")]);
        let mut ledger = Ledger::new(&catalogue);
        let url = catalogue.urls().next().unwrap();
        assert!(ledger.ask(url) && !ledger.ask(url) && !ledger.is_unasked(url));
        assert!(ledger.note(url, Answer::Broken));
        assert!(!ledger.note(url, Answer::Alive));
        let one = Tally { checked: 1, broken: 1 };
        assert_eq!(ledger.total(), one);
        assert_eq!(ledger.directory(catalogue.directory_of(url)), one);
        assert_eq!(ledger.domain(catalogue.domains().next().unwrap()), one);
        assert_eq!((ledger.unchecked(), ledger.answer(url)), (2, Some(Answer::Broken)));
    }
}
