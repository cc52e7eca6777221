//! The loading of links, which runs at the same time as fetching.

use std::time::Duration;

use relink_model::TaskId;

use super::DispatchStart;
use crate::Progress;
use relink_documents::LoadProgress;
use relink_requests::BEFORE_FIRST_TASK;

/// Time before fetching starts while links are still being read. Most inputs are read
/// within this time. A result that finishes before all links are read costs more: it is
/// read back from the store to be reported.
const LOADING_HEAD_START: Duration = Duration::from_millis(250);

/// The progress of the loader, as the dispatcher sees it.
pub(super) struct Loading<'a> {
    start: DispatchStart,
    progress: &'a LoadProgress,
    /// Whether the dispatcher knows that all links are stored. From then on, results are
    /// reported with all locations of links to them.
    is_done: bool,
    /// The last task that existed when all links were stored. `report_unfetched` advances
    /// it to the last target that it has reported.
    pub(super) last_task: TaskId,
}

impl<'a> Loading<'a> {
    pub(super) fn new(start: DispatchStart, progress: &'a LoadProgress) -> Self {
        Self { start, progress, is_done: false, last_task: BEFORE_FIRST_TASK }
    }

    /// Whether all links are stored and the dispatcher knows it.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the loader has stored all links.
    pub(super) fn has_ended(&self) -> bool {
        self.progress.is_done()
    }

    /// Records that all links are stored. `last_task` is the last task that they added.
    pub(super) fn finish(&mut self, last_task: TaskId) {
        (self.is_done, self.last_task) = (true, last_task);
    }

    /// Whether requests may be sent at `elapsed`, the time since the start.
    pub(super) fn can_send(&self, elapsed: Duration) -> bool {
        self.is_done || self.start == DispatchStart::DuringLoading && elapsed >= LOADING_HEAD_START
    }

    /// Returns the number of link batches stored so far.
    pub(super) fn stored_batches(&self) -> u64 {
        self.progress.stored_batches()
    }

    /// Returns what the loader has done.
    pub(super) fn loader(&self) -> &'a LoadProgress {
        self.progress
    }

    /// Waits until the loader has stored more links.
    pub(super) async fn changed(&self) {
        self.progress.changed().await;
    }

    /// Returns the progress of loading.
    pub(super) fn progress(&self) -> Progress {
        Progress::Loading { documents: self.progress.documents(), links: self.progress.links() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_start_after_the_head_start_or_after_loading() {
        let progress = LoadProgress::default();
        let mut during = Loading::new(DispatchStart::DuringLoading, &progress);
        let mut after = Loading::new(DispatchStart::AfterLoading, &progress);
        assert!(!during.can_send(LOADING_HEAD_START / 2));
        assert!(during.can_send(LOADING_HEAD_START));
        assert!(!after.can_send(Duration::from_mins(1)));
        progress.finish_empty();
        for loading in [&mut during, &mut after] {
            assert!(loading.has_ended());
            assert!(!loading.is_done(), "the dispatcher has not called `finish` yet");
            loading.finish(TaskId(3));
            assert!(loading.can_send(Duration::ZERO));
        }
    }
}
