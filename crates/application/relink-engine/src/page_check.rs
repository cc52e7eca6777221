//! Checks one page outside a run, with all retries and controls. A *control* is a page
//! fetched only for comparison, such as the error page of the host for a random name.
//!
//! The dispatcher does the same for thousands of pages at once and limits the
//! rate per host. Callers of this module check single pages and limit the rate
//! themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use relink_judge::{Decision, JudgeInput, Judgment, Policy, RetryDelay};
use relink_model::{Attempt, Control, ControlKind, FetchPurpose, History, Probe, RequestRights};
use relink_ports::{Body, Clock, Fetch, UserAgent};

use tokio::sync::OnceCell;

use crate::judging::{conclude_page, judge_page};
use relink_requests::{
    ControlRequest, agent_for, current_time, missing_control, probe_with_default_options,
    retry_delay,
};

/// Settings of a page check.
#[derive(Debug, Clone, Copy)]
pub struct PageCheckSettings {
    /// Rules that decide which evidence is sufficient.
    pub policy: Policy,
    /// Maximum wait between two attempts. Longer waits are shortened. If a host
    /// requests a longer wait, the page is not fetched again.
    pub max_host_wait: Duration,
    /// Seed for the random names of controls.
    pub salt: u64,
    /// Whether pages are compared with controls.
    pub uses_controls: bool,
}

/// A page to check, with earlier knowledge about it.
#[derive(Debug, Clone, Default)]
pub struct PageCheckRequest {
    /// The canonical URL.
    pub url: String,
    /// Permissions of the requests.
    pub rights: RequestRights,
    /// Results of earlier checks.
    pub history: History,
    /// Other known pages of the same directory. The first two may serve as controls.
    pub neighbors: Vec<String>,
}

/// Result of a page check.
#[derive(Debug, Clone)]
pub struct PageCheck {
    /// The judgment.
    pub judgment: Judgment,
    /// All attempts to fetch the page.
    pub attempts: Vec<Attempt>,
    /// The probe of the last attempt.
    pub probe: Probe,
    /// The body of the last attempt, if there was one.
    pub body: Option<Body>,
    /// The controls that the page was compared with.
    pub controls: Vec<Control>,
}

/// Controls shared by all pages checked with this cache, also at the same time.
#[derive(Debug, Default)]
pub struct ControlCache(Mutex<HashMap<String, CachedControl>>);

/// The URL and the probe of a control, once it is fetched.
type CachedControl = Arc<OnceCell<(String, Arc<Probe>)>>;

impl ControlCache {
    /// Returns the control with this key.
    fn control(&self, key: &str) -> CachedControl {
        let mut controls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(controls.entry(key.to_owned()).or_default())
    }
}

/// Checks single pages.
pub struct PageChecker<'a> {
    /// HTTP client.
    pub fetch: &'a dyn Fetch,
    /// System clock.
    pub clock: &'a dyn Clock,
    /// Settings.
    pub settings: PageCheckSettings,
}

impl PageChecker<'_> {
    /// Checks one page.
    pub async fn check_page(&self, request: &PageCheckRequest, cache: &ControlCache) -> PageCheck {
        let mut attempts = Vec::new();
        let mut controls: Vec<Control> = Vec::new();
        let (mut probe, mut body) =
            self.fetch_page(request, FetchPurpose::Initial, &mut attempts).await;
        loop {
            let input = self.judge_input(request, &attempts, &probe, &controls);
            match judge_page(&self.settings.policy, &input) {
                Decision::Conclude(judgment) => {
                    return PageCheck { judgment, attempts, probe, body, controls };
                }
                // The judge requests a control again that it has already: end the loop.
                Decision::Compare(kind) if controls.iter().any(|control| control.kind == kind) => {
                    let judgment = conclude_page(&self.settings.policy, &input);
                    return PageCheck { judgment, attempts, probe, body, controls };
                }
                Decision::Compare(kind) => {
                    controls.push(self.find_control(request, &probe, kind, cache).await);
                }
                // Do not retry if the host requests a longer wait.
                Decision::Fetch { .. } if self.exceeds_max_wait(&probe) => {
                    let judgment = conclude_page(&self.settings.policy, &input);
                    return PageCheck { judgment, attempts, probe, body, controls };
                }
                Decision::Fetch { purpose, wait } => {
                    tokio::time::sleep(self.retry_delay(wait, request, &probe)).await;
                    (probe, body) = self.fetch_page(request, purpose, &mut attempts).await;
                }
            }
        }
    }

    /// Returns the evidence for the judge.
    fn judge_input<'e>(
        &self,
        request: &'e PageCheckRequest,
        attempts: &'e [Attempt],
        probe: &'e Probe,
        controls: &'e [Control],
    ) -> JudgeInput<'e> {
        JudgeInput {
            url: &request.url,
            attempts,
            probe,
            phrase_scan: None,
            controls,
            history: &request.history,
            now: current_time(self.clock),
        }
    }

    /// Fetches the page and adds the attempt.
    async fn fetch_page(
        &self,
        request: &PageCheckRequest,
        purpose: FetchPurpose,
        attempts: &mut Vec<Attempt>,
    ) -> (Probe, Option<Body>) {
        let agent = agent_for(purpose, attempts);
        let (probe, body) =
            probe_with_default_options(self.fetch, self.clock, &request.url, request.rights, agent)
                .await;
        attempts.push(Attempt {
            requested_at: probe.requested_at,
            purpose,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        });
        (probe, body)
    }

    /// Returns a control of the page from the cache, or fetches it.
    async fn find_control(
        &self,
        request: &PageCheckRequest,
        probe: &Probe,
        kind: ControlKind,
        cache: &ControlCache,
    ) -> Control {
        if !self.settings.uses_controls {
            return missing_control(kind);
        }
        let neighbor = match kind {
            ControlKind::Neighbor => request.neighbors.first(),
            ControlKind::SecondNeighbor => request.neighbors.get(1),
            _ => None,
        };
        let control = if let Some(url) = neighbor {
            let (key, url) = (format!("page {url}"), url.clone());
            Some(ControlRequest::new(kind, key, url, request.rights))
        } else {
            let probed = (request.url.as_str(), probe);
            ControlRequest::of_probe(kind, probed, request.rights, self.settings.salt)
        };
        let Some(control) = control else { return missing_control(kind) };
        let fetched = async { (control.url.clone(), Arc::new(self.fetch_control(&control).await)) };
        let (url, probe) = if control.is_shared() {
            cache.control(&control.key).get_or_init(|| fetched).await.clone()
        } else {
            fetched.await
        };
        Control { kind, url, probe: Some(probe) }
    }

    /// Fetches a control, with a retry.
    async fn fetch_control(&self, control: &ControlRequest) -> Probe {
        let mut next = control.clone();
        loop {
            let (url, rights, agent) = (&*next.url, next.rights, UserAgent::Relink);
            let (probe, _) =
                probe_with_default_options(self.fetch, self.clock, url, rights, agent).await;
            match next.next_attempt_after(&probe) {
                Some(retry) => next = retry,
                None => return probe,
            }
        }
    }

    /// Whether the host requested a longer wait than the maximum.
    fn exceeds_max_wait(&self, probe: &Probe) -> bool {
        probe
            .retry_after
            .is_some_and(|wait| Duration::from_secs(wait) > self.settings.max_host_wait)
    }

    /// Returns the wait before the next attempt. The fetcher adds the interval of
    /// the host.
    fn retry_delay(&self, wait: RetryDelay, request: &PageCheckRequest, probe: &Probe) -> Duration {
        retry_delay(wait, &request.url, probe, Duration::ZERO).min(self.settings.max_host_wait)
    }
}
