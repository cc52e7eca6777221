//! Decay of records (Bar-Yossef et al., §6): ranks records, and shows what a limit would hide.
//!
//! The decay of a record is the decay of its best location. It is computed from stored verdicts
//! and from the links of stored crawls. Unknown pages give an interval. Only records whose
//! interval contains the limit are measured on the web. Records nearest to the limit are measured
//! first, within a budget.

use std::collections::{BTreeMap, HashMap};

use relink_decay::{DecayDefinition, Sigma, StoppingRule};
use relink_frontier::host_key;
use relink_model::Verdict;
use relink_ports::{CheckedTarget, HarvestTarget, RecordLinkRole, StoredProvider, StoredRecord};
use url::Url;

use super::{Harvester, check_result};
use relink_engine::{Observer, Progress};
use relink_measure::{
    FailureList, FailureModel, MeasureEnd, MeasurePorts, MeasureSettings, crawl_graph, measure,
};
use relink_requests::{EngineError, StopSignal};

/// Maximum number of stored crawls that are searched for pages.
const MAX_CRAWLS: usize = 20;
/// Maximum number of pages of one measurement.
const MAX_PAGES_PER_RECORD: usize = 100;

/// Settings of a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordDecaySettings {
    /// Probability that a walk stops at a live page.
    pub sigma: Sigma,
    /// The decay above which a record would be hidden.
    pub limit: Option<f64>,
    /// Maximum number of pages that are fetched.
    pub budget: usize,
}

/// Where a decay comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecaySource {
    /// The verdict of the location: it is dead.
    Verdict,
    /// The links of a stored crawl.
    Crawl,
    /// A measurement on the web.
    Walks,
    /// Nothing is known about the links of the page.
    Unknown,
}

impl DecaySource {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Crawl => "crawl",
            Self::Walks => "walks",
            Self::Unknown => "unknown",
        }
    }
}

/// The decay of a location or record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecayRange {
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// Where it comes from.
    pub source: DecaySource,
}

impl DecayRange {
    /// Returns the middle of the interval.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// Whether the decay is above the limit, or `None` if the limit lies within the interval.
    pub fn is_above(self, limit: f64) -> Option<bool> {
        if self.low > limit {
            Some(true)
        } else if self.high <= limit {
            Some(false)
        } else {
            None
        }
    }
}

/// A record and its decay.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordDecay {
    /// The identifier of the record.
    pub identifier: String,
    /// The title.
    pub title: Option<String>,
    /// The location with the lowest decay.
    pub url: String,
    /// The decay.
    pub decay: DecayRange,
}

/// The records of a provider by decay, highest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DecayRanking {
    /// The records.
    pub records: Vec<RecordDecay>,
    /// Number of fetched pages.
    pub pages: u64,
    /// Number of requests, including controls.
    pub requests: u64,
}

/// Ignores progress.
struct SilentObserver;

impl Observer for SilentObserver {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

impl Harvester<'_> {
    /// Ranks the records of a provider by decay. Hides nothing. The mean decay of each domain is
    /// stored, because decayed domains are surveyed less often.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn record_decay(
        &self,
        provider: &StoredProvider,
        settings: RecordDecaySettings,
        stop: &StopSignal,
    ) -> Result<DecayRanking, EngineError> {
        let hosts = self.host_targets(provider.id).await?;
        let mut known = self.stored_decay(hosts.values().flatten(), settings.sigma).await?;
        let records = self.all_records(provider).await?;
        let mut ranking = DecayRanking::default();
        if let Some(limit) = settings.limit {
            self.measure_near_limit(limit, settings, &records, &mut known, &mut ranking, stop)
                .await;
        }
        ranking.records =
            records.iter().filter_map(|record| least_decayed_location(record, &known)).collect();
        let domains = domain_decay(&ranking.records);
        self.store.save_domain_decay(provider.id, &domains).await?;
        ranking.records.sort_by(|one, other| {
            other
                .decay
                .middle()
                .total_cmp(&one.decay.middle())
                .then_with(|| one.identifier.cmp(&other.identifier))
        });
        Ok(ranking)
    }

    /// Returns the decay of targets by stored verdicts and crawls.
    async fn stored_decay(
        &self,
        targets: impl Iterator<Item = &HarvestTarget>,
        sigma: Sigma,
    ) -> Result<HashMap<String, DecayRange>, EngineError> {
        let mut known: HashMap<String, DecayRange> =
            targets.map(|target| (target.url.clone(), by_verdict(target.verdict, sigma))).collect();
        let runs = self.ports.store.runs(Some("crawl"), MAX_CRAWLS).await?;
        for run in runs.iter().filter(|run| run.is_finished) {
            let web = crawl_graph(&*self.ports.store, run.id, FailureModel::default()).await?;
            let scores = web.score(DecayDefinition::Plain, &[sigma]).unwrap_or_default();
            let Some(scores) = scores.first() else { continue };
            let unknown =
                known.iter_mut().filter(|(_, range)| range.source == DecaySource::Unknown);
            for (url, range) in unknown {
                if let Some(page) = web.page(url) {
                    let interval = scores.interval(page);
                    *range = DecayRange {
                        low: interval.low.get(),
                        high: interval.high.get(),
                        source: DecaySource::Crawl,
                    };
                }
            }
        }
        Ok(known)
    }

    /// Measures the locations of records whose interval contains the limit, those nearest to it
    /// first, until the budget is spent.
    async fn measure_near_limit(
        &self,
        limit: f64,
        settings: RecordDecaySettings,
        records: &[StoredRecord],
        known: &mut HashMap<String, DecayRange>,
        ranking: &mut DecayRanking,
        stop: &StopSignal,
    ) {
        let undecided = records.iter().filter_map(|record| least_decayed_location(record, known));
        let mut undecided: Vec<RecordDecay> =
            undecided.filter(|record| record.decay.is_above(limit).is_none()).collect();
        let distance = |record: &RecordDecay| (record.decay.middle() - limit).abs();
        undecided.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
        for record in undecided {
            let fetched = usize::try_from(ranking.pages).unwrap_or(usize::MAX);
            let remaining_pages = settings.budget.saturating_sub(fetched);
            if remaining_pages == 0 || stop.is_stopped() {
                return;
            }
            if let Some(range) =
                self.measure(&record.url, remaining_pages, settings, ranking, stop).await
            {
                known.insert(record.url, range);
            }
        }
    }

    /// Measures the decay of a page with random walks. Returns `None` if the measurement did not
    /// finish.
    async fn measure(
        &self,
        url: &str,
        pages: usize,
        settings: RecordDecaySettings,
        ranking: &mut DecayRanking,
        stop: &StopSignal,
    ) -> Option<DecayRange> {
        let dispatch = &self.options.dispatch;
        let measure_settings = MeasureSettings {
            url: Url::parse(url).ok()?,
            // The URL comes from a provider.
            is_user_supplied: false,
            sigma: settings.sigma,
            definition: DecayDefinition::Plain,
            stopping_rule: StoppingRule {
                max_pages_fetched: pages.min(MAX_PAGES_PER_RECORD),
                ..StoppingRule::default()
            },
            seed: 1,
            failure_model: FailureModel::default(),
            politeness: dispatch.politeness,
            policy: dispatch.policy,
            max_host_wait: dispatch.max_host_wait,
            uses_controls: dispatch.uses_controls,
            failure_list: FailureList::default(),
            radius: None,
            reuses_results: true,
        };
        let ports = MeasurePorts {
            fetch: &*self.ports.fetch,
            clock: &*self.ports.clock,
            store: Some(&*self.ports.store),
        };
        let measured = measure(ports, &measure_settings, &mut SilentObserver, stop).await;
        ranking.pages += measured.cost.pages;
        ranking.requests += measured.cost.requests;
        let is_measured =
            matches!(measured.end, MeasureEnd::Converged | MeasureEnd::PageLimitReached);
        let interval = measured.details.interval;
        is_measured.then(|| DecayRange {
            low: interval.low.get(),
            high: interval.high.get(),
            source: DecaySource::Walks,
        })
    }
}

/// Returns the mean decay of domains. It uses the lower ends of the intervals, so that unknown
/// pages do not delay a survey.
fn domain_decay(records: &[RecordDecay]) -> Vec<(String, f64)> {
    let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
    for record in records {
        let Ok(url) = Url::parse(&record.url) else { continue };
        let (sum, count) = sums.entry(host_key(&url)).or_default();
        *sum += record.decay.low;
        *count += 1;
    }
    sums.into_iter().map(|(host, (sum, count))| (host, sum / f64::from(count))).collect()
}

/// Returns the decay of a target by its verdict. The links of a live page are unknown.
fn by_verdict(verdict: Option<Verdict>, sigma: Sigma) -> DecayRange {
    let is_dead =
        verdict.is_some_and(|verdict| check_result(verdict) == relink_survey::CheckResult::Broken);
    if is_dead {
        return DecayRange { low: 1.0, high: 1.0, source: DecaySource::Verdict };
    }
    // A page that was not checked may be dead.
    let high = if verdict.is_some() { sigma.continue_probability() } else { 1.0 };
    DecayRange { low: 0.0, high, source: DecaySource::Unknown }
}

/// Returns the location of a record with the lowest decay.
fn least_decayed_location(
    record: &StoredRecord,
    known: &HashMap<String, DecayRange>,
) -> Option<RecordDecay> {
    let locations = record.links.iter().filter(|link| link.role == RecordLinkRole::Location);
    let ranges = locations.filter_map(|link| Some((link, *known.get(&link.url)?)));
    let (link, decay) =
        ranges.min_by(|(_, one), (_, other)| one.middle().total_cmp(&other.middle()))?;
    Some(RecordDecay {
        identifier: record.identifier.clone(),
        title: record.title.clone(),
        url: link.url.clone(),
        decay,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_decides_only_outside_of_the_interval() {
        let range = DecayRange { low: 0.2, high: 0.4, source: DecaySource::Crawl };
        assert_eq!(range.is_above(0.1), Some(true));
        assert_eq!(range.is_above(0.3), None);
        assert_eq!(range.is_above(0.4), Some(false));
    }

    #[test]
    fn dead_page_has_decay_one_and_unknown_links_give_an_interval() {
        let sigma = Sigma::default();
        let dead = by_verdict(Some(Verdict::Dead), sigma);
        assert_eq!((dead.low, dead.high), (1.0, 1.0));
        let alive = by_verdict(Some(Verdict::Alive), sigma);
        assert_eq!((alive.low, alive.high, alive.source), (0.0, 0.9, DecaySource::Unknown));
        let unknown = by_verdict(None, sigma);
        assert_eq!((unknown.low, unknown.high), (0.0, 1.0));
    }
}
