//! Commits judged tasks and reports the finished ones.
//!
//! The store rejects results of a process that has lost its lease: the exclusive right
//! to fetch the tasks of a host.

use relink_model::{FetchTask, Probe};
use relink_ports::{Fence, TaskCompletion, TaskUpdate};

use super::Dispatcher;
use super::pending_judgment::JudgedTask;
use super::worker::Role;
use crate::Observer;
use relink_requests::EngineError;

impl Dispatcher<'_> {
    /// Stores judged tasks in one transaction and reports the finished ones.
    pub(super) async fn commit(
        &mut self,
        mut judged: Vec<JudgedTask>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if judged.is_empty() {
            return Ok(());
        }
        let now = self.ports.now();
        let cache_window = self.job.cache_window(now);
        let held_probes: Vec<Option<Probe>> =
            judged.iter_mut().map(|judged| judged.held_probe.take()).collect();
        let mut tasks = Vec::with_capacity(judged.len());
        let mut completions = Vec::with_capacity(judged.len());
        for judged in judged {
            let (task, completion) = self.complete_task(judged);
            tasks.push(task);
            completions.push(completion);
        }
        let completed = self.ports.store.commit(self.run.id, &completions, cache_window).await?;
        self.count_new_targets(&completed);
        self.start_trap_tests();
        self.mark_returned(&tasks);
        let rejected = completed.rejected;
        let is_rejected = |completion: &&TaskCompletion| rejected.contains(&completion.task);
        for completion in completions.iter().filter(is_rejected) {
            // The lease of the host was lost.
            if let Fence::Host(lease) = completion.fence {
                self.give_up(lease);
            }
        }
        let accepted: Vec<(FetchTask, TaskCompletion)> = tasks
            .into_iter()
            .zip(completions)
            .zip(held_probes)
            .filter(|((task, _), _)| !rejected.contains(&task.id))
            .map(|((task, completion), held_probe)| {
                // The store has the probe of a held task, but the observer needs it.
                let probe = completion.probe.or(held_probe);
                (task, TaskCompletion { probe, ..completion })
            })
            .collect();
        self.notify_job(&accepted);
        let is_finished = |(_, completion): &(FetchTask, TaskCompletion)| {
            matches!(completion.update, TaskUpdate::Finish(_))
        };
        let checked: Vec<(FetchTask, TaskCompletion)> =
            accepted.into_iter().filter(is_finished).collect();
        self.reports.checked += checked.len() as u64;
        if !self.loading.is_done() || self.run.role == Role::Worker {
            // More link locations may follow. The owner of the run reports the result
            // later, from the store.
            return Ok(());
        }
        self.report(checked, observer).await
    }
}
