//! Judges held results. A held result waits in the store for one of two events: the
//! local network is known to work, or the neighbors of the page are fetched.
//!
//! *Neighbors* are pages of the same directory that serve as controls. A *control* is a
//! page that is only compared with the page to judge.

use relink_judge::{Decision, JudgeInput, PhraseScan};
use relink_model::{FetchTask, Probe};
use relink_ports::TaskUpdate;

use super::Dispatcher;
use super::neighbors::NEIGHBOR_KINDS;
use super::pending_judgment::{JudgedTask, target_result};
use super::worker::Role;
use crate::Observer;
use crate::judging::{conclude_page, judge_page};
use relink_requests::{BEFORE_FIRST_TASK, EngineError, StopSignal, isolate};

/// Number of tasks read from the store at a time.
pub(super) const PAGE_SIZE: usize = 256;

/// Which held results are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldReason {
    /// Results that wait for evidence that the local network works.
    Network,
    /// All held results, including those that wait for neighbors.
    All,
}

impl Dispatcher<'_> {
    /// Judges held results. Does nothing before a server has responded.
    pub(super) async fn judge_held(
        &mut self,
        reason: HoldReason,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        if self.run.role == Role::Worker {
            // The process that opened the run judges its held results at the end.
            return Ok(());
        }
        if reason == HoldReason::All {
            self.decide_network().await?;
        }
        let mut after = BEFORE_FIRST_TASK;
        while self.network.is_confirmed() && !stop.is_stopped() {
            self.report_progress(observer);
            let page = self.ports.store.held_tasks(self.run.id, after, PAGE_SIZE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            let mut judged = Vec::with_capacity(page.len());
            for (task, probe) in page {
                if reason == HoldReason::Network
                    && !self.network.is_released(&task.url, &probe, &*self.job)
                {
                    continue;
                }
                judged.push(match self.finish_held(&task, &probe) {
                    Some(judged) => judged,
                    None => self.judge_held_task(task, probe).await?,
                });
            }
            self.commit(judged, observer).await?;
        }
        Ok(())
    }

    /// Returns the result of a held task that needs no further judgment; `None` if the
    /// task must be judged.
    fn finish_held(&mut self, task: &FetchTask, probe: &Probe) -> Option<JudgedTask> {
        let result = self.network.finish_held(task, probe, &*self.job)?;
        let judged =
            JudgedTask::new(task.clone(), self.run_fence(), None, TaskUpdate::Finish(result));
        Some(JudgedTask { held_probe: Some(probe.clone()), ..judged })
    }

    /// Judges a held task after the network is known to work and nothing more
    /// will be fetched.
    async fn judge_held_task(
        &mut self,
        task: FetchTask,
        probe: Probe,
    ) -> Result<JudgedTask, EngineError> {
        // Use the time of the probe: an interrupted run may hold a task for
        // days.
        let now = probe.requested_at;
        let phrase_scan =
            isolate(&task.url, || probe.digest.as_deref().map(PhraseScan::from_digest));
        let phrase_scan = phrase_scan.unwrap_or_default();
        let mut controls = Vec::new();
        let judgment = loop {
            let input = JudgeInput {
                url: &task.url,
                attempts: &task.attempts,
                probe: &probe,
                phrase_scan,
                controls: &controls,
                history: &task.history,
                now,
            };
            match judge_page(&self.settings.policy, &input) {
                Decision::Compare(kind) if NEIGHBOR_KINDS.contains(&kind) => {
                    controls.extend(self.find_neighbors(&task.url, &probe).await?);
                }
                Decision::Compare(kind) => {
                    controls.push(self.known_control(kind, &task.url, &probe).await?);
                }
                // Nothing more is fetched: judge by the evidence at hand.
                Decision::Fetch { .. } => break conclude_page(&self.settings.policy, &input),
                Decision::Conclude(judgment) => break judgment,
            }
        };
        let result = target_result(judgment, &probe, task.attempts.clone(), now);
        let judged = JudgedTask::new(task, self.run_fence(), None, TaskUpdate::Finish(result));
        Ok(JudgedTask { held_probe: Some(probe), ..judged })
    }
}
