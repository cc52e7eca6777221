//! `worker`: helps with runs that other processes have opened.
//!
//! The process that opens a run stores its settings as a checkpoint, because all
//! processes that fetch pages of the run must use the same settings.

use std::time::Duration;

use relink_frontier::PolitenessPolicy;
use relink_judge::{Policy, RuleSet};
use relink_model::RunId;
use relink_ports::{JoinableRun, OpenRun, Store};
use serde::{Deserialize, Serialize};

use crate::DispatchSettings;
use crate::dispatch::{DispatchStart, Dispatcher, ListJob};
use relink_documents::LoadProgress;
use relink_requests::{EngineError, Ports, StopSignal, to_json};

/// The name of the checkpoint with the settings.
const SETTINGS_CHECKPOINT: &str = "worker-settings";

/// The settings of a run that all of its workers must use: those of [`DispatchSettings`],
/// [`PolitenessPolicy`] and [`Policy`]. Durations are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerSettings {
    content: RunContent,
    host_concurrency: usize,
    interval_ms: u64,
    is_adaptive: bool,
    adaptive_percent: u32,
    ip_gap_ms: u64,
    retries: u32,
    confirm_runs: u32,
    confirm_days: i64,
    long_chain: usize,
    max_host_wait_ms: u64,
    max_control_age_ms: u64,
    max_page_bytes: usize,
    uses_controls: bool,
}

impl WorkerSettings {
    /// Returns the settings of a run; `None` if workers do not support its rules.
    fn new(settings: &DispatchSettings, content: RunContent) -> Option<Self> {
        let DispatchSettings { politeness, policy, .. } = settings;
        (policy.rules == RuleSet::Relink).then(|| Self {
            content,
            host_concurrency: politeness.host_concurrency,
            interval_ms: millis(politeness.interval),
            is_adaptive: politeness.is_adaptive,
            adaptive_percent: politeness.adaptive_percent,
            ip_gap_ms: millis(politeness.ip_gap),
            retries: policy.retries,
            confirm_runs: policy.confirm_runs,
            confirm_days: policy.confirm_days,
            long_chain: policy.long_chain,
            max_host_wait_ms: millis(settings.max_host_wait),
            max_control_age_ms: millis(settings.max_control_age),
            max_page_bytes: settings.max_page_bytes,
            uses_controls: settings.uses_controls,
        })
    }

    /// Returns the settings of the dispatcher of a worker.
    fn dispatch(&self, options: WorkerOptions) -> DispatchSettings {
        let WorkerOptions { concurrency, lease } = options;
        DispatchSettings {
            concurrency,
            lease,
            politeness: PolitenessPolicy {
                host_concurrency: self.host_concurrency,
                interval: Duration::from_millis(self.interval_ms),
                is_adaptive: self.is_adaptive,
                adaptive_percent: self.adaptive_percent,
                ip_gap: Duration::from_millis(self.ip_gap_ms),
            },
            policy: Policy {
                rules: RuleSet::Relink,
                retries: self.retries,
                confirm_runs: self.confirm_runs,
                confirm_days: self.confirm_days,
                long_chain: self.long_chain,
            },
            max_host_wait: Duration::from_millis(self.max_host_wait_ms),
            max_control_age: Duration::from_millis(self.max_control_age_ms),
            max_page_bytes: self.max_page_bytes,
            uses_controls: self.uses_controls,
        }
    }
}

/// What the tasks of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RunContent {
    /// Links of documents.
    Links,
    /// Links of documents, with the anchors of their targets.
    LinksWithAnchors,
    /// Samples of a survey, which are added while it runs.
    Samples,
}

/// The options of one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerOptions {
    /// Maximum number of requests in flight over all hosts.
    pub concurrency: usize,
    /// Duration of the lease of a host.
    pub lease: Duration,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Stores the settings of a run, so that workers can join it.
pub(crate) async fn allow_workers(
    store: &dyn Store,
    run: RunId,
    settings: &DispatchSettings,
    content: RunContent,
) -> Result<(), EngineError> {
    let Some(settings) = WorkerSettings::new(settings, content).filter(|_| store.is_shared())
    else {
        return Ok(());
    };
    let text = to_json(&settings)?;
    store.save_checkpoint(run, SETTINGS_CHECKPOINT, &text).await?;
    Ok(())
}

/// Helps with the open runs of the store, one after the other, until none of
/// them has a task. Returns the number of results.
///
/// Only runs that store their settings can be joined: those of `check` and `survey`.
pub async fn work(
    ports: &Ports,
    options: WorkerOptions,
    stop: &StopSignal,
) -> Result<u64, EngineError> {
    let mut results = 0;
    for JoinableRun { run, .. } in ports.store.joinable_runs().await? {
        if stop.is_stopped() {
            break;
        }
        results += help(ports, &run, options, stop).await?;
    }
    Ok(results)
}

/// Helps with a run until it has no task. Returns the number of results, which is zero
/// if the run cannot be joined.
pub(crate) async fn help(
    ports: &Ports,
    run: &OpenRun,
    options: WorkerOptions,
    stop: &StopSignal,
) -> Result<u64, EngineError> {
    let text = ports.store.checkpoint(run.id, SETTINGS_CHECKPOINT).await?.unwrap_or_default();
    // Other commands store no settings. Those of another version cannot be read.
    let Ok(settings) = serde_json::from_str::<WorkerSettings>(&text) else { return Ok(0) };
    // Before all links are stored, a worker could not know when it is done. The tasks of a
    // survey are never complete before its end, so its workers search again later.
    let has_samples = settings.content == RunContent::Samples;
    if !has_samples && !ports.store.run_status(run.id).await?.is_loaded {
        return Ok(0);
    }
    let (dispatch, progress) = (settings.dispatch(options), LoadProgress::default());
    progress.finish_for_worker(settings.content == RunContent::LinksWithAnchors);
    let start = DispatchStart::AfterLoading;
    let mut job = ListJob::of_worker(has_samples);
    Dispatcher::new(ports, run, &dispatch, start, &progress, &mut job).work(stop).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_settings_are_restored_with_the_options_of_the_worker() {
        let settings = DispatchSettings { concurrency: 7, ..DispatchSettings::default() };
        let stored = WorkerSettings::new(&settings, RunContent::LinksWithAnchors).unwrap();
        let read: WorkerSettings =
            serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
        let lease = Duration::from_secs(9);
        let read_back = read.dispatch(WorkerOptions { concurrency: 7, lease });
        let DispatchSettings { concurrency, politeness, policy, max_host_wait, .. } = read_back;
        assert_eq!((concurrency, max_host_wait), (7, settings.max_host_wait));
        assert_eq!(read_back.lease, lease);
        assert_eq!((politeness, policy), (settings.politeness, settings.policy));
        assert_eq!(read.content, RunContent::LinksWithAnchors);
    }
}
