//! Results that are held back while our own network may be at error.
//!
//! The rules are in `relink_frontier::NetworkEvidence`. Failures outside our own
//! network are put on hold until the network is proven to work, and decided at
//! the end of the run if it never is. So are pages outside that look like
//! soft-404s: a captive portal answers for every host.

use std::collections::HashMap;

use relink_frontier::{NetworkDoubt, NetworkEvidence, outside_domain};
use relink_judge::{codes, is_network_failure};
use relink_model::{Confidence, FetchTask, Probe, TaskId, Verdict};
use relink_ports::{TargetResult, TaskUpdate};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::Dispatcher;
use super::commit::PAGE;
use super::pending_judgment::JudgedTask;
use crate::EngineError;

/// The note of the domains that were reached.
const REACHED: &str = "network-reached";
/// Results of pages that wait, at most; more are judged from the store.
const MAX_WAITING: usize = 10_000;
/// How sure it is that a page fails which was not judged.
const UNJUDGED: Confidence = Confidence::CERTAIN;

/// What is known of our own network.
#[derive(Default)]
pub(super) struct Network {
    evidence: NetworkEvidence,
    /// Whether one more domain was reached since that was last stored.
    is_unsaved: bool,
    /// Whether everything was seen that there is to see.
    is_decided: bool,
    doubt: Option<NetworkDoubt>,
    /// Scheme and host of the last result that was not outside: the URLs of a
    /// long list on one host need not be parsed again for each.
    own: Option<String>,
    /// Results of pages that wait until they are known to be those of their
    /// hosts.
    waiting: HashMap<TaskId, TargetResult>,
}

impl Network {
    /// Why our own network is in doubt, once that is decided.
    pub(super) fn doubt(&self) -> Option<&NetworkDoubt> {
        self.doubt.as_ref()
    }
}

impl Dispatcher<'_> {
    /// The domain of a URL outside our own network and the crawled site.
    fn outside(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        let is_own = self.crawler.as_ref().is_some_and(|crawler| crawler.follows(&url));
        outside_domain(&url).filter(|_| !is_own)
    }

    /// Notes what a result says about our own network.
    pub(super) fn note_network(&mut self, url: &str, probe: &Probe) {
        self.has_network |= probe.outcome.reached_server();
        let evidence = &self.network.evidence;
        if evidence.is_reached() && evidence.has_different_pages() {
            return;
        }
        let host = scheme_and_host(url);
        if self.network.own.as_deref() == Some(host) {
            return;
        }
        if let Some(domain) = self.outside(url) {
            self.network.is_unsaved |= self.network.evidence.note(&domain, probe);
        } else if self.crawler.is_none() {
            // In a crawl, the path decides as well.
            self.network.own = Some(host.to_owned());
        }
    }

    /// Whether enough hosts outside were reached.
    pub(super) fn is_network_proven(&self) -> bool {
        self.network.evidence.is_reached()
    }

    /// Restores what an interrupted run knew.
    pub(super) async fn recall_network(&mut self) -> Result<(), EngineError> {
        let reached = self.ports.store.checkpoint(self.run, REACHED).await?.unwrap_or_default();
        reached.lines().for_each(|domain| self.network.evidence.recall_reached(domain));
        Ok(())
    }

    /// Stores which domains were reached; there are at most three to store.
    pub(super) async fn keep_network(&mut self) -> Result<(), EngineError> {
        if std::mem::take(&mut self.network.is_unsaved) {
            let reached: Vec<&str> = self.network.evidence.reached().collect();
            self.ports.store.save_checkpoint(self.run, REACHED, &reached.join("\n")).await?;
        }
        Ok(())
    }

    /// Whether a result that would be settled has to wait.
    pub(super) fn is_doubtful(&self, url: &str, probe: &Probe, word: Verdict) -> bool {
        let network = &self.network;
        if is_network_failure(&probe.outcome) {
            let is_proven = network.is_decided || network.evidence.is_reached();
            return !self.has_network || !is_proven && self.outside(url).is_some();
        }
        // A survey goes on by its answers; see `Asker::settle_doubtful`.
        let is_suspect = word == Verdict::Soft404 && self.source.is_none();
        let is_proven = network.is_decided || network.evidence.has_different_pages();
        is_suspect && !is_proven && self.outside(url).is_some()
    }

    /// Keeps the result of a page that waits.
    pub(super) fn keep_waiting(&mut self, task: TaskId, settlement: TargetResult) {
        if self.network.waiting.len() < MAX_WAITING {
            self.network.waiting.insert(task, settlement);
        }
    }

    /// Decides at the end whether our own network is in doubt. Results that an
    /// interrupted run put on hold count, too.
    pub(super) async fn decide_network(&mut self) -> Result<(), EngineError> {
        if self.network.is_decided || !self.has_network {
            return Ok(());
        }
        let mut after = TaskId(0);
        loop {
            let page = self.ports.store.held_tasks(self.run, after, PAGE).await?;
            let Some((last, _)) = page.last() else { break };
            after = last.id;
            for (task, probe) in &page {
                self.note_network(&task.url, probe);
            }
        }
        let resolves_random_name = self.resolves_random_name().await;
        let evidence = &self.network.evidence;
        let doubt = evidence.doubt().or_else(|| evidence.page_doubt(resolves_random_name));
        // A survey has further answers to come, so nothing is final.
        self.network.is_decided = self.source.is_none() || doubt.is_some();
        self.network.doubt = doubt;
        Ok(())
    }

    /// Looks up a random name next to a host whose page others show, too. Only
    /// a name server that returns an address for every name knows it.
    async fn resolves_random_name(&self) -> bool {
        let Some(domain) = self.network.evidence.suspicious_domain() else { return false };
        let Some((_, suffix)) = domain.split_once('.') else { return false };
        let salt = xxh3_64(&self.started.as_millisecond().to_le_bytes());
        let Ok(url) = Url::parse(&format!("http://relink-{salt:016x}.{suffix}/")) else {
            return false;
        };
        self.ports.fetch.resolve_ip(&url).await.is_some()
    }

    /// Whether a failure on hold can be judged before the end.
    pub(super) fn is_released(&self, url: &str, probe: &Probe) -> bool {
        let is_proven = self.is_network_proven() || self.outside(url).is_none();
        is_network_failure(&probe.outcome) && is_proven
    }

    /// The result of a task on hold that our own network may be to blame for,
    /// or that was found before it was put on hold.
    pub(super) fn settle_doubtful(
        &mut self,
        task: &FetchTask,
        probe: &Probe,
    ) -> Option<JudgedTask> {
        let found = self.network.waiting.remove(&task.id);
        let is_suspect = is_network_failure(&probe.outcome) || found.is_some();
        let doubt = self.network.doubt.as_ref().filter(|doubt| match doubt {
            NetworkDoubt::SamePage { .. } => !is_network_failure(&probe.outcome),
            _ => is_network_failure(&probe.outcome),
        });
        let settlement = match doubt.filter(|_| is_suspect && self.outside(&task.url).is_some()) {
            Some(doubt) => in_doubt(task, probe, doubt),
            None => found?,
        };
        let judged = JudgedTask::new(task.clone(), None, None, TaskUpdate::Finish(settlement));
        Some(JudgedTask { held: Some(probe.clone()), ..judged })
    }
}

/// The part of a URL before its path.
fn scheme_and_host(url: &str) -> &str {
    let path = url.match_indices('/').nth(2).map(|(at, _)| at);
    path.and_then(|at| url.get(..at)).unwrap_or(url)
}

/// The state of a page that was not judged because our own network is in doubt.
fn in_doubt(task: &FetchTask, probe: &Probe, doubt: &NetworkDoubt) -> TargetResult {
    let history = &task.history;
    let is_same = history.verdict == Some(Verdict::Failing);
    TargetResult {
        verdict: Verdict::Failing,
        code: Some(codes::DNS_FAILED),
        status: probe.outcome.status(),
        reason: format!("our own network is in doubt: {doubt} ({})", probe.outcome),
        since: history.since.filter(|_| is_same).unwrap_or(probe.requested_at),
        at: probe.requested_at,
        attempts: task.attempts.clone(),
        streak: history.streak,
        confidence: UNJUDGED,
        evidence: Vec::new(),
    }
}
