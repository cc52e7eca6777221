//! Passes the results that other workers have committed to a job that selects its next
//! tasks by results, such as a survey. The owner of a run reads them from the store.

use std::collections::HashSet;
use std::time::Duration;

use relink_ports::TargetState;

use super::Dispatcher;
use super::held::PAGE_SIZE;
use super::new_tasks::waits_for_neighbors;
use super::worker::Role;
use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// Interval between two reads of results of other workers.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Decides when results of other workers are read.
#[derive(Debug, Default)]
pub(super) struct ResultPoll {
    /// When the next read is due.
    due_at: Duration,
}

impl Dispatcher<'_> {
    /// Reads the results that the job waits for, at most once per interval.
    pub(super) async fn read_awaited_results_if_due(&mut self) -> Result<(), EngineError> {
        if self.elapsed() < self.result_poll.due_at {
            return Ok(());
        }
        self.read_awaited_results().await?;
        self.result_poll.due_at = self.elapsed() + POLL_INTERVAL;
        Ok(())
    }

    /// Reads the results that the job waits for.
    pub(super) async fn read_awaited_results(&mut self) -> Result<(), EngineError> {
        if !self.run.is_shared || self.run.role == Role::Worker {
            return Ok(());
        }
        let awaited = self.job.awaited_targets();
        if awaited.is_empty() {
            return Ok(());
        }
        let states = self.ports.store.target_states(self.run.id, &awaited).await?;
        let mut held = HashSet::new();
        for (url, state) in states {
            match state {
                TargetState::Checked(verdict) => self.job.on_result(&url, verdict),
                TargetState::Held => {
                    held.insert(url);
                }
            }
        }
        if held.is_empty() { Ok(()) } else { self.read_held_targets(&held).await }
    }

    /// Reports to the job which of these held targets wait for their neighbors. The others
    /// wait for evidence that the local network works.
    async fn read_held_targets(&mut self, held: &HashSet<String>) -> Result<(), EngineError> {
        let mut after = BEFORE_FIRST_TASK;
        loop {
            let page = self.ports.store.held_tasks(self.run.id, after, PAGE_SIZE).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = last.id;
            for (task, probe) in &page {
                if held.contains(&task.url) && waits_for_neighbors(Some(probe)) {
                    self.job.on_hold(&task.url);
                }
            }
        }
    }
}
