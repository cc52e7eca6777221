//! A running survey: selects URLs and passes results to the plan.
//!
//! The *plan* is the sampling plan, or the schedule of a re-check. It *draws* URLs in
//! batches. The drawn URLs whose results the plan has not received yet are the *window*.
//!
//! The plan receives results in the order in which it drew the URLs, and draws
//! again after fixed numbers of results. So the same seed selects the same
//! URLs, regardless of response times, and a resumed survey replays its plan
//! over the stored results.
//!
//! Two kinds of URLs are *deferred*: the plan continues without their results, and
//! receives these when it has nothing else to draw. The two kinds are pages that wait for
//! other pages of their directory, and slow URLs that block all others. The deferred URLs
//! are stored with the run.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::host_key;
use relink_model::{RequestRights, Verdict};
use relink_ports::{CacheWindow, DocumentId, NewLink, NewTarget};
use relink_survey::simulate::BATCH_SIZE;
use relink_survey::{DomainId, UrlHealth, UrlId};
use tokio::time::Instant;
use url::Url;

use super::catalog::LoadedCatalog;
use super::index::UrlIndex;
use super::report::DomainStatus;
use super::url_selector::UrlSelector;
use super::{is_finding, url_health};
use crate::dispatch::{Job, NamedCheckpoint, NewTasks};
use crate::observer::{DomainCounts, SurveyForecast};

/// More URLs are drawn after a quarter of the window has results.
const DRAW_DIVISOR: usize = 4;
/// Time without any result after which slow URLs are deferred. Retries take less.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of slow URLs that are deferred. If too many results were missing, the
/// plan would draw without knowledge.
const MAX_DEFERRED: usize = BATCH_SIZE / 5;

/// A running survey.
pub(super) struct SurveyRun<'a> {
    pub(super) loaded: &'a LoadedCatalog,
    pub(super) selector: UrlSelector<'a>,
    index: &'a UrlIndex<'a>,
    document: DocumentId,
    /// Position of the next link in the document.
    position: usize,
    /// Permissions of the requests.
    rights: RequestRights,
    /// Drawn URLs whose results were not passed to the plan yet, in the order of the draws.
    window: VecDeque<UrlId>,
    /// Results that were not passed to the plan yet.
    results: HashMap<UrlId, Verdict>,
    /// Drawn URLs without a task.
    unsent: VecDeque<UrlId>,
    /// URLs with a task from before an interruption, but no result.
    pending_tasks: HashSet<UrlId>,
    /// URLs whose results the plan receives out of order, drawn or not.
    deferrable: HashSet<UrlId>,
    /// The URLs of `deferrable` that were drawn, in the order of the draws.
    deferred: Vec<UrlId>,
    /// Whether `deferrable` has grown since it was last stored.
    is_unsaved: bool,
    /// Number of results passed to the plan since the last draw.
    results_since_draw: usize,
    /// Whether the plan has had nothing to draw since its last result.
    is_exhausted: bool,
    /// Time of the last result.
    last_result_at: Instant,
    /// Number of URLs that may still be fetched; `None` without a limit.
    budget: Option<u32>,
    /// Number of failing URLs by domain.
    failing: Vec<u32>,
    /// Share of the broken URLs whose cost is forecast, in percent.
    forecast_recall: f64,
    /// The forecast, from when the plan knows enough.
    pub(super) forecast: Option<SurveyForecast>,
    /// Whether the forecast was not reported yet.
    is_forecast_new: bool,
}

impl<'a> SurveyRun<'a> {
    /// Creates a survey run without results.
    pub(super) fn new(
        loaded: &'a LoadedCatalog,
        index: &'a UrlIndex<'a>,
        selector: UrlSelector<'a>,
        budget: Option<u32>,
        forecast_recall: f64,
    ) -> Self {
        Self {
            loaded,
            selector,
            index,
            document: DocumentId(0),
            position: 0,
            rights: RequestRights::discovered(),
            window: VecDeque::new(),
            results: HashMap::new(),
            unsent: VecDeque::new(),
            pending_tasks: HashSet::new(),
            deferrable: HashSet::new(),
            deferred: Vec::new(),
            is_unsaved: false,
            results_since_draw: 0,
            is_exhausted: false,
            last_result_at: Instant::now(),
            budget,
            failing: vec![0; loaded.catalog.domains().len()],
            forecast_recall,
            forecast: None,
            is_forecast_new: false,
        }
    }

    /// Sets the document of the links, and the permissions of requests.
    pub(super) fn set_document(
        &mut self,
        document: DocumentId,
        position: usize,
        rights: RequestRights,
    ) {
        (self.document, self.position, self.rights) = (document, position, rights);
    }

    /// Restores the result of a target from before an interruption.
    pub(super) fn restore_result(&mut self, url: &str, verdict: Verdict) {
        self.results.extend(self.index.find(url).map(|url| (url, verdict)));
    }

    /// Restores a target without a result from before an interruption.
    pub(super) fn restore_pending_task(&mut self, url: &str) {
        let url = self.index.find(url);
        self.pending_tasks.extend(url.filter(|url| !self.results.contains_key(url)));
    }

    /// Restores a target that was deferred before an interruption.
    pub(super) fn restore_deferred(&mut self, url: &str) {
        self.deferrable.extend(self.index.find(url));
    }

    /// Replays the plan over the results from before an interruption. Also passes results
    /// of URLs to the plan that it does not draw again, because the catalog has changed.
    pub(super) fn replay(&mut self) {
        self.advance();
        let drawn: HashSet<UrlId> = self.window.iter().chain(&self.deferred).copied().collect();
        let mut undrawn: Vec<UrlId> =
            self.results.keys().copied().filter(|url| !drawn.contains(url)).collect();
        undrawn.sort_unstable();
        for url in undrawn {
            self.record_result(url);
        }
    }

    /// Passes all remaining results to the plan in any order. Nothing may be
    /// drawn afterwards.
    pub(super) fn finish(&mut self) {
        let mut results: Vec<UrlId> = self.results.keys().copied().collect();
        results.sort_unstable();
        for url in results {
            self.record_result(url);
        }
    }

    /// Whether the budget is used up before the selector has finished. Nothing
    /// may be fetched afterwards.
    pub(super) fn is_budget_spent(&mut self) -> bool {
        let has_no_result = |url: &UrlId| self.selector.check_log().health(*url).is_none();
        self.budget == Some(0)
            && (self.unsent.iter().any(has_no_result) || !self.selector.next_batch(1).is_empty())
    }

    /// Passes results to the plan in order, and draws more URLs.
    fn advance(&mut self) {
        loop {
            while let Some(url) = self.window.front().copied() {
                if self.deferrable.contains(&url) {
                    self.deferred.push(url);
                } else if !self.record_result(url) {
                    // Wait for this result: later ones must not overtake it.
                    return;
                }
                self.window.pop_front();
                if self.results_since_draw > 0
                    && self.results_since_draw >= self.window.len() / DRAW_DIVISOR
                {
                    self.draw();
                }
            }
            if !self.is_exhausted && self.draw() {
                continue;
            }
            // Nothing else is left to draw: pass the deferred results together.
            let has_result = |url: &UrlId| self.results.contains_key(url);
            if self.deferred.is_empty() || !self.deferred.iter().all(has_result) {
                return;
            }
            for url in std::mem::take(&mut self.deferred) {
                self.record_result(url);
            }
        }
    }

    /// Passes the result of a URL to the plan. Returns whether there is one.
    fn record_result(&mut self, url: UrlId) -> bool {
        let Some(verdict) = self.results.remove(&url) else { return false };
        self.count_failing(url, verdict);
        self.selector.record_result(url, url_health(verdict));
        self.results_since_draw += 1;
        self.is_exhausted = false;
        true
    }

    /// Draws URLs until the window is full. Returns whether any were drawn.
    fn draw(&mut self) -> bool {
        self.results_since_draw = 0;
        self.update_forecast();
        let capacity = BATCH_SIZE.saturating_sub(self.window.len());
        let batch = self.selector.next_batch(capacity);
        self.is_exhausted = batch.is_empty() && capacity > 0;
        self.window.extend(&batch);
        self.unsent.extend(&batch);
        !batch.is_empty()
    }

    /// Computes the forecast once, as soon as the plan knows enough.
    fn update_forecast(&mut self) {
        if self.forecast.is_some() {
            return;
        }
        let Some(checks) = self.selector.forecast(self.forecast_recall) else { return };
        let urls = self.loaded.catalog.len();
        self.forecast = Some(SurveyForecast { recall: self.forecast_recall, checks, urls });
        self.is_forecast_new = true;
    }

    /// Whether no result has arrived for some time.
    fn is_stalled(&self) -> bool {
        let has_room = self.deferred.len() < MAX_DEFERRED;
        has_room && !self.window.is_empty() && self.last_result_at.elapsed() >= STALL_TIMEOUT
    }

    /// Defers the URLs of the window that have no result yet.
    fn defer_slow(&mut self) {
        let slow_urls = self.window.iter().filter(|url| !self.results.contains_key(url));
        let slow_urls: Vec<UrlId> =
            slow_urls.copied().take(MAX_DEFERRED - self.deferred.len()).collect();
        self.is_unsaved |= !slow_urls.is_empty();
        self.deferrable.extend(slow_urls);
        self.last_result_at = Instant::now();
    }

    /// Whether the result of a URL is known to the run or to the plan.
    fn has_result(&self, url: UrlId) -> bool {
        self.results.contains_key(&url) || self.selector.check_log().health(url).is_some()
    }

    /// Returns links for drawn URLs without a task, as far as the budget
    /// allows.
    fn take_links(&mut self) -> Vec<NewLink> {
        let mut links = Vec::new();
        while let Some(url) = self.unsent.front().copied() {
            if !self.has_result(url) {
                let has_task = self.pending_tasks.remove(&url);
                if !has_task && self.budget == Some(0) {
                    break;
                }
                self.budget = self.budget.map(|budget| budget.saturating_sub(1));
                links.extend(self.link(url).filter(|_| !has_task));
            }
            self.unsent.pop_front();
        }
        links
    }

    /// Returns the number of failing URLs of a domain.
    pub(super) fn failing(&self, domain: DomainId) -> u32 {
        self.failing[domain.index()]
    }

    /// Returns the status of a domain.
    pub(super) fn domain_status(&self, domain: DomainId) -> DomainStatus {
        let counts = self.selector.check_log().domain(domain);
        if counts.checked == 0 {
            return DomainStatus::Unchecked;
        }
        // Compare with the catalog, not the sample: the plan samples broken
        // directories more.
        if 2 * counts.broken > self.loaded.catalog.domain_size(domain) {
            return DomainStatus::Broken;
        }
        let is_suspicious =
            || self.selector.is_sampling(domain) || self.has_fully_checked_broken_directory(domain);
        if counts.broken > 0 && is_suspicious() {
            return DomainStatus::Suspicious;
        }
        DomainStatus::Accepted
    }

    /// Whether a broken directory of the domain was checked completely.
    fn has_fully_checked_broken_directory(&self, domain: DomainId) -> bool {
        let (catalog, check_log) = (&self.loaded.catalog, self.selector.check_log());
        catalog.directories_of(domain).any(|directory| {
            let counts = check_log.directory(directory);
            counts.broken > 0 && counts.checked == catalog.directory_size(directory)
        })
    }

    /// Counts a URL that is failing but not a confirmed finding.
    fn count_failing(&mut self, url: UrlId, verdict: Verdict) {
        let catalog = &self.loaded.catalog;
        let domain = catalog.domain_of(catalog.directory_of(url));
        let is_failing = url_health(verdict) == UrlHealth::Broken && !is_finding(verdict);
        self.failing[domain.index()] += u32::from(is_failing);
    }

    /// Returns the link that creates the task of a URL.
    fn link(&self, url: UrlId) -> Option<NewLink> {
        let text = self.loaded.catalog.url(url);
        let host = host_key(&Url::parse(text).ok()?);
        let target = NewTarget::Web { url: text.to_owned(), host, rights: self.rights };
        let (location, original_url) = (self.loaded.location(url), text.to_owned());
        Some(NewLink { location, original_url, target, fragment: None, ignored_codes: Vec::new() })
    }
}

impl Job for SurveyRun<'_> {
    fn draws_samples(&self) -> bool {
        true
    }

    fn next_tasks(&mut self, now: Timestamp) -> Option<NewTasks> {
        if self.unsent.is_empty() && self.is_stalled() {
            self.defer_slow();
        }
        self.advance();
        let links = self.take_links();
        if links.is_empty() {
            return None;
        }
        self.last_result_at = Instant::now();
        let first = self.position;
        self.position += links.len();
        // Disable the cache: a sample of cached results would not be random.
        let cache_window = CacheWindow { now, fresh_since: Timestamp::MAX };
        Some(NewTasks::Links { document: self.document, first, links, cache_window })
    }

    fn has_ready_tasks(&self) -> bool {
        let can_send = !self.unsent.is_empty() && self.budget != Some(0);
        can_send || self.is_stalled()
    }

    fn on_result(&mut self, url: &str, verdict: Verdict) {
        let Some(url) = self.index.find(url) else { return };
        self.pending_tasks.remove(&url);
        self.results.insert(url, verdict);
        self.last_result_at = Instant::now();
        self.advance();
    }

    fn on_hold(&mut self, url: &str) {
        let Some(url) = self.index.find(url) else { return };
        self.is_unsaved |= self.deferrable.insert(url);
        self.last_result_at = Instant::now();
        self.advance();
    }

    fn awaited_targets(&self) -> Vec<String> {
        let drawn = self.window.iter().chain(&self.deferred);
        let awaited = drawn.filter(|url| !self.results.contains_key(url));
        awaited.map(|url| self.loaded.catalog.url(*url).to_owned()).collect()
    }

    fn checkpoint(&mut self) -> Option<NamedCheckpoint> {
        if !std::mem::take(&mut self.is_unsaved) {
            return None;
        }
        let urls = self.deferrable.iter().map(|url| self.loaded.catalog.url(*url));
        Some((super::DEFERRED_CHECKPOINT, urls.collect::<Vec<_>>().join("\n")))
    }

    fn take_forecast(&mut self) -> Option<SurveyForecast> {
        std::mem::take(&mut self.is_forecast_new).then_some(self.forecast)?
    }

    fn domain_counts(&self) -> Option<DomainCounts> {
        let mut domain_counts = DomainCounts::default();
        for domain in self.loaded.catalog.domains() {
            *match self.domain_status(domain) {
                DomainStatus::Accepted => &mut domain_counts.accepted,
                DomainStatus::Suspicious => &mut domain_counts.suspicious,
                DomainStatus::Broken => &mut domain_counts.broken,
                DomainStatus::Unchecked => &mut domain_counts.unchecked,
            } += 1;
        }
        Some(domain_counts)
    }
}
