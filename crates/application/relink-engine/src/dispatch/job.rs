//! The part of a run that differs between commands: check, crawl and survey.
//!
//! The dispatcher alone limits the rate of requests, retries, judges and stores. A job
//! decides which URLs are fetched first, which tasks follow from a result, and when the
//! run is finished. Every method has the default of a check: all tasks are known from
//! the start and no link is followed.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{EndlessTest, PageFingerprint, RobotsPolicy};
use relink_model::{FetchTask, Probe, RequestRights, Verdict};
use relink_ports::{CacheWindow, DocumentId, NewLink, NewPage, RenderError, RequestOptions};
use url::Url;

use super::PageSink;
use crate::crawl::{FetchedPageContext, PageFetch};
use crate::observer::{DomainCounts, SurveyForecast};
use relink_documents::ParsedPage;

/// Tasks that a job adds to the run.
pub(crate) enum NewTasks {
    /// Links that are not on a fetched page: the sitemaps of a crawl.
    Page(NewPage, CacheWindow),
    /// Links of a document.
    Links {
        /// The document that contains the links.
        document: DocumentId,
        /// The position of the first link in the document.
        first: usize,
        /// The links, each to a target that is new to the run.
        links: Vec<NewLink>,
        /// The current time and the oldest cached result that may be reused.
        cache_window: CacheWindow,
    },
}

/// Name and text of a checkpoint.
pub(crate) type NamedCheckpoint = (&'static str, String);

/// The part of a command that the dispatcher does not know.
pub(crate) trait Job: Send {
    /// Whether the job is a crawl: fetched pages can add tasks. Such a job obeys
    /// robots.txt and cannot delay the judgment of a page until others are fetched.
    fn follows_links(&self) -> bool {
        false
    }

    /// Whether the job is a survey: verdicts decide which tasks come next.
    fn draws_samples(&self) -> bool {
        false
    }

    /// Whether tasks are taken by rank instead of in order of discovery.
    fn is_depth_first(&self) -> bool {
        false
    }

    /// Whether the page at this URL is parsed for links.
    fn follows(&self, _url: &Url) -> bool {
        false
    }

    /// Returns the receiver of page bodies, if there is one.
    fn page_sink(&self) -> Option<Arc<dyn PageSink>> {
        None
    }

    /// Returns the fetch of a page that is parsed for links; `None` if the page is
    /// fetched like a page of a check.
    fn page_fetch(
        &self,
        _url: Url,
        _task: &FetchTask,
        _options: RequestOptions,
    ) -> Option<PageFetch> {
        None
    }

    /// Whether a queued task must still be fetched.
    fn is_still_allowed(&mut self, _task: &FetchTask) -> bool {
        true
    }

    /// Whether a fetched page is dropped instead of judged: a sitemap at a
    /// guessed URL that does not exist.
    fn is_missing_guess(
        &self,
        _task: &FetchTask,
        _probe: &Probe,
        _parsed_page: Option<&ParsedPage>,
    ) -> bool {
        false
    }

    /// Called for every attempt before its result is stored.
    fn record_attempt(&mut self, _task: &FetchTask, _probe: &Probe) {}

    /// Returns the links of a judged page to follow.
    fn process_page(
        &mut self,
        _fetched: &FetchedPageContext<'_>,
        _parsed_page: Option<Box<ParsedPage>>,
    ) -> Option<NewPage> {
        None
    }

    /// Called for a page that needs a browser but could not be rendered.
    fn record_render_error(&mut self, _error: RenderError) {}

    /// Called when the robots.txt of a host is known.
    fn record_robots(&mut self, _host: &str, _policy: &RobotsPolicy) {}

    /// Called when the robots.txt of a host could not be fetched.
    fn record_robots_failure(&mut self, _host: &str, _reason: String) {}

    /// Returns the current time and the oldest cached result that may be
    /// reused.
    fn cache_window(&self, now: Timestamp) -> CacheWindow {
        CacheWindow { now, fresh_since: Timestamp::MAX }
    }

    /// Returns the maximum duration of the run.
    fn max_time(&self) -> Option<Duration> {
        None
    }

    /// Returns the tests to start that find out whether a set of pages is endless.
    fn start_tests(&mut self) -> Vec<EndlessTest> {
        Vec::new()
    }

    /// Returns the permissions of a request for a URL that no page links to.
    fn unlinked_rights(&self, _url: &Url) -> RequestRights {
        RequestRights::discovered()
    }

    /// Records the page at an invented URL of a test; `None` if the URL has no page.
    /// `key` identifies the set of pages that the test is about.
    fn record_test_page(&mut self, _key: &str, _page: Option<PageFingerprint>) {}

    /// Returns the next tasks; `None` if there are none at present.
    fn next_tasks(&mut self, _now: Timestamp) -> Option<NewTasks> {
        None
    }

    /// Whether tasks are available before all earlier ones are done.
    fn has_ready_tasks(&self) -> bool {
        false
    }

    /// Called after a target is checked and stored.
    fn on_result(&mut self, _url: &str, _verdict: Verdict) {}

    /// Called when a target waits for pages of its directory that are not yet
    /// fetched.
    fn on_hold(&mut self, _url: &str) {}

    /// Returns targets whose results decide which tasks come next. Other workers may have
    /// checked them.
    fn awaited_targets(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns a checkpoint that must be stored before any task derived from it; `None`
    /// if the checkpoint has not changed.
    fn checkpoint(&mut self) -> Option<NamedCheckpoint> {
        None
    }

    /// Returns a checkpoint to store periodically. A crash loses changes since the last
    /// one, which the resumed run finds again.
    fn periodic_checkpoint(&self) -> Option<NamedCheckpoint> {
        None
    }

    /// Returns the forecast of a survey, once.
    fn take_forecast(&mut self) -> Option<SurveyForecast> {
        None
    }

    /// Returns the state of the domains, for jobs that track domains.
    fn domain_counts(&self) -> Option<DomainCounts> {
        None
    }
}

/// Fetches the tasks of the store and adds none.
#[derive(Default)]
pub(crate) struct ListJob {
    page_sink: Option<Arc<dyn PageSink>>,
    /// Whether the tasks are samples that the owner of the run draws.
    has_samples: bool,
}

impl ListJob {
    /// Passes the bodies of fetched pages to a sink.
    pub(crate) fn with_page_sink(page_sink: Arc<dyn PageSink>) -> Self {
        Self { page_sink: Some(page_sink), ..Self::default() }
    }

    /// Returns the job of a worker. `has_samples` is whether the run is a survey.
    pub(crate) fn of_worker(has_samples: bool) -> Self {
        Self { has_samples, ..Self::default() }
    }
}

impl Job for ListJob {
    fn draws_samples(&self) -> bool {
        self.has_samples
    }

    fn page_sink(&self) -> Option<Arc<dyn PageSink>> {
        self.page_sink.clone()
    }
}
