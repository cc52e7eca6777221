//! `harvest`: stores the records of many providers, finds their broken links and tracks
//! the incidents: periods in which a target or a whole host of a provider is broken.
//!
//! A run of a provider reads its new records, checks the targets that are due,
//! advances the incidents and stores all changes with the notifications they
//! require in one transaction. The rules are in `relink-survey`. The *timetable* of an
//! incident is the days on which its stage changes without an action of a manager.
//!
//! No incident advances if the survey reports that the local network is in doubt.

mod advance;
mod check_run;
mod day_plan;
mod decay;
mod history;
mod intake;
mod list_reader;
mod mailing;
mod manage;
mod notices;
mod publish;
mod run_changes;
mod runs;
mod settings;
mod subject;
mod visibility;
mod webhooks;

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_model::{RequestRights, Verdict};
use relink_ports::{HarvestStore, HarvestTarget, RecordSource, StoredProvider};
use relink_survey::{CheckResult, LossLimit};

pub use self::advance::IncidentState;
pub use self::decay::{DecayRange, DecayRanking, DecaySource, RecordDecay, RecordDecaySettings};
pub use self::mailing::{MailReport, MailSender};
pub use self::manage::{FlagOutcome, ManagerAction};
pub use self::publish::{Submission, SubmissionState, SubmittedLocation};
pub use self::settings::{
    ArrivalFilter, NotifyChoice, ProviderSettings, RecordOrigin, parse_time_zone,
};
pub use self::subject::{HarvestSubject, SubjectMatch};
pub use self::webhooks::DeliveryReport;
use relink_engine::{DispatchSettings, LoadedCatalog};
use relink_requests::{EngineError, Ports};

/// Number of rows read from the store at a time.
const PAGE_SIZE: usize = 2_000;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct HarvestOptions {
    /// Whether the complete list is read, instead of the changes since the last harvest.
    pub is_full: bool,
    /// Whether only records are read, and no links are checked.
    pub reads_only: bool,
    /// Whether more records may be deleted or hidden than the limit allows.
    pub allows_loss: bool,
    /// The largest share of records that one run may delete or hide.
    pub loss_limit: LossLimit,
    /// Permissions of the requests to targets.
    pub rights: RequestRights,
    /// Limits and rules for fetching.
    pub dispatch: DispatchSettings,
}

/// The use cases of `relink harvest`.
pub struct Harvester<'a> {
    /// The ports for checking links.
    pub ports: &'a Ports,
    /// The store of records and incidents.
    pub store: &'a dyn HarvestStore,
    /// The source of records.
    pub source: &'a dyn RecordSource,
    /// The options of the run.
    pub options: HarvestOptions,
}

/// The results of the checks of a run, by URL.
type Results = HashMap<String, CheckResult>;

/// The state of a provider's targets, by host.
type HostTargets = BTreeMap<String, Vec<HarvestTarget>>;

impl Harvester<'_> {
    /// Returns the current UTC date.
    pub fn today(&self) -> Date {
        utc_date(self.ports.now())
    }

    /// Returns the targets of a provider by host.
    async fn host_targets(&self, provider: i64) -> Result<HostTargets, EngineError> {
        let mut hosts = HostTargets::new();
        let mut after = String::new();
        loop {
            let page = self.store.harvest_targets(provider, &after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(hosts) };
            after.clone_from(&last.url);
            for target in page {
                hosts.entry(target.host.clone()).or_default().push(target);
            }
        }
    }

    /// Returns the URLs of the records of a provider as a catalog, by domain.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn catalog(&self, provider: &StoredProvider) -> Result<LoadedCatalog, EngineError> {
        let hosts = self.host_targets(provider.id).await?;
        let urls = hosts.values().flatten().map(|target| target.url.as_str());
        Ok(LoadedCatalog::from_urls(&provider.name, urls))
    }
}

/// Returns the UTC date of a time.
fn utc_date(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// Converts a verdict to the result for an incident. Blocked and failing targets are neither
/// alive nor broken.
fn check_result(verdict: Verdict) -> CheckResult {
    match verdict {
        Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked => CheckResult::Broken,
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk => CheckResult::Alive,
        Verdict::Failing | Verdict::Blocked | Verdict::Local => CheckResult::Unknown,
    }
}
