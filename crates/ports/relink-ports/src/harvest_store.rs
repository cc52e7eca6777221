//! Storage of harvested records, incidents and notifications.
//!
//! Settings, incidents and notifications are opaque JSON texts of the application. All changes
//! of one run for one provider are one transaction ([`HarvestStore::apply`]), so that a state
//! change and the notification it requires are stored together or not at all.

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use relink_model::Verdict;

use crate::{HarvestedRecord, RecordLinkRole, StoreError};

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
    /// The number of the list that is being read. It identifies the records of one list.
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

/// The changes by one page.
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
    /// Its role.
    pub role: RecordLinkRole,
    /// The canonical URL.
    pub url: String,
    /// The host with its port.
    pub host: String,
    /// The URL as written.
    pub original: String,
    /// Whether the published record contains it.
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
    /// Whether it is new and waits for the first check of its locations.
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
    /// Only the record with this identifier.
    pub identifier: Option<String>,
    /// Whether the metadata is read.
    pub with_metadata: bool,
}

/// A new or changed record whose locations were not checked since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArrival {
    /// The id of the record.
    pub record: i64,
    /// The canonical URLs of its locations.
    pub urls: Vec<String>,
}

/// A location that is left out of a published record, or put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationChange {
    /// The id of the record.
    pub record: i64,
    /// The canonical URL.
    pub url: String,
    /// Whether the published record contains it.
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

/// A stored incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIncident {
    /// The id in the store; 0 for a new incident.
    pub id: i64,
    /// The stage.
    pub stage: String,
    /// Whether the incident has not ended.
    pub is_open: bool,
    /// The incident as JSON.
    pub incident: String,
}

/// A decision of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOverride {
    /// The scope: `record`, `target`, `domain` or `provider`.
    pub scope: String,
    /// The identifier, URL, host or name.
    pub subject: String,
    /// The action: `hide` or `restore`.
    pub action: String,
    /// The reason.
    pub reason: String,
    /// Who decided.
    pub user: String,
    /// The time of the decision.
    pub decided_at: Timestamp,
}

/// The state of a domain on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainDay {
    /// The host with its port; empty for the whole provider.
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

/// An entry of the history of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarvestEvent {
    /// The time.
    pub at: Timestamp,
    /// Who caused it; `relink` for the timetable.
    pub user: String,
    /// The kind, such as `note` or `answer`.
    pub kind: String,
    /// The identifier, URL, host or name.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// A notification to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotification {
    /// A key that identifies the notification. A second one with the same key is not stored.
    pub key: String,
    /// The kind, such as `reported`.
    pub kind: String,
    /// The content as JSON.
    pub content: String,
    /// The mail addresses that receive it. A notification without addresses appears in feeds
    /// only.
    pub recipients: Vec<String>,
    /// The URLs that receive it.
    pub webhooks: Vec<String>,
}

/// A stored notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNotification {
    /// The id in the store.
    pub id: i64,
    /// The id of the provider.
    pub provider: i64,
    /// The key.
    pub key: String,
    /// The kind.
    pub kind: String,
    /// The content as JSON.
    pub content: String,
    /// The time of the event.
    pub created_at: Timestamp,
}

/// All changes of one run for one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarvestChanges {
    /// New and changed incidents.
    pub incidents: Vec<StoredIncident>,
    /// Notifications.
    pub notifications: Vec<NewNotification>,
    /// Records whose visibility changes, with the new value.
    pub visibility: Vec<(i64, bool)>,
    /// Locations that are left out of their records, or put back.
    pub locations: Vec<LocationChange>,
    /// Arrivals whose locations are checked, by record.
    pub arrived: Vec<i64>,
    /// The state of the provider and its domains.
    pub days: Vec<DomainDay>,
    /// Domains surveyed on this day.
    pub surveyed: Vec<String>,
    /// Entries of the history.
    pub events: Vec<HarvestEvent>,
    /// Decisions to add.
    pub overrides: Vec<StoredOverride>,
    /// Decisions to lift: scope and subject.
    pub lifted: Vec<(String, String)>,
}

/// The numbers of a provider.
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

/// The state of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailState {
    /// It was not sent yet.
    Pending,
    /// The server has accepted it.
    Sent,
    /// The server has rejected it for good.
    Failed,
}

/// A mail: all notifications of one day for one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMail {
    /// The id in the store.
    pub id: i64,
    /// The address.
    pub recipient: String,
    /// The `Message-ID`, fixed before the first attempt.
    pub message_id: String,
    /// The notifications, oldest first.
    pub notifications: Vec<StoredNotification>,
    /// Number of attempts.
    pub attempts: u32,
    /// The state.
    pub state: MailState,
    /// The last error of the server.
    pub error: Option<String>,
}

/// A notification for a URL that was not delivered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDelivery {
    /// The notification.
    pub notification: StoredNotification,
    /// The URL.
    pub url: String,
    /// Number of attempts.
    pub attempts: u32,
    /// The time before which it is not sent again.
    pub not_before: Timestamp,
    /// The last error.
    pub error: Option<String>,
}

/// The storage of `harvest`.
#[async_trait]
pub trait HarvestStore: Send + Sync {
    /// Adds a provider. Returns whether the name was free.
    async fn add_provider(&self, name: &str, settings: &str) -> Result<bool, StoreError>;

    /// Lists the providers by name.
    async fn providers(&self) -> Result<Vec<StoredProvider>, StoreError>;

    /// Removes a provider with all its data. Returns whether it existed.
    async fn remove_provider(&self, name: &str) -> Result<bool, StoreError>;

    /// Stores a page of records and the progress after it, in one transaction. A deletion is
    /// only marked; [`Self::apply_deletions`] applies it. If `marks_arrivals` is true, new and
    /// changed records become arrivals; new ones are not visible until they are checked.
    async fn save_page(
        &self,
        provider: i64,
        records: &[NewRecord],
        progress: &HarvestProgress,
        marks_arrivals: bool,
        now: Timestamp,
    ) -> Result<PageChanges, StoreError>;

    /// Returns the arrivals of a provider, in the order of their ids.
    async fn arrivals(&self, provider: i64) -> Result<Vec<StoredArrival>, StoreError>;

    /// Stores the progress.
    async fn save_progress(
        &self,
        provider: i64,
        progress: &HarvestProgress,
    ) -> Result<(), StoreError>;

    /// Marks the records that are not part of this list as deleted.
    async fn mark_absent(&self, provider: i64, list: i64) -> Result<u64, StoreError>;

    /// Counts the marked deletions.
    async fn pending_deletions(&self, provider: i64) -> Result<u64, StoreError>;

    /// Applies the marked deletions.
    async fn apply_deletions(&self, provider: i64, now: Timestamp) -> Result<u64, StoreError>;

    /// Returns the numbers of a provider.
    async fn provider_counts(&self, provider: i64) -> Result<ProviderCounts, StoreError>;

    /// Returns records in the order of their ids.
    async fn harvested_records(
        &self,
        filter: &RecordFilter,
    ) -> Result<Vec<StoredRecord>, StoreError>;

    /// Returns the targets of the records that are not deleted, by URL.
    async fn harvest_targets(
        &self,
        provider: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<HarvestTarget>, StoreError>;

    /// Stores the results of checks.
    async fn save_target_checks(&self, checks: &[TargetCheck]) -> Result<(), StoreError>;

    /// Returns the domains of a provider with the day of their last survey.
    async fn surveyed_domains(&self, provider: i64) -> Result<Vec<(String, Date)>, StoreError>;

    /// Stores the mean decay of the records of domains, from 0 to 1.
    async fn save_domain_decay(
        &self,
        provider: i64,
        domains: &[(String, f64)],
    ) -> Result<(), StoreError>;

    /// Returns the stored decay of domains.
    async fn domain_decay(&self, provider: i64) -> Result<Vec<(String, f64)>, StoreError>;

    /// Returns the days of a provider and its domains, oldest first.
    async fn domain_days(&self, provider: i64) -> Result<Vec<DomainDay>, StoreError>;

    /// Returns the incidents of a provider, oldest first.
    async fn incidents(
        &self,
        provider: i64,
        only_open: bool,
    ) -> Result<Vec<StoredIncident>, StoreError>;

    /// Returns the decisions of managers, oldest first.
    async fn overrides(&self, provider: i64) -> Result<Vec<StoredOverride>, StoreError>;

    /// Returns the history, oldest first.
    async fn harvest_events(&self, provider: i64) -> Result<Vec<HarvestEvent>, StoreError>;

    /// Stores all changes of a run in one transaction.
    async fn apply(
        &self,
        provider: i64,
        day: Date,
        changes: &HarvestChanges,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the latest notifications of a provider, newest first.
    async fn notifications(
        &self,
        provider: i64,
        limit: usize,
    ) -> Result<Vec<StoredNotification>, StoreError>;

    /// Combines the unsent notifications into one mail per address, unless the address received
    /// a mail on this day, and returns all pending mails.
    async fn prepare_mails(
        &self,
        day: Date,
        message_domain: &str,
    ) -> Result<Vec<StoredMail>, StoreError>;

    /// Returns all mails that would be sent, without storing anything.
    async fn preview_mails(&self) -> Result<Vec<StoredMail>, StoreError>;

    /// Stores the result of an attempt to send a mail.
    async fn record_mail(
        &self,
        mail: i64,
        state: MailState,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns all notifications for URLs that are pending, oldest first.
    async fn pending_deliveries(&self) -> Result<Vec<StoredDelivery>, StoreError>;

    /// Stores the result of an attempt to deliver a notification. A pending one is not sent again
    /// before `not_before`.
    async fn record_delivery(
        &self,
        delivery: &StoredDelivery,
        state: MailState,
        error: Option<&str>,
        not_before: Timestamp,
    ) -> Result<(), StoreError>;
}
