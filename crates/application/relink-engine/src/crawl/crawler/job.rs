//! The crawl as a [`Job`]: the part of the dispatcher that differs between commands.

use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{
    EndlessTest, PageFingerprint, RobotsPolicy, TrapDecision, TraversalOrder, canonicalize,
};
use relink_model::{FetchOutcome, FetchTask, Probe, RequestRights, Verdict};
use relink_ports::{CacheWindow, NewPage, RenderError, RequestOptions};
use url::Url;

use super::super::CHECKPOINT;
use super::super::page_fetch::PageFetch;
use super::{Crawler, DEFAULT_SITEMAP, FetchedPageContext, HostRobotsInfo, RunningTest};
use crate::dispatch::{Job, NamedCheckpoint, NewTasks};
use relink_documents::{MAX_SITEMAP_BYTES, MAX_SITEMAPS, ParsedPage, is_named_as_sitemap};
use relink_requests::{AGENT, agent_for, final_url};

impl Job for Crawler {
    fn follows_links(&self) -> bool {
        true
    }

    fn is_depth_first(&self) -> bool {
        self.rules.order == TraversalOrder::DepthFirst
    }

    fn max_time(&self) -> Option<Duration> {
        self.max_time
    }

    /// Returns the sitemaps when no link is left. A page that is found only then is an
    /// orphan: only a sitemap lists it.
    fn next_tasks(&mut self, now: Timestamp) -> Option<NewTasks> {
        let page = self.next_sitemaps()?;
        Some(NewTasks::Page(page, self.cache_window(now)))
    }

    fn periodic_checkpoint(&self) -> Option<NamedCheckpoint> {
        Some((CHECKPOINT, self.checkpoint_json()?))
    }

    fn follows(&self, url: &Url) -> bool {
        self.rules.scope.is_inside(url)
    }

    fn page_fetch(&self, url: Url, task: &FetchTask, options: RequestOptions) -> Option<PageFetch> {
        if !self.follows(&url) {
            return None;
        }
        let agent = agent_for(task.purpose, &task.attempts);
        let max_body_bytes = self.is_sitemap(&url).then_some(MAX_SITEMAP_BYTES);
        let options = RequestOptions { max_body_bytes, ..options };
        let max_links = self.rules.max_page_links;
        Some(PageFetch { url, rights: task.rights, agent, options, mode: self.render, max_links })
    }

    fn is_still_allowed(&mut self, task: &FetchTask) -> bool {
        let Some(url) = Url::parse(&task.url).ok().filter(|url| self.follows(url)) else {
            return true;
        };
        // A trap may have been detected since the task was queued. A start page is always
        // fetched, and a task with earlier attempts is completed.
        let is_start = task.depth.unwrap_or(0) == 0;
        is_start
            || !task.attempts.is_empty()
            || self.checkpoint.traps.check_again(&url) == TrapDecision::Allow
    }

    /// Whether a page is a sitemap at a guessed URL that does not exist. It is
    /// then omitted from the results.
    fn is_missing_guess(
        &self,
        task: &FetchTask,
        probe: &Probe,
        parsed_page: Option<&ParsedPage>,
    ) -> bool {
        let is_guess = self.guessed_sitemaps.contains(&task.url)
            && !self.checkpoint.linked_sitemaps.contains(&task.url);
        let is_redirected_sitemap = || {
            let last = final_url(probe);
            last.is_some_and(|url| url.as_str() != task.url && is_named_as_sitemap(&url))
        };
        let is_sitemap = parsed_page.is_some_and(|parsed_page| parsed_page.sitemap.is_some());
        let exists = matches!(probe.outcome, FetchOutcome::Response(200..=299))
            && (is_sitemap || is_redirected_sitemap());
        is_guess && !exists
    }

    /// Passes a URL whose redirects do not end to the trap detection. Only the first attempt
    /// counts, because later attempts have the same result.
    fn record_attempt(&mut self, task: &FetchTask, probe: &Probe) {
        let is_endless = probe.outcome == FetchOutcome::TooManyRedirects;
        if is_endless
            && task.attempts.is_empty()
            && let Ok(url) = Url::parse(&task.url)
            && self.follows(&url)
        {
            self.checkpoint.traps.record_endless_redirect(&url);
        }
    }

    fn process_page(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        parsed_page: Option<Box<ParsedPage>>,
    ) -> Option<NewPage> {
        if !fetched.verdict.is_reached() && fetched.verdict != Verdict::Blocked {
            return None;
        }
        if let Some(parsed_page) = parsed_page {
            return self.select_links(fetched, *parsed_page);
        }
        let final_url = final_url(fetched.probe)?;
        let requested = Url::parse(&fetched.task.url).ok()?;
        if final_url == requested && self.follows(&requested) {
            self.record_file(&requested, fetched.probe);
        }
        let is_inside = self.follows(&requested) && self.follows(&final_url);
        (is_inside && final_url != requested)
            .then(|| self.process_redirect(fetched, &final_url))
            .flatten()
    }

    fn record_render_error(&mut self, error: RenderError) {
        let (count, _) = self.render_failures.get_or_insert((0, error));
        *count += 1;
    }

    fn record_robots(&mut self, host: &str, policy: &RobotsPolicy) {
        let info = HostRobotsInfo {
            host: host.to_owned(),
            crawl_delay: policy.robots.crawl_delay(AGENT),
            failure: None,
        };
        self.hosts.insert(host.to_owned(), info);
        if self.reads_sitemaps {
            self.add_sitemaps(host, policy);
        }
    }

    fn record_robots_failure(&mut self, host: &str, reason: String) {
        let info =
            HostRobotsInfo { host: host.to_owned(), crawl_delay: None, failure: Some(reason) };
        self.hosts.insert(host.to_owned(), info);
    }

    fn cache_window(&self, now: Timestamp) -> CacheWindow {
        CacheWindow { now, fresh_since: self.rules.fresh_since }
    }

    fn start_tests(&mut self) -> Vec<EndlessTest> {
        let tests = std::mem::take(&mut self.pending_tests);
        for test in &tests {
            let running = RunningTest { missing: test.urls.len(), pages: Vec::new() };
            self.running_tests.insert(test.key.clone(), running);
        }
        tests
    }

    fn unlinked_rights(&self, url: &Url) -> RequestRights {
        self.rights_without_link(url)
    }

    fn record_test_page(&mut self, key: &str, page: Option<PageFingerprint>) {
        let Some(test) = self.running_tests.get_mut(key) else { return };
        test.pages.push(page);
        test.missing = test.missing.saturating_sub(1);
        if test.missing == 0
            && let Some(test) = self.running_tests.remove(key)
        {
            self.checkpoint.traps.record_test(key, &test.pages);
        }
    }
}

impl Crawler {
    /// Queues the sitemaps that a robots.txt lists, or the default sitemap if it lists none.
    fn add_sitemaps(&mut self, host: &str, policy: &RobotsPolicy) {
        let Some(base) = self.robots_url(host) else { return };
        let mut sitemaps: Vec<Url> = policy
            .robots
            .sitemaps()
            .iter()
            .filter_map(|text| canonicalize(Some(&base), text).ok())
            .collect();
        if sitemaps.is_empty() && !policy.is_unreachable && self.origins.contains_key(host) {
            let default = base.join(DEFAULT_SITEMAP).ok();
            let default = default.filter(|url| policy.robots.is_allowed(AGENT, url));
            self.guessed_sitemaps.extend(default.iter().map(Url::to_string));
            sitemaps.extend(default);
        }
        for sitemap in sitemaps.into_iter().filter(|url| self.rules.scope.is_inside(url)) {
            if self.pending_sitemaps.len() >= MAX_SITEMAPS {
                self.checkpoint.skipped_links.sitemaps += 1;
            } else if !self.pending_sitemaps.contains(&sitemap) {
                self.pending_sitemaps.push(sitemap);
            }
        }
    }

    /// Returns the URL of a host's robots.txt, the base of its sitemap lines.
    fn robots_url(&self, host: &str) -> Option<Url> {
        // For a host without a start page, use the scheme of any start page.
        let origin = self.origins.get(host).or_else(|| self.origins.values().next())?;
        Url::parse(&format!("{}://{host}/robots.txt", origin.scheme())).ok()
    }

    /// Returns an invented page that links to the queued sitemaps.
    fn next_sitemaps(&mut self) -> Option<NewPage> {
        let sitemaps = std::mem::take(&mut self.pending_sitemaps);
        if sitemaps.is_empty() {
            return None;
        }
        // Sitemaps of hosts that are found later are not read.
        self.reads_sitemaps = false;
        self.queued_sitemaps.extend(sitemaps.iter().cloned());
        let sitemap_urls: Vec<(String, Url)> =
            sitemaps.into_iter().map(|url| (url.to_string(), url)).collect();
        let rights = |crawler: &Self, url: &Url| crawler.unlinked_rights(url);
        Some(NewPage { is_sitemap: true, ..self.link_page("sitemaps", &sitemap_urls, rights) })
    }

    /// Whether a URL is a sitemap, which has a higher size limit.
    fn is_sitemap(&self, url: &Url) -> bool {
        self.queued_sitemaps.contains(url) || is_named_as_sitemap(url)
    }

    /// Passes a file without links, such as a picture, to the trap detection.
    fn record_file(&mut self, url: &Url, probe: &Probe) {
        if let Some(digest) = &probe.digest {
            let fingerprint = PageFingerprint::from_digest(digest);
            let no_links: &[Url] = &[];
            self.checkpoint.traps.record_page(url, &fingerprint, no_links);
        }
    }
}
