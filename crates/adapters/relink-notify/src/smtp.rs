//! SMTP client for notification mails.
//!
//! This module sends the commands one by one instead of using the transport of the library,
//! because the meaning of a permanent error depends on the command. An error after `RCPT` or
//! `DATA` concerns the mail. An earlier error concerns the account or the whole server.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::{Address, Message};
use relink_ports::{MailError, Mailer, OutgoingMail};
use thiserror::Error;

/// Timeout of the connection to the server, and of sending one mail.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The reply with which a server announces that it closes the connection (RFC 5321, section 3.8).
const CLOSING: u16 = 421;
/// Replies that request or reject a login (RFC 4954, section 6).
const LOGIN_REPLIES: [u16; 4] = [530, 534, 535, 538];

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
pub struct SmtpSettingsError(#[source] SmtpError);

/// A client of an SMTP server. Each mail has its own connection.
pub struct SmtpMailer {
    host: String,
    port: u16,
    security: SmtpSecurity,
    tls: TlsParameters,
    credentials: Option<Credentials>,
    timeout: Duration,
}

impl SmtpMailer {
    /// Creates a client. Connects when a mail is sent.
    ///
    /// # Errors
    ///
    /// Fails if the certificate cannot be parsed.
    pub fn new(settings: SmtpSettings) -> Result<Self, SmtpSettingsError> {
        let tls = tls_parameters(&settings)?;
        let credentials =
            settings.credentials.map(|(user, password)| Credentials::new(user, password));
        let SmtpSettings { host, port, security, .. } = settings;
        Ok(Self { host, port, security, tls, credentials, timeout: TIMEOUT })
    }

    /// Connects, encrypts and logs in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let client = ClientId::default();
        let server = (self.host.as_str(), self.port);
        let tls = (self.security == SmtpSecurity::Tls).then(|| self.tls.clone());
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(self.timeout), &client, tls, None)
                .await?;
        if self.security == SmtpSecurity::StartTls {
            connection.starttls(self.tls.clone(), &client).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }

    /// Delivers one mail over its own connection.
    async fn deliver(&self, mail: &Message) -> Result<(), MailError> {
        let mut connection =
            self.within_timeout(self.connect()).await?.map_err(|error| server_error(&error))?;
        let result = self.within_timeout(transmit(&mut connection, mail)).await;
        let result = result.and_then(|result| result);
        // Ignore errors: the server has replied to the mail.
        let _ = tokio::time::timeout(self.timeout, connection.abort()).await;
        result
    }

    /// Runs a part of the delivery, and fails if it exceeds the timeout.
    async fn within_timeout<T>(&self, work: impl Future<Output = T>) -> Result<T, MailError> {
        tokio::time::timeout(self.timeout, work).await.map_err(|_| MailError::Server {
            reason: format!("no reply within {} s", self.timeout.as_secs()),
        })
    }
}

/// Sends the commands of one mail.
async fn transmit(connection: &mut AsyncSmtpConnection, mail: &Message) -> Result<(), MailError> {
    let envelope = mail.envelope();
    let mut options = Vec::new();
    let mut addresses = envelope.from().into_iter().chain(envelope.to());
    if addresses.any(|address| !AsRef::<str>::as_ref(address).is_ascii()) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            let reason = "the mail server supports only ASCII in addresses".to_owned();
            return Err(MailError::Rejected { reason });
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    let sender = Mail::new(envelope.from().cloned(), options);
    connection.command(sender).await.map_err(|error| server_error(&error))?;
    for recipient in envelope.to() {
        let recipient = Rcpt::new(recipient.clone(), Vec::new());
        connection.command(recipient).await.map_err(|error| mail_error(&error))?;
    }
    connection.command(Data).await.map_err(|error| mail_error(&error))?;
    connection.message(&mail.formatted()).await.map_err(|error| mail_error(&error))?;
    Ok(())
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
        self.deliver(&message(mail)?).await
    }
}

/// Converts an error that concerns the server or the account.
fn server_error(error: &SmtpError) -> MailError {
    MailError::Server { reason: reason(error) }
}

/// Converts an error of a command that concerns one mail.
fn mail_error(error: &SmtpError) -> MailError {
    let reason = reason(error);
    let Some(status) = error.status().map(u16::from) else {
        return MailError::Server { reason };
    };
    if status == CLOSING || LOGIN_REPLIES.contains(&status) {
        MailError::Server { reason }
    } else if error.is_permanent() {
        MailError::Rejected { reason }
    } else {
        MailError::Transient { reason }
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
        .header(MIME_VERSION_1_0)
        .header(ContentType::TEXT_PLAIN)
        .raw_header(auto_submitted())
        .body(mail.text.clone())
        .map_err(|error| invalid(error.to_string()))
}

/// Returns the header that prevents automatic replies (RFC 3834, section 5).
fn auto_submitted() -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    HeaderValue::new(name, "auto-generated".to_owned())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

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
        assert!(text.contains("MIME-Version: 1.0\r\n"), "{text}");
        assert!(text.contains("Auto-Submitted: auto-generated\r\n"), "{text}");
        assert!(text.contains("Date: Thu, 08 Jan 2026 09:00:00 +0000\r\n"), "{text}");
    }

    #[test]
    fn header_injection_is_impossible() {
        assert!(message(&mail("x\r\nBcc: b@example.org", "a@example.org")).is_err());
        assert!(message(&mail("x", "a@example.org\r\nBcc: b@example.org")).is_err());
        assert!(message(&mail("x", "a@example.org, b@example.org")).is_err());
    }

    /// Sends a mail to a scripted server, and returns the result. The script contains commands
    /// and their replies. The server replies 250 to other commands, and stops replying at the
    /// command `silent`.
    async fn send_to_scripted_server(
        script: &'static [(&str, &str)],
        silent: &'static str,
    ) -> Result<(), MailError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            let mut lines = BufReader::new(reader).lines();
            let mut command = String::from("CONNECT");
            loop {
                let is_command = |(name, _): &&(&str, &str)| command.starts_with(name);
                let reply = script.iter().find(is_command).map(|(_, reply)| *reply);
                let default = match command.as_str() {
                    "CONNECT" => "220 test",
                    "DATA" => "354 go",
                    _ if command.starts_with("EHLO") => "250-test\r\n250 AUTH PLAIN",
                    _ => "250 OK",
                };
                if command == silent {
                    return std::future::pending().await;
                }
                let is_reply = !command.starts_with("TEXT");
                if is_reply {
                    let reply = format!("{}\r\n", reply.unwrap_or(default));
                    writer.write_all(reply.as_bytes()).await.unwrap();
                }
                let was_data = command == "DATA" && reply.is_none() || !is_reply;
                let Ok(Some(line)) = lines.next_line().await else { return };
                command = match line.as_str() {
                    "." => "END".to_owned(),
                    _ if was_data => "TEXT".to_owned(),
                    _ => line,
                };
            }
        });
        let settings = SmtpSettings {
            host: "127.0.0.1".to_owned(),
            port,
            security: SmtpSecurity::None,
            authority: None,
            credentials: Some(("user".to_owned(), "password".to_owned())),
        };
        let mut mailer = SmtpMailer::new(settings).unwrap();
        mailer.timeout = Duration::from_millis(if silent.is_empty() { 30_000 } else { 200 });
        mailer.send(&mail("x", "a@example.org")).await
    }

    #[tokio::test]
    async fn reply_concerns_the_mail_only_after_rcpt_and_data() {
        assert_eq!(send_to_scripted_server(&[], "").await, Ok(()));
        let server: [&'static [(&str, &str)]; 7] = [
            &[("CONNECT", "554 no")],
            &[("AUTH", "535 wrong password")],
            &[("AUTH", "454 later")],
            &[("MAIL", "530 log in first")],
            &[("MAIL", "550 unknown sender")],
            &[("RCPT", "530 log in first")],
            &[("DATA", "421 closing")],
        ];
        for script in server {
            let result = send_to_scripted_server(script, "").await;
            assert!(matches!(result, Err(MailError::Server { .. })), "{script:?}: {result:?}");
        }
        for script in [&[("RCPT", "550 unknown")], &[("DATA", "554 no")], &[("END", "552 full")]] {
            let result = send_to_scripted_server(script, "").await;
            assert!(matches!(result, Err(MailError::Rejected { .. })), "{script:?}: {result:?}");
        }
        for script in [&[("RCPT", "450 busy")], &[("END", "451 later")]] {
            let result = send_to_scripted_server(script, "").await;
            assert!(matches!(result, Err(MailError::Transient { .. })), "{script:?}: {result:?}");
        }
    }

    #[tokio::test]
    async fn silent_server_is_given_up_after_the_timeout() {
        for silent in ["CONNECT", "DATA", "END"] {
            let result = send_to_scripted_server(&[], silent).await;
            let Err(MailError::Server { reason }) = result else { panic!("{silent}: {result:?}") };
            assert!(!reason.is_empty());
        }
    }
}
