//! Results that finished before all link locations were known. They are
//! reported in batches so that dispatching continues.

use std::collections::HashSet;

use relink_model::TaskId;
use relink_ports::CheckedTargetQuery;

use super::Dispatcher;
use super::commit::PAGE_SIZE;
use crate::{EngineError, Observer};

/// Progress of reporting the deferred results.
pub(super) struct DeferredReports {
    /// The last reported task.
    after: TaskId,
    /// The last task to report.
    through: TaskId,
    /// Tasks that finished later and are reported already.
    reported: HashSet<TaskId>,
}

impl DeferredReports {
    /// Defers the reports of all tasks up to this one.
    pub(super) fn through(task: TaskId) -> Self {
        Self { after: TaskId(0), through: task, reported: HashSet::new() }
    }
}

impl Dispatcher<'_> {
    /// Records that a result was reported directly.
    pub(super) fn mark_reported(&mut self, task: TaskId) {
        if let Some(deferred) = &mut self.deferred {
            deferred.reported.insert(task);
        }
        if self.is_shared {
            self.reported.insert(task);
        }
    }

    /// Reports the next batch of deferred results: local links, cached results,
    /// results of an earlier part of a resumed run, and results that finished
    /// while loading.
    pub(super) async fn report_deferred_page(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let max_locations = self.max_locations();
        let Some(deferred) = &mut self.deferred else { return Ok(()) };
        let query = CheckedTargetQuery {
            after: deferred.after,
            limit: PAGE_SIZE,
            max_locations,
            ..CheckedTargetQuery::ALL
        };
        let page = self.ports.store.checked_targets(self.run, query).await?;
        for checked in page.iter().take_while(|checked| checked.task <= deferred.through) {
            let is_reported =
                deferred.reported.contains(&checked.task) || self.reported.contains(checked.task);
            if !is_reported {
                observer.on_result(checked)?;
            }
            if self.is_shared {
                self.reported.insert(checked.task);
            }
        }
        match page.last().filter(|last| last.task < deferred.through) {
            Some(last) => deferred.after = last.task,
            None => self.deferred = None,
        }
        Ok(())
    }

    /// Reports all remaining deferred results.
    pub(super) async fn report_deferred(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        while self.deferred.is_some() {
            self.report_deferred_page(observer).await?;
        }
        Ok(())
    }
}
