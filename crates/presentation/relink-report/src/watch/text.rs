//! Formats collections as terminal text.

use std::fmt::Write as _;

use jiff::Timestamp;
use relink_change::{AttributeSimilarity, ContextFlag};
use relink_collection::{Availability, MemberState, NextStep};
use relink_model::Verdict;

use super::{
    WatchChange, WatchKeyphrases, WatchList, WatchMember, WatchReport, WatchSuggestions,
    WatchSummary,
};
use crate::human::{COLUMNS, TextStyle, counted, cut_end, grouped, padded, shown_prose, shown_url};

/// The name of the search engine that searches the pages in the database.
const LOCAL_ENGINE: &str = "local index";

/// Maximum number of lines for each kind of change.
const MAX_LINES: usize = 5;

/// Formats the list of collections.
pub fn collection_table(collections: &[WatchSummary], now: Timestamp) -> String {
    if collections.is_empty() {
        return "No collections yet. Add one with `relink watch add FILE --name NAME`.\n"
            .to_owned();
    }
    collections.iter().map(|summary| collection_line(summary, now)).collect()
}

/// Formats a collection as one line.
fn collection_line(summary: &WatchSummary, now: Timestamp) -> String {
    let mut facts = vec![counted(summary.members, "page")];
    if summary.nested > 0 {
        facts.push(counted(summary.nested, "nested collection"));
    }
    let counts = [
        (summary.changed, "changed"),
        (summary.permanent, "gone"),
        (summary.temporary, "unavailable"),
        (summary.open, "open"),
        (summary.unchecked, "not checked"),
    ];
    let nonzero = counts.iter().filter(|(count, _)| *count > 0);
    facts.extend(nonzero.map(|(count, name)| format!("{} {name}", grouped(*count))));
    facts.push(next_check(summary, now));
    format!("{}  {}\n", padded(&shown_prose(&summary.name), 20), facts.join(" · "))
}

/// Formats the number of due members, or the time of the next check.
fn next_check(summary: &WatchSummary, now: Timestamp) -> String {
    match summary.next_at {
        _ if summary.due > 0 => format!("{} due", grouped(summary.due)),
        Some(at) => format!("next check in {}", rounded_duration(now, at)),
        None => "nothing to check".to_owned(),
    }
}

/// Formats the time from `from` to `to` in days, hours or minutes, such as `7 d`.
fn rounded_duration(from: Timestamp, to: Timestamp) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let seconds = u64::try_from(to.duration_since(from).as_secs()).unwrap_or(0);
    let rounded_to = |unit: u64| (seconds + unit / 2) / unit;
    match seconds {
        _ if rounded_to(HOUR) >= 48 => format!("{} d", rounded_to(DAY)),
        _ if rounded_to(MINUTE) >= 90 => format!("{} h", rounded_to(HOUR)),
        _ => format!("{} min", rounded_to(MINUTE).max(1)),
    }
}

/// Formats all members of a collection.
pub fn show_text(report: &WatchReport, style: TextStyle) -> String {
    let mut text = String::new();
    // Skip folders that contain only nested collections.
    let is_shown = |list: &&WatchList| {
        !list.members.is_empty() || !list.description.is_empty() || report.lists.len() == 1
    };
    for list in report.lists.iter().filter(is_shown) {
        append_list_head(&mut text, list, style);
        for member in &list.members {
            let _ = writeln!(text, "{}", member_line(member, style));
            append_details(&mut text, member, style);
        }
    }
    append_warnings(&mut text, report);
    text
}

/// Appends the name, context, description and tags of a collection.
fn append_list_head(text: &mut String, list: &WatchList, style: TextStyle) {
    let head = format!(
        "{} · {} · context: {}",
        style.strong(&shown_prose(&list.name)),
        counted(list.members.len() as u64, "page"),
        list.context.as_str()
    );
    let _ = writeln!(text, "{head}");
    for line in [&list.description, &list.tags.join(", ")] {
        if !line.is_empty() {
            let _ = writeln!(text, "  {}", cut_end(&shown_prose(line), COLUMNS));
        }
    }
}

/// Appends the URL, the annotation and the remarks of a member.
fn append_details(text: &mut String, member: &WatchMember, style: TextStyle) {
    let _ = writeln!(text, "       {}", style.quiet(&shown_url(&member.url)));
    if !member.annotation.is_empty() {
        let _ = writeln!(text, "       {}", cut_end(&shown_prose(&member.annotation), COLUMNS));
    }
    if let Some(replaced) = &member.replaced_url {
        let _ = writeln!(text, "       replaces {}", shown_url(replaced));
    }
    if !member.user_reason.is_empty() {
        let _ = writeln!(text, "       note: {}", shown_prose(&member.user_reason));
    }
}

/// Formats the members that need attention, with their changes.
pub fn diff_text(report: &WatchReport, style: TextStyle) -> String {
    let mut text = format!("{}\n", headline(report, style));
    for list in &report.lists {
        let notable: Vec<&WatchMember> =
            list.members.iter().filter(|member| is_notable(member)).collect();
        if notable.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", style.strong(&shown_prose(&list.name)));
        for member in notable {
            let _ = writeln!(text, "{}", member_line(member, style));
            let _ = writeln!(text, "       {}", style.quiet(&shown_url(&member.url)));
            if let Some(change) = &member.change {
                append_change(&mut text, change, style);
            }
            append_next_step(&mut text, member, style);
        }
    }
    append_warnings(&mut text, report);
    text
}

/// Whether a member needs the attention of the user.
pub(super) fn is_notable(member: &WatchMember) -> bool {
    match member.next_step {
        // Reviews of earlier versions do not propose steps.
        None => member.change.is_some(),
        Some(NextStep::None) => is_at_risk(member) && member.muted_until.is_none(),
        Some(step) => step != NextStep::Run,
    }
}

/// Whether the page is live, but likely to be lost (RL901, RL902).
fn is_at_risk(member: &WatchMember) -> bool {
    member.state == MemberState::Active && member.verdict == Some(Verdict::AtRisk)
}

/// Formats the counters of a collection in one line.
pub(super) fn headline(report: &WatchReport, style: TextStyle) -> String {
    let count = |matches: &dyn Fn(&WatchMember) -> bool| {
        let members = report.members().filter(|member| matches(member));
        u64::try_from(members.count()).unwrap_or(u64::MAX)
    };
    let all = count(&|_| true);
    let is_reported = |member: &WatchMember| member.muted_until.is_none();
    let changed = count(&|member| member.change.is_some() && is_reported(member));
    let out_of_place = count(&|member| is_out_of_place(member) && is_reported(member));
    let mut facts = vec![counted(all, "page")];
    facts.push(match out_of_place {
        0 => format!("≈ {} changed", grouped(changed)),
        _ => format!("≈ {} changed ({} out of place)", grouped(changed), grouped(out_of_place)),
    });
    let gone = count(&|member| member.availability == Availability::Permanent);
    let failing = count(&|member| member.availability == Availability::Temporary);
    let open = count(&|member| member.state != MemberState::Active);
    let unchecked = count(&|member| member.availability == Availability::Unchecked);
    let at_risk = count(&is_at_risk);
    let other_counts = [
        ("☆", at_risk, "at risk"),
        ("✗", gone, "gone"),
        ("◌", failing, "unavailable"),
        ("□", open, "open"),
        ("·", unchecked, "not checked"),
    ];
    let rows = other_counts.iter().filter(|(_, count, _)| *count > 0);
    facts.extend(rows.map(|(symbol, count, name)| format!("{symbol} {} {name}", grouped(*count))));
    format!("{} · {}", style.strong(&shown_prose(&report.name)), facts.join(" · "))
}

/// Whether the changed page no longer fits its collection.
fn is_out_of_place(member: &WatchMember) -> bool {
    member.context.is_some_and(|context| context.flag == ContextFlag::OutOfPlace)
}

/// Formats one line: number, title and status.
fn member_line(member: &WatchMember, style: TextStyle) -> String {
    let title = if member.title.is_empty() { &member.url } else { &member.title };
    let title = cut_end(&shown_prose(title), 60);
    let number = format!("{:>4}.", member.number);
    let status = status(member);
    let status = match member.verdict {
        // A changed page has the color of drifted pages, not of unchanged ones.
        Some(Verdict::Alive) if member.change.is_some() => style.verdict(Verdict::Drifted, &status),
        Some(verdict) => style.verdict(verdict, &status),
        None => status,
    };
    format!("{number} {title}  {status}")
}

/// Returns the status of a member in words.
pub(super) fn status(member: &WatchMember) -> String {
    match (member.state, member.availability) {
        (MemberState::Gap, _) => return "□ gap".to_owned(),
        (MemberState::Rejected, _) => return "✗ rejected".to_owned(),
        (_, Availability::Unchecked) => return "· not checked".to_owned(),
        (_, Availability::Temporary) => return unavailable(member, "◌", "probably temporary"),
        (_, Availability::Permanent) => return unavailable(member, "✗", "probably permanent"),
        _ => {}
    }
    let mut status = match &member.change {
        None => "✓ unchanged".to_owned(),
        Some(change) => format!("≈ {}", change_text(change)),
    };
    if let Some(context) = &member.context {
        let _ = write!(status, ", {}", context_text(context));
    }
    if is_at_risk(member) {
        let _ = write!(status, ", at risk: {}", shown_prose(&member.reason));
    }
    if member.muted_until.is_some() {
        status.push_str(", muted");
    }
    status
}

/// Formats the status of a page that cannot be reached.
fn unavailable(member: &WatchMember, symbol: &str, class: &str) -> String {
    let verdict = member.verdict.map_or("unavailable", Verdict::as_str);
    let reason =
        if member.reason.is_empty() { String::new() } else { format!(": {}", member.reason) };
    format!("{symbol} {verdict}, {class}{}", shown_prose(&reason))
}

/// Describes the size of a change: `moderate change: 31 % of the text, 4 % of the links`.
pub(super) fn change_text(change: &WatchChange) -> String {
    let percent = |share: f64| match share {
        share if share > 0.0 && share < 0.01 => "< 1 %".to_owned(),
        share => format!("{:.0} %", share * 100.0),
    };
    format!(
        "{} change: {} of the text, {} of the links",
        change.level,
        percent(change.content),
        percent(change.links)
    )
}

/// Formats the angle between page and collection: `context angle 71°, was 12° (out of place)`.
pub(super) fn context_text(context: &relink_collection::ContextJudgment) -> String {
    let flag = match context.flag {
        ContextFlag::Fits => "fits",
        ContextFlag::Unclear => "unclear",
        ContextFlag::OutOfPlace => "out of place",
    };
    format!("context angle {:.0}°, was {:.0}° ({flag})", context.angle_after, context.angle_before)
}

/// Appends the excerpts of removed, added and moved blocks and links.
fn append_change(text: &mut String, change: &WatchChange, style: TextStyle) {
    let kinds = [
        ("-", &change.removed),
        ("+", &change.added),
        ("~", &change.moved),
        ("- link", &change.removed_links),
        ("+ link", &change.added_links),
    ];
    for (sign, excerpts) in kinds {
        // The title of a page is often also its first heading.
        let mut excerpts: Vec<&String> = excerpts.iter().collect();
        excerpts.dedup();
        for excerpt in excerpts.iter().take(MAX_LINES) {
            let line = format!("{sign} {}", shown_prose(excerpt));
            let line = cut_end(&line, COLUMNS);
            let line = match sign.chars().next() {
                Some('-') => style.verdict(Verdict::Dead, &line),
                Some('+') => style.verdict(Verdict::Alive, &line),
                _ => line,
            };
            let _ = writeln!(text, "       {line}");
        }
        if let Some(more) = excerpts.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
            let _ = writeln!(text, "       {sign} … {} more", grouped(more as u64));
        }
    }
}

/// Appends the proposed next step.
fn append_next_step(text: &mut String, member: &WatchMember, style: TextStyle) {
    if let Some(step) = member.next_step.filter(|step| *step != NextStep::None) {
        let _ = writeln!(text, "       {} {}", style.help("next:"), step_text(step));
    }
}

/// Returns the proposed next step as a phrase.
pub(super) const fn step_text(step: NextStep) -> &'static str {
    match step {
        NextStep::None => "nothing to do",
        NextStep::Run => "check the page (`relink watch run`)",
        NextStep::Wait => "wait for the next check",
        NextStep::Accept => "accept: the page still fits its collection",
        NextStep::Review => "read the change, then accept or reject it",
        NextStep::Reject => "reject: the page left the topic of its collection",
        NextStep::Replace => "replace: search for another page",
        NextStep::Fill => "fill or close the gap",
    }
}

/// Formats the candidates for a member.
pub fn suggestion_text(suggestions: &WatchSuggestions, style: TextStyle) -> String {
    let mut text = format!("{}\n", style.strong(&shown_url(&suggestions.url)));
    for candidate in &suggestions.candidates {
        let kind = padded(candidate.kind.as_str(), 9);
        let _ = writeln!(text, "{kind} {}", shown_url(&candidate.url));
        let _ = write!(text, "          {}", shown_prose(&candidate.reason));
        if let Some(similarity) = &candidate.similarity {
            let _ = write!(text, "; {}", similarity_text(similarity));
        }
        if let Some(context) = &candidate.context {
            let _ = write!(text, "; {}", context_text(context));
        }
        text.push('\n');
    }
    if suggestions.candidates.is_empty() {
        text.push_str("no candidates found\n");
        if suggestions.engines.iter().all(|engine| engine == LOCAL_ENGINE) {
            text.push_str(
                "hint: only pages in the database were searched; use `--search ENGINE` to search \
                 the web\n",
            );
        }
    }
    for warning in &suggestions.warnings {
        let _ = writeln!(text, "warning: {}", shown_prose(warning));
    }
    text
}

/// Returns the similarity and its known parts: `similarity 62 % (text 55 %, images 80 %)`.
pub(super) fn similarity_text(similarity: &AttributeSimilarity) -> String {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let parts = [
        ("text", similarity.text),
        ("images", similarity.images),
        ("links", similarity.links),
        ("titles of linked pages", similarity.titles),
    ];
    let parts =
        parts.iter().filter_map(|(name, value)| Some(format!("{name} {}", percent((*value)?))));
    let parts: Vec<String> = parts.collect();
    format!("similarity {} ({})", percent(similarity.total), parts.join(", "))
}

/// Formats the keyphrases of members.
pub fn keyphrase_text(members: &[WatchKeyphrases], style: TextStyle) -> String {
    let mut text = String::new();
    for member in members {
        let title = if member.title.is_empty() { &member.url } else { &member.title };
        let title = format!("{:>4}. {}", member.number, cut_end(&shown_prose(title), 60));
        let _ = writeln!(text, "{}", style.strong(&title));
        for (name, phrases) in [("exact", &member.exact), ("similar", &member.similar)] {
            let _ = writeln!(text, "       {name}: {}", shown_prose(&phrases.join(" · ")));
        }
        let source = &member.source;
        let mut source_text = format!("{} ({})", source.engine, counted(source.pages, "page"));
        if let Some(at) = source.counted_at {
            let _ = write!(source_text, ", {}", at.strftime("%Y-%m-%d"));
        }
        let _ = writeln!(
            text,
            "       {}",
            style.quiet(&format!("ordered by {}", shown_prose(&source_text)))
        );
    }
    if members.is_empty() {
        text.push_str("no keyphrases yet; run `relink watch run` first\n");
    }
    text
}

/// Appends the warnings of the report.
fn append_warnings(text: &mut String, report: &WatchReport) {
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {}", shown_prose(warning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_is_rounded_to_one_unit() {
        let check = |seconds: i64, expect: &str| {
            let to = Timestamp::from_second(seconds).unwrap();
            assert_eq!(rounded_duration(Timestamp::UNIX_EPOCH, to), expect);
        };
        check(0, "1 min");
        check(3_590, "60 min");
        check(86_399, "24 h");
        check(604_000, "7 d");
    }
}
