//! Collections in the formats of other programs: Markdown, OPML, bookmarks, JSON.
//!
//! Each format can be imported again. Gaps (members whose page was removed) are omitted,
//! except in the static site.

mod site;

use std::fmt::Write as _;

use relink_collection::MemberState;
use serde::Serialize;

use super::{WatchList, WatchMember, WatchReport};
use crate::{printable, redact, redact_prose};

pub use site::{SiteFile, path_site};

/// Returns the members that are exported.
fn exported_members(list: &WatchList) -> impl Iterator<Item = &WatchMember> {
    let is_exported = |member: &&WatchMember| member.state != MemberState::Gap;
    list.members.iter().filter(is_exported)
}

/// Returns the depth of a nested collection: 0 for the outermost one.
fn depth(report: &WatchReport, list: &WatchList) -> usize {
    list.name.matches('/').count() - report.name.matches('/').count()
}

/// Returns a text in one line, without secrets and control characters.
fn printable_line(text: &str) -> String {
    printable(&redact_prose(text)).into_owned()
}

/// Exports a collection as Markdown: headings and lists.
pub fn export_markdown(report: &WatchReport) -> String {
    let mut text = String::new();
    for list in &report.lists {
        let depth = depth(report, list);
        let title = if list.title.is_empty() { &list.name } else { &list.title };
        let _ = writeln!(text, "{} {}\n", "#".repeat((depth + 1).min(6)), escape_markdown(title));
        if !list.description.is_empty() {
            let _ = writeln!(text, "{}\n", escape_markdown(&list.description));
        }
        for member in exported_members(list) {
            let title = if member.title.is_empty() { &member.url } else { &member.title };
            let url = printable_line(&redact(&member.url).to_string());
            let _ = write!(
                text,
                "- [{}](<{}>)",
                escape_markdown(title),
                url.replace(['<', '>', '\n'], "")
            );
            if !member.annotation.is_empty() {
                let _ = write!(text, " — {}", escape_markdown(&member.annotation));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Escapes text for Markdown.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable_line(text).chars() {
        if matches!(
            character,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' | '|' | '!'
        ) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Exports a collection as OPML.
pub fn export_opml(report: &WatchReport) -> String {
    let title = report.lists.first().map(|list| list.title.as_str()).unwrap_or_default();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head><title>{}</title></head>\n<body>\n",
        escape_markup(title)
    );
    let mut open_elements = 0;
    for list in &report.lists {
        let depth = depth(report, list);
        // Close the collections that do not contain this list.
        while open_elements >= depth.max(1) {
            text.push_str("</outline>\n");
            open_elements -= 1;
        }
        if depth > 0 {
            open_elements += 1;
            let _ = writeln!(
                text,
                "<outline text=\"{}\" description=\"{}\">",
                escape_markup(&list.title),
                escape_markup(&list.description)
            );
        }
        for member in exported_members(list) {
            let _ = writeln!(
                text,
                "<outline text=\"{}\" type=\"link\" url=\"{}\" description=\"{}\" category=\"{}\"/>",
                escape_markup(&member.title),
                escape_markup(&redact(&member.url).to_string()),
                escape_markup(&member.annotation),
                escape_markup(&member.tags.join(","))
            );
        }
    }
    text.push_str(&"</outline>\n".repeat(open_elements));
    text.push_str("</body>\n</opml>\n");
    text
}

/// Exports a collection as bookmarks of a browser.
pub fn export_bookmarks(report: &WatchReport) -> String {
    let title = report.lists.first().map(|list| list.title.as_str()).unwrap_or_default();
    let title = escape_markup(title);
    let mut text = format!(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n<TITLE>{title}</TITLE>\n<H1>{title}</H1>\n<DL><p>\n"
    );
    let mut open_elements = 0;
    for list in &report.lists {
        let depth = depth(report, list);
        // Close the collections that do not contain this list.
        while open_elements >= depth.max(1) {
            text.push_str("</DL><p>\n");
            open_elements -= 1;
        }
        if depth > 0 {
            open_elements += 1;
            let _ = writeln!(text, "<DT><H3>{}</H3>", escape_markup(&list.title));
            if !list.description.is_empty() {
                let _ = writeln!(text, "<DD>{}", escape_markup(&list.description));
            }
            text.push_str("<DL><p>\n");
        }
        for member in exported_members(list) {
            let url = redact(&member.url).to_string();
            let tags = escape_markup(&member.tags.join(","));
            let _ = writeln!(
                text,
                "<DT><A HREF=\"{}\" TAGS=\"{tags}\">{}</A>",
                escape_markup(&url),
                escape_markup(&member.title)
            );
            if !member.annotation.is_empty() {
                let _ = writeln!(text, "<DD>{}", escape_markup(&member.annotation));
            }
        }
    }
    text.push_str(&"</DL><p>\n".repeat(open_elements));
    text.push_str("</DL><p>\n");
    text
}

/// Escapes text for HTML and XML.
fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable_line(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A collection in the JSON that `relink watch add` reads.
#[derive(Serialize)]
struct JsonCollection<'r> {
    name: &'r str,
    title: &'r str,
    description: String,
    tags: &'r [String],
    context: &'static str,
    members: Vec<JsonMember<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<Self>,
}

/// A member in the JSON export.
#[derive(Serialize)]
struct JsonMember<'r> {
    url: String,
    title: String,
    annotation: String,
    tags: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_url: Option<String>,
}

/// Exports a collection as JSON.
pub fn export_json(report: &WatchReport) -> Result<String, serde_json::Error> {
    let mut lists = report.lists.iter().peekable();
    let root = lists.next().map(|list| json_collection(report, list, &mut lists));
    Ok(format!("{}\n", serde_json::to_string_pretty(&root)?))
}

/// Converts a list and its nested lists. The nested lists are the next items of
/// `following_lists`.
fn json_collection<'r>(
    report: &WatchReport,
    list: &'r WatchList,
    following_lists: &mut std::iter::Peekable<std::slice::Iter<'r, WatchList>>,
) -> JsonCollection<'r> {
    let members = exported_members(list).map(|member| JsonMember {
        url: redact(&member.url).to_string(),
        title: redact_prose(&member.title).to_string(),
        annotation: redact_prose(&member.annotation).to_string(),
        tags: &member.tags,
        replaced_url: member.replaced_url.as_deref().map(|url| redact(url).to_string()),
    });
    let mut collection = JsonCollection {
        name: &list.name,
        title: &list.title,
        description: redact_prose(&list.description).to_string(),
        tags: &list.tags,
        context: list.context.as_str(),
        members: members.collect(),
        collections: Vec::new(),
    };
    let is_nested = |next: &&WatchList| depth(report, next) > depth(report, list);
    while let Some(nested) = following_lists.next_if(is_nested) {
        collection.collections.push(json_collection(report, nested, following_lists));
    }
    collection
}
