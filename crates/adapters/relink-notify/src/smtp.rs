//! SMTP client for notification mails.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use relink_ports::{MailError, Mailer, OutgoingMail};
use thiserror::Error;

/// Timeout of a command.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The encryption of the connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// STARTTLS is required.
    StartTls,
    /// TLS from the start of the connection.
    Tls,
    /// No encryption, for a server on the same machine.
    None,
}

/// Settings of the client.
#[derive(Debug, Clone)]
pub struct SmtpSettings {
    /// The host name of the server.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The encryption of the connection.
    pub security: SmtpSecurity,
    /// A further certificate authority, as PEM.
    pub authority: Option<Vec<u8>>,
    /// User name and password.
    pub credentials: Option<(String, String)>,
}

/// The settings are invalid.
#[derive(Debug, Error)]
#[error("invalid TLS settings for the mail server")]
pub struct SmtpSettingsError(#[source] lettre::transport::smtp::Error);

/// A client of an SMTP server.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl SmtpMailer {
    /// Creates a client. Connects when a mail is sent.
    ///
    /// # Errors
    ///
    /// Fails if the certificate cannot be parsed.
    pub fn new(settings: SmtpSettings) -> Result<Self, SmtpSettingsError> {
        let tls = match settings.security {
            SmtpSecurity::None => Tls::None,
            SmtpSecurity::StartTls => Tls::Required(tls_parameters(&settings)?),
            SmtpSecurity::Tls => Tls::Wrapper(tls_parameters(&settings)?),
        };
        let mut builder =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(settings.host.as_str())
                .port(settings.port)
                .tls(tls)
                .timeout(Some(TIMEOUT));
        if let Some((user, password)) = settings.credentials {
            builder = builder.credentials(Credentials::new(user, password));
        }
        Ok(Self { transport: builder.build() })
    }
}

fn tls_parameters(settings: &SmtpSettings) -> Result<TlsParameters, SmtpSettingsError> {
    let mut builder = TlsParameters::builder(settings.host.clone());
    if let Some(pem) = &settings.authority {
        let certificate = Certificate::from_pem(pem).map_err(SmtpSettingsError)?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build_rustls().map_err(SmtpSettingsError)
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let message = message(mail)?;
        match self.transport.send(message).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_permanent() => {
                Err(MailError::Rejected { reason: reason(&error) })
            }
            Err(error) => Err(MailError::Transient { reason: reason(&error) }),
        }
    }
}

/// Returns the message of an error with its causes.
fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Converts a mail to a message of the SMTP library. Rejects line breaks in headers.
fn message(mail: &OutgoingMail) -> Result<Message, MailError> {
    let invalid = |reason: String| MailError::Invalid { reason };
    let mailbox = |text: &str| {
        let address: Address = text.parse().map_err(|_| MailError::Invalid {
            reason: format!("`{text}` is not a mail address"),
        })?;
        Ok(Mailbox::new(None, address))
    };
    if mail.subject.contains(['\r', '\n']) || mail.message_id.contains(['\r', '\n']) {
        return Err(invalid("a header contains a line break".to_owned()));
    }
    Message::builder()
        .from(mailbox(&mail.from)?)
        .to(mailbox(&mail.to)?)
        .subject(mail.subject.clone())
        .message_id(Some(mail.message_id.clone()))
        .date(SystemTime::from(mail.date))
        .header(ContentType::TEXT_PLAIN)
        .body(mail.text.clone())
        .map_err(|error| invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(subject: &str, to: &str) -> OutgoingMail {
        OutgoingMail {
            from: "service@example.org".to_owned(),
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: "Grüße\n".to_owned(),
            message_id: "<1@example.org>".to_owned(),
            date: "2026-01-08T09:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn message_has_fixed_id_and_date() {
        let bytes = message(&mail("Tïtle", "a@example.org")).unwrap().formatted();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("Message-ID: <1@example.org>\r\n"), "{text}");
        assert!(text.contains("Date: Thu, 08 Jan 2026 09:00:00 +0000\r\n"), "{text}");
    }

    #[test]
    fn header_injection_is_impossible() {
        assert!(message(&mail("x\r\nBcc: b@example.org", "a@example.org")).is_err());
        assert!(message(&mail("x", "a@example.org\r\nBcc: b@example.org")).is_err());
        assert!(message(&mail("x", "a@example.org, b@example.org")).is_err());
    }
}
