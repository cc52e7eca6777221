//! Which records are visible after the changes of a run, and which records an
//! incident affects.

use std::collections::{HashMap, HashSet};

use relink_ports::{
    LocationChange, RecordFilter, RecordLinkRole, StoredOverride, StoredProvider, StoredRecord,
    StoredRecordLink,
};
use relink_survey::{
    Incident, IncidentSubject, LocationState, OverrideAction, OverrideScope, Stage,
    is_record_visible, strongest_override,
};

use super::advance::{Change, states_after};
use super::{Harvester, IncidentState, PAGE_SIZE};
use crate::EngineError;

/// A record that an incident affects.
#[derive(Debug, Clone)]
pub(super) struct AffectedRecord {
    pub(super) id: i64,
    pub(super) identifier: String,
    pub(super) title: Option<String>,
    pub(super) url: String,
}

/// The records of a provider after the changes of a run.
#[derive(Debug, Default)]
pub(super) struct RecordView {
    /// Number of records that are not deleted.
    pub(super) total: u64,
    /// Records whose visibility changes.
    pub(super) changes: Vec<(i64, bool)>,
    /// Locations that are left out of their records, or put back.
    pub(super) locations: Vec<LocationChange>,
    /// Number of arrivals without a working location.
    pub(super) held_back: u64,
    /// Number of hidden records, and by host.
    pub(super) hidden: u64,
    pub(super) hidden_by_host: HashMap<String, u64>,
    /// The records of changed incidents, by target or host.
    affected: HashMap<String, Vec<AffectedRecord>>,
}

impl RecordView {
    /// Returns the number of records that become hidden.
    pub(super) fn newly_hidden(&self) -> u64 {
        self.changes.iter().filter(|(_, is_visible)| !is_visible).count() as u64
    }

    fn count_hidden(&mut self, record: &StoredRecord) {
        self.hidden += 1;
        let hosts: HashSet<&str> = locations(record).map(|link| link.host.as_str()).collect();
        for host in hosts {
            *self.hidden_by_host.entry(host.to_owned()).or_default() += 1;
        }
    }

    /// Returns the records of an incident.
    pub(super) fn affected(&self, incident: &Incident) -> &[AffectedRecord] {
        self.affected.get(incident.subject.name()).map_or(&[], Vec::as_slice)
    }

    /// Returns the ids of the first records of an incident.
    pub(super) fn record_ids(&self, incident: &Incident, limit: usize) -> Vec<i64> {
        self.affected(incident).iter().take(limit).map(|record| record.id).collect()
    }
}

/// What the visibility of records depends on, apart from the incidents.
pub(super) struct ViewScope<'a> {
    pub(super) provider: &'a StoredProvider,
    pub(super) overrides: &'a [StoredOverride],
    /// New records whose locations are checked now.
    pub(super) arrived: &'a [i64],
}

/// The targets and hosts whose records are hidden, and those whose records are listed.
struct Scan<'a> {
    provider: &'a str,
    arrived: HashSet<i64>,
    hidden: HashSet<&'a str>,
    listed: HashSet<&'a str>,
    overrides: &'a [StoredOverride],
}

impl Scan<'_> {
    fn add(&self, record: &StoredRecord, view: &mut RecordView) {
        if record.is_deleted {
            return;
        }
        view.total += 1;
        let decision =
            strongest_override(self.overrides.iter().filter_map(|it| self.decision(it, record)));
        view.locations.extend(self.location_changes(record, decision));
        let is_waiting = record.is_pending && !self.arrived.contains(&record.id);
        let is_visible = !is_waiting && self.is_visible(record, decision);
        view.held_back += u64::from(!is_visible && self.arrived.contains(&record.id));
        if !is_visible {
            view.count_hidden(record);
        }
        if is_visible != record.is_visible {
            view.changes.push((record.id, is_visible));
        }
        for link in &record.links {
            for name in [link.url.as_str(), link.host.as_str()] {
                if self.listed.contains(name) {
                    view.affected.entry(name.to_owned()).or_default().push(AffectedRecord {
                        id: record.id,
                        identifier: record.identifier.clone(),
                        title: record.title.clone(),
                        url: link.original.clone(),
                    });
                }
            }
        }
    }

    fn is_visible(&self, record: &StoredRecord, decision: Option<OverrideAction>) -> bool {
        is_record_visible(locations(record).map(|link| self.state(link)), decision)
    }

    fn state(&self, link: &StoredRecordLink) -> LocationState {
        let is_hidden =
            self.hidden.contains(link.url.as_str()) || self.hidden.contains(link.host.as_str());
        if is_hidden { LocationState::Hidden } else { LocationState::Shown }
    }

    /// Returns the locations that have to be left out of the published record, or put back. A
    /// record that a manager shows keeps all of them.
    fn location_changes(
        &self,
        record: &StoredRecord,
        decision: Option<OverrideAction>,
    ) -> Vec<LocationChange> {
        let is_kept = decision == Some(OverrideAction::Restore);
        let change = |link: &StoredRecordLink| {
            let is_shown = is_kept || self.state(link) == LocationState::Shown;
            (is_shown != link.is_shown).then(|| LocationChange {
                record: record.id,
                url: link.url.clone(),
                is_shown,
            })
        };
        locations(record).filter_map(change).collect()
    }

    fn decision(
        &self,
        it: &StoredOverride,
        record: &StoredRecord,
    ) -> Option<(OverrideScope, OverrideAction)> {
        let mut links = record.links.iter();
        let (scope, applies) = match it.scope.as_str() {
            "provider" => (OverrideScope::Provider, it.subject == self.provider),
            "domain" => (OverrideScope::Domain, links.any(|link| link.host == it.subject)),
            "target" => (OverrideScope::Target, links.any(|link| link.url == it.subject)),
            _ => (OverrideScope::Record, record.identifier == it.subject),
        };
        let action = if it.action == OverrideAction::Hide.as_str() {
            OverrideAction::Hide
        } else {
            OverrideAction::Restore
        };
        applies.then_some((scope, action))
    }
}

impl Harvester<'_> {
    /// Computes the visibility of all records of a provider after these changes.
    pub(super) async fn record_view(
        &self,
        scope: &ViewScope<'_>,
        open: &[(i64, IncidentState)],
        changes: &[Change],
    ) -> Result<RecordView, EngineError> {
        let states = states_after(open, changes);
        let name = |state: &&IncidentState| state.incident.subject.name().to_owned();
        let hidden: Vec<String> =
            states.iter().filter(|it| it.incident.stage == Stage::Hidden).map(name).collect();
        let scan = Scan {
            provider: &scope.provider.name,
            arrived: scope.arrived.iter().copied().collect(),
            hidden: hidden.iter().map(String::as_str).collect(),
            listed: changes.iter().map(|change| change.state.incident.subject.name()).collect(),
            overrides: scope.overrides,
        };
        let mut view = RecordView::default();
        let mut filter = RecordFilter {
            provider: Some(scope.provider.id),
            limit: PAGE_SIZE,
            ..RecordFilter::default()
        };
        loop {
            let page = self.store.harvested_records(&filter).await?;
            let Some(last) = page.last() else { return Ok(view) };
            filter.after = last.id;
            for record in &page {
                scan.add(record, &mut view);
            }
        }
    }
}

/// Returns the links whose state decides whether a record is of use.
fn locations(record: &StoredRecord) -> impl Iterator<Item = &StoredRecordLink> {
    record.links.iter().filter(|it| it.role == RecordLinkRole::Location)
}

/// Whether an incident covers a link.
pub(super) fn covers(incident: &Incident, link: &StoredRecordLink) -> bool {
    match &incident.subject {
        IncidentSubject::Target(url) => link.url == *url,
        IncidentSubject::Host(host) => link.host == *host,
    }
}
