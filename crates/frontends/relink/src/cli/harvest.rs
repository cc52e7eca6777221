//! Arguments of `relink harvest` and its subcommands.
//!
//! A provider is an organization whose metadata records are harvested. An incident is a
//! period in which a URL of a record is broken. The timetable decides when an incident
//! escalates and when its records are hidden.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::civil::Date;

use super::{
    AddProviderArgs, EditProviderArgs, ExplainFormat, HarvestDecayArgs, HarvestExportArgs,
    HarvestMailArgs, HarvestPublishArgs, HarvestReportArgs, HarvestStatusArgs, HarvestWebhookArgs,
    RequestArgs,
};

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
    /// Change the settings of a provider; its records and incidents stay
    Edit(Box<EditProviderArgs>),
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
        /// The subject of the reply.
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
    /// Delete or hide more than 20 % of the records of a provider, and accept that most domains
    /// fail at once
    #[arg(long)]
    pub allow_loss: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// The records or URLs that an action applies to, and its reason.
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
    /// Reason, stored with your name and the time
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Name to store [default: your user name]
    #[arg(long, value_name = "NAME", env = "USER", hide_env_values = true)]
    pub user: Option<String>,
    /// Print the affected records without checking anything
    #[arg(long)]
    pub dry_run: bool,
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
