//! Records that a provider submits itself: stored, checked on arrival, or withdrawn.

use std::fmt;

use relink_ports::{
    HarvestProgress, HarvestedRecord, RecordFilter, RecordLinkRole, StoredProvider, StoredRecord,
};
use relink_report::harvest::HarvestRunRow;
use relink_survey::CheckResult;

use super::check_run::RunChecks;
use super::intake::new_record;
use super::{Harvester, ProviderSettings};
use crate::{EngineError, StopSignal};

/// The state of a submitted record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmissionState {
    /// It is published.
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
    /// `works`, `broken` or `unknown`.
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
    /// Its checked links.
    pub locations: Vec<SubmittedLocation>,
    /// Links that are not web URLs, and why nothing was checked.
    pub problems: Vec<String>,
}

impl Harvester<'_> {
    /// Stores a record and checks its links. A broken location is left out; a record without a
    /// working location is held back.
    ///
    /// # Errors
    ///
    /// Fails if the store fails. The record may be stored then; the next run checks it.
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
        urls.dedup();
        self.save_submission(provider, new).await?;
        let mut row = HarvestRunRow::default();
        let mut checks = self.submission_checks(provider, &identifier).await?;
        let label = format!("harvest {} submit {identifier} {}", provider.name, self.ports.now());
        if self.check_urls(&label, &urls, &mut checks, &mut row, stop).await? {
            self.advance(provider, settings, &checks, &mut row).await?;
        }
        problems.extend(row.doubt.into_iter().chain(row.errors));
        let locations = urls.into_iter().filter_map(|url| location(url, &checks)).collect();
        let stored = self.submitted(provider, &identifier).await?;
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
        self.save_submission(provider, new_record(record, &mut Vec::new())).await?;
        self.store.apply_deletions(provider.id, self.ports.now()).await?;
        let hosts = self.host_targets(provider.id).await?;
        let checks = RunChecks { hosts, ..RunChecks::default() };
        self.advance(provider, settings, &checks, &mut HarvestRunRow::default()).await
    }

    async fn save_submission(
        &self,
        provider: &StoredProvider,
        record: relink_ports::NewRecord,
    ) -> Result<(), EngineError> {
        let now = self.ports.now();
        let progress = HarvestProgress { harvested_at: Some(now), ..provider.progress.clone() };
        self.store.save_page(provider.id, &[record], &progress, true, now).await?;
        Ok(())
    }

    /// Returns the targets of the provider and the arrival of a submitted record.
    async fn submission_checks(
        &self,
        provider: &StoredProvider,
        identifier: &str,
    ) -> Result<RunChecks, EngineError> {
        let hosts = self.host_targets(provider.id).await?;
        let record = self.submitted(provider, identifier).await?;
        let links = record.iter().flat_map(|record| &record.links);
        let locations = links.filter(|link| link.role == RecordLinkRole::Location);
        Ok(RunChecks {
            hosts,
            arrivals: locations.map(|link| link.url.clone()).collect(),
            arrived: record.iter().map(|record| record.id).collect(),
            ..RunChecks::default()
        })
    }

    async fn submitted(
        &self,
        provider: &StoredProvider,
        identifier: &str,
    ) -> Result<Option<StoredRecord>, EngineError> {
        let filter = RecordFilter {
            provider: Some(provider.id),
            identifier: Some(identifier.to_owned()),
            limit: 1,
            ..RecordFilter::default()
        };
        Ok(self.store.harvested_records(&filter).await?.pop())
    }
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
