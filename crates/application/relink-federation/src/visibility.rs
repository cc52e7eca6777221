//! Computes which records are visible after a run, and which records an incident affects.
//!
//! A *location* is a link to the resource that a record describes. An *arrival* is a new or
//! changed record whose locations are checked before it is published. An *override* is the
//! decision of a manager to hide or show records.

use std::collections::{HashMap, HashSet};

use relink_ports::{
    LocationChange, RecordFilter, RecordLinkRole, StoredArrival, StoredOverride, StoredProvider,
    StoredRecord, StoredRecordLink,
};
use relink_survey::{
    CheckResult, Incident, LocationState, OverrideAction, OverrideScope, Stage, is_record_visible,
    strongest_override,
};

use super::advance::{Change, states_after};
use super::check_run::RunChecks;
use super::{Harvester, IncidentState, PAGE_SIZE};
use relink_requests::EngineError;

/// A record that an incident affects.
#[derive(Debug, Clone)]
pub(super) struct AffectedRecord {
    pub(super) id: i64,
    pub(super) identifier: String,
    pub(super) title: Option<String>,
    pub(super) url: String,
    /// Whether a manager shows the record in spite of its broken links.
    pub(super) is_shown_by_manager: bool,
    /// Whether the record was visible before the changes.
    pub(super) was_visible: bool,
    /// Whether the record is visible after the changes.
    pub(super) is_visible: bool,
}

/// The records of a provider after the changes of a run.
#[derive(Debug, Default)]
pub(super) struct RecordView {
    /// Number of records that are not deleted.
    pub(super) total: u64,
    /// The ids of records whose visibility changes, and whether they become visible.
    pub(super) changes: Vec<(i64, bool)>,
    /// Locations that are removed from the published records, or added again.
    pub(super) locations: Vec<LocationChange>,
    /// Number of arrivals without a working location.
    pub(super) held_back: u64,
    /// Number of hidden records.
    pub(super) hidden: u64,
    /// Number of hidden records by host.
    pub(super) hidden_by_host: HashMap<String, u64>,
    /// The records that changed incidents affect, by the URL or host of the incident.
    affected: HashMap<String, Vec<AffectedRecord>>,
}

impl RecordView {
    /// Returns the number of records that become hidden.
    pub(super) fn newly_hidden(&self) -> u64 {
        self.changes.iter().filter(|(_, is_visible)| !is_visible).count() as u64
    }

    /// Returns the ids of the records that become hidden.
    pub(super) fn newly_hidden_ids(&self) -> HashSet<i64> {
        let hidden = self.changes.iter().filter(|(_, is_visible)| !is_visible);
        hidden.map(|(record, _)| *record).collect()
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

    /// Adds a record that had the target of an incident before it was changed.
    pub(super) fn add_former(&mut self, incident: &Incident, record: &StoredRecord) {
        let name = incident.subject.name().to_owned();
        self.affected.entry(name.clone()).or_default().push(AffectedRecord {
            id: record.id,
            identifier: record.identifier.clone(),
            title: record.title.clone(),
            url: name,
            is_shown_by_manager: false,
            was_visible: record.is_visible,
            is_visible: true,
        });
    }

    /// Returns the ids of the first records of an incident.
    pub(super) fn record_ids(&self, incident: &Incident, limit: usize) -> Vec<i64> {
        self.affected(incident).iter().take(limit).map(|record| record.id).collect()
    }
}

/// The data on which the visibility of records depends, apart from the incidents.
pub(super) struct ViewScope<'a> {
    pub(super) provider: &'a StoredProvider,
    pub(super) overrides: &'a [StoredOverride],
    /// New and changed records whose locations are checked now.
    arrived: Vec<&'a StoredArrival>,
    /// The targets that are broken in this run.
    broken: HashSet<&'a str>,
}

impl<'a> ViewScope<'a> {
    /// The scope of an action without checks.
    pub(super) fn new(provider: &'a StoredProvider, overrides: &'a [StoredOverride]) -> Self {
        Self { provider, overrides, arrived: Vec::new(), broken: HashSet::new() }
    }

    /// Returns the scope of a run.
    pub(super) fn of_run(
        provider: &'a StoredProvider,
        overrides: &'a [StoredOverride],
        checks: &'a RunChecks,
    ) -> Self {
        let is_broken = |(url, result): (&'a String, &CheckResult)| {
            (*result == CheckResult::Broken).then_some(url.as_str())
        };
        Self {
            arrived: checks.arrived.iter().collect(),
            broken: checks.results.iter().filter_map(is_broken).collect(),
            ..Self::new(provider, overrides)
        }
    }

    /// Removes the arrivals that have one of these locations. A later run checks them.
    pub(super) fn postpone(&mut self, urls: &HashSet<String>) {
        self.arrived.retain(|arrival| !arrival.urls.iter().any(|url| urls.contains(url)));
    }

    /// Returns the ids of the arrivals.
    pub(super) fn arrived_ids(&self) -> Vec<i64> {
        self.arrived.iter().map(|arrival| arrival.record).collect()
    }

    /// Computes the visibility of `records` after the changes. `open` contains all open
    /// incidents of their links.
    pub(super) fn view(
        &self,
        records: &[StoredRecord],
        open: &[(i64, IncidentState)],
        changes: &[Change],
    ) -> RecordView {
        let scan = VisibilityScan::new(self, open, changes);
        let mut view = RecordView::default();
        for record in records {
            scan.add(record, &mut view);
        }
        view
    }
}

/// Adds records to a [`RecordView`]. A *subject* is the URL or host of an incident.
struct VisibilityScan<'a> {
    scope: &'a ViewScope<'a>,
    /// The ids of the arrivals.
    arrived: HashSet<i64>,
    /// The subjects of open incidents.
    open: HashSet<&'a str>,
    /// The subjects of open incidents that hide records.
    hidden: HashSet<&'a str>,
    /// The subjects of changed incidents, whose records are listed in the view.
    listed: HashSet<&'a str>,
}

impl<'a> VisibilityScan<'a> {
    fn new(
        scope: &'a ViewScope<'a>,
        open: &'a [(i64, IncidentState)],
        changes: &'a [Change],
    ) -> Self {
        let states = states_after(open, changes);
        let is_hidden = |state: &&&IncidentState| state.incident.stage == Stage::Hidden;
        let name = |state: &&'a IncidentState| state.incident.subject.name();
        Self {
            scope,
            arrived: scope.arrived_ids().into_iter().collect(),
            open: states.iter().map(name).collect(),
            hidden: states.iter().filter(is_hidden).map(name).collect(),
            listed: changes.iter().map(|change| change.state.incident.subject.name()).collect(),
        }
    }

    /// Adds a record to the view.
    fn add(&self, record: &StoredRecord, view: &mut RecordView) {
        if record.is_deleted {
            return;
        }
        view.total += 1;
        let decision = manager_decision(self.scope.overrides, &self.scope.provider.name, record);
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
                        is_shown_by_manager: decision == Some(OverrideAction::Restore),
                        was_visible: record.is_visible,
                        is_visible,
                    });
                }
            }
        }
    }

    fn is_visible(&self, record: &StoredRecord, decision: Option<OverrideAction>) -> bool {
        is_record_visible(locations(record).map(|link| self.state(record, link)), decision)
    }

    /// Returns whether a location is published. A location that was removed on arrival is not
    /// published while an incident of its target or host is open.
    fn state(&self, record: &StoredRecord, link: &StoredRecordLink) -> LocationState {
        let (url, host) = (link.url.as_str(), link.host.as_str());
        let is_open = self.open.contains(url) || self.open.contains(host);
        let is_broken_arrival = self.arrived.contains(&record.id)
            && (self.open.contains(url) || self.scope.broken.contains(url));
        let is_hidden = self.hidden.contains(url)
            || self.hidden.contains(host)
            || (is_open && (!link.is_shown || is_broken_arrival));
        if is_hidden { LocationState::Hidden } else { LocationState::Shown }
    }

    /// Returns the locations to remove from the published record, or to add again. A record
    /// that a manager shows has all locations.
    fn location_changes(
        &self,
        record: &StoredRecord,
        decision: Option<OverrideAction>,
    ) -> Vec<LocationChange> {
        let is_shown_by_manager = decision == Some(OverrideAction::Restore);
        let change = |link: &StoredRecordLink| {
            let is_shown = is_shown_by_manager || self.state(record, link) == LocationState::Shown;
            (is_shown != link.is_shown).then(|| LocationChange {
                record: record.id,
                url: link.url.clone(),
                is_shown,
            })
        };
        locations(record).filter_map(change).collect()
    }
}

/// Returns what the managers decided about a record, or `None` if its incidents decide.
pub(super) fn manager_decision(
    overrides: &[StoredOverride],
    provider: &str,
    record: &StoredRecord,
) -> Option<OverrideAction> {
    let decision = |stored: &StoredOverride| {
        let mut links = record.links.iter();
        let (scope, applies) = match stored.scope.as_str() {
            "provider" => (OverrideScope::Provider, stored.subject == provider),
            "domain" => (OverrideScope::Domain, links.any(|link| link.host == stored.subject)),
            "target" => (OverrideScope::Target, links.any(|link| link.url == stored.subject)),
            _ => (OverrideScope::Record, record.identifier == stored.subject),
        };
        let is_hide = stored.action == OverrideAction::Hide.as_str();
        let action = if is_hide { OverrideAction::Hide } else { OverrideAction::Restore };
        applies.then_some((scope, action))
    };
    strongest_override(overrides.iter().filter_map(decision))
}

impl Harvester<'_> {
    /// Computes the visibility of all records of a provider after the changes.
    pub(super) async fn record_view(
        &self,
        scope: &ViewScope<'_>,
        open: &[(i64, IncidentState)],
        changes: &[Change],
    ) -> Result<RecordView, EngineError> {
        let scan = VisibilityScan::new(scope, open, changes);
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

/// Returns the links to the described resource. Other links do not affect the visibility.
fn locations(record: &StoredRecord) -> impl Iterator<Item = &StoredRecordLink> {
    record.links.iter().filter(|link| link.role == RecordLinkRole::Location)
}
