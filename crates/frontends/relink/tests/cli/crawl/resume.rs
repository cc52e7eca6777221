//! Going on after an interruption.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use super::{asked, crawl, rows_of, written};
use crate::desk::Desk;

const PAGES: usize = 60;
const AT_ONCE: usize = 2;

/// A site that takes its time; each page links to the next and to another.
fn slow_site() -> TestServer {
    let web = TestServer::start_blocking();
    for number in 0..PAGES {
        let links = [(number + 1) % PAGES, (2 * number + 1) % PAGES].map(|n| format!("/{n}"));
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let path = format!("/{number}");
        let answer = CannedResponse::new(200, written::page(&path, &links));
        web.answer(&path, answer.after(Duration::from_millis(15)));
    }
    web
}

fn words(url: &str) -> Vec<&str> {
    vec![url, "--host-concurrency", "2"]
}

#[test]
fn a_crawl_killed_again_and_again_ends_with_every_page_and_few_repeats() {
    for order in ["breadth", "depth"] {
        let (web, desk) = (slow_site(), Desk::new());
        let url = web.url("/0");
        let args = [&words(url.as_str())[..], &["--order", order]].concat();
        let kills = 4;
        for kill in 0..kills {
            let mut running = desk.begin(&rows_of(&args));
            // Each turn tells what is settled already, then goes on.
            for _ in 0..=kill * 6 + 3 {
                running.next_row();
            }
            running.kill();
        }
        let rows = crawl(&desk, &args).exits(0).rows();
        assert_eq!(rows.0.len(), PAGES);
        assert!(rows.0.iter().all(|row| row["verdict"] == "alive"));
        let asked = asked(&web).len();
        // What is in flight may be repeated, and what waits for its commit.
        assert!(asked <= PAGES + kills * 2 * AT_ONCE, "{order}: {asked}");
        assert_eq!(web.hits("/robots.txt"), 1);
    }
}

#[test]
fn an_interrupted_crawl_exits_130_and_says_how_to_go_on() {
    let (web, desk) = (slow_site(), Desk::new());
    let url = web.url("/0");
    let mut running = desk.begin(&rows_of(&words(url.as_str())));
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("unfinished since"), "{}", status.stdout);
    assert!(status.stdout.contains(url.as_str()), "{}", status.stdout);
    crawl(&desk, &words(url.as_str())).exits(0);
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("60 pages, 60 of 60 targets"), "{}", status.stdout);
    assert_eq!(status.stdout.lines().count(), 1, "{}", status.stdout);
}

#[test]
fn a_crawl_begun_anew_leaves_the_old_one_alone() {
    let (web, desk) = (slow_site(), Desk::new());
    let url = web.url("/0");
    let mut running = desk.begin(&rows_of(&words(url.as_str())));
    running.next_row();
    running.kill();
    let args = [&words(url.as_str())[..], &["--fresh"]].concat();
    assert_eq!(crawl(&desk, &args).exits(0).rows().0.len(), PAGES);
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert_eq!(status.stdout.lines().count(), 2, "{}", status.stdout);
}

#[test]
fn without_a_crawl_the_status_says_how_to_begin() {
    let status = Desk::new().run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("relink crawl URL"), "{}", status.stdout);
}
