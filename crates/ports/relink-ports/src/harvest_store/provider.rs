//! Providers (organizations whose metadata records are harvested), the progress of their
//! harvests, and their statistics.

use jiff::Timestamp;
use jiff::civil::Date;

/// A provider of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProvider {
    /// The id in the store.
    pub id: i64,
    /// The name, unique in the store.
    pub name: String,
    /// The settings as JSON.
    pub settings: String,
    /// The progress of the harvest.
    pub progress: HarvestProgress,
}

/// The progress of a harvest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarvestProgress {
    /// The datestamp from which the next harvest starts.
    pub from: Option<String>,
    /// The number of the list that is being read. Records with this number were part of
    /// the list.
    pub list: i64,
    /// The token of the next page of an unfinished list.
    pub token: Option<String>,
    /// The time when the token expires.
    pub token_expires_at: Option<Timestamp>,
    /// The start of the unfinished list by the clock of the provider.
    pub list_started: Option<String>,
    /// The time of the last complete harvest.
    pub harvested_at: Option<Timestamp>,
}

/// The numbers of records and targets of a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProviderCounts {
    /// Records that the provider has not deleted.
    pub records: u64,
    /// Deleted records.
    pub deleted: u64,
    /// Records that are not deleted and do not appear in searches.
    pub hidden: u64,
    /// Distinct targets.
    pub urls: u64,
    /// Distinct hosts.
    pub domains: u64,
}

/// The state of a domain or of a whole provider on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainDay {
    /// The host with its port, or [`DomainDay::WHOLE_PROVIDER`].
    pub host: String,
    /// The day.
    pub day: Date,
    /// Distinct URLs.
    pub urls: u64,
    /// URLs checked on this day.
    pub checked: u64,
    /// URLs with an open incident.
    pub broken: u64,
    /// Hidden records.
    pub hidden: u64,
}

impl DomainDay {
    /// The value of `host` in the row with the numbers of all hosts of a provider together.
    pub const WHOLE_PROVIDER: &'static str = "";
}
