//! Adds the tasks of a job that depend on earlier results.
//!
//! A crawl reads sitemaps when no link is left. A survey selects its next sample of URLs
//! by the results so far.

use relink_judge::is_network_failure;
use relink_model::{FetchTask, Probe};
use relink_ports::{CommitSummary, LinkBatch, TaskCompletion, TaskUpdate};

use super::{Dispatcher, NewTasks};
use relink_requests::EngineError;

impl Dispatcher<'_> {
    /// Stores the checkpoint of the job.
    pub(super) async fn save_job_checkpoint(&mut self) -> Result<(), EngineError> {
        if let Some((name, text)) = self.job.checkpoint() {
            self.ports.store.save_checkpoint(self.run.id, name, &text).await?;
        }
        Ok(())
    }

    /// Adds the next tasks of the job. Returns whether there were any.
    pub(super) async fn add_new_tasks(&mut self) -> Result<bool, EngineError> {
        let new_tasks = self.job.next_tasks(self.ports.now());
        self.save_job_checkpoint().await?;
        let Some(new_tasks) = new_tasks else { return Ok(false) };
        let (store, run) = (&self.ports.store, self.run.id);
        match new_tasks {
            NewTasks::Page(page, cache_window) => {
                let summary = store.add_pages(run, &[page], cache_window).await?;
                self.count_new_targets(&summary);
            }
            NewTasks::Links { document, first, links, cache_window } => {
                let batch =
                    LinkBatch { document, first_position: first, links: &links, cache_window };
                store.add_links(run, batch).await?;
                self.reports.targets += links.len() as u64;
                self.claims.add_stored_batch();
            }
        }
        Ok(true)
    }

    /// Counts the targets that a commit added.
    pub(super) fn count_new_targets(&mut self, completed: &CommitSummary) {
        if completed.new_targets > 0 {
            self.reports.targets += completed.new_targets;
            self.reports.checked += completed.already_checked;
            self.claims.add_stored_batch();
        }
    }

    /// Passes committed results to the job.
    pub(super) fn notify_job(&mut self, accepted: &[(FetchTask, TaskCompletion)]) {
        for (task, completion) in accepted {
            match &completion.update {
                TaskUpdate::Finish(result) => self.job.on_result(&task.url, result.verdict),
                TaskUpdate::Hold { .. } if waits_for_neighbors(completion.probe.as_ref()) => {
                    self.job.on_hold(&task.url);
                }
                _ => {}
            }
        }
    }
}

/// Whether a held task waits until other pages of its directory are fetched. Held
/// network failures wait for evidence that the local network works instead.
pub(super) fn waits_for_neighbors(probe: Option<&Probe>) -> bool {
    probe.is_some_and(|probe| !is_network_failure(&probe.outcome))
}
