//! The output of `relink harvest`, which collects metadata records of providers and
//! checks their links: notices to providers, and the reports of runs.

mod feeds;
mod history;
mod mail_text;
mod run;
mod sheet;

pub use feeds::{PublishedNotice, atom, rss};
pub use history::{
    DAY_COLUMNS, DomainHistory, HistoryDay, INCIDENT_COLUMNS, IncidentDurations, IncidentHistory,
    ProviderHistory, day_rows, hidden_record_days, history_xlsx, incident_rows, share,
};
pub use mail_text::{MailTemplates, MailText, TemplateError};
pub use run::{ArrivalsRow, HarvestRunRow, IntakeRow, StageCountsRow, SurveyCountsRow};
pub use sheet::xlsx;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// Broken links were found.
    Reported,
    /// Reported links are still broken; sent to the service manager.
    Escalated,
    /// The draft of a personal mail of the service manager to the provider.
    Draft,
    /// Broken locations of new records were left out.
    Filtered,
    /// Records were hidden.
    Hidden,
    /// Links were left out of records that stay visible, because other locations work.
    LeftOut,
    /// Hidden records are visible again.
    Restored,
    /// Links work again or were changed before their records were hidden.
    Repaired,
}

impl NoticeKind {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Escalated => "escalated",
            Self::Draft => "draft",
            Self::Filtered => "filtered",
            Self::Hidden => "hidden",
            Self::LeftOut => "left-out",
            Self::Restored => "restored",
            Self::Repaired => "repaired",
        }
    }
}

/// A message about records of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The provider.
    pub provider: String,
    /// The kind.
    pub kind: NoticeKind,
    /// The day of the event, in UTC.
    #[schemars(with = "String")]
    pub day: Date,
    /// The time of the event in the time zone of the provider, such as `2026-01-08 10:00 +01`.
    #[serde(default)]
    pub time: String,
    /// The day on which the records will be hidden.
    #[schemars(with = "Option<String>")]
    pub deadline: Option<Date>,
    /// The mail addresses of the provider.
    pub contacts: Vec<String>,
    /// The affected records.
    pub items: Vec<NoticeItem>,
}

/// A record in a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeItem {
    /// The identifier of the record.
    pub record: String,
    /// The title.
    pub title: Option<String>,
    /// The URL of the link.
    pub url: String,
    /// The reason.
    pub reason: String,
    /// The host, if all of its records are affected.
    pub host: Option<String>,
    /// The day of the first finding, in UTC.
    #[schemars(with = "String")]
    pub since: Date,
}
