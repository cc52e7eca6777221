//! The output of `relink fix`: the summary on standard error, and the rows of the JSON report.

use std::collections::BTreeMap;

use relink_fix::Refusal;
use relink_repair::{FixStatus, LinkFix};
use relink_report::human::counted;
use relink_report::{FixCommitRow, FixRow, FixRowStatus, printable, redact, redact_prose};

use super::commit::style_name;
use super::{WriteResult, wiki};

/// Prints the summary on standard error, because standard output contains only the patch.
#[expect(clippy::print_stderr, reason = "standard output contains the patch")]
pub fn print_summary(fixes: &[LinkFix], result: &WriteResult) {
    let ready = fixes.iter().filter(|fix| fix.status == FixStatus::Ready).count();
    let links = counted(ready as u64, "link");
    let links_in_files = format!("{links} in {}", counted(result.documents as u64, "file"));
    for line in fixes.iter().filter_map(unrepaired_line).chain(dead_link_lines(fixes)) {
        eprintln!("{line}");
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
            eprintln!("repaired {links_in_files} with {commits}; undo: git revert");
        }
        Some(id) => eprintln!("repaired {links_in_files}; undo: relink fix --undo {id}"),
        None => eprintln!("{links_in_files} can be repaired; write the changes with `--apply`"),
    }
}

/// Returns one line per reason: the number of dead links that have no new URL and could not
/// be marked as dead in the document.
fn dead_link_lines(fixes: &[LinkFix]) -> impl Iterator<Item = String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for fix in fixes.iter().filter(|fix| fix.cause.is_mark()) {
        if let FixStatus::Rejected(reason) = &fix.status {
            *counts.entry(reason.as_str()).or_default() += 1;
        }
    }
    let line =
        |(reason, count)| format!("not repaired: {} ({reason})", counted(count, "dead link"));
    counts.into_iter().filter(|(reason, _)| *reason != already_present()).map(line)
}

/// Returns the reason why a repair of an earlier run is not repeated.
fn already_present() -> String {
    Refusal::AlreadyPresent.to_string()
}

/// Returns a line on a repair that was not made. Returns `None` for a repair that an earlier
/// run made, and for marks of dead links, which are counted in other lines.
fn unrepaired_line(fix: &LinkFix) -> Option<String> {
    let (kind, reason) = match &fix.status {
        FixStatus::Ready => return None,
        FixStatus::Rejected(reason) if fix.cause.is_mark() || *reason == already_present() => {
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

/// Returns the source of the new URL and the facts that support it.
pub fn evidence(fix: &LinkFix) -> String {
    match fix.evidence.as_slice() {
        [] => fix.cause.to_string(),
        notes => format!("{}: {}", fix.cause, redact_prose(&notes.join("; "))),
    }
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
        evidence: evidence(fix),
        style: style_name(fix.style),
        copy_gaps: fix.copy_gaps.iter().map(ToString::to_string).collect(),
        status,
        reason,
    }
}
