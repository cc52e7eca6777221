//! Arguments of `relink harvest` and its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use relink_survey::SamplingPlanName;
use url::Url;

use super::{ExplainFormat, HarvestMailArgs, HarvestPublishArgs, HarvestWebhookArgs, RequestArgs};

/// Arguments of `relink harvest`.
#[derive(Debug, Args)]
pub struct HarvestArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: HarvestCommand,
    /// Database file [default: one per project in your data directory]
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Subcommands of `relink harvest`.
#[derive(Debug, Subcommand)]
pub enum HarvestCommand {
    /// Add a provider of records
    Add(Box<AddProviderArgs>),
    /// List the providers
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Remove a provider with all its records and incidents
    Remove {
        /// Name of the provider
        name: String,
        /// Remove it; without this flag, print what would be removed
        #[arg(long)]
        yes: bool,
    },
    /// Read new records, check links and advance incidents
    Run(Box<HarvestRunArgs>),
    /// Show records and incidents
    Status(HarvestStatusArgs),
    /// Record the reply of a provider: its incidents do not escalate before a date
    Answer {
        /// What the reply is about.
        #[command(flatten)]
        subject: SubjectArgs,
        /// First day on which the incidents may advance again
        #[arg(long, value_name = "DATE")]
        until: Date,
    },
    /// Hide records in spite of the timetable
    Hide(SubjectArgs),
    /// Show records in spite of the timetable
    Restore(SubjectArgs),
    /// End `hide` or `restore`: the timetable decides again
    Lift(SubjectArgs),
    /// Record a note
    Note(SubjectArgs),
    /// Check links at once
    Recheck(Box<RecheckArgs>),
    /// Check a URL that a user reported, and hide its records if it is broken
    Flag(Box<FlagArgs>),
    /// Print the mails to providers and managers, or send them with `--send`
    Mail(Box<HarvestMailArgs>),
    /// Print the messages to webhooks, or send them with `--send`
    Webhook(Box<HarvestWebhookArgs>),
    /// Write feeds and spreadsheets for providers
    Publish(HarvestPublishArgs),
    /// Write visible, hidden or changed records
    Export(HarvestExportArgs),
    /// Rank records by decay, and show what a limit would hide
    Decay(Box<HarvestDecayArgs>),
    /// Show the broken share over time, incidents and response times
    Report(HarvestReportArgs),
}

/// Arguments of `relink harvest add`.
#[derive(Debug, Args)]
pub struct AddProviderArgs {
    /// Name of the provider
    pub name: String,
    /// Base URL of its OAI-PMH interface
    #[arg(long, value_name = "URL", required_unless_present_any = ["file", "spi"])]
    pub oai: Option<Url>,
    /// File with its records: an OAI-PMH dump, LOM, Dublin Core, CSV, TSV or
    /// JSON Lines; it is read again in each run
    #[arg(long, value_name = "FILE", conflicts_with = "oai")]
    pub file: Option<PathBuf>,
    /// The provider submits its records to `relink serve --spi`
    #[arg(long, conflicts_with_all = ["oai", "file"])]
    pub spi: bool,
    /// Set to harvest; may be repeated [default: all records]
    #[arg(long, value_name = "SET", requires = "oai")]
    pub set: Vec<String>,
    /// Metadata format [default: `oai_dc`]
    #[arg(long, value_name = "PREFIX", requires = "oai")]
    pub prefix: Option<String>,
    /// Earliest datestamp of the first harvest
    #[arg(long, value_name = "DATE", requires = "oai")]
    pub from: Option<String>,
    /// Further element, column or field with locations; may be repeated
    #[arg(long, value_name = "NAME")]
    pub field: Vec<String>,
    /// Mail address of the provider; may be repeated
    #[arg(long, value_name = "ADDRESS", value_parser = mail_address)]
    pub contact: Vec<String>,
    /// Mail address of the manager of your service; may be repeated
    #[arg(long, value_name = "ADDRESS", value_parser = mail_address)]
    pub manager: Vec<String>,
    /// URL that receives all notices as signed JSON; may be repeated
    #[arg(long, value_name = "URL")]
    pub webhook: Vec<Url>,
    /// Language of messages
    #[arg(long, value_enum, default_value = "en")]
    pub language: LanguageArg,
    /// Time zone of times in messages: `UTC` or an offset such as `+01:00`
    #[arg(long, value_name = "ZONE", default_value = "UTC", allow_hyphen_values = true)]
    pub time_zone: String,
    /// How the provider is notified, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "WAYS",
        default_values_t = [NotifyArg::Rss, NotifyArg::Atom, NotifyArg::Xlsx]
    )]
    pub notify: Vec<NotifyArg>,
    /// Which records are checked on arrival; their broken locations are left
    /// out of the published record until they work
    #[arg(long, value_enum, default_value = "new", value_name = "WHICH")]
    pub arrivals: ArrivalsArg,
    /// Sampling plan, as in `relink survey`
    #[arg(long, default_value = "le-shulman", value_name = "NAME")]
    pub plan: SamplingPlanName,
    /// Number of URLs per group (*G* of the paper) [default: 100]
    #[arg(long, value_name = "N")]
    pub group: Option<u32>,
    /// Share of good URLs below which a domain is checked completely [default:
    /// 0.5]
    #[arg(long, value_name = "SHARE")]
    pub p1: Option<f64>,
    /// Share of good URLs from which a domain is accepted, if its broken URLs
    /// were repaired [default: 0.9]
    #[arg(long, value_name = "SHARE")]
    pub p2_low: Option<f64>,
    /// The same, if its broken URLs are still broken [default: 0.95]
    #[arg(long, value_name = "SHARE")]
    pub p2_high: Option<f64>,
    /// Days between two surveys of a domain
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub survey_every: u32,
    /// Days from the first finding to the re-check that escalates
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub recheck_after: u32,
    /// Days from the first finding to the check that hides records
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub hide_after: u32,
    /// Maximum number of URLs in the domains that one run surveys [default: no
    /// limit]
    #[arg(long, value_name = "N")]
    pub budget: Option<u64>,
}

/// Which records are checked on arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsArg {
    /// Records that arrive after the first complete harvest
    New,
    /// Also those of the first harvest
    All,
    /// None; new records are part of the survey
    Off,
}

/// Languages of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// English
    En,
    /// German
    De,
    /// French
    Fr,
    /// Spanish
    Es,
}

/// Ways to notify a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NotifyArg {
    /// An RSS 2.0 file
    Rss,
    /// An Atom file
    Atom,
    /// A spreadsheet
    Xlsx,
    /// Mail
    Mail,
}

impl std::fmt::Display for NotifyArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Rss => "rss",
            Self::Atom => "atom",
            Self::Xlsx => "xlsx",
            Self::Mail => "mail",
        })
    }
}

/// Arguments of `relink harvest run`.
#[derive(Debug, Args)]
pub struct HarvestRunArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Read all records again; records that are missing are deleted
    #[arg(long)]
    pub full: bool,
    /// Read records only; check no links and advance no incidents
    #[arg(long)]
    pub records_only: bool,
    /// Delete or hide more than 20 % of the records of a provider
    #[arg(long)]
    pub allow_loss: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink harvest status`.
#[derive(Debug, Args)]
pub struct HarvestStatusArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Also list the incidents that have ended
    #[arg(long)]
    pub all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
}

/// What an action applies to.
#[derive(Debug, Args)]
pub struct SubjectArgs {
    /// Name of the provider
    pub provider: String,
    /// Identifier of a record, URL, domain, or the name of the provider
    pub subject: String,
    /// Reason, stored with your name and the time
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Name to store [default: your user name]
    #[arg(long, value_name = "NAME", env = "USER", hide_env_values = true)]
    pub user: Option<String>,
    /// Print the affected records without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

/// Arguments of `relink harvest recheck`.
#[derive(Debug, Args)]
pub struct RecheckArgs {
    /// Name of the provider
    pub provider: String,
    /// Identifier of a record, URL, domain, or the name of the provider
    pub subject: String,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink harvest flag`.
#[derive(Debug, Args)]
pub struct FlagArgs {
    /// The reported URL
    pub url: String,
    /// Name of the person who reported it
    #[arg(long, value_name = "NAME", env = "USER", hide_env_values = true)]
    pub user: Option<String>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink harvest decay`.
#[derive(Debug, Args)]
pub struct HarvestDecayArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Show which records have a higher decay and would be hidden; records near
    /// the limit are measured on the web
    #[arg(long, value_name = "DECAY")]
    pub max_decay: Option<f64>,
    /// Maximum number of pages that are fetched
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub budget: usize,
    /// Probability that a random walk stops at a live page
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub sigma: f64,
    /// Maximum number of records that are listed as text
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink harvest report`.
#[derive(Debug, Args)]
pub struct HarvestReportArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// First day of the report [default: the first run]
    #[arg(long, value_name = "DATE")]
    pub since: Option<Date>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: HarvestReportFormat,
    /// Rows of `--format csv`
    #[arg(long, value_enum, default_value = "days")]
    pub table: HarvestReportTable,
    /// Also write a spreadsheet (`.xlsx`)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Formats of `relink harvest report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestReportFormat {
    /// Text
    Human,
    /// JSON
    Json,
    /// A table
    Csv,
}

/// Tables of `relink harvest report --format csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestReportTable {
    /// Providers and domains by day
    Days,
    /// Incidents with their dates
    Incidents,
}

/// Arguments of `relink harvest export`.
#[derive(Debug, Args)]
pub struct HarvestExportArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Only records that appear in searches
    #[arg(long, conflicts_with = "hidden")]
    pub visible: bool,
    /// Only records that are hidden
    #[arg(long)]
    pub hidden: bool,
    /// Only records whose content or visibility changed since this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<jiff::Timestamp>,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: HarvestExportFormat,
}

/// Formats of exported records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestExportFormat {
    /// One JSON array
    Json,
    /// One row per record
    Csv,
}

/// Parses a mail address. Control characters would end the header of a mail.
fn mail_address(text: &str) -> Result<String, String> {
    let is_valid = text.split_once('@').is_some_and(|(user, domain)| {
        !user.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    let has_forbidden = text.chars().any(|char| char.is_control() || char.is_whitespace());
    if is_valid && !has_forbidden {
        Ok(text.to_owned())
    } else {
        Err("invalid mail address (expected a value such as `name@example.org`)".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_address_rejects_header_injection() {
        assert!(mail_address("a@example.org").is_ok());
        for text in ["a", "@b", "a@", "a@b@c", "a@example.org\r\nBcc: x@y.z", "a b@c.d"] {
            assert!(mail_address(text).is_err(), "{text}");
        }
    }
}
