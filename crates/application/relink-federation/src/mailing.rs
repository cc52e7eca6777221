//! Sends the stored notifications by mail.

use std::collections::HashMap;

use relink_ports::{MailError, MailState, Mailer, OutgoingMail, StoredMail};
use relink_report::harvest::{MailTemplates, MailText, Notice};

use super::{Harvester, ProviderSettings};
use relink_requests::EngineError;

/// Maximum number of attempts to send a mail.
const MAX_ATTEMPTS: u32 = 20;

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
        let preview = |mail: &StoredMail| report(mail, render(mail, templates, &languages));
        Ok(mails.iter().map(preview).collect())
    }

    /// Sends all pending mails: one per address and day. A mail that the server does not accept
    /// yet is sent again by a later call, with the same `Message-ID`.
    pub async fn send_mails(
        &self,
        sender: &MailSender<'_>,
    ) -> Result<Vec<MailReport>, EngineError> {
        let languages = self.languages().await?;
        let domain = sender.from.rsplit('@').next().unwrap_or_default();
        let mails = self.store.prepare_mails(self.today(), domain).await?;
        let mut reports = Vec::new();
        for mail in mails {
            let mut entry = report(&mail, render(&mail, sender.templates, &languages));
            if entry.error.is_none() {
                (entry.state, entry.error) = self.send(sender, &mail, &entry).await;
                let (state, error) = (entry.state, entry.error.as_deref());
                self.store.record_mail(mail.id, state, error, self.ports.now()).await?;
            }
            reports.push(entry);
        }
        Ok(reports)
    }

    async fn send(
        &self,
        sender: &MailSender<'_>,
        mail: &StoredMail,
        entry: &MailReport,
    ) -> (MailState, Option<String>) {
        let outgoing = OutgoingMail {
            from: sender.from.to_owned(),
            to: mail.recipient.clone(),
            subject: entry.subject.clone(),
            text: entry.text.clone(),
            message_id: mail.message_id.clone(),
            date: self.ports.now(),
        };
        match sender.mailer.send(&outgoing).await {
            Ok(()) => (MailState::Sent, None),
            Err(error @ MailError::Transient { .. }) if mail.attempts + 1 < MAX_ATTEMPTS => {
                (MailState::Pending, Some(error.to_string()))
            }
            Err(error) => (MailState::Failed, Some(error.to_string())),
        }
    }

    /// Returns the language of each provider.
    async fn languages(&self) -> Result<HashMap<i64, String>, EngineError> {
        let providers = self.store.providers().await?;
        let language = |settings: &str| {
            serde_json::from_str::<ProviderSettings>(settings).map(|settings| settings.language)
        };
        providers.iter().map(|it| Ok((it.id, language(&it.settings)?))).collect()
    }
}

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

fn report(mail: &StoredMail, text: Result<MailText, String>) -> MailReport {
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
