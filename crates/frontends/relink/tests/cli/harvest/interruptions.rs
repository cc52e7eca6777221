//! Commands that are interrupted or killed in the middle of their work.

use std::process::Stdio;
use std::time::Duration;

use relink_testkit::web::CannedResponse;
use serde_json::Value;

use super::server::{Server, TOKEN};
use super::{PROVIDER, Provider, REFUSING_ADDRESS, time};
use crate::sandbox::Running;

/// Longer than any test.
const FOREVER: Duration = Duration::from_hours(1);

/// Makes a page of `a.test` never respond.
fn hang_page(provider: &Provider, path: &str) {
    let late = CannedResponse::new(200, "").with_delay(FOREVER);
    provider.web.host("a.test").sequence(path, [late]);
}

/// Starts a subcommand on a day, and waits for its request for a page of `a.test`.
fn start_until_request(provider: &Provider, day: i8, args: &[&str], path: &str) -> Running {
    let hits_before = provider.web.host("a.test").hits(path);
    let running = provider.spawn_on_day(day, args);
    while provider.web.host("a.test").hits(path) == hits_before {
        std::thread::yield_now();
    }
    running
}

/// Returns the mails that are not sent yet.
fn unsent_mails(provider: &Provider) -> String {
    provider.harvest(&["mail"]).exits(0).stdout
}

#[test]
fn interrupted_report_of_a_user_changes_nothing_and_can_be_repeated() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.run_on_day(0);
    let url = provider.record_url(2);
    hang_page(&provider, "/2");
    let flag = ["flag", &url, "--user", "teacher"];
    let running = start_until_request(&provider, 1, &flag, "/2");
    running.interrupt();
    let output = running.finish().exits(130);
    assert_eq!(output.stdout, "lre: not checked: interrupted\n");
    start_until_request(&provider, 1, &flag, "/2").kill();
    // No target responds, so that the local network may be the cause.
    let offline =
        provider.harvest_with_targets_at(&time(1), REFUSING_ADDRESS, &flag).exits(3).stdout;
    assert!(offline.starts_with("lre: not checked: "), "{offline}");
    assert!(provider.hidden_records().is_empty());
    assert_eq!(provider.status()["incidents"], Value::Array(Vec::new()));
    assert_eq!(unsent_mails(&provider), "0 not sent; use `--send` to send them\n");

    provider.remove_page("a.test", "/2");
    let confirmed = provider.harvest_on_day(1, &flag).exits(0).stdout;
    assert_eq!(confirmed, "lre: confirmed, 1 record hidden, the provider is asked\n");
    assert_eq!(provider.hidden_records(), ["oai:a.test:2"]);
    assert_eq!(unsent_mails(&provider).matches("/2\n").count(), 1);
}

/// Number of kills while a decision is stored.
const KILL_COUNT: usize = 20;

#[test]
fn killed_decision_of_a_manager_is_stored_completely_or_not_at_all() {
    let provider = Provider::new();
    provider.run_on_day(0);
    for round in 0..KILL_COUNT {
        let action = if round % 2 == 0 { "hide" } else { "lift" };
        // The subject is the provider itself: the decision is about all of its records.
        let args = ["harvest", action, PROVIDER, PROVIDER, "--reason", "test", "--db", "relink.db"];
        // The write-ahead log of SQLite. The first write of the command enlarges this file.
        let log = provider.sandbox.path("relink.db-wal");
        let mut command = provider.sandbox.command(&args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Kill the command at its first write. In every fourth round, kill the command when it
        // opens the database.
        let log_size = || std::fs::metadata(&log).map_or(0, |log| log.len());
        let is_early = round % 4 == 1;
        let must_kill_now = || log_size() > 0 || is_early && log.exists();
        while child.try_wait().unwrap().is_none() && !must_kill_now() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let hidden = provider.hidden_records().len();
        let overrides = provider.status()["overrides"].as_array().unwrap().len();
        assert!(hidden == 13 || hidden == 0, "round {round}: {hidden} records are hidden");
        assert_eq!(overrides, usize::from(hidden == 13), "round {round}");
    }
    // The same command succeeds afterwards.
    provider.harvest(&["hide", PROVIDER, PROVIDER, "--reason", "test"]).exits(0);
    provider.harvest(&["lift", PROVIDER, PROVIDER, "--reason", "test"]).exits(0);
    assert!(provider.hidden_records().is_empty());
}

#[test]
fn interrupted_measurement_of_decay_hides_nothing_and_can_be_repeated() {
    let provider = Provider::new();
    provider.run_on_day(0);
    hang_page(&provider, "/1");
    let decay = ["decay", "--max-decay", "0.3", "--format", "json"];
    let running = start_until_request(&provider, 1, &decay, "/1");
    running.interrupt();
    let output = running.finish().exits(130);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    let records = rows[0]["records"].as_array().unwrap();
    let interrupted = records.iter().find(|record| record["identifier"] == "oai:a.test:1").unwrap();
    assert_eq!(interrupted["decision"], "undecided");
    start_until_request(&provider, 1, &decay, "/1").kill();
    assert!(provider.hidden_records().is_empty());

    provider.web.host("a.test").page("/1", 200, "<title>One</title><p>A page without links");
    let output = provider.harvest_on_day(1, &decay).exits(0);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    let records = rows[0]["records"].as_array().unwrap();
    assert!(records.iter().all(|record| record["decision"] == "keep"), "{rows}");
}

#[test]
fn killed_delivery_is_repeated_with_the_same_id() {
    let provider = Provider::new();
    let hook = String::from(provider.web.host("a.test").url("/hook"));
    provider.harvest(&["edit", PROVIDER, "--webhook", &hook]).exits(0);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    hang_page(&provider, "/hook");
    provider.sandbox.write("secret", "a-secret-of-the-provider");
    let send = ["webhook", "--send", "--secret-file", "secret"];
    start_until_request(&provider, 0, &send, "/hook").kill();
    provider.web.host("a.test").page("/hook", 204, "");
    let output = provider.harvest_on_day(0, &send).exits(0).stdout;
    assert!(output.contains(": sent "), "{output}");
    assert_eq!(provider.harvest_on_day(0, &send).exits(0).stdout, "");
    let requests = provider.web.requests();
    let deliveries = requests.iter().filter(|request| request.path == "/hook");
    let ids: Vec<_> =
        deliveries.map(|request| request.header("relink-delivery").unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn submission_survives_a_kill_during_its_check() {
    let provider = Provider::new();
    provider.harvest(&["add", "school", "--spi"]).exits(0);
    hang_page(&provider, "/new");
    let resolve = format!("a.test:{}:127.0.0.1", provider.web.port());
    let flags = ["--spi", "--oai", "--allow-private", "--resolve", &resolve];
    let server = Server::start(&provider, &[&flags[..], &["--host-interval", "0"]].concat());
    let location = provider.web.host("a.test").url("/new");
    let record = format!(
        "<lom xmlns=\"http://ltsc.ieee.org/xsd/LOM\"><general><identifier><entry>urn:1</entry>\
         </identifier></general><technical><location>{location}</location></technical></lom>"
    );
    let address = server.address.clone();
    let token = format!("Authorization: Bearer {TOKEN}");
    let client = std::thread::spawn(move || {
        let headers = [token.as_str(), "Content-Type: application/xml"];
        super::server::request(&address, "POST", "/spi/school", &headers, &record)
    });
    while provider.web.host("a.test").hits("/new") == 0 {
        std::thread::yield_now();
    }
    server.stop();
    assert_eq!(client.join().unwrap().status, 0);
    // The record is stored, and not published before it is checked.
    assert_eq!(provider.exported_record("urn:1")["state"], "hidden");
    provider.web.host("a.test").page("/new", 200, "<title>New</title><p>A new lesson");
    provider.harvest_on_day(10, &["run", "school"]).exits(0);
    assert_eq!(provider.exported_record("urn:1")["state"], "visible");
}

#[test]
fn interrupted_harvest_ends_at_once_and_continues_with_the_next_page() {
    let provider = Provider::new();
    let slow = CannedResponse::new(200, "").with_delay(FOREVER);
    let page = "/oai?verb=ListRecords&resumptionToken=5";
    provider.web.respond(page, slow);
    let running = provider.spawn_on_day(0, &["run"]);
    while provider.web.hits(page) == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    let output = running.finish().exits(130);
    assert!(output.stdout.contains("interrupted; the next run continues"), "{}", output.stdout);
    assert_eq!(provider.status()["records"], 5);
}
