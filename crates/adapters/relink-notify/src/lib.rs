//! Delivers notifications by mail (SMTP) and by webhooks.
//!
//! Implements the ports `Mailer` and `WebhookSender`. The content of notifications is
//! created by `relink-report`. This crate does not change the content and stores nothing.

mod smtp;
mod webhook;

pub use smtp::{SmtpMailer, SmtpSecurity, SmtpSettings, SmtpSettingsError};
pub use webhook::{HttpWebhooks, MIN_SECRET_LENGTH};
