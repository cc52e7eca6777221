//! The implementation of [`RunStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{RunId, TaskId};
use relink_ports::{
    HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats, RunStore, RunSummary, StoreError,
};

use super::{SqliteStore, pages, runs, site};

#[async_trait]
impl RunStore for SqliteStore {
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.transact("opening a run", |db| runs::open(db, key, fresh, now))
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.perform("closing a run", |db| runs::close(db, run, state, now))
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        self.perform("confirming the network", |db| runs::confirm_network(db, run))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        self.perform("reading run statistics", |db| runs::progress(db, run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("reading run statistics", |db| runs::source_stats(db, run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("reading run statistics", |db| runs::run_stats(db, run))
    }

    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        self.perform("listing hosts", |db| runs::host_stats(db, run, limit))
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError> {
        self.perform("listing runs", |db| site::runs(db, command, limit))
    }

    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError> {
        self.perform("reading the last task id", |db| pages::last_task_id(db, run))
    }

    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError> {
        self.perform("reading a checkpoint", |db| pages::checkpoint(db, run, name))
    }

    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError> {
        self.perform("saving a checkpoint", |db| pages::save_checkpoint(db, run, name, text))
    }
}
