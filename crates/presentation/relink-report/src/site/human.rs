//! A crawled site in a few lines, for a terminal.
//!
//! What a reader can act on at once; the page and the JSON have the rest.

use relink_model::Verdict;

use super::dead_directories::dead_directories;
use super::{SiteFinding, SiteReport, depth_bars};
use crate::human::{TextStyle, counted, duration, grouped, shown_prose, shown_url, summary};

/// Dead directories that are named.
const DIRECTORIES: usize = 5;
/// Traps that are named.
const TRAPS: usize = 20;
/// Findings that are named.
const FINDINGS: usize = 10;

/// A crawled site in a few lines.
pub fn human(report: &SiteReport, paint: TextStyle) -> String {
    told(report, paint, &findings(report, paint))
}

/// A crawled site in a few lines, for readers who have its findings already.
pub fn overview(report: &SiteReport, paint: TextStyle) -> String {
    told(report, paint, "")
}

fn told(report: &SiteReport, paint: TextStyle, findings: &str) -> String {
    let mut text = format!("{}\n{}\n", title(report, paint), sizes(report));
    for line in remark(report).into_iter().chain(bars(report)) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&summary(paint, &report.verdicts));
    text.push_str(findings);
    let closing = [
        directories(report, paint),
        traps(report),
        others(report),
        left_aside(report),
        notes(report),
        compared(report),
    ];
    for line in closing.concat() {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn title(report: &SiteReport, paint: TextStyle) -> String {
    let seed = report.seeds.first().map(|seed| shown_url(seed)).unwrap_or_default();
    let began = report.started.strftime("%Y-%m-%d %H:%M UTC");
    format!("{}  crawl {}, {began}", paint.strong(&seed), report.run)
}

/// `864 pages · 11,203 links · 3m12s`.
fn sizes(report: &SiteReport) -> String {
    let took = report.finished.duration_since(report.started).as_millis();
    let took = duration(u64::try_from(took).unwrap_or(0));
    format!("{} · {} · {took}", counted(report.pages, "page"), counted(report.links, "link"))
}

fn remark(report: &SiteReport) -> Option<String> {
    report.remark.as_deref().map(|remark| format!("! {}", shown_prose(remark)))
}

fn bars(report: &SiteReport) -> Vec<String> {
    if report.depths.is_empty() {
        return Vec::new();
    }
    let little = report.little_new_from.map(|depth| format!("little new from depth {depth} on"));
    [depth_bars(&report.depths)].into_iter().chain(little).collect()
}

/// The findings that cost most, one to a line.
fn findings(report: &SiteReport, paint: TextStyle) -> String {
    let shown = report.findings.rows.iter().take(FINDINGS);
    let shown: String = shown.map(|finding| finding_line(finding, paint)).collect();
    if shown.is_empty() {
        return shown;
    }
    let left_out = match report.findings.total.saturating_sub(FINDINGS as u64) {
        0 => String::new(),
        count => format!("  +{}\n", counted(count, "more finding")),
    };
    format!("\n{shown}{left_out}\n")
}

fn finding_line(finding: &SiteFinding, paint: TextStyle) -> String {
    let code = finding.code.map(|code| format!("{code} ")).unwrap_or_default();
    let label = format!("{} {code}{}", finding.verdict.symbol(), finding.verdict);
    let first = finding.inlinks.rows.first().map(|spot| {
        let links = counted(finding.inlinks.total, "link");
        let text = format!("    {links}, first {}:{}", shown_url(&spot.page), spot.line);
        format!("{}\n", paint.quiet(&text))
    });
    let url = shown_url(&finding.url);
    format!("  {}  {url}\n{}", paint.word(finding.verdict, &label), first.unwrap_or_default())
}

/// `✗ 24 under /blog/2014/ → looks like one dead directory`.
fn directories(report: &SiteReport, paint: TextStyle) -> Vec<String> {
    dead_directories(&report.tree.rows)
        .into_iter()
        .take(DIRECTORIES)
        .map(|row| {
            let count = format!("{} {}", Verdict::Dead.symbol(), grouped(row.targets));
            let path = shown_url(&row.path);
            format!(
                "{} under {path} → looks like one dead directory",
                paint.word(Verdict::Dead, &count)
            )
        })
        .collect()
}

fn traps(report: &SiteReport) -> Vec<String> {
    let line = |trap: &super::TrapRow| {
        let (pattern, kind) = (shown_url(&trap.pattern), shown_prose(&trap.kind));
        format!("trap avoided: {pattern}  {kind} ({})", grouped(trap.count))
    };
    let mut lines: Vec<String> = report.traps.iter().take(TRAPS).map(line).collect();
    let left_out = report.traps.len().saturating_sub(TRAPS) as u64;
    if left_out > 0 {
        lines.push(format!("+{}", counted(left_out, "more trap")));
    }
    lines
}

/// `3 orphan pages · 12 missing places · 2 unencrypted parts`.
fn others(report: &SiteReport) -> Vec<String> {
    let counts = [
        (report.chains.total, "redirect"),
        (report.orphans.total, "orphan page"),
        (report.fragments.total, "missing place"),
        (report.mixed.total, "unencrypted part"),
        (report.same_titles.total, "repeated title"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, thing)| counted(count, thing))
        .collect();
    if parts.is_empty() { Vec::new() } else { vec![parts.join(" · ")] }
}

/// `links not checked: 4 deeper than the limit, 2 left out by patterns`.
fn left_aside(report: &SiteReport) -> Vec<String> {
    let part = |(why, count): &(String, u64)| format!("{} {}", grouped(*count), shown_prose(why));
    let parts: Vec<String> = report.not_followed.iter().map(part).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    vec![format!("links not checked: {}", parts.join(", "))]
}

fn notes(report: &SiteReport) -> Vec<String> {
    report.notes.iter().map(|note| shown_prose(note)).collect()
}

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
