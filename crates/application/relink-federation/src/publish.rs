//! Submits and withdraws records that a provider publishes itself, without a harvest.

use std::fmt;

use relink_ports::{
    HarvestProgress, HarvestedRecord, NewRecord, RecordLinkRole, StoredArrival, StoredProvider,
    StoredRecord, TargetSelection,
};
use relink_report::harvest::HarvestRunRow;
use relink_survey::CheckResult;

use super::check_run::{CheckScope, RunChecks};
use super::intake::new_record;
use super::run_changes::SelectSubject as _;
use super::{Harvester, HostTargets, ProviderSettings};
use relink_requests::{EngineError, StopSignal};

/// The state of a submitted record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmissionState {
    /// The record is published.
    Visible,
    /// None of its locations works, or a manager hides it.
    HeldBack,
    /// Its locations could not be checked yet. The next run checks them.
    Pending,
}

impl SubmissionState {
    /// Returns the state of a stored record.
    pub fn of(record: &StoredRecord) -> Self {
        match (record.is_pending, record.is_visible) {
            (true, _) => Self::Pending,
            (false, true) => Self::Visible,
            (false, false) => Self::HeldBack,
        }
    }
}

impl fmt::Display for SubmissionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Visible => "visible",
            Self::HeldBack => "held-back",
            Self::Pending => "pending",
        })
    }
}

/// A location of a submitted record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedLocation {
    /// The URL.
    pub url: String,
    /// The result of the check: `works`, `broken` or `unknown`.
    pub state: &'static str,
    /// The reason.
    pub reason: String,
}

/// The result of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The identifier.
    pub identifier: String,
    /// The title.
    pub title: Option<String>,
    /// The state of the record.
    pub state: SubmissionState,
    /// The checked links of the record.
    pub locations: Vec<SubmittedLocation>,
    /// Links that are not web URLs, and the reason if the check failed.
    pub problems: Vec<String>,
}

impl Harvester<'_> {
    /// Stores a record and checks its links. A broken location is left out. A record without a
    /// working location is held back.
    ///
    /// # Errors
    ///
    /// Fails if the store fails. The record may be stored then. The next run checks it.
    pub async fn submit(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        record: HarvestedRecord,
        stop: &StopSignal,
    ) -> Result<Submission, EngineError> {
        let (identifier, title) = (record.identifier.clone(), record.title.clone());
        let mut problems = Vec::new();
        let new = new_record(record, &mut problems);
        let mut urls: Vec<String> = new.links.iter().map(|link| link.url.clone()).collect();
        urls.sort_unstable();
        urls.dedup();
        let before = self.store.harvested_record(provider.id, &identifier).await?;
        self.save_submission(provider, new).await?;
        let after = self.store.harvested_record(provider.id, &identifier).await?;
        let mut row = HarvestRunRow::default();
        let (mut checks, outages) = self.checks_of_change(provider, before, after).await?;
        let label = format!("harvest {} submit {identifier} {}", provider.name, self.ports.now());
        let is_complete = self.check_urls(&label, &urls, &mut checks, &mut row, stop).await?
            && self.check_recovered(&label, &outages, &mut checks, &mut row, stop).await?;
        if is_complete {
            self.save(&mut checks).await?;
            self.advance(provider, settings, &checks, &mut row).await?;
        }
        // `doubt` is the reason why the local network is in doubt.
        problems.extend(row.doubt.into_iter().chain(row.errors));
        let locations = urls.into_iter().filter_map(|url| location(url, &checks)).collect();
        let stored = self.store.harvested_record(provider.id, &identifier).await?;
        let state = stored.as_ref().map_or(SubmissionState::Pending, SubmissionState::of);
        Ok(Submission { identifier, title, state, locations, problems })
    }

    /// Deletes a record. Its incidents end.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn withdraw(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        identifier: &str,
    ) -> Result<(), EngineError> {
        let record = HarvestedRecord {
            identifier: identifier.to_owned(),
            is_deleted: true,
            ..HarvestedRecord::default()
        };
        let before = self.store.harvested_record(provider.id, identifier).await?;
        self.save_submission(provider, new_record(record, &mut Vec::new())).await?;
        self.store.apply_deletions(provider.id, self.ports.now()).await?;
        let after = self.store.harvested_record(provider.id, identifier).await?;
        let (checks, _) = self.checks_of_change(provider, before, after).await?;
        self.advance(provider, settings, &checks, &mut HarvestRunRow::default()).await
    }

    /// Stores a submitted or withdrawn record.
    async fn save_submission(
        &self,
        provider: &StoredProvider,
        record: NewRecord,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        // A submission may wait until a harvest ends, which has changed the progress.
        let stored = self.store.providers().await?.into_iter().find(|it| it.id == provider.id);
        let progress = stored.map_or_else(|| provider.progress.clone(), |it| it.progress);
        let progress = HarvestProgress { harvested_at: Some(now), ..progress };
        let marks_arrivals = true;
        self.store.save_page(provider.id, &[record], &progress, marks_arrivals, now).await?;
        Ok(())
    }

    /// Returns the targets that the change of a record affects: its own before and after the
    /// change, and all targets of its hosts that have an outage. Also returns the names of the
    /// hosts with an outage.
    async fn checks_of_change(
        &self,
        provider: &StoredProvider,
        before: Option<StoredRecord>,
        after: Option<StoredRecord>,
    ) -> Result<(RunChecks, Vec<String>), EngineError> {
        let arrival = after.as_ref().filter(|record| !record.is_deleted).map(arrival_of);
        let records: Vec<StoredRecord> = before.into_iter().chain(after).collect();
        let mut selection = TargetSelection::default();
        for (_, state) in self.open_incidents_of(provider.id, &records).await? {
            selection.add(&state.incident.subject);
        }
        let outages = selection.hosts.clone();
        let links = records.iter().flat_map(|record| &record.links);
        selection.urls.extend(links.map(|link| link.url.clone()));
        let mut hosts = HostTargets::new();
        for target in self.store.selected_targets(provider.id, &selection).await? {
            hosts.entry(target.host.clone()).or_default().push(target);
        }
        let checks = RunChecks {
            arrivals: arrival.iter().flat_map(|it| it.urls.iter().cloned()).collect(),
            arrived: arrival.into_iter().collect(),
            hosts,
            scope: CheckScope::Records(records),
            ..RunChecks::default()
        };
        Ok((checks, outages))
    }
}

/// Returns a new or changed record with its locations, which are checked now.
fn arrival_of(record: &StoredRecord) -> StoredArrival {
    let locations = record.links.iter().filter(|link| link.role == RecordLinkRole::Location);
    StoredArrival { record: record.id, urls: locations.map(|link| link.url.clone()).collect() }
}

fn location(url: String, checks: &RunChecks) -> Option<SubmittedLocation> {
    let state = match checks.results.get(&url)? {
        CheckResult::Alive => "works",
        CheckResult::Broken => "broken",
        CheckResult::Unknown => "unknown",
    };
    let reason = checks.reasons.get(&url).cloned().unwrap_or_default();
    Some(SubmittedLocation { url, state, reason })
}
