//! The report of a crawl as terminal text.
//!
//! Shows only the most important rows; the HTML page and the JSON contain all rows.

use relink_model::Verdict;

use super::dead_directories::dead_directories;
use super::{SiteFinding, SiteReport, depth_bars};
use crate::human::{TextStyle, counted, duration, grouped, shown_prose, shown_url, summary};

/// Maximum number of dead directories.
const MAX_DIRECTORIES: usize = 5;
/// Maximum number of spider traps.
const MAX_TRAPS: usize = 20;
/// Maximum number of findings.
const MAX_FINDINGS: usize = 10;

/// Formats the report of a crawl.
pub fn human(report: &SiteReport, style: TextStyle) -> String {
    report_text(report, style, &findings(report, style))
}

/// Formats the report of a crawl without its findings.
pub fn overview(report: &SiteReport, style: TextStyle) -> String {
    report_text(report, style, "")
}

/// Formats a report; `findings` is its list of findings.
fn report_text(report: &SiteReport, style: TextStyle, findings: &str) -> String {
    let mut text = format!("{}\n{}\n", title(report, style), sizes(report));
    for line in termination_note(report).into_iter().chain(depth_lines(report)) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&summary(style, &report.verdicts));
    text.push_str(findings);
    let last_lines = [
        dead_directory_lines(report, style),
        trap_lines(report),
        other_problems(report),
        not_followed(report),
        notes(report),
        compared(report),
    ];
    for line in last_lines.concat() {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Formats the first line: seed, id and start of the crawl.
fn title(report: &SiteReport, style: TextStyle) -> String {
    let seed = report.seeds.first().map(|seed| shown_url(seed)).unwrap_or_default();
    let started = report.started_at.strftime("%Y-%m-%d %H:%M UTC");
    format!("{}  crawl {}, {started}", style.strong(&seed), report.run)
}

/// Formats the totals: `864 pages · 11,203 links · 3m12s`.
fn sizes(report: &SiteReport) -> String {
    let elapsed = report.finished_at.duration_since(report.started_at).as_millis();
    let elapsed = duration(u64::try_from(elapsed).unwrap_or(0));
    format!("{} · {} · {elapsed}", counted(report.pages, "page"), counted(report.links, "link"))
}

/// Formats the reason why the crawl ended early.
fn termination_note(report: &SiteReport) -> Option<String> {
    report.termination_note.as_deref().map(|note| format!("! {}", shown_prose(note)))
}

/// Formats the pages per depth as bars, and the depth from which few new links appear.
fn depth_lines(report: &SiteReport) -> Vec<String> {
    if report.depths.is_empty() {
        return Vec::new();
    }
    let note = report.saturation_depth.map(|depth| format!("few new links from depth {depth} on"));
    [depth_bars(&report.depths)].into_iter().chain(note).collect()
}

/// Formats the most important findings, one per line.
fn findings(report: &SiteReport, style: TextStyle) -> String {
    let shown = report.findings.rows.iter().take(MAX_FINDINGS);
    let shown: String = shown.map(|finding| finding_line(finding, style)).collect();
    if shown.is_empty() {
        return shown;
    }
    let omitted = match report.findings.total.saturating_sub(MAX_FINDINGS as u64) {
        0 => String::new(),
        count => format!("  +{}\n", counted(count, "more finding")),
    };
    format!("\n{shown}{omitted}\n")
}

/// Formats a finding as one line, with the first link to it.
fn finding_line(finding: &SiteFinding, style: TextStyle) -> String {
    let code = finding.code.map(|code| format!("{code} ")).unwrap_or_default();
    let label = format!("{} {code}{}", finding.verdict.symbol(), finding.verdict);
    let first = finding.inlinks.rows.first().map(|inlink| {
        let links = counted(finding.inlinks.total, "link");
        let text = format!("    {links}, first {}:{}", shown_url(&inlink.page), inlink.line);
        format!("{}\n", style.quiet(&text))
    });
    let url = shown_url(&finding.url);
    format!("  {}  {url}\n{}", style.verdict(finding.verdict, &label), first.unwrap_or_default())
}

/// Formats the dead directories: `✗ 24 under /blog/2014/ → probably a dead directory`.
fn dead_directory_lines(report: &SiteReport, style: TextStyle) -> Vec<String> {
    dead_directories(&report.tree.rows)
        .into_iter()
        .take(MAX_DIRECTORIES)
        .map(|row| {
            let count = format!("{} {}", Verdict::Dead.symbol(), grouped(row.targets));
            let path = shown_url(&row.path);
            format!(
                "{} under {path} → probably a dead directory",
                style.verdict(Verdict::Dead, &count)
            )
        })
        .collect()
}

/// Formats the spider traps.
fn trap_lines(report: &SiteReport) -> Vec<String> {
    let line = |trap: &super::TrapRow| {
        let (pattern, kind) = (shown_url(&trap.pattern), shown_prose(&trap.kind));
        let (count, flag) = (counted(trap.count, "URL"), shown_prose(&trap.flag));
        format!("spider trap: {pattern}  {kind} ({count} not followed; to enter: {flag})")
    };
    let mut lines: Vec<String> = report.traps.iter().take(MAX_TRAPS).map(line).collect();
    let omitted = report.traps.len().saturating_sub(MAX_TRAPS) as u64;
    if omitted > 0 {
        lines.push(format!("+{}", counted(omitted, "more spider trap")));
    }
    lines
}

/// Formats the numbers of other problems: `3 orphan pages · 12 missing anchors · 2 insecure resources`.
fn other_problems(report: &SiteReport) -> Vec<String> {
    let counts = [
        (report.chains.total, "redirect"),
        (report.orphans.total, "orphan page"),
        (report.fragments.total, "missing anchor"),
        (report.mixed_content.total, "insecure resource"),
        (report.same_titles.total, "duplicate title"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(count, noun))
        .collect();
    if parts.is_empty() { Vec::new() } else { vec![parts.join(" · ")] }
}

/// Formats a line such as `links not followed: 4 deeper than the limit, 2 excluded by patterns`.
fn not_followed(report: &SiteReport) -> Vec<String> {
    let part =
        |(reason, count): &(String, u64)| format!("{} {}", grouped(*count), shown_prose(reason));
    let parts: Vec<String> = report.not_followed.iter().map(part).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    vec![format!("links not followed: {}", parts.join(", "))]
}

/// Returns the further remarks.
fn notes(report: &SiteReport) -> Vec<String> {
    report.notes.iter().map(|note| shown_prose(note)).collect()
}

/// Formats the comparison with the previous crawl.
fn compared(report: &SiteReport) -> Vec<String> {
    let line = |comparison: &super::SiteComparison| {
        format!(
            "since crawl {}: + {} new  ✓ {} fixed  ↺ {} regressed",
            comparison.run,
            grouped(comparison.new.total),
            grouped(comparison.fixed.total),
            grouped(comparison.regressed.total)
        )
    };
    report.comparison.iter().map(line).collect()
}
