//! Webhooks: POST requests with a signed JSON body, on the `Fetch` port.
//!
//! The header `Relink-Signature` has the form `t=TIME,v1=HEX`: the Unix time of the attempt, and
//! the HMAC-SHA256 of `TIME.BODY` with the shared secret. A receiver that checks both knows that
//! the message is genuine and not replayed.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::{
    Fetch, FetchRequest, RedirectMode, RequestBody, RequestOptions, UserAgent, WebhookError,
    WebhookMessage, WebhookSender,
};
use ring::hmac;
use url::Url;

/// Minimum length of a secret.
pub const MIN_SECRET_LENGTH: usize = 16;
/// Timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of the response, which is not used.
const MAX_RESPONSE: usize = 4 << 10;

/// Sends webhooks.
pub struct HttpWebhooks {
    fetch: Arc<dyn Fetch>,
    key: hmac::Key,
}

impl HttpWebhooks {
    /// Creates a sender. Returns `None` if the secret is too short.
    pub fn new(fetch: Arc<dyn Fetch>, secret: &str) -> Option<Self> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        (secret.len() >= MIN_SECRET_LENGTH).then_some(Self { fetch, key })
    }

    /// Returns the value of the signature header.
    fn signature(&self, message: &WebhookMessage) -> String {
        let time = message.sent_at.as_second();
        let tag = hmac::sign(&self.key, format!("{time}.{}", message.body).as_bytes());
        let mut header = format!("t={time},v1=");
        for byte in tag.as_ref() {
            let _ = write!(header, "{byte:02x}");
        }
        header
    }
}

#[async_trait]
impl WebhookSender for HttpWebhooks {
    async fn deliver(&self, message: &WebhookMessage) -> Result<(), WebhookError> {
        let url = Url::parse(&message.url)
            .map_err(|error| WebhookError::Rejected { reason: error.to_string() })?;
        let request = FetchRequest {
            url,
            rights: RequestRights::configured_service(),
            user_agent: UserAgent::Relink,
            options: RequestOptions {
                redirects: RedirectMode::Report,
                headers: vec![
                    ("Relink-Signature".to_owned(), self.signature(message)),
                    ("Relink-Delivery".to_owned(), message.id.clone()),
                ],
                body: Some(RequestBody {
                    content_type: "application/json",
                    bytes: Bytes::from(message.body.clone()),
                }),
                max_body_bytes: Some(MAX_RESPONSE),
                timeout: Some(TIMEOUT),
                ..RequestOptions::default()
            },
        };
        delivery_result(&self.fetch.fetch(request).await.outcome)
    }
}

/// Converts the outcome of a request to the result of the delivery. Client errors are final,
/// except for the statuses 408, 425 and 429, which request another attempt. A redirect is not
/// followed and not final, because it is often temporary, such as a redirect to a login or a
/// maintenance page.
fn delivery_result(outcome: &FetchOutcome) -> Result<(), WebhookError> {
    let reason = outcome.to_string();
    match outcome {
        FetchOutcome::Response(200..=299) => Ok(()),
        FetchOutcome::Response(408 | 425 | 429) => Err(WebhookError::Transient { reason }),
        FetchOutcome::Response(400..=499) => Err(WebhookError::Rejected { reason }),
        _ => Err(WebhookError::Transient { reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_decides_whether_a_message_is_sent_again() {
        let is_final = |status| {
            let result = delivery_result(&FetchOutcome::Response(status));
            matches!(result, Err(WebhookError::Rejected { .. }))
        };
        assert!(delivery_result(&FetchOutcome::Response(204)).is_ok());
        assert!(is_final(410) && is_final(400));
        assert!(!is_final(301) && !is_final(302) && !is_final(308));
        assert!(!is_final(429) && !is_final(500) && !is_final(200));
    }
}
