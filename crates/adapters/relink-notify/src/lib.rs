//! Delivers mail over SMTP.
//!
//! Implements the port `Mailer`. The text of mails is written by `relink-report`; this crate
//! decides nothing about their content and stores nothing.

mod smtp;

pub use smtp::{SmtpMailer, SmtpSecurity, SmtpSettings, SmtpSettingsError};
