//! The terminal report: findings with their source lines, totals and a last line.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use relink_engine::{CheckEnd, Diagnostic, Diagnostics, Ports, REVIVABLE};
use relink_judge::codes;
use relink_model::{FindingCode, LinkKind, RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files, HostStats, LinkLocation};
use relink_report::human::{self, FindingView, Footer, Headline, Snippet, TextStyle};

use super::{
    FinishedRun, RevivalText, RunDetails, cannot_write, crawl, host_row, location_views, survey,
};
use crate::cli::GlobalArgs;
use crate::config::ProjectConfig;
use crate::error::CommandError;
use crate::settings::RunSettings;

/// Number of findings read at a time.
const BATCH: usize = 256;

/// Maximum number of locations read per finding. More are never listed; the rest
/// is counted.
const MAX_LOCATIONS: usize = 8;

/// Maximum number of diagnostics of each kind.
const MAX_DIAGNOSTICS: usize = 100;

/// Verdicts whose findings are shown without `--verbose`.
const DEFAULT_SHOWN: [Verdict; 5] =
    [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked, Verdict::Local, Verdict::Failing];

/// Returns the verdicts whose findings are listed.
pub(super) fn shown_verdicts(settings: &RunSettings, global: &GlobalArgs) -> Vec<Verdict> {
    let is_shown = |verdict: &Verdict| {
        global.verbose && *verdict != Verdict::Alive
            || settings.fail_on.contains(verdict)
            || DEFAULT_SHOWN.contains(verdict)
    };
    Verdict::ALL.into_iter().filter(is_shown).collect()
}

/// Settings of the report.
pub struct HumanReport {
    style: TextStyle,
    shown: Vec<Verdict>,
    is_quiet: bool,
    is_verbose: bool,
    max_age: Duration,
    /// The keys that the project's file sets, in one line.
    project: Option<String>,
    /// Whether search results are shown with dead pages.
    pub(super) shows_revivals: bool,
}

impl HumanReport {
    pub(super) fn new(settings: &RunSettings, global: &GlobalArgs, style: TextStyle) -> Self {
        Self {
            style,
            shown: shown_verdicts(settings, global),
            is_quiet: global.quiet,
            is_verbose: global.verbose,
            max_age: settings.max_cache_age,
            project: settings.project.as_ref().and_then(ProjectConfig::line),
            shows_revivals: false,
        }
    }

    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        end: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        let write = |out: &mut (dyn Write + Send), text: &str| {
            out.write_all(text.as_bytes()).map_err(cannot_write)
        };
        for notice in end.details.notices() {
            write(out, &format!("! {}\n", relink_report::printable(&notice)))?;
        }
        write(out, &self.headline(end))?;
        if let Some(line) = &self.project {
            write(out, &format!("{}\n", relink_report::printable(line)))?;
        }
        // A survey or a crawl may have thousands of findings: list them only with
        // `--verbose`.
        let is_check = matches!(end.details, RunDetails::Check(_));
        let shown: &[Verdict] = if is_check || self.is_verbose { &self.shown } else { &[] };
        let blocked_code = self.findings(out, ports, end.run, shown).await?;
        if let Some(loaded) = end.details.loaded() {
            write(out, &diagnostics("problems", &loaded.problems))?;
            if self.is_verbose {
                write(out, &diagnostics("expired `relink:ignore` comments", &loaded.expired))?;
            }
        }
        if !matches!(end.details, RunDetails::Crawl(_)) {
            write(out, &format!("\n{}", human::summary(self.style, &end.stats.verdicts)))?;
        }
        if self.is_verbose {
            let skips = end.skips();
            write(out, &human::skipped(skips.iter().map(|(skip, count)| (skip.phrase(), count))))?;
        }
        if let RunDetails::Crawl(outcome) = &end.details {
            let mut report = crawl::report(ports, end.run).await?;
            // The notices above already contain it.
            report.termination_note = None;
            let overview = if self.is_verbose {
                format!("\n{}", relink_report::site::overview(&report, self.style))
            } else {
                relink_report::site::human(&report, self.style)
            };
            write(out, &format!("{overview}{}", crawl::details(outcome)))?;
        }
        if let Some(outcome) = end.details.survey() {
            write(out, &survey::details(outcome, self.is_verbose))?;
        }
        if !self.is_quiet
            && (self.is_verbose || hosts.len() > 1 || hosts.iter().any(|host| host.throttled > 0))
        {
            let rows: Vec<_> = hosts.iter().map(host_row).collect();
            write(out, &format!("\n{}\n", human::hosts(self.style, &rows)))?;
        }
        write(out, &footer(end, blocked_code))
    }

    fn headline(&self, end: &FinishedRun) -> String {
        let duration = end.finished.duration_since(end.started);
        if let RunDetails::Crawl(_) = &end.details {
            // The overview at the end has the same numbers.
            return String::new();
        }
        if let Some(outcome) = end.details.survey() {
            return survey::headline(outcome, duration);
        }
        human::headline(&Headline {
            links: end.stats.links,
            documents: end.stats.documents,
            hosts: end.stats.hosts,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(0),
            cached: end.stats.cached,
            max_age: self.max_age.as_secs(),
        })
    }

    /// Writes the findings with these verdicts. Returns the most frequent code of
    /// blocked pages.
    async fn findings(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        run: RunId,
        shown: &[Verdict],
    ) -> Result<Option<FindingCode>, CommandError> {
        let mut blocked: HashMap<FindingCode, u64> = HashMap::new();
        // The advice for a code is printed once.
        let mut explained: HashSet<FindingCode> = HashSet::new();
        let mut verdicts = shown.to_vec();
        verdicts.extend([Verdict::Blocked].into_iter().filter(|verdict| !shown.contains(verdict)));
        let mut after = TaskId(0);
        loop {
            let query = CheckedTargetQuery {
                after,
                limit: BATCH,
                verdicts: Some(&verdicts),
                max_locations: MAX_LOCATIONS,
                is_unfetched: false,
            };
            let page = ports.store.checked_targets(run, query).await?;
            let Some(last) = page.last() else { break };
            after = last.task;
            for target in &page {
                if let (Verdict::Blocked, Some(code)) = (target.result.verdict, target.result.code)
                {
                    *blocked.entry(code).or_default() += 1;
                }
                if shown.contains(&target.result.verdict) {
                    let text = self.finding(ports, target, &mut explained).await?;
                    out.write_all(text.as_bytes()).map_err(cannot_write)?;
                }
            }
        }
        let frequency = |(code, count): &(FindingCode, u64)| (*count, std::cmp::Reverse(*code));
        Ok(blocked.into_iter().max_by_key(frequency).map(|(code, _)| code))
    }

    async fn finding(
        &self,
        ports: &Ports,
        target: &CheckedTarget,
        explained: &mut HashSet<FindingCode>,
    ) -> Result<String, CommandError> {
        let result = &target.result;
        let revival = if self.shows_revivals && REVIVABLE.contains(&result.verdict) {
            RevivalText::load(&*ports.store, &target.url).await?
        } else {
            None
        };
        let snippet = match target.locations.first() {
            Some(location) => snippet(&*ports.files, location).await,
            None => None,
        };
        let code = result.code.filter(|code| !explained.contains(code));
        let advice = code.and_then(codes::lookup).map(|meaning| meaning.advice);
        let text = human::finding(
            self.style,
            &FindingView {
                code: result.code,
                verdict: result.verdict,
                url: &target.original_url,
                reason: &result.reason,
                confidence: result.confidence,
                evidence: &result.evidence,
                locations: &location_views(target),
                links: target.inlinks,
                snippet: snippet.as_ref(),
                help: advice,
                revival: revival.as_ref().map(RevivalText::view).as_ref(),
            },
        );
        // A suggestion of a new URL replaces the advice.
        let is_explained = advice.is_some_and(|advice| text.contains(advice));
        explained.extend(code.filter(|_| is_explained));
        Ok(format!("\n{text}"))
    }
}

/// Reads the source line of a link from its document.
async fn snippet(files: &dyn Files, location: &LinkLocation) -> Option<Snippet> {
    if matches!(location.location.kind, LinkKind::ListEntry | LinkKind::Argument) {
        // The line would only repeat the URL.
        return None;
    }
    // Do not read the whole document: a large one may have a million findings.
    let (span, path) = (location.location.span, Path::new(&location.path));
    let range = Snippet::byte_range(span);
    let bytes = files.read_range(path, range.start as u64, range.len()).await.ok()?;
    Snippet::cut_from(&bytes, span)
}

/// Lists the diagnostics of documents.
fn diagnostics(title: &str, diagnostics: &Diagnostics) -> String {
    if diagnostics.entries.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    let shown = &diagnostics.entries[..diagnostics.entries.len().min(MAX_DIAGNOSTICS)];
    for Diagnostic { path, line, text: message } in shown {
        text.extend(["  ", &human::problem(path, *line, message), "\n"]);
    }
    let more = (diagnostics.entries.len() - shown.len()) as u64 + diagnostics.omitted;
    if more > 0 {
        text.extend(["  … and ", &human::grouped(more), " more\n"]);
    }
    text
}

fn footer(end: &FinishedRun, blocked_code: Option<FindingCode>) -> String {
    let finished = || {
        human::footer(&Footer {
            failing: end.failing,
            blocked: end.stats.verdicts.get(&Verdict::Blocked).copied().unwrap_or(0),
            blocked_code,
        })
    };
    match &end.details {
        RunDetails::Check(outcome) => match outcome.end {
            CheckEnd::Interrupted => human::interrupted(end.stats.checked, end.stats.targets),
            CheckEnd::NoNetwork => human::no_network().to_owned(),
            CheckEnd::Finished => finished(),
        },
        RunDetails::Crawl(outcome) => crawl::footer(outcome, end).unwrap_or_else(finished),
        RunDetails::Survey(outcome) => {
            survey::footer(outcome.end, &end.stats).unwrap_or_else(finished)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use relink_model::SourceLocation;
    use relink_ports::{FileError, WalkRequest, WalkResult};

    use super::*;

    /// A document with a single long line. Counts the bytes that are read.
    struct LongLine {
        line: Vec<u8>,
        read: AtomicUsize,
    }

    #[async_trait]
    impl Files for LongLine {
        async fn walk(&self, _: &WalkRequest) -> Result<WalkResult, FileError> {
            Ok(WalkResult::default())
        }

        async fn read(&self, _: &Path) -> Result<Vec<u8>, FileError> {
            self.read.fetch_add(self.line.len(), Ordering::Relaxed);
            Ok(self.line.clone())
        }

        async fn read_range(
            &self,
            _: &Path,
            start: u64,
            length: usize,
        ) -> Result<Vec<u8>, FileError> {
            let start = usize::try_from(start).unwrap();
            let end = self.line.len().min(start + length);
            self.read.fetch_add(end - start, Ordering::Relaxed);
            Ok(self.line[start..end].to_vec())
        }

        fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
            Err(FileError::Missing { path: path.display().to_string() })
        }

        async fn exists(&self, _: &Path) -> bool {
            true
        }
    }

    #[tokio::test]
    async fn snippets_of_a_long_line_read_only_nearby_bytes() {
        let line = "[x](gone.md) ".repeat(100_000).into_bytes();
        let files = LongLine { line, read: AtomicUsize::new(0) };
        for n in (0..100_000).step_by(1000) {
            let span = (13 * n + 4..13 * n + 11).into();
            let location = SourceLocation { span, line: 1, column: 1, kind: LinkKind::Hyperlink };
            let location = LinkLocation { path: "a.md".to_owned(), location };
            assert!(snippet(&files, &location).await.is_some());
        }
        assert!(files.read.load(Ordering::Relaxed) < 100 * 16 * 1024);
    }
}
