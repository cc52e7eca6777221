//! `relink patterns`: lists and manages learned URL patterns.
//!
//! A pattern is a rule by which the URLs of one directory changed. It consists of programs,
//! which compute a new URL from an old one. A pattern without a usable program may have a
//! coarse form, which only selects among search results. A directory is dead if no new URL
//! was found for any of its pages.

use std::fmt::Write as _;

use relink_ports::{Store, StoredPattern};
use relink_repair::{PatternContent, Revival};
use relink_report::human::counted;
use relink_report::printable;
use relink_revive::program::{LearnedProgram, ProgramScope};
use serde::{Deserialize, Serialize};

use crate::cli::{PatternsArgs, PatternsCommand};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::{current_dir, database};
use crate::wiring;

/// Maximum number of examples per pattern.
const MAX_EXAMPLES: usize = 5;

/// An exported pattern.
#[derive(Serialize, Deserialize)]
struct PatternRow {
    directory: String,
    #[serde(default)]
    dead: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    learned_at: jiff::Timestamp,
    #[serde(flatten)]
    content: PatternContent,
}

/// Runs `relink patterns`.
pub async fn run(args: PatternsArgs) -> Result<Exit, CommandError> {
    let db = database(args.db, &current_dir()?)?;
    let is_reading = matches!(
        args.command,
        PatternsCommand::List | PatternsCommand::Show { .. } | PatternsCommand::Export
    );
    let store =
        if is_reading { wiring::store_for_reading(&db).await? } else { wiring::store(&db).await? };
    let store = &*store;
    match args.command {
        PatternsCommand::List => print(&list_text(&store.patterns().await?))?,
        PatternsCommand::Show { pattern } => print(&pattern_text(store, pattern.0).await?)?,
        PatternsCommand::Export => print(&export_json(&store.patterns().await?)?)?,
        PatternsCommand::Import { file } => import(store, &file).await?,
        PatternsCommand::Disable { pattern } => set_disabled(store, pattern.0, true).await?,
        PatternsCommand::Enable { pattern } => set_disabled(store, pattern.0, false).await?,
    }
    Ok(Exit::Clean)
}

fn list_text(patterns: &[StoredPattern]) -> String {
    if patterns.is_empty() {
        return "No patterns yet. `relink revive` learns them from its results.\n".to_owned();
    }
    patterns.iter().map(pattern_line).collect()
}

/// Formats a line: `P14  example.org/guide/  -> docs.example.org/<name>  (37 examples, 0 exceptions)`.
fn pattern_line(pattern: &StoredPattern) -> String {
    let directory = printable(&pattern.directory);
    let disabled = if pattern.is_disabled { "  (disabled)" } else { "" };
    if pattern.is_dead {
        return format!("P{}  {directory}  dead directory{disabled}\n", pattern.id);
    }
    let PatternContent { programs, coarse } = PatternContent::from_stored(pattern);
    let Some(first) = programs.first() else {
        let text = match coarse {
            None => "no usable program".to_owned(),
            Some(coarse) => {
                format!("~> {}  (pattern for search results)", printable(&coarse.to_string()))
            }
        };
        return format!("P{}  {directory}  {text}{disabled}\n", pattern.id);
    };
    let other_programs = programs.len() - 1;
    let more = if other_programs > 0 {
        format!(", and {}", counted(other_programs as u64, "more program"))
    } else {
        String::new()
    };
    format!("P{}  {directory}  {}{more}{disabled}\n", pattern.id, program_text(first))
}

fn program_text(learned: &LearnedProgram) -> String {
    let text = learned.program.to_string();
    format!(
        "-> {}  ({}, {})",
        printable(&text),
        counted(learned.record.support as u64, "example"),
        counted(learned.record.exceptions as u64, "exception")
    )
}

/// Formats the confidence of a program for the directory itself and for its
/// subdirectories. The two values are equal if no example is from the directory itself.
fn confidence_text(learned: &LearnedProgram) -> String {
    let in_subdirectories = learned.record.confidence_if_alive(ProgramScope::Subdirectory);
    if learned.record.own_support == 0 {
        return in_subdirectories.to_string();
    }
    let in_directory = learned.record.confidence_if_alive(ProgramScope::OwnDirectory);
    format!("{in_directory} in this directory, {in_subdirectories} below")
}

/// Formats a pattern with its programs and some pages that it found.
async fn pattern_text(store: &dyn Store, id: i64) -> Result<String, CommandError> {
    let pattern = find_pattern(store, id).await?;
    let mut text = pattern_line(&pattern);
    let _ = writeln!(text, "learned {}", pattern.learned_at.strftime("%Y-%m-%d %H:%M"));
    let content = PatternContent::from_stored(&pattern);
    for learned in &content.programs {
        let _ = writeln!(text, "  {}  {}", confidence_text(learned), program_text(learned));
    }
    if let Some(coarse) = &content.coarse {
        let _ = writeln!(text, "  search results: {}", printable(&coarse.to_string()));
    }
    let mut examples = 0;
    // The directory of a pattern has no scheme and no `www.`.
    for start in ["http://", "https://", "http://www.", "https://www."] {
        let prefix = format!("{start}{}", pattern.directory);
        for stored in store.revivals(&prefix, "", MAX_EXAMPLES).await? {
            let Ok(revival) = serde_json::from_str::<Revival>(&stored.report) else { continue };
            if let Some(alias) = revival.alias.filter(|_| examples < MAX_EXAMPLES) {
                let (old, new) = (revival.url.as_str(), alias.url.as_str());
                let _ = writeln!(text, "  {} -> {}", printable(old), printable(new));
                examples += 1;
            }
        }
    }
    Ok(text)
}

async fn find_pattern(store: &dyn Store, id: i64) -> Result<StoredPattern, CommandError> {
    let patterns = store.patterns().await?;
    patterns.into_iter().find(|pattern| pattern.id == id).ok_or_else(|| unknown_pattern(id))
}

fn unknown_pattern(id: i64) -> CommandError {
    CommandError::usage(format!("unknown pattern P{id}"))
        .hint("run `relink patterns list` to list all patterns")
}

fn export_json(patterns: &[StoredPattern]) -> Result<String, CommandError> {
    let rows: Vec<PatternRow> = patterns
        .iter()
        .map(|pattern| PatternRow {
            directory: pattern.directory.clone(),
            dead: pattern.is_dead,
            disabled: pattern.is_disabled,
            learned_at: pattern.learned_at,
            content: PatternContent::from_stored(pattern),
        })
        .collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))
}

async fn import(store: &dyn Store, file: &std::path::Path) -> Result<(), CommandError> {
    let cannot_read = |cause: String| {
        CommandError::usage(format!("cannot read patterns from `{}`", file.display()))
            .cause(cause)
            .hint("use a file written by `relink patterns export`")
    };
    let text =
        relink_files::read_to_string(file).map_err(|error| cannot_read(error.to_string()))?;
    let rows: Vec<PatternRow> =
        serde_json::from_str(&text).map_err(|error| cannot_read(error.to_string()))?;
    let count = rows.len() as u64;
    for row in rows {
        let pattern = StoredPattern {
            // The store assigns the id.
            id: 0,
            directory: row.directory,
            is_dead: row.dead,
            is_disabled: row.disabled,
            learned_at: row.learned_at,
            programs: serde_json::to_string(&row.content).map_err(cannot_encode)?,
        };
        let id = store.save_pattern(&pattern).await?;
        store.disable_pattern(id, row.disabled).await?;
    }
    print(&format!("imported {}\n", counted(count, "pattern")))
}

async fn set_disabled(store: &dyn Store, id: i64, is_disabled: bool) -> Result<(), CommandError> {
    if !store.disable_pattern(id, is_disabled).await? {
        return Err(unknown_pattern(id));
    }
    let state = if is_disabled { "disabled" } else { "enabled" };
    print(&format!("P{id} is {state}\n"))
}
