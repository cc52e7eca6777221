//! Delivers the stored notifications to webhooks.

use jiff::SignedDuration;
use relink_ports::{MailState, StoredDelivery, WebhookError, WebhookMessage, WebhookSender};
use relink_report::harvest::Notice;
use serde::Serialize;

use super::Harvester;
use relink_requests::{EngineError, to_json};

/// Maximum number of attempts.
const MAX_ATTEMPTS: u32 = 20;
/// The wait after the first failed attempt, in minutes. Each further failure doubles the wait.
const FIRST_DELAY_MINUTES: i64 = 1;
/// The longest wait.
const MAX_DELAY: SignedDuration = SignedDuration::from_hours(24);
/// Maximum number of doublings of the wait.
const MAX_DOUBLINGS: u32 = 11;

/// The body of a message.
#[derive(Serialize)]
struct WebhookBody<'a> {
    id: &'a str,
    created_at: String,
    #[serde(flatten)]
    notice: Notice,
}

/// A delivery and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// The URL.
    pub url: String,
    /// The identity of the message.
    pub id: String,
    /// The body.
    pub body: String,
    /// The state after this run.
    pub state: MailState,
    /// Why it was not delivered, or why it waits.
    pub error: Option<String>,
}

impl Harvester<'_> {
    /// Returns the messages that are pending.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn pending_webhooks(&self) -> Result<Vec<DeliveryReport>, EngineError> {
        let pending = self.store.pending_deliveries().await?;
        pending.iter().map(delivery_report).collect()
    }

    /// Delivers all messages that are due, each URL in the order of its messages. A message that
    /// was not accepted yet is sent again by a later call.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn send_webhooks(
        &self,
        sender: &dyn WebhookSender,
    ) -> Result<Vec<DeliveryReport>, EngineError> {
        let mut reports: Vec<DeliveryReport> = Vec::new();
        for delivery in self.store.pending_deliveries().await? {
            let mut entry = delivery_report(&delivery)?;
            let is_blocked = reports
                .iter()
                .any(|report| report.url == delivery.url && report.state == MailState::Pending);
            // A receiver that is down gets its messages later, in their order.
            if !is_blocked && delivery.not_before <= self.ports.now() {
                (entry.state, entry.error) = self.deliver(sender, &delivery, &entry.body).await;
                let not_before = self.ports.now() + delay(delivery.attempts);
                let error = entry.error.as_deref();
                self.store.record_delivery(&delivery, entry.state, error, not_before).await?;
            }
            reports.push(entry);
        }
        Ok(reports)
    }

    async fn deliver(
        &self,
        sender: &dyn WebhookSender,
        delivery: &StoredDelivery,
        body: &str,
    ) -> (MailState, Option<String>) {
        let message = WebhookMessage {
            url: delivery.url.clone(),
            id: delivery.notification.key.clone(),
            body: body.to_owned(),
            sent_at: self.ports.now(),
        };
        match sender.deliver(&message).await {
            Ok(()) => (MailState::Sent, None),
            Err(error @ WebhookError::Transient { .. }) if delivery.attempts + 1 < MAX_ATTEMPTS => {
                (MailState::Pending, Some(error.to_string()))
            }
            Err(error) => (MailState::Failed, Some(error.to_string())),
        }
    }
}

/// Returns the wait after an attempt.
fn delay(attempts: u32) -> SignedDuration {
    let minutes = FIRST_DELAY_MINUTES << attempts.min(MAX_DOUBLINGS);
    SignedDuration::from_mins(minutes).min(MAX_DELAY)
}

fn delivery_report(delivery: &StoredDelivery) -> Result<DeliveryReport, EngineError> {
    let notification = &delivery.notification;
    let body = WebhookBody {
        id: &notification.key,
        created_at: notification.created_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        notice: serde_json::from_str(&notification.content)?,
    };
    Ok(DeliveryReport {
        url: delivery.url.clone(),
        id: notification.key.clone(),
        body: to_json(&body)?,
        state: MailState::Pending,
        error: delivery.error.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_day() {
        assert_eq!(delay(0), SignedDuration::from_mins(1));
        assert_eq!(delay(3), SignedDuration::from_mins(8));
        assert_eq!(delay(19), MAX_DELAY);
    }
}
