//! Delivers mail over SMTP.
//!
//! Implements the port `Mailer`. The text of mails is written by `relink-report`; this crate
//! decides nothing about their content and stores nothing.

mod smtp;
mod webhook;

pub use smtp::{SmtpMailer, SmtpSecurity, SmtpSettings, SmtpSettingsError};
pub use webhook::{HttpWebhooks, MIN_SECRET_LENGTH};
