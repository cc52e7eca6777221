//! `relink watch`: watches collections of pages for changes and dead pages.
//!
//! A collection is a stored set of pages, such as a reading list. A member is a page in a
//! collection, with the version of its content that the user accepted.

mod errors;
mod files;
mod focus;
mod review;
mod run_pages;
mod suggest;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use relink_collection::ImportFormat;
use relink_files::{BoundedReader, MAX_DOCUMENT_BYTES};
use relink_ports::CollectionStore;
use relink_report::human::{TextStyle, counted, grouped};
use relink_report::printable;
use relink_report::watch::{
    StudyReport, WatchListReport, WatchReport, collection_table, diff_text, export_bookmarks,
    export_json, export_markdown, export_opml, history_text, review_html, show_text, study_csv,
    study_text,
};
use relink_requests::Ports;
use relink_watch::{
    AddContent, AddRequest, AngleOptions, CollectionEdit, ImportSummary, MemberEditRequest,
    MemberSelector, PhraseOptions, ReviewPeriod, WatchAction, add_collection, apply_action,
    collection_list, edit_collection, edit_member, member_history, page_histories,
    remove_collection, replace_member, review_between, review_collection,
};

use self::files::{export_format, write_file, write_site};
use super::decay::find_crawl;
use super::text_style;
use crate::cli::{
    ExplainFormat, GlobalArgs, WatchAddArgs, WatchArgs, WatchCommand, WatchDiffArgs, WatchEditArgs,
    WatchExportFormat, WatchMemberArgs, WatchStudyFormat,
};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::{current_dir, database};
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
    match command {
        WatchCommand::Run(args) => run_pages::run_pages(*args, db, clock, global).await,
        WatchCommand::Suggest(args) => suggest::suggest(*args, db, clock, &global).await,
        WatchCommand::Keyphrases(args) => suggest::keyphrases(*args, db, clock, &global).await,
        WatchCommand::Reject(args) if !args.no_suggest => {
            suggest::reject(*args, db, clock, &global).await
        }
        WatchCommand::Focus(args) => focus::focus(*args, db, clock, &global).await,
        WatchCommand::Diff(args) if review::is_interactive(&args) => {
            review::review(*args, db, clock, &global).await
        }
        command => {
            let session = Session::open(db, clock).await?;
            session.run(command, text_style(&global)).await?;
            Ok(Exit::Clean)
        }
    }
}

impl Session {
    /// Opens the database with the default settings for requests.
    async fn open(db: Option<PathBuf>, clock: RunClock) -> Result<Self, CommandError> {
        let db = database(db, &current_dir()?)?;
        let fetch = relink_fetch::FetchSettings::default();
        let (ports, collections) =
            wiring::ports_with_collections(fetch, &db, Arc::new(clock)).await?;
        Ok(Self { ports, collections })
    }

    /// Runs a subcommand without request flags. The function [`run`] runs all others.
    async fn run(&self, command: WatchCommand, style: TextStyle) -> Result<(), CommandError> {
        match command {
            WatchCommand::Run(_)
            | WatchCommand::Suggest(_)
            | WatchCommand::Keyphrases(_)
            | WatchCommand::Focus(_) => Ok(()),
            WatchCommand::Add(args) => self.add(args).await,
            WatchCommand::List { format } => self.list(format).await,
            WatchCommand::Show { name, member: Some(member), format } => {
                self.history(&name, &member.0, format, style).await
            }
            WatchCommand::Show { name, member: None, format } => {
                self.show(&name, format, style).await
            }
            WatchCommand::Diff(args) => self.diff(&args, style).await,
            WatchCommand::Replace { name, member, url } => {
                replace_member(&self.ports, &*self.collections, &name, &member.0, &url).await?;
                print(&format!("replaced by {}\n", printable(&url)))
            }
            WatchCommand::Edit(args) => self.edit(args).await,
            WatchCommand::Study { names, format } => self.study(names, format).await,
            WatchCommand::Export { name, output, format } => {
                self.export(&name, output.as_deref(), format).await
            }
            WatchCommand::Accept(members) => self.act(&members, &WatchAction::Accept).await,
            WatchCommand::Reject(args) => {
                let action = WatchAction::Reject { reason: args.reason };
                self.act(&args.members, &action).await
            }
            WatchCommand::Mute { members, duration, reason } => {
                let duration = SignedDuration::try_from(duration.0).unwrap_or(SignedDuration::MAX);
                let now = self.ports.clock.now();
                let until = now.checked_add(duration).unwrap_or(Timestamp::MAX);
                self.act(&members, &WatchAction::Mute { until, reason }).await
            }
            WatchCommand::Remove { name, members, close } => {
                // Without members, the whole collection is removed.
                let members = (!members.is_empty()).then_some(WatchMemberArgs {
                    name: name.clone(),
                    members,
                    all: false,
                });
                self.remove(&name, members, close).await
            }
        }
    }

    async fn add(&self, args: WatchAddArgs) -> Result<(), CommandError> {
        let (source, content) = match (args.crawl, &args.file) {
            (Some(crawl), _) => {
                let run = find_crawl(&*self.ports.store, crawl).await?.id;
                (format!("crawl {run}"), AddContent::Crawl { run, under: args.under })
            }
            (None, Some(file)) => (file.display().to_string(), file_content(file, args.format)?),
            (None, None) => {
                return Err(CommandError::usage("no file")
                    .cause("a collection needs pages")
                    .hint("use a file, or `--crawl latest`"));
            }
        };
        let request = AddRequest {
            source,
            content,
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

    async fn show(
        &self,
        name: &str,
        format: ExplainFormat,
        style: TextStyle,
    ) -> Result<(), CommandError> {
        let report = review_collection(&self.ports, &*self.collections, name, "watch show").await?;
        match format {
            ExplainFormat::Human => print(&show_text(&report, style)),
            ExplainFormat::Json => print_json(&report),
        }
    }

    async fn history(
        &self,
        name: &str,
        member: &MemberSelector,
        format: ExplainFormat,
        style: TextStyle,
    ) -> Result<(), CommandError> {
        let history = member_history(&*self.collections, name, member).await?;
        match format {
            ExplainFormat::Human => print(&history_text(&history, style)),
            ExplainFormat::Json => print_json(&history),
        }
    }

    async fn diff(&self, args: &WatchDiffArgs, style: TextStyle) -> Result<(), CommandError> {
        let period = review_period(args)?;
        let (ports, collections) = (&self.ports, &*self.collections);
        let report = review_between(ports, collections, &args.name, "watch diff", period).await?;
        if let Some(path) = &args.output {
            write_review(&report, path)?;
        }
        match args.format {
            ExplainFormat::Human => print(&diff_text(&report, style)),
            ExplainFormat::Json => print_json(&report),
        }
    }

    async fn export(
        &self,
        name: &str,
        output: Option<&Path>,
        format: Option<WatchExportFormat>,
    ) -> Result<(), CommandError> {
        let report =
            review_collection(&self.ports, &*self.collections, name, "watch export").await?;
        let format = format.unwrap_or_else(|| export_format(output));
        let text = match format {
            WatchExportFormat::Site => return write_site(&report, output),
            WatchExportFormat::Markdown => export_markdown(&report),
            WatchExportFormat::Opml => export_opml(&report),
            WatchExportFormat::Bookmarks => export_bookmarks(&report),
            WatchExportFormat::Json => export_json(&report).map_err(cannot_encode)?,
        };
        match output {
            Some(path) => write_file(path, &text),
            None => print(&text),
        }
    }

    async fn study(
        &self,
        names: Vec<String>,
        format: WatchStudyFormat,
    ) -> Result<(), CommandError> {
        let (ports, collections) = (&self.ports, &*self.collections);
        let names = if names.is_empty() {
            let all = collection_list(ports, collections).await?;
            all.into_iter().map(|collection| collection.name).collect()
        } else {
            names
        };
        let mut reports = Vec::new();
        for name in &names {
            reports.push(review_collection(ports, collections, name, "watch study").await?);
        }
        let histories = page_histories(ports, collections, &names).await?;
        let study = StudyReport::new(&reports, &histories, self.ports.clock.now());
        match format {
            WatchStudyFormat::Human => print(&study_text(&study)),
            WatchStudyFormat::Csv => print(&study_csv(&study)),
            WatchStudyFormat::Json => print_json(&study),
        }
    }

    async fn edit(&self, args: WatchEditArgs) -> Result<(), CommandError> {
        let (ports, collections) = (&self.ports, &*self.collections);
        if let Some(member) = args.member {
            let edit = MemberEditRequest {
                title: args.title,
                annotation: args.note,
                tags: args.tag,
                position: args.position,
            };
            edit_member(ports, collections, &args.name, &member.0, &edit).await?;
        } else {
            let edit = CollectionEdit {
                title: args.title,
                description: args.description,
                tags: args.tag,
                context: args.context,
                is_automatic: args.automatic,
                angle: AngleOptions {
                    toward: args.toward,
                    // The paper writes this angle as a negative number.
                    away: args.away.map(f64::abs),
                    scaling: args.scaling,
                    noun_factor: args.noun_factor,
                },
                phrases: PhraseOptions {
                    adjectives: args.phrase_adjectives,
                    verbs: args.phrase_verbs,
                },
            };
            edit_collection(ports, collections, &args.name, &edit).await?;
        }
        print(&format!("edited `{}`\n", printable(&args.name)))
    }

    /// Applies an action to members and prints its effect.
    async fn act(&self, args: &WatchMemberArgs, action: &WatchAction) -> Result<(), CommandError> {
        let selectors = args.selectors();
        let urls =
            apply_action(&self.ports, &*self.collections, &args.name, &selectors, action).await?;
        print(&action_text(action, &urls))
    }

    async fn remove(
        &self,
        name: &str,
        members: Option<WatchMemberArgs>,
        closes_gaps: bool,
    ) -> Result<(), CommandError> {
        let Some(members) = members else {
            let count = remove_collection(&*self.collections, name).await?;
            let count = counted(count as u64, "member");
            return print(&format!("removed `{}` with {count}\n", printable(name)));
        };
        let action = if closes_gaps { WatchAction::Close } else { WatchAction::Remove };
        self.act(&members, &action).await
    }
}

/// Formats the effect of an action.
fn action_text(action: &WatchAction, urls: &[String]) -> String {
    if urls.is_empty() {
        return "nothing to do\n".to_owned();
    }
    let done = match action {
        WatchAction::Accept => "accepted",
        WatchAction::Reject { .. } => "rejected",
        WatchAction::Mute { .. } => "muted",
        WatchAction::Remove => "removed",
        WatchAction::Close => "closed",
    };
    let lines: Vec<String> = urls.iter().map(|url| format!("{done} {}", printable(url))).collect();
    lines.join("\n") + "\n"
}

fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    print(&format!("{}\n", serde_json::to_string_pretty(value).map_err(cannot_encode)?))
}

/// Returns the period of a review between two dates: from the end of `--from` to the end
/// of `--to`. Returns `None` without `--from`.
fn review_period(args: &WatchDiffArgs) -> Result<Option<ReviewPeriod>, CommandError> {
    let end_of_day = |day: Date| {
        let next = day.tomorrow().and_then(|next| next.to_zoned(TimeZone::UTC));
        next.map(|zoned| zoned.timestamp()).map_err(|error| {
            CommandError::usage(format!("invalid date `{day}`")).cause(error.to_string())
        })
    };
    let Some(from) = args.from else { return Ok(None) };
    let from = end_of_day(from)?;
    let to = match args.to {
        Some(day) => end_of_day(day)?,
        None => Timestamp::MAX,
    };
    if from > to {
        return Err(CommandError::usage("`--from` is after `--to`")
            .cause("the earlier version comes first")
            .hint("exchange the dates"));
    }
    Ok(Some(ReviewPeriod { from, to }))
}

fn write_review(report: &WatchReport, path: &Path) -> Result<(), CommandError> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("html")) {
        return Err(CommandError::usage(format!("cannot write `{}`", path.display()))
            .cause("a review is an HTML file")
            .hint("use a file name such as `review.html`"));
    }
    write_file(path, &review_html(report))
}

fn file_content(path: &Path, format: Option<ImportFormat>) -> Result<AddContent, CommandError> {
    let extension = path.extension().map(|text| text.to_string_lossy().into_owned());
    Ok(AddContent::File { extension, bytes: read_file(path)?, format })
}

/// Reads a file, or standard input for `-`. Limits the size.
fn read_file(path: &Path) -> Result<Vec<u8>, CommandError> {
    let cannot_read = |error: std::io::Error| cannot_read(path, &error);
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin();
        BoundedReader::new(stdin.lock(), MAX_DOCUMENT_BYTES)
            .read_to_end(&mut bytes)
            .map_err(cannot_read)?;
    } else {
        let file = std::fs::File::open(path).map_err(cannot_read)?;
        BoundedReader::new(file, MAX_DOCUMENT_BYTES)
            .read_to_end(&mut bytes)
            .map_err(cannot_read)?;
    }
    Ok(bytes)
}

fn cannot_read(path: &Path, error: &std::io::Error) -> CommandError {
    let message = CommandError::usage(format!("cannot read `{}`", path.display()));
    if path.to_string_lossy().contains("://") {
        return message
            .cause("it is a URL, not a file")
            .hint("save the list as a file first, or crawl the site and use `--crawl latest`");
    }
    message
        .cause(error.to_string())
        .hint("use a file of bookmarks, Markdown, CSV, OPML, JSON or URLs, or `-`")
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
        facts.extend(counts.map(|(count, change)| format!("{} {change}", grouped(count as u64))));
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
