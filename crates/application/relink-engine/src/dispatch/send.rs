//! Sends requests as the rate limiters allow.

use std::sync::Arc;
use std::time::Duration;

use relink_model::FetchTask;
use relink_ports::{HostId, RequestOptions};
use url::Url;

use super::host_queue::{AddressLookup, HostQueue, ReadyKey};
use super::pending_judgment::PageContent;
use super::robots::RobotsState;
use super::{Dispatcher, FetchedPage, FetchedTask, PageSink, WorkerEvent};
use crate::Ports;
use crate::anchors;
use crate::crawl::PageFetchResult;
use crate::isolation::{isolate, isolate_async};
use crate::load::ProbedPage;
use crate::probe::{StoredUrlRequest, agent_for, probe_stored_url_with_body};

impl Dispatcher<'_> {
    /// Sends all requests that are ready at `now`.
    ///
    /// One reading of the clock applies to the whole call. A host that is not
    /// ready at `now` is scheduled for later, so each round of the loop either
    /// sends a request or removes a host from the front of the ready set.
    pub(super) fn dispatch(&mut self, now: Duration) {
        if !self.has_valid_leases(now) {
            return;
        }
        while let Some(host) = self.next_ready_host(now) {
            self.send_next(host, now);
        }
    }

    /// Returns the first host that may send a request now. If all slots are in
    /// use, this is the first host with a control: the attempts that use the
    /// slots wait for it.
    fn next_ready_host(&self, now: Duration) -> Option<HostId> {
        let mut ready = self.ready.iter().take_while(|(ready_key, _)| ready_key.at <= now);
        ready.find(|(ready_key, _)| self.has_slot(*ready_key)).map(|(_, host)| *host)
    }

    /// Whether the limit of requests in flight allows one more. A control that
    /// attempts wait for needs no slot of its own, because these attempts hold
    /// theirs. Hosts with such a control come first.
    pub(super) fn has_slot(&self, ready_key: ReadyKey) -> bool {
        let used_slots = if ready_key.is_control { self.outstanding } else { self.in_flight };
        used_slots < self.settings.concurrency
    }

    /// Sends the next request of a ready host, or schedules the host for later.
    fn send_next(&mut self, host: HostId, now: Duration) {
        if self.ready_at(host).is_none_or(|at| at > now) {
            self.schedule_at(host, now);
            return;
        }
        let Some(queue) = self.queues.get_mut(&host) else { return };
        if matches!(queue.robots, RobotsState::Unknown) {
            queue.request_started(now);
            if let Some(address) = queue.address() {
                self.ip_limiter.request_started(address, host.0, now);
            }
            self.send_robots(host);
            self.schedule_at(host, now);
            return;
        }
        let control = queue.pending_controls.pop_front();
        let task = if control.is_none() { self.next_task(host) } else { None };
        if control.is_none() && task.is_none() {
            self.schedule_at(host, now);
            return;
        }
        let Some(queue) = self.queues.get_mut(&host) else { return };
        queue.request_started(now);
        if let Some(address) = queue.address() {
            self.ip_limiter.request_started(address, host.0, now);
        }
        if let Some(control) = control {
            self.send_control(host, control);
        } else if let Some(task) = task {
            self.in_flight += 1;
            self.mark_in_flight(host, task.id);
            self.send(host, task);
        }
        self.schedule_at(host, now);
    }

    fn send(&mut self, host: HostId, task: FetchTask) {
        if let Some(task) = self.send_page_fetch(host, task) {
            self.send_probe(host, task);
        }
    }

    /// Sends a task whose page is parsed for links. Returns any other task.
    fn send_page_fetch(&mut self, host: HostId, task: FetchTask) -> Option<FetchTask> {
        let Some(crawler) = &self.crawler else { return Some(task) };
        let followed =
            isolate(&task.url, || Url::parse(&task.url).ok().filter(|url| crawler.follows(url)));
        let Some(url) = followed.unwrap_or_default() else { return Some(task) };
        let options = self.queues.get(&host).map(HostQueue::request_options).unwrap_or_default();
        let page_fetch = crawler.page_fetch(url, &task, options);
        let ports = self.ports.clone();
        let results = Arc::clone(&self.results);
        self.outstanding += 1;
        tokio::spawn(async move {
            let fetched = isolate_async(&task.url, async {
                let PageFetchResult { probe, parsed_page, unrendered } =
                    page_fetch.run(&ports).await;
                let content = PageContent { anchors: None, parsed_page: parsed_page.map(Box::new) };
                (FetchedPage::new(probe, content), unrendered)
            });
            // The loop waits for every page that was sent, so a panic must also
            // return a result.
            let fetched = fetched.await;
            let (page, unrendered) =
                fetched.unwrap_or_else(|_| (FetchedPage::internal_error(ports.now()), None));
            let fetched = Box::new(FetchedTask::new(task, page));
            results.push(WorkerEvent::PageFetched(host, fetched, unrendered));
        });
        None
    }

    fn send_probe(&mut self, host: HostId, task: FetchTask) {
        let ports = self.ports.clone();
        let (options, base_url) = match self.queues.get_mut(&host) {
            Some(queue) => (queue.request_options(), queue.base_url(&task)),
            None => (RequestOptions::default(), None),
        };
        let handoff = self.load_progress.handoff();
        let page_bytes = self.settings.max_page_bytes;
        let page_sink = self.page_sink.clone();
        let results = Arc::clone(&self.results);
        self.outstanding += 1;
        tokio::spawn(async move {
            let page = isolate_async(&task.url, async {
                // The page was fetched while loading; use that probe as the
                // first attempt.
                let fetched_while_loading =
                    handoff.pages.get(&task.url).filter(|_| task.attempts.is_empty());
                let page = if let Some(page) = fetched_while_loading {
                    page.clone()
                } else {
                    let content = ContentRequest {
                        needs_anchors: handoff.needs_anchors(&task.url),
                        page_sink,
                        max_bytes: page_bytes,
                    };
                    probe_task(&ports, &task, base_url.as_deref(), options, content).await
                };
                let ProbedPage { probe, anchors } = page;
                FetchedPage::new(probe, PageContent { anchors, parsed_page: None })
            });
            let page = page.await.unwrap_or_else(|_| FetchedPage::internal_error(ports.now()));
            results.push(WorkerEvent::TaskFetched(host, Box::new(FetchedTask::new(task, page))));
        });
    }

    /// Updates the position of a host in the ready set.
    pub(super) fn schedule(&mut self, host: HostId) {
        self.schedule_at(host, self.elapsed());
    }

    /// Updates the position of a host in the ready set, with the current time
    /// `now`.
    pub(super) fn schedule_at(&mut self, host: HostId, now: Duration) {
        self.start_address_lookup(host);
        let at = self.ready_at(host);
        let Some(queue) = self.queues.get_mut(&host) else { return };
        let ready_key = at.and_then(|at| queue.ready_key_at(at, now));
        if queue.ready_key == ready_key {
            return;
        }
        if let Some(old) = queue.ready_key.take() {
            self.ready.remove(&(old, host));
        }
        let Some(ready_key) = ready_key else { return };
        if ready_key.at > now {
            queue.waiting_since.get_or_insert(now);
        }
        queue.ready_key = Some(ready_key);
        self.ready.insert((ready_key, host));
    }

    /// Returns when the next request of a host may be sent, by all rate
    /// limiters.
    fn ready_at(&self, host: HostId) -> Option<Duration> {
        let queue = self.queues.get(&host)?;
        let by_host = queue.ready_at()?;
        let by_ip = queue.address().map(|address| self.ip_limiter.ready_at(address, host.0));
        Some(by_host.max(by_ip.unwrap_or_default()))
    }

    /// Resolves a host's address before its first request, so that the limit
    /// per IP address applies from the start.
    fn start_address_lookup(&mut self, host: HostId) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        if queue.address_lookup != AddressLookup::Unknown {
            return;
        }
        let Some(url) = queue.tasks.front().and_then(|task| Url::parse(&task.url).ok()) else {
            return;
        };
        queue.address_lookup = AddressLookup::InProgress;
        let ports = self.ports.clone();
        let results = Arc::clone(&self.results);
        self.outstanding += 1;
        tokio::spawn(async move {
            let address = isolate_async(url.as_str(), ports.fetch.resolve_ip(&url)).await;
            results.push(WorkerEvent::AddressResolved(host, address.unwrap_or_default()));
        });
    }
}

/// What is needed of a page in addition to its digest.
struct ContentRequest {
    needs_anchors: bool,
    page_sink: Option<Arc<dyn PageSink>>,
    /// Maximum number of bytes to read if the content is needed.
    max_bytes: usize,
}

/// Fetches a page, and its anchors if they are needed.
async fn probe_task(
    ports: &Ports,
    task: &FetchTask,
    base_url: Option<&Url>,
    options: RequestOptions,
    content: ContentRequest,
) -> ProbedPage {
    let agent = agent_for(task.purpose, &task.attempts);
    let needs_content = content.needs_anchors || content.page_sink.is_some();
    let max_body_bytes = needs_content.then_some(content.max_bytes).or(options.max_body_bytes);
    let options = RequestOptions { max_body_bytes, ..options };
    let request =
        StoredUrlRequest { url: &task.url, base: base_url, rights: task.rights, agent, options };
    let (probe, body) = probe_stored_url_with_body(&*ports.fetch, &*ports.clock, request).await;
    if let (Some(page_sink), Some(body)) = (&content.page_sink, &body) {
        page_sink.on_page(&task.url, &probe, body);
    }
    let anchors = body.filter(|_| content.needs_anchors);
    let anchors = anchors.and_then(|body| anchors::page_anchor_hashes(&probe, &body));
    ProbedPage { probe, anchors }
}
