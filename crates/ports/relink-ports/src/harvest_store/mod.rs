//! Storage of harvested records, incidents and notifications.
//!
//! A *provider* is an organization whose metadata records are harvested. An *arrival* is
//! a new or changed record whose locations (links to the described resource) are not
//! checked yet. An *incident* is a period in which a target or a whole host is broken.
//!
//! Settings, incidents and notifications are opaque JSON texts of the application. All
//! changes of one run for one provider are one transaction ([`HarvestStore::apply`]), so
//! that a change of state and the notification about it are stored together or not at
//! all.

mod incident;
mod notification;
mod provider;
mod record;

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;

pub use self::incident::{
    HarvestChanges, HarvestEvent, IncidentFilter, StoredIncident, StoredOverride,
};
pub use self::notification::{
    MailState, NewNotification, StoredDelivery, StoredMail, StoredNotification,
};
pub use self::provider::{DomainDay, HarvestProgress, ProviderCounts, StoredProvider};
pub use self::record::{
    HarvestTarget, LocationChange, NewRecord, PageChanges, RecordFilter, StoredArrival,
    StoredRecord, StoredRecordLink, TargetCheck, TargetSelection,
};
use crate::StoreError;

/// The storage of `harvest`.
#[async_trait]
pub trait HarvestStore: Send + Sync {
    /// Releases the lock of the database until the next call of a method, so that other
    /// processes can use the database. Must not be called during a run.
    fn release(&self);

    /// Adds a provider. Returns whether the name was free.
    async fn add_provider(&self, name: &str, settings: &str) -> Result<bool, StoreError>;

    /// Lists the providers by name.
    async fn providers(&self) -> Result<Vec<StoredProvider>, StoreError>;

    /// Replaces the settings of a provider. Returns whether it existed. If `restarts` is true, the
    /// next harvest reads the complete list.
    async fn update_provider(
        &self,
        name: &str,
        settings: &str,
        restarts: bool,
    ) -> Result<bool, StoreError>;

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

    /// Stores the progress of the harvest of a provider.
    async fn save_progress(
        &self,
        provider: i64,
        progress: &HarvestProgress,
    ) -> Result<(), StoreError>;

    /// Marks the records that are not part of the list with the number `list` as deleted.
    /// Returns the number of these records.
    async fn mark_absent(&self, provider: i64, list: i64) -> Result<u64, StoreError>;

    /// Counts the marked deletions.
    async fn pending_deletions(&self, provider: i64) -> Result<u64, StoreError>;

    /// Applies the marked deletions. Returns their number.
    async fn apply_deletions(&self, provider: i64, now: Timestamp) -> Result<u64, StoreError>;

    /// Counts the records, URLs and domains of a provider.
    async fn provider_counts(&self, provider: i64) -> Result<ProviderCounts, StoreError>;

    /// Returns records in the order of their ids.
    async fn harvested_records(
        &self,
        filter: &RecordFilter,
    ) -> Result<Vec<StoredRecord>, StoreError>;

    /// Returns the record with this identifier and its metadata.
    async fn harvested_record(
        &self,
        provider: i64,
        identifier: &str,
    ) -> Result<Option<StoredRecord>, StoreError>;

    /// Returns the ids of those records whose identifier is also used by a record of another
    /// provider that was added earlier.
    async fn records_with_known_identifier(
        &self,
        records: &[i64],
    ) -> Result<HashSet<i64>, StoreError>;

    /// Returns the records that have a link to one of these targets, in the order of their ids.
    async fn records_of_targets(
        &self,
        provider: i64,
        selection: &TargetSelection,
    ) -> Result<Vec<StoredRecord>, StoreError>;

    /// Returns the targets of records that are not deleted, in URL order after `after`.
    async fn harvest_targets(
        &self,
        provider: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<HarvestTarget>, StoreError>;

    /// Returns the selected targets to which records have links, in URL order.
    async fn selected_targets(
        &self,
        provider: i64,
        selection: &TargetSelection,
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

    /// Returns the daily statistics of the domains of a provider, oldest first.
    async fn domain_days(&self, provider: i64) -> Result<Vec<DomainDay>, StoreError>;

    /// Returns the incidents of a provider, oldest first.
    async fn incidents(
        &self,
        provider: i64,
        filter: IncidentFilter,
    ) -> Result<Vec<StoredIncident>, StoreError>;

    /// Returns the open incidents with these subjects: URLs of targets or hosts.
    async fn open_incidents_of(
        &self,
        provider: i64,
        subjects: &[String],
    ) -> Result<Vec<StoredIncident>, StoreError>;

    /// Returns the decisions of users that replace automatic decisions, oldest first.
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

    /// Returns the mails that are not sent again, oldest first.
    async fn failed_mails(&self) -> Result<Vec<StoredMail>, StoreError>;

    /// Assigns the notifications of failed mails to the next mails. Returns the number of
    /// failed mails.
    async fn retry_failed_mails(&self) -> Result<usize, StoreError>;

    /// Stores the result of an attempt to send a mail.
    async fn record_mail(
        &self,
        mail: i64,
        state: MailState,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns all notifications that are not delivered to webhook URLs yet, oldest
    /// first.
    async fn pending_deliveries(&self) -> Result<Vec<StoredDelivery>, StoreError>;

    /// Stores the result of an attempt to deliver a notification. A pending notification
    /// is not sent again before `not_before`.
    async fn record_delivery(
        &self,
        delivery: &StoredDelivery,
        state: MailState,
        error: Option<&str>,
        not_before: Timestamp,
    ) -> Result<(), StoreError>;
}
