//! Arguments of `relink harvest mail`, `publish` and `webhook`: the ways to notify
//! providers of their broken links.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use url::Url;

use super::RequestArgs;

/// Arguments of `relink harvest mail`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each field is a flag")]
pub struct HarvestMailArgs {
    /// Send the mails; without this flag, print them
    #[arg(long, requires = "smtp", requires = "mail_from")]
    pub send: bool,
    /// Print the mails that failed for good
    #[arg(long, conflicts_with_all = ["send", "drafts"])]
    pub failed: bool,
    /// Send the failed mails again, together with the next ones
    #[arg(long, conflicts_with_all = ["failed", "drafts"])]
    pub retry: bool,
    /// Print the drafts of personal mails instead
    #[arg(long, conflicts_with = "send")]
    pub drafts: bool,
    /// Record that the personal mail of a draft was sent, by the number that
    /// `--drafts` prints
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["send", "drafts", "failed", "retry"])]
    pub mark_sent: Option<i64>,
    /// Name to store with `--mark-sent` [default: your user name]
    #[arg(long, value_name = "NAME", env = "USER", hide_env_values = true)]
    pub user: Option<String>,
    /// Mail server, as HOST:PORT
    #[arg(long, value_name = "HOST:PORT", env = "RELINK_SMTP", hide_env_values = true)]
    pub smtp: Option<String>,
    /// How the connection is secured; `none` is for servers on this machine
    #[arg(long, value_enum, default_value = "starttls", value_name = "HOW")]
    pub smtp_security: SmtpSecurityArg,
    /// Further certificate authority of the mail server (PEM)
    #[arg(long, value_name = "FILE")]
    pub smtp_ca: Option<PathBuf>,
    /// File with the password for the user in `RELINK_SMTP_USER` [default: the
    /// variable `RELINK_SMTP_PASSWORD`]
    #[arg(long, value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,
    /// Address of the sender
    #[arg(long, value_name = "ADDRESS", env = "RELINK_MAIL_FROM", hide_env_values = true)]
    pub mail_from: Option<String>,
    /// Directory with templates: `mail.en.txt`, `mail.de.txt`, `mail.fr.txt`,
    /// `mail.es.txt`
    #[arg(long, value_name = "DIR")]
    pub templates: Option<PathBuf>,
}

/// The encryption of the connection to a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SmtpSecurityArg {
    /// STARTTLS is required
    Starttls,
    /// TLS from the start
    Tls,
    /// No encryption
    None,
}

/// Arguments of `relink harvest publish`.
#[derive(Debug, Args)]
pub struct HarvestPublishArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Directory for the files
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// URL under which the directory is published
    #[arg(long, value_name = "URL", default_value = "https://example.org/")]
    pub base_url: Url,
}

/// Arguments of `relink harvest webhook`.
#[derive(Debug, Args)]
pub struct HarvestWebhookArgs {
    /// Send the messages that are due; without this flag, print them
    #[arg(long)]
    pub send: bool,
    /// File with the secret that signs the messages [default: the variable
    /// `RELINK_WEBHOOK_SECRET`]
    #[arg(long, value_name = "FILE")]
    pub secret_file: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}
