//! `relink report`: prints the report of a stored crawl.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use relink_engine::{previous_crawl, site_report};
use relink_ports::{CheckedTargetQuery, RunSummary};
use relink_report::human::{TextStyle, grouped};
use relink_report::site::{self, Capped, ChangeRow, SiteComparison, SiteReport};
use relink_report::{TargetRow, printable};
use relink_requests::Ports;

use super::{BEFORE_FIRST_TASK, text_style};
use crate::cli::{GlobalArgs, ReportArgs, ReportCommand, ReportFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, location_views, print, target_view, write_file};
use crate::settings::{current_dir, database};
use crate::wiring;

/// Number of targets read at a time.
const BATCH_SIZE: usize = 512;
/// Maximum number of locations per target.
const MAX_LOCATIONS: usize = 100;
/// Maximum number of changes of each kind.
const MAX_CHANGES: usize = 50;

/// Runs `relink report`.
pub async fn run(args: ReportArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    if let Some(ReportCommand::Diff { before, after, db }) = args.command {
        let ports = open_database(db).await?;
        return print_diff(&ports, before, after).await;
    }
    let mut outputs: Vec<(&PathBuf, ReportFormat)> = Vec::new();
    for path in &args.output {
        outputs.push((path, format_by_extension(path)?));
    }
    let ports = open_database(args.db).await?;
    let run = find_crawl(&ports, args.run).await?;
    // The report lists the changes since the previous crawl of the same site.
    let previous = previous_crawl(&ports, &run).await?;
    let report = site_report(&ports, &run, previous.as_ref()).await?;
    for (path, format) in outputs {
        let text = render(&ports, &report, &run, format, TextStyle::Plain).await?;
        write_file(path, &text).map_err(|error| cannot_write(path, &error))?;
    }
    if args.open {
        return open_in_browser(&report, args.output).map(|()| Exit::Clean);
    }
    let text = render(&ports, &report, &run, args.format, text_style(&global)).await?;
    print(&text).map(|()| Exit::Clean)
}

async fn open_database(db: Option<PathBuf>) -> Result<Ports, CommandError> {
    let db = database(db, &current_dir()?)?;
    let clock = Arc::new(RunClock::start()?);
    wiring::ports_for_reading(&db, clock).await
}

/// Returns the crawl with this id, or the latest one.
pub async fn find_crawl(ports: &Ports, id: Option<i64>) -> Result<RunSummary, CommandError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    let is_selected = |run: &RunSummary| id.is_none_or(|id| run.id.0 == id);
    runs.into_iter().find(is_selected).ok_or_else(|| match id {
        Some(id) => CommandError::usage(format!("unknown crawl {id}"))
            .hint("run `relink crawl status` to list all crawls"),
        None => CommandError::usage("no crawls yet").hint("start with `relink crawl URL`"),
    })
}

async fn render(
    ports: &Ports,
    report: &SiteReport,
    run: &RunSummary,
    format: ReportFormat,
    style: TextStyle,
) -> Result<String, CommandError> {
    Ok(match format {
        ReportFormat::Human => site::human(report, style),
        ReportFormat::Html => site::html(report),
        ReportFormat::Json => {
            format!("{}\n", serde_json::to_string_pretty(report).map_err(cannot_encode)?)
        }
        ReportFormat::Jsonl => json_lines(ports, run).await?,
    })
}

/// Returns one line of JSON per target. These lines contain the final number of links; the
/// lines that are written during a crawl do not.
async fn json_lines(ports: &Ports, run: &RunSummary) -> Result<String, CommandError> {
    let mut text = Vec::new();
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let query = CheckedTargetQuery {
            after,
            limit: BATCH_SIZE,
            max_locations: MAX_LOCATIONS,
            ..CheckedTargetQuery::ALL
        };
        let batch = ports.store.checked_targets(run.id, query).await?;
        let Some(last) = batch.last() else { break };
        after = last.task;
        for target in &batch {
            let locations = location_views(target);
            let row = TargetRow::new(&target_view(target, &locations));
            // Writing to a `Vec` cannot fail.
            let _ = row.write_line(&mut text);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn format_by_extension(path: &Path) -> Result<ReportFormat, CommandError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Ok(ReportFormat::Html),
        Some("json") => Ok(ReportFormat::Json),
        Some("jsonl" | "ndjson") => Ok(ReportFormat::Jsonl),
        Some("txt" | "log") => Ok(ReportFormat::Human),
        _ => {
            Err(CommandError::usage(format!("unsupported report extension: `{}`", path.display()))
                .hint("use `.html`, `.json`, `.jsonl` or `.txt`"))
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
}

/// Opens the report in a browser: the HTML output file, or a temporary file without one.
fn open_in_browser(report: &SiteReport, outputs: Vec<PathBuf>) -> Result<(), CommandError> {
    let is_html = |path: &PathBuf| matches!(format_by_extension(path), Ok(ReportFormat::Html));
    let path = match outputs.into_iter().find(is_html) {
        Some(path) => path,
        None => write_temporary_page(report)?,
    };
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let status = Command::new(opener).arg(&path).status();
    let is_open = status.is_ok_and(|status| status.success());
    let instruction = if is_open { "" } else { "open this file in a browser: " };
    print(&format!("{instruction}{}\n", path.display()))
}

/// Writes the HTML page to a temporary file.
fn write_temporary_page(report: &SiteReport) -> Result<PathBuf, CommandError> {
    let path = std::env::temp_dir().join(format!("relink-report-{}.html", report.run));
    std::fs::write(&path, site::html(report)).map_err(|error| cannot_write(&path, &error))?;
    Ok(path)
}

/// Prints the changes between two crawls.
async fn print_diff(ports: &Ports, before: i64, after: i64) -> Result<Exit, CommandError> {
    let before = find_crawl(ports, Some(before)).await?;
    let after = find_crawl(ports, Some(after)).await?;
    let report = site_report(ports, &after, Some(&before)).await?;
    let text = report.comparison.as_ref().map(comparison_text).unwrap_or_default();
    print(&text).map(|()| Exit::Clean)
}

fn comparison_text(comparison: &SiteComparison) -> String {
    changes_text("new", &comparison.new)
        + &changes_text("fixed", &comparison.fixed)
        + &changes_text("regressed (alive before, broken now)", &comparison.regressed)
}

fn changes_text(title: &str, changes: &Capped<ChangeRow>) -> String {
    let mut text = format!("{title}: {}\n", grouped(changes.total));
    for change in changes.rows.iter().take(MAX_CHANGES) {
        let (before, after) = (verdict_text(change.before), verdict_text(change.after));
        let _ = writeln!(text, "  {before} -> {after}  {}", printable(&change.url));
    }
    let listed = MAX_CHANGES.min(changes.rows.len()) as u64;
    let omitted = changes.total.saturating_sub(listed);
    if omitted > 0 { text + &format!("  … and {} more\n", grouped(omitted)) } else { text }
}

/// Formats the verdict on a URL in one crawl; `None` if the crawl found no link to the URL.
fn verdict_text(verdict: Option<relink_model::Verdict>) -> String {
    verdict.map_or_else(|| "not linked".to_owned(), |verdict| verdict.to_string())
}
