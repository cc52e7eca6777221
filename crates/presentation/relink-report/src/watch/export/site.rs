//! Exports a collection as a small static site: a page with the contents, and one page
//! per member (*stop*), with links to the previous and the next one.

use relink_collection::{Availability, MemberState};
use relink_model::Verdict;

use super::super::html::{link, page};
use super::super::text::status;
use super::super::{WatchMember, WatchReport};
use crate::human::shown_url;
use crate::site::html::markup::{Markup, element};

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// The file name.
    pub name: String,
    /// The content.
    pub content: String,
}

/// Renders a collection as a static site. Gaps (removed members) stay visible with their
/// annotation.
pub fn path_site(report: &WatchReport) -> Vec<SiteFile> {
    let stops: Vec<&WatchMember> = report.members().collect();
    let index_page = SiteFile { name: "index.html".to_owned(), content: contents_page(report) };
    let mut files = vec![index_page];
    for (index, stop) in stops.iter().enumerate() {
        let previous = index.checked_sub(1).and_then(|index| stops.get(index)).copied();
        let next = stops.get(index + 1).copied();
        let content = stop_page(report, stop, previous, next);
        files.push(SiteFile { name: file_name(stop), content });
    }
    files
}

/// Returns the file name of a stop, such as `stop-007.html`. The name does not contain the title,
/// because titles are untrusted.
fn file_name(member: &WatchMember) -> String {
    format!("stop-{:03}.html", member.number)
}

/// Returns the title of a member, or its URL if it has none.
fn member_title(member: &WatchMember) -> &str {
    if member.title.is_empty() { &member.url } else { &member.title }
}

/// Returns the title of the outermost collection.
fn report_title(report: &WatchReport) -> &str {
    report.lists.first().map_or(report.name.as_str(), |list| list.title.as_str())
}

/// Returns the page with the list of all members.
fn contents_page(report: &WatchReport) -> String {
    let mut lists = Markup::default();
    for (index, list) in report.lists.iter().enumerate() {
        // The title of the outermost collection is the title of the page.
        let heading = (index > 0).then(|| element("h2", [], list.title.as_str()));
        let description =
            (!list.description.is_empty()).then(|| element("p", [], list.description.as_str()));
        let start = list.members.first().map_or(1, |member| member.number).to_string();
        let stops: Markup = list.members.iter().map(contents_entry).collect();
        let stops = (!list.members.is_empty())
            .then(|| element("ol", [("class", "stops"), ("start", start.as_str())], stops));
        lists.push([heading.into(), description.into(), Markup::from(stops)]);
    }
    let heading = element("h1", [], report_title(report));
    page(
        report_title(report),
        [element("header", [], heading), element("main", [], lists), footer(report)],
    )
}

/// Returns the list entry of a member.
fn contents_entry(member: &WatchMember) -> Markup {
    let file = file_name(member);
    let title = element("a", [("href", file.as_str())], member_title(member));
    let state =
        notice(member).map(|text| element("span", [("class", "warn")], format!(" ({text})")));
    let annotation = (!member.annotation.is_empty())
        .then(|| element("div", [("class", "quiet")], member.annotation.as_str()));
    element("li", [], [title, state.into(), annotation.into()])
}

/// Returns a notice for a stop that cannot be read as intended.
fn notice(member: &WatchMember) -> Option<&'static str> {
    match (member.state, member.availability) {
        (MemberState::Gap, _) => Some("removed"),
        (MemberState::Rejected, _) => Some("no longer the page that was chosen"),
        (_, Availability::Permanent) => Some("no longer available"),
        (_, Availability::Temporary) => Some("unavailable at the last check"),
        _ => None,
    }
}

/// Returns the page of a member, with links to the previous and next one.
fn stop_page(
    report: &WatchReport,
    stop: &WatchMember,
    previous: Option<&WatchMember>,
    next: Option<&WatchMember>,
) -> String {
    let annotation = (!stop.annotation.is_empty())
        .then(|| element("p", [("class", "note")], stop.annotation.as_str()));
    let link_to = |member: Option<&WatchMember>, before: &str, after: &str| {
        member.map_or_else(Markup::default, |member| {
            let file = file_name(member);
            let text = format!("{before}{}{after}", member_title(member));
            element("a", [("href", file.as_str())], text)
        })
    };
    let steps = element(
        "nav",
        [("class", "steps"), ("aria-label", "Path")],
        [
            link_to(previous, "← Previous: ", ""),
            element("a", [("href", "index.html")], "Contents"),
            link_to(next, "Next: ", " →"),
        ],
    );
    let heading = element("h1", [], format!("{}. {}", stop.number, member_title(stop)));
    let main = element("main", [], [heading, annotation.into(), destination(stop), steps]);
    page(member_title(stop), [main, footer(report)])
}

/// Renders the live page, or the archived copy if the page is gone.
fn destination(stop: &WatchMember) -> Markup {
    let is_gone = stop.availability == Availability::Permanent
        || matches!(stop.state, MemberState::Gap | MemberState::Rejected);
    if !is_gone {
        return element("p", [], ["Page: ".into(), link(&stop.url, "")]);
    }
    let (reason, details) = match stop.state {
        MemberState::Gap => ("This stop was removed.", String::new()),
        MemberState::Rejected => ("This is no longer the page that was chosen.", String::new()),
        _ => ("This page is no longer available.", format!(" ({})", status(stop))),
    };
    let details = element("span", [("class", "quiet")], details);
    let copy = match &stop.archived_url {
        Some(archived) => element("p", [], ["Archived copy: ".into(), link(archived, "")]),
        None => element("p", [], "No archived copy is known."),
    };
    // A hijacked URL has another owner, so it must not be a link.
    let url = match stop.verdict {
        Some(Verdict::Hijacked) => element("span", [], shown_url(&stop.url)),
        _ => link(&stop.url, ""),
    };
    let original = element("p", [("class", "quiet")], ["Original page: ".into(), url]);
    [element("p", [("class", "warn")], [reason.into(), details]), copy, original].into()
}

/// Renders the day of the export.
fn footer(report: &WatchReport) -> Markup {
    let date = report.created_at.strftime("%Y-%m-%d").to_string();
    element("footer", [], element("p", [], format!("Created by Relink on {date}.")))
}
