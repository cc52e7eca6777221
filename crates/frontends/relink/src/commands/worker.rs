//! `relink worker`: fetches pages for the checks of other processes that use the same
//! database.

use std::sync::Arc;
use std::time::Duration;

use relink_engine::work;
use relink_report::human::counted;

use super::signals::stop_on_signal;
use crate::cli::{GlobalArgs, WorkerArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::WorkerPlan;
use crate::wiring;

/// Pause between two searches for runs with tasks.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// Runs `relink worker`.
pub async fn run(args: WorkerArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let plan = WorkerPlan::resolve(args)?;
    let clock = Arc::new(RunClock::start()?);
    let ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, clock).await?;
    let stop = stop_on_signal();
    let mut results = 0;
    while !stop.is_stopped() {
        let new_results = work(&ports, plan.options, &stop).await?;
        results += new_results;
        if plan.until_idle && new_results == 0 {
            break;
        }
        tokio::select! {
            () = stop.stopped() => {}
            () = tokio::time::sleep(IDLE_PAUSE) => {}
        }
    }
    if !global.quiet {
        print(&format!("{}\n", counted(results, "result")))?;
    }
    wiring::close(ports).await;
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}
