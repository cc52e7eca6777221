//! Actions of managers (`answer`, `hide`, `restore`, `lift`, `note`, `recheck`), and broken
//! links that users report (`flag`).
//!
//! The subject of an action is a record, a URL or a domain. With `hide` and `restore`, a
//! manager decides whether records are visible. `lift` ends this decision.

use relink_federation::{FlagOutcome, ManagerAction, SubjectMatch};
use relink_report::human::counted;
use relink_report::printable;
use relink_survey::OverrideAction;

use super::Session;
use crate::cli::{ExplainFormat, FlagArgs, HarvestCommand, RecheckArgs};
use crate::commands::signals::stop_on_signal;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// Maximum number of records in a preview.
const MAX_PREVIEW: usize = 20;
/// The name that is stored if `--user` is not given.
pub const UNKNOWN_USER: &str = "unknown";

/// Runs `answer`, `hide`, `restore`, `lift` or `note`.
pub async fn act(command: HarvestCommand, session: &Session) -> Result<Exit, CommandError> {
    let (args, action) = match command {
        HarvestCommand::Answer { subject, until } => (subject, ManagerAction::Answer { until }),
        HarvestCommand::Hide(args) => (args, ManagerAction::Override(OverrideAction::Hide)),
        HarvestCommand::Restore(args) => (args, ManagerAction::Override(OverrideAction::Restore)),
        HarvestCommand::Lift(args) => (args, ManagerAction::Lift),
        HarvestCommand::Note(args) => (args, ManagerAction::Note),
        _ => return Err(CommandError::internal("the command is not an action")),
    };
    let (provider, _) = session.provider(&args.provider).await?;
    let harvester = session.harvester();
    let matched = harvester.find_subject(&provider, &args.subject).await?;
    let matched = matched.ok_or_else(|| {
        unknown_subject(&args.provider, &args.subject)
            .hint("run `relink harvest export` to list the records")
    })?;
    if args.dry_run {
        return print_preview(&matched, action_name(&action));
    }
    let user = args.user.as_deref().unwrap_or(UNKNOWN_USER);
    let count = harvester.act(&provider, &matched, &action, user, &args.reason).await?;
    print(&format!("{}: {}\n", describe(&matched), result_text(&action, count)))?;
    Ok(Exit::Clean)
}

fn unknown_subject(provider: &str, subject: &str) -> CommandError {
    CommandError::usage(format!("provider `{provider}` has no record, URL or domain `{subject}`"))
}

/// Formats a subject, such as `domain example.org`.
fn describe(matched: &SubjectMatch) -> String {
    format!("{} {}", matched.subject.scope, printable(&matched.subject.name))
}

fn result_text(action: &ManagerAction, count: u64) -> String {
    match action {
        ManagerAction::Answer { until } => {
            format!("{} suspended until {until}", counted(count, "incident"))
        }
        ManagerAction::Override(OverrideAction::Hide) => {
            format!("{} hidden", counted(count, "record"))
        }
        ManagerAction::Override(OverrideAction::Restore) => {
            format!("{} shown", counted(count, "record"))
        }
        ManagerAction::Lift => format!("{} changed", counted(count, "record")),
        ManagerAction::Note => "note stored".to_owned(),
    }
}

/// Prints the records that an action would affect.
fn print_preview(matched: &SubjectMatch, action: &str) -> Result<Exit, CommandError> {
    let total = matched.records.len();
    let mut text = format!(
        "{action} would affect {} ({}):\n",
        counted(total as u64, "record"),
        describe(matched)
    );
    for record in matched.records.iter().take(MAX_PREVIEW) {
        let title = record.title.as_deref().unwrap_or_default();
        let state = if record.is_visible { "visible" } else { "hidden" };
        text.extend([format!(
            "  {state}  {}  {}\n",
            printable(&record.identifier),
            printable(title)
        )]);
    }
    if total > MAX_PREVIEW {
        text.extend([format!("  … and {} more\n", total - MAX_PREVIEW)]);
    }
    print(&text)?;
    Ok(Exit::Clean)
}

fn action_name(action: &ManagerAction) -> &'static str {
    match action {
        ManagerAction::Answer { .. } => "answer",
        ManagerAction::Override(action) => action.as_str(),
        ManagerAction::Lift => "lift",
        ManagerAction::Note => "note",
    }
}

/// Runs `recheck`.
pub async fn recheck(args: &RecheckArgs, session: &Session) -> Result<Exit, CommandError> {
    let (provider, settings) = session.provider(&args.provider).await?;
    let harvester = session.harvester();
    let matched = harvester.find_subject(&provider, &args.subject).await?;
    let matched = matched.ok_or_else(|| unknown_subject(&args.provider, &args.subject))?;
    if args.dry_run {
        return print_preview(&matched, "recheck");
    }
    let stop = stop_on_signal();
    let row = harvester.recheck(&provider, &settings, &matched, &stop).await?;
    let user = args.user.as_deref().unwrap_or(UNKNOWN_USER);
    let subject = &matched.subject.name;
    harvester.record_event(&provider, "recheck", subject, user, &args.reason).await?;
    match args.format {
        ExplainFormat::Json => {
            print(&format!("{}\n", serde_json::to_string_pretty(&row).map_err(cannot_encode)?))?;
        }
        ExplainFormat::Human => print(&row.text())?,
    }
    Ok(super::exit_code(&[row], stop.is_stopped()))
}

/// Runs `flag`.
pub async fn flag(args: &FlagArgs, session: &Session) -> Result<Exit, CommandError> {
    let stop = stop_on_signal();
    let harvester = session.harvester();
    let user = args.user.as_deref().unwrap_or(UNKNOWN_USER);
    let mut outcomes = Vec::new();
    for (provider, settings) in session.providers(&[]).await? {
        let outcome = harvester.flag(&provider, &settings, &args.url, user, &stop).await?;
        if outcome != FlagOutcome::Unknown {
            outcomes.push((provider.name, outcome));
        }
    }
    if outcomes.is_empty() {
        return Err(CommandError::usage(format!("no record has the URL `{}`", args.url)));
    }
    let mut exit = if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean };
    for (provider, outcome) in outcomes {
        let text = match outcome {
            FlagOutcome::Hidden(0) => {
                "confirmed, the provider is asked; no record is hidden, because \
                                       each has another location or is shown by a manager"
                    .to_owned()
            }
            FlagOutcome::Hidden(count) => {
                format!("confirmed, {} hidden, the provider is asked", counted(count, "record"))
            }
            FlagOutcome::AlreadyHidden => "known, the records are hidden already".to_owned(),
            FlagOutcome::Rejected(reason) => format!("not confirmed: {reason}"),
            // The local network may have failed.
            FlagOutcome::InDoubt(reason) => {
                if !stop.is_stopped() {
                    exit = Exit::Inconclusive;
                }
                format!("not checked: {reason}")
            }
            FlagOutcome::Unknown => continue,
        };
        print(&format!("{}: {}\n", printable(&provider), printable(&text)))?;
    }
    Ok(exit)
}
