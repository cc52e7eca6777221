//! Selects the targets that a run checks.
//!
//! Whole domains are surveyed by the sampling plan: at regular intervals, and on
//! the day on which an incident may hide records. On other days, only three kinds of targets
//! are checked: targets of due incidents, targets of new records, and failing targets, which may
//! be dead. Targets that were never checked wait for the survey of their domain.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use relink_model::Verdict;
use relink_ports::HarvestTarget;
use relink_survey::{CheckResult, Incident, IncidentSubject, Lifecycle, survey_interval};

use super::{HostTargets, IncidentState, check_result, utc_date};

/// Number of targets that are checked to see whether a host still fails.
const OUTAGE_PROBES: usize = 5;

/// The targets of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DayPlan {
    /// Locations of new records. All of them are checked.
    pub(super) arrivals: Vec<String>,
    /// Other targets to check, without sampling.
    pub(super) due: Vec<String>,
    /// Targets of the domains to survey.
    pub(super) sampled: Vec<String>,
    /// The domains to survey.
    pub(super) domains: Vec<String>,
    /// Hosts whose outage is checked with a few targets.
    pub(super) outages: Vec<String>,
}

/// The data on which the plan depends.
pub(super) struct DayPlanInput<'a> {
    pub(super) day: Date,
    pub(super) lifecycle: Lifecycle,
    /// Days between two surveys of a domain.
    pub(super) survey_every: u32,
    /// The decay of domains, from 0 to 1. A decayed domain is surveyed less often.
    pub(super) decay: &'a HashMap<String, f64>,
    /// Maximum number of URLs in the domains to survey.
    pub(super) budget: Option<u64>,
    /// The day of the last survey of each domain.
    pub(super) surveyed: &'a HashMap<String, Date>,
    pub(super) incidents: &'a [(i64, IncidentState)],
    /// The locations of new and changed records.
    pub(super) arrivals: &'a HashSet<String>,
}

/// What an incident requires of its host on the day of the plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostState {
    /// The host has an outage, and its incident is not due.
    Waiting,
    /// The outage is due for a check.
    OutageDue,
    /// An incident requires a check of the domain.
    DomainCheckDue,
}

impl DayPlan {
    /// Plans a run.
    pub(super) fn new(hosts: &HostTargets, input: &DayPlanInput<'_>) -> Self {
        let states = host_states(hosts, input);
        let due_targets = input.due_targets();
        let open_targets = input.open_targets();
        let routine = routine_domains(hosts, &states, input);
        let mut plan = Self::default();
        for (host, targets) in hosts {
            let state = states.get(host.as_str()).copied();
            let arrivals = input.new_arrivals(targets, &open_targets);
            plan.arrivals.extend(arrivals.iter().map(|url| (*url).to_owned()));
            if state == Some(HostState::DomainCheckDue) || routine.contains(host.as_str()) {
                plan.domains.push(host.clone());
                plan.sampled.extend(targets.iter().map(|target| target.url.clone()));
            } else if state == Some(HostState::OutageDue) {
                plan.outages.push(host.clone());
                plan.due.extend(spread_sample(targets));
            } else if state.is_none() {
                let is_due = |target: &&HarvestTarget| {
                    let is_checked = arrivals.contains(target.url.as_str());
                    !is_checked
                        && (due_targets.contains(target.url.as_str())
                            || (is_unconfirmed(target)
                                && !open_targets.contains(target.url.as_str())))
                };
                plan.due.extend(targets.iter().filter(is_due).map(|target| target.url.clone()));
            }
        }
        plan
    }
}

/// Whether a target is failing and not confirmed to be dead.
fn is_unconfirmed(target: &HarvestTarget) -> bool {
    target.verdict == Some(Verdict::Failing)
}

/// Returns a few targets, spread over the host.
fn spread_sample(targets: &[HarvestTarget]) -> impl Iterator<Item = String> + '_ {
    let step = targets.len().div_ceil(OUTAGE_PROBES).max(1);
    targets.iter().step_by(step).map(|target| target.url.clone())
}

/// Returns the state of each host that has an open incident which affects the plan.
fn host_states<'h>(
    hosts: &'h HostTargets,
    input: &DayPlanInput<'_>,
) -> HashMap<&'h str, HostState> {
    let mut states = HashMap::new();
    let hosts_by_url: HashMap<&str, &str> = hosts
        .iter()
        .flat_map(|(host, targets)| {
            targets.iter().map(|target| (target.url.as_str(), host.as_str()))
        })
        .collect();
    for (_, state) in input.incidents {
        let incident = &state.incident;
        let host = match &incident.subject {
            IncidentSubject::Host(host) => hosts.get_key_value(host).map(|(host, _)| host.as_str()),
            IncidentSubject::Target(url) => hosts_by_url.get(url.as_str()).copied(),
        };
        let (Some(host), Some(state)) = (host, host_state(incident, input)) else { continue };
        let host_entry = states.entry(host).or_insert(state);
        if state == HostState::DomainCheckDue {
            *host_entry = state;
        }
    }
    states
}

/// Returns what an incident requires of its host on the day of the plan.
fn host_state(incident: &Incident, input: &DayPlanInput<'_>) -> Option<HostState> {
    let is_due = incident.is_due(input.day, &input.lifecycle);
    let is_domain_check =
        incident.next_check(&input.lifecycle).is_some_and(|next| next.checks_whole_domain);
    match incident.subject {
        _ if is_due && is_domain_check => Some(HostState::DomainCheckDue),
        IncidentSubject::Host(_) if is_due => Some(HostState::OutageDue),
        IncidentSubject::Host(_) => Some(HostState::Waiting),
        IncidentSubject::Target(_) => None,
    }
}

impl<'a> DayPlanInput<'a> {
    /// Returns the targets of incidents that are due.
    pub(super) fn due_targets(&self) -> HashSet<&'a str> {
        let incidents = self.incidents.iter().map(|(_, state)| &state.incident);
        incidents
            .filter(|incident| incident.is_due(self.day, &self.lifecycle))
            .map(|incident| incident.subject.name())
            .collect()
    }

    /// Whether a domain with a survey on the day `surveyed_on` is due for another survey.
    fn is_survey_due(&self, host: &str, surveyed_on: Date) -> bool {
        let decay = self.decay.get(host).copied().unwrap_or_default();
        let age = (self.day - surveyed_on).get_days();
        age >= i32::try_from(survey_interval(self.survey_every, decay)).unwrap_or(i32::MAX)
    }

    /// Returns the locations of arrivals that were not found alive recently and have no
    /// incident.
    fn new_arrivals<'t>(
        &self,
        targets: &'t [HarvestTarget],
        open: &HashSet<&str>,
    ) -> HashSet<&'t str> {
        let was_alive_recently = |target: &HarvestTarget| {
            let is_alive =
                target.verdict.is_some_and(|verdict| check_result(verdict) == CheckResult::Alive);
            is_alive
                && target
                    .checked_at
                    .is_some_and(|at| !self.is_survey_due(&target.host, utc_date(at)))
        };
        let is_new = move |target: &&HarvestTarget| {
            self.arrivals.contains(&target.url)
                && !was_alive_recently(target)
                && !open.contains(target.url.as_str())
        };
        targets.iter().filter(is_new).map(|target| target.url.as_str()).collect()
    }

    fn open_targets(&self) -> HashSet<&'a str> {
        self.incidents.iter().map(|(_, state)| state.incident.subject.name()).collect()
    }
}

/// Returns the domains whose regular survey is due, those with the oldest survey first, within
/// the budget. Hosts in `states` are excluded, because their incidents decide.
fn routine_domains<'h>(
    hosts: &'h HostTargets,
    states: &HashMap<&str, HostState>,
    input: &DayPlanInput<'_>,
) -> HashSet<&'h str> {
    let surveyed_on = |host: &str| input.surveyed.get(host).copied();
    let is_due = |host: &str| surveyed_on(host).is_none_or(|day| input.is_survey_due(host, day));
    let mut due: Vec<&str> = hosts
        .keys()
        .map(String::as_str)
        .filter(|host| !states.contains_key(host) && is_due(host))
        .collect();
    due.sort_by_key(|host| surveyed_on(host));
    let mut remaining_budget = input.budget.unwrap_or(u64::MAX);
    let fits = |host: &&str| {
        let size = hosts.get(*host).map_or(0, |targets| targets.len() as u64);
        let fits = size <= remaining_budget;
        remaining_budget = remaining_budget.saturating_sub(size);
        fits
    };
    let mut selected: HashSet<&str> = due.iter().copied().take_while(fits).collect();
    // Select at least one domain. Otherwise a domain larger than the budget would never be surveyed.
    selected.extend(due.first().filter(|_| selected.is_empty()));
    selected
}

#[cfg(test)]
mod tests;
