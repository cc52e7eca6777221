//! Commands with a database on a PostgreSQL server.

use std::path::Path;
use std::time::Duration;

use relink_testkit::postgres::{Durability, PostgresServer};
use relink_testkit::web::TestServer;

use crate::sandbox::{NO_DELAYS, Sandbox};

/// Starts a web server with live and dead pages, and returns their URLs. Every fifth page is dead.
fn site(page_count: usize) -> (TestServer, Vec<String>) {
    let server = TestServer::start_blocking();
    let mut urls = Vec::new();
    for number in 0..page_count {
        let path = format!("/{number}");
        let is_dead = number % 5 == 4;
        let text = format!("<title>Page {number}</title><p>The text of page {number}.</p>");
        server.page(&path, if is_dead { 404 } else { 200 }, &text);
        urls.push(server.url(&path).to_string());
    }
    (server, urls)
}

/// Returns the arguments of a check of `list.txt` with a database.
fn check_args<'a>(db: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [&["check", "--db", db, "--format", "jsonl", "list.txt"], flags].concat()
}

#[test]
fn check_has_the_same_verdicts_with_a_server_as_with_a_file() {
    let (_server, urls) = site(40);
    let (sandbox, db_url) = (Sandbox::new(), PostgresServer::shared().new_database());
    sandbox.write_urls("list.txt", &urls);
    let with_file = sandbox.run(&check_args("relink.db", NO_DELAYS)).exits(1).rows();
    let with_server = sandbox.run(&check_args(&db_url, NO_DELAYS)).exits(1).rows();
    assert_eq!(with_server.urls(), with_file.urls());
    for url in &urls {
        assert_eq!(with_server.verdict(url), with_file.verdict(url), "{url}");
    }
    let explained = sandbox.run(&["explain", &urls[4], "--db", &db_url]).exits(0);
    assert!(explained.stdout.contains("404"), "{}", explained.stdout);
    let size = sandbox.run(&["db", "size", "--db", &db_url]).exits(0);
    assert!(size.stdout.contains("1 run, 40 targets"), "{}", size.stdout);
}

#[test]
fn crawl_and_survey_work_with_a_server() {
    let (web, db_url) = (TestServer::start_blocking(), PostgresServer::shared().new_database());
    web.page("/", 200, "<title>Home</title><a href=a>a</a> <a href=b>b</a>");
    web.page("/a", 200, "<title>A</title><a href=/>home</a>");
    web.page("/b", 404, "");
    web.page("/robots.txt", 404, "");
    let sandbox = Sandbox::new();
    let home = web.url("/").to_string();
    let args = ["crawl", &home, "--db", &db_url, "--format", "jsonl", "--host-interval", "0"];
    let rows = sandbox.run(&args).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/b")), "dead RL101");
    let urls: Vec<String> = (0..5).map(|_| web.url("/a").to_string()).collect();
    sandbox.write_urls("catalog.txt", urls);
    let args = ["survey", "catalog.txt", "--db", &db_url, "--host-interval", "0"];
    let survey = sandbox.run(&args);
    // The survey ends with a result. An error of the store would be exit code 4.
    assert!(survey.exit_code <= 1, "{}{}", survey.stdout, survey.stderr);
}

#[test]
fn check_continues_after_a_restart_of_the_server() {
    let (_web, urls) = site(40);
    let server = PostgresServer::start(Durability::On);
    let sandbox = Sandbox::new();
    sandbox.write_urls("list.txt", &urls);
    let (db_url, flags) = (server.url(), ["--host-interval", "20ms", "--retries", "0"]);
    let mut running = sandbox.spawn(&check_args(&db_url, &flags));
    let row_before = running.next_row();
    server.restart();
    let rows_after = running.finish().exits(1).rows();
    let mut checked = rows_after.urls();
    checked.push(row_before["url"].as_str().unwrap().to_owned());
    checked.sort();
    let mut expected = urls;
    expected.sort();
    assert_eq!(checked, expected);
}

#[test]
fn password_is_never_printed() {
    let sandbox = Sandbox::new();
    sandbox.write_urls("list.txt", ["http://127.0.0.1:9/"]);
    let refused = "postgres://ann:s3cret@127.0.0.1:9/x";
    for (db_url, parts) in [
        (refused, &["***@127.0.0.1:9/x", "check that the server is running"][..]),
        ("postgres://ann:s3cret@db.test/x?sslmode=disable", &["sslmode=disable"]),
        ("postgres://ann:s3cret@127.0.0.1:port/x", &["invalid database URL"]),
    ] {
        let output = sandbox.run(&["check", "--db", db_url, "list.txt"]);
        assert_ne!(output.exit_code, 0);
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(!text.contains("s3cret"), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.contains("hint: "), "{text}");
    }
    let path = sandbox.run(&["db", "path", "--db", refused]).exits(0);
    // The user name is shown, the password is not.
    assert_eq!(path.stdout, "postgres://ann@127.0.0.1:9/x\n");
}

#[test]
fn database_of_a_newer_version_is_rejected() {
    let (sandbox, db_url) = (Sandbox::new(), PostgresServer::shared().new_database());
    sandbox.run(&["db", "size", "--db", &db_url]).exits(0);
    let update = "UPDATE relink.schema_version SET version = 99";
    PostgresServer::shared().query_in(&db_url, update);
    let output = sandbox.run(&["db", "size", "--db", &db_url]);
    assert_eq!(output.exit_code, 4, "{}", output.stderr);
    assert!(output.stderr.contains("written by a newer version"), "{}", output.stderr);
}

/// The check is interrupted, a worker fetches the remaining pages, and the resumed check
/// reports all of them.
#[test]
fn worker_fetches_the_tasks_of_an_unfinished_check() {
    let (web, urls) = site(40);
    let (sandbox, db_url) = (Sandbox::new(), PostgresServer::shared().new_database());
    sandbox.write_urls("list.txt", &urls);
    let flags = ["--host-interval", "50ms", "--retries", "0"];
    let mut running = sandbox.spawn(&check_args(&db_url, &flags));
    running.next_row();
    let status = sandbox.run(&["db", "status", "--db", &db_url]).exits(0);
    assert!(status.stdout.contains("\nworker 1 ("), "{}", status.stdout);
    running.interrupt();
    running.finish().exits(130);

    let worker = sandbox.run(&["worker", "--db", &db_url, "--until-idle"]).exits(0);
    assert!(worker.stdout.ends_with(" results\n"), "{}", worker.stdout);
    assert_ne!(worker.stdout, "0 results\n");
    let status = sandbox.run(&["db", "status", "--db", &db_url]).exits(0);
    assert!(status.stdout.contains("(check): 0 pending, 0 held, 40 checked"), "{}", status.stdout);
    // Both processes have ended.
    assert!(!status.stdout.contains("\nworker "), "{}", status.stdout);

    let requests_before = web.requests().len();
    let rows = sandbox.run(&check_args(&db_url, &flags)).exits(1).rows();
    assert_eq!(rows.results.len(), 40);
    assert_eq!(web.requests().len(), requests_before, "nothing is fetched again");
}

/// A worker fetches samples of a survey, which draws the next ones by the results.
#[test]
fn worker_helps_with_a_survey() {
    let web = TestServer::start_blocking();
    let urls: Vec<String> = (0..60).map(|page| web.url(&format!("/{page}")).to_string()).collect();
    for page in 0..30 {
        web.page(&format!("/{page}"), 200, &format!("page {page}"));
    }
    let (sandbox, db_url) = (Sandbox::new(), PostgresServer::shared().new_database());
    sandbox.write_urls("catalog.txt", &urls);
    let worker = sandbox.spawn(&["worker", "--db", &db_url]);
    let args = ["survey", "--db", &db_url, "--plan", "full", "--host-interval", "20ms"];
    let survey = sandbox.run(&[&args[..], &["--retries", "0", "catalog.txt"]].concat()).exits(1);
    worker.interrupt();
    worker.finish();
    assert!(survey.stdout.contains("60 checked"), "{}", survey.stdout);
    assert!(survey.stdout.contains("30 dead"), "{}", survey.stdout);
}

/// The second process fetches pages of the same run, and both report all results.
#[test]
fn second_process_of_a_check_joins_the_run() {
    let (web, urls) = site(40);
    let (sandbox, db_url) = (Sandbox::new(), PostgresServer::shared().new_database());
    sandbox.write_urls("list.txt", &urls);
    let args = check_args(&db_url, &["--host-interval", "50ms", "--retries", "0"]);
    let mut first = sandbox.spawn(&args);
    let first_row = first.next_row();
    let second = sandbox.run(&args).exits(1).rows();
    let mut reported = first.finish().exits(1).rows();
    reported.results.push(first_row);
    assert_eq!(reported.urls(), second.urls());
    for url in &urls {
        assert_eq!(second.verdict(url), reported.verdict(url), "{url}");
    }
    assert_eq!(second.results.len(), 40);
    // Each live page was fetched once. Every fifth page is dead and fetched twice.
    for number in (0..40).filter(|number| number % 5 != 4) {
        assert_eq!(web.hits(&format!("/{number}")), 1);
    }
}

#[test]
fn worker_without_a_server_is_an_error() {
    let sandbox = Sandbox::new();
    let worker = sandbox.run(&["worker", "--db", "relink.db"]);
    worker.fails(2, &["a worker needs a PostgreSQL database", "postgres://"]);
}

#[test]
fn commands_without_postgresql_reject_its_urls_and_create_no_file() {
    let sandbox = Sandbox::new();
    let files_before = std::fs::read_dir(sandbox.path("")).unwrap().count();
    let db_url = "postgres://user:secret@127.0.0.1:9/x";
    for args in [&["watch", "list"][..], &["harvest", "list"], &["serve", "--oai"]] {
        let output = sandbox.run(&[args, &["--db", db_url]].concat()).exits(2);
        assert!(output.stderr.contains("cannot use PostgreSQL"), "{}", output.stderr);
        assert!(!output.stderr.contains("secret"), "{}", output.stderr);
    }
    assert_eq!(std::fs::read_dir(sandbox.path("")).unwrap().count(), files_before);
}

/// A small version of `cargo xtask workers`.
#[test]
fn results_are_complete_if_workers_are_killed_or_suspended() {
    let size = xtask::workers::WorkersSize {
        hosts: 15,
        pages: 8,
        interval: Duration::from_millis(400),
        lease: Duration::from_secs(6),
        // On a busy machine, requests may reach the servers closer together than sent.
        min_gap_percent: 50,
    };
    let relink = Path::new(env!("CARGO_BIN_EXE_relink"));
    let outcome = xtask::workers::run(relink, &size, |_| {}).unwrap();
    assert!(outcome.is_correct(), "{outcome}");
}

/// A small version of `cargo xtask bench workers`.
#[test]
fn several_processes_report_every_page_of_slow_servers() {
    let size = xtask::bench::SpeedupSize {
        hosts: 6,
        pages: 3,
        delay: Duration::from_millis(20),
        concurrency: 2,
        processes: vec![1, 3],
    };
    let relink = Path::new(env!("CARGO_BIN_EXE_relink"));
    let outcome = xtask::bench::bench_speedup(relink, &size, |_| {}).unwrap();
    // A title, a header, and one line for each number of processes.
    assert_eq!(outcome.to_string().lines().count(), 4, "{outcome}");
}
