//! Results that are held while the local network may be the cause.
//!
//! The rules are in `relink_frontier::NetworkEvidence`. Failures of external
//! hosts are held until the network is proven to work, or decided at the end of
//! the run. External pages that resemble soft-404s are held as well, because a
//! captive portal responds for every host.

use std::collections::HashMap;

use relink_frontier::{NetworkDoubt, NetworkEvidence, external_domain};
use relink_judge::{codes, is_network_failure};
use relink_model::{Confidence, FetchTask, Probe, TaskId, Verdict};
use relink_ports::{TargetResult, TaskUpdate};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::Dispatcher;
use super::commit::PAGE_SIZE;
use super::pending_judgment::JudgedTask;
use crate::EngineError;

/// Name of the checkpoint with the reached domains.
const REACHED: &str = "network-reached";
/// Maximum number of held results of pages. Others are judged again from the
/// store.
const MAX_WAITING: usize = 10_000;
/// Confidence of the failure of a page that was not judged.
const UNJUDGED: Confidence = Confidence::CERTAIN;

/// Evidence about the local network.
#[derive(Default)]
pub(super) struct Network {
    evidence: NetworkEvidence,
    /// Whether a domain was reached since the evidence was last stored.
    is_unsaved: bool,
    /// Whether all evidence of the run is available.
    is_decided: bool,
    doubt: Option<NetworkDoubt>,
    /// Scheme and host of the last internal result, so that a long list of URLs
    /// on one host is not parsed repeatedly.
    internal_host: Option<String>,
    /// Results of pages that may come from a captive portal.
    waiting: HashMap<TaskId, TargetResult>,
}

impl Network {
    /// Returns why the local network is in doubt, after that is decided.
    pub(super) fn doubt(&self) -> Option<&NetworkDoubt> {
        self.doubt.as_ref()
    }
}

impl Dispatcher<'_> {
    /// Returns the domain of a URL outside the local network and the crawled
    /// site.
    fn external_domain(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        let is_own = self.crawler.as_ref().is_some_and(|crawler| crawler.follows(&url));
        external_domain(&url).filter(|_| !is_own)
    }

    /// Records the evidence of a result about the local network.
    pub(super) fn record_network_evidence(&mut self, url: &str, probe: &Probe) {
        self.has_network |= probe.outcome.reached_server();
        let evidence = &self.network.evidence;
        if evidence.is_proven() && evidence.has_different_pages() {
            return;
        }
        let host = scheme_and_host(url);
        if self.network.internal_host.as_deref() == Some(host) {
            return;
        }
        if let Some(domain) = self.external_domain(url) {
            self.network.is_unsaved |= self.network.evidence.record(&domain, probe);
        } else if self.crawler.is_none() {
            // In a crawl, the path also determines whether a URL is internal.
            self.network.internal_host = Some(host.to_owned());
        }
    }

    /// Whether enough external hosts were reached.
    pub(super) fn is_network_proven(&self) -> bool {
        self.network.evidence.is_proven()
    }

    /// Loads the evidence of an interrupted run.
    pub(super) async fn load_network(&mut self) -> Result<(), EngineError> {
        let reached = self.ports.store.checkpoint(self.run, REACHED).await?.unwrap_or_default();
        reached.lines().for_each(|domain| self.network.evidence.restore_reached(domain));
        Ok(())
    }

    /// Stores the reached domains, of which there are at most three.
    pub(super) async fn save_network(&mut self) -> Result<(), EngineError> {
        if std::mem::take(&mut self.network.is_unsaved) {
            if self.is_shared {
                // Do not overwrite the evidence of other workers.
                self.load_network().await?;
            }
            let reached: Vec<&str> = self.network.evidence.reached().collect();
            self.ports.store.save_checkpoint(self.run, REACHED, &reached.join("\n")).await?;
        }
        Ok(())
    }

    /// Whether a finished result must be held.
    pub(super) fn must_be_held(&self, url: &str, probe: &Probe, verdict: Verdict) -> bool {
        let network = &self.network;
        if is_network_failure(&probe.outcome) {
            let is_proven = network.is_decided || network.evidence.is_proven();
            return !self.has_network || !is_proven && self.external_domain(url).is_some();
        }
        // A survey depends on its results, so it does not hold them; see
        // `Dispatcher::finish_held`.
        let is_suspect = verdict == Verdict::Soft404 && self.source.is_none();
        let is_proven = network.is_decided || network.evidence.has_different_pages();
        is_suspect && !is_proven && self.external_domain(url).is_some()
    }

    /// Stores a result of a page that is held.
    pub(super) fn hold_result(&mut self, task: TaskId, result: TargetResult) {
        if self.network.waiting.len() < MAX_WAITING {
            self.network.waiting.insert(task, result);
        }
    }

    /// Decides at the end whether the local network is in doubt. Results held
    /// by an interrupted run also count.
    pub(super) async fn decide_network(&mut self) -> Result<(), EngineError> {
        if self.network.is_decided || !self.has_network {
            return Ok(());
        }
        let mut after = TaskId(0);
        loop {
            let page = self.ports.store.held_tasks(self.run, after, PAGE_SIZE).await?;
            let Some((last, _)) = page.last() else { break };
            after = last.id;
            for (task, probe) in &page {
                self.record_network_evidence(&task.url, probe);
            }
        }
        let resolves_random_name = self.resolves_random_name().await;
        let evidence = &self.network.evidence;
        let doubt = evidence.doubt().or_else(|| evidence.page_doubt(resolves_random_name));
        // A survey has more results to come, so nothing is final.
        self.network.is_decided = self.source.is_none() || doubt.is_some();
        self.network.doubt = doubt;
        Ok(())
    }

    /// Resolves a random name next to a host whose page other hosts also
    /// return. Only a name server that returns an address for every name
    /// resolves it.
    async fn resolves_random_name(&self) -> bool {
        let Some(domain) = self.network.evidence.suspicious_domain() else { return false };
        let Some((_, suffix)) = domain.split_once('.') else { return false };
        let salt = xxh3_64(&self.run_started_at.as_millisecond().to_le_bytes());
        let Ok(url) = Url::parse(&format!("http://relink-{salt:016x}.{suffix}/")) else {
            return false;
        };
        self.ports.fetch.resolve_ip(&url).await.is_some()
    }

    /// Whether a held failure can be judged before the end.
    pub(super) fn is_released(&self, url: &str, probe: &Probe) -> bool {
        let is_proven = self.is_network_proven() || self.external_domain(url).is_none();
        is_network_failure(&probe.outcome) && is_proven
    }

    /// Returns the result of a held task that the local network may have
    /// caused, or that was known before it was held.
    pub(super) fn finish_held(&mut self, task: &FetchTask, probe: &Probe) -> Option<JudgedTask> {
        let held_result = self.network.waiting.remove(&task.id);
        let is_suspect = is_network_failure(&probe.outcome) || held_result.is_some();
        let doubt = self.network.doubt.as_ref().filter(|doubt| match doubt {
            NetworkDoubt::SamePage { .. } => !is_network_failure(&probe.outcome),
            _ => is_network_failure(&probe.outcome),
        });
        let result = match doubt.filter(|_| is_suspect && self.external_domain(&task.url).is_some())
        {
            Some(doubt) => doubtful_result(task, probe, doubt),
            None => held_result?,
        };
        let judged =
            JudgedTask::new(task.clone(), self.run_fence(), None, TaskUpdate::Finish(result));
        Some(JudgedTask { held_probe: Some(probe.clone()), ..judged })
    }
}

/// The part of a URL before its path.
fn scheme_and_host(url: &str) -> &str {
    let path = url.match_indices('/').nth(2).map(|(at, _)| at);
    path.and_then(|at| url.get(..at)).unwrap_or(url)
}

/// Result of a page that was not judged because the local network is in doubt.
fn doubtful_result(task: &FetchTask, probe: &Probe, doubt: &NetworkDoubt) -> TargetResult {
    let history = &task.history;
    let was_failing = history.verdict == Some(Verdict::Failing);
    TargetResult {
        verdict: Verdict::Failing,
        code: Some(codes::DNS_FAILED),
        status: probe.outcome.status(),
        reason: format!("our own network is in doubt: {doubt} ({})", probe.outcome),
        since: history.since.filter(|_| was_failing).unwrap_or(probe.requested_at),
        checked_at: probe.requested_at,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: UNJUDGED,
        evidence: Vec::new(),
    }
}
