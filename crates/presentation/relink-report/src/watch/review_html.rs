//! The review of a collection as one HTML page.
//!
//! A collection is a list of pages, its members. The accepted version of a member is the
//! content that the user approved.

use relink_collection::{Availability, ComparedRow, NextStep, RowChange, TextPart};

use super::html::{facts, link, page};
use super::text::{change_text, context_text, status, step_text};
use super::{WatchChange, WatchList, WatchMember, WatchReport};
use crate::human::{counted, grouped};
use crate::site::html::markup::{Markup, element};

/// Maximum number of changed links of each kind.
const MAX_LINKS: usize = 20;

/// Renders the review: all members at a glance, and both versions of changed pages
/// side by side.
pub fn review_html(report: &WatchReport) -> String {
    let title = format!("Review of {}", report.name);
    let changed: Vec<&WatchMember> =
        report.members().filter(|member| member.change.is_some()).collect();
    let created = report.created_at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let counts = [
        counted(report.members().count() as u64, "page"),
        format!("{} changed", grouped(changed.len() as u64)),
        format!(
            "{} to do",
            grouped(report.members().filter(|member| has_next_step(member)).count() as u64)
        ),
    ];
    let lists: Markup =
        report.lists.iter().filter(|list| !list.members.is_empty()).map(member_table).collect();
    let sections: Markup = changed.into_iter().map(changed_section).collect();
    let warnings: Markup = report
        .warnings
        .iter()
        .map(|text| element("p", [("class", "note")], text.as_str()))
        .collect();
    let body = [
        element("header", [], [element("h1", [], title.as_str()), facts(counts)]),
        element("main", [], [warnings, lists, sections]),
        element("footer", [], element("p", [], format!("Created by Relink on {created}."))),
    ];
    page(&title, body)
}

/// Whether the user should do something about the member.
fn has_next_step(member: &WatchMember) -> bool {
    !matches!(member.next_step, None | Some(NextStep::None))
}

/// Renders all members of a list in a table.
fn member_table(list: &WatchList) -> Markup {
    let names = ["No.", "Page", "Status", "Text", "Links", "Context angle", "Next step"];
    let head: Markup = names.iter().map(|name| element("th", [("scope", "col")], *name)).collect();
    let rows: Markup = list.members.iter().map(member_row).collect();
    let caption = element("caption", [], counted(list.members.len() as u64, "page"));
    let table = element(
        "table",
        [("class", "members")],
        [caption, element("thead", [], element("tr", [], head)), element("tbody", [], rows)],
    );
    let description = (!list.description.is_empty())
        .then(|| element("p", [("class", "quiet")], list.description.as_str()));
    element("section", [], [element("h2", [], list.name.as_str()), description.into(), table])
}

/// Returns the table row of a member.
fn member_row(member: &WatchMember) -> Markup {
    let title = if member.title.is_empty() { member.url.as_str() } else { member.title.as_str() };
    let name: Markup = match &member.change {
        Some(_) => {
            let anchor = format!("#m{}", member.number);
            element("a", [("href", anchor.as_str())], title)
        }
        None => element("span", [], title),
    };
    let url = element("div", [("class", "quiet")], link(&member.url, ""));
    let percent = |share_of: fn(&WatchChange) -> f64| {
        member
            .change
            .as_ref()
            .map(|change| format!("{:.0} %", share_of(change) * 100.0))
            .unwrap_or_default()
    };
    let angle = member
        .context
        .map(|context| format!("{:.0}° (was {:.0}°)", context.angle_after, context.angle_before));
    let step = member.next_step.map(step_text).unwrap_or_default();
    element(
        "tr",
        [],
        [
            element("td", [("class", "number")], format!("{}.", member.number)),
            element("td", [], [name, url]),
            element(
                "td",
                [("class", status_class(member)), ("data-name", "Status")],
                short_status(member),
            ),
            element(
                "td",
                [("class", "number"), ("data-name", "Text changed")],
                percent(|change| change.content),
            ),
            element(
                "td",
                [("class", "number"), ("data-name", "Links changed")],
                percent(|change| change.links),
            ),
            element("td", [("data-name", "Context angle")], angle.unwrap_or_default()),
            element("td", [("data-name", "Next step")], step),
        ],
    )
}

/// Returns the status of a member. For a changed page, returns only the level of change, because
/// other columns contain the details.
fn short_status(member: &WatchMember) -> String {
    let status = status(member);
    match &member.change {
        Some(change) if status.starts_with('≈') => format!("≈ {} change", change.level),
        _ => status,
    }
}

/// Returns the CSS class for the status of a member.
fn status_class(member: &WatchMember) -> &'static str {
    match member.next_step {
        // Check the availability first, because a muted page has no next step.
        _ if member.availability == Availability::Permanent => "status bad",
        _ if member.availability == Availability::Temporary => "status warn",
        Some(NextStep::Reject | NextStep::Replace) => "status bad",
        Some(NextStep::Review | NextStep::Wait | NextStep::Fill) => "status warn",
        _ => "status good",
    }
}

/// Renders both versions of a changed page.
fn changed_section(member: &WatchMember) -> Markup {
    let id = format!("m{}", member.number);
    let title = if member.title.is_empty() { member.url.as_str() } else { member.title.as_str() };
    let heading = element("h2", [], format!("{}. {title}", member.number));
    let Some(change) = &member.change else { return Markup::default() };
    let mut details = vec![change_text(change)];
    details.extend(member.context.as_ref().map(context_text));
    details.extend(member.next_step.map(|step| format!("next: {}", step_text(step))));
    let annotation = (!member.annotation.is_empty())
        .then(|| element("p", [("class", "note")], member.annotation.as_str()));
    element(
        "section",
        [("id", id.as_str())],
        [
            heading,
            element("p", [], link(&member.url, "")),
            annotation.into(),
            facts(details),
            comparison_table(member),
            changed_links("Links removed", &change.removed_links),
            changed_links("Links added", &change.added_links),
        ],
    )
}

/// Returns the table of the accepted and the latest version, block by block.
fn comparison_table(member: &WatchMember) -> Markup {
    if member.comparison.is_empty() {
        return Markup::default();
    }
    let date = |time: Option<jiff::Timestamp>| {
        time.map(|time| time.strftime(" (%Y-%m-%d)").to_string()).unwrap_or_default()
    };
    let head: Markup = [
        element("th", [("class", "sign"), ("scope", "col")], "±"),
        element("th", [("scope", "col")], format!("Accepted{}", date(member.accepted_at))),
        element("th", [("scope", "col")], format!("Latest{}", date(member.latest_at))),
    ]
    .into();
    let rows: Markup = member.comparison.iter().map(compared_row).collect();
    element(
        "table",
        [("class", "compare")],
        [element("thead", [], element("tr", [], head)), element("tbody", [], rows)],
    )
}

/// Returns the row of one block.
fn compared_row(row: &ComparedRow) -> Markup {
    let sign = match row.change {
        RowChange::Same => "",
        RowChange::Edited => "±",
        RowChange::Added => "+",
        RowChange::Removed => "−",
        RowChange::Moved => "↕",
        RowChange::Omitted(count) => {
            let text = format!("… {}", counted(count as u64, "unchanged block"));
            let cell = element("td", [("colspan", "3")], text);
            return element("tr", [("class", "omitted")], cell);
        }
    };
    element(
        "tr",
        [],
        [
            element("td", [("class", "sign")], sign),
            version_cell("del", &row.old, "Accepted"),
            version_cell("ins", &row.new, "Latest"),
        ],
    )
}

/// Returns the cell with one version of a block. Changed parts are elements named `mark`.
fn version_cell(mark: &'static str, parts: &[TextPart], name: &str) -> Markup {
    let mut text = Markup::default();
    for part in parts {
        if !text.is_empty() {
            text.push(" ");
        }
        if part.is_changed {
            text.push(element(mark, [], part.text.as_str()));
        } else {
            text.push(part.text.as_str());
        }
    }
    if text.is_empty() {
        return element("td", [], text);
    }
    element("td", [("data-name", name)], text)
}

/// Returns a list of added or removed links.
fn changed_links(heading: &str, links: &[String]) -> Markup {
    if links.is_empty() {
        return Markup::default();
    }
    let items: Markup =
        links.iter().take(MAX_LINKS).map(|url| element("li", [], link(url, ""))).collect();
    let omitted = links.len().saturating_sub(MAX_LINKS);
    let note = (omitted > 0)
        .then(|| element("p", [("class", "quiet")], format!("{} more", grouped(omitted as u64))));
    [element("h3", [], heading), element("ul", [("class", "links")], items), note.into()].into()
}
