//! The state of domains on the days of runs, and the report over time.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::civil::Date;
use relink_ports::{DomainDay, HarvestEvent, StoredProvider};
use relink_report::harvest::{
    DomainHistory, HistoryDay, IncidentHistory, ProviderHistory, ResponseTimes, StageCountsRow,
    share, spared_record_days,
};
use relink_survey::IncidentSubject;

use super::advance::count_stage;
use super::check_run::RunChecks;
use super::visibility::RecordView;
use super::{Harvester, IncidentState, utc_date};
use crate::EngineError;

/// Returns the state of a provider and of the domains that were checked, are broken or have
/// hidden records.
pub(super) fn domain_days(
    day: Date,
    checks: &RunChecks,
    open: &[&IncidentState],
    view: &RecordView,
) -> Vec<DomainDay> {
    let names = |state: &&IncidentState| state.incident.subject.name().to_owned();
    let broken: HashSet<String> = open.iter().map(names).collect();
    let mut total =
        DomainDay { host: String::new(), day, urls: 0, checked: 0, broken: 0, hidden: view.hidden };
    let mut days = Vec::new();
    for (host, targets) in &checks.hosts {
        let is_down = broken.contains(host);
        let count = |includes: &dyn Fn(&str) -> bool| {
            targets.iter().filter(|target| includes(&target.url)).count() as u64
        };
        let domain = DomainDay {
            host: host.clone(),
            day,
            urls: targets.len() as u64,
            checked: count(&|url| checks.results.contains_key(url)),
            broken: count(&|url| is_down || broken.contains(url)),
            hidden: view.hidden_by_host.get(host).copied().unwrap_or_default(),
        };
        total.urls += domain.urls;
        total.checked += domain.checked;
        total.broken += domain.broken;
        if domain.checked + domain.broken + domain.hidden > 0 {
            days.push(domain);
        }
    }
    days.push(total);
    days
}

impl Harvester<'_> {
    /// Returns the history of a provider since a day.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn history(
        &self,
        provider: &StoredProvider,
        since: Option<Date>,
    ) -> Result<ProviderHistory, EngineError> {
        let counts = self.store.provider_counts(provider.id).await?;
        let mut by_host: BTreeMap<String, Vec<HistoryDay>> = BTreeMap::new();
        for it in self.store.domain_days(provider.id).await? {
            if since.is_none_or(|since| it.day >= since) {
                by_host.entry(it.host.clone()).or_default().push(history_day(&it));
            }
        }
        let days = by_host.remove("").unwrap_or_default();
        let mut domains: Vec<DomainHistory> =
            by_host.into_iter().map(|(domain, days)| DomainHistory { domain, days }).collect();
        let broken = |it: &DomainHistory| it.days.last().map_or(0, |day| day.broken);
        domains.sort_by_key(|it| std::cmp::Reverse(broken(it)));
        let (stages, incidents) = self.incident_history(provider, since).await?;
        Ok(ProviderHistory {
            provider: provider.name.clone(),
            records: counts.records,
            hidden: counts.hidden,
            spared_record_days: spared_record_days(&days, self.today()),
            days,
            domains,
            stages,
            responses: ResponseTimes::of(&incidents),
            incidents,
        })
    }

    async fn incident_history(
        &self,
        provider: &StoredProvider,
        since: Option<Date>,
    ) -> Result<(StageCountsRow, Vec<IncidentHistory>), EngineError> {
        let events = self.store.harvest_events(provider.id).await?;
        let answers = answers(&events);
        let mut stages = StageCountsRow::default();
        let mut incidents = Vec::new();
        for stored in self.store.incidents(provider.id, false).await? {
            let state: IncidentState = serde_json::from_str(&stored.incident)?;
            let ended_on = state.incident.end.map(|end| end.on);
            if since.is_some_and(|since| ended_on.is_some_and(|end| end < since)) {
                continue;
            }
            count_stage(&mut stages, state.incident.stage);
            incidents.push(incident_history(&state, &answers));
        }
        Ok((stages, incidents))
    }
}

fn history_day(it: &DomainDay) -> HistoryDay {
    HistoryDay {
        day: it.day,
        urls: it.urls,
        checked: it.checked,
        broken: it.broken,
        broken_share: share(it.broken, it.urls),
        hidden: it.hidden,
    }
}

/// Returns the days of replies, by subject.
fn answers(events: &[HarvestEvent]) -> HashMap<&str, Vec<Date>> {
    let mut answers: HashMap<&str, Vec<Date>> = HashMap::new();
    for event in events.iter().filter(|event| event.kind == "answer") {
        answers.entry(&event.subject).or_default().push(utc_date(event.at));
    }
    answers
}

fn incident_history(state: &IncidentState, answers: &HashMap<&str, Vec<Date>>) -> IncidentHistory {
    let incident = &state.incident;
    let days = |day: Date| u32::try_from((day - incident.found_on).get_days()).ok();
    let text = |day: Option<Date>| day.map(|day| day.to_string());
    let ended_on = incident.end.map(|end| end.on);
    IncidentHistory {
        subject: incident.subject.name().to_owned(),
        origin: incident.origin.as_str().to_owned(),
        stage: incident.stage.to_string(),
        reason: state.reason.clone(),
        found_on: incident.found_on.to_string(),
        escalated_on: text(incident.escalated_on),
        hidden_on: text(incident.hidden_on),
        ended_on: text(ended_on),
        days_to_end: ended_on.and_then(days),
        days_to_answer: answered_on(state, answers).and_then(days),
    }
}

/// Returns the first reply after the finding. A reply may name the target, its domain, a record
/// or the provider; only an incident with a date of suspension was answered.
fn answered_on(state: &IncidentState, answers: &HashMap<&str, Vec<Date>>) -> Option<Date> {
    let incident = &state.incident;
    incident.answered_until?;
    let is_later = |day: &&Date| **day >= incident.found_on;
    let own = answers.get(incident.subject.name());
    let is_target = matches!(incident.subject, IncidentSubject::Target(_));
    let others = answers.values().filter(|_| is_target || own.is_none()).flatten();
    own.into_iter()
        .flatten()
        .filter(is_later)
        .min()
        .or_else(|| others.filter(is_later).min())
        .copied()
}
