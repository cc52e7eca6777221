//! The numbers in the reports of a crawl are consistent.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use std::fmt::Write as _;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{CRAWL, add_pages, crawl_human, site};
use crate::sandbox::{NO_DELAYS, Sandbox};

/// Starts a site of three levels: the home page, sections, and leaves (pages without links). Each
/// section has `dead` dead links of its own, and a dead link that all sections share.
fn generated_site(sections: usize, leaves: usize, dead: usize) -> TestServer {
    let mut lines = String::from("/");
    for section in 0..sections {
        let _ = write!(lines, " /s{section}/");
    }
    for section in 0..sections {
        let _ = write!(lines, "\n/s{section}/ /gone/everywhere");
        for leaf in 0..leaves {
            let _ = write!(lines, " /s{section}/leaf{leaf}");
        }
        for page in 0..dead {
            let _ = write!(lines, " /s{section}/gone{page}");
        }
    }
    for section in 0..sections {
        for leaf in 0..leaves {
            let _ = write!(lines, "\n/s{section}/leaf{leaf}");
        }
    }
    site(&lines)
}

/// Returns the JSON report of the last crawl.
fn json_report(sandbox: &Sandbox) -> Value {
    let result = sandbox.run(&["report", "--db", "relink.db", "--format", "json"]);
    serde_json::from_str(&result.stdout).unwrap()
}

/// Returns the sum of a column.
fn sum(rows: &Value, name: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[name].as_u64().unwrap()).sum()
}

/// Asserts that the totals of a report are consistent.
#[track_caller]
fn check_totals(report: &Value) {
    assert_eq!(sum(&report["depths"], "pages"), report["pages"], "pages by depth");
    assert_eq!(sum(&report["depths"], "links"), report["links"], "links by depth");
    let total = |counts: &Value| -> u64 {
        counts.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(total(&report["verdicts"]), report["targets"], "targets by verdict");
    assert_eq!(total(&report["statuses"]), report["targets"], "targets by status");
    let broken_verdicts = ["dead", "soft-404", "hijacked", "local", "failing"];
    let count = |verdict: &&str| report["verdicts"][verdict].as_u64().unwrap_or(0);
    let broken: u64 = broken_verdicts.iter().map(count).sum();
    assert_eq!(broken, report["findings"]["total"], "targets with a finding");
}

/// Asserts that the number of JSON rows equals the summary.
#[track_caller]
fn check_rows(sandbox: &Sandbox, report: &Value) {
    let rows = sandbox.run(&["report", "--db", "relink.db", "--format", "jsonl"]).rows();
    assert_eq!(rows.results.len() as u64, report["targets"], "rows against targets");
    for (verdict, count) in report["verdicts"].as_object().unwrap() {
        let rows = rows.results.iter().filter(|row| row["verdict"] == **verdict).count();
        assert_eq!(rows as u64, *count, "rows that are {verdict}");
    }
}

#[test]
fn totals_equal_the_sums_of_rows_although_the_deepest_pages_have_no_links() {
    // Sections, leaves per section, dead links per section.
    for (sections, leaves, dead) in [(1, 4, 0), (3, 3, 1), (2, 0, 2), (4, 2, 4)] {
        let (web, sandbox) = (generated_site(sections, leaves, dead), Sandbox::new());
        let result = crawl_human(&sandbox, &[web.url("/").as_str()]);
        let summary = json_report(&sandbox);
        check_totals(&summary);
        let pages = 1 + sections + sections * leaves;
        assert_eq!(summary["pages"], pages);
        assert!(result.stdout.contains(&format!("{pages} pages")), "{}", result.stdout);
        check_rows(&sandbox, &summary);
    }
}

#[test]
fn crawl_and_report_commands_print_the_same_text() {
    let (web, sandbox) = (generated_site(4, 1, 5), Sandbox::new());
    let crawl_text = crawl_human(&sandbox, &[web.url("/").as_str()]).exits(1).stdout;
    let text = sandbox.run(&["report", "--db", "relink.db"]).stdout;
    assert!(crawl_text.starts_with(&text), "{crawl_text}\n--- against ---\n{text}");
    let total = json_report(&sandbox)["findings"]["total"].as_u64().unwrap();
    // Four sections with five dead links each, and the shared one.
    assert_eq!(total, 21);
    assert!(text.contains("+11 more findings"), "{text}");
}

#[test]
fn crawl_prints_every_finding_on_request() {
    let (web, sandbox) = (generated_site(4, 1, 5), Sandbox::new());
    let url = web.url("/");
    let args = [CRAWL, NO_DELAYS, &["--verbose", url.as_str()]].concat();
    let result = sandbox.run(&args).exits(1).stdout;
    assert_eq!(result.matches("RL101 dead").count(), 21, "{result}");
    assert!(!result.contains("more findings"), "{result}");
}

#[test]
fn links_to_a_finding_are_counted_completely() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let links = "<a href=/gone>g</a>\n".repeat(400);
    let page = CannedResponse::new(200, format!("<!doctype html><title>A</title>{links}"));
    web.respond("/", page.with_header("Content-Type", "text/html"));
    let url = web.url("/");
    let result =
        sandbox.run(&[CRAWL, NO_DELAYS, &["--verbose", url.as_str()]].concat()).exits(1).stdout;
    assert!(result.contains(" and 396 more"), "{result}");
    let text = sandbox.run(&["report", "--db", "relink.db"]).stdout;
    assert!(text.contains("400 links, first"), "{text}");
}

#[test]
fn diff_counts_a_page_that_broke_once() {
    let (web, sandbox) = (site("/ /a /b\n/a\n/b"), Sandbox::new());
    // In the first crawl, `/a` is alive and `/b` is blocked; `/c` is not linked yet.
    web.respond("/b", CannedResponse::new(403, "no"));
    let url = web.url("/");
    let crawl_at = |now: &str| {
        let args = [CRAWL, NO_DELAYS, &[url.as_str()]].concat();
        sandbox.command(&args).env("RELINK_NOW", now).output().unwrap();
    };
    crawl_at("2026-11-02T09:00:00Z");
    for path in ["/a", "/b", "/c"] {
        web.respond(path, CannedResponse::new(404, "gone"));
    }
    add_pages(&web, "/ /a /b /c");
    crawl_at("2026-11-03T09:00:00Z");
    let result = sandbox.run(&["report", "diff", "1", "2", "--db", "relink.db"]).exits(0).stdout;
    assert!(!result.contains("again"), "{result}");
    assert!(result.contains("regressed (alive before, broken now): 1\n"), "{result}");
    assert!(result.contains("new: 2\n"), "{result}");
}
