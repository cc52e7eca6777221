//! The port to send mail.

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

/// A mail in plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMail {
    /// The address of the sender.
    pub from: String,
    /// The address of the recipient.
    pub to: String,
    /// The subject, without line breaks.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The `Message-ID`, the same for each attempt.
    pub message_id: String,
    /// The date.
    pub date: Timestamp,
}

/// The reason why a mail was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MailError {
    /// The server may accept the mail later.
    #[error("the mail server did not accept the mail yet: {reason}")]
    Transient {
        /// The response.
        reason: String,
    },
    /// The server cannot be used at the moment, for any mail: no connection, no encryption, or
    /// no login.
    #[error("cannot use the mail server: {reason}")]
    Server {
        /// The response or the failure of the connection.
        reason: String,
    },
    /// The server rejects the mail permanently.
    #[error("the mail server rejects the mail: {reason}")]
    Rejected {
        /// The response.
        reason: String,
    },
    /// An address or the configuration is invalid.
    #[error("cannot create the mail: {reason}")]
    Invalid {
        /// The cause.
        reason: String,
    },
}

/// Sends mail.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a mail. Returns after the server has accepted the mail.
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError>;
}
