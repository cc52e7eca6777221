//! Measures the decay of many pages with one shared page cache.
//!
//! Several measurements run at the same time, so that they do not wait for the rate limits of
//! each other's hosts. A page that several measurements reach is fetched once. Every score is stored, so that
//! it can be compared with later scores, and so that `relink check` can report live pages
//! with a high decay. A *dead end* is a dead page on which random walks end.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::host_key;
use relink_model::Verdict;
use relink_ports::{CheckedTarget, DecayStore, StoreError, StoredDecay};
use relink_survey::SplitMix64;
use url::Url;

use super::page_prober::PageProber;
use super::{
    DecayMeasurement, MeasureEnd, MeasureOutcome, MeasurePorts, MeasureSettings, RequestCost,
};
use relink_engine::{Observer, Progress};
use relink_requests::{MAX_CONCURRENT_PARTS, StopSignal, run_in_order};

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

/// Measures the pages `urls`. The URL in `settings` is ignored.
///
/// # Errors
///
/// If the scores cannot be stored.
pub async fn measure_list<'u>(
    ports: MeasurePorts<'_>,
    settings: &MeasureSettings,
    urls: &'u [Url],
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<ListOutcome, StoreError> {
    let mut random = SplitMix64::new(settings.seed);
    let prober = PageProber::new(ports, settings, random.next_u64());
    let progress = ListProgress::new(observer);
    let list: Vec<ListPage<'_>> = urls
        .iter()
        .enumerate()
        .map(|(index, url)| ListPage { index, url, seed: random.next_u64() })
        .collect();
    let measure = |page: ListPage<'u>| {
        let settings = page.settings(settings);
        let mut observer = progress.of_page(page.index);
        let prober = &prober;
        async move { Ok((page, measure_page(prober, settings, &mut observer, stop).await?)) }
    };
    let mut measured: Vec<(ListPage<'_>, MeasuredPage)> = Vec::with_capacity(urls.len());
    let add = |page| {
        measured.push(page);
        Ok(())
    };
    run_in_order(by_turns(list), MAX_CONCURRENT_PARTS, measure, add).await?;
    measured.sort_by_key(|(page, _)| page.index);
    for (page, result) in &mut measured {
        // No server had responded when this page failed. If one has responded later, the
        // local network works, and the results in the cache can be used.
        let is_doubtful = matches!(result.outcome.end, MeasureEnd::NoNetwork(_));
        if is_doubtful && prober.fetch.has_reached_server() {
            let mut observer = progress.of_page(page.index);
            *result = measure_page(&prober, page.settings(settings), &mut observer, stop).await?;
        }
    }
    let mut pages: Vec<MeasuredPage> = measured.into_iter().map(|(_, page)| page).collect();
    let interrupted = pages.iter().position(|page| page.outcome.end == MeasureEnd::Interrupted);
    pages.truncate(interrupted.unwrap_or(pages.len()));
    let cost = RequestCost {
        pages: prober.requested_pages(),
        requests: prober.fetch.requests(),
        reused: prober.reused(),
    };
    Ok(ListOutcome { pages, cost, is_interrupted: interrupted.is_some() })
}

/// A page of the list.
#[derive(Debug, Clone, Copy)]
struct ListPage<'u> {
    /// Its position in the list.
    index: usize,
    url: &'u Url,
    /// The seed of its random walks. It does not depend on the other pages.
    seed: u64,
}

impl ListPage<'_> {
    /// Returns the settings of the measurement of this page.
    fn settings(&self, of_list: &MeasureSettings) -> MeasureSettings {
        MeasureSettings { url: self.url.clone(), seed: self.seed, ..of_list.clone() }
    }
}

/// Orders pages so that all hosts take turns. Pages of one host wait for each other.
fn by_turns(mut pages: Vec<ListPage<'_>>) -> Vec<ListPage<'_>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut turn = |page: &ListPage<'_>| {
        let count = counts.entry(host_key(page.url)).or_default();
        *count += 1;
        *count
    };
    pages.sort_by_cached_key(|page| (turn(page), page.index));
    pages
}

/// Measures one page, and stores its score.
async fn measure_page(
    prober: &PageProber<'_>,
    settings: MeasureSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<MeasuredPage, StoreError> {
    let url = settings.url.clone();
    let mut random = SplitMix64::new(settings.seed);
    let mut measurement = DecayMeasurement::new(settings, prober);
    let end = measurement.run(&mut || random.unit(), observer, stop).await;
    let outcome = measurement.outcome(end);
    if let (Some(store), Some(score)) =
        (prober.score_store, stored_score(&url, &outcome, prober.clock.now()))
    {
        store.save_decay(&[score]).await?;
    }
    Ok(MeasuredPage { url, outcome })
}

/// Joins the progress of the measurements of a list.
struct ListProgress<'o> {
    state: Mutex<ListProgressState<'o>>,
}

struct ListProgressState<'o> {
    observer: &'o mut dyn Observer,
    /// Checked and known pages, by the position of the measured page in the list.
    pages: BTreeMap<usize, (u64, u64)>,
}

impl<'o> ListProgress<'o> {
    fn new(observer: &'o mut dyn Observer) -> Self {
        Self { state: Mutex::new(ListProgressState { observer, pages: BTreeMap::new() }) }
    }

    /// Returns the observer of the measurement of one page.
    fn of_page(&self, index: usize) -> PageProgress<'_, 'o> {
        PageProgress { list: self, index }
    }
}

/// Observer of one measurement of a list.
struct PageProgress<'p, 'o> {
    list: &'p ListProgress<'o>,
    index: usize,
}

impl Observer for PageProgress<'_, '_> {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        self.list.state.lock().unwrap_or_else(PoisonError::into_inner).observer.on_result(checked)
    }

    fn on_progress(&mut self, progress: &Progress) {
        let Progress::Checking { checked, targets, in_flight, waiting } = progress.clone() else {
            return;
        };
        let mut state = self.list.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.pages.insert(self.index, (checked, targets));
        let checked = state.pages.values().map(|(checked, _)| checked).sum();
        let targets = state.pages.values().map(|(_, targets)| targets).sum();
        state.observer.on_progress(&Progress::Checking { checked, targets, in_flight, waiting });
    }
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
