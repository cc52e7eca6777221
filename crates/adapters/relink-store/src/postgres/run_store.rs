//! The implementation of [`RunStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{RunId, TaskId};
use relink_ports::{
    HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats, RunStore, RunSummary, StoreError,
};

use super::{PostgresStore, perform, runs, site};

#[async_trait]
impl RunStore for PostgresStore {
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.open_owned_run(key, fresh, now).await
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        perform!(self, "closing a run", |db| runs::close(db, run, state, now))
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        perform!(self, "confirming the network", |db| runs::confirm_network(db, run))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        perform!(self, "reading run statistics", |db| runs::progress(db, run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        perform!(self, "reading run statistics", |db| runs::source_stats(db, run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        perform!(self, "reading run statistics", |db| runs::run_stats(db, run))
    }

    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        perform!(self, "listing hosts", |db| runs::host_stats(db, run, limit))
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError> {
        perform!(self, "listing runs", |db| site::runs(db, command, limit))
    }

    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError> {
        perform!(self, "reading the last task id", |db| site::last_task_id(db, run))
    }

    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError> {
        perform!(self, "reading a checkpoint", |db| site::checkpoint(db, run, name))
    }

    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError> {
        perform!(self, "saving a checkpoint", |db| site::save_checkpoint(db, run, name, text))
    }
}
