//! `relink report`: a crawl told again, with all that is known at its end.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use relink_engine::{Ports, crawl_before, site_report};
use relink_model::TaskId;
use relink_ports::{CheckedTargetQuery, RunSummary};
use relink_report::human::{TextStyle, grouped};
use relink_report::site::{self, Capped, ChangeRow, SiteComparison, SiteReport};
use relink_report::{TargetRow, printable};

use super::paint;
use crate::cli::{GlobalArgs, ReportArgs, ReportCommand, ReportFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, place_views, print, target_view, write_file};
use crate::settings::{current_folder, database};
use crate::wiring;

/// Targets read at a time.
const PIECE: usize = 512;
/// Places told of each target.
const PLACES: usize = 100;
/// Changes shown of each kind.
const CHANGES: usize = 50;

/// Reports.
pub async fn run(args: ReportArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    if let Some(ReportCommand::Diff { before, after, db }) = args.command {
        let ports = open(db).await?;
        return diff(&ports, before, after).await;
    }
    let outputs: Vec<(&PathBuf, ReportFormat)> = args
        .output
        .iter()
        .map(|path| Ok((path, format_of(path)?)))
        .collect::<Result<_, CommandError>>()?;
    let ports = open(args.db).await?;
    let run = find(&ports, args.run).await?;
    let before = crawl_before(&ports, &run).await?;
    let report = site_report(&ports, &run, before.as_ref()).await?;
    for (path, format) in outputs {
        let text = rendered(&ports, &report, &run, format, TextStyle::Plain).await?;
        write_file(path, &text).map_err(|error| cannot_write(path, &error))?;
    }
    if args.open {
        return show(&report, args.output).map(|()| Exit::Clean);
    }
    let text = rendered(&ports, &report, &run, args.format, paint(&face)).await?;
    print(&text).map(|()| Exit::Clean)
}

async fn open(db: Option<PathBuf>) -> Result<Ports, CommandError> {
    let db = database(db, &current_folder()?)?;
    let clock = Arc::new(RunClock::start()?);
    wiring::ports_for_reading(&db, clock).await
}

/// The crawl of this number, or the latest.
async fn find(ports: &Ports, number: Option<i64>) -> Result<RunSummary, CommandError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    let is_it = |run: &RunSummary| number.is_none_or(|number| run.id.0 == number);
    runs.into_iter().find(is_it).ok_or_else(|| match number {
        Some(number) => CommandError::usage(format!("there is no crawl {number}"))
            .hint("`relink crawl status` lists them"),
        None => {
            CommandError::usage("no site was crawled yet").hint("begin with `relink crawl URL`")
        }
    })
}

async fn rendered(
    ports: &Ports,
    report: &SiteReport,
    run: &RunSummary,
    format: ReportFormat,
    paint: TextStyle,
) -> Result<String, CommandError> {
    Ok(match format {
        ReportFormat::Human => site::human(report, paint),
        ReportFormat::Html => site::html(report),
        ReportFormat::Json => {
            format!("{}\n", serde_json::to_string_pretty(report).map_err(cannot_encode)?)
        }
        ReportFormat::Jsonl => rows(ports, run).await?,
    })
}

/// One line for each target, with its final number of links.
async fn rows(ports: &Ports, run: &RunSummary) -> Result<String, CommandError> {
    let mut text = Vec::new();
    let mut after = TaskId(0);
    loop {
        let query = CheckedTargetQuery {
            after,
            limit: PIECE,
            locations: PLACES,
            ..CheckedTargetQuery::ALL
        };
        let piece = ports.store.checked_targets(run.id, query).await?;
        let Some(last) = piece.last() else { break };
        after = last.task;
        for settled in &piece {
            let places = place_views(settled);
            let row = TargetRow::new(&target_view(settled, &places));
            // Memory takes everything.
            let _ = row.write_line(&mut text);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn format_of(path: &Path) -> Result<ReportFormat, CommandError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Ok(ReportFormat::Html),
        Some("json") => Ok(ReportFormat::Json),
        Some("jsonl" | "ndjson") => Ok(ReportFormat::Jsonl),
        Some("txt" | "log") => Ok(ReportFormat::Human),
        _ => {
            Err(CommandError::usage(format!("no report has the extension of `{}`", path.display()))
                .hint("end the name in `.html`, `.json`, `.jsonl` or `.txt`"))
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
}

/// Shows the report in the browser: the file that was written, or else one in
/// the directory for temporary files.
fn show(report: &SiteReport, outputs: Vec<PathBuf>) -> Result<(), CommandError> {
    let is_html = |path: &PathBuf| matches!(format_of(path), Ok(ReportFormat::Html));
    let path = outputs.into_iter().find(is_html).map_or_else(|| write_aside(report), Ok)?;
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let is_shown = Command::new(opener).arg(&path).status().is_ok_and(|status| status.success());
    let place = path.display();
    print(&if is_shown { format!("{place}\n") } else { format!("open it in a browser: {place}\n") })
}

/// Writes the page into the directory for temporary files.
fn write_aside(report: &SiteReport) -> Result<PathBuf, CommandError> {
    let path = std::env::temp_dir().join(format!("relink-report-{}.html", report.run));
    std::fs::write(&path, site::html(report)).map_err(|error| cannot_write(&path, &error))?;
    Ok(path)
}

async fn diff(ports: &Ports, before: i64, after: i64) -> Result<Exit, CommandError> {
    let before = find(ports, Some(before)).await?;
    let after = find(ports, Some(after)).await?;
    let report = site_report(ports, &after, Some(&before)).await?;
    let text = report.comparison.as_ref().map(compared).unwrap_or_default();
    print(&text).map(|()| Exit::Clean)
}

fn compared(comparison: &SiteComparison) -> String {
    let parts = [
        ("new", &comparison.new),
        ("fixed", &comparison.fixed),
        ("regressed (alive before, broken now)", &comparison.regressed),
    ];
    parts.into_iter().map(|(title, changes)| changed(title, changes)).collect()
}

fn changed(title: &str, changes: &Capped<ChangeRow>) -> String {
    let mut text = format!("{title}: {}\n", grouped(changes.total));
    for change in changes.rows.iter().take(CHANGES) {
        let word = |word: Option<relink_model::Verdict>| {
            word.map_or_else(|| "not there".to_owned(), |word| word.to_string())
        };
        let (was, is) = (word(change.before), word(change.after));
        let _ = writeln!(text, "  {was} -> {is}  {}", printable(&change.url));
    }
    let more = changes.total.saturating_sub(CHANGES.min(changes.rows.len()) as u64);
    if more > 0 { text + &format!("  … and {} more\n", grouped(more)) } else { text }
}
