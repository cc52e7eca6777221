//! What was settled before every place was known: told page by page, so that
//! the asking goes on meanwhile.

use std::collections::HashSet;

use relink_model::TaskId;
use relink_ports::CheckedTargetQuery;

use super::Dispatcher;
use super::commit::PAGE;
use crate::{EngineError, Observer};

/// What is still to be told of the results from before.
pub(super) struct DeferredReports {
    /// The last task told.
    after: TaskId,
    /// The last task there is to tell.
    through: TaskId,
    /// What was settled since, and is told already.
    reported: HashSet<TaskId>,
}

impl DeferredReports {
    /// Everything up to this task.
    pub(super) fn through(task: TaskId) -> Self {
        Self { after: TaskId(0), through: task, reported: HashSet::new() }
    }
}

impl Dispatcher<'_> {
    /// Notes that a result was told as it came.
    pub(super) fn note_told(&mut self, task: TaskId) {
        if let Some(backlog) = &mut self.backlog {
            backlog.reported.insert(task);
        }
    }

    /// Tells the next results from before: local links, what was alive lately,
    /// in a resumed run what was settled before, and what was asked while
    /// loading.
    pub(super) async fn tell_some_backlog(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let places = self.places();
        let Some(backlog) = &mut self.backlog else { return Ok(()) };
        let query = CheckedTargetQuery {
            after: backlog.after,
            limit: PAGE,
            locations: places,
            ..CheckedTargetQuery::ALL
        };
        let page = self.ports.store.checked_targets(self.run, query).await?;
        for settled in page.iter().take_while(|settled| settled.task <= backlog.through) {
            if !backlog.reported.contains(&settled.task) {
                observer.settled(settled)?;
            }
        }
        match page.last().filter(|last| last.task < backlog.through) {
            Some(last) => backlog.after = last.task,
            None => self.backlog = None,
        }
        Ok(())
    }

    /// Tells all that is left of it.
    pub(super) async fn report_deferred(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        while self.backlog.is_some() {
            self.tell_some_backlog(observer).await?;
        }
        Ok(())
    }
}
