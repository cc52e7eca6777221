//! Searches for the new URLs of the dead pages of the demo site and compares the results
//! with the ground truth.
//!
//! An alias is a live URL of the same page. A pattern is a rule by which the URLs of one
//! directory changed. A revival is the search result of one dead page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relink_demo::{Library, MiniArchive};
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_model::{Confidence, RunId};
use relink_repair::{
    ReplacementSearch, Revival, ReviveObserver, ReviveSettings, pattern_programs, revive,
};
use relink_report::human::{counted, duration};
use relink_report::printable;
use relink_requests::{Ports, StopSignal};
use relink_revive::cost::RevivalMethod;

use super::milliseconds_since;
use crate::commands::check::dead_pages;
use crate::commands::revive::archives;
use crate::error::CommandError;
use crate::settings::{ArchiveChoice, ReviveSetup};

/// Maximum number of patterns in the output.
const MAX_PATTERNS: usize = 3;
/// Minimum confidence of an accepted alias.
const MIN_CONFIDENCE: Confidence = Confidence::from_percent(70);

/// The search results and the ground truth.
pub(super) struct DemoRevivals {
    revivals: Vec<Revival>,
    /// New URLs by old URL.
    truth: BTreeMap<String, String>,
    patterns: Vec<String>,
    duration_ms: u64,
}

/// Searches for the new URLs of all dead pages of a run.
pub(super) async fn search(
    library: &Library,
    mut ports: Ports,
    run: RunId,
) -> Result<DemoRevivals, CommandError> {
    let started = Instant::now();
    let archive = MiniArchive::start(library.archived_pages()).await.map_err(|error| {
        CommandError::internal("cannot start the demo archive on 127.0.0.1")
            .cause(error.to_string())
    })?;
    let setup = revive_setup(&archive)?;
    ports.archives = archives(&setup, &ports)?;
    let pages = dead_pages(&ports, run).await?;
    let mut collector = RevivalCollector(Vec::new());
    revive(&ports, &setup.revive, pages, &mut collector, &StopSignal::never()).await?;
    // Remove the port from the output, because it differs in every run.
    let port = format!(":{}", library.port());
    let patterns = successful_patterns(&ports, &collector.0).await?;
    Ok(DemoRevivals {
        patterns: patterns.iter().map(|pattern| pattern.replace(&port, "")).collect(),
        revivals: collector.0,
        truth: library.moved_pages().into_iter().collect(),
        duration_ms: milliseconds_since(started),
    })
}

fn revive_setup(archive: &MiniArchive) -> Result<ReviveSetup, CommandError> {
    let root = archive.root().parse();
    let root = root.map_err(|_| CommandError::internal("invalid URL of the demo archive"))?;
    Ok(ReviveSetup {
        revive: ReviveSettings {
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            max_host_wait: Duration::ZERO,
            policy: Policy { retries: 0, ..Policy::default() },
            live_pages: Vec::new(),
            fresh_since: Timestamp::MAX,
            min_confidence: MIN_CONFIDENCE,
            link_date: None,
            replacements: ReplacementSearch::Never,
            max_searches: 0,
        },
        archives: vec![ArchiveChoice::InternetArchive(root)],
        searches: Vec::new(),
        warcs: Vec::new(),
        archive_budget: None,
        search_budget: None,
    })
}

/// Returns the patterns that found an alias, as lines `DIRECTORY -> PROGRAM`.
async fn successful_patterns(
    ports: &Ports,
    revivals: &[Revival],
) -> Result<Vec<String>, CommandError> {
    let used_ids: BTreeSet<i64> =
        revivals.iter().filter_map(|revival| revival.alias.as_ref()?.pattern).collect();
    let mut lines = Vec::new();
    for pattern in ports.store.patterns().await? {
        if used_ids.contains(&pattern.id) {
            let directory = printable(&pattern.directory);
            for learned in pattern_programs(&pattern) {
                lines.push(format!("{directory} -> {}", learned.program));
            }
        }
    }
    lines.truncate(MAX_PATTERNS);
    Ok(lines)
}

impl DemoRevivals {
    /// Formats the line `4/8 revive   14 of 49 dead pages found: 5 by pattern, …`.
    pub(super) fn line(&self) -> String {
        let aliases = || self.revivals.iter().filter_map(|revival| revival.alias.as_ref());
        let count =
            |method: RevivalMethod| aliases().filter(|alias| alias.method == method).count();
        let methods = [
            (count(RevivalMethod::Inference), "by pattern"),
            (count(RevivalMethod::HistoricalRedirect), "by archived redirect"),
            (count(RevivalMethod::Search), "by URL and title"),
        ];
        let found: usize = methods.iter().map(|(count, _)| count).sum();
        let methods: Vec<String> =
            methods.iter().map(|(count, method)| format!("{count} {method}")).collect();
        let mut text = format!(
            "4/8 revive   {found} of {} found: {}   {}\n",
            counted(self.revivals.len() as u64, "dead page"),
            methods.join(", "),
            duration(self.duration_ms),
        );
        for pattern in &self.patterns {
            let _ = writeln!(text, "             {}", printable(pattern));
        }
        text
    }

    /// Formats the wrong search results, one per line, and the totals.
    pub(super) fn totals(&self) -> String {
        let wrong: Vec<&Revival> =
            self.revivals.iter().filter(|revival| !self.is_correct(revival)).collect();
        let mut text = String::new();
        for revival in &wrong {
            let found = alias(revival).unwrap_or("not found");
            let truth = self.truth.get(revival.url.as_str()).map_or("no new URL", String::as_str);
            let _ = writeln!(text, "  ? found {found}, expected {truth} ({})", revival.url);
        }
        let all = self.revivals.len();
        let correct = all - wrong.len();
        text + &format!("{correct} of {all} dead pages with the expected search result.\n")
    }

    /// Whether every search result equals the ground truth.
    pub(super) fn matches_truth(&self) -> bool {
        let has_all = self.truth.len() <= self.revivals.len();
        has_all && self.revivals.iter().all(|revival| self.is_correct(revival))
    }

    fn is_correct(&self, revival: &Revival) -> bool {
        alias(revival) == self.truth.get(revival.url.as_str()).map(String::as_str)
    }
}

fn alias(revival: &Revival) -> Option<&str> {
    revival.alias.as_ref().map(|alias| alias.url.as_str())
}

struct RevivalCollector(Vec<Revival>);

impl ReviveObserver for RevivalCollector {
    fn on_progress(&mut self, _: usize, _: usize, _: &str) {}

    fn on_revival(&mut self, revival: &Revival) -> io::Result<()> {
        self.0.push(revival.clone());
        Ok(())
    }
}
