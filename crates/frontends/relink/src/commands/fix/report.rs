//! The summary and the rows of a repair.

use relink_engine::{FixStatus, LinkFix};
use relink_fix::Refusal;
use relink_report::human::counted;
use relink_report::{FixCommitRow, FixRow, FixRowStatus, printable, redact, redact_prose};

use super::commit::style_name;
use super::{WriteResult, wiki};

/// Prints the summary on standard error, so that standard output is a patch.
#[expect(clippy::print_stderr, reason = "standard output contains the patch")]
pub fn print_summary(fixes: &[LinkFix], result: &WriteResult) {
    let ready = fixes.iter().filter(|fix| fix.status == FixStatus::Ready).count();
    let links = counted(ready as u64, "link");
    let in_files = format!("{links} in {}", counted(result.documents as u64, "file"));
    for fix in fixes {
        if let Some(line) = open_line(fix) {
            eprintln!("{line}");
        }
    }
    for FixCommitRow { id, subject } in &result.commits {
        eprintln!("commit {id} {}", printable(subject));
    }
    if !result.wiki_edits.is_empty() {
        wiki::print_edits(&result.wiki_edits);
        return;
    }
    match &result.undo {
        _ if ready == 0 => eprintln!("nothing to repair"),
        None if !result.commits.is_empty() => {
            let commits = counted(result.commits.len() as u64, "commit");
            eprintln!("repaired {in_files} with {commits}; undo: git revert");
        }
        Some(id) => eprintln!("repaired {in_files}; undo: relink fix --undo {id}"),
        None => eprintln!("{in_files} can be repaired; write the changes with `--apply`"),
    }
}

/// Returns a line on a repair that was not made. A repair of an earlier run is not worth a
/// line.
fn open_line(fix: &LinkFix) -> Option<String> {
    let (kind, reason) = match &fix.status {
        FixStatus::Ready => return None,
        FixStatus::Rejected(reason) if *reason == Refusal::AlreadyPresent.to_string() => {
            return None;
        }
        FixStatus::NeedsReview(reason) => ("needs review", reason.to_string()),
        FixStatus::Rejected(reason) => ("not repaired", reason.clone()),
    };
    let location = &fix.location.location;
    Some(format!(
        "{}:{}:{}: {kind}: {} -> {} ({}; {})",
        printable(&fix.location.path),
        location.line,
        location.column,
        printable(&fix.old_url),
        printable(&fix.new_url),
        fix.cause,
        printable(&reason),
    ))
}

/// Returns the row of a repair.
pub fn row(fix: &LinkFix) -> FixRow<'_> {
    let (status, reason) = match &fix.status {
        FixStatus::Ready => (FixRowStatus::Ready, None),
        FixStatus::NeedsReview(reason) => (FixRowStatus::NeedsReview, Some(reason.to_string())),
        FixStatus::Rejected(reason) => (FixRowStatus::Rejected, Some(reason.clone())),
    };
    FixRow {
        path: &fix.location.path,
        line: fix.location.location.line,
        column: fix.location.location.column,
        old_url: redact(&fix.old_url),
        new_url: (!fix.new_url.is_empty()).then(|| redact(&fix.new_url)),
        code: fix.code.map(|code| code.to_string()),
        finding: redact_prose(&fix.finding),
        cause: fix.cause.name(),
        evidence: fix.cause.to_string(),
        style: style_name(fix.style),
        copy_gaps: fix.copy_gaps.iter().map(ToString::to_string).collect(),
        status,
        reason,
    }
}
