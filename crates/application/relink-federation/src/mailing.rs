//! Sends the stored notifications by mail.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_ports::{MailError, MailState, Mailer, OutgoingMail, StoreError, StoredMail};
use relink_report::harvest::{MailTemplates, MailText, Notice};

use super::{Harvester, ProviderSettings};
use relink_requests::EngineError;
use tokio::time::Instant;

/// Number of attempts after which a mail may fail for good.
const MAX_ATTEMPTS: u32 = 20;
/// The time during which a mail is sent again (RFC 5321, section 4.5.4.1: at least 4-5 days).
const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);
/// The interval between two attempts to use a locked database.
const LOCK_RETRY: Duration = Duration::from_millis(200);
/// The time to wait for a locked database.
const LOCK_TIMEOUT: Duration = Duration::from_hours(1);

/// A mail that would be sent, or was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReport {
    /// The address.
    pub recipient: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The state after this run.
    pub state: MailState,
    /// Why it was not sent.
    pub error: Option<String>,
}

/// The sender of mails.
pub struct MailSender<'a> {
    /// The mail server.
    pub mailer: &'a dyn Mailer,
    /// The address of the sender.
    pub from: &'a str,
    /// The templates.
    pub templates: &'a MailTemplates,
}

impl Harvester<'_> {
    /// Returns the mails that would be sent.
    pub async fn preview_mails(
        &self,
        templates: &MailTemplates,
    ) -> Result<Vec<MailReport>, EngineError> {
        let languages = self.languages().await?;
        let mails = self.store.preview_mails().await?;
        let preview = |mail: &StoredMail| mail_report(mail, render(mail, templates, &languages));
        Ok(mails.iter().map(preview).collect())
    }

    /// Returns the mails that are not sent again.
    pub async fn failed_mails(
        &self,
        templates: &MailTemplates,
    ) -> Result<Vec<MailReport>, EngineError> {
        let languages = self.languages().await?;
        let mails = self.store.failed_mails().await?;
        let failed = |mail: &StoredMail| {
            let rendered = mail_report(mail, render(mail, templates, &languages));
            MailReport { error: mail.error.clone(), ..rendered }
        };
        Ok(mails.iter().map(failed).collect())
    }

    /// Sends all pending mails: one per address and day. A mail that the server does not accept
    /// yet is sent again by a later call, with the same `Message-ID`. If the server cannot be
    /// used, all further mails stay pending and are not part of the reports.
    ///
    /// The database is released while a mail is sent. The caller ensures that no other process
    /// sends mails.
    pub async fn send_mails(
        &self,
        sender: &MailSender<'_>,
    ) -> Result<Vec<MailReport>, EngineError> {
        let languages = self.languages().await?;
        let domain = sender.from.rsplit('@').next().unwrap_or_default();
        let mails = self.store.prepare_mails(self.today(), domain).await?;
        let mut reports = Vec::new();
        for mail in mails {
            let mut entry = mail_report(&mail, render(&mail, sender.templates, &languages));
            let mut is_usable = true;
            if entry.error.is_none() {
                self.store.release();
                let result = self.send(sender, &mail, &entry).await;
                is_usable = !matches!(result, Err(MailError::Server { .. }));
                (entry.state, entry.error) = state_after(&result, &mail, self.ports.now());
                if is_usable {
                    self.store_state(&mail, &entry).await?;
                }
            }
            reports.push(entry);
            if !is_usable {
                break;
            }
        }
        Ok(reports)
    }

    async fn send(
        &self,
        sender: &MailSender<'_>,
        mail: &StoredMail,
        entry: &MailReport,
    ) -> Result<(), MailError> {
        let outgoing = OutgoingMail {
            from: sender.from.to_owned(),
            to: mail.recipient.clone(),
            subject: entry.subject.clone(),
            text: entry.text.clone(),
            message_id: mail.message_id.clone(),
            date: self.ports.now(),
        };
        sender.mailer.send(&outgoing).await
    }

    /// Stores the state of a mail. Waits for another process that uses the database: otherwise
    /// the mail would be sent again.
    async fn store_state(&self, mail: &StoredMail, entry: &MailReport) -> Result<(), EngineError> {
        let started = Instant::now();
        loop {
            let (state, error) = (entry.state, entry.error.as_deref());
            match self.store.record_mail(mail.id, state, error, self.ports.now()).await {
                Err(StoreError::Locked { .. }) if started.elapsed() < LOCK_TIMEOUT => {
                    tokio::time::sleep(LOCK_RETRY).await;
                }
                result => return Ok(result?),
            }
        }
    }

    /// Returns the language of each provider.
    async fn languages(&self) -> Result<HashMap<i64, String>, EngineError> {
        let providers = self.store.providers().await?;
        let language = |settings: &str| {
            serde_json::from_str::<ProviderSettings>(settings).map(|settings| settings.language)
        };
        providers.iter().map(|provider| Ok((provider.id, language(&provider.settings)?))).collect()
    }
}

/// Returns the state of a mail after an attempt, with the error.
fn state_after(
    result: &Result<(), MailError>,
    mail: &StoredMail,
    now: Timestamp,
) -> (MailState, Option<String>) {
    let first =
        mail.notifications.iter().map(|notification| notification.created_at).min().unwrap_or(now);
    let is_overdue =
        mail.attempts + 1 >= MAX_ATTEMPTS && now.duration_since(first) >= GIVE_UP_AFTER;
    let state = match result {
        Ok(()) => return (MailState::Sent, None),
        Err(MailError::Server { .. }) => MailState::Pending,
        Err(MailError::Transient { .. }) if !is_overdue => MailState::Pending,
        Err(_) => MailState::Failed,
    };
    (state, result.as_ref().err().map(ToString::to_string))
}

/// Renders the text of a mail in the language of its provider.
fn render(
    mail: &StoredMail,
    templates: &MailTemplates,
    languages: &HashMap<i64, String>,
) -> Result<MailText, String> {
    let notices: Vec<Notice> = mail
        .notifications
        .iter()
        .filter_map(|notification| serde_json::from_str(&notification.content).ok())
        .collect();
    let provider = mail.notifications.first().map_or(0, |notification| notification.provider);
    let language = languages.get(&provider).map_or("en", String::as_str);
    templates.render(language, &notices).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

/// Returns the report of a mail, with its text or the error of the template.
fn mail_report(mail: &StoredMail, text: Result<MailText, String>) -> MailReport {
    let (text, error) = match text {
        Ok(text) => (text, None),
        Err(error) => (MailText { subject: String::new(), text: String::new() }, Some(error)),
    };
    MailReport {
        recipient: mail.recipient.clone(),
        subject: text.subject,
        text: text.text,
        state: mail.state,
        error,
    }
}

#[cfg(test)]
mod tests {
    use relink_ports::StoredNotification;

    use super::*;

    /// Asserts the state after an attempt that follows `attempts` others and is made `hours`
    /// hours after the notification.
    #[track_caller]
    fn check(error: &MailError, attempts: u32, hours: i64, expect: MailState) {
        let created_at: Timestamp = "2026-01-01T09:00:00Z".parse().unwrap();
        let notification = StoredNotification {
            id: 1,
            provider: 1,
            key: String::new(),
            kind: String::new(),
            content: String::new(),
            created_at,
        };
        let mail = StoredMail {
            id: 1,
            recipient: "a@example.org".to_owned(),
            message_id: String::new(),
            notifications: vec![notification],
            attempts,
            state: MailState::Pending,
            error: None,
        };
        let now = created_at + SignedDuration::from_hours(hours);
        let (state, message) = state_after(&Err(error.clone()), &mail, now);
        assert_eq!((state, message), (expect, Some(error.to_string())));
    }

    #[test]
    fn state_after_failure_depends_on_the_failed_command_and_the_time() {
        let reason = String::new;
        let server = MailError::Server { reason: reason() };
        let transient = MailError::Transient { reason: reason() };
        check(&server, 1_000, 10_000, MailState::Pending);
        check(&transient, 0, 0, MailState::Pending);
        // An outage of a day with an attempt each minute, and a late first attempt.
        check(&transient, 1_440, 24, MailState::Pending);
        check(&transient, 0, 10_000, MailState::Pending);
        check(&transient, 19, 120, MailState::Failed);
        check(&MailError::Rejected { reason: reason() }, 0, 0, MailState::Failed);
    }
}
