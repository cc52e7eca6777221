//! Storage of `relink harvest`: the metadata records of providers, the incidents (periods
//! in which links are broken), and notifications with their mails and webhook deliveries.
//!
//! The tables are described in `harvest.sql`.

mod changes;
mod deliveries;
mod mails;
mod providers;
mod queries;
mod records;
mod targets;

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use relink_ports::{
    DomainDay, HarvestChanges, HarvestEvent, HarvestProgress, HarvestStore, HarvestTarget,
    IncidentFilter, MailState, NewRecord, PageChanges, ProviderCounts, RecordFilter, StoreError,
    StoredArrival, StoredDelivery, StoredIncident, StoredMail, StoredNotification, StoredOverride,
    StoredProvider, StoredRecord, TargetCheck, TargetSelection,
};

use super::SqliteStore;

/// The tables of `relink harvest`.
const SCHEMA: &str = include_str!("../../../harvest.sql");

impl SqliteStore {
    /// Creates the tables of `relink harvest` if they do not exist.
    pub fn create_harvest_tables(&self) -> Result<(), StoreError> {
        self.transact("creating tables", |db| Ok(db.execute_batch(SCHEMA)?))
    }
}

#[async_trait]
impl HarvestStore for SqliteStore {
    fn release(&self) {
        self.release_file();
    }

    async fn add_provider(&self, name: &str, settings: &str) -> Result<bool, StoreError> {
        self.transact("adding a provider", |db| providers::add(db, name, settings))
    }

    async fn providers(&self) -> Result<Vec<StoredProvider>, StoreError> {
        self.perform("listing providers", providers::list)
    }

    async fn update_provider(
        &self,
        name: &str,
        settings: &str,
        restarts: bool,
    ) -> Result<bool, StoreError> {
        self.transact("changing a provider", |db| providers::update(db, name, settings, restarts))
    }

    async fn remove_provider(&self, name: &str) -> Result<bool, StoreError> {
        self.transact("removing a provider", |db| providers::remove(db, name))
    }

    async fn save_page(
        &self,
        provider: i64,
        records: &[NewRecord],
        progress: &HarvestProgress,
        marks_arrivals: bool,
        now: Timestamp,
    ) -> Result<PageChanges, StoreError> {
        self.transact("storing records", |db| {
            let page = records::PageWriter { provider, list: progress.list, marks_arrivals, now };
            let changes = page.save(db, records)?;
            providers::save_progress(db, provider, progress)?;
            Ok(changes)
        })
    }

    async fn arrivals(&self, provider: i64) -> Result<Vec<StoredArrival>, StoreError> {
        self.perform("reading arrivals", |db| queries::arrivals(db, provider))
    }

    async fn save_progress(
        &self,
        provider: i64,
        progress: &HarvestProgress,
    ) -> Result<(), StoreError> {
        self.perform("storing the progress", |db| providers::save_progress(db, provider, progress))
    }

    async fn mark_absent(&self, provider: i64, list: i64) -> Result<u64, StoreError> {
        self.perform("marking deletions", |db| records::mark_absent(db, provider, list))
    }

    async fn pending_deletions(&self, provider: i64) -> Result<u64, StoreError> {
        self.perform("counting deletions", |db| records::pending_deletions(db, provider))
    }

    async fn apply_deletions(&self, provider: i64, now: Timestamp) -> Result<u64, StoreError> {
        self.transact("deleting records", |db| records::apply_deletions(db, provider, now))
    }

    async fn provider_counts(&self, provider: i64) -> Result<ProviderCounts, StoreError> {
        self.perform("counting records", |db| queries::counts(db, provider))
    }

    async fn harvested_records(
        &self,
        filter: &RecordFilter,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        self.perform("reading records", |db| queries::records(db, filter))
    }

    async fn harvested_record(
        &self,
        provider: i64,
        identifier: &str,
    ) -> Result<Option<StoredRecord>, StoreError> {
        self.perform("reading a record", |db| queries::record(db, provider, identifier))
    }

    async fn records_with_known_identifier(
        &self,
        records: &[i64],
    ) -> Result<HashSet<i64>, StoreError> {
        self.perform("reading identifiers", |db| queries::with_known_identifier(db, records))
    }

    async fn records_of_targets(
        &self,
        provider: i64,
        selection: &TargetSelection,
    ) -> Result<Vec<StoredRecord>, StoreError> {
        self.perform("reading records", |db| targets::records(db, provider, selection))
    }

    async fn selected_targets(
        &self,
        provider: i64,
        selection: &TargetSelection,
    ) -> Result<Vec<HarvestTarget>, StoreError> {
        self.perform("reading targets", |db| targets::selected(db, provider, selection))
    }

    async fn harvest_targets(
        &self,
        provider: i64,
        after: &str,
        limit: usize,
    ) -> Result<Vec<HarvestTarget>, StoreError> {
        self.perform("reading targets", |db| targets::targets(db, provider, after, limit))
    }

    async fn save_target_checks(&self, checks: &[TargetCheck]) -> Result<(), StoreError> {
        self.transact("storing checks", |db| records::save_checks(db, checks))
    }

    async fn surveyed_domains(&self, provider: i64) -> Result<Vec<(String, Date)>, StoreError> {
        self.perform("reading domains", |db| queries::surveyed_domains(db, provider))
    }

    async fn save_domain_decay(
        &self,
        provider: i64,
        domains: &[(String, f64)],
    ) -> Result<(), StoreError> {
        self.transact("storing the decay of domains", |db| {
            changes::save_domain_decay(db, provider, domains)
        })
    }

    async fn domain_decay(&self, provider: i64) -> Result<Vec<(String, f64)>, StoreError> {
        self.perform("reading the decay of domains", |db| queries::domain_decay(db, provider))
    }

    async fn domain_days(&self, provider: i64) -> Result<Vec<DomainDay>, StoreError> {
        self.perform("reading the days of domains", |db| queries::domain_days(db, provider))
    }

    async fn incidents(
        &self,
        provider: i64,
        filter: IncidentFilter,
    ) -> Result<Vec<StoredIncident>, StoreError> {
        self.perform("reading incidents", |db| queries::incidents(db, provider, filter))
    }

    async fn open_incidents_of(
        &self,
        provider: i64,
        subjects: &[String],
    ) -> Result<Vec<StoredIncident>, StoreError> {
        self.perform("reading incidents", |db| queries::open_incidents_of(db, provider, subjects))
    }

    async fn overrides(&self, provider: i64) -> Result<Vec<StoredOverride>, StoreError> {
        self.perform("reading overrides", |db| queries::overrides(db, provider))
    }

    async fn harvest_events(&self, provider: i64) -> Result<Vec<HarvestEvent>, StoreError> {
        self.perform("reading the history", |db| queries::events(db, provider))
    }

    async fn apply(
        &self,
        provider: i64,
        day: Date,
        changes: &HarvestChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.transact("storing changes", |db| changes::apply(db, provider, day, changes, now))
    }

    async fn notifications(
        &self,
        provider: i64,
        limit: usize,
    ) -> Result<Vec<StoredNotification>, StoreError> {
        self.perform("reading notifications", |db| queries::notifications(db, provider, limit))
    }

    async fn prepare_mails(
        &self,
        day: Date,
        message_domain: &str,
    ) -> Result<Vec<StoredMail>, StoreError> {
        self.transact("preparing mails", |db| {
            mails::prepare(db, day, message_domain)?;
            mails::in_state(db, MailState::Pending)
        })
    }

    async fn preview_mails(&self) -> Result<Vec<StoredMail>, StoreError> {
        self.perform("reading mails", mails::preview)
    }

    async fn failed_mails(&self) -> Result<Vec<StoredMail>, StoreError> {
        self.perform("reading mails", |db| mails::in_state(db, MailState::Failed))
    }

    async fn retry_failed_mails(&self) -> Result<usize, StoreError> {
        self.transact("retrying mails", |db| mails::retry_failed(db))
    }

    async fn record_mail(
        &self,
        mail: i64,
        state: MailState,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.perform("storing the state of a mail", |db| mails::record(db, mail, state, error, now))
    }

    async fn pending_deliveries(&self) -> Result<Vec<StoredDelivery>, StoreError> {
        self.perform("reading deliveries", deliveries::pending)
    }

    async fn record_delivery(
        &self,
        delivery: &StoredDelivery,
        state: MailState,
        error: Option<&str>,
        not_before: Timestamp,
    ) -> Result<(), StoreError> {
        self.perform("storing the state of a delivery", |db| {
            deliveries::record(db, delivery, state, error, not_before)
        })
    }
}

#[cfg(test)]
mod tests;
