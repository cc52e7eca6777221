//! `relink watch suggest`: searches for pages that can replace a member.

use std::path::PathBuf;
use std::sync::Arc;

use relink_engine::{SuggestRequest, suggest_replacements};
use relink_ports::Clock as _;
use relink_report::watch::suggestion_text;

use super::print_json;
use crate::cli::{ExplainFormat, GlobalArgs, WatchSuggestArgs};
use crate::clock::RunClock;
use crate::commands::revive::{archives, engines};
use crate::commands::signals::stop_on_signal;
use crate::commands::text_style;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::SuggestPlan;
use crate::wiring;

/// Runs `relink watch suggest`.
pub(super) async fn suggest(
    args: WatchSuggestArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let (name, member, format) = (args.name.clone(), args.member.0.clone(), args.format);
    let plan = SuggestPlan::resolve(args, db, clock.now())?;
    plan.run.warn_project_config();
    let (mut ports, collections) =
        wiring::ports_with_collections(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock))
            .await?;
    ports.archives = archives(&plan.setup, &ports)?;
    ports.search_engines = engines::open(&plan.setup, &plan.run.db, &ports).await?;
    let stop = stop_on_signal();
    let suggestions = suggest_replacements(
        &ports,
        &*collections,
        &SuggestRequest { collection: &name, member: &member, rights: plan.rights },
        &plan.setup.revive,
        &stop,
    )
    .await?;
    match format {
        ExplainFormat::Human => print(&suggestion_text(&suggestions, text_style(global)))?,
        ExplainFormat::Json => print_json(&suggestions)?,
    }
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}
