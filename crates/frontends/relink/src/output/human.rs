//! The report for people: findings with their lines, sums, one last sentence.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use relink_engine::{CheckEnd, Diagnostic, Diagnostics, Ports, REVIVABLE};
use relink_judge::codes;
use relink_model::{FindingCode, LinkKind, RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files, HostStats, LinkLocation};
use relink_report::human::{self, FindingView, Footer, Headline, Snippet, TextStyle};

use super::{
    FinishedRun, RevivalText, RunDetails, cannot_write, crawl, host_row, place_views, survey,
};
use crate::cli::GlobalArgs;
use crate::config::ProjectConfig;
use crate::error::CommandError;
use crate::settings::RunSettings;

/// Findings read at a time.
const PAGE: usize = 256;

/// Places read of each finding; more than are ever named. The others are
/// counted.
const PLACES: usize = 8;

/// Remarks shown of each kind.
const REMARKS_SHOWN: usize = 100;

/// Shown in full unless `--verbose` asks for the rest.
const SHOWN: [Verdict; 5] =
    [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked, Verdict::Local, Verdict::Failing];

/// How to write the report.
pub struct HumanReport {
    paint: TextStyle,
    shown: Vec<Verdict>,
    is_quiet: bool,
    is_verbose: bool,
    max_age: Duration,
    /// What the project's file sets, in one line.
    project: Option<String>,
    /// Whether what came of looking for dead pages is told.
    pub(super) is_reviving: bool,
}

impl HumanReport {
    pub(super) fn new(settings: &RunSettings, face: &GlobalArgs, paint: TextStyle) -> Self {
        let is_shown = |word: &Verdict| {
            face.verbose && *word != Verdict::Alive
                || settings.fail_on.contains(word)
                || SHOWN.contains(word)
        };
        Self {
            paint,
            shown: Verdict::ALL.into_iter().filter(is_shown).collect(),
            is_quiet: face.quiet,
            is_verbose: face.verbose,
            max_age: settings.max_age,
            project: settings.project.as_ref().and_then(ProjectConfig::line),
            is_reviving: false,
        }
    }

    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        end: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        let say = |out: &mut (dyn Write + Send), text: &str| {
            out.write_all(text.as_bytes()).map_err(cannot_write)
        };
        for notice in end.details.notices() {
            say(out, &format!("! {}\n", relink_report::printable(&notice)))?;
        }
        say(out, &self.headline(end))?;
        if let Some(line) = &self.project {
            say(out, &format!("{}\n", relink_report::printable(line)))?;
        }
        // A survey or a crawl may find thousands: the first are enough, unless
        // more is wanted.
        let is_check = matches!(end.details, RunDetails::Check(_));
        let shown: &[Verdict] = if is_check || self.is_verbose { &self.shown } else { &[] };
        let blocked_code = self.findings(out, ports, end.run, shown).await?;
        if let Some(loaded) = end.details.loaded() {
            say(out, &remarks("problems", &loaded.problems))?;
            if self.is_verbose {
                say(out, &remarks("notes that no longer hold", &loaded.expired))?;
            }
        }
        if !matches!(end.details, RunDetails::Crawl(_)) {
            say(out, &format!("\n{}", human::summary(self.paint, &end.tally.verdicts)))?;
        }
        if self.is_verbose {
            let skips = end.skips();
            say(out, &human::skipped(skips.iter().map(|(skip, count)| (skip.phrase(), count))))?;
        }
        if let RunDetails::Crawl(outcome) = &end.details {
            let mut report = crawl::report(ports, end.run).await?;
            // The notices above have it already.
            report.remark = None;
            let told = if self.is_verbose {
                format!("\n{}", relink_report::site::overview(&report, self.paint))
            } else {
                relink_report::site::human(&report, self.paint)
            };
            say(out, &format!("{told}{}", crawl::details(outcome)))?;
        }
        if let Some(outcome) = end.details.survey() {
            say(out, &survey::details(outcome, self.is_verbose))?;
        }
        if !self.is_quiet
            && (self.is_verbose || hosts.len() > 1 || hosts.iter().any(|host| host.throttled > 0))
        {
            let rows: Vec<_> = hosts.iter().map(host_row).collect();
            say(out, &format!("\n{}\n", human::hosts(self.paint, &rows)))?;
        }
        say(out, &closing(end, blocked_code))
    }

    fn headline(&self, end: &FinishedRun) -> String {
        let took = end.finished.duration_since(end.started);
        if let RunDetails::Crawl(_) = &end.details {
            // The overview at the end says it with more.
            return String::new();
        }
        if let Some(outcome) = end.details.survey() {
            return survey::headline(outcome, took);
        }
        human::headline(&Headline {
            links: end.tally.links,
            documents: end.tally.documents,
            hosts: end.tally.hosts,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(0),
            cached: end.tally.cached,
            max_age: self.max_age.as_secs(),
        })
    }

    /// Writes every finding of these words; the commonest code of what could
    /// not be judged comes back.
    async fn findings(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        run: RunId,
        shown: &[Verdict],
    ) -> Result<Option<FindingCode>, CommandError> {
        let mut blocked: HashMap<FindingCode, u64> = HashMap::new();
        let mut words = shown.to_vec();
        words.extend([Verdict::Blocked].into_iter().filter(|word| !shown.contains(word)));
        let mut after = TaskId(0);
        loop {
            let query = CheckedTargetQuery {
                after,
                limit: PAGE,
                verdicts: Some(&words),
                locations: PLACES,
                is_unfetched: false,
            };
            let page = ports.store.checked_targets(run, query).await?;
            let Some(last) = page.last() else { break };
            after = last.task;
            for settled in &page {
                if let (Verdict::Blocked, Some(code)) =
                    (settled.result.verdict, settled.result.code)
                {
                    *blocked.entry(code).or_default() += 1;
                }
                if shown.contains(&settled.result.verdict) {
                    let text = self.finding(ports, settled).await?;
                    out.write_all(text.as_bytes()).map_err(cannot_write)?;
                }
            }
        }
        let commonest = |(code, count): &(FindingCode, u64)| (*count, std::cmp::Reverse(*code));
        Ok(blocked.into_iter().max_by_key(commonest).map(|(code, _)| code))
    }

    async fn finding(
        &self,
        ports: &Ports,
        settled: &CheckedTarget,
    ) -> Result<String, CommandError> {
        let settlement = &settled.result;
        let told = if self.is_reviving && REVIVABLE.contains(&settlement.verdict) {
            RevivalText::recall(&*ports.store, &settled.url).await?
        } else {
            None
        };
        let snippet = match settled.locations.first() {
            Some(place) => snippet(&*ports.files, place).await,
            None => None,
        };
        let advice = settlement.code.and_then(codes::meaning).map(|meaning| meaning.advice);
        let text = human::finding(
            self.paint,
            &FindingView {
                code: settlement.code,
                verdict: settlement.verdict,
                url: &settled.original_url,
                reason: &settlement.reason,
                confidence: settlement.confidence,
                evidence: &settlement.evidence,
                locations: &place_views(settled),
                links: settled.inlinks,
                snippet: snippet.as_ref(),
                help: advice,
                revival: told.as_ref().map(RevivalText::view).as_ref(),
            },
        );
        Ok(format!("\n{text}"))
    }
}

/// The line a link stands in, read again from its document.
async fn snippet(files: &dyn Files, place: &LinkLocation) -> Option<Snippet> {
    if matches!(place.location.kind, LinkKind::ListEntry | LinkKind::Argument) {
        // The line would only repeat the address.
        return None;
    }
    // Not the whole document: one of 64 MiB may have a million findings.
    let (span, path) = (place.location.span, Path::new(&place.path));
    let reach = Snippet::reach(span);
    let bytes = files.read_range(path, reach.start as u64, reach.len()).await.ok()?;
    Snippet::cut_from(&bytes, span)
}

/// What is to be said of documents beside their findings.
fn remarks(title: &str, remarked: &Diagnostics) -> String {
    if remarked.remarks.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    let shown = &remarked.remarks[..remarked.remarks.len().min(REMARKS_SHOWN)];
    for Diagnostic { path, line, text: said } in shown {
        text.extend(["  ", &human::remark(path, *line, said), "\n"]);
    }
    let more = (remarked.remarks.len() - shown.len()) as u64 + remarked.more;
    if more > 0 {
        text.extend(["  … and ", &human::grouped(more), " more\n"]);
    }
    text
}

fn closing(end: &FinishedRun, blocked_code: Option<FindingCode>) -> String {
    let finished = || {
        human::closing(&Footer {
            failing: end.failing,
            blocked: end.tally.verdicts.get(&Verdict::Blocked).copied().unwrap_or(0),
            blocked_code,
        })
    };
    match &end.details {
        RunDetails::Check(outcome) => match outcome.end {
            CheckEnd::Interrupted => human::interrupted(end.tally.checked, end.tally.targets),
            CheckEnd::NoNetwork => human::no_network().to_owned(),
            CheckEnd::Finished => finished(),
        },
        RunDetails::Crawl(outcome) => crawl::closing(outcome, end).unwrap_or_else(finished),
        RunDetails::Survey(outcome) => {
            survey::closing(outcome.end, &end.tally).unwrap_or_else(finished)
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

    /// One document of a single long line, which counts the bytes that are read.
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
    async fn snippets_of_a_long_line_read_only_what_is_near() {
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
