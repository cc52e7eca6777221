//! `relink fix`: repairs the links of local documents.
//!
//! A dry run prints a unified diff on standard output and a summary on standard
//! error. With `--apply`, the files are changed and a journal for `--undo` is
//! written next to the database.

mod journal;
mod patch;
mod review;
mod roots;

use std::io;
use std::path::Path;
use std::sync::Arc;

use relink_engine::{
    CheckEnd, CheckOutcome, FixSettings, FixStatus, FixStyle, LinkFix, Observer, Ports, Progress,
    StopSignal, check, plan_document, plan_fixes, verify_fixes,
};
use relink_ports::{CheckedTarget, Clock as _};
use relink_report::human::counted;
use relink_report::{FixReport, FixRow, FixRowStatus, printable, redact};

use self::journal::Journal;
use self::patch::PatchPrinter;
use self::roots::Roots;
use super::check::search_dead_pages;
use super::revive::archives;
use super::signals::stop_on_signal;
use super::text_style;
use crate::cli::{FixArgs, FixFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, cannot_encode, print};
use crate::settings::CheckPlan;
use crate::wiring;

/// How the repairs are shown and whether they are written.
struct FixMode<'a> {
    format: FixFormat,
    is_applied: bool,
    is_reviewed: bool,
    settings: FixSettings,
    output: Option<&'a Path>,
    global: &'a GlobalArgs,
}

/// Runs `relink fix`.
pub async fn run(args: FixArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let now = clock.now();
    if let Some(id) = &args.undo {
        return journal::undo(&args, id);
    }
    let roots = Roots::new(&args.inputs);
    let output = args.output.clone();
    let mode = FixMode {
        format: args.format,
        is_applied: args.apply,
        is_reviewed: args.review,
        settings: args.settings(),
        output: output.as_deref(),
        global: &global,
    };
    let plan = CheckPlan::resolve(args.into_check_args(), now)?;
    plan.run.warn_project_config();
    let mut ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock)).await?;
    let stop = stop_on_signal();
    let mut fixes = match find_fixes(&mut ports, &plan, &mode, &stop).await? {
        Ok(fixes) => fixes,
        Err(exit) => return Ok(exit),
    };
    if mode.is_reviewed {
        review::review(&mut fixes, &mut io::stdin().lock(), &mut io::stderr()).map_err(
            |error| {
                CommandError::internal("cannot read the answer of the review")
                    .cause(error.to_string())
            },
        )?;
    }
    let mut journal = Journal::new(&plan.run.db, now);
    let changed = process_documents(&ports, &plan, &roots, &mut fixes, &mut journal, &mode).await?;
    wiring::close(ports).await;
    mode.report(&fixes, changed, journal.id())?;
    let is_open = !mode.is_applied && changed > 0;
    Ok(if is_open { Exit::Findings } else { Exit::Clean })
}

/// Checks the documents, searches for dead pages if requested, and checks the new
/// URLs. Returns the exit code if a check did not finish.
async fn find_fixes(
    ports: &mut Ports,
    plan: &CheckPlan,
    mode: &FixMode<'_>,
    stop: &StopSignal,
) -> Result<Result<Vec<LinkFix>, Exit>, CommandError> {
    if let Some(setup) = &plan.revive {
        ports.archives = archives(setup, ports)?;
    }
    let mut observer = FixObserver(ProgressDisplay::new(mode.global));
    let outcome = check(ports, &plan.check, &mut observer, stop).await?;
    if let Some(exit) = unfinished(&outcome) {
        observer.0.clear();
        return exit.map(Err);
    }
    if let Some(setup) = &plan.revive {
        let failures =
            search_dead_pages(ports, setup, &plan.run, &outcome, mode.global, stop).await;
        failures.iter().for_each(CommandError::warn);
    }
    let mut fixes = plan_fixes(ports, outcome.run, mode.settings).await?;
    let end = verify_fixes(ports, &plan.check, &mut fixes, &mut observer, stop).await?;
    observer.0.clear();
    Ok(match end {
        CheckEnd::Finished => Ok(fixes),
        CheckEnd::Interrupted => Err(Exit::Interrupted),
        CheckEnd::NoNetwork => return Err(no_network()),
    })
}

/// Returns the exit code or the error of a check that is not conclusive.
fn unfinished(outcome: &CheckOutcome) -> Option<Result<Exit, CommandError>> {
    match outcome.end {
        CheckEnd::Interrupted => Some(Ok(Exit::Interrupted)),
        CheckEnd::NoNetwork => Some(Err(no_network())),
        CheckEnd::Finished => outcome.doubt.as_ref().map(|doubt| {
            Err(CommandError::inconclusive(
                "the local network is unreliable, so nothing is repaired",
            )
            .cause(doubt.to_string()))
        }),
    }
}

fn no_network() -> CommandError {
    CommandError::inconclusive("no host responded, so nothing is repaired")
        .hint("check your network connection")
}

/// Rewrites every document with repairs, and prints or applies the changes.
/// Returns the number of changed documents.
async fn process_documents(
    ports: &Ports,
    plan: &CheckPlan,
    roots: &Roots,
    fixes: &mut [LinkFix],
    journal: &mut Journal,
    mode: &FixMode<'_>,
) -> Result<usize, CommandError> {
    let mut printer = PatchPrinter::new(mode.shows_diff(), text_style(mode.global), mode.output);
    let mut changed = 0;
    let is_same = |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    for document_fixes in fixes.chunk_by_mut(is_same) {
        let options = &plan.check.load.read_options;
        let document = match plan_document(&*ports.files, options, document_fixes).await {
            Ok(Some(document)) => document,
            Ok(None) => continue,
            Err(error) => {
                reject(document_fixes, &error.to_string());
                continue;
            }
        };
        if let Err(reason) = roots.check(&document.path) {
            reject(document_fixes, &reason);
            continue;
        }
        if mode.is_applied
            && let Err(reason) = journal.apply(&document)?
        {
            reject(document_fixes, &reason);
            continue;
        }
        changed += 1;
        let label = document_fixes.first().map_or("", |fix| fix.location.path.as_str());
        printer.add(label, &document)?;
    }
    printer.finish()?;
    Ok(changed)
}

/// Rejects the repairs of a document that is not written.
fn reject(fixes: &mut [LinkFix], reason: &str) {
    for fix in fixes.iter_mut().filter(|fix| !matches!(fix.status, FixStatus::Rejected(_))) {
        fix.status = FixStatus::Rejected(reason.to_owned());
    }
}

impl FixMode<'_> {
    /// Whether the diff is printed on standard output.
    fn shows_diff(&self) -> bool {
        self.format == FixFormat::Human && !self.is_applied
    }

    fn report(
        &self,
        fixes: &[LinkFix],
        changed: usize,
        id: Option<&str>,
    ) -> Result<(), CommandError> {
        match self.format {
            FixFormat::Json => {
                let report = FixReport::new(id, fixes.iter().map(row).collect());
                let text = serde_json::to_string_pretty(&report).map_err(cannot_encode)?;
                print(&format!("{text}\n"))
            }
            FixFormat::Human => {
                if !self.global.quiet {
                    print_summary(fixes, changed, id);
                }
                Ok(())
            }
        }
    }
}

/// Prints the summary on standard error, so that standard output is a patch.
#[expect(clippy::print_stderr, reason = "standard output contains the patch")]
fn print_summary(fixes: &[LinkFix], changed: usize, id: Option<&str>) {
    let ready = fixes.iter().filter(|fix| fix.status == FixStatus::Ready).count();
    let links = counted(ready as u64, "link");
    let in_files = format!("{links} in {}", counted(changed as u64, "file"));
    for fix in fixes {
        if let Some(line) = open_line(fix) {
            eprintln!("{line}");
        }
    }
    match id {
        _ if ready == 0 => eprintln!("nothing to repair"),
        Some(id) => eprintln!("repaired {in_files}; undo: relink fix --undo {id}"),
        None => eprintln!("{in_files} can be repaired; write the changes with `--apply`"),
    }
}

/// Returns a line on a repair that was not made.
fn open_line(fix: &LinkFix) -> Option<String> {
    let (kind, reason) = match &fix.status {
        FixStatus::Ready => return None,
        FixStatus::NeedsReview(reason) => ("needs review", reason.to_string()),
        FixStatus::Rejected(reason) => ("not repaired", reason.clone()),
    };
    let location = &fix.location.location;
    Some(format!(
        "{}:{}:{}: {kind}: {} -> {} ({}; {})",
        printable(&fix.location.path),
        location.line,
        location.column,
        printable(&fix.old_url),
        printable(&fix.new_url),
        fix.cause,
        printable(&reason),
    ))
}

fn row(fix: &LinkFix) -> FixRow<'_> {
    let (status, reason) = match &fix.status {
        FixStatus::Ready => (FixRowStatus::Ready, None),
        FixStatus::NeedsReview(reason) => (FixRowStatus::NeedsReview, Some(reason.to_string())),
        FixStatus::Rejected(reason) => (FixRowStatus::Rejected, Some(reason.clone())),
    };
    FixRow {
        path: &fix.location.path,
        line: fix.location.location.line,
        column: fix.location.location.column,
        old_url: redact(&fix.old_url),
        new_url: redact(&fix.new_url),
        code: fix.code.map(|code| code.to_string()),
        cause: fix.cause.name(),
        style: match fix.style {
            FixStyle::Replace => "replace",
            FixStyle::Beside => "beside",
        },
        status,
        reason,
    }
}

/// Shows the progress of the checks. Their results are read from the store.
struct FixObserver(ProgressDisplay);

impl Observer for FixObserver {
    fn on_result(&mut self, _: &CheckedTarget) -> io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.0.show(progress);
    }
}
