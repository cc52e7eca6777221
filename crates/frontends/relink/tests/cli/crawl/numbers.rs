//! Numbers of a crawl's reports agree with each other, whatever the site.

use std::fmt::Write as _;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{CRAWL, add_pages, report, site};
use crate::desk::{Desk, QUICK};

/// A site of three levels: sections, leaves without links, and dead links of
/// which one stands on every section.
fn generated(sections: usize, leaves: usize, dead: usize) -> TestServer {
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

fn json(desk: &Desk) -> Value {
    let said = desk.run(&["report", "--db", "relink.db", "--format", "json"]);
    serde_json::from_str(&said.stdout).unwrap()
}

fn sum(rows: &Value, name: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[name].as_u64().unwrap()).sum()
}

/// The invariants of every report.
#[track_caller]
fn check(report: &Value) {
    assert_eq!(sum(&report["depths"], "pages"), report["pages"], "depths against pages");
    assert_eq!(sum(&report["depths"], "links"), report["links"], "depths against links");
    let words = report["words"].as_object().unwrap();
    let count = |word: &str| words.get(word).and_then(Value::as_u64).unwrap_or(0);
    let all: u64 = words.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(all, report["targets"], "verdicts against targets");
    let broken: u64 =
        ["dead", "soft-404", "hijacked", "local", "failing"].iter().map(|word| count(word)).sum();
    assert_eq!(broken, report["findings"]["total"], "verdicts against findings");
    let statuses = report["statuses"].as_object().unwrap().values();
    assert_eq!(statuses.map(|count| count.as_u64().unwrap()).sum::<u64>(), all);
}

/// Rows of the report for machines are as many as its summary says.
#[track_caller]
fn check_rows(desk: &Desk, report: &Value) {
    let rows = desk.run(&["report", "--db", "relink.db", "--format", "jsonl"]).rows();
    assert_eq!(rows.0.len() as u64, report["targets"], "rows against targets");
    for (word, count) in report["words"].as_object().unwrap() {
        let rows = rows.0.iter().filter(|row| row["verdict"] == **word).count();
        assert_eq!(rows as u64, *count, "rows that are {word}");
    }
}

#[test]
fn rows_sum_to_the_header_when_the_deepest_pages_have_no_links() {
    for (sections, leaves, dead) in [(1, 4, 0), (3, 3, 1), (2, 0, 2), (4, 2, 4)] {
        let (web, desk) = (generated(sections, leaves, dead), Desk::new());
        let said = report(&desk, &[web.url("/").as_str()]);
        let told = json(&desk);
        check(&told);
        let pages = 1 + sections + sections * leaves;
        assert_eq!(told["pages"], pages);
        assert!(said.stdout.contains(&format!("{pages} pages")), "{}", said.stdout);
        check_rows(&desk, &told);
    }
}

#[test]
fn crawl_prints_the_report_that_report_prints() {
    let (web, desk) = (generated(4, 1, 5), Desk::new());
    let crawled = report(&desk, &[web.url("/").as_str()]).exits(1).stdout;
    let told = desk.run(&["report", "--db", "relink.db"]).stdout;
    assert!(crawled.starts_with(&told), "{crawled}\n--- against ---\n{told}");
    let total = json(&desk)["findings"]["total"].as_u64().unwrap();
    assert_eq!(total, 21);
    assert!(told.contains("+11 more findings"), "{told}");
}

#[test]
fn crawl_prints_every_finding_on_request() {
    let (web, desk) = (generated(4, 1, 5), Desk::new());
    let url = web.url("/");
    let args = [CRAWL, QUICK, &["--verbose", url.as_str()]].concat();
    let said = desk.run(&args).exits(1).stdout;
    assert_eq!(said.matches("RL101 dead").count(), 21, "{said}");
    assert!(!said.contains("more findings"), "{said}");
}

#[test]
fn links_counted_and_links_named_are_all_of_them() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let links = "<a href=/gone>g</a>\n".repeat(400);
    let page = CannedResponse::new(200, format!("<!doctype html><title>A</title>{links}"));
    web.answer("/", page.header("Content-Type", "text/html"));
    let url = web.url("/");
    let said = desk.run(&[CRAWL, QUICK, &["--verbose", url.as_str()]].concat()).exits(1).stdout;
    assert!(said.contains(" and 396 more"), "{said}");
    let told = desk.run(&["report", "--db", "relink.db"]).stdout;
    assert!(told.contains("400 links, first"), "{told}");
}

#[test]
fn diff_calls_nothing_broken_again_that_never_was() {
    let (web, desk) = (site("/ /a /b\n/a\n/b"), Desk::new());
    web.answer("/b", CannedResponse::new(403, "no"));
    let url = web.url("/");
    let at = |now: &str| {
        let args = [CRAWL, QUICK, &[url.as_str()]].concat();
        desk.command(&args).env("RELINK_NOW", now).output().unwrap();
    };
    at("2026-11-02T09:00:00Z");
    for path in ["/a", "/b", "/c"] {
        web.answer(path, CannedResponse::new(404, "gone"));
    }
    add_pages(&web, "/ /a /b /c");
    at("2026-11-03T09:00:00Z");
    let said = desk.run(&["report", "diff", "1", "2", "--db", "relink.db"]).exits(0).stdout;
    assert!(!said.contains("again"), "{said}");
    assert!(said.contains("regressed (alive before, broken now): 1\n"), "{said}");
    assert!(said.contains("new: 2\n"), "{said}");
}
