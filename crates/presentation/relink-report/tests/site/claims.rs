//! What a reader finds on the page and in the lines of an honest site.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::collections::HashSet;

use relink_report::human::TextStyle;
use relink_report::site::{SiteReport, html, human};

use crate::page::{Tag, tags};
use crate::sample;

/// What the page says between two of its headings, without its tags.
fn section(id: &str) -> String {
    let page = html(&sample::report());
    let start = page.find(&format!("<section id=\"{id}\"")).expect("the section is there");
    let end = start + page[start..].find("</section>").expect("the section ends");
    let mut told = String::new();
    let mut in_tag = false;
    for character in page[start..end].chars() {
        match character {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                told.push(' ');
            }
            other if !in_tag => told.push(other),
            _ => {}
        }
    }
    let told = told.replace('\u{fe0e}', "");
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(id: &str, parts: &[&str]) {
    let told = section(id);
    for part in parts {
        assert!(told.contains(part), "{part:?} is not in {told:?}");
    }
}

#[test]
fn the_tiles_have_signs_words_numbers_and_shares() {
    check("summary", &["pages 864", "links 11,203", "time 3m12s"]);
    check("summary", &["✓ alive 870 72.2 %", "✗ dead 61 5.0 %", "☠ hijacked 1 &lt; 0.1 %"]);
    check("summary", &["! Not finished. The time was up after 1,100 of 1,204"]);
}

#[test]
fn what_mends_most_comes_first() {
    check(
        "first",
        &[
            "/blog/2014/ : 24 addresses under it",
            "/blog/2014/post-0 stands on nearly every page (861 links)",
        ],
    );
    check(
        "first",
        &["☠ hijacked 1 address belongs to another owner now", "1 address that was well"],
    );
}

#[test]
fn a_crawl_is_compared_with_the_one_before() {
    check(
        "changes",
        &["crawl 41, begun 2026-11-03 09:00 UTC", "+ new 4", "↺ regressed 1", "✓ fixed 9"],
    );
    check("changes", &["not seen ✗ dead RL101 /press/release-3 +3 more, not shown"]);
    check("changes", &["◌ failing gone https://old.example.org/x +7 more, not shown"]);
}

#[test]
fn a_finding_has_its_word_code_status_reason_advice_and_places() {
    check("findings", &["Findings 85", "✗ dead RL101 /blog/2014/post-0 404 on 2 looks"]);
    check(
        "findings",
        &["do: Remove the link", "404 Not Found 1 861 links /blog/2015/post-1 line 19"],
    );
    check("findings", &["859 more", "+851 more, not shown", "+43 more, not shown"]);
}

#[test]
fn depths_have_their_slope_and_the_depth_from_which_little_is_new() {
    check(
        "depth",
        &["From depth 5 on little new appears.", "+188", "−254", "little new from here"],
    );
    check("depth", &["6,960 of 11,203 links (62.1 %) stand on nearly every page"]);
}

#[test]
fn what_is_left_out_of_the_tree_is_counted() {
    check(
        "directories",
        &["2014/ 24 addresses ✗ 24 broken dead directory", "+202 more directories"],
    );
}

#[test]
fn findings_filter_counts_all_of_the_report() {
    let report = sample::report();
    let shown =
        report.findings.rows.iter().filter(|row| row.verdict == relink_model::Verdict::Dead);
    assert!(shown.count() < 61, "the table shows fewer than there are");
    check("findings", &["dead (61)", "soft-404 (14)", "hijacked (1)", "failing (9)"]);
}

#[test]
fn the_other_parts_are_there() {
    check("chains", &["http://site.example/a /a /a/ /articles/a/ 3 17"]);
    check("fragments", &["/install #windows 7 links"]);
    check("mixed", &["/gallery http://cdn.example/photo-1.jpg"]);
    check("orphans", &["/press/2019/launch"]);
    check("titles", &["Untitled page 31 /pages/1"]);
    check("slowest", &["/search 8.4 s"]);
    check("largest", &["/glossary 912.4 kB"]);
    check(
        "statuses",
        &["no answer 63", "4xx the address is at error, or we are not let in 132 10.9 %"],
    );
    check("hosts", &["cdn.example 120 ! 6 16.8 s 22.8 s", "+52 more, not shown"]);
    check("traps", &["/calendar?month=… a calendar without end 240 /calendar?month=2099-12"]);
    check("aside", &["deeper than the limit 412"]);
    check("notes", &["robots.txt asks for 1.0 s between visits"]);
}

#[test]
fn every_part_says_what_to_do_and_stands_in_the_contents() {
    let page = html(&sample::report());
    let tags = tags(&page);
    let ids: Vec<&str> = tags
        .iter()
        .filter(|tag| tag.name == "section")
        .filter_map(|tag| tag.attribute("id"))
        .filter(|id| !["summary", "nothing"].contains(id))
        .collect();
    for id in &ids {
        check(id, &["What to do: "]);
        let link = format!("#{id}");
        let is_entry = |tag: &&Tag| tag.within.iter().any(|name| name == "nav");
        assert!(tags.iter().filter(is_entry).any(|tag| tag.attribute("href") == Some(&link)));
    }
    assert_eq!(ids.len(), 18);
}

#[test]
fn a_site_without_faults_has_a_short_page() {
    let page = html(&SiteReport::default());
    let sections = tags(&page).into_iter().filter(|tag| tag.name == "section").count();
    assert_eq!(sections, 2, "the summary, and what was looked for");
    assert!(page.contains("<li>Nothing is broken.</li>"));
    assert!(!page.contains("<table") && !page.contains("<svg"));
}

#[test]
fn every_chart_has_a_table_and_a_sentence() {
    let page = html(&sample::report());
    for tag in tags(&page).iter().filter(|tag| tag.name == "svg") {
        assert!(tag.within.iter().any(|name| name == "figure"), "{tag:?}");
        assert!(tag.attribute("aria-label").is_some_and(|says| !says.is_empty()));
        assert_eq!(tag.attribute("role"), Some("img"));
    }
    let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
    assert_eq!(figures.len(), 3, "depths, statuses, hosts");
    for figure in figures {
        let figure = figure.split("</figure>").next().unwrap_or_default();
        let twin = figure.split("The same as a table").nth(1);
        assert!(twin.is_some_and(|twin| twin.contains("<table>")), "{figure}");
    }
}

#[test]
fn the_page_needs_nothing_and_runs_nothing() {
    let page = html(&sample::report());
    let tags = tags(&page);
    let names: HashSet<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
    for banned in ["script", "link", "img", "iframe", "object", "embed", "base", "form", "video"] {
        assert!(!names.contains(banned), "{banned}");
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
fn headings_leave_no_level_out_and_ids_are_given_once() {
    let tags = tags(&html(&sample::report()));
    let levels = tags.iter().filter_map(|tag| tag.name.strip_prefix('h')?.parse::<u8>().ok());
    let mut before = 0;
    for level in levels {
        assert!(level <= before + 1, "h{level} after h{before}");
        before = level;
    }
    let mut ids = HashSet::new();
    assert!(tags.iter().filter_map(|tag| tag.attribute("id")).all(|id| ids.insert(id)));
}

#[test]
fn a_terminal_gets_a_few_lines() {
    insta::assert_snapshot!(human(&sample::report(), TextStyle::Plain));
}

#[test]
fn a_terminal_gets_even_fewer_lines_of_an_empty_site() {
    insta::assert_snapshot!(human(&SiteReport::default(), TextStyle::Plain));
}
