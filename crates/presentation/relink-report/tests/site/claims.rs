//! The content of the page and of the terminal text.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::collections::HashSet;

use relink_report::human::TextStyle;
use relink_report::site::{SiteReport, html, human};

use crate::page::{Tag, tags};
use crate::sample;

/// Returns the text of a section of the sample report, without tags.
fn section_text(id: &str) -> String {
    let page = html(&sample::report());
    let start = page.find(&format!("<section id=\"{id}\"")).expect("the section exists");
    let end = start + page[start..].find("</section>").expect("the section ends");
    let mut text = String::new();
    let mut in_tag = false;
    for character in page[start..end].chars() {
        match character {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            other if !in_tag => text.push(other),
            _ => {}
        }
    }
    // Remove the variation selector after each symbol.
    let text = text.replace('\u{fe0e}', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that the text of the section `id` of the sample report contains all `parts`.
#[track_caller]
fn check(id: &str, parts: &[&str]) {
    let text = section_text(id);
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
fn summary_tiles_have_symbols_verdicts_counts_and_shares() {
    check("summary", &["pages 864", "links 11,203", "time 3m12s"]);
    check("summary", &["✓ alive 870 72.2 %", "✗ dead 61 5.0 %", "☠ hijacked 1 &lt; 0.1 %"]);
    check("summary", &["! Not finished. Stopped at the time limit after 1,100 of 1,204"]);
}

#[test]
fn most_important_repairs_are_listed() {
    check(
        "priorities",
        &[
            "/blog/2014/ : 24 URLs, all broken",
            "/blog/2014/post-0 occurs on nearly every page (861 links)",
        ],
    );
    check("priorities", &["☠ hijacked 1 URL belongs to another owner", "1 URL that was working"]);
}

#[test]
fn changes_since_the_previous_crawl_are_listed() {
    check(
        "changes",
        &["crawl 41, started 2026-11-03 09:00 UTC", "+ new 4", "↺ regressed 1", "✓ fixed 9"],
    );
    check("changes", &["not linked ✗ dead RL101 /press/release-3 +3 more, not shown"]);
    check("changes", &["◌ failing not linked https://old.example.org/x +7 more, not shown"]);
}

#[test]
fn finding_has_verdict_code_status_reason_advice_and_locations() {
    check("findings", &["Findings 85", "✗ dead RL101 /blog/2014/post-0 404 in 2 attempts"]);
    check(
        "findings",
        &["advice: Remove the link", "404 Not Found 1 861 links /blog/2015/post-1 line 19"],
    );
    check("findings", &["859 more", "+851 more, not shown", "+43 more, not shown"]);
}

#[test]
fn depth_section_has_slopes_and_saturation_depth() {
    check(
        "depth",
        &["Few new links appear from depth 5 on.", "+188", "−254", "few new links from here"],
    );
    check("depth", &["6,960 of 11,203 links (62.1 %) occur on nearly every page"]);
}

#[test]
fn omitted_directories_are_counted() {
    check("directories", &["2014/ 24 URLs ✗ 24 broken dead directory", "+202 more directories"]);
}

#[test]
fn filter_of_the_findings_counts_the_omitted_findings_too() {
    let report = sample::report();
    let shown =
        report.findings.rows.iter().filter(|row| row.verdict == relink_model::Verdict::Dead);
    assert!(shown.count() < 61, "the table is truncated");
    check("findings", &["dead (61)", "soft-404 (14)", "hijacked (1)", "failing (9)"]);
}

#[test]
fn other_sections_are_present() {
    check("chains", &["http://site.example/a /a /a/ /articles/a/ 3 17"]);
    check("fragments", &["/install #windows 7 links"]);
    check("mixed", &["/gallery http://cdn.example/photo-1.jpg"]);
    check("orphans", &["/press/2019/launch"]);
    check("titles", &["Untitled page 31 /pages/1"]);
    check("slowest", &["/search 8.4 s"]);
    check("largest", &["/glossary 912.4 kB"]);
    check("statuses", &["no response 63", "4xx client error 132 10.9 %"]);
    check("hosts", &["cdn.example 120 ! 6 16.8 s 22.8 s", "+52 more, not shown"]);
    check(
        "traps",
        &["/calendar?month=… endless calendar 240 /calendar?month=2099-12 --enter-trap /calendar*"],
    );
    check("not-followed", &["deeper than the limit 412"]);
    check("notes", &["robots.txt sets a Crawl-delay of 1.0 s"]);
}

#[test]
fn every_section_has_advice_and_a_contents_entry() {
    let page = html(&sample::report());
    let tags = tags(&page);
    let ids: Vec<&str> = tags
        .iter()
        .filter(|tag| tag.name == "section")
        .filter_map(|tag| tag.attribute("id"))
        // Neither the summary nor the list of empty sections has advice.
        .filter(|id| !["summary", "nothing"].contains(id))
        .collect();
    for id in &ids {
        check(id, &["What to do: "]);
        let link = format!("#{id}");
        let is_entry = |tag: &&Tag| tag.enclosing.iter().any(|name| name == "nav");
        assert!(tags.iter().filter(is_entry).any(|tag| tag.attribute("href") == Some(&link)));
    }
    assert_eq!(ids.len(), 18);
}

#[test]
fn site_without_findings_has_a_short_page() {
    let page = html(&SiteReport::default());
    let sections = tags(&page).into_iter().filter(|tag| tag.name == "section").count();
    assert_eq!(sections, 2, "the summary and the list of empty sections");
    assert!(page.contains("<li>No findings.</li>"));
    assert!(!page.contains("<table") && !page.contains("<svg"));
}

#[test]
fn every_chart_has_a_table_and_a_text_alternative() {
    let page = html(&sample::report());
    for tag in tags(&page).iter().filter(|tag| tag.name == "svg") {
        assert!(tag.enclosing.iter().any(|name| name == "figure"), "{tag:?}");
        assert!(tag.attribute("aria-label").is_some_and(|label| !label.is_empty()));
        assert_eq!(tag.attribute("role"), Some("img"));
    }
    let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
    assert_eq!(figures.len(), 3, "depths, statuses, hosts");
    for figure in figures {
        let figure = figure.split("</figure>").next().unwrap_or_default();
        let table = figure.split("Show as a table").nth(1);
        assert!(table.is_some_and(|table| table.contains("<table>")), "{figure}");
    }
}

#[test]
fn page_loads_and_runs_nothing() {
    let page = html(&sample::report());
    let tags = tags(&page);
    let names: HashSet<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
    for unsafe_name in
        ["script", "link", "img", "iframe", "object", "embed", "base", "form", "video"]
    {
        assert!(!names.contains(unsafe_name), "{unsafe_name}");
    }
    for (name, value) in tags.iter().flat_map(|tag| &tag.attributes) {
        assert!(!name.starts_with("on") && name != "style" && name != "src", "{name}={value}");
    }
    assert!(!page.contains("@import") && !page.contains("@font-face"));
    let policy = tags.iter().find(|tag| tag.attribute("http-equiv").is_some());
    let policy = policy.and_then(|tag| tag.attribute("content"));
    assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none'; ")), "{policy:?}");
}

#[test]
fn heading_levels_are_consecutive_and_ids_unique() {
    let tags = tags(&html(&sample::report()));
    let levels = tags.iter().filter_map(|tag| tag.name.strip_prefix('h')?.parse::<u8>().ok());
    let mut previous = 0;
    for level in levels {
        assert!(level <= previous + 1, "h{level} after h{previous}");
        previous = level;
    }
    let mut ids = HashSet::new();
    assert!(tags.iter().filter_map(|tag| tag.attribute("id")).all(|id| ids.insert(id)));
}

#[test]
fn terminal_text() {
    insta::assert_snapshot!(human(&sample::report(), TextStyle::Plain));
}

#[test]
fn terminal_text_of_an_empty_site() {
    insta::assert_snapshot!(human(&SiteReport::default(), TextStyle::Plain));
}
