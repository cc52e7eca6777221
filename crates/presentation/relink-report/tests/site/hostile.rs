//! Untrusted text in URLs, titles and reasons is always escaped.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use proptest::prelude::*;
use relink_model::{FindingCode, Verdict};
use relink_report::human::TextStyle;
use relink_report::site::{
    Capped, ChainRow, ChangeRow, Edge, InlinkRow, MissingFragment, PageMetric, SameTitle,
    SiteComparison, SiteFinding, SiteHost, SiteReport, TemplateRow, TrapRow, TreeRow, html, human,
};

use crate::page::{Tag, tags};

/// Maximum size of a page.
const MAX_PAGE_BYTES: usize = 5_000_000;

/// Creates a report in which every text is `hostile`, with `rows` rows per list.
fn report(hostile: &str, rows: usize) -> SiteReport {
    let text = || hostile.to_owned();
    let inlink = InlinkRow { page: text(), line: 1 };
    let inlinks = Capped { rows: vec![inlink; 50], total: u64::MAX };
    let finding = SiteFinding {
        url: text(),
        verdict: Verdict::Dead,
        code: Some(FindingCode::new(101)),
        status: Some(404),
        reason: text(),
        advice: Some(text()),
        depth: Some(3),
        inlinks: inlinks.clone(),
    };
    let soft_404 = SiteFinding { verdict: Verdict::Soft404, ..finding.clone() };
    let mut findings = vec![finding; rows];
    findings.push(soft_404);
    let directory = TreeRow { path: text(), level: 1, targets: 9, broken: 9, is_dead: true };
    let change = ChangeRow { url: text(), before: None, after: Some(Verdict::Dead), code: None };
    let changes = repeated(change, rows);
    let fragment = MissingFragment { url: text(), fragment: text(), inlinks };
    let title = SameTitle { title: text(), pages: repeated(text(), 20) };
    let trap = TrapRow { kind: text(), pattern: text(), count: 1, example: text(), flag: text() };
    let host =
        SiteHost { name: text(), requests: 1, timeline: vec![u32::MAX; 60], ..SiteHost::default() };
    SiteReport {
        version: text(),
        seeds: vec![text(), text()],
        termination_note: Some(text()),
        statuses: [(text(), u64::MAX)].into(),
        verdicts: [(Verdict::Dead, u64::MAX), (Verdict::Hijacked, u64::MAX)].into(),
        hosts: repeated(host, rows.min(50)),
        tree: repeated(directory, rows * 5),
        findings: Capped { rows: findings, total: u64::MAX },
        chains: repeated(ChainRow { hops: vec![text(); 5], inlinks: 1 }, rows),
        slowest: vec![PageMetric { url: text(), value: u64::MAX }; rows.min(20)],
        largest: vec![PageMetric { url: text(), value: u64::MAX }; rows.min(20)],
        orphans: repeated(text(), rows),
        same_titles: repeated(title, rows),
        fragments: repeated(fragment, rows),
        mixed_content: repeated(Edge { from: text(), to: text() }, rows),
        templates: repeated(TemplateRow { url: text(), pages: 1 }, rows),
        traps: vec![trap; rows],
        not_followed: vec![(text(), u64::MAX); 9],
        notes: vec![text(); rows],
        comparison: Some(SiteComparison {
            new: changes.clone(),
            fixed: changes.clone(),
            regressed: changes,
            ..SiteComparison::default()
        }),
        ..SiteReport::default()
    }
}

/// Returns a list of `rows` copies of a row.
fn repeated<T: Clone>(row: T, rows: usize) -> Capped<T> {
    Capped { rows: vec![row; rows], total: rows as u64 }
}

/// Returns the names of the elements of a page with the names of their attributes, in order.
fn element_names(tags: &[Tag]) -> Vec<String> {
    let name = |tag: &Tag| {
        let attributes: Vec<&str> = tag.attributes.iter().map(|(name, _)| name.as_str()).collect();
        format!("{} {}", tag.name, attributes.join(" "))
    };
    tags.iter().map(name).collect()
}

/// Checks that a page in which every text is `hostile` has the same elements as a page with
/// harmless text.
#[track_caller]
fn check(hostile: &str) {
    let page = html(&report(hostile, 1));
    let tags = tags(&page);
    let harmless = self::tags(&html(&report("harmless", 1)));
    assert!(element_names(&tags) == element_names(&harmless), "other elements with {hostile:?}");
    assert_eq!(page.matches("<script").count(), 0);
    let is_control = |char: char| char.is_control() && char != '\n';
    assert!(!page.contains(is_control), "{hostile:?}");
    assert!(!page.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "{hostile:?}");
    let text = human(&report(hostile, 1), TextStyle::Plain);
    assert!(!text.contains(is_control), "{hostile:?}");
}

#[test]
fn markup_stays_text() {
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style></title></textarea><svg onload=alert(1)>",
        "<!-- ]]> --!> <![CDATA[",
        "&lt;script&gt; &#60;b&#62; &amp",
        "{{constructor}} ${7*7} `",
    ] {
        check(hostile);
    }
}

#[test]
fn only_http_becomes_a_link() {
    for hostile in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)//https://example.org",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/",
        "https:example.org",
    ] {
        check(hostile);
        let page = html(&report(hostile, 1));
        let tags = tags(&page);
        let hrefs = tags.iter().filter_map(|tag| tag.attribute("href"));
        assert!(hrefs.into_iter().all(|href| href.starts_with('#')), "{hostile:?}");
    }
}

#[test]
fn links_send_no_referrer() {
    let page = html(&report("https://example.org/?a=1&b=\"2\"", 1));
    let tags = tags(&page);
    let external_links: Vec<&Tag> = tags
        .iter()
        .filter(|tag| tag.attribute("href").is_some_and(|href| !href.starts_with('#')))
        .collect();
    assert!(external_links.len() > 10);
    for tag in external_links {
        assert_eq!(tag.attribute("href"), Some("https://example.org/?a=1&b=\"2\""));
        assert_eq!(tag.attribute("rel"), Some("noreferrer noopener"));
    }
}

#[test]
fn control_and_direction_characters_are_replaced() {
    check("a\u{1b}[2J\u{7}\u{0}\r\n\tb\u{9b}31m");
    check("\u{202e}gpj.exe\u{2066}\u{200f}עברית");
}

#[test]
fn report_contains_no_password() {
    for hostile in [
        "https://ann:secret@example.org/a",
        &format!("{}https://ann:{}@example.org/", "a ".repeat(195), "secret".repeat(9)),
        "/go/https://ann:secret@example.org/",
        "see (https://ann:secret@example.org/) and https://b:secret@example.net",
    ] {
        let page = html(&report(hostile, 1));
        // The text before the password, for the failure message.
        let leak = page.find("secret").map(|start| &page[start.saturating_sub(200)..start]);
        assert_eq!(leak, None, "{hostile}");
        assert!(!human(&report(hostile, 1), TextStyle::Plain).contains("secret"));
    }
}

#[test]
fn page_size_is_limited() {
    let long = format!("https://example.org/{}", "<&\"".repeat(3_400));
    let wide = format!("https://example.org/{}", "a/".repeat(980));
    for hostile in [long.as_str(), wide.as_str(), "https://example.org/an/ordinary/url"] {
        let page = html(&report(hostile, 1_000));
        assert!(page.len() < MAX_PAGE_BYTES, "{} bytes of {} each", page.len(), hostile.len());
    }
    check(&format!("x{}", "y".repeat(10_000)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_escaped(hostile in "(?s).{0,60}") {
        // Text that starts like a URL or a path may become a link.
        check(&format!("x{hostile}"));
    }
}
