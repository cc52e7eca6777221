//! Writes results to standard output and files, each in its own format.
//!
//! A sink writes one report to one destination. Some sinks write each target as soon as the
//! target is checked. Other sinks write the whole report at the end.

mod check_report;
mod crawl;
mod file;
mod findings;
mod format;
mod human;
mod human_findings;
mod json;
mod lines;
mod progress;
mod result_table;
mod revival_text;
mod source_line;
mod survey;

use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use jiff::Timestamp;
use relink_documents::{CheckSkipReason, Diagnostic, LoadSummary, SkipCounts};
use relink_engine::{
    CheckOutcome, CrawlOutcome, Observer, Progress, SurveyForecast, SurveyOutcome,
};
use relink_frontier::NetworkDoubt;
use relink_model::{RunId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, HostStats, RunStats};
use relink_report::human::TextStyle;
use relink_report::{
    DeadLinks, HostRow, LocationView, ProblemRow, ReportTail, SuggestionRow, Summary, TargetRow,
    TargetView, redact, redact_prose,
};
use relink_requests::Ports;

use self::check_report::FinalReport;
pub use self::file::{OutputFile, write_file};
pub use self::findings::load_findings;
pub use self::format::ReportSubject;
use self::human::HumanReport;
use self::json::JsonSink;
use self::lines::{LineFormat, LineReport};
pub use self::progress::{ProgressDisplay, Steps};
pub use self::revival_text::RevivalText;
pub use self::survey::explain_domain;
use crate::cli::{GlobalArgs, OutputFormat};
use crate::commands::text_style;
use crate::error::{CommandError, Exit};
use crate::gate::Gate;
use crate::settings::{Judging, RunSettings};

/// Maximum number of hosts in a report.
const MAX_HOSTS: usize = 10;

/// Size of the output buffer in bytes.
const STDOUT_BUFFER: usize = 1 << 16;

/// Number of deferred rows read from the store at a time.
const BATCH_SIZE: usize = 256;

/// The destination of a report.
enum Out {
    Stdout(BufWriter<io::Stdout>),
    File(BufWriter<OutputFile>),
}

impl Out {
    fn stdout() -> Self {
        Self::Stdout(BufWriter::with_capacity(STDOUT_BUFFER, io::stdout()))
    }

    fn create(path: &Path) -> Result<Self, CommandError> {
        let file = OutputFile::create(path).map_err(|error| {
            CommandError::usage(format!("cannot write `{}`", path.display()))
                .cause(error.to_string())
        })?;
        Ok(Self::File(BufWriter::new(file)))
    }

    /// Flushes the output and commits the file.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::File(out) => out.into_inner().map_err(IntoInnerError::into_error)?.commit(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}

/// A finished run.
pub struct FinishedRun {
    /// The id of the run.
    pub run: RunId,
    /// The time when the run was first started.
    pub started_at: Timestamp,
    /// The command-specific outcome.
    pub details: RunDetails,
    /// The total numbers of links, documents, hosts and verdicts.
    pub stats: RunStats,
    /// Number of findings that fail the run.
    pub failing_findings: u64,
    /// The rules for findings that fail the run.
    pub gate: Gate,
    /// The exit code.
    pub exit: Exit,
    /// The time when the run ended.
    pub finished_at: Timestamp,
    /// The rules by which pages were judged.
    pub judging: Judging,
}

impl FinishedRun {
    /// Returns warnings that affect all results.
    pub fn notices(&self) -> Vec<String> {
        self.judging.notices().into_iter().chain(self.details.notices()).collect()
    }

    /// Returns the numbers of skipped links and suppressed findings.
    fn skips(&self) -> SkipCounts {
        let skipped = self.details.loaded().map(|loaded| loaded.skipped.clone());
        skipped.unwrap_or_default().with(CheckSkipReason::Ignored, self.stats.ignored)
    }
}

/// The outcome of a check, a crawl or a survey.
pub enum RunDetails {
    /// A check.
    Check(Box<CheckOutcome>),
    /// A crawl.
    Crawl(Box<CrawlOutcome>),
    /// A survey.
    Survey(Box<SurveyOutcome>),
}

impl RunDetails {
    /// Returns the summary of the documents; only checks have one.
    fn loaded(&self) -> Option<&LoadSummary> {
        match self {
            Self::Check(outcome) => Some(&outcome.loaded),
            Self::Crawl(_) | Self::Survey(_) => None,
        }
    }

    /// Returns warnings that affect all results.
    fn notices(&self) -> Vec<String> {
        match self {
            Self::Crawl(outcome) => {
                let doubt = outcome.doubt.as_ref().map(doubt_notice);
                doubt.into_iter().chain(crawl::notices(outcome)).collect()
            }
            Self::Check(outcome) => outcome.doubt.iter().map(doubt_notice).collect(),
            Self::Survey(outcome) => outcome.doubt.iter().map(doubt_notice).collect(),
        }
    }

    /// Returns the outcome of a survey.
    fn survey(&self) -> Option<&SurveyOutcome> {
        match self {
            Self::Survey(outcome) => Some(outcome),
            Self::Check(_) | Self::Crawl(_) => None,
        }
    }
}

/// Writes results while they arrive.
pub struct Reporter {
    sinks: Vec<Sink>,
    progress: ProgressDisplay,
    /// Whether rows of dead pages are deferred until their new URLs were searched for.
    defers_dead_pages: bool,
}

/// A report and its destination.
enum Sink {
    /// JSON Lines, and a buffer for one line.
    Jsonl(Out, Vec<u8>),
    Json(JsonSink),
    Human(Out, HumanReport),
    Lines(Out, LineReport),
    /// The HTML report of a crawled site.
    Html(Out),
    /// A report of a check that is written at its end.
    Final(Out, FinalReport),
}

impl Reporter {
    /// Opens standard output and all files. Called before the first request, so that a
    /// file that cannot be written fails the run at once.
    pub fn new(
        settings: &RunSettings,
        global: &GlobalArgs,
        started_at: Timestamp,
    ) -> Result<Self, CommandError> {
        let style = text_style(global);
        let mut sinks =
            vec![Sink::new(settings.format, Out::stdout(), settings, global, style, started_at)];
        for (path, format) in &settings.outputs {
            let out = Out::create(path)?;
            sinks.push(Sink::new(*format, out, settings, global, TextStyle::Plain, started_at));
        }
        // Reports in these formats list the keys that the project's file sets.
        let report_has_config = matches!(settings.format, OutputFormat::Human | OutputFormat::Json);
        if !report_has_config {
            settings.warn_project_config();
        }
        Ok(Self { sinks, progress: ProgressDisplay::new(global), defers_dead_pages: false })
    }

    /// Defers the rows of dead pages until [`Self::write_deferred`].
    pub fn with_deferred_dead_pages(mut self) -> Self {
        self.defers_dead_pages = true;
        for sink in &mut self.sinks {
            if let Sink::Human(_, report) = sink {
                report.list.shows_revivals = true;
            }
        }
        self
    }

    /// Flushes all output and clears the progress display, because the following search
    /// for dead pages has its own display.
    pub fn pause(&mut self) {
        self.sinks.iter_mut().for_each(Sink::flush);
        self.progress.clear();
    }

    /// Writes the deferred rows with their search results.
    pub async fn write_deferred(&mut self, ports: &Ports, run: RunId) -> Result<(), CommandError> {
        if !self.defers_dead_pages {
            return Ok(());
        }
        let mut query = CheckedTargetQuery {
            limit: BATCH_SIZE,
            verdicts: Some(&Verdict::GONE),
            ..CheckedTargetQuery::ALL
        };
        loop {
            let batch = ports.store.checked_targets(run, query).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            query.after = last.task;
            for target in &batch {
                let revival = RevivalText::load(&*ports.store, &target.url).await?;
                for sink in &mut self.sinks {
                    let written = sink.write_target(target, revival.as_ref());
                    written.map_err(cannot_write).or_else(ignore_broken_pipe)?;
                }
            }
        }
    }

    /// Finishes all reports.
    pub async fn finish(self, ports: &Ports, finished: &FinishedRun) -> Result<(), CommandError> {
        self.progress.clear();
        let hosts = ports.store.host_stats(finished.run, MAX_HOSTS).await?;
        let mut result = Ok(());
        for sink in self.sinks {
            // Finish the other reports even if one cannot be written.
            let written = sink.finish(ports, finished, &hosts).await.or_else(ignore_broken_pipe);
            result = result.and(written);
        }
        result
    }
}

impl Observer for Reporter {
    fn on_result(&mut self, target: &CheckedTarget) -> io::Result<()> {
        if self.defers_dead_pages && target.result.verdict.is_gone() {
            return Ok(());
        }
        self.sinks.iter_mut().try_for_each(|sink| sink.write_target(target, None))
    }

    fn on_progress(&mut self, progress: &Progress) {
        for sink in &mut self.sinks {
            sink.flush();
        }
        self.progress.show(progress);
    }

    fn on_forecast(&mut self, forecast: &SurveyForecast) {
        self.progress.print_forecast(forecast);
    }
}

impl Sink {
    fn new(
        format: OutputFormat,
        out: Out,
        settings: &RunSettings,
        global: &GlobalArgs,
        style: TextStyle,
        started_at: Timestamp,
    ) -> Self {
        match format {
            OutputFormat::Jsonl => Self::Jsonl(out, Vec::new()),
            OutputFormat::Json => Self::Json(JsonSink::new(out, started_at, settings)),
            OutputFormat::Human => Self::Human(out, HumanReport::new(settings, global, style)),
            OutputFormat::Concise => {
                Self::Lines(out, LineReport::new(LineFormat::Concise, settings, global))
            }
            OutputFormat::Github => {
                Self::Lines(out, LineReport::new(LineFormat::Github, settings, global))
            }
            OutputFormat::Html if settings.is_crawl => Self::Html(out),
            OutputFormat::Html
            | OutputFormat::Markdown
            | OutputFormat::Csv
            | OutputFormat::Xlsx
            | OutputFormat::Junit
            | OutputFormat::Sarif
            | OutputFormat::Gitlab => Self::Final(out, FinalReport::new(format, settings, global)),
        }
    }

    fn write_target(
        &mut self,
        target: &CheckedTarget,
        revival: Option<&RevivalText>,
    ) -> io::Result<()> {
        match self {
            Self::Jsonl(out, line) => {
                line.clear();
                with_row(target, revival, |row| row.write_line(line))?;
                out.write_all(line)
            }
            Self::Json(json) => with_row(target, revival, |row| json.target(row)),
            // These reports list findings in document order, at the end.
            Self::Human(..) | Self::Lines(..) | Self::Html(_) | Self::Final(..) => Ok(()),
        }
    }

    /// Flushes JSON Lines, so that readers get the rows soon. Ignores errors, because the
    /// next write returns them.
    fn flush(&mut self) {
        if let Self::Jsonl(out, _) = self {
            let _ = out.flush();
        }
    }

    async fn finish(
        self,
        ports: &Ports,
        finished: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        match self {
            Self::Jsonl(mut out, _) => {
                print_notices(finished);
                if let Some(outcome) = finished.details.survey() {
                    let row = serde_json::json!({ "survey": survey::row(outcome) });
                    writeln!(out, "{row}").map_err(cannot_write)?;
                }
                out.finish().map_err(cannot_write)
            }
            Self::Json(json) => json.finish(&report_tail(finished, hosts)).map_err(cannot_write),
            Self::Html(mut out) => {
                let report = crawl::report(ports, finished.run).await?;
                out.write_all(relink_report::site::html(&report).as_bytes())
                    .map_err(cannot_write)?;
                out.finish().map_err(cannot_write)
            }
            Self::Final(mut out, report) => {
                report.write(&mut out, ports, finished).await?;
                out.finish().map_err(cannot_write)
            }
            Self::Lines(mut out, report) => {
                print_notices(finished);
                report.write(&mut out, ports, finished).await?;
                out.finish().map_err(cannot_write)
            }
            Self::Human(mut out, report) => {
                report.write(&mut out, ports, finished, hosts).await?;
                out.finish().map_err(cannot_write)
            }
        }
    }
}

/// Formats the warning about an unreliable local network.
fn doubt_notice(doubt: &NetworkDoubt) -> String {
    format!("the local network is unreliable: {doubt}; failures of external hosts were not judged")
}

/// Prints the warnings of a run on stderr, for formats that cannot contain warnings.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_notices(finished: &FinishedRun) {
    for notice in finished.notices() {
        eprintln!("warning: {}", relink_report::printable(&notice));
    }
}

/// Prints text to standard output. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(cannot_write).or_else(ignore_broken_pipe)
}

/// The message that marks the error of a closed pipe. [`ignore_broken_pipe`] drops this error.
const BROKEN_PIPE: &str = "broken pipe";

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
fn cannot_write(error: io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::internal(BROKEN_PIPE);
    }
    CommandError::internal("cannot write the report").cause(error.to_string())
}

/// Returns the error of a report that cannot be serialized.
#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
pub fn cannot_encode(error: serde_json::Error) -> CommandError {
    CommandError::internal("cannot write the report as JSON").cause(error.to_string())
}

/// Returns the error, unless the reader of the output, such as `head`, closed the pipe.
fn ignore_broken_pipe(error: CommandError) -> Result<(), CommandError> {
    if error.has_message(BROKEN_PIPE) { Ok(()) } else { Err(error) }
}

/// Calls `write` with the JSON row of a checked target.
fn with_row(
    target: &CheckedTarget,
    revival: Option<&RevivalText>,
    write: impl FnOnce(&TargetRow) -> io::Result<()>,
) -> io::Result<()> {
    let locations = location_views(target);
    let suggestion = revival.and_then(|revival| SuggestionRow::new(&revival.view()));
    write(&TargetRow::new(&target_view(target, &locations)).with_suggestion(suggestion))
}

/// Returns the view of a checked target for reports.
pub fn target_view<'a>(
    target: &'a CheckedTarget,
    locations: &'a [LocationView<'a>],
) -> TargetView<'a> {
    let result = &target.result;
    TargetView {
        url: &target.original_url,
        verdict: result.verdict,
        code: result.code,
        status: result.status,
        reason: &result.reason,
        verdict_since: result.since,
        checked_at: result.checked_at,
        is_cached: target.is_cached,
        hops: target.probe.as_ref().map_or(&[], |probe| &probe.hops),
        attempts: &result.attempts,
        confidence: result.confidence,
        evidence: &result.evidence,
        locations,
        inlinks: target.inlinks,
        depth: target.depth,
    }
}

/// Returns the views of the locations of a checked target.
pub fn location_views(target: &CheckedTarget) -> Vec<LocationView<'_>> {
    let locations = target.locations.iter();
    locations
        .map(|location| LocationView { path: &location.path, location: location.location })
        .collect()
}

fn host_row(host: &HostStats) -> HostRow<'_> {
    HostRow {
        name: host.name.as_str().into(),
        requests: host.requests,
        control_requests: host.control_requests,
        responses: host.responses,
        throttled: host.throttled,
        request_ms: host.request_ms,
        politeness_wait_ms: host.politeness_wait_ms,
    }
}

fn problem_row(problem: &Diagnostic) -> ProblemRow<'_> {
    ProblemRow {
        path: redact(&problem.path),
        line: problem.line,
        text: redact_prose(&problem.text),
    }
}

/// Returns the end of a JSON document: everything but the targets.
fn report_tail<'a>(finished: &'a FinishedRun, hosts: &'a [HostStats]) -> ReportTail<'a> {
    let stats = &finished.stats;
    let loaded = finished.details.loaded();
    ReportTail {
        hosts: hosts.iter().map(host_row).collect(),
        problems: loaded
            .iter()
            .flat_map(|loaded| &loaded.problems.entries)
            .map(problem_row)
            .collect(),
        summary: Summary {
            links: stats.links,
            documents: stats.documents,
            hosts: stats.hosts,
            targets: stats.targets,
            cached: stats.cached,
            verdicts: stats.verdicts.clone(),
            skipped: finished
                .skips()
                .iter()
                .map(|(skip, count)| (skip.to_string(), count))
                .collect(),
            dead: DeadLinks::among(&stats.verdicts),
            notices: finished.notices(),
            gate: finished.gate.row.clone(),
            exit: finished.exit as u8,
        },
        survey: finished.details.survey().map(survey::row),
        finished_at: finished.finished_at,
    }
}
