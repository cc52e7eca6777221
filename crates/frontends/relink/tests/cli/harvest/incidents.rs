//! The lifecycle of incidents, over simulated days.

use super::Provider;

/// A run that changes no incident.
const NO_CHANGE: &str = "";

/// Runs the provider on a day. Checks that `change` is the only change of incidents, and that
/// the first incident has the stage `stage` afterwards.
#[track_caller]
fn check_day(provider: &Provider, day: i8, change: &str, stage: &str) {
    let row = provider.run_on_day(day);
    for name in ["reported", "escalated", "hidden", "restored"] {
        let expect = u64::from(name == change);
        assert_eq!(row["changes"][name], expect, "day {day}: {name} in {row}");
    }
    assert_eq!(provider.status()["incidents"][0]["stage"], stage, "day {day}");
}

#[test]
fn broken_link_is_reported_escalated_hidden_and_restored() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    check_day(&provider, 0, "reported", "reported");
    check_day(&provider, 6, NO_CHANGE, "reported");
    check_day(&provider, 7, "escalated", "escalated");
    check_day(&provider, 29, NO_CHANGE, "escalated");
    assert!(provider.hidden_records().is_empty());
    check_day(&provider, 30, "hidden", "hidden");
    assert_eq!(provider.hidden_records(), ["oai:a.test:2"]);
    assert_eq!(provider.visible_records().len(), 12);
    check_day(&provider, 31, NO_CHANGE, "hidden");
    provider.restore_page("a.test", "/2");
    // The first successful check is not enough.
    check_day(&provider, 32, NO_CHANGE, "hidden");
    check_day(&provider, 33, "restored", "restored");
    assert!(provider.hidden_records().is_empty());
    let incident = &provider.status()["incidents"][0];
    assert_eq!(incident["end_reason"], "working-again");
    assert_eq!(incident["found_on"], "2026-01-01");
    assert_eq!(incident["hidden_on"], "2026-01-31");
    assert_eq!(incident["ended_on"], "2026-02-03");
}

#[test]
fn run_prints_a_summary() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    let output = provider.harvest_on_day(0, &["run"]).exits(0);
    let text = output.stdout.replace(&provider.web.port().to_string(), "PORT");
    assert_eq!(
        text,
        "lre  OAI-PMH http://127.0.0.1:PORT/oai\n  \
         13 records read (13 new, 0 changed, 0 deleted), 13 URLs on 2 domains\n  \
         checked 13 URLs: 1 domain OK by sampling, 1 suspicious, 0 broken\n  \
         changes    reported 1  escalated 0  hidden 0\n  \
         incidents  reported 1  escalated 0  hidden 0  (next check 2026-01-08)\n"
    );
}

#[test]
fn outage_of_a_host_is_one_incident_and_hiding_it_needs_confirmation() {
    let provider = Provider::new();
    provider.run_on_day(0);
    for number in 0..3 {
        provider.remove_page("b.test", &format!("/{number}"));
    }
    let row = provider.run_on_day(7);
    assert_eq!(row["changes"]["reported"], 1);
    let incident = provider.status()["incidents"][0].clone();
    assert_eq!(incident["kind"], "host");
    assert_eq!(incident["stage"], "reported");
    provider.run_on_day(14);
    // 3 of 13 records are more than 20 %.
    let row = provider.refused_run_on_day(37);
    assert_eq!(
        row["refusals"][0],
        "records were not hidden: 3 of 13 records exceed the limit of 20 %"
    );
    assert_eq!(row["changes"]["hidden"], 0);
    assert_eq!(row["hidden"], 0);
    let row = provider.run_on_day_with(38, &["--allow-loss"]);
    assert_eq!(row["changes"]["hidden"], 1);
    assert_eq!(row["hidden"], 3);
    // When the host is back, the page that stays broken gets an incident of its own.
    for number in 0..2 {
        provider.web.host("b.test").page(&format!("/{number}"), 200, "<title>Back</title><p>Text");
    }
    let row = provider.run_on_day(39);
    assert_eq!(row["changes"]["restored"], 1);
    assert_eq!(row["hidden"], 1);
    assert_eq!(provider.hidden_records(), ["oai:b.test:2"]);
}

#[test]
fn nothing_advances_while_no_host_responds() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    // All requests go to a port that refuses connections.
    let refusing_port =
        std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let port = provider.web.port();
    let resolve = format!("a.test:{port}:127.0.0.2");
    let proxy = format!("http://127.0.0.1:{refusing_port}");
    let network = ["--resolve", &resolve, "--proxy", &proxy, "--timeout", "1s"];
    let flags = ["--format", "json", "--host-interval", "0", "--retries", "0"];
    let args = [&["run"], &network[..], &flags].concat();
    let output = provider.harvest_at(&super::time(7), &args).exits(3);
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert!(rows[0]["doubt"].is_string(), "{rows}");
    assert_eq!(provider.status()["incidents"][0]["stage"], "reported");
    let row = provider.run_on_day(8);
    assert_eq!(row["changes"]["escalated"], 1);
}

#[test]
fn blocked_pages_never_escalate() {
    let provider = Provider::new();
    provider.run_on_day(0);
    for path in ["/0", "/1"] {
        provider.web.host("a.test").page(path, 403, "<title>Forbidden</title>");
    }
    for day in [7, 14, 40] {
        provider.run_on_day(day);
    }
    assert_eq!(provider.status()["incidents"].as_array().unwrap().len(), 0);
}

#[test]
fn changed_url_and_deleted_record_end_incidents() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.remove_page("a.test", "/3");
    provider.run_on_day(0);
    provider.web.host("a.test").page("/new", 200, "<title>New</title><p>The new page");
    {
        let mut records = provider.records.lock().unwrap();
        records[2].url = String::from(provider.web.host("a.test").url("/new"));
        records[3].is_deleted = true;
    }
    let row = provider.run_on_day(3);
    assert_eq!(row["intake"]["changed"], 1);
    assert_eq!(row["intake"]["deleted"], 1);
    assert_eq!(row["deleted"], 1);
    assert_eq!(row["changes"]["restored"], 2);
    let status = provider.status();
    assert_eq!(status["incidents"][0]["end_reason"], "url-changed");
    assert_eq!(status["incidents"][1]["end_reason"], "record-deleted");
}
