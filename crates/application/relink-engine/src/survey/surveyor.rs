//! A survey under way: what is asked next, and what the answers mean.
//!
//! The plan gets the answers in the order in which it drew the URLs, and draws
//! again after fixed numbers of answers. So the same seed asks the same URLs,
//! however long each host takes, and an interrupted survey continues by running
//! its plan again over the stored answers.
//!
//! Two kinds of URLs are deferred: the plan continues without their answer and
//! gets it once it has nothing else to draw. A page that waits for its neighbors
//! is one, a URL that holds up all others is the other. Which URLs were deferred
//! is stored with the run.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::host_key;
use relink_model::{RequestRights, Verdict};
use relink_ports::{CacheWindow, DocumentId, NewLink, NewTarget};
use relink_survey::simulate::BATCH;
use relink_survey::{DomainId, UrlHealth, UrlId};
use tokio::time::Instant;
use url::Url;

use super::catalog::LoadedCatalog;
use super::course::UrlSelector;
use super::index::UrlIndex;
use super::report::DomainStatus;
use super::{answer, is_finding};
use crate::dispatch::{NewTasks, TaskSource};
use crate::observer::DomainCounts;

/// More is drawn when this part of what was out has been answered.
const SHARE_ANSWERED: usize = 4;
/// How long all answers may be missing before the plan continues without them.
/// Retries take less.
const STALL: Duration = Duration::from_secs(5);
/// Slow URLs that the plan continues without, at most: without answers it draws
/// at random.
const MAX_DEFERRED: usize = BATCH / 5;

/// A survey under way.
pub(super) struct SurveyRun<'a> {
    pub(super) read: &'a LoadedCatalog,
    pub(super) course: UrlSelector<'a>,
    index: &'a UrlIndex<'a>,
    document: DocumentId,
    /// The position of the next link in the document.
    position: usize,
    /// What requests for the URLs may do.
    rights: RequestRights,
    /// Drawn, and its answer not yet given to the plan, in the order drawn.
    window: VecDeque<UrlId>,
    /// Answers that were not yet given to the plan.
    arrived: HashMap<UrlId, Verdict>,
    /// Drawn and not yet asked.
    unissued: VecDeque<UrlId>,
    /// Have their tasks from before an interruption, and no answer.
    left_over: HashSet<UrlId>,
    /// URLs whose answer the plan gets out of turn.
    deferrable: HashSet<UrlId>,
    /// Those of them that wait for that, in the order drawn.
    deferred: Vec<UrlId>,
    /// Whether `deferrable` has grown since it was last stored.
    is_unsaved: bool,
    /// Answers given to the plan since the last draw.
    news: usize,
    /// Whether the plan had nothing to draw, and got no answer since.
    is_exhausted: bool,
    /// When the last answer came.
    last_arrival: Instant,
    /// How many more may be asked.
    budget: Option<u32>,
    /// URLs bad now and not yet confirmed, by domain.
    failing: Vec<u32>,
}

impl<'a> SurveyRun<'a> {
    pub(super) fn new(
        read: &'a LoadedCatalog,
        index: &'a UrlIndex<'a>,
        course: UrlSelector<'a>,
        budget: Option<u32>,
    ) -> Self {
        Self {
            read,
            course,
            index,
            document: DocumentId(0),
            position: 0,
            rights: RequestRights::discovered(),
            window: VecDeque::new(),
            arrived: HashMap::new(),
            unissued: VecDeque::new(),
            left_over: HashSet::new(),
            deferrable: HashSet::new(),
            deferred: Vec::new(),
            is_unsaved: false,
            news: 0,
            is_exhausted: false,
            last_arrival: Instant::now(),
            budget,
            failing: vec![0; read.catalog.domains().len()],
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
    pub(super) fn recall(&mut self, url: &str, word: Verdict) {
        self.arrived.extend(self.index.find(url).map(|url| (url, word)));
    }

    /// A target that an interruption left unanswered.
    pub(super) fn recall_unanswered(&mut self, url: &str) {
        let url = self.index.find(url);
        self.left_over.extend(url.filter(|url| !self.arrived.contains_key(url)));
    }

    /// A target that was deferred before an interruption.
    pub(super) fn recall_deferred(&mut self, url: &str) {
        self.deferrable.extend(self.index.find(url));
    }

    /// Runs the plan over the answers from before an interruption. Answers to
    /// URLs that it does not draw again belong to a catalog that has changed.
    pub(super) fn replay(&mut self) {
        self.advance();
        let drawn: HashSet<UrlId> = self.window.iter().chain(&self.deferred).copied().collect();
        let mut others: Vec<UrlId> =
            self.arrived.keys().copied().filter(|url| !drawn.contains(url)).collect();
        others.sort_unstable();
        for url in others {
            self.deliver(url);
        }
    }

    /// Gives the plan every answer there is, whatever the order. Nothing may be
    /// drawn after that.
    pub(super) fn finish(&mut self) {
        let mut arrived: Vec<UrlId> = self.arrived.keys().copied().collect();
        arrived.sort_unstable();
        for url in arrived {
            self.deliver(url);
        }
    }

    /// Whether the course would ask more, had it not come to the end of its
    /// budget. Nothing may be asked after that.
    pub(super) fn is_cut_short(&mut self) -> bool {
        let is_unanswered = |url: &UrlId| self.course.ledger().answer(*url).is_none();
        self.budget == Some(0)
            && (self.unissued.iter().any(is_unanswered) || !self.course.next_batch(1).is_empty())
    }

    /// Gives the plan the answers whose turn it is, and draws as they allow.
    fn advance(&mut self) {
        loop {
            while let Some(url) = self.window.front().copied() {
                if self.deferrable.contains(&url) {
                    self.deferred.push(url);
                } else if !self.deliver(url) {
                    return;
                }
                self.window.pop_front();
                if self.news > 0 && self.news >= self.window.len() / SHARE_ANSWERED {
                    self.draw();
                }
            }
            if !self.is_exhausted && self.draw() {
                continue;
            }
            let is_answered = |url: &UrlId| self.arrived.contains_key(url);
            if self.deferred.is_empty() || !self.deferred.iter().all(is_answered) {
                return;
            }
            for url in std::mem::take(&mut self.deferred) {
                self.deliver(url);
            }
        }
    }

    /// Gives the plan the answer of a URL, if it came.
    fn deliver(&mut self, url: UrlId) -> bool {
        let Some(word) = self.arrived.remove(&url) else { return false };
        self.note_failing(url, word);
        self.course.take(url, answer(word));
        self.news += 1;
        self.is_exhausted = false;
        true
    }

    fn draw(&mut self) -> bool {
        self.news = 0;
        let room = BATCH.saturating_sub(self.window.len());
        let batch = self.course.next_batch(room);
        self.is_exhausted = batch.is_empty() && room > 0;
        self.window.extend(&batch);
        self.unissued.extend(&batch);
        !batch.is_empty()
    }

    /// Whether the answers of all URLs in flight have been missing for long.
    fn is_stalled(&self) -> bool {
        let has_room = self.deferred.len() < MAX_DEFERRED;
        has_room && !self.window.is_empty() && self.last_arrival.elapsed() >= STALL
    }

    /// Continues without the answers that hold up all others.
    fn defer_slow(&mut self) {
        let slow = self.window.iter().filter(|url| !self.arrived.contains_key(url));
        let slow: Vec<UrlId> = slow.copied().take(MAX_DEFERRED - self.deferred.len()).collect();
        self.is_unsaved |= !slow.is_empty();
        self.deferrable.extend(slow);
        self.last_arrival = Instant::now();
    }

    fn is_answered(&self, url: UrlId) -> bool {
        self.arrived.contains_key(&url) || self.course.ledger().answer(url).is_some()
    }

    /// The drawn URLs that have no task yet, as far as the budget allows.
    fn issue(&mut self) -> Vec<NewLink> {
        let mut links = Vec::new();
        while let Some(url) = self.unissued.front().copied() {
            if !self.is_answered(url) {
                let has_task = self.left_over.remove(&url);
                if !has_task && self.budget == Some(0) {
                    break;
                }
                self.budget = self.budget.map(|budget| budget.saturating_sub(1));
                links.extend(self.link(url).filter(|_| !has_task));
            }
            self.unissued.pop_front();
        }
        links
    }

    /// How many URLs of a domain are bad now and not yet confirmed.
    pub(super) fn failing(&self, domain: DomainId) -> u32 {
        self.failing[domain.index()]
    }

    /// What is made of a domain so far.
    pub(super) fn standing(&self, domain: DomainId) -> DomainStatus {
        let tally = self.course.ledger().domain(domain);
        if tally.checked == 0 {
            return DomainStatus::Unseen;
        }
        // Of the catalog, not of the sample: that goes where most is broken.
        if 2 * tally.broken > self.read.catalog.domain_size(domain) {
            return DomainStatus::Broken;
        }
        let is_suspicious =
            || self.course.is_open(domain) || self.has_broken_directory_in_full(domain);
        if tally.broken > 0 && is_suspicious() {
            return DomainStatus::Suspicious;
        }
        DomainStatus::Accepted
    }

    /// Whether what was found in a directory of the domain led to all of it.
    fn has_broken_directory_in_full(&self, domain: DomainId) -> bool {
        let (catalog, ledger) = (&self.read.catalog, self.course.ledger());
        catalog.directories_of(domain).any(|directory| {
            let tally = ledger.directory(directory);
            tally.broken > 0 && tally.checked == catalog.directory_size(directory)
        })
    }

    fn note_failing(&mut self, url: UrlId, word: Verdict) {
        let catalog = &self.read.catalog;
        let domain = catalog.domain_of(catalog.directory_of(url));
        let is_failing = answer(word) == UrlHealth::Broken && !is_finding(word);
        self.failing[domain.index()] += u32::from(is_failing);
    }

    fn link(&self, url: UrlId) -> Option<NewLink> {
        let text = self.read.catalog.url(url);
        let host = host_key(&Url::parse(text).ok()?);
        let target = NewTarget::Web { url: text.to_owned(), host, rights: self.rights };
        let (place, given) = (self.read.place(url), text.to_owned());
        Some(NewLink {
            location: place,
            original_url: given,
            target,
            fragment: None,
            ignored_codes: Vec::new(),
        })
    }
}

impl TaskSource for SurveyRun<'_> {
    fn next_tasks(&mut self, now: Timestamp) -> Option<NewTasks> {
        if self.unissued.is_empty() && self.is_stalled() {
            self.defer_slow();
        }
        self.advance();
        let links = self.issue();
        if links.is_empty() {
            return None;
        }
        self.last_arrival = Instant::now();
        let first = self.position;
        self.position += links.len();
        // A sample of what is remembered would be no random one.
        let moments = CacheWindow { now, fresh_since: Timestamp::MAX };
        Some(NewTasks::Links { document: self.document, first, links, cache_window: moments })
    }

    fn wants_more(&self) -> bool {
        let can_issue = !self.unissued.is_empty() && self.budget != Some(0);
        can_issue || self.is_stalled()
    }

    fn take(&mut self, url: &str, word: Verdict) {
        let Some(url) = self.index.find(url) else { return };
        self.left_over.remove(&url);
        self.arrived.insert(url, word);
        self.last_arrival = Instant::now();
        self.advance();
    }

    fn hold(&mut self, url: &str) {
        let Some(url) = self.index.find(url) else { return };
        self.is_unsaved |= self.deferrable.insert(url);
        self.last_arrival = Instant::now();
        self.advance();
    }

    fn checkpoint(&mut self) -> Option<(&'static str, String)> {
        if !std::mem::take(&mut self.is_unsaved) {
            return None;
        }
        let urls = self.deferrable.iter().map(|url| self.read.catalog.url(*url));
        Some((super::DEFERRED, urls.collect::<Vec<_>>().join("\n")))
    }

    fn standings(&self) -> Option<DomainCounts> {
        let mut standings = DomainCounts::default();
        for domain in self.read.catalog.domains() {
            *match self.standing(domain) {
                DomainStatus::Accepted => &mut standings.accepted,
                DomainStatus::Suspicious => &mut standings.suspicious,
                DomainStatus::Broken => &mut standings.broken,
                DomainStatus::Unseen => &mut standings.unseen,
            } += 1;
        }
        Some(standings)
    }
}
