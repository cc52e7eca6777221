//! Requests for invented URLs, to test whether a set of pages is a *spider trap*: an
//! endless set of generated pages, such as the months of a calendar.
//!
//! The requests are sent before the queued pages, because their results decide whether
//! these pages are fetched. They obey robots.txt and the rate limits, carry no
//! credentials, and appear in no report. `relink_frontier` selects the URLs.

use relink_frontier::{EndlessTest, PageFingerprint, host_key};
use relink_model::{ControlKind, FetchOutcome, Probe};
use relink_ports::{Body, HostId};
use url::Url;

use super::Dispatcher;
use super::controls::ControlTask;
use relink_documents::parse_page;
use relink_requests::{ControlRequest, final_url, isolate};

/// One URL of a test.
#[derive(Debug, Clone)]
pub(super) struct TrapTestPart {
    /// Identifies the set of pages that is tested.
    key: String,
    /// The page at the URL; `None` if it does not exist.
    page: Option<PageFingerprint>,
}

impl TrapTestPart {
    /// Saves the page of a response. A redirect does not count as a page.
    pub(super) fn read_page(&mut self, url: &str, probe: &Probe, body: Option<&Body>) {
        let is_found = matches!(probe.outcome, FetchOutcome::Response(200..=299))
            && final_url(probe).is_none_or(|last| last.as_str() == url);
        // Only the fingerprint is needed: no robots header, and no links.
        let page = || parse_page(&Url::parse(url).ok()?, body?, None, 0)?.fingerprint;
        self.page = is_found.then(|| isolate(url, page).ok().flatten()).flatten();
    }
}

impl Dispatcher<'_> {
    /// Queues the requests of the tests that the crawl needs.
    pub(super) fn start_trap_tests(&mut self) {
        for test in self.job.start_tests() {
            for url in &test.urls {
                self.queue_trap_test(&test, url);
            }
        }
    }

    fn queue_trap_test(&mut self, test: &EndlessTest, url: &Url) {
        let part = TrapTestPart { key: test.key.clone(), page: None };
        // A user who disabled controls wants no requests for invented URLs.
        let rights = self.settings.uses_controls.then(|| self.job.unlinked_rights(url));
        let name = host_key(url);
        let hosts = self.queues.iter().filter(|(_, queue)| queue.name() == name);
        let host: Option<HostId> = hosts.map(|(host, _)| host).next();
        let queue = host.and_then(|host| self.queues.get_mut(host));
        let queue = queue.filter(|queue| queue.robots.is_allowed(url.as_str()));
        let (Some(queue), Some(rights)) = (queue, rights) else {
            // Without a request the set is not known to be endless.
            self.finish_trap_test(part);
            return;
        };
        let (kind, key) = (ControlKind::RandomName, format!("trap test {url}"));
        let request = ControlRequest::new(kind, key, url.to_string(), rights);
        queue.pending_controls.push_back(ControlTask {
            request,
            is_prefetch: true,
            trap_test: Some(part),
        });
    }

    /// Passes the result of a request to the crawl.
    pub(super) fn finish_trap_test(&mut self, part: TrapTestPart) {
        self.job.record_test_page(&part.key, part.page);
    }
}
