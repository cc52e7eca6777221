//! Actions of managers and users: replies of providers, overrides, re-checks,
//! notes and reports of broken links.

use jiff::civil::Date;
use relink_frontier::canonicalize;
use relink_ports::{
    HarvestChanges, HarvestEvent, RecordFilter, StoredOverride, StoredProvider, StoredRecord,
    TargetSelection,
};
use relink_report::harvest::HarvestRunRow;
use relink_survey::{
    CheckResult, Incident, IncidentOrigin, IncidentSubject, OverrideAction, OverrideScope, Stage,
    Transition,
};

use super::advance::Change;
use super::check_run::RunChecks;
use super::run_changes::stored_incident;
use super::visibility::ViewScope;
use super::{Harvester, IncidentState, PAGE_SIZE, ProviderSettings};
use crate::{EngineError, StopSignal};

/// What an action applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarvestSubject {
    /// The scope.
    pub scope: OverrideScope,
    /// The identifier, canonical URL, host or provider name.
    pub name: String,
}

/// A subject that was found, with the records it includes.
#[derive(Debug, Clone)]
pub struct SubjectMatch {
    /// The subject.
    pub subject: HarvestSubject,
    /// The records that are not deleted.
    pub records: Vec<StoredRecord>,
}

/// An action of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManagerAction {
    /// The provider has replied; incidents do not escalate before this day.
    Answer {
        /// The day.
        until: Date,
    },
    /// Hide or show records in spite of the timetable.
    Override(OverrideAction),
    /// Let the timetable decide again.
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
    /// The link is broken; this number of records was hidden.
    Hidden(u64),
    /// The records were hidden before.
    AlreadyHidden,
    /// The link works or cannot be judged, for this reason.
    Rejected(String),
    /// The check was not possible, for this reason.
    InDoubt(String),
    /// No record has this URL.
    Unknown,
}

impl Harvester<'_> {
    /// Finds a subject: the name of the provider, the identifier of a record, a URL, or a host.
    pub async fn find_subject(
        &self,
        provider: &StoredProvider,
        text: &str,
    ) -> Result<Option<SubjectMatch>, EngineError> {
        let url = canonicalize(None, text).ok().map(String::from);
        let mut candidates = vec![(OverrideScope::Record, text.to_owned())];
        candidates.extend(url.map(|url| (OverrideScope::Target, url)));
        candidates.push((OverrideScope::Domain, text.to_owned()));
        candidates.push((OverrideScope::Provider, text.to_owned()));
        for (scope, name) in candidates {
            let subject = HarvestSubject { scope, name };
            let records = self.records_of(provider, &subject).await?;
            if !records.is_empty() {
                return Ok(Some(SubjectMatch { subject, records }));
            }
        }
        Ok(None)
    }

    async fn records_of(
        &self,
        provider: &StoredProvider,
        subject: &HarvestSubject,
    ) -> Result<Vec<StoredRecord>, EngineError> {
        let name = subject.name.clone();
        let mut selection = TargetSelection::default();
        match subject.scope {
            OverrideScope::Record => {
                let found = self.store.harvested_record(provider.id, &name).await?;
                return Ok(found.into_iter().filter(|record| !record.is_deleted).collect());
            }
            OverrideScope::Provider if name == provider.name => {
                return self.all_records(provider).await;
            }
            OverrideScope::Provider => {}
            OverrideScope::Target => selection.urls.push(name),
            OverrideScope::Domain => selection.hosts.push(name),
        }
        Ok(self.store.records_of_targets(provider.id, &selection).await?)
    }

    async fn all_records(
        &self,
        provider: &StoredProvider,
    ) -> Result<Vec<StoredRecord>, EngineError> {
        let mut filter = RecordFilter {
            provider: Some(provider.id),
            limit: PAGE_SIZE,
            ..RecordFilter::default()
        };
        let mut found = Vec::new();
        loop {
            let page = self.store.harvested_records(&filter).await?;
            let Some(last) = page.last() else { return Ok(found) };
            filter.after = last.id;
            found.extend(page.into_iter().filter(|record| !record.is_deleted));
        }
    }

    /// Performs an action of a manager and records who did it, when and why.
    pub async fn act(
        &self,
        provider: &StoredProvider,
        matched: &SubjectMatch,
        action: &ManagerAction,
        user: &str,
        reason: &str,
    ) -> Result<u64, EngineError> {
        let subject = &matched.subject;
        let mut stored = HarvestChanges {
            events: vec![self.event(action.kind(), subject, user, reason)],
            ..HarvestChanges::default()
        };
        let mut overrides = self.store.overrides(provider.id).await?;
        let key = (subject.scope.as_str().to_owned(), subject.name.clone());
        let is_same = |it: &StoredOverride| it.scope == key.0 && it.subject == key.1;
        match action {
            ManagerAction::Answer { until } => {
                stored.incidents = self.answered(provider, matched, *until).await?;
            }
            ManagerAction::Override(decision) => {
                overrides.retain(|it| !is_same(it));
                let new = self.new_override(subject, *decision, user, reason);
                overrides.push(new.clone());
                stored.overrides = vec![new];
                stored.lifted = vec![key.clone()];
            }
            ManagerAction::Lift => {
                overrides.retain(|it| !is_same(it));
                stored.lifted = vec![key.clone()];
            }
            ManagerAction::Note => {}
        }
        let open = self.open_incidents_of(provider.id, &matched.records).await?;
        let view = ViewScope::new(provider, &overrides).view(&matched.records, &open, &[]);
        (stored.visibility, stored.locations) = (view.changes, view.locations);
        let count = match action {
            ManagerAction::Answer { .. } => stored.incidents.len(),
            ManagerAction::Note => matched.records.len(),
            ManagerAction::Override(_) | ManagerAction::Lift => stored.visibility.len(),
        };
        self.store.apply(provider.id, self.today(), &stored, self.ports.now()).await?;
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
        let stored = HarvestChanges { events: vec![event], ..HarvestChanges::default() };
        Ok(self.store.apply(provider.id, self.today(), &stored, self.ports.now()).await?)
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

    /// Returns the open incidents of the records, with the reply.
    async fn answered(
        &self,
        provider: &StoredProvider,
        matched: &SubjectMatch,
        until: Date,
    ) -> Result<Vec<relink_ports::StoredIncident>, EngineError> {
        let mut stored = Vec::new();
        for (id, mut state) in self.open_incidents_of(provider.id, &matched.records).await? {
            state.incident.answer(until);
            stored.push(stored_incident(&Change { id, state, transition: None })?);
        }
        Ok(stored)
    }

    /// Checks the locations of records at once, and advances their incidents.
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
        if self.check_urls(&label, &urls, &mut checks, &mut row, stop).await? {
            self.advance(provider, settings, &checks, &mut row).await?;
        }
        self.count(provider, settings, &mut row).await?;
        Ok(row)
    }

    /// Checks a URL that a user reported. A confirmed report hides its records at once.
    pub async fn flag(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        url: &str,
        user: &str,
        stop: &StopSignal,
    ) -> Result<FlagOutcome, EngineError> {
        let Some(matched) = self.find_subject(provider, url).await? else {
            return Ok(FlagOutcome::Unknown);
        };
        if matched.subject.scope != OverrideScope::Target {
            return Ok(FlagOutcome::Unknown);
        }
        let url = matched.subject.name.clone();
        if matched.records.iter().all(|record| !record.is_visible) {
            return Ok(FlagOutcome::AlreadyHidden);
        }
        let (mut row, mut checks) = (HarvestRunRow::default(), RunChecks::default());
        let label = format!("harvest {} flag {}", provider.name, self.ports.now());
        let urls = [url.clone()];
        if !self.check_urls(&label, &urls, &mut checks, &mut row, stop).await? {
            let doubt = match row.doubt {
                _ if stop.is_stopped() => "interrupted".to_owned(),
                Some(doubt) => doubt,
                None => row.errors.pop().unwrap_or_default(),
            };
            return Ok(FlagOutcome::InDoubt(doubt));
        }
        let reason = checks.reasons.remove(&url).unwrap_or_default();
        if checks.results.get(&url) != Some(&CheckResult::Broken) {
            return Ok(FlagOutcome::Rejected(reason));
        }
        self.hide_flagged(provider, settings, &matched, reason, user).await
    }

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
                vec![Change { id: 0, state, transition: Some(Transition::Hidden) }]
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
