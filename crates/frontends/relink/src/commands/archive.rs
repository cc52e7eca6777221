//! `relink archive`: lists live pages without an archived copy, and saves them.
//!
//! A copy of a page is in a web archive, in local WARC files (the file format of web
//! archives), or written by this command.

mod submit;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_engine::{CheckEnd, check};
use relink_judge::codes;
use relink_lookup::WarcWriter;
use relink_model::RunId;
use relink_ports::Clock as _;
use relink_repair::{CopyState, LivePage, SaveSettings, find_copies, save_pages};
use relink_report::{ArchiveReport, ArchiveRow, ArchiveRowState, redact};
use relink_requests::{Ports, StopSignal};

use self::submit::submit_missing;
use super::fix::annotate;
use super::revive::archives;
use super::signals::stop_on_signal;
use crate::cli::{ArchiveArgs, ArchiveFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::database::companion_path;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, Steps, cannot_encode, print};
use crate::settings::{CheckPlan, ReviveSetup};
use crate::wiring;

/// Maximum number of locations that are listed per page.
const MAX_LOCATIONS: usize = 20;

/// The name of the program in WARC files.
const SOFTWARE: &str = concat!("relink/", env!("CARGO_PKG_VERSION"));

/// Runs `relink archive`.
pub async fn run(args: ArchiveArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let now = clock.now();
    let save_directory = args.save.clone();
    let submit_archive = args.submit.clone();
    let format = args.format;
    let inputs = args.inputs.clone();
    let (is_robust, is_dry_run) = (args.robust, args.dry_run);
    // `--robust` edits every link to a page; the report lists only a few of them.
    let max_locations = if is_robust { usize::MAX } else { MAX_LOCATIONS };
    let mut plan = CheckPlan::resolve(args.into_check_args(), now)?;
    plan.run.warn_project_config();
    let mut ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock)).await?;
    if let Some(setup) = &mut plan.revive {
        add_saved_files(setup, save_directory.as_deref());
        ports.archives = archives(setup, &ports)?;
    }
    let stop = stop_on_signal();
    let checked = check_live_pages(&ports, &plan, max_locations, &global, &stop).await?;
    let Some((run, mut pages)) = checked else {
        return Ok(Exit::Interrupted);
    };
    let warc = match save_directory {
        Some(directory) => {
            save_missing(&ports, &plan, &directory, &mut pages, &global, &stop).await?
        }
        None => None,
    };
    if let Some(archive) = submit_archive {
        let database = companion_path(&plan.run.db)?;
        submit_missing(&ports, &archive, &database, &mut pages, &global, &stop).await?;
    }
    if is_robust {
        annotate(&ports, &plan, run, &inputs, &pages, is_dry_run, &global).await?;
    }
    wiring::close(ports).await;
    // A dry run prints only the diff.
    if !is_dry_run {
        print_report(format, &pages, warc.as_deref())?;
    }
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

/// Adds the directory of saved pages to the archives, so that a later run does
/// not save them again.
fn add_saved_files(setup: &mut ReviveSetup, directory: Option<&Path>) {
    if let Some(directory) = directory
        && has_warc_files(directory)
    {
        setup.warcs.push(directory.to_owned());
    }
}

/// Whether a directory contains WARC files.
fn has_warc_files(directory: &Path) -> bool {
    let Ok(entries) = directory.read_dir() else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with(".warc.gz"))
}

/// Checks the inputs and queries the archives for every live page. Returns the run of the
/// check and the live pages, or `None` if the user interrupted the check.
async fn check_live_pages(
    ports: &Ports,
    plan: &CheckPlan,
    max_locations: usize,
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Result<Option<(RunId, Vec<LivePage>)>, CommandError> {
    let mut observer = ProgressDisplay::new(global);
    let outcome = check(ports, &plan.check, &mut observer, stop).await?;
    observer.clear();
    match outcome.end {
        CheckEnd::Interrupted => return Ok(None),
        CheckEnd::NoNetwork => {
            return Err(CommandError::inconclusive("no host responded")
                .hint("check your network connection"));
        }
        CheckEnd::Finished => {}
    }
    let steps = Steps::new(global);
    let mut progress = |done: usize, all: usize| steps.show(done as u64, all as u64, "archives");
    let pages = find_copies(ports, outcome.run, max_locations, &mut progress, stop).await?;
    steps.clear();
    Ok(Some((outcome.run, pages)))
}

/// Saves the pages without a copy to a WARC file. Returns its path if it was written.
async fn save_missing(
    ports: &Ports,
    plan: &CheckPlan,
    directory: &Path,
    pages: &mut [LivePage],
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Result<Option<PathBuf>, CommandError> {
    if !pages.iter().any(|page| page.copy == CopyState::Missing) {
        return Ok(None);
    }
    let cannot_write = |error: io::Error| {
        CommandError::usage(format!("cannot write to `{}`", directory.display()))
            .cause(error.to_string())
    };
    let mut writer =
        WarcWriter::create(directory, ports.clock.now(), SOFTWARE).map_err(cannot_write)?;
    let settings = SaveSettings {
        politeness: plan.check.dispatch.politeness,
        max_host_wait: plan.check.dispatch.max_host_wait,
    };
    let steps = Steps::new(global);
    let mut progress = |done: usize, all: usize| steps.show(done as u64, all as u64, "saving");
    let saved = save_pages(ports, settings, pages, &mut writer, &mut progress, stop).await;
    steps.clear();
    // Finish the file even if saving failed, because the pages saved so far are complete.
    let path = writer.finish().map_err(cannot_write)?;
    saved?;
    Ok(Some(path))
}

fn print_report(
    format: ArchiveFormat,
    pages: &[LivePage],
    warc: Option<&Path>,
) -> Result<(), CommandError> {
    let warc = warc.map(|path| path.to_string_lossy().into_owned());
    let report = ArchiveReport::new(warc.as_deref(), pages.iter().map(archive_row).collect());
    match format {
        ArchiveFormat::Human => print(&report.to_text()),
        ArchiveFormat::Json => {
            let text = serde_json::to_string_pretty(&report).map_err(cannot_encode)?;
            print(&format!("{text}\n"))
        }
    }
}

/// Returns the row of a page in the report.
fn archive_row(page: &LivePage) -> ArchiveRow<'_> {
    // Such as `docs/guide.md:12`.
    let location_text =
        |link: &relink_ports::LinkLocation| format!("{}:{}", link.path, link.location.line);
    let mut row = ArchiveRow {
        url: redact(page.url.as_str()),
        state: ArchiveRowState::Missing,
        code: None,
        archive: None,
        captured_at: None,
        replay_url: None,
        reason: None,
        locations: page.locations.iter().take(MAX_LOCATIONS).map(location_text).collect(),
    };
    match &page.copy {
        CopyState::Archived { archive, captured_at, replay_url }
        | CopyState::Submitted { archive, captured_at, replay_url } => {
            // The archive saved a submitted page because of this command.
            let is_submitted = matches!(page.copy, CopyState::Submitted { .. });
            row.state =
                if is_submitted { ArchiveRowState::Saved } else { ArchiveRowState::Archived };
            row.archive = Some(archive);
            row.captured_at = Some(captured_at.to_string());
            row.replay_url = replay_url.as_ref().map(|url| redact(url.as_str()));
        }
        CopyState::Saved => row.state = ArchiveRowState::Saved,
        CopyState::Missing => row.code = Some(codes::NOT_ARCHIVED.to_string()),
        CopyState::NotSaved(reason) => {
            row.code = Some(codes::NOT_ARCHIVED.to_string());
            row.reason = Some(reason);
        }
        CopyState::Unknown(reason) => {
            row.state = ArchiveRowState::Unknown;
            row.reason = Some(reason);
        }
    }
    row
}
