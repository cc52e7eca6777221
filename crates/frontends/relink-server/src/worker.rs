//! Processes submitted records one after the other.
//!
//! Connections run in parallel. They send their changes to one worker, which is the only part
//! of the server that changes records.

use relink_federation::{Harvester, ProviderSettings, Submission};
use relink_ports::{HarvestedRecord, StoredProvider};
use relink_requests::{EngineError, StopSignal};
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

/// The result of a change; `None` after a deletion.
type ChangeResult = Result<Option<Submission>, EngineError>;

/// A change that waits for the worker.
struct Job {
    provider: StoredProvider,
    settings: ProviderSettings,
    change: Change,
    /// Sends the result to the connection.
    result_sender: oneshot::Sender<ChangeResult>,
}

/// The reason why a change was not made.
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
        let (result_sender, result) = oneshot::channel();
        let (provider, settings) = (provider.clone(), settings.clone());
        let job = Job { provider, settings, change, result_sender };
        self.0.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ChangeError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => ChangeError::Stopped,
        })?;
        let result = result.await.map_err(|_| ChangeError::Stopped)?;
        result.map_err(ChangeError::Engine)
    }
}

/// The worker of the publishing interface.
pub struct SpiWorker(mpsc::Receiver<Job>);

impl SpiWorker {
    /// Creates a worker, and the queue that sends changes to the worker.
    pub(crate) fn new() -> (JobQueue, Self) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        (JobQueue(sender), Self(receiver))
    }

    /// Processes changes until the interface is dropped. Holds `lock` during a change, so that
    /// a harvest in the same process does not change records at the same time.
    pub async fn run(mut self, harvester: &Harvester<'_>, lock: &Mutex<()>, stop: &StopSignal) {
        while let Some(job) = self.0.recv().await {
            let Job { provider, settings, change, result_sender } = job;
            let guard = lock.lock().await;
            let result = match change {
                Change::Submit(record) => {
                    harvester.submit(&provider, &settings, record, stop).await.map(Some)
                }
                Change::Withdraw(identifier) => {
                    harvester.withdraw(&provider, &settings, &identifier).await.map(|()| None)
                }
            };
            drop(guard);
            // Ignore the error: the client closed the connection.
            let _ = result_sender.send(result);
        }
    }
}
