//! `relink watch focus`: simulates a reader who follows links, and measures how long the
//! reader stays on the topic of a collection.

use std::path::PathBuf;
use std::sync::Arc;

use relink_ports::Clock as _;
use relink_report::watch::focus_text;
use relink_watch::{FocusRequest, measure_focus};

use super::print_json;
use crate::cli::{ExplainFormat, GlobalArgs, WatchFocusArgs};
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::commands::text_style;
use crate::error::{CommandError, Exit};
use crate::output::{Steps, print};
use crate::settings::FocusPlan;
use crate::wiring;

/// Runs `relink watch focus`.
pub(super) async fn focus(
    args: WatchFocusArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let WatchFocusArgs { name, pages, stop: stop_probability, format, config, request } = args;
    let plan = FocusPlan::resolve(request, config.as_deref(), db)?;
    plan.run.warn_project_config();
    // The simulated reader follows random links, so each run needs another seed.
    let seed = clock.now().as_millisecond().unsigned_abs();
    let (ports, collections) =
        wiring::ports_with_collections(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock))
            .await?;
    let steps = Steps::new(global);
    let stop_signal = stop_on_signal();
    let request = FocusRequest {
        collection: &name,
        rights: plan.rights,
        stop: stop_probability,
        max_pages: pages,
        seed,
    };
    let mut progress = |read: u64, url: &str| steps.show(read, pages as u64, url);
    let focus =
        measure_focus(&ports, &*collections, &request, plan.reader, &mut progress, &stop_signal)
            .await;
    steps.clear();
    let focus = focus?;
    match format {
        ExplainFormat::Human => print(&focus_text(&focus, text_style(global)))?,
        ExplainFormat::Json => print_json(&focus)?,
    }
    Ok(if focus.is_interrupted { Exit::Interrupted } else { Exit::Clean })
}
