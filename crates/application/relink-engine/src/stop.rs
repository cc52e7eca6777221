//! A way to ask a use case to stop in an orderly way.

use tokio::sync::watch;

/// Raised once by whoever wants the work to stop.
#[derive(Debug)]
pub struct StopTrigger(watch::Sender<bool>);

/// Watched by the work.
#[derive(Debug, Clone)]
pub struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// A switch and the signal it raises.
    pub fn new() -> (StopTrigger, Self) {
        let (sender, receiver) = watch::channel(false);
        (StopTrigger(sender), Self(receiver))
    }

    /// Whether the switch was raised.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the switch is raised; for ever if it is gone.
    pub async fn raised(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|raised| *raised).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl StopTrigger {
    /// Asks the work to stop.
    pub fn raise(&self) {
        self.0.send_replace(true);
    }
}
