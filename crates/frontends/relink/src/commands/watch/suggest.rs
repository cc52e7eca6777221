//! `relink watch suggest`, `reject` and `keyphrases`: searches for pages that can
//! replace a member, and prints the phrases of the search.

use std::path::PathBuf;
use std::sync::Arc;

use relink_ports::{Clock as _, CollectionStore};
use relink_report::watch::{
    WatchKeyphraseReport, WatchSuggestions, keyphrase_text, suggestion_text,
};
use relink_requests::{Ports, StopSignal};
use relink_watch::{
    MemberSelector, SuggestRequest, WatchAction, apply_action, member_keyphrases,
    suggest_replacements,
};

use super::{action_text, print_json};
use crate::cli::{
    ExplainFormat, GlobalArgs, WatchKeyphraseArgs, WatchRejectArgs, WatchSearchArgs,
    WatchSuggestArgs,
};
use crate::clock::RunClock;
use crate::commands::revive::{archives, engines};
use crate::commands::signals::stop_on_signal;
use crate::commands::text_style;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::SuggestPlan;
use crate::wiring;

/// The ports and settings of a search for replacements.
pub(super) struct ReplacementSearch {
    pub(super) ports: Ports,
    pub(super) collections: Arc<dyn CollectionStore>,
    plan: SuggestPlan,
}

impl ReplacementSearch {
    /// Opens the database, the archives and the search engines.
    pub(super) async fn open(
        args: WatchSearchArgs,
        db: Option<PathBuf>,
        clock: RunClock,
    ) -> Result<Self, CommandError> {
        let plan = SuggestPlan::resolve(args, db, clock.now())?;
        plan.run.warn_project_config();
        let (mut ports, collections) =
            wiring::ports_with_collections(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock))
                .await?;
        ports.archives = archives(&plan.setup, &ports)?;
        ports.search_engines = engines::open(&plan.setup, &plan.run.db, &ports).await?;
        Ok(Self { ports, collections, plan })
    }

    /// Searches for pages that can replace a member.
    pub(super) async fn suggest(
        &self,
        name: &str,
        member: &MemberSelector,
        stop: &StopSignal,
    ) -> Result<WatchSuggestions, CommandError> {
        let request = SuggestRequest {
            collection: name,
            member,
            rights: self.plan.rights,
            identical: self.plan.identical,
            similar: self.plan.similar,
            weights: self.plan.weights,
            linked_pages: self.plan.linked_pages,
        };
        let settings = &self.plan.setup.revive;
        Ok(suggest_replacements(&self.ports, &*self.collections, &request, settings, stop).await?)
    }
}

/// Runs `relink watch suggest`.
pub(super) async fn suggest(
    args: WatchSuggestArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let WatchSuggestArgs { name, member, format, search } = args;
    let search = ReplacementSearch::open(search, db, clock).await?;
    let stop = stop_on_signal();
    let suggestions = search.suggest(&name, &member.0, &stop).await?;
    match format {
        ExplainFormat::Human => print(&suggestion_text(&suggestions, text_style(global)))?,
        ExplainFormat::Json => print_json(&suggestions)?,
    }
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

/// Runs `relink watch reject`: rejects the current versions of pages, then searches for
/// pages that contain their accepted versions.
pub(super) async fn reject(
    args: WatchRejectArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let WatchRejectArgs { members, reason, search, .. } = args;
    let search = ReplacementSearch::open(search, db, clock).await?;
    let stop = stop_on_signal();
    let action = WatchAction::Reject { reason };
    let (ports, collections) = (&search.ports, &*search.collections);
    let selectors = members.selectors();
    let urls = apply_action(ports, collections, &members.name, &selectors, &action).await?;
    print(&action_text(&action, &urls))?;
    for url in urls {
        if stop.is_stopped() {
            return Ok(Exit::Interrupted);
        }
        let found = search.suggest(&members.name, &MemberSelector::Url(url), &stop).await?;
        print(&format!("\n{}", suggestion_text(&found, text_style(global))))?;
    }
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

/// Runs `relink watch keyphrases`.
pub(super) async fn keyphrases(
    args: WatchKeyphraseArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let WatchKeyphraseArgs { name, member, count, format, search } = args;
    let search = ReplacementSearch::open(search, db, clock).await?;
    let stop = stop_on_signal();
    let member = member.map_or(MemberSelector::All, |member| member.0);
    let (ports, collections) = (&search.ports, &*search.collections);
    let members = member_keyphrases(ports, collections, &name, &member, count, &stop).await?;
    match format {
        ExplainFormat::Human => print(&keyphrase_text(&members, text_style(global)))?,
        ExplainFormat::Json => print_json(&WatchKeyphraseReport::new(members))?,
    }
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}
