//! Cancellation of a use case.

use tokio::sync::watch;

/// Sends the stop signal.
#[derive(Debug)]
pub struct StopTrigger(watch::Sender<bool>);

/// Receives the stop signal.
#[derive(Debug, Clone)]
pub struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// Creates a trigger and its signal.
    pub fn new() -> (StopTrigger, Self) {
        let (sender, receiver) = watch::channel(false);
        (StopTrigger(sender), Self(receiver))
    }

    /// Creates a signal that is never sent.
    pub fn never() -> Self {
        Self::new().1
    }

    /// Whether the signal was sent.
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the signal is sent. Waits forever if the trigger is dropped.
    pub async fn stopped(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|is_stopped| *is_stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl StopTrigger {
    /// Sends the stop signal.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}
