//! Where results go: stdout and files, each in its own format.

mod crawl;
mod file;
mod format;
mod human;
mod json;
mod progress;
mod revival_text;
mod survey;

use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use jiff::Timestamp;
use relink_engine::{
    CheckOutcome, CheckSkipReason, CrawlOutcome, Diagnostic, LoadSummary, Observer, Ports,
    Progress, REVIVABLE, SkipCounts, SurveyOutcome,
};
use relink_frontier::NetworkDoubt;
use relink_model::RunId;
use relink_ports::{CheckedTarget, CheckedTargetQuery, HostStats, RunStats};
use relink_report::human::TextStyle;
use relink_report::{
    DeadLinks, HostRow, LocationView, ProblemRow, ReportTail, SuggestionRow, Summary, TargetRow,
    TargetView, redact, redact_prose,
};

pub use self::file::{OutputFile, write_file};
pub use self::format::ReportSubject;
use self::human::HumanReport;
use self::json::JsonSink;
pub use self::progress::{ProgressDisplay, Steps};
pub use self::revival_text::RevivalText;
pub use self::survey::explain_domain;
use crate::cli::{GlobalArgs, OutputFormat};
use crate::commands::paint;
use crate::error::{CommandError, Exit};
use crate::settings::RunSettings;

/// Hosts named in a report.
const HOSTS_NAMED: usize = 10;

/// Bytes of stdout that are written at a time.
const STDOUT_BUFFER: usize = 1 << 16;

/// Rows that had to wait, read from the store at a time.
const PIECE: usize = 256;

/// Where a report goes.
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

    /// Writes what is left; a file gets its name now.
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

/// How a run ended, in numbers.
pub struct FinishedRun {
    /// The run in the store.
    pub run: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// What kind of run it was, and how it went.
    pub details: RunDetails,
    /// Its sums.
    pub tally: RunStats,
    /// Findings that fail the run.
    pub failing: u64,
    /// The exit code.
    pub exit: Exit,
    /// When it ended.
    pub finished: Timestamp,
}

impl FinishedRun {
    /// Links that were not checked, or whose findings are left alone.
    fn skips(&self) -> SkipCounts {
        let skipped = self.details.loaded().map(|loaded| loaded.skipped.clone());
        skipped.unwrap_or_default().with(CheckSkipReason::Ignored, self.tally.ignored)
    }
}

/// How a run went, beside its numbers.
pub enum RunDetails {
    /// Documents were read and their links checked.
    Check(Box<CheckOutcome>),
    /// A site was crawled.
    Crawl(Box<CrawlOutcome>),
    /// A catalog was surveyed.
    Survey(Box<SurveyOutcome>),
}

impl RunDetails {
    /// What was read, if documents were.
    fn loaded(&self) -> Option<&LoadSummary> {
        match self {
            Self::Check(outcome) => Some(&outcome.loaded),
            Self::Crawl(_) | Self::Survey(_) => None,
        }
    }

    /// What the reader must know before the results.
    pub fn notices(&self) -> Vec<String> {
        match self {
            Self::Crawl(outcome) => {
                let doubt = outcome.doubt.as_ref().map(doubted);
                doubt.into_iter().chain(crawl::notices(outcome)).collect()
            }
            Self::Check(outcome) => outcome.doubt.iter().map(doubted).collect(),
            Self::Survey(outcome) => outcome.doubt.iter().map(doubted).collect(),
        }
    }

    /// The survey, if it was one.
    fn survey(&self) -> Option<&SurveyOutcome> {
        match self {
            Self::Survey(outcome) => Some(outcome),
            Self::Check(_) | Self::Crawl(_) => None,
        }
    }
}

/// Writes results as they come.
pub struct Reporter {
    sinks: Vec<Sink>,
    bar: ProgressDisplay,
    /// Whether dead pages are looked for, so that their rows have to wait.
    is_reviving: bool,
}

enum Sink {
    Jsonl(Out, Vec<u8>),
    Json(JsonSink),
    Human(Out, HumanReport),
    Html(Out),
}

impl Reporter {
    /// Opens stdout and every file before anything is asked.
    pub fn new(
        settings: &RunSettings,
        face: &GlobalArgs,
        started: Timestamp,
    ) -> Result<Self, CommandError> {
        let paint = paint(face);
        let mut sinks =
            vec![Sink::new(settings.format, Out::stdout(), settings, face, paint, started)];
        for (path, format) in &settings.outputs {
            let out = Out::create(path)?;
            sinks.push(Sink::new(*format, out, settings, face, TextStyle::Plain, started));
        }
        if matches!(settings.format, OutputFormat::Jsonl | OutputFormat::Html) {
            settings.note_project();
        }
        Ok(Self { sinks, bar: ProgressDisplay::new(face), is_reviving: false })
    }

    /// The same, with dead pages waiting for what comes of looking for them.
    pub fn holding_dead_pages(mut self) -> Self {
        self.is_reviving = true;
        for sink in &mut self.sinks {
            if let Sink::Human(_, report) = sink {
                report.is_reviving = true;
            }
        }
        self
    }

    /// Hands out what is written so far and takes the progress away: what comes
    /// next takes its time and shows its own.
    pub fn pause(&mut self) {
        self.sinks.iter_mut().for_each(Sink::flush);
        self.bar.clear();
    }

    /// Writes the rows that had to wait, with what was found.
    pub async fn release(&mut self, ports: &Ports, run: RunId) -> Result<(), CommandError> {
        if !self.is_reviving {
            return Ok(());
        }
        let mut query = CheckedTargetQuery {
            limit: PIECE,
            verdicts: Some(&REVIVABLE),
            ..CheckedTargetQuery::ALL
        };
        loop {
            let piece = ports.store.checked_targets(run, query).await?;
            let Some(last) = piece.last() else { return Ok(()) };
            query.after = last.task;
            for settled in &piece {
                let told = RevivalText::recall(&*ports.store, &settled.url).await?;
                let written =
                    self.sinks.iter_mut().try_for_each(|sink| sink.settled(settled, told.as_ref()));
                written.map_err(cannot_write).or_else(forgive_broken_pipe)?;
            }
        }
    }

    /// Ends every report.
    pub async fn finish(self, ports: &Ports, end: &FinishedRun) -> Result<(), CommandError> {
        self.bar.clear();
        let hosts = ports.store.hosts(end.run, HOSTS_NAMED).await?;
        let mut finished = Ok(());
        for sink in self.sinks {
            // One report that cannot be written does not cost the others.
            let written = sink.finish(ports, end, &hosts).await.or_else(forgive_broken_pipe);
            finished = finished.and(written);
        }
        finished
    }
}

impl Observer for Reporter {
    fn settled(&mut self, settled: &CheckedTarget) -> io::Result<()> {
        if self.is_reviving && REVIVABLE.contains(&settled.result.verdict) {
            return Ok(());
        }
        self.sinks.iter_mut().try_for_each(|sink| sink.settled(settled, None))
    }

    fn progress(&mut self, progress: &Progress) {
        for sink in &mut self.sinks {
            sink.flush();
        }
        self.bar.show(progress);
    }
}

impl Sink {
    fn new(
        format: OutputFormat,
        out: Out,
        settings: &RunSettings,
        face: &GlobalArgs,
        paint: TextStyle,
        started: Timestamp,
    ) -> Self {
        match format {
            OutputFormat::Jsonl => Self::Jsonl(out, Vec::new()),
            OutputFormat::Json => Self::Json(JsonSink::new(out, started, settings)),
            OutputFormat::Human => Self::Human(out, HumanReport::new(settings, face, paint)),
            OutputFormat::Html => Self::Html(out),
        }
    }

    fn settled(&mut self, settled: &CheckedTarget, told: Option<&RevivalText>) -> io::Result<()> {
        match self {
            Self::Jsonl(out, line) => {
                line.clear();
                with_row(settled, told, |row| row.write_line(line))?;
                out.write_all(line)
            }
            Self::Json(json) => with_row(settled, told, |row| json.target(row)),
            // People read findings in the order of their documents, at the end.
            Self::Human(..) | Self::Html(_) => Ok(()),
        }
    }

    /// Readers of a stream want its lines soon. An error here comes up again
    /// with the next line.
    fn flush(&mut self) {
        if let Self::Jsonl(out, _) = self {
            let _ = out.flush();
        }
    }

    async fn finish(
        self,
        ports: &Ports,
        end: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        match self {
            Self::Jsonl(mut out, _) => {
                tell_notices(&end.details);
                if let Some(outcome) = end.details.survey() {
                    let row = serde_json::json!({ "survey": survey::row(outcome) });
                    writeln!(out, "{row}").map_err(cannot_write)?;
                }
                out.finish().map_err(cannot_write)
            }
            Self::Json(json) => json.finish(&tail(end, hosts)).map_err(cannot_write),
            Self::Html(mut out) => {
                let report = crawl::report(ports, end.run).await?;
                out.write_all(relink_report::site::html(&report).as_bytes())
                    .map_err(cannot_write)?;
                out.finish().map_err(cannot_write)
            }
            Self::Human(mut out, report) => {
                report.write(&mut out, ports, end, hosts).await?;
                out.finish().map_err(cannot_write)
            }
        }
    }
}

/// `Our own network is in doubt: …`.
fn doubted(doubt: &NetworkDoubt) -> String {
    format!("our own network is in doubt: {doubt}; what failed there was not judged")
}

/// Says beside the results what the reader must know first; lines of JSON have
/// no room for it.
#[expect(clippy::print_stderr, reason = "this is what stderr is for")]
fn tell_notices(story: &RunDetails) {
    for notice in story.notices() {
        eprintln!("warning: {}", relink_report::printable(&notice));
    }
}

/// Prints text to stdout; a reader who has had enough is no error.
pub fn print(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(error)),
        _ => Ok(()),
    }
}

const BROKEN_PIPE: &str = "nobody reads the results any more";

#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn cannot_write(error: io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::internal(BROKEN_PIPE);
    }
    CommandError::internal("cannot write the report").cause(error.to_string())
}

/// A report could not be written as JSON.
#[expect(clippy::needless_pass_by_value, reason = "it stands in map_err")]
pub fn cannot_encode(error: serde_json::Error) -> CommandError {
    CommandError::internal("cannot write the report as JSON").cause(error.to_string())
}

fn forgive_broken_pipe(failure: CommandError) -> Result<(), CommandError> {
    if failure.says(BROKEN_PIPE) { Ok(()) } else { Err(failure) }
}

/// Hands `then` the JSON row of a settled target.
fn with_row(
    settled: &CheckedTarget,
    told: Option<&RevivalText>,
    then: impl FnOnce(&TargetRow) -> io::Result<()>,
) -> io::Result<()> {
    let places = place_views(settled);
    let suggestion = told.and_then(|told| SuggestionRow::new(&told.view()));
    then(&TargetRow::new(&target_view(settled, &places)).with_suggestion(suggestion))
}

/// A settled target as reports see it.
pub fn target_view<'a>(
    settled: &'a CheckedTarget,
    places: &'a [LocationView<'a>],
) -> TargetView<'a> {
    let settlement = &settled.result;
    TargetView {
        url: &settled.original_url,
        verdict: settlement.verdict,
        code: settlement.code,
        status: settlement.status,
        reason: &settlement.reason,
        since: settlement.since,
        checked: settlement.at,
        is_cached: settled.is_cached,
        hops: settled.probe.as_ref().map_or(&[], |probe| &probe.hops),
        attempts: &settlement.attempts,
        confidence: settlement.confidence,
        evidence: &settlement.evidence,
        locations: places,
        inlinks: settled.inlinks,
        depth: settled.depth,
    }
}

/// The places of a settled target as reports see them.
pub fn place_views(settled: &CheckedTarget) -> Vec<LocationView<'_>> {
    let places = settled.locations.iter();
    places.map(|place| LocationView { path: &place.path, location: place.location }).collect()
}

fn host_row(host: &HostStats) -> HostRow<'_> {
    HostRow {
        name: host.name.as_str().into(),
        requests: host.requests,
        controls: host.controls,
        responses: host.responses,
        throttled: host.throttled,
        busy_ms: host.request_ms,
        waited_ms: host.politeness_wait_ms,
    }
}

fn problem_row(remark: &Diagnostic) -> ProblemRow<'_> {
    ProblemRow { path: redact(&remark.path), line: remark.line, text: redact_prose(&remark.text) }
}

fn tail<'a>(end: &'a FinishedRun, hosts: &'a [HostStats]) -> ReportTail<'a> {
    let tally = &end.tally;
    let loaded = end.details.loaded();
    ReportTail {
        hosts: hosts.iter().map(host_row).collect(),
        problems: loaded
            .iter()
            .flat_map(|loaded| &loaded.problems.remarks)
            .map(problem_row)
            .collect(),
        summary: Summary {
            links: tally.links,
            documents: tally.documents,
            hosts: tally.hosts,
            targets: tally.targets,
            cached: tally.cached,
            verdicts: tally.verdicts.clone(),
            skipped: end.skips().iter().map(|(skip, count)| (skip.to_string(), count)).collect(),
            dead: DeadLinks::among(&tally.verdicts),
            notices: end.details.notices(),
            exit: end.exit as u8,
        },
        survey: end.details.survey().map(survey::row),
        finished: end.finished,
    }
}
