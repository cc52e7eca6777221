//! Notifications and the outbox of mails and webhooks.

use jiff::Timestamp;

/// A notification to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotification {
    /// A key that identifies the notification. A second one with the same key is not stored.
    pub key: String,
    /// The kind, such as `reported`.
    pub kind: String,
    /// The content as JSON.
    pub content: String,
    /// The mail addresses that receive it. A notification without addresses appears in feeds
    /// only.
    pub recipients: Vec<String>,
    /// The URLs that receive it.
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
    /// It was not sent yet.
    Pending,
    /// The server has accepted it.
    Sent,
    /// The server has rejected it for good.
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

/// A notification for a URL that was not delivered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDelivery {
    /// The notification.
    pub notification: StoredNotification,
    /// The URL.
    pub url: String,
    /// Number of attempts.
    pub attempts: u32,
    /// The time before which it is not sent again.
    pub not_before: Timestamp,
    /// The last error.
    pub error: Option<String>,
}
