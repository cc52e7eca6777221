//! The statistics of a provider over time. After each run, the state of its domains is
//! computed and stored. The report lists the stored days and the incidents.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;
use relink_ports::{DomainDay, IncidentFilter, StoredProvider};
use relink_report::harvest::{
    DomainHistory, HistoryDay, IncidentDurations, IncidentHistory, ProviderHistory, StageCountsRow,
    hidden_record_days, share,
};

use super::advance::count_stage;
use super::check_run::RunChecks;
use super::visibility::RecordView;
use super::{Harvester, IncidentState};
use relink_requests::EngineError;

/// Returns the state after a run of the whole provider, and of the domains that were checked,
/// are broken or have hidden records. `open` are the open incidents.
pub(super) fn domain_days(
    day: Date,
    checks: &RunChecks,
    open: &[&IncidentState],
    view: &RecordView,
) -> Vec<DomainDay> {
    // The hosts and the URLs of targets with an open incident.
    let broken: HashSet<&str> = open.iter().map(|state| state.incident.subject.name()).collect();
    let mut total = DomainDay {
        host: DomainDay::WHOLE_PROVIDER.to_owned(),
        day,
        urls: 0,
        checked: 0,
        broken: 0,
        hidden: view.hidden,
    };
    let mut days = Vec::new();
    for (host, targets) in &checks.hosts {
        let is_down = broken.contains(host.as_str());
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
        for stored in self.store.domain_days(provider.id).await? {
            if since.is_none_or(|since| stored.day >= since) {
                by_host.entry(stored.host.clone()).or_default().push(history_day(&stored));
            }
        }
        let days = by_host.remove(DomainDay::WHOLE_PROVIDER).unwrap_or_default();
        let mut domains: Vec<DomainHistory> =
            by_host.into_iter().map(|(domain, days)| DomainHistory { domain, days }).collect();
        let broken_urls = |domain: &DomainHistory| domain.days.last().map_or(0, |day| day.broken);
        domains.sort_by_key(|domain| Reverse(broken_urls(domain)));
        let (stages, incidents) = self.incident_history(provider, since).await?;
        Ok(ProviderHistory {
            provider: provider.name.clone(),
            records: counts.records,
            hidden: counts.hidden,
            hidden_record_days: hidden_record_days(&days, self.today()),
            days,
            domains,
            stages,
            durations: IncidentDurations::of(&incidents),
            incidents,
        })
    }

    /// Returns the incidents that had not ended before the day `since`, and their number by
    /// stage.
    async fn incident_history(
        &self,
        provider: &StoredProvider,
        since: Option<Date>,
    ) -> Result<(StageCountsRow, Vec<IncidentHistory>), EngineError> {
        let mut stages = StageCountsRow::default();
        let mut incidents = Vec::new();
        for stored in self.store.incidents(provider.id, IncidentFilter::All).await? {
            let state: IncidentState = serde_json::from_str(&stored.incident)?;
            let ended_on = state.incident.end.map(|end| end.on);
            if since.is_some_and(|since| ended_on.is_some_and(|end| end < since)) {
                continue;
            }
            count_stage(&mut stages, state.incident.stage);
            incidents.push(incident_history(&state));
        }
        Ok((stages, incidents))
    }
}

fn history_day(stored: &DomainDay) -> HistoryDay {
    HistoryDay {
        day: stored.day,
        urls: stored.urls,
        checked: stored.checked,
        broken: stored.broken,
        broken_share: share(stored.broken, stored.urls),
        hidden: stored.hidden,
    }
}

fn incident_history(state: &IncidentState) -> IncidentHistory {
    let incident = &state.incident;
    let days_to = |day: Date| u32::try_from((day - incident.found_on).get_days()).ok();
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
        days_to_end: ended_on.and_then(days_to),
        days_to_reply: incident.replied_on.and_then(days_to),
    }
}
