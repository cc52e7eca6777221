//! Harvested records, their links and the targets of the links.

use jiff::Timestamp;
use relink_model::Verdict;

use crate::{HarvestedRecord, RecordLinkRole};

/// The changes that storing one page of a list has made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageChanges {
    /// Number of new records.
    pub added: u64,
    /// Number of records with other content than before.
    pub changed: u64,
    /// Number of records with the same content as before.
    pub unchanged: u64,
    /// Number of records that the provider reports as deleted and that were not deleted before.
    pub deleted: u64,
}

/// A link of a stored record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecordLink {
    /// The role of the link in the record, such as a location of the described resource.
    pub role: RecordLinkRole,
    /// The canonical URL.
    pub url: String,
    /// The host with its port.
    pub host: String,
    /// The URL as written.
    pub original: String,
    /// Whether the published record contains the link.
    pub is_shown: bool,
}

/// A record to store: as harvested, with canonical links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecord {
    /// The record.
    pub record: HarvestedRecord,
    /// The links that lead to web pages.
    pub links: Vec<StoredRecordLink>,
}

/// A stored record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// The id in the store.
    pub id: i64,
    /// The id of the provider.
    pub provider: i64,
    /// The identifier.
    pub identifier: String,
    /// The title.
    pub title: Option<String>,
    /// The sets.
    pub sets: Vec<String>,
    /// Whether the provider has deleted the record.
    pub is_deleted: bool,
    /// Whether the record appears in searches.
    pub is_visible: bool,
    /// Whether the record is new and its locations are not checked yet.
    pub is_pending: bool,
    /// The last change of content or visibility.
    pub changed_at: Timestamp,
    /// The metadata; empty if it was not requested.
    pub metadata: String,
    /// The links.
    pub links: Vec<StoredRecordLink>,
}

/// A query for records, in the order of their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// Only records of this provider.
    pub provider: Option<i64>,
    /// Only records with a higher id.
    pub after: i64,
    /// The maximum number of records.
    pub limit: usize,
    /// Only records changed at this time or later.
    pub changed_from: Option<Timestamp>,
    /// Only records changed at this time or earlier.
    pub changed_until: Option<Timestamp>,
    /// Whether the metadata is read.
    pub with_metadata: bool,
}

/// A new or changed record whose locations were not checked after the change. A location is a
/// link to the described resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArrival {
    /// The id of the record.
    pub record: i64,
    /// The canonical URLs of its locations.
    pub urls: Vec<String>,
}

/// A location that is omitted from a published record, or included again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationChange {
    /// The id of the record.
    pub record: i64,
    /// The canonical URL.
    pub url: String,
    /// Whether the published record contains the location.
    pub is_shown: bool,
}

/// The state of a target of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarvestTarget {
    /// The canonical URL.
    pub url: String,
    /// The host with its port.
    pub host: String,
    /// The last verdict; `None` if the target was never checked.
    pub verdict: Option<Verdict>,
    /// The reason of the verdict.
    pub reason: String,
    /// The time of the last check.
    pub checked_at: Option<Timestamp>,
    /// The number of links of records to the target.
    pub links: u64,
}

/// A selection of targets of a provider: single targets, and all targets of some hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetSelection {
    /// Canonical URLs.
    pub urls: Vec<String>,
    /// Hosts with their ports.
    pub hosts: Vec<String>,
}

/// The check of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetCheck {
    /// The canonical URL.
    pub url: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of the verdict.
    pub reason: String,
    /// The time of the check.
    pub checked_at: Timestamp,
}
