//! `relink watch`: keeps collections of pages healthy.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;
use relink_engine::{
    AddRequest, EngineError, ImportSummary, Observer, Ports, Progress, WatchAction, WatchEnd,
    WatchError, WatchOutcome, add_collection, apply_action, collection_list, remove_collection,
    review_collection, watch_pages,
};
use relink_files::{BoundedReader, MAX_DOCUMENT_BYTES};
use relink_ports::{CheckedTarget, CollectionStore};
use relink_report::human::{counted, grouped};
use relink_report::printable;
use relink_report::watch::{WatchListReport, WatchReport, collection_table, diff_text, show_text};

use super::signals::stop_on_signal;
use super::text_style;
use crate::cli::{
    ExplainFormat, GlobalArgs, WatchAddArgs, WatchArgs, WatchCommand, WatchMemberArgs, WatchRunArgs,
};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, cannot_encode, print};
use crate::settings::{WatchPlan, current_dir, database};
use crate::wiring;

/// The ports and the collections of a command.
struct Session {
    ports: Ports,
    collections: Arc<dyn CollectionStore>,
}

/// Runs `relink watch`.
pub async fn run(args: WatchArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let WatchArgs { command, db } = args;
    let clock = RunClock::start()?;
    if let WatchCommand::Run(args) = command {
        return run_pages(*args, db, clock, global).await;
    }
    let db = database(db, &current_dir()?)?;
    let fetch = relink_fetch::FetchSettings::default();
    let (ports, collections) = wiring::ports_with_collections(fetch, &db, Arc::new(clock)).await?;
    let session = Session { ports, collections };
    match command {
        WatchCommand::Run(_) => {}
        WatchCommand::Add(args) => session.add(args).await?,
        WatchCommand::List { format } => session.list(format).await?,
        WatchCommand::Show { name, format } => {
            let style = text_style(&global);
            session.report(&name, "watch show", format, |report| show_text(report, style)).await?;
        }
        WatchCommand::Diff { name, format } => {
            let style = text_style(&global);
            session.report(&name, "watch diff", format, |report| diff_text(report, style)).await?;
        }
        WatchCommand::Accept(members) => session.act(&members, &WatchAction::Accept).await?,
        WatchCommand::Reject { members, reason } => {
            session.act(&members, &WatchAction::Reject { reason }).await?;
        }
        WatchCommand::Mute { members, duration, reason } => {
            let duration = SignedDuration::try_from(duration.0).unwrap_or(SignedDuration::MAX);
            let now = session.ports.clock.now();
            let until = now.checked_add(duration).unwrap_or(jiff::Timestamp::MAX);
            session.act(&members, &WatchAction::Mute { until, reason }).await?;
        }
        WatchCommand::Remove { name, members, close } => {
            let members = (!members.is_empty()).then_some(WatchMemberArgs {
                name: name.clone(),
                members,
                all: false,
            });
            session.remove(&name, members, close).await?;
        }
    }
    Ok(Exit::Clean)
}

impl Session {
    async fn add(&self, args: WatchAddArgs) -> Result<(), CommandError> {
        let bytes = read_file(&args.file)?;
        let request = AddRequest {
            source: args.file.display().to_string(),
            extension: args.file.extension().map(|text| text.to_string_lossy().into_owned()),
            bytes,
            format: args.format,
            context: args.context,
            description: args.description,
            tags: args.tag,
            keeps_text: args.keep_text,
            name: args.name,
        };
        let summary = add_collection(&self.ports, &*self.collections, &request).await?;
        print(&import_text(&request.name, &summary))
    }

    async fn list(&self, format: ExplainFormat) -> Result<(), CommandError> {
        let collections = collection_list(&self.ports, &*self.collections).await?;
        match format {
            ExplainFormat::Human => print(&collection_table(&collections, self.ports.clock.now())),
            ExplainFormat::Json => print_json(&WatchListReport::new(collections)),
        }
    }

    async fn report(
        &self,
        name: &str,
        command: &'static str,
        format: ExplainFormat,
        text: impl FnOnce(&WatchReport) -> String,
    ) -> Result<(), CommandError> {
        let report = review_collection(&self.ports, &*self.collections, name, command).await?;
        match format {
            ExplainFormat::Human => print(&text(&report)),
            ExplainFormat::Json => print_json(&report),
        }
    }

    async fn act(&self, args: &WatchMemberArgs, action: &WatchAction) -> Result<(), CommandError> {
        let selectors = args.selectors();
        let urls =
            apply_action(&self.ports, &*self.collections, &args.name, &selectors, action).await?;
        let done = match action {
            WatchAction::Accept => "accepted",
            WatchAction::Reject { .. } => "rejected",
            WatchAction::Mute { .. } => "muted",
            WatchAction::Remove => "removed",
            WatchAction::Close => "closed",
        };
        let lines = urls.iter().map(|url| format!("{done} {}\n", printable(url)));
        print(&if urls.is_empty() { "nothing to do\n".to_owned() } else { lines.collect() })
    }

    async fn remove(
        &self,
        name: &str,
        members: Option<WatchMemberArgs>,
        close: bool,
    ) -> Result<(), CommandError> {
        let Some(members) = members else {
            let count = remove_collection(&*self.collections, name).await?;
            let count = counted(count as u64, "member");
            return print(&format!("removed `{}` with {count}\n", printable(name)));
        };
        let action = if close { WatchAction::Close } else { WatchAction::Remove };
        self.act(&members, &action).await
    }
}

fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    print(&format!("{}\n", serde_json::to_string_pretty(value).map_err(cannot_encode)?))
}

fn read_file(path: &Path) -> Result<Vec<u8>, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::usage(format!("cannot read `{}`", path.display()))
            .cause(error.to_string())
            .hint("use a file of bookmarks, Markdown, CSV, OPML, JSON or URLs, or `-`")
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin();
        BoundedReader::new(stdin.lock(), MAX_DOCUMENT_BYTES)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    } else {
        let file = std::fs::File::open(path).map_err(failed)?;
        BoundedReader::new(file, MAX_DOCUMENT_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

/// Formats the effect of an import.
fn import_text(name: &str, summary: &ImportSummary) -> String {
    let mut facts = vec![counted(summary.members as u64, "member")];
    if summary.pages != summary.members {
        facts.push(counted(summary.pages as u64, "page"));
    }
    if summary.collections > 1 {
        facts.push(counted(summary.collections as u64, "collection"));
    }
    if summary.is_update {
        let counts =
            [(summary.added, "added"), (summary.edited, "edited"), (summary.removed, "removed")];
        facts.extend(counts.map(|(count, what)| format!("{} {what}", grouped(count as u64))));
    }
    if summary.skipped > 0 {
        facts.push(format!("{} skipped", grouped(summary.skipped as u64)));
    }
    format!(
        "{} · {} · {}, context: {}\nhint: run `relink watch run` to fetch the pages\n",
        printable(name),
        facts.join(" · "),
        summary.format,
        summary.context.as_str()
    )
}

async fn run_pages(
    args: WatchRunArgs,
    db: Option<std::path::PathBuf>,
    clock: RunClock,
    global: GlobalArgs,
) -> Result<Exit, CommandError> {
    let format = args.format;
    let plan = WatchPlan::resolve(args, db)?;
    plan.run.warn_project_config();
    let (ports, collections) =
        wiring::ports_with_collections(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock))
            .await?;
    let mut observer = ProgressObserver(ProgressDisplay::new(&global));
    let stop = stop_on_signal();
    let outcome = watch_pages(&ports, &*collections, &plan.watch, &mut observer, &stop).await;
    observer.0.clear();
    let outcome = outcome?;
    match format {
        ExplainFormat::Human => print(&run_text(&outcome))?,
        ExplainFormat::Json => print_json(&run_row(&outcome))?,
    }
    match outcome.end {
        WatchEnd::NoNetwork => {
            Err(CommandError::inconclusive("no host responded, so no page was judged")
                .hint("check your network connection"))
        }
        WatchEnd::Interrupted => Ok(Exit::Interrupted),
        WatchEnd::Finished if outcome.doubt.is_some() => Ok(Exit::Inconclusive),
        WatchEnd::Finished => Ok(crate::panic_hook::exit(Exit::Clean)),
    }
}

/// Shows the progress of a run.
struct ProgressObserver(ProgressDisplay);

impl Observer for ProgressObserver {
    fn on_result(&mut self, _checked: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.0.show(progress);
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
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> =
        counts.map(|(count, name)| format!("{} {name}", grouped(*count))).collect();
    let mut text =
        format!("Checked {}: {}\n", counted(outcome.checked, "page"), counts.join(" · "));
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

fn run_row(outcome: &WatchOutcome) -> serde_json::Value {
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
    })
}

impl From<WatchError> for CommandError {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Engine(EngineError::Store(error)) => error.into(),
            WatchError::Engine(error) => error.into(),
            WatchError::UnknownCollection { ref known, .. } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                let cause = match known.as_slice() {
                    [] => "there are no collections yet".to_owned(),
                    known => format!("available: {}", known.join(", ")),
                };
                Self::usage(error.to_string())
                    .cause(cause)
                    .hint("add a collection with `relink watch add FILE --name NAME`")
            }
            WatchError::InvalidName { .. } => Self::usage(error.to_string())
                .cause("`/` separates nested collections")
                .hint("use a name such as `reading`"),
            WatchError::EmptyFile { .. } => Self::usage(error.to_string())
                .cause("only http and https URLs are collected")
                .hint("set the format with `--as`, or use a file with links to web pages"),
            WatchError::UnknownMember { .. } => Self::usage(error.to_string())
                .cause("numbers change when members are added or removed")
                .hint("use a number of `relink watch show NAME`, or a URL"),
            WatchError::NoVersion { .. } => Self::usage(error.to_string())
                .cause("the page was not fetched yet, or it is unavailable")
                .hint("run `relink watch run` first"),
        }
    }
}
