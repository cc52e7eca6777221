//! The table of what is wrong.
//!
//! It can be narrowed to some of its words without any script: the style sheet
//! hides the rows whose word is not ticked.

use relink_judge::status;
use relink_model::Verdict;

use super::markup::{Markup, element, void};
use super::part::Body;
use super::table::{Table, numbers, words};
use super::view::{View, badge, class, sign};
use crate::human::grouped;
use crate::redact_prose;
use crate::site::SiteFinding;

pub(super) fn body(view: &View) -> Option<Body> {
    let findings = &view.report.findings;
    Body::counted(findings.total, || {
        let columns = [
            words("word"),
            words("address"),
            words("status"),
            numbers("depth"),
            words("linked from"),
        ];
        let mut table = Table::new("Findings, what costs most first", columns, view.room());
        for finding in &findings.rows {
            if table.is_full() {
                break;
            }
            table.classed_row(&class(finding.verdict), cells(view, finding));
        }
        let table = table.finish(findings.total);
        view.take(table.len());
        element("div", [("class", "findings")], [filter(view), table])
    })
}

fn cells(view: &View, finding: &SiteFinding) -> [Markup; 5] {
    let code = finding.code.map(|code| element("span", [("class", "code")], code.to_string()));
    let status = finding.status.map(|status| {
        let name = format!(" {}", status::meaning(status).name);
        [element("span", [], status.to_string()), element("span", [("class", "quiet")], name)]
            .into()
    });
    let none = || element("span", [("class", "quiet")], "none");
    let depth = finding.depth.map(|depth| u64::from(depth).into());
    [
        [badge(finding.verdict), code.into()].into(),
        told(view, finding),
        status.unwrap_or_else(none),
        depth.unwrap_or_else(none),
        view.addresses.spots(&finding.inlinks),
    ]
}

/// The address, why it is here, and what to do.
fn told(view: &View, finding: &SiteFinding) -> Markup {
    let reason = element("p", [], cut(&finding.reason));
    let advice = finding.advice.as_deref().map(|advice| {
        let label = element("span", [("class", "label")], "do: ");
        element("p", [("class", "do")], [label, cut(advice).into()])
    });
    [view.addresses.link(&finding.url), reason, advice.into()].into()
}

/// A sentence that is not longer than a reader reads.
fn cut(text: &str) -> String {
    const LONGEST: usize = 400;
    // Masked before it is cut: half a password would not be known for one.
    let text = redact_prose(text);
    match text.char_indices().nth(LONGEST) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// A box to tick for each word that occurs, if there are several.
///
/// The counts are those of the whole report, of which the table may show less.
fn filter(view: &View) -> Markup {
    let rows = &view.report.findings.rows;
    let counts: Vec<(Verdict, u64)> = Verdict::ALL
        .into_iter()
        .filter(|word| rows.iter().any(|finding| finding.verdict == *word))
        .map(|word| (word, view.report.verdicts.get(&word).copied().unwrap_or(0)))
        .collect();
    if counts.len() < 2 {
        return Markup::default();
    }
    let boxes: Markup = counts
        .into_iter()
        .map(|(word, count)| {
            let id = format!("show-{word}");
            let ticked = void("input", [("type", "checkbox"), ("id", &id), ("checked", "")]);
            let text = format!("{}{word} ({})", sign(word), grouped(count));
            element("label", [("class", &class(word))], [ticked, text.into()])
        })
        .collect();
    element("fieldset", [("class", "filter")], [element("legend", [], "Show"), boxes])
}
