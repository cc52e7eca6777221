//! The section on priorities: the few edits that fix the most links.

use std::collections::HashSet;

use relink_model::Verdict;

use super::markup::{Markup, element};
use super::section::SectionBody;
use super::view::{View, badge, url_count};
use crate::human::counted;
use crate::site::SiteFinding;
use crate::site::dead_directories::dead_directories;

/// Maximum number of dead directories.
const MAX_DIRECTORIES: usize = 3;
/// Maximum number of broken template links.
const MAX_TEMPLATES: usize = 3;

/// Returns the content of the section on what to repair first.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let mut lines = dead_directory_lines(view);
    lines.extend(template_lines(view));
    lines.extend(hijacked_line(view));
    lines.extend(regression_line(view));
    if lines.is_empty() {
        return None;
    }
    let lines: Markup = lines.into_iter().map(|line| element("li", [], line)).collect();
    Some(SectionBody { count: None, markup: element("ul", [("class", "priorities")], lines) })
}

/// Returns a line for each directory whose targets are all broken.
fn dead_directory_lines(view: &View) -> Vec<Markup> {
    dead_directories(&view.report.tree.rows)
        .into_iter()
        .take(MAX_DIRECTORIES)
        .map(|row| {
            let path = element("code", [], row.path.as_str());
            let text = format!(
                ": {}, all broken. This is probably a dead directory: restore it, or \
                 redirect it as a whole.",
                url_count(row.targets)
            );
            [badge(Verdict::Dead), " ".into(), path, text.into()].into()
        })
        .collect()
}

/// Lists broken links that occur on nearly every page.
fn template_lines(view: &View) -> Vec<Markup> {
    let rows = &view.report.templates.rows;
    let templates: HashSet<&str> = rows.iter().map(|row| row.url.as_str()).collect();
    let findings = view.report.findings.rows.iter();
    findings
        .filter(|finding| templates.contains(finding.url.as_str()))
        .take(MAX_TEMPLATES)
        .map(|finding| {
            let text = format!(
                " occurs on nearly every page ({}): fix the template.",
                counted(finding.inlinks.total, "link")
            );
            [badge(finding.verdict), " ".into(), view.urls.link(&finding.url), text.into()].into()
        })
        .collect()
}

/// Returns a line on links to hijacked domains.
fn hijacked_line(view: &View) -> Option<Markup> {
    let count = view.report.verdicts.get(&Verdict::Hijacked).copied().unwrap_or(0);
    if count == 0 {
        return None;
    }
    let is_hijacked = |finding: &&SiteFinding| finding.verdict == Verdict::Hijacked;
    let example = view.report.findings.rows.iter().find(is_hijacked);
    let example = example.map(|finding| view.urls.link(&finding.url));
    let text = format!(
        " {} {} to another owner: remove the links. ",
        url_count(count),
        if count == 1 { "belongs" } else { "belong" }
    );
    Some([badge(Verdict::Hijacked), text.into(), example.into()].into())
}

/// Returns a line on URLs that worked in the previous crawl.
fn regression_line(view: &View) -> Option<Markup> {
    let count = view.report.comparison.as_ref()?.regressed.total;
    if count == 0 {
        return None;
    }
    let were = if count == 1 { "was" } else { "were" };
    let text = format!("{} that {were} working in the previous crawl", url_count(count));
    let link = element("a", [("href", "#changes")], text);
    Some(["↺ regressed: ".into(), link, ".".into()].into())
}
