//! `relink patterns`: what was learned about how sites moved.

use std::fmt::Write as _;

use relink_engine::{Revival, lesson_programs};
use relink_ports::{Store, StoredPattern};
use relink_report::human::counted;
use relink_report::printable;
use relink_revive::program::{LearnedProgram, ProgramScope};
use serde::{Deserialize, Serialize};

use crate::cli::{PatternsArgs, PatternsCommand};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::{current_folder, database};
use crate::wiring;

/// Examples that are shown of a pattern.
const EXAMPLES: usize = 5;

/// A pattern as it is exported.
#[derive(Serialize, Deserialize)]
struct PatternRow {
    directory: String,
    #[serde(default)]
    dead: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    learned: jiff::Timestamp,
    #[serde(default)]
    programs: Vec<LearnedProgram>,
}

/// Looks after what was learned.
pub async fn run(args: PatternsArgs) -> Result<Exit, CommandError> {
    let db = database(args.db, &current_folder()?)?;
    let is_reading = matches!(
        args.command,
        PatternsCommand::List | PatternsCommand::Show { .. } | PatternsCommand::Export
    );
    let store =
        if is_reading { wiring::store_for_reading(&db).await? } else { wiring::store(&db).await? };
    let store = &*store;
    match args.command {
        PatternsCommand::List => print(&list(&store.patterns().await?))?,
        PatternsCommand::Show { pattern } => print(&show(store, pattern.0).await?)?,
        PatternsCommand::Export => print(&export(&store.patterns().await?)?)?,
        PatternsCommand::Import { file } => import(store, &file).await?,
        PatternsCommand::Disable { pattern } => switch(store, pattern.0, true).await?,
        PatternsCommand::Enable { pattern } => switch(store, pattern.0, false).await?,
    }
    Ok(Exit::Clean)
}

fn list(lessons: &[StoredPattern]) -> String {
    if lessons.is_empty() {
        return "Nothing was learned yet. `relink revive` learns from what it finds.\n".to_owned();
    }
    lessons.iter().map(line).collect()
}

/// `P14  example.org/guide/  -> docs.example.org/<name>  (37 examples, 0 exceptions)`.
fn line(lesson: &StoredPattern) -> String {
    let directory = printable(&lesson.directory);
    let off = if lesson.is_disabled { "  (off)" } else { "" };
    if lesson.is_dead {
        return format!("P{}  {directory}  dead directory{off}\n", lesson.id);
    }
    let programs = lesson_programs(lesson);
    let Some(first) = programs.first() else {
        return format!("P{}  {directory}  nothing usable{off}\n", lesson.id);
    };
    let more = programs.len() - 1;
    let more = if more > 0 {
        format!(", and {}", counted(more as u64, "more program"))
    } else {
        String::new()
    };
    format!("P{}  {directory}  {}{more}{off}\n", lesson.id, told(first))
}

fn told(learned: &LearnedProgram) -> String {
    let text = learned.program.to_string();
    format!(
        "-> {}  ({}, {})",
        printable(&text),
        counted(learned.record.support as u64, "example"),
        counted(learned.record.exceptions as u64, "exception")
    )
}

/// How sure its answers are: in the directory itself, and below it. Where no
/// page of the directory itself moved in this way, they are the same.
fn trust(learned: &LearnedProgram) -> String {
    let below = learned.record.confidence_if_alive(ProgramScope::Below);
    if learned.record.own == 0 {
        return below.to_string();
    }
    format!("{} here, {below} below", learned.record.confidence_if_alive(ProgramScope::Own))
}

async fn show(store: &dyn Store, id: i64) -> Result<String, CommandError> {
    let lesson = find(store, id).await?;
    let mut text = line(&lesson);
    let _ = writeln!(text, "learned {}", lesson.learned.strftime("%Y-%m-%d %H:%M"));
    for learned in lesson_programs(&lesson) {
        let _ = writeln!(text, "  {}  {}", trust(&learned), told(&learned));
    }
    let mut shown = 0;
    for scheme in ["http://", "https://", "http://www.", "https://www."] {
        let prefix = format!("{scheme}{}", lesson.directory);
        for kept in store.revivals(&prefix, "", EXAMPLES).await? {
            let Ok(revival) = serde_json::from_str::<Revival>(&kept.report) else { continue };
            if let Some(alias) = revival.alias.filter(|_| shown < EXAMPLES) {
                let (old, new) = (revival.url.as_str(), alias.url.as_str());
                let _ = writeln!(text, "  {} -> {}", printable(old), printable(new));
                shown += 1;
            }
        }
    }
    Ok(text)
}

async fn find(store: &dyn Store, id: i64) -> Result<StoredPattern, CommandError> {
    let lessons = store.patterns().await?;
    lessons.into_iter().find(|lesson| lesson.id == id).ok_or_else(|| unknown(id))
}

fn unknown(id: i64) -> CommandError {
    CommandError::usage(format!("there is no pattern P{id}"))
        .hint("`relink patterns list` shows all")
}

fn export(lessons: &[StoredPattern]) -> Result<String, CommandError> {
    let rows: Vec<PatternRow> = lessons
        .iter()
        .map(|lesson| PatternRow {
            directory: lesson.directory.clone(),
            dead: lesson.is_dead,
            disabled: lesson.is_disabled,
            learned: lesson.learned,
            programs: lesson_programs(lesson),
        })
        .collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))
}

async fn import(store: &dyn Store, file: &std::path::Path) -> Result<(), CommandError> {
    let bad = |cause: String| {
        CommandError::usage(format!("cannot read patterns from `{}`", file.display()))
            .cause(cause)
            .hint("`relink patterns export` writes such files")
    };
    let text = relink_files::read_to_string(file).map_err(|error| bad(error.to_string()))?;
    let rows: Vec<PatternRow> =
        serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let count = rows.len() as u64;
    for row in rows {
        let lesson = StoredPattern {
            id: 0,
            directory: row.directory,
            is_dead: row.dead,
            is_disabled: row.disabled,
            learned: row.learned,
            programs: serde_json::to_string(&row.programs).map_err(cannot_encode)?,
        };
        let id = store.save_pattern(&lesson).await?;
        store.disable_pattern(id, row.disabled).await?;
    }
    print(&format!("{} taken in\n", counted(count, "pattern")))
}

async fn switch(store: &dyn Store, id: i64, is_disabled: bool) -> Result<(), CommandError> {
    if !store.disable_pattern(id, is_disabled).await? {
        return Err(unknown(id));
    }
    let state = if is_disabled { "off" } else { "on" };
    print(&format!("P{id} is {state}\n"))
}
