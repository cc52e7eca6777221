//! Actions of people on a harvested catalog. Managers enter replies of providers, decide
//! that records are hidden or shown, request a new check, and add notes. Users report
//! broken links.
//!
//! Replies, decisions, notes and confirmed reports are stored with their time, user and
//! reason. How incidents advance without such actions is decided in [`super::advance`].

use jiff::civil::Date;
use relink_ports::{HarvestChanges, HarvestEvent, StoredIncident, StoredOverride, StoredProvider};
use relink_report::harvest::HarvestRunRow;
use relink_survey::{
    CheckResult, Incident, IncidentOrigin, IncidentSubject, OverrideAction, Stage, Transition,
};

use super::advance::{Change, NEW_INCIDENT};
use super::check_run::RunChecks;
use super::run_changes::stored_incident;
use super::subject::{HarvestSubject, SubjectMatch};
use super::visibility::ViewScope;
use super::{Harvester, IncidentState, ProviderSettings};
use relink_requests::{EngineError, StopSignal};

/// An action of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManagerAction {
    /// The provider has replied. Incidents do not escalate before this day.
    Answer {
        /// The day.
        until: Date,
    },
    /// Hide or show records, regardless of the stage of their incidents.
    Override(OverrideAction),
    /// Delete the override, so that incidents decide again.
    Lift,
    /// Record a note.
    Note,
}

impl ManagerAction {
    fn kind(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::Override(action) => action.as_str(),
            Self::Lift => "lift",
            Self::Note => "note",
        }
    }
}

/// The result of a user's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagOutcome {
    /// The link is broken. This number of records was hidden.
    Hidden(u64),
    /// The records were hidden before.
    AlreadyHidden,
    /// The link was checked and is not broken, or its response does not show whether the link is
    /// broken. Contains the reason.
    Rejected(String),
    /// The link was not checked, or the local network failed during the check. Contains the
    /// reason. The same report may be confirmed later.
    InDoubt(String),
    /// No record has this URL.
    Unknown,
}

impl Harvester<'_> {
    /// Performs an action of a manager and records who did it, when and why.
    ///
    /// Returns the number of incidents that a reply suspends, of records whose visibility an
    /// override changes, or of records that a note is about.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn act(
        &self,
        provider: &StoredProvider,
        matched: &SubjectMatch,
        action: &ManagerAction,
        user: &str,
        reason: &str,
    ) -> Result<u64, EngineError> {
        let subject = &matched.subject;
        let mut changes = HarvestChanges {
            events: vec![self.event(action.kind(), subject, user, reason)],
            ..HarvestChanges::default()
        };
        let mut overrides = self.store.overrides(provider.id).await?;
        let key = (subject.scope.as_str().to_owned(), subject.name.clone());
        let is_same = |stored: &StoredOverride| stored.scope == key.0 && stored.subject == key.1;
        match action {
            ManagerAction::Answer { until } => {
                changes.incidents = self.pause_incidents(provider, matched, *until).await?;
            }
            ManagerAction::Override(decision) => {
                overrides.retain(|stored| !is_same(stored));
                let new = self.new_override(subject, *decision, user, reason);
                overrides.push(new.clone());
                // The old decision is deleted before the new decision is stored.
                changes.overrides = vec![new];
                changes.lifted = vec![key.clone()];
            }
            ManagerAction::Lift => {
                overrides.retain(|stored| !is_same(stored));
                changes.lifted = vec![key.clone()];
            }
            ManagerAction::Note => {}
        }
        let open = self.open_incidents_of(provider.id, &matched.records).await?;
        let view = ViewScope::new(provider, &overrides).view(&matched.records, &open, &[]);
        (changes.visibility, changes.locations) = (view.changes, view.locations);
        let count = match action {
            ManagerAction::Answer { .. } => changes.incidents.len(),
            ManagerAction::Note => matched.records.len(),
            ManagerAction::Override(_) | ManagerAction::Lift => changes.visibility.len(),
        };
        self.store.apply(provider.id, self.today(), &changes, self.ports.now()).await?;
        Ok(count as u64)
    }

    /// Adds an entry to the history of a provider.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn record_event(
        &self,
        provider: &StoredProvider,
        kind: &str,
        subject: &str,
        user: &str,
        text: &str,
    ) -> Result<(), EngineError> {
        let event = HarvestEvent {
            at: self.ports.now(),
            user: user.to_owned(),
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            text: text.to_owned(),
        };
        let changes = HarvestChanges { events: vec![event], ..HarvestChanges::default() };
        Ok(self.store.apply(provider.id, self.today(), &changes, self.ports.now()).await?)
    }

    fn event(
        &self,
        kind: &str,
        subject: &HarvestSubject,
        user: &str,
        reason: &str,
    ) -> HarvestEvent {
        HarvestEvent {
            at: self.ports.now(),
            user: user.to_owned(),
            kind: kind.to_owned(),
            subject: subject.name.clone(),
            text: reason.to_owned(),
        }
    }

    fn new_override(
        &self,
        subject: &HarvestSubject,
        action: OverrideAction,
        user: &str,
        reason: &str,
    ) -> StoredOverride {
        StoredOverride {
            scope: subject.scope.as_str().to_owned(),
            subject: subject.name.clone(),
            action: action.as_str().to_owned(),
            reason: reason.to_owned(),
            user: user.to_owned(),
            decided_at: self.ports.now(),
        }
    }

    /// Returns the open incidents to which the reply applies, paused until the day that the
    /// provider named.
    async fn pause_incidents(
        &self,
        provider: &StoredProvider,
        matched: &SubjectMatch,
        until: Date,
    ) -> Result<Vec<StoredIncident>, EngineError> {
        let mut stored = Vec::new();
        let links = matched.links();
        for (id, mut state) in self.open_incidents_of_links(provider.id, links).await? {
            state.incident.record_reply(self.today(), until);
            stored.push(stored_incident(&Change { id, state, transition: None })?);
        }
        Ok(stored)
    }

    /// Checks the locations of records now, and advances their incidents.
    pub async fn recheck(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        matched: &SubjectMatch,
        stop: &StopSignal,
    ) -> Result<HarvestRunRow, EngineError> {
        let mut row = HarvestRunRow { provider: provider.name.clone(), ..HarvestRunRow::default() };
        let mut urls: Vec<String> = matched
            .records
            .iter()
            .flat_map(|record| record.links.iter().map(|link| link.url.clone()))
            .collect();
        urls.sort_unstable();
        urls.dedup();
        let hosts = self.host_targets(provider.id).await?;
        let mut checks = RunChecks { hosts, ..RunChecks::default() };
        let label = format!("harvest {} recheck {}", provider.name, self.ports.now());
        let is_reliable = self.check_urls(&label, &urls, &mut checks, &mut row, stop).await?;
        if is_reliable {
            self.save(&mut checks).await?;
            self.advance(provider, settings, &checks, &mut row).await?;
        }
        self.count(provider, settings, &mut row).await?;
        Ok(row)
    }

    /// Checks a URL that a user reported. A confirmed report hides its records now,
    /// without the delays of the timetable.
    pub async fn flag(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        url: &str,
        user: &str,
        stop: &StopSignal,
    ) -> Result<FlagOutcome, EngineError> {
        let Some(matched) = self.find_target(provider, url).await? else {
            return Ok(FlagOutcome::Unknown);
        };
        let url = matched.subject.name.clone();
        if matched.records.iter().all(|record| !record.is_visible) {
            return Ok(FlagOutcome::AlreadyHidden);
        }
        let (mut row, mut checks) = (HarvestRunRow::default(), RunChecks::default());
        let label = format!("harvest {} flag {}", provider.name, self.ports.now());
        let urls = [url.clone()];
        let is_reliable = self.check_urls(&label, &urls, &mut checks, &mut row, stop).await?;
        if !is_reliable {
            if stop.is_stopped() {
                return Ok(FlagOutcome::InDoubt("interrupted".to_owned()));
            }
            let doubt = row.doubt.or_else(|| row.errors.pop());
            return Ok(FlagOutcome::InDoubt(doubt.unwrap_or_default()));
        }
        self.save(&mut checks).await?;
        let reason = checks.reasons.remove(&url).unwrap_or_default();
        if checks.results.get(&url) != Some(&CheckResult::Broken) {
            return Ok(FlagOutcome::Rejected(reason));
        }
        self.hide_flagged(provider, settings, &matched, reason, user).await
    }

    /// Hides the records of a reported target that is confirmed to be broken.
    async fn hide_flagged(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        matched: &SubjectMatch,
        reason: String,
        user: &str,
    ) -> Result<FlagOutcome, EngineError> {
        let open = self.open_incidents_of(provider.id, &matched.records).await?;
        let is_known =
            |state: &IncidentState| state.incident.subject.name() == matched.subject.name;
        let changes = match open.iter().find(|(_, state)| is_known(state)) {
            Some((_, state)) if state.incident.stage == Stage::Hidden => {
                return Ok(FlagOutcome::AlreadyHidden);
            }
            Some((id, state)) => {
                let mut state = IncidentState { reason, ..state.clone() };
                let transition = state.incident.hide_now(self.today());
                vec![Change { id: *id, state, transition }]
            }
            None => {
                let subject = IncidentSubject::Target(matched.subject.name.clone());
                let incident = Incident::open_hidden(subject, self.today(), IncidentOrigin::Report);
                let state = IncidentState { incident, reason, records: Vec::new() };
                vec![Change { id: NEW_INCIDENT, state, transition: Some(Transition::Hidden) }]
            }
        };
        let overrides = self.store.overrides(provider.id).await?;
        let view = ViewScope::new(provider, &overrides).view(&matched.records, &open, &changes);
        let stored = HarvestChanges {
            incidents: changes.iter().map(stored_incident).collect::<Result<_, _>>()?,
            notifications: self.notices(provider, settings, &changes, &view)?,
            visibility: view.changes.clone(),
            locations: view.locations.clone(),
            events: vec![self.event("flag", &matched.subject, user, "confirmed")],
            ..HarvestChanges::default()
        };
        self.store.apply(provider.id, self.today(), &stored, self.ports.now()).await?;
        Ok(FlagOutcome::Hidden(view.newly_hidden()))
    }
}
