//! Untrusted text in collections is escaped in HTML and other formats.

use html5gum::{Token, Tokenizer};
use jiff::Timestamp;
use proptest::prelude::*;
use relink_collection::{
    Availability, ComparedRow, ImportFormat, MemberState, NextStep, RowChange, TextPart,
    read_outline,
};
use relink_report::watch::{
    WatchChange, WatchList, WatchMember, WatchReport, export_bookmarks, export_json,
    export_markdown, export_opml, path_site, review_html,
};

/// Elements that the pages consist of. None of them runs or loads anything.
const ELEMENTS: &[&str] = &[
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "nav",
    "h1", "h2", "h3", "p", "ul", "ol", "li", "a", "span", "div", "table", "caption", "thead",
    "tbody", "tr", "th", "td", "ins", "del",
];

/// Attributes of these elements. None of them runs or loads anything.
const ATTRIBUTES: &[&str] = &[
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "href",
    "rel",
    "id",
    "scope",
    "colspan",
    "data-name",
    "start",
    "aria-label",
];

/// Returns a report in which every text is `hostile`.
fn report(hostile: &str) -> WatchReport {
    let text = || hostile.to_owned();
    let part = |is_changed| TextPart { text: text(), is_changed };
    let row = |change| ComparedRow { change, old: vec![part(true)], new: vec![part(false)] };
    let changed = WatchMember {
        number: 1,
        url: text(),
        title: text(),
        annotation: text(),
        tags: vec![text()],
        user_reason: text(),
        reason: text(),
        availability: Availability::Available,
        change: Some(WatchChange {
            level: relink_change::Level::High,
            content: 1.0,
            links: 0.5,
            moves: 0.0,
            added: vec![text()],
            removed: vec![text()],
            moved: vec![text()],
            added_links: vec![text(); 30],
            removed_links: vec![text()],
        }),
        next_step: Some(NextStep::Reject),
        comparison: [
            RowChange::Edited,
            RowChange::Added,
            RowChange::Removed,
            RowChange::Moved,
            RowChange::Same,
            RowChange::Omitted(3),
        ]
        .map(row)
        .to_vec(),
        ..WatchMember::default()
    };
    let gap = WatchMember { number: 2, state: MemberState::Gap, change: None, ..changed.clone() };
    let dead = WatchMember {
        number: 3,
        availability: Availability::Permanent,
        archived_url: Some(text()),
        change: None,
        ..changed.clone()
    };
    let list = WatchList {
        name: text(),
        title: text(),
        description: text(),
        tags: vec![text()],
        members: vec![changed, gap, dead],
        ..WatchList::default()
    };
    WatchReport::new("watch diff", text(), Timestamp::UNIX_EPOCH, vec![list], vec![text()])
}

/// Asserts that a page has only known elements and attributes, and safe links.
fn check_page(page: &str) {
    for token in Tokenizer::new(page) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(ELEMENTS.contains(&name.as_str()), "<{name}> in {page}");
        for (attribute, value) in &tag.attributes {
            let attribute = String::from_utf8_lossy(attribute).into_owned();
            assert!(ATTRIBUTES.contains(&attribute.as_str()), "{attribute} in {page}");
            let value = String::from_utf8_lossy(value).into_owned();
            let is_safe = ["#m", "http://", "https://", "HTTP", "stop-", "index.html"]
                .iter()
                .any(|start| value.starts_with(start));
            assert!(attribute != "href" || is_safe, "{value}");
        }
    }
}

/// Checks all pages and exports of a report in which every text is `hostile`.
fn check_all(hostile: &str) {
    let report = report(hostile);
    check_page(&review_html(&report));
    for file in path_site(&report) {
        check_page(&file.content);
        assert!(file.name.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char)));
    }
    for text in [export_markdown(&report), export_opml(&report), export_bookmarks(&report)] {
        assert!(text.chars().all(|char| char == '\n' || !char.is_control()), "{text:?}");
    }
}

#[test]
fn hostile_text_creates_no_markup() {
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "</style><script>alert(1)</script>",
        "</title><svg onload=alert(1)>",
        "https://example.org/\" onmouseover=\"alert(1)",
        "a\u{1b}[2J\u{202e}b",
        "](javascript:alert(1)) <b>",
        "https://ann:secret@example.org/",
    ] {
        check_all(hostile);
        assert!(!review_html(&report(hostile)).contains("secret"));
    }
}

proptest! {
    #[test]
    fn any_text_creates_no_markup(hostile in "\\PC{0,40}") {
        check_all(&hostile);
    }
}

/// Returns a report with a nested collection.
fn nested_report() -> WatchReport {
    let member = |number: u32, title: &str| WatchMember {
        number,
        url: format!("https://example.org/{number}?a=1&b=2"),
        title: title.to_owned(),
        annotation: "a note with [brackets] & <tags>".to_owned(),
        tags: vec!["x".to_owned()],
        ..WatchMember::default()
    };
    let list = |name: &str, title: &str, members| WatchList {
        name: name.to_owned(),
        title: title.to_owned(),
        description: "about".to_owned(),
        members,
        ..WatchList::default()
    };
    let lists = vec![
        list("r", "Reading", vec![member(1, "One *star*")]),
        list("r/Owls", "Owls", vec![member(2, "Two & more")]),
        list("r/Owls/Small", "Small", vec![member(3, "Three")]),
        list("r/Hawks", "Hawks", vec![member(4, "Four")]),
    ];
    WatchReport::new("watch export", "r".to_owned(), Timestamp::UNIX_EPOCH, lists, Vec::new())
}

#[test]
fn exports_can_be_imported_again() {
    let report = nested_report();
    let formats = [
        (ImportFormat::Markdown, export_markdown(&report)),
        (ImportFormat::Opml, export_opml(&report)),
        (ImportFormat::Bookmarks, export_bookmarks(&report)),
        (ImportFormat::Json, export_json(&report).unwrap()),
    ];
    for (format, text) in formats {
        let outline = read_outline(format, &text);
        let paths: Vec<String> =
            outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(paths, ["", "Owls", "Owls/Small", "Hawks"], "{format}:\n{text}");
        for (folder, list) in outline.folders.iter().zip(&report.lists) {
            let (entry, member) = (&folder.entries[0], &list.members[0]);
            assert_eq!(&entry.url, &member.url, "{format}:\n{text}");
            assert_eq!(&entry.title, &member.title, "{format}:\n{text}");
            assert_eq!(entry.annotation, member.annotation, "{format}:\n{text}");
        }
    }
}

#[test]
fn site_links_the_stops_in_order() {
    let files = path_site(&nested_report());
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        ["index.html", "stop-001.html", "stop-002.html", "stop-003.html", "stop-004.html"]
    );
    let second = &files[2].content;
    assert!(second.contains("href=\"stop-001.html\"") && second.contains("href=\"stop-003.html\""));
    assert!(!files[1].content.contains("Previous") && !files[4].content.contains("Next"));
}

#[test]
fn review_marks_changes_without_color() {
    let page = review_html(&report("text"));
    assert!(page.contains("<del>text</del>") && page.contains("<td class=\"sign\">±</td>"));
    assert!(page.contains("line-through") && page.contains("underline"));
}
