//! Arguments of `relink harvest add` and `relink harvest edit`: the settings of a provider,
//! an organization whose metadata records are harvested.
//!
//! A location is a URL in a record. "The paper" is Le and Shulman's on sampling URLs.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use relink_survey::SamplingPlanName;
use url::Url;

/// Arguments of `relink harvest add`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("origin").args(["oai", "file", "spi"]).required(true))]
pub struct AddProviderArgs {
    /// Name of the provider
    pub name: String,
    /// The settings.
    #[command(flatten)]
    pub flags: ProviderFlags,
}

/// Arguments of `relink harvest edit`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("origin").args(["oai", "file", "spi"]))]
pub struct EditProviderArgs {
    /// Name of the provider
    pub name: String,
    /// Settings to empty, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SETTINGS")]
    pub clear: Vec<ClearArg>,
    /// The settings to change. A list replaces the stored one.
    #[command(flatten)]
    pub flags: ProviderFlags,
}

/// Settings that can be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClearArg {
    /// All sets are harvested
    Set,
    /// No earliest datestamp
    From,
    /// No further fields
    Field,
    /// No mail addresses of the provider
    Contact,
    /// No mail addresses of managers
    Manager,
    /// No webhooks
    Webhook,
    /// No limit of surveyed URLs
    Budget,
}

/// The settings of a provider.
#[derive(Debug, Args)]
pub struct ProviderFlags {
    /// Base URL of its OAI-PMH interface
    #[arg(long, value_name = "URL")]
    pub oai: Option<Url>,
    /// File with its records: an OAI-PMH dump, LOM, Dublin Core, CSV, TSV or
    /// JSON Lines; it is read again in each run
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The provider submits its records to `relink serve --spi`
    #[arg(long)]
    pub spi: bool,
    /// Set to harvest; may be repeated [default: all records]
    #[arg(long, value_name = "SET")]
    pub set: Vec<String>,
    /// Metadata format [default: `oai_dc`]
    #[arg(long, value_name = "PREFIX")]
    pub prefix: Option<String>,
    /// Earliest datestamp of the first harvest
    #[arg(long, value_name = "DATE")]
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
    /// Language of messages [default: en]
    #[arg(long, value_enum)]
    pub language: Option<LanguageArg>,
    /// Time zone of times in messages: a name such as `Europe/Oslo`, or an
    /// offset such as `+01:00` [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub time_zone: Option<String>,
    /// How the provider is notified, separated by commas [default:
    /// rss,atom,xlsx]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WAYS")]
    pub notify: Vec<NotifyArg>,
    /// Which records are checked on arrival; their broken locations are left
    /// out of the published record until they work [default: new]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub arrivals: Option<ArrivalsArg>,
    /// Sampling plan, as in `relink survey` [default: le-shulman]
    #[arg(long, value_name = "NAME")]
    pub plan: Option<SamplingPlanName>,
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
    /// Share of good URLs from which a domain is accepted, if its broken URLs
    /// are still broken [default: 0.95]
    #[arg(long, value_name = "SHARE")]
    pub p2_high: Option<f64>,
    /// Days between two surveys of a domain [default: 7]
    #[arg(long, value_name = "DAYS")]
    pub survey_every: Option<u32>,
    /// Days from the first finding to the re-check that escalates [default: 7]
    #[arg(long, value_name = "DAYS")]
    pub recheck_after: Option<u32>,
    /// Days from the first finding to the check that hides records [default:
    /// 30]
    #[arg(long, value_name = "DAYS")]
    pub hide_after: Option<u32>,
    /// Maximum number of URLs in the domains that one run surveys [default: no
    /// limit]
    #[arg(long, value_name = "N")]
    pub budget: Option<u64>,
}

/// The records that are checked on arrival.
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

/// Parses a mail address. Rejects control characters: a line feed would end the header of
/// a mail and start another one.
fn mail_address(text: &str) -> Result<String, String> {
    let has_two_parts = text.split_once('@').is_some_and(|(user, domain)| {
        !user.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    let has_space_or_control = text.chars().any(|char| char.is_control() || char.is_whitespace());
    if has_two_parts && !has_space_or_control {
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
