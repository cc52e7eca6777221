//! The table of findings.
//!
//! Readers can filter the table by verdict without a script: the style sheet hides the rows of
//! a verdict whose checkbox is empty.

use relink_judge::status;
use relink_model::Verdict;

use super::markup::{Markup, element, void};
use super::section::SectionBody;
use super::table::{Table, number_column, text_column};
use super::view::{View, badge, class, symbol};
use crate::human::grouped;
use crate::redact_prose;
use crate::site::SiteFinding;

/// Returns the content of the section on findings.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let findings = &view.report.findings;
    SectionBody::counted(findings.total, || {
        let columns = [
            text_column("verdict"),
            text_column("URL"),
            text_column("status"),
            number_column("depth"),
            text_column("linked from"),
        ];
        let mut table =
            Table::new("Findings, most important first", columns, view.max_table_bytes());
        for finding in &findings.rows {
            if table.is_full() {
                break;
            }
            table.classed_row(&class(finding.verdict), finding_cells(view, finding));
        }
        let table = table.finish(findings.total);
        view.use_bytes(table.len());
        element("div", [("class", "findings")], [verdict_filter(view), table])
    })
}

/// Returns the table cells of a finding.
fn finding_cells(view: &View, finding: &SiteFinding) -> [Markup; 5] {
    let code = finding.code.map(|code| element("span", [("class", "code")], code.to_string()));
    let status = finding.status.map(|status| {
        let name = format!(" {}", status::lookup(status).name);
        [element("span", [], status.to_string()), element("span", [("class", "quiet")], name)]
            .into()
    });
    let none = || element("span", [("class", "quiet")], "none");
    let depth = finding.depth.map(|depth| u64::from(depth).into());
    [
        [badge(finding.verdict), code.into()].into(),
        url_cell(view, finding),
        status.unwrap_or_else(none),
        depth.unwrap_or_else(none),
        view.urls.inlinks(&finding.inlinks),
    ]
}

/// Renders the URL, the reason and the advice.
fn url_cell(view: &View, finding: &SiteFinding) -> Markup {
    let reason = element("p", [], truncate(&finding.reason));
    let advice = finding.advice.as_deref().map(|advice| {
        let label = element("span", [("class", "label")], "advice: ");
        element("p", [("class", "advice-line")], [label, truncate(advice).into()])
    });
    [view.urls.link(&finding.url), reason, advice.into()].into()
}

/// Truncates a long sentence.
fn truncate(text: &str) -> String {
    const MAX_CHARS: usize = 400;
    // Mask before truncating: a truncated password would not be detected.
    let text = redact_prose(text);
    match text.char_indices().nth(MAX_CHARS) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Renders a checkbox for each verdict that occurs, if there are several.
///
/// The numbers count all findings of the report; the table may show fewer rows.
fn verdict_filter(view: &View) -> Markup {
    let rows = &view.report.findings.rows;
    let counts: Vec<(Verdict, u64)> = Verdict::ALL
        .into_iter()
        .filter(|verdict| rows.iter().any(|finding| finding.verdict == *verdict))
        .map(|verdict| (verdict, view.report.verdicts.get(&verdict).copied().unwrap_or(0)))
        .collect();
    if counts.len() < 2 {
        return Markup::default();
    }
    let boxes: Markup = counts
        .into_iter()
        .map(|(verdict, count)| {
            let id = format!("show-{verdict}");
            let checkbox = void("input", [("type", "checkbox"), ("id", &id), ("checked", "")]);
            let text = format!("{}{verdict} ({})", symbol(verdict), grouped(count));
            element("label", [("class", &class(verdict))], [checkbox, text.into()])
        })
        .collect();
    element("fieldset", [("class", "filter")], [element("legend", [], "Show"), boxes])
}
