//! Harvests the records of two demo providers over a simulated quarter and compares the
//! incidents with the planted failures.
//!
//! A provider is an organization with metadata records. An incident is a period in which
//! the URL or host of a record is broken. An incident has up to four stages: found,
//! escalated, hidden and ended (restored).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use relink_demo::{DemoFederation, ExpectedIncident};
use relink_engine::DispatchSettings;
use relink_federation::{HarvestOptions, Harvester, IncidentState, ProviderSettings, RecordOrigin};
use relink_frontier::PolitenessPolicy;
use relink_harvest::OaiClientSettings;
use relink_judge::Policy;
use relink_model::RequestRights;
use relink_ports::{Clock, IncidentFilter};
use relink_report::human::{counted, duration};
use relink_requests::StopSignal;
use relink_survey::LossLimit;
use url::Url;

use super::{TIMEOUT, milliseconds_since};
use crate::error::CommandError;
use crate::output::cannot_encode;
use crate::wiring::{self, HarvestPorts};

/// The first simulated day.
const FIRST_DAY: Date = date(2026, 1, 1);

/// A clock that shows noon of a simulated day. Contains the number of days since
/// [`FIRST_DAY`].
struct DayClock(AtomicU32);

/// An incident: provider, subject, and for each stage the day on which the incident reached it.
type FoundIncident = (String, String, [Option<u32>; 4]);

impl Clock for DayClock {
    fn now(&self) -> Timestamp {
        let days = self.0.load(Ordering::Relaxed);
        let start =
            FIRST_DAY.to_zoned(TimeZone::UTC).map_or(Timestamp::UNIX_EPOCH, |day| day.timestamp());
        start + SignedDuration::from_hours(24 * i64::from(days) + 12)
    }
}

/// The incidents of the quarter.
pub(super) struct DemoQuarter {
    expected: Vec<ExpectedIncident>,
    found: Vec<FoundIncident>,
    records: u64,
    milliseconds: u64,
}

/// Runs all providers on each day of the quarter.
pub(super) async fn run_quarter(db: &Path) -> Result<DemoQuarter, CommandError> {
    let started = Instant::now();
    let federation = DemoFederation::start().await.map_err(|error| {
        CommandError::internal("cannot start the demo providers").cause(error.to_string())
    })?;
    let clock = Arc::new(DayClock(AtomicU32::new(0)));
    let ports = harvest_ports(&federation, db, &clock).await?;
    add_providers(&federation, &ports).await?;
    let harvester = Harvester {
        ports: &ports.ports,
        store: &*ports.store,
        source: &*ports.source,
        options: harvest_options(),
    };
    let stop = StopSignal::never();
    let mut records = 0;
    for day in 0..DemoFederation::DAYS {
        federation.set_day(day);
        clock.0.store(day, Ordering::Relaxed);
        let mut providers = Vec::new();
        for provider in ports.store.providers().await? {
            let settings = serde_json::from_str(&provider.settings).map_err(cannot_encode)?;
            providers.push((provider, settings));
        }
        let rows = Box::pin(harvester.run_all(&providers, &stop, &mut |_| {})).await?;
        records = rows.iter().map(|row| row.records).sum();
    }
    Ok(DemoQuarter {
        expected: federation.expected(),
        found: stored_incidents(&ports).await?,
        records,
        milliseconds: milliseconds_since(started),
    })
}

async fn harvest_ports(
    federation: &DemoFederation,
    db: &Path,
    clock: &Arc<DayClock>,
) -> Result<HarvestPorts, CommandError> {
    let overrides: Result<Vec<_>, _> =
        federation.overrides().iter().map(|text| text.parse()).collect();
    let resolve =
        overrides.map_err(|_| CommandError::internal("invalid addresses of the demo providers"))?;
    let fetch = relink_fetch::FetchSettings {
        timeout: TIMEOUT,
        resolve,
        allow_private: true,
        ..relink_fetch::FetchSettings::default()
    };
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    wiring::harvest_ports(fetch, db, OaiClientSettings::default(), clock).await
}

async fn add_providers(
    federation: &DemoFederation,
    ports: &HarvestPorts,
) -> Result<(), CommandError> {
    for name in DemoFederation::PROVIDERS {
        let base_url = Url::parse(&federation.base_url(name)).map_err(|error| {
            CommandError::internal("invalid URL of a demo provider").cause(error.to_string())
        })?;
        let settings = ProviderSettings::new(RecordOrigin::Oai {
            base_url,
            metadata_prefix: "oai_lom".to_owned(),
            sets: Vec::new(),
            from: None,
        });
        let json = serde_json::to_string(&settings).map_err(cannot_encode)?;
        ports.store.add_provider(name, &json).await?;
    }
    Ok(())
}

fn harvest_options() -> HarvestOptions {
    HarvestOptions {
        is_full: false,
        reads_only: false,
        allows_loss: false,
        loss_limit: LossLimit::default(),
        rights: RequestRights::discovered(),
        dispatch: DispatchSettings {
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            policy: Policy { retries: 0, ..Policy::default() },
            ..DispatchSettings::default()
        },
    }
}

/// Returns the stored incidents of all providers.
async fn stored_incidents(ports: &HarvestPorts) -> Result<Vec<FoundIncident>, CommandError> {
    let day_number = |date: Date| u32::try_from((date - FIRST_DAY).get_days()).ok();
    let mut found = Vec::new();
    for provider in ports.store.providers().await? {
        for stored in ports.store.incidents(provider.id, IncidentFilter::All).await? {
            let state: IncidentState =
                serde_json::from_str(&stored.incident).map_err(cannot_encode)?;
            let incident = &state.incident;
            let days = [
                day_number(incident.found_on),
                incident.escalated_on.and_then(day_number),
                incident.hidden_on.and_then(day_number),
                incident.end.and_then(|end| day_number(end.on)),
            ];
            found.push((provider.name.clone(), incident.subject.name().to_owned(), days));
        }
    }
    Ok(found)
}

impl DemoQuarter {
    /// Returns the number of planted incidents that were found with the planned days.
    fn correct(&self) -> usize {
        self.expected.iter().filter(|expected| self.is_found(expected)).count()
    }

    fn is_found(&self, expected: &ExpectedIncident) -> bool {
        self.found.iter().any(|(provider, subject, days)| {
            provider == expected.provider && *subject == expected.subject && *days == expected.days
        })
    }

    /// Whether exactly the planted incidents were found, on the planned days.
    pub(super) fn matches_truth(&self) -> bool {
        self.correct() == self.expected.len()
            && self.found.len() == self.expected.len()
            && self.records == DemoFederation::RECORDS as u64
    }

    /// Formats the line `6/8 harvest  30 records of 2 providers, 91 days: …`.
    pub(super) fn line(&self) -> String {
        // Indices of the stages in a `FoundIncident`.
        let (escalated, hidden, ended) = (1, 2, 3);
        let count_reached =
            |stage: usize| self.found.iter().filter(|(_, _, days)| days[stage].is_some()).count();
        format!(
            "6/8 harvest  {} of {} providers, {} days: {}, {} escalated, {} hidden, {} restored; \
             {} of {} on the planned days   {}",
            counted(self.records, "record"),
            DemoFederation::PROVIDERS.len(),
            DemoFederation::DAYS,
            counted(self.found.len() as u64, "incident"),
            count_reached(escalated),
            count_reached(hidden),
            count_reached(ended),
            self.correct(),
            self.expected.len(),
            duration(self.milliseconds)
        )
    }
}
