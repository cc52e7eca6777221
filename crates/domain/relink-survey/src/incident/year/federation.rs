//! The simulated federation: the state of its targets, and daily runs with the rules of incidents.
//!
//! In this simulation, the target of a record is named by the number of the record.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};

use super::super::lifecycle::later;
use super::super::{
    CheckResult, EndReason, Hold, HostChecks, Incident, IncidentSubject, Lifecycle, Stage,
    Transition,
};
use super::{OWN_OUTAGE, RECORDS, Scenario};

/// The day before the first simulated day.
const EPOCH: Date = date(2025, 12, 31);
/// The name of the host in incidents.
const HOST: &str = "host";

/// A notification that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SentNotification {
    pub(super) domain: usize,
    pub(super) incident: usize,
    pub(super) transition: Transition,
    pub(super) day: u32,
}

/// A domain and its incidents, oldest first.
pub(super) struct DomainState {
    pub(super) scenario: Scenario,
    incidents: Vec<Incident>,
}

/// The federation.
pub(super) struct Federation {
    pub(super) domains: Vec<DomainState>,
    pub(super) notifications: Vec<SentNotification>,
}

impl Federation {
    pub(super) fn new(scenarios: Vec<Scenario>) -> Self {
        let domain = |scenario| DomainState { scenario, incidents: Vec::new() };
        Self { domains: scenarios.into_iter().map(domain).collect(), notifications: Vec::new() }
    }

    /// Runs one day.
    pub(super) fn run(&mut self, day: u32) {
        for (number, domain) in self.domains.iter_mut().enumerate() {
            let changes = domain.run(day);
            let notification = |(incident, transition)| SentNotification {
                domain: number,
                incident,
                transition,
                day,
            };
            self.notifications.extend(changes.into_iter().map(notification));
        }
    }
}

impl DomainState {
    /// Returns the observed state of a record's target. The state is unknown while the local
    /// network is down.
    fn observe(&self, record: u32, day: u32) -> CheckResult {
        let scenario = &self.scenario;
        let Some(days_since_start) = day.checked_sub(scenario.start) else {
            return CheckResult::Alive;
        };
        if OWN_OUTAGE.contains(&day) {
            return CheckResult::Unknown;
        }
        let is_back = days_since_start >= scenario.back && days_since_start < scenario.broken_again;
        if record >= scenario.broken || (is_back && record >= scenario.stay_broken) {
            CheckResult::Alive
        } else if (scenario.blocked.0..scenario.blocked.1).contains(&days_since_start) {
            CheckResult::Unknown
        } else {
            CheckResult::Broken
        }
    }

    /// Runs one day. Returns the numbers of the incidents that changed, with the changes.
    fn run(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let mut changes = self.apply_provider_events(day);
        changes.extend(self.check_due(day));
        changes.extend(self.find_new(day));
        changes
    }

    /// Applies the reply of the provider, and the end of incidents by its changes of records.
    fn apply_provider_events(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let scenario = self.scenario;
        let Some(days_since_start) = day.checked_sub(scenario.start) else { return Vec::new() };
        if let Some((_, until)) = scenario.reply.filter(|(on, _)| *on == days_since_start) {
            let (today, until) = (later(EPOCH, day), later(EPOCH, scenario.start + until));
            self.incidents.iter_mut().for_each(|incident| incident.record_reply(today, until));
        }
        let reason = if days_since_start == scenario.url_changed {
            EndReason::UrlChanged
        } else if days_since_start == scenario.deleted {
            EndReason::RecordDeleted
        } else {
            return Vec::new();
        };
        // The replaced or deleted URLs are no longer part of the catalog.
        self.scenario.broken = 0;
        let close = |(number, incident): (usize, &mut Incident)| {
            incident.close(later(EPOCH, day), reason).map(|change| (number, change))
        };
        self.incidents.iter_mut().enumerate().filter_map(close).collect()
    }

    /// Checks the open incidents that are due.
    fn check_due(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let (lifecycle, today) = (Lifecycle::default(), later(EPOCH, day));
        let mut changes = Vec::new();
        for number in 0..self.incidents.len() {
            let Some(incident) = self.incidents.get(number).cloned() else { continue };
            if !incident.is_due(today, &lifecycle) {
                continue;
            }
            let (result, still_broken) = self.check(&incident, day);
            let hold = self.hold(day);
            let Some(incident) = self.incidents.get_mut(number) else { continue };
            let change = incident.record_check(today, result, &lifecycle, hold);
            changes.extend(change.map(|change| (number, change)));
            let checked = incident.clone();
            // Only the incident of a host has records that are still broken.
            if change == Some(Transition::Restored) {
                self.split(&checked, &still_broken, today);
            }
        }
        changes
    }

    /// Returns the result of an incident, and the records of a host that are still broken.
    fn check(&self, incident: &Incident, day: u32) -> (CheckResult, Vec<u32>) {
        match &incident.subject {
            IncidentSubject::Target(name) => (self.observe(name.parse().unwrap(), day), Vec::new()),
            IncidentSubject::Host(_) => {
                let results: BTreeMap<u32, CheckResult> =
                    (0..RECORDS).map(|record| (record, self.observe(record, day))).collect();
                let mut checks = HostChecks::default();
                for result in results.values() {
                    checks.add(*result);
                }
                let broken = results.iter().filter(|(_, result)| **result == CheckResult::Broken);
                (checks.host_result(), broken.map(|(record, _)| *record).collect())
            }
        }
    }

    /// Opens an incident for each record that is still broken after its host has recovered.
    fn split(&mut self, host: &Incident, still_broken: &[u32], today: Date) {
        for record in still_broken {
            let mut target = host.split(&record.to_string());
            let change =
                target.record_check(today, CheckResult::Broken, &Lifecycle::default(), Hold::None);
            assert_eq!(change, None, "the scenarios split only hidden hosts");
            self.incidents.push(target);
        }
    }

    /// Opens incidents for records that are broken and not part of an open incident.
    fn find_new(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let uncovered: Vec<u32> = (0..RECORDS).filter(|record| !self.is_covered(*record)).collect();
        let mut checks = HostChecks::default();
        let results: Vec<_> =
            uncovered.iter().map(|record| (*record, self.observe(*record, day))).collect();
        for (_, result) in &results {
            checks.add(*result);
        }
        let broken = results.iter().filter(|(_, result)| *result == CheckResult::Broken);
        let subjects: Vec<IncidentSubject> = if checks.is_outage() {
            vec![IncidentSubject::Host(HOST.to_owned())]
        } else {
            broken.map(|(record, _)| IncidentSubject::Target(record.to_string())).collect()
        };
        let first = self.incidents.len();
        let open = |subject| Incident::open(subject, later(EPOCH, day));
        self.incidents.extend(subjects.into_iter().map(open));
        (first..self.incidents.len()).map(|number| (number, Transition::Reported)).collect()
    }

    /// Whether the incident is about the target of a record, or about its host.
    fn covers(incident: &Incident, record: u32) -> bool {
        match &incident.subject {
            IncidentSubject::Target(name) => *name == record.to_string(),
            IncidentSubject::Host(_) => true,
        }
    }

    /// Whether an open incident is about a record.
    fn is_covered(&self, record: u32) -> bool {
        self.incidents.iter().any(|incident| incident.is_open() && Self::covers(incident, record))
    }

    /// Whether a manager overrides the timetable on this day.
    fn hold(&self, day: u32) -> Hold {
        let (from, to) = self.scenario.overridden;
        let is_overridden = (self.scenario.start + from..self.scenario.start + to).contains(&day);
        if is_overridden { Hold::Overridden } else { Hold::None }
    }

    /// Whether a record appears in searches at the end.
    pub(super) fn is_visible(&self, record: u32) -> bool {
        let hides =
            |incident: &Incident| incident.stage == Stage::Hidden && Self::covers(incident, record);
        !self.incidents.iter().any(hides)
    }

    /// Returns the days of the stages of each incident, as days of the year.
    pub(super) fn rows(&self) -> Vec<String> {
        self.incidents.iter().map(|incident| cells(incident).join(" ")).collect()
    }

    /// Returns the number of changes that had to be notified. Split incidents continue a host
    /// incident, whose changes were notified before.
    pub(super) fn transitions(&self) -> usize {
        let count =
            |incident: &Incident| cells(incident).iter().filter(|cell| *cell != "-").count();
        let is_host = |incident: &&Incident| matches!(incident.subject, IncidentSubject::Host(_));
        let has_host = self.incidents.iter().any(|incident| is_host(&incident));
        let is_notified = |incident: &&Incident| !has_host || is_host(incident);
        self.incidents.iter().filter(is_notified).map(count).sum()
    }
}

/// Returns the days on which an incident was reported, escalated, hidden and restored; `-` for
/// never.
fn cells(incident: &Incident) -> Vec<String> {
    let day = |on: Option<Date>| {
        on.map_or_else(|| "-".to_owned(), |on| (on - EPOCH).get_days().to_string())
    };
    vec![
        day(Some(incident.found_on)),
        day(incident.escalated_on),
        day(incident.hidden_on),
        day(incident.end.map(|end| end.on)),
    ]
}
