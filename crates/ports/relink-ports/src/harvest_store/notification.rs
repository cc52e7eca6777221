//! Notifications and the outbox of mails and webhooks.

use jiff::Timestamp;

/// A notification to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotification {
    /// A key that identifies the notification. A second notification with the same key is
    /// not stored.
    pub key: String,
    /// The kind, such as `reported`.
    pub kind: String,
    /// The content as JSON.
    pub content: String,
    /// The mail addresses that receive the notification. An empty list sends no mail.
    pub recipients: Vec<String>,
    /// The webhook URLs that receive the notification. Feeds do not depend on `recipients` and
    /// `webhooks`: a feed contains all notifications that are not internal to the service.
    pub webhooks: Vec<String>,
}

/// A stored notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNotification {
    /// The id in the store.
    pub id: i64,
    /// The id of the provider.
    pub provider: i64,
    /// The key.
    pub key: String,
    /// The kind.
    pub kind: String,
    /// The content as JSON.
    pub content: String,
    /// The time of the event.
    pub created_at: Timestamp,
}

/// The state of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailState {
    /// The mail server has not accepted the mail yet.
    Pending,
    /// The mail server has accepted the mail.
    Sent,
    /// The mail server has rejected the mail permanently.
    Failed,
}

/// A mail: all notifications of one day for one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMail {
    /// The id in the store.
    pub id: i64,
    /// The address.
    pub recipient: String,
    /// The `Message-ID`, fixed before the first attempt.
    pub message_id: String,
    /// The notifications, oldest first.
    pub notifications: Vec<StoredNotification>,
    /// Number of attempts.
    pub attempts: u32,
    /// The state.
    pub state: MailState,
    /// The last error of the server.
    pub error: Option<String>,
}

/// A notification that was not delivered to a webhook URL yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDelivery {
    /// The notification.
    pub notification: StoredNotification,
    /// The URL.
    pub url: String,
    /// Number of attempts.
    pub attempts: u32,
    /// The time before which the notification is not sent again.
    pub not_before: Timestamp,
    /// The last error.
    pub error: Option<String>,
}
