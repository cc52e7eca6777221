//! Measures the decay of many pages with one shared page cache.
//!
//! A page that several measurements reach is fetched once. Every score is stored, so that
//! it can be compared with later scores, and so that `relink check` can report live pages
//! with a high decay. A *dead end* is a dead page on which random walks end.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_model::Verdict;
use relink_ports::{DecayStore, StoreError, StoredDecay};
use relink_survey::SplitMix64;
use url::Url;

use super::page_prober::PageProber;
use super::{
    DecayMeasurement, MeasureEnd, MeasureOutcome, MeasurePorts, MeasureSettings, RequestCost,
};
use relink_engine::Observer;
use relink_requests::StopSignal;

/// Number of dead ends that are stored with a score.
const STORED_DEAD_ENDS: usize = 5;

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPage {
    /// The URL.
    pub url: Url,
    /// The result.
    pub outcome: MeasureOutcome,
}

/// The result of measuring a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListOutcome {
    /// The measured pages, in the order of the list.
    pub pages: Vec<MeasuredPage>,
    /// Pages and requests of all measurements.
    pub cost: RequestCost,
    /// Whether the user interrupted the measurement.
    pub is_interrupted: bool,
}

/// Mean scores of a list on one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecayDay {
    /// The time of the first measurement of the day.
    pub at: Timestamp,
    /// Number of pages.
    pub pages: u64,
    /// Mean decay.
    pub mean_decay: f64,
    /// Mean share of dead links over the pages that have links.
    pub mean_dead_share: Option<f64>,
}

/// Measures the pages `urls` one after the other. The URL in `settings` is ignored.
///
/// # Errors
///
/// If the scores cannot be stored.
pub async fn measure_list(
    ports: MeasurePorts<'_>,
    settings: &MeasureSettings,
    urls: &[Url],
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<ListOutcome, StoreError> {
    let mut random = SplitMix64::new(settings.seed);
    let mut prober = PageProber::new(ports, settings, random.next_u64());
    let mut list = ListOutcome {
        pages: Vec::new(),
        cost: RequestCost { pages: 0, requests: 0, reused: 0 },
        is_interrupted: false,
    };
    for url in urls {
        let settings = MeasureSettings { url: url.clone(), ..settings.clone() };
        prober.start = settings.is_user_supplied.then(|| url.clone());
        let mut measurement = DecayMeasurement::new(settings, prober);
        let end = measurement.run(&mut || random.unit(), observer, stop).await;
        let requests = measurement.prober.fetch.requests().await;
        let outcome = measurement.outcome(end, requests);
        prober = measurement.prober;
        list.cost.requests = requests;
        list.is_interrupted = outcome.end == MeasureEnd::Interrupted;
        if list.is_interrupted {
            break;
        }
        if let (Some(store), Some(score)) =
            (ports.store, stored_score(url, &outcome, ports.clock.now()))
        {
            store.save_decay(&[score]).await?;
        }
        list.pages.push(MeasuredPage { url: url.clone(), outcome });
    }
    list.cost.pages = prober.requested_pages();
    list.cost.reused = prober.reused;
    Ok(list)
}

/// Returns the score to store, or `None` if nothing was measured.
fn stored_score(url: &Url, outcome: &MeasureOutcome, now: Timestamp) -> Option<StoredDecay> {
    let is_measured = matches!(outcome.end, MeasureEnd::Converged | MeasureEnd::PageLimitReached);
    let details = &outcome.details;
    let dead_ends = details.dead_ends.iter().take(STORED_DEAD_ENDS);
    is_measured.then(|| StoredDecay {
        url: url.to_string(),
        measured_at: now,
        decay: details.decay.get(),
        low: details.interval.low.get(),
        high: details.interval.high.get(),
        dead_share: outcome.dead_share(),
        dead_ends: dead_ends.map(|end| end.page.clone()).collect(),
    })
}

impl MeasureOutcome {
    /// Returns the share of the page's own links that are dead. `None` if the page
    /// has no links, or is itself dead.
    pub fn dead_share(&self) -> Option<f64> {
        let own_links = self.details.own_links.as_ref().filter(|own_links| own_links.links > 0)?;
        Some(own_links.breakdown.dead_share)
    }

    /// Whether the page was measured and is alive.
    pub fn is_alive(&self) -> bool {
        matches!(
            self.verdict,
            Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk)
        )
    }
}

/// Returns the mean scores of pages for each day with a measurement, oldest first. A
/// day counts the latest score of each page on that day.
///
/// # Errors
///
/// If the scores cannot be read.
pub async fn decay_over_time(
    store: &dyn DecayStore,
    urls: &[String],
) -> Result<Vec<DecayDay>, StoreError> {
    let mut days: BTreeMap<jiff::civil::Date, BTreeMap<String, StoredDecay>> = BTreeMap::new();
    for score in store.decay_history(urls).await? {
        let day = score.measured_at.to_zoned(TimeZone::UTC).date();
        days.entry(day).or_default().insert(score.url.clone(), score);
    }
    Ok(days.into_values().filter_map(|scores| mean_of_day(&scores)).collect())
}

/// Returns the mean of the scores of one day, or `None` if there are none.
fn mean_of_day(scores: &BTreeMap<String, StoredDecay>) -> Option<DecayDay> {
    let mean = |values: &[f64]| {
        let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
    };
    let decays: Vec<f64> = scores.values().map(|score| score.decay).collect();
    let dead_shares: Vec<f64> = scores.values().filter_map(|score| score.dead_share).collect();
    Some(DecayDay {
        at: scores.values().map(|score| score.measured_at).min()?,
        pages: scores.len() as u64,
        mean_decay: mean(&decays)?,
        mean_dead_share: mean(&dead_shares),
    })
}
