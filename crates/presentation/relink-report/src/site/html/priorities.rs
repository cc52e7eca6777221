//! The section on priorities: the few edits that fix the most links.

use std::collections::HashSet;

use relink_model::Verdict;

use super::markup::{Markup, element};
use super::part::Body;
use super::view::{View, badge, url_count};
use crate::human::counted;
use crate::site::SiteFinding;
use crate::site::dead_directories::dead_directories;

/// Maximum number of dead directories.
const MAX_DIRECTORIES: usize = 3;
/// Maximum number of broken template links.
const MAX_TEMPLATES: usize = 3;

/// Returns the content of the section on what to repair first.
pub(super) fn body(view: &View) -> Option<Body> {
    let mut lines = directories(view);
    lines.extend(templates(view));
    lines.extend(hijacked(view));
    lines.extend(regressed(view));
    if lines.is_empty() {
        return None;
    }
    let lines: Markup = lines.into_iter().map(|line| element("li", [], line)).collect();
    Some(Body { count: None, markup: element("ul", [("class", "priorities")], lines) })
}

/// Returns a line for each directory whose targets are all broken.
fn directories(view: &View) -> Vec<Markup> {
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
fn templates(view: &View) -> Vec<Markup> {
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
fn hijacked(view: &View) -> Option<Markup> {
    let count = view.report.verdicts.get(&Verdict::Hijacked).copied().filter(|count| *count > 0)?;
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
fn regressed(view: &View) -> Option<Markup> {
    let count = view.report.comparison.as_ref()?.regressed.total;
    let were = if count == 1 { "was" } else { "were" };
    let text = format!("{} that {were} working in the previous crawl", url_count(count));
    let link = element("a", [("href", "#changes")], text);
    (count > 0).then(|| ["↺ regressed: ".into(), link, ".".into()].into())
}
