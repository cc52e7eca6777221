//! A survey under way: what is asked next, and what the answers mean.
//!
//! It draws from its course as answers come in, so that a slow host holds up
//! its own URLs alone, and never has more out than a batch: who draws far
//! ahead of the answers learns nothing from them.

use std::collections::HashSet;

use jiff::Timestamp;
use relink_frontier::host_name;
use relink_model::{RequestRights, Word};
use relink_ports::{DocumentId, Moments, NewLink, NewTarget};
use relink_survey::simulate::BATCH;
use relink_survey::{Answer, DomainId, UrlId};
use url::Url;

use super::catalogue::ReadCatalogue;
use super::course::Course;
use super::index::UrlIndex;
use super::report::Standing;
use super::{answer, is_finding};
use crate::ask::{Further, Source};
use crate::observer::Standings;

/// More is drawn when this part of what was out has been answered.
const SHARE_ANSWERED: usize = 4;

/// A survey under way.
pub(super) struct Surveyor<'a> {
    pub(super) read: &'a ReadCatalogue,
    pub(super) course: Course<'a>,
    index: &'a UrlIndex<'a>,
    document: DocumentId,
    /// The position of the next link in the document.
    position: usize,
    /// What requests for the URLs may do.
    rights: RequestRights,
    /// Drawn and not answered.
    out: HashSet<UrlId>,
    /// Left unanswered by an interruption: they have their errands.
    left_over: HashSet<UrlId>,
    /// Answers since the last draw.
    news: usize,
    /// How many more may be asked.
    budget: Option<u32>,
    /// URLs bad now and not yet confirmed, by domain.
    failing: Vec<u32>,
}

impl<'a> Surveyor<'a> {
    pub(super) fn new(
        read: &'a ReadCatalogue,
        index: &'a UrlIndex<'a>,
        course: Course<'a>,
        budget: Option<u32>,
    ) -> Self {
        Self {
            read,
            course,
            index,
            document: DocumentId(0),
            position: 0,
            rights: RequestRights::discovered(),
            out: HashSet::new(),
            left_over: HashSet::new(),
            news: 0,
            budget,
            failing: vec![0; read.catalogue.domains().len()],
        }
    }

    /// Sets where links are stored, and what requests for them may do.
    pub(super) fn stores_in(
        &mut self,
        document: DocumentId,
        position: usize,
        rights: RequestRights,
    ) {
        (self.document, self.position, self.rights) = (document, position, rights);
    }

    /// A target that was settled before an interruption.
    pub(super) fn recall(&mut self, url: &str, word: Word) {
        if let Some(url) = self.index.find(url) {
            self.note_failing(url, word);
            self.course.remember(url, answer(word));
        }
    }

    /// A target that an interruption left unanswered.
    pub(super) fn recall_unanswered(&mut self, url: &str) {
        let url = self.index.find(url);
        let is_unanswered = |url: &UrlId| self.course.ledger().answer(*url).is_none();
        self.left_over.extend(url.filter(is_unanswered));
    }

    /// Whether the course would ask more, had it not come to the end of its
    /// budget. Nothing may be asked after that.
    pub(super) fn is_cut_short(&mut self) -> bool {
        self.budget == Some(0) && !self.course.next_batch(1).is_empty()
    }

    /// How many URLs of a domain are bad now and not yet confirmed.
    pub(super) fn failing(&self, domain: DomainId) -> u32 {
        self.failing[domain.index()]
    }

    /// What is made of a domain so far.
    pub(super) fn standing(&self, domain: DomainId) -> Standing {
        let tally = self.course.ledger().domain(domain);
        if tally.checked == 0 {
            return Standing::Unseen;
        }
        // Of the catalogue, not of the sample: that goes where most is broken.
        if 2 * tally.broken > self.read.catalogue.domain_size(domain) {
            return Standing::Broken;
        }
        let is_suspicious =
            || self.course.is_open(domain) || self.has_broken_directory_in_full(domain);
        if tally.broken > 0 && is_suspicious() {
            return Standing::Suspicious;
        }
        Standing::Accepted
    }

    /// Whether what was found in a directory of the domain led to all of it.
    fn has_broken_directory_in_full(&self, domain: DomainId) -> bool {
        let (catalogue, ledger) = (&self.read.catalogue, self.course.ledger());
        catalogue.directories_of(domain).any(|directory| {
            let tally = ledger.directory(directory);
            tally.broken > 0 && tally.checked == catalogue.directory_size(directory)
        })
    }

    fn note_failing(&mut self, url: UrlId, word: Word) {
        let catalogue = &self.read.catalogue;
        let domain = catalogue.domain_of(catalogue.directory_of(url));
        let is_failing = answer(word) == Answer::Broken && !is_finding(word);
        self.failing[domain.index()] += u32::from(is_failing);
    }

    /// How many may be drawn now.
    fn room(&self) -> usize {
        let budget = self.budget.map_or(usize::MAX, |budget| budget as usize);
        BATCH.saturating_sub(self.out.len()).min(budget)
    }

    fn draw(&mut self) -> Vec<UrlId> {
        let batch = self.course.next_batch(self.room());
        self.out.extend(batch.iter().copied());
        let drawn = u32::try_from(batch.len()).unwrap_or(u32::MAX);
        self.budget = self.budget.map(|budget| budget.saturating_sub(drawn));
        batch
    }

    fn link(&self, url: UrlId) -> Option<NewLink> {
        let text = self.read.catalogue.url(url);
        let host = host_name(&Url::parse(text).ok()?);
        let target = NewTarget::Web { url: text.to_owned(), host, rights: self.rights };
        let (place, given) = (self.read.place(url), text.to_owned());
        Some(NewLink { place, given, target, fragment: None, hidden: Vec::new() })
    }
}

impl Source for Surveyor<'_> {
    fn further(&mut self, now: Timestamp) -> Option<Further> {
        self.news = 0;
        loop {
            let batch = self.draw();
            if batch.is_empty() {
                return None;
            }
            let new: Vec<UrlId> =
                batch.into_iter().filter(|url| !self.left_over.remove(url)).collect();
            let links: Vec<NewLink> = new.into_iter().filter_map(|url| self.link(url)).collect();
            if links.is_empty() {
                // All of them are being asked already.
                continue;
            }
            let first = self.position;
            self.position += links.len();
            // A sample of what is remembered would be no random one.
            let moments = Moments { now, fresh_since: Timestamp::MAX };
            return Some(Further::Links { document: self.document, first, links, moments });
        }
    }

    fn wants_more(&self) -> bool {
        self.news > 0 && self.news >= self.out.len() / SHARE_ANSWERED && self.room() > 0
    }

    fn take(&mut self, url: &str, word: Word) {
        let Some(url) = self.index.find(url) else { return };
        self.out.remove(&url);
        self.left_over.remove(&url);
        self.news += 1;
        self.note_failing(url, word);
        self.course.take(url, answer(word));
    }

    fn standings(&self) -> Option<Standings> {
        let mut standings = Standings::default();
        for domain in self.read.catalogue.domains() {
            *match self.standing(domain) {
                Standing::Accepted => &mut standings.accepted,
                Standing::Suspicious => &mut standings.suspicious,
                Standing::Broken => &mut standings.broken,
                Standing::Unseen => &mut standings.unseen,
            } += 1;
        }
        Some(standings)
    }
}
