//! The port to deliver notifications to webhooks: URLs that providers registered.

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

/// A message to a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// The URL.
    pub url: String,
    /// The id of the message. All attempts have the same id.
    pub id: String,
    /// The body: JSON.
    pub body: String,
    /// The time of this attempt.
    pub sent_at: Timestamp,
}

/// The reason why a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WebhookError {
    /// The receiver may accept the message later.
    #[error("the receiver did not accept the message yet: {reason}")]
    Transient {
        /// The response or the failure of the connection.
        reason: String,
    },
    /// The receiver rejects the message permanently.
    #[error("the receiver rejects the message: {reason}")]
    Rejected {
        /// The response.
        reason: String,
    },
}

/// Delivers messages.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Delivers a message. Returns after the receiver has accepted the message.
    async fn deliver(&self, message: &WebhookMessage) -> Result<(), WebhookError>;
}
