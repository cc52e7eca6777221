//! The simulated federation: the state of its targets, and daily runs with the rules of incidents.

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
    /// Returns the observed state of a record's target. Everything fails while our own network
    /// is down, so the run is in doubt.
    fn observe(&self, record: u32, day: u32) -> CheckResult {
        let scenario = &self.scenario;
        let Some(day_of) = day.checked_sub(scenario.start) else { return CheckResult::Alive };
        if OWN_OUTAGE.contains(&day) {
            return CheckResult::Unknown;
        }
        let is_back = day_of >= scenario.back && day_of < scenario.broken_again;
        if record >= scenario.broken || (is_back && record >= scenario.stay_broken) {
            CheckResult::Alive
        } else if (scenario.blocked.0..scenario.blocked.1).contains(&day_of) {
            CheckResult::Unknown
        } else {
            CheckResult::Broken
        }
    }

    fn run(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let mut changes = self.apply_provider_events(day);
        changes.extend(self.check_due(day));
        changes.extend(self.find_new(day));
        changes
    }

    fn apply_provider_events(&mut self, day: u32) -> Vec<(usize, Transition)> {
        let scenario = self.scenario;
        let Some(day_of) = day.checked_sub(scenario.start) else { return Vec::new() };
        if let Some((_, until)) = scenario.answer.filter(|(on, _)| *on == day_of) {
            let until = later(EPOCH, scenario.start + until);
            self.incidents.iter_mut().for_each(|incident| incident.answer(until));
        }
        let reason = if day_of == scenario.url_changed {
            EndReason::UrlChanged
        } else if day_of == scenario.deleted {
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
            let recovered = incident.clone();
            if change == Some(Transition::Restored) {
                self.split(&recovered, &still_broken, today);
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

    fn covers(incident: &Incident, record: u32) -> bool {
        match &incident.subject {
            IncidentSubject::Target(name) => *name == record.to_string(),
            IncidentSubject::Host(_) => true,
        }
    }

    fn is_covered(&self, record: u32) -> bool {
        self.incidents.iter().any(|it| it.is_open() && Self::covers(it, record))
    }

    fn hold(&self, day: u32) -> Hold {
        let (from, to) = self.scenario.overridden;
        let is_overridden = (self.scenario.start + from..self.scenario.start + to).contains(&day);
        if is_overridden { Hold::Overridden } else { Hold::None }
    }

    /// Whether a record appears in searches at the end.
    pub(super) fn is_visible(&self, record: u32) -> bool {
        let hides = |it: &Incident| it.stage == Stage::Hidden && Self::covers(it, record);
        !self.incidents.iter().any(hides)
    }

    /// Returns the days of the stages of each incident, as days of the year.
    pub(super) fn rows(&self) -> Vec<String> {
        self.incidents.iter().map(|it| cells(it).join(" ")).collect()
    }

    /// Returns the number of changes that had to be notified. Split incidents continue a host
    /// incident, whose changes were notified before.
    pub(super) fn transitions(&self) -> usize {
        let count = |incident: &Incident| cells(incident).iter().filter(|it| *it != "-").count();
        let hosts = self.incidents.iter().any(|it| matches!(it.subject, IncidentSubject::Host(_)));
        let own = |it: &&Incident| !hosts || matches!(it.subject, IncidentSubject::Host(_));
        self.incidents.iter().filter(own).map(count).sum()
    }
}

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
