//! Decides which results are held because the local network may have caused them.
//!
//! A *held* result waits in the store. Failures of external hosts are held until the
//! network is *proven* to work. If that does not happen, the end of the run decides
//! whether the network is *in doubt*: then these results are reported as failing and
//! not as dead. External pages that resemble soft-404s are held as well, because a
//! captive portal responds for every host. The rules are in
//! `relink_frontier::NetworkEvidence`.

use std::collections::HashMap;

use relink_frontier::{NetworkDoubt, NetworkEvidence, external_domain};
use relink_judge::{codes, is_network_failure};
use relink_model::{Confidence, FetchOutcome, FetchTask, Probe, TaskId, Verdict};
use relink_ports::TargetResult;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::held::PAGE_SIZE;
use super::{Dispatcher, Job};
use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// Name of the checkpoint with the reached domains.
const REACHED_CHECKPOINT: &str = "network-reached";
/// Maximum number of held results of pages in memory. Other held pages are judged
/// again from their stored probes.
const MAX_HELD_RESULTS: usize = 10_000;
/// Confidence of the failure of a page that was not judged.
const UNJUDGED: Confidence = Confidence::CERTAIN;

/// Evidence about the local network.
#[derive(Default)]
pub(super) struct Network {
    /// Whether a server has responded in this run.
    is_confirmed: bool,
    evidence: NetworkEvidence,
    /// Whether a domain was reached since the evidence was last stored.
    is_unsaved: bool,
    /// Whether `doubt` is final. No result is held from then on.
    is_decided: bool,
    /// Why the failures may be caused by the local network.
    doubt: Option<NetworkDoubt>,
    /// Scheme and host of the last result of a host that is not external, so that a
    /// long list of URLs on that host is not parsed repeatedly.
    internal_host: Option<String>,
    /// Held results of judged pages that may come from a captive portal.
    held_results: HashMap<TaskId, TargetResult>,
}

impl Network {
    pub(super) fn new(is_confirmed: bool) -> Self {
        Self { is_confirmed, ..Self::default() }
    }

    /// Whether a server has responded in this run.
    pub(super) fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// Records that another worker has reached a server.
    pub(super) fn confirm(&mut self) {
        self.is_confirmed = true;
    }

    /// Records that a request may have reached a server.
    pub(super) fn record_outcome(&mut self, outcome: &FetchOutcome) {
        self.is_confirmed |= outcome.reached_server();
    }

    /// Records the evidence of a result.
    pub(super) fn record(&mut self, url: &str, probe: &Probe, job: &dyn Job) {
        self.record_outcome(&probe.outcome);
        if self.evidence.is_proven() && self.evidence.has_different_pages() {
            return;
        }
        let host = scheme_and_host(url);
        if self.internal_host.as_deref() == Some(host) {
            return;
        }
        if let Some(domain) = foreign_domain(url, job) {
            self.is_unsaved |= self.evidence.record(&domain, probe);
        } else if !job.follows_links() {
            // In a crawl, the path also determines whether a URL is internal.
            self.internal_host = Some(host.to_owned());
        }
    }

    /// Whether enough external hosts were reached.
    pub(super) fn is_proven(&self) -> bool {
        self.evidence.is_proven()
    }

    /// Returns why the local network is in doubt, after that is decided.
    pub(super) fn doubt(&self) -> Option<&NetworkDoubt> {
        self.doubt.as_ref()
    }

    /// Whether a finished result must be held.
    pub(super) fn must_be_held(
        &self,
        url: &str,
        probe: &Probe,
        verdict: Verdict,
        job: &dyn Job,
    ) -> bool {
        if is_network_failure(&probe.outcome) {
            let is_proven = self.is_decided || self.evidence.is_proven();
            return !self.is_confirmed || !is_proven && foreign_domain(url, job).is_some();
        }
        // A survey selects its next URLs by the verdicts, so it does not hold pages.
        let is_suspect = verdict == Verdict::Soft404 && !job.draws_samples();
        let is_proven = self.is_decided || self.evidence.has_different_pages();
        is_suspect && !is_proven && foreign_domain(url, job).is_some()
    }

    /// Caches the result of a held page, so that the page is not judged again.
    pub(super) fn hold(&mut self, task: TaskId, result: TargetResult) {
        if self.held_results.len() < MAX_HELD_RESULTS {
            self.held_results.insert(task, result);
        }
    }

    /// Whether a held task is a failed request that can be judged before the end of the
    /// run. Other held tasks wait for neighbors or for the decision about the network.
    pub(super) fn is_released(&self, url: &str, probe: &Probe, job: &dyn Job) -> bool {
        let is_proven = self.is_proven() || foreign_domain(url, job).is_none();
        is_network_failure(&probe.outcome) && is_proven
    }

    /// Returns the result of a held task that needs no judgment: it failed while the
    /// network is in doubt, or it was judged before it was held.
    pub(super) fn finish_held(
        &mut self,
        task: &FetchTask,
        probe: &Probe,
        job: &dyn Job,
    ) -> Option<TargetResult> {
        let held_result = self.held_results.remove(&task.id);
        let is_suspect = is_network_failure(&probe.outcome) || held_result.is_some();
        // A doubt about equal pages concerns responses, every other doubt failures.
        let doubt = self.doubt.as_ref().filter(|doubt| match doubt {
            NetworkDoubt::SamePage { .. } => !is_network_failure(&probe.outcome),
            _ => is_network_failure(&probe.outcome),
        });
        let doubt = doubt.filter(|_| is_suspect && foreign_domain(&task.url, job).is_some());
        match doubt {
            Some(doubt) => Some(doubtful_result(task, probe, doubt)),
            None => held_result,
        }
    }

    /// Restores the reached domains from a checkpoint, one per line.
    fn restore(&mut self, reached: &str) {
        reached.lines().for_each(|domain| self.evidence.restore_reached(domain));
    }

    /// Decides whether the network is in doubt. `resolves_random_name` is whether the
    /// DNS server returned an address for a name that does not exist; `is_final`
    /// whether no further results follow.
    fn decide(&mut self, resolves_random_name: bool, is_final: bool) {
        let evidence = &self.evidence;
        self.doubt = evidence.doubt().or_else(|| evidence.page_doubt(resolves_random_name));
        self.is_decided = is_final || self.doubt.is_some();
    }
}

impl Dispatcher<'_> {
    /// Loads the evidence of an interrupted run.
    pub(super) async fn load_network(&mut self) -> Result<(), EngineError> {
        let reached = self.ports.store.checkpoint(self.run.id, REACHED_CHECKPOINT).await?;
        self.network.restore(&reached.unwrap_or_default());
        Ok(())
    }

    /// Stores the reached domains, of which there are at most three.
    pub(super) async fn save_network(&mut self) -> Result<(), EngineError> {
        if std::mem::take(&mut self.network.is_unsaved) {
            if self.run.is_shared {
                // Do not overwrite the evidence of other workers.
                self.load_network().await?;
            }
            let reached: Vec<&str> = self.network.evidence.reached().collect();
            let reached = reached.join("\n");
            self.ports.store.save_checkpoint(self.run.id, REACHED_CHECKPOINT, &reached).await?;
        }
        Ok(())
    }

    /// Decides at the end whether the local network is in doubt. All held results
    /// count, including those of an earlier part of a resumed run.
    pub(super) async fn decide_network(&mut self) -> Result<(), EngineError> {
        if self.network.is_decided || !self.network.is_confirmed {
            return Ok(());
        }
        let mut after = BEFORE_FIRST_TASK;
        loop {
            let page = self.ports.store.held_tasks(self.run.id, after, PAGE_SIZE).await?;
            let Some((last, _)) = page.last() else { break };
            after = last.id;
            for (task, probe) in &page {
                self.network.record(&task.url, probe, &*self.job);
            }
        }
        let resolves_random_name = self.resolves_random_name().await;
        // A survey has more results to come, so nothing is final.
        self.network.decide(resolves_random_name, !self.job.draws_samples());
        Ok(())
    }

    /// Whether a random name resolves to an IP address. The name has the parent domain
    /// of a host whose page other hosts also return. It resolves only if the DNS server
    /// returns an address for every name.
    async fn resolves_random_name(&self) -> bool {
        let Some(domain) = self.network.evidence.suspicious_domain() else { return false };
        let Some((_, suffix)) = domain.split_once('.') else { return false };
        let salt = xxh3_64(&self.run.started_at.as_millisecond().to_le_bytes());
        let Ok(url) = Url::parse(&format!("http://relink-{salt:016x}.{suffix}/")) else {
            return false;
        };
        self.ports.fetch.resolve_ip(&url).await.is_some()
    }
}

/// Returns the domain of a URL outside the local network and the crawled site.
fn foreign_domain(url: &str, job: &dyn Job) -> Option<String> {
    let url = Url::parse(url).ok()?;
    external_domain(&url).filter(|_| !job.follows(&url))
}

/// Returns the part of a URL before its path, which starts at the third slash.
fn scheme_and_host(url: &str) -> &str {
    let path_start = url.match_indices('/').nth(2).map(|(start, _)| start);
    path_start.and_then(|start| url.get(..start)).unwrap_or(url)
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{ConnectError, Timings};

    use super::*;
    use crate::dispatch::ListJob;

    fn probe(outcome: FetchOutcome) -> Probe {
        let (requested_at, timings) = (Timestamp::UNIX_EPOCH, Timings::default());
        Probe {
            requested_at,
            hops: Vec::new(),
            outcome,
            timings,
            retry_after: None,
            digest: None,
            version: None,
        }
    }

    /// A request that the host refused, which the local network may have caused.
    fn refused() -> Probe {
        probe(FetchOutcome::ConnectFailed(ConnectError::Refused))
    }

    #[test]
    fn failures_are_held_until_a_server_has_responded() {
        let (mut network, job) = (Network::new(false), ListJob::default());
        let local = "http://127.0.0.1/x";
        let is_held =
            |network: &Network| network.must_be_held(local, &refused(), Verdict::Failing, &job);
        network.record(local, &refused(), &job);
        assert!(is_held(&network) && !network.is_confirmed());
        network.record(local, &probe(FetchOutcome::Response(404)), &job);
        assert!(!is_held(&network) && network.is_confirmed());
    }

    #[test]
    fn failures_of_external_hosts_are_held_until_the_network_is_proven() {
        let (mut network, job) = (Network::new(true), ListJob::default());
        let url = "http://gone.example.org/x";
        let is_held =
            |network: &Network| network.must_be_held(url, &refused(), Verdict::Failing, &job);
        assert!(is_held(&network));
        assert!(!network.is_released(url, &refused(), &job));
        for domain in ["a.example.com", "b.example.net", "c.example.edu", "d.example.info"] {
            let probe = probe(FetchOutcome::Response(200));
            network.record(&format!("http://{domain}/"), &probe, &job);
        }
        assert!(network.is_proven() && !is_held(&network));
        assert!(network.is_released(url, &refused(), &job));
    }
}
