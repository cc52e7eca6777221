//! `relink baseline`: writes the current findings to a file, the baseline. Later checks
//! with `--baseline` fail only because of findings that the file does not contain.

use std::sync::Arc;

use relink_documents::Diagnostic;
use relink_engine::{CheckEnd, check};
use relink_files::LocalFiles;
use relink_ports::Clock as _;
use relink_report::human::{counted, problem};

use crate::cli::{BaselineArgs, GateArgs, GlobalArgs};
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::error::{CommandError, Exit};
use crate::gate::write_baseline;
use crate::output::{ProgressDisplay, load_findings, print};
use crate::settings::CheckPlan;
use crate::wiring;

/// The file that is written, unless `--write` or the configuration names another one.
const DEFAULT_FILE: &str = "relink-baseline.json";

/// Runs `relink baseline`.
pub async fn run(args: BaselineArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let BaselineArgs { write, check: mut check_args } = args;
    // Without a gate, the baseline contains all findings, also those of an older baseline.
    check_args.gate = GateArgs::default();
    let settings = CheckPlan::resolve(check_args, clock.now())?;
    let configured = settings.gate.baseline_file.clone();
    let file = write.or(configured).unwrap_or_else(|| DEFAULT_FILE.into());
    let run = &settings.run;
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    ports.files = Arc::new(LocalFiles::new(settings.files.clone()));
    let mut progress = ProgressDisplay::new(&global);
    let stop = stop_on_signal();
    let outcome = check(&ports, &settings.check, &mut progress, &stop).await?;
    progress.clear();
    match outcome.end {
        CheckEnd::Finished => {}
        CheckEnd::Interrupted => return Ok(Exit::Interrupted),
        CheckEnd::NoNetwork => {
            return Err(CommandError::inconclusive("no host responded, so no page was judged")
                .hint("check your network connection, or use `--offline`"));
        }
    }
    for Diagnostic { path, line, text } in &outcome.loaded.problems.entries {
        CommandError::usage(problem(path, *line, text)).warn();
    }
    let findings = load_findings(&ports, outcome.run, &run.fail_on, usize::MAX).await?;
    let count = write_baseline(&file, &findings)? as u64;
    print(&format!(
        "wrote {} to {}; use it with `relink check --baseline {}`\n",
        counted(count, "finding"),
        file.display(),
        file.display()
    ))?;
    wiring::close(ports).await;
    Ok(Exit::Clean)
}
