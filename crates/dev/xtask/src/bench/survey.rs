//! Measures the default sampling plan of `relink survey` on a large URL catalog: the
//! time to select the next batch of URLs, and the memory.
//!
//! Sends no requests: a seeded random generator decides which directories are dead.

use std::fmt;
use std::time::Instant;

use relink_survey::{Catalog, SamplingPlanName, SplitMix64, UrlHealth};

use super::meter::parse_peak;

/// Maximum time of a batch, in milliseconds.
const MAX_BATCH_MS: f64 = 50.0;

/// Maximum memory of the program, in MiB.
const MAX_MEMORY_MIB: u64 = 300;

/// URLs per directory.
const URLS_PER_DIRECTORY: usize = 40;

/// Every sixth directory is dead.
const DEAD_ONE_IN: u32 = 6;

/// Size of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurveySize {
    /// Number of URLs.
    pub urls: usize,
    /// Number of domains.
    pub domains: usize,
    /// URLs per batch.
    pub batch: usize,
}

impl Default for SurveySize {
    fn default() -> Self {
        Self { urls: 1_000_000, domains: 10_000, batch: 1_000 }
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyBenchResult {
    urls: u32,
    checked: u32,
    /// Time to read the catalog, in seconds.
    load_seconds: f64,
    /// Times of the batches, in milliseconds, ascending.
    batches: Vec<f64>,
    /// Peak memory of the program, if known.
    peak_kib: Option<u64>,
}

impl SurveyBenchResult {
    /// Whether the slowest batch and the memory keep their limits.
    pub fn is_fast(&self) -> bool {
        self.slowest() <= MAX_BATCH_MS
            && self.peak_kib.is_none_or(|peak| peak <= MAX_MEMORY_MIB * 1024)
    }

    fn slowest(&self) -> f64 {
        self.batches.last().copied().unwrap_or_default()
    }
}

impl fmt::Display for SurveyBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let median = self.batches.get(self.batches.len() / 2).copied().unwrap_or_default();
        let slowest = self.slowest();
        write!(f, "survey {} URLs read in {:.1} s  ", self.urls, self.load_seconds)?;
        write!(f, "{} batches, {} checked  ", self.batches.len(), self.checked)?;
        write!(
            f,
            "batch median {median:.1} ms, slowest {slowest:.1} ms (limit {MAX_BATCH_MS:.0})  "
        )?;
        match self.peak_kib {
            Some(peak) => write!(f, "memory {} MiB (limit {MAX_MEMORY_MIB})", peak / 1024),
            None => write!(f, "memory unknown"),
        }
    }
}

/// Runs the plan on a catalog of this size to its end.
pub fn bench_survey(size: SurveySize) -> SurveyBenchResult {
    let start = Instant::now();
    let catalog = Catalog::new((0..size.urls).map(|url| generate_url(url, size)));
    let load_seconds = start.elapsed().as_secs_f64();
    let dead = dead_directories(&catalog);
    let mut plan = SamplingPlanName::Default.create(&catalog, &[], 1);
    let mut batches = Vec::new();
    loop {
        let start = Instant::now();
        let batch = plan.next_batch(size.batch);
        batches.push(start.elapsed().as_secs_f64() * 1_000.0);
        if batch.is_empty() {
            break;
        }
        for url in batch {
            let is_dead = dead[catalog.directory_of(url).index()];
            plan.record(url, if is_dead { UrlHealth::Broken } else { UrlHealth::Alive });
        }
    }
    batches.sort_by(f64::total_cmp);
    let status = std::fs::read_to_string("/proc/self/status").ok();
    SurveyBenchResult {
        urls: catalog.len(),
        checked: plan.check_log().total().checked,
        load_seconds,
        batches,
        peak_kib: status.as_deref().and_then(parse_peak),
    }
}

/// Returns the domain and the text of a URL, of realistic length.
fn generate_url(url: usize, size: SurveySize) -> (String, String) {
    let domain = url % size.domains;
    let directory = url / size.domains / URLS_PER_DIRECTORY;
    let name = format!("library{domain}.example.org");
    let url = format!("https://{name}/collections/c{directory}/record-{url}.html");
    (name, url)
}

/// Returns for each directory whether it is dead.
fn dead_directories(catalog: &Catalog) -> Vec<bool> {
    let mut rng = SplitMix64::new(2);
    catalog.directories().map(|_| rng.below(DEAD_ONE_IN) == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survey_bench_finishes_a_small_catalog() {
        let outcome = bench_survey(SurveySize { urls: 2_000, domains: 10, batch: 100 });
        assert_eq!(outcome.urls, 2_000);
        assert!(outcome.checked > 100 && outcome.batches.len() > 1, "{outcome}");
    }

    #[test]
    fn display_is_one_line() {
        let outcome = SurveyBenchResult {
            urls: 1_000,
            checked: 200,
            load_seconds: 0.5,
            batches: vec![1.0, 2.0, 9.0],
            peak_kib: Some(204_800),
        };
        assert_eq!(
            outcome.to_string(),
            "survey 1000 URLs read in 0.5 s  3 batches, 200 checked  \
             batch median 2.0 ms, slowest 9.0 ms (limit 50)  memory 200 MiB (limit 300)"
        );
        assert!(outcome.is_fast());
    }
}
