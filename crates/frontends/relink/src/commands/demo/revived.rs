//! Dead pages of the library, looked for in its archive and on its sites, and
//! compared with where they really are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relink_demo::{Library, MiniArchive};
use relink_engine::{
    Ports, ReplacementSearch, Revival, ReviveObserver, ReviveSettings, StopSignal, lesson_programs,
    revive,
};
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_model::{Confidence, RunId};
use relink_report::human::{counted, duration};
use relink_report::printable;
use relink_revive::cost::RevivalMethod;

use super::since;
use crate::commands::check::dead_pages;
use crate::commands::revive::archives;
use crate::error::CommandError;
use crate::settings::{ArchiveChoice, ReviveSetup};

/// Patterns that are shown.
const PATTERNS: usize = 3;
/// Nothing less sure is believed.
const LEAST: Confidence = Confidence::percent(70);

/// What came of it, beside the truth.
pub(super) struct DemoRevivals {
    revivals: Vec<Revival>,
    /// New addresses by old.
    truth: BTreeMap<String, String>,
    patterns: Vec<String>,
    took_ms: u64,
}

/// Looks for all dead pages of a run.
pub(super) async fn look(
    library: &Library,
    mut ports: Ports,
    run: RunId,
) -> Result<DemoRevivals, CommandError> {
    let began = Instant::now();
    let archive = MiniArchive::start(library.copies()).await.map_err(|fault| {
        CommandError::internal("cannot open the archive on 127.0.0.1").cause(fault.to_string())
    })?;
    let looking = looking(&archive)?;
    ports.archives = archives(&looking, &ports)?;
    let pages = dead_pages(&ports, run).await?;
    let mut listener = RevivalCollector(Vec::new());
    revive(&ports, &looking.revive, pages, &mut listener, &StopSignal::new().1).await?;
    // The port is another one at every visit, and no part of what moved.
    let port = format!(":{}", library.port());
    let patterns = patterns(&ports, &listener.0).await?;
    Ok(DemoRevivals {
        patterns: patterns.iter().map(|pattern| pattern.replace(&port, "")).collect(),
        revivals: listener.0,
        truth: library.moved().into_iter().collect(),
        took_ms: since(began),
    })
}

fn looking(archive: &MiniArchive) -> Result<ReviveSetup, CommandError> {
    let root = archive.root().parse();
    let root = root.map_err(|_| CommandError::internal("the archive's address cannot be read"))?;
    Ok(ReviveSetup {
        revive: ReviveSettings {
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            max_host_wait: Duration::ZERO,
            policy: Policy { retries: 0, ..Policy::default() },
            live: Vec::new(),
            fresh_since: Timestamp::MAX,
            least: LEAST,
            link_date: None,
            elsewhere: ReplacementSearch::Never,
            searches: 0,
        },
        archives: vec![ArchiveChoice::InternetArchive(root)],
        searches: Vec::new(),
        warcs: Vec::new(),
        archive_budget: None,
        search_budget: None,
    })
}

/// The patterns that led somewhere, as people read them.
async fn patterns(ports: &Ports, revivals: &[Revival]) -> Result<Vec<String>, CommandError> {
    let used: BTreeSet<i64> =
        revivals.iter().filter_map(|revival| revival.alias.as_ref()?.pattern).collect();
    let lessons = ports.store.patterns().await?;
    let told = lessons.iter().filter(|lesson| used.contains(&lesson.id)).flat_map(|lesson| {
        let directory = printable(&lesson.directory).into_owned();
        let programs = lesson_programs(lesson).into_iter();
        programs.map(move |learned| format!("{directory} -> {}", learned.program))
    });
    Ok(told.take(PATTERNS).collect())
}

impl DemoRevivals {
    /// `4/5 revive   14 of 49 dead pages found again: 5 by pattern, …`.
    pub(super) fn line(&self) -> String {
        let count = |method: RevivalMethod| {
            let aliases = self.revivals.iter().filter_map(|revival| revival.alias.as_ref());
            aliases.filter(|alias| alias.method == method).count()
        };
        let ways = [
            (count(RevivalMethod::Inference), "by pattern"),
            (count(RevivalMethod::HistoricalRedirect), "by archived redirect"),
            (count(RevivalMethod::Search), "by name and title"),
        ];
        let all: usize = ways.iter().map(|(count, _)| count).sum();
        let ways: Vec<String> = ways.iter().map(|(count, way)| format!("{count} {way}")).collect();
        let mut text = format!(
            "4/5 revive   {all} of {} found again: {}   {}\n",
            counted(self.revivals.len() as u64, "dead page"),
            ways.join(", "),
            duration(self.took_ms),
        );
        for pattern in &self.patterns {
            let _ = writeln!(text, "             {}", printable(pattern));
        }
        text
    }

    /// Mistakes one by one, then their number.
    pub(super) fn sums(&self) -> String {
        let wrong: Vec<&Revival> = self.revivals.iter().filter(|it| !self.is_true(it)).collect();
        let mut text = String::new();
        for revival in &wrong {
            let said = alias(revival).unwrap_or("nowhere");
            let truth = self.truth.get(revival.url.as_str()).map_or("nowhere", String::as_str);
            let _ = writeln!(text, "  ? found at {said}, but is at {truth} ({})", revival.url);
        }
        let (all, right) = (self.revivals.len(), self.revivals.len() - wrong.len());
        text + &format!("{right} of {all} dead pages found, or given up, as planted.\n")
    }

    /// Whether every page was found where it is, and no page where it is not.
    pub(super) fn is_right(&self) -> bool {
        let has_all = self.truth.len() <= self.revivals.len();
        has_all && self.revivals.iter().all(|revival| self.is_true(revival))
    }

    fn is_true(&self, revival: &Revival) -> bool {
        alias(revival) == self.truth.get(revival.url.as_str()).map(String::as_str)
    }
}

fn alias(revival: &Revival) -> Option<&str> {
    revival.alias.as_ref().map(|alias| alias.url.as_str())
}

struct RevivalCollector(Vec<Revival>);

impl ReviveObserver for RevivalCollector {
    fn progress(&mut self, _: usize, _: usize, _: &str) {}

    fn revived(&mut self, revival: &Revival) -> io::Result<()> {
        self.0.push(revival.clone());
        Ok(())
    }
}
