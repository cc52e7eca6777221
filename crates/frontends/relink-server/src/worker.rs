//! Processes submissions one after the other.
//!
//! Connections run in parallel; they send their changes to this worker, which owns the use cases.

use relink_engine::{EngineError, Harvester, ProviderSettings, StopSignal, Submission};
use relink_ports::{HarvestedRecord, StoredProvider};
use tokio::sync::{Mutex, mpsc, oneshot};

/// Maximum number of submissions that wait for their check.
const MAX_WAITING: usize = 16;

/// A change of a record.
pub(crate) enum Change {
    /// Store and check a record.
    Submit(HarvestedRecord),
    /// Delete the record with this identifier.
    Withdraw(String),
}

/// The result of a change; a deleted record has none.
type Outcome = Result<Option<Submission>, EngineError>;

/// A change that waits for the worker.
struct Job {
    provider: StoredProvider,
    settings: ProviderSettings,
    change: Change,
    result: oneshot::Sender<Outcome>,
}

/// Why a change was not made.
pub(crate) enum ChangeError {
    /// Too many changes are waiting.
    Overloaded,
    /// The worker has ended.
    Stopped,
    /// The change failed.
    Engine(EngineError),
}

/// Sends changes to the worker.
#[derive(Clone)]
pub(crate) struct JobQueue(mpsc::Sender<Job>);

impl JobQueue {
    /// Makes a change and waits for its result.
    pub(crate) async fn process(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        change: Change,
    ) -> Result<Option<Submission>, ChangeError> {
        let (result, outcome) = oneshot::channel();
        let job = Job { provider: provider.clone(), settings: settings.clone(), change, result };
        self.0.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ChangeError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => ChangeError::Stopped,
        })?;
        let outcome = outcome.await.map_err(|_| ChangeError::Stopped)?;
        outcome.map_err(ChangeError::Engine)
    }
}

/// The worker of the publishing interface.
pub struct SpiWorker(mpsc::Receiver<Job>);

impl SpiWorker {
    pub(crate) fn new() -> (JobQueue, Self) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        (JobQueue(sender), Self(receiver))
    }

    /// Processes changes until the interface ends. `lock` is held during a change, so that
    /// nothing else changes the records meanwhile.
    pub async fn run(mut self, harvester: &Harvester<'_>, lock: &Mutex<()>, stop: &StopSignal) {
        while let Some(job) = self.0.recv().await {
            let Job { provider, settings, change, result } = job;
            let guard = lock.lock().await;
            let outcome = match change {
                Change::Submit(record) => {
                    harvester.submit(&provider, &settings, record, stop).await.map(Some)
                }
                Change::Withdraw(identifier) => {
                    harvester.withdraw(&provider, &settings, &identifier).await.map(|()| None)
                }
            };
            drop(guard);
            // Ignore the error: the client closed the connection.
            let _ = result.send(outcome);
        }
    }
}
