//! `relink watch run`: fetches the pages whose next check is due, and compares them with
//! their last versions.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use relink_report::human::{counted, grouped};
use relink_watch::{AutomaticDecisions, WatchEnd, WatchOutcome, decide_automatically, watch_pages};

use super::print_json;
use crate::cli::{ExplainFormat, GlobalArgs, WatchRunArgs};
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, print};
use crate::settings::WatchPlan;
use crate::wiring;

/// Runs `relink watch run`.
pub(super) async fn run_pages(
    args: WatchRunArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: GlobalArgs,
) -> Result<Exit, CommandError> {
    let format = args.format;
    let plan = WatchPlan::resolve(args, db)?;
    plan.run.warn_project_config();
    let (ports, collections) =
        wiring::ports_with_collections(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock))
            .await?;
    let mut observer = ProgressDisplay::new(&global);
    let stop = stop_on_signal();
    let outcome = watch_pages(&ports, &*collections, &plan.watch, &mut observer, &stop).await;
    observer.clear();
    let outcome = outcome?;
    let decisions = decide_automatically(&ports, &*collections, &plan.watch.names).await?;
    match format {
        ExplainFormat::Human => {
            print(&(run_text(&outcome) + &decision_text(decisions)))?;
        }
        ExplainFormat::Json => print_json(&run_row(&outcome, decisions))?,
    }
    match outcome.end {
        WatchEnd::NoNetwork => {
            Err(CommandError::inconclusive("no host responded, so no page was judged")
                .hint("check your network connection"))
        }
        WatchEnd::Interrupted => Ok(Exit::Interrupted),
        // The local network may have caused the failures.
        WatchEnd::Finished if outcome.doubt.is_some() => Ok(Exit::Inconclusive),
        WatchEnd::Finished => Ok(crate::panic_hook::exit_code(Exit::Clean)),
    }
}

fn run_text(outcome: &WatchOutcome) -> String {
    if outcome.due == 0 {
        return "No page is due. Use `--all` to check all pages.\n".to_owned();
    }
    let counts = [
        (outcome.first, "new"),
        (outcome.unchanged, "unchanged"),
        (outcome.changed, "changed"),
        (outcome.unstable, "unstable"),
        (outcome.temporary, "unavailable"),
        (outcome.permanent, "gone"),
    ];
    let nonzero = counts.iter().filter(|(count, _)| *count > 0);
    let nonzero: Vec<String> =
        nonzero.map(|(count, name)| format!("{} {name}", grouped(*count))).collect();
    let mut text =
        format!("Checked {}: {}\n", counted(outcome.checked, "page"), nonzero.join(" · "));
    if outcome.not_requested > 0 {
        let _ = writeln!(
            text,
            "{} not requested: the host limits the requests; checked again in an hour or later",
            counted(outcome.not_requested, "page")
        );
    }
    if let Some(doubt) = &outcome.doubt {
        let _ = writeln!(text, "warning: {doubt}");
    }
    if outcome.end == WatchEnd::Interrupted {
        text.push_str("interrupted; run the same command to continue\n");
    } else if outcome.changed + outcome.permanent > 0 {
        text.push_str("hint: run `relink watch diff NAME` to see the changes\n");
    }
    text
}

fn decision_text(decisions: AutomaticDecisions) -> String {
    let AutomaticDecisions { accepted, rejected } = decisions;
    if accepted + rejected == 0 {
        return String::new();
    }
    format!(
        "Decided automatically: {} accepted, {} rejected\n",
        grouped(accepted),
        grouped(rejected)
    )
}

fn run_row(outcome: &WatchOutcome, decisions: AutomaticDecisions) -> serde_json::Value {
    serde_json::json!({
        "schema": relink_report::SCHEMA,
        "command": "watch run",
        "end": match outcome.end {
            WatchEnd::Finished => "finished",
            WatchEnd::NoNetwork => "no-network",
            WatchEnd::Interrupted => "interrupted",
        },
        "due": outcome.due,
        "checked": outcome.checked,
        "new": outcome.first,
        "unchanged": outcome.unchanged,
        "changed": outcome.changed,
        "unstable": outcome.unstable,
        "temporary": outcome.temporary,
        "permanent": outcome.permanent,
        "not_requested": outcome.not_requested,
        "accepted": decisions.accepted,
        "rejected": decisions.rejected,
    })
}
