//! Sends requests as the rate limiters allow.
//!
//! A host is *ready* if its next request may be sent now. The next request of a host is
//! for its robots.txt, for a control (a page fetched only for comparison), or for the
//! page of a task.

use std::sync::Arc;
use std::time::Duration;

use relink_model::{FetchPurpose, FetchTask};
use relink_ports::{HostId, RequestOptions};
use url::Url;

use super::host_queue::HostQueue;
use super::pending_judgment::PageContent;
use super::robots::RobotsState;
use super::{Dispatcher, FetchedPage, FetchedTask, PageSink, WorkerEvent};
use crate::crawl::{PageFetch, PageFetchResult};
use relink_documents::{ProbedPage, page_anchor_hashes};
use relink_requests::{
    Ports, StoredUrlRequest, agent_for, isolate, isolate_async, probe_stored_url_with_body,
};

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
        while let Some(host) = self.queues.next_ready(now, |key| self.requests.has_slot(key)) {
            self.send_next(host, now);
        }
    }

    /// Sends the next request of a ready host, or schedules the host for later.
    fn send_next(&mut self, host: HostId, now: Duration) {
        if self.queues.ready_at(host).is_some_and(|at| at <= now) {
            self.send_ready(host, now);
        }
        self.schedule_at(host, now);
    }

    /// Sends the next request of a host: for robots.txt, a control or a task.
    fn send_ready(&mut self, host: HostId, now: Duration) {
        let Some(queue) = self.queues.get_mut(host) else { return };
        if matches!(queue.robots, RobotsState::Unknown) {
            self.queues.request_started(host, now);
            self.send_robots(host);
            return;
        }
        if let Some(control) = queue.pending_controls.pop_front() {
            self.queues.request_started(host, now);
            self.send_control(host, control);
        } else if let Some(task) = self.next_task(host) {
            self.queues.request_started(host, now);
            self.requests.occupy(1);
            self.mark_in_flight(host, task.id);
            self.send(host, task);
        }
    }

    /// Sends the request of a task. The job decides whether the page is parsed for links.
    fn send(&mut self, host: HostId, task: FetchTask) {
        let options = self.queues.get(host).map(HostQueue::request_options).unwrap_or_default();
        let page_fetch = isolate(&task.url, || {
            let url = Url::parse(&task.url).ok().filter(|url| self.job.follows(url))?;
            self.job.page_fetch(url, &task, options.clone())
        });
        match page_fetch.unwrap_or_default() {
            Some(page_fetch) => self.send_page_fetch(host, task, page_fetch),
            None => self.send_probe(host, task, options),
        }
    }

    /// Sends a task whose page is parsed for links.
    fn send_page_fetch(&mut self, host: HostId, task: FetchTask, page_fetch: PageFetch) {
        self.requests.spawn(move |ports| async move {
            let fetched = isolate_async(&task.url, async {
                let PageFetchResult { probe, parsed_page, render_error } =
                    page_fetch.run(&ports).await;
                let content = PageContent { anchors: None, parsed_page: parsed_page.map(Box::new) };
                (FetchedPage::new(probe, content), render_error)
            });
            let fetched = fetched.await;
            let (page, render_error) =
                fetched.unwrap_or_else(|_| (FetchedPage::internal_error(ports.now()), None));
            WorkerEvent::PageFetched(host, Box::new(FetchedTask::new(task, page)), render_error)
        });
    }

    /// Sends a task whose page is only judged.
    fn send_probe(&mut self, host: HostId, task: FetchTask, options: RequestOptions) {
        let base_url = self.queues.get_mut(host).and_then(|queue| queue.base_url(&task));
        let handoff = self.loading.loader().handoff();
        let content = ContentRequest {
            needs_anchors: handoff.needs_anchors(&task.url),
            page_sink: self.job.page_sink(),
            max_bytes: self.settings.max_page_bytes,
        };
        self.requests.spawn(move |ports| async move {
            let page = isolate_async(&task.url, async {
                // If the loader has fetched the page as an input, use its probe as the
                // first attempt.
                let fetched_while_loading =
                    handoff.pages.get(&task.url).filter(|_| task.attempts.is_empty());
                let page = match fetched_while_loading {
                    Some(page) => page.clone(),
                    None => probe_task(&ports, &task, base_url.as_deref(), options, content).await,
                };
                let ProbedPage { probe, anchors } = page;
                FetchedPage::new(probe, PageContent { anchors, parsed_page: None })
            });
            let page = page.await.unwrap_or_else(|_| FetchedPage::internal_error(ports.now()));
            WorkerEvent::TaskFetched(host, Box::new(FetchedTask::new(task, page)))
        });
    }

    /// Updates the position of a host in the ready set.
    pub(super) fn schedule(&mut self, host: HostId) {
        self.schedule_at(host, self.elapsed());
    }

    /// Updates the position of a host in the ready set, with the current time
    /// `now`. Looks up its IP address if it is unknown.
    pub(super) fn schedule_at(&mut self, host: HostId, now: Duration) {
        if let Some(url) = self.queues.start_address_lookup(host) {
            self.requests.spawn(move |ports| async move {
                let address = isolate_async(url.as_str(), ports.fetch.resolve_ip(&url)).await;
                WorkerEvent::AddressResolved(host, address.unwrap_or_default())
            });
        }
        self.queues.schedule(host, now);
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
    // Only the first attempt may be a conditional request ("not modified since"). A
    // confirmation must not depend on the cache of a server.
    let is_first = task.purpose == FetchPurpose::Initial && task.attempts.is_empty();
    let request = StoredUrlRequest {
        url: &task.url,
        base: base_url,
        rights: task.rights,
        agent,
        options,
        known: (is_first && !needs_content).then_some(&task.history),
    };
    let (probe, body) = probe_stored_url_with_body(&*ports.fetch, &*ports.clock, request).await;
    if let (Some(page_sink), Some(body)) = (&content.page_sink, &body) {
        page_sink.on_page(&task.url, &probe, body);
    }
    let anchors = body.filter(|_| content.needs_anchors);
    let anchors = anchors.and_then(|body| page_anchor_hashes(&probe, &body));
    ProbedPage { probe, anchors }
}
