//! Actions of service managers (`hide`, `restore`, `lift`, `answer`, `recheck`) and reports of
//! users (`flag`). `lift` revokes an earlier `hide` or `restore`.

use super::{PROVIDER, Provider};

#[test]
fn answer_of_the_provider_suspends_the_escalation() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let url = provider.record_url(2);
    let answer = [
        "answer",
        PROVIDER,
        &url,
        "--until",
        "2026-01-21",
        "--reason",
        "being repaired",
        "--user",
        "ana",
    ];
    let output = provider.harvest(&answer).exits(0);
    assert!(
        output.stdout.ends_with("1 incident suspended until 2026-01-21\n"),
        "{}",
        output.stdout
    );
    assert_eq!(provider.run_on_day(7)["changes"]["escalated"], 0);
    assert_eq!(provider.run_on_day(20)["changes"]["escalated"], 1);
    let status = provider.status();
    assert_eq!(status["incidents"][0]["answered_until"], "2026-01-21");
    let answer =
        status["history"].as_array().unwrap().iter().find(|event| event["kind"] == "answer");
    assert_eq!(answer.unwrap()["user"], "ana");
    assert_eq!(answer.unwrap()["text"], "being repaired");
}

#[test]
fn hide_restore_and_lift_change_the_visibility() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let domain = format!("b.test:{}", provider.web.port());
    let decide = |action: &str, subject: &str| {
        let args = [action, PROVIDER, subject, "--reason", "test", "--user", "ana"];
        provider.harvest(&args).exits(0).stdout
    };
    let dry_run = ["hide", PROVIDER, &domain, "--reason", "test", "--dry-run"];
    let preview = provider.harvest(&dry_run).exits(0).stdout;
    assert!(preview.contains("hide would affect 3 records"), "{preview}");
    assert!(provider.hidden_records().is_empty());
    assert!(decide("hide", &domain).ends_with(": 3 records hidden\n"));
    assert_eq!(provider.hidden_records().len(), 3);
    // A decision on a record takes precedence over a decision on the domain of the record.
    decide("restore", "oai:b.test:1");
    assert_eq!(provider.hidden_records(), ["oai:b.test:0", "oai:b.test:2"]);
    // A run does not change the decisions of managers.
    provider.run_on_day(8);
    assert_eq!(provider.hidden_records().len(), 2);
    decide("lift", &domain);
    assert!(provider.hidden_records().is_empty());
    let unknown = ["note", PROVIDER, "nothing.test", "--reason", "x"];
    let refused = provider.harvest(&unknown).exits(2);
    assert!(
        refused.stderr.contains("has no record, URL or domain `nothing.test`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn restored_record_is_not_escalated_until_the_decision_is_lifted() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let url = provider.record_url(2);
    provider.harvest(&["restore", PROVIDER, &url, "--reason", "false alarm"]).exits(0);
    for day in [7, 14, 30, 37] {
        provider.run_on_day(day);
    }
    assert_eq!(provider.status()["incidents"][0]["stage"], "reported");
    provider.harvest(&["lift", PROVIDER, &url, "--reason", "it is broken"]).exits(0);
    assert_eq!(provider.run_on_day(44)["changes"]["escalated"], 1);
}

#[test]
fn report_of_a_user_hides_the_record_only_if_the_link_is_broken() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let report_link =
        |day, url: &str| provider.harvest_on_day(day, &["flag", url, "--user", "teacher"]);
    let rejected = report_link(1, &provider.record_url(1)).exits(0).stdout;
    assert!(rejected.starts_with("lre: not confirmed: "), "{rejected}");
    provider.remove_page("a.test", "/1");
    let confirmed = report_link(2, &provider.record_url(1)).exits(0).stdout;
    assert_eq!(confirmed, "lre: confirmed, 1 record hidden, the provider is asked\n");
    assert_eq!(provider.hidden_records(), ["oai:a.test:1"]);
    let again = report_link(2, &provider.record_url(1)).exits(0).stdout;
    assert_eq!(again, "lre: known, the records are hidden already\n");
    let refused = report_link(2, "http://other.test/").exits(2);
    assert!(refused.stderr.contains("no record has the URL"), "{}", refused.stderr);
}

#[test]
fn report_finds_the_url_of_a_record_whose_identifier_is_that_url() {
    let provider = Provider::new();
    let url = String::from(provider.web.host("a.test").url("/book"));
    provider.web.host("a.test").page("/book", 200, "<title>Book</title><p>The text of the book");
    provider.add_record(&url, &["/book"]);
    provider.run_on_day(0);
    provider.remove_page("a.test", "/book");
    let confirmed =
        provider.harvest_on_day(1, &["flag", &url, "--user", "teacher"]).exits(0).stdout;
    assert_eq!(confirmed, "lre: confirmed, 1 record hidden, the provider is asked\n");
    assert_eq!(provider.hidden_records(), [url]);
}

#[test]
fn recheck_restores_at_once() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    provider.restore_page("a.test", "/2");
    let url = provider.record_url(2);
    let preview =
        provider.harvest_on_day(2, &["recheck", PROVIDER, &url, "--dry-run"]).exits(0).stdout;
    assert!(preview.contains("recheck would affect 1 record"), "{preview}");
    let recheck = ["recheck", PROVIDER, &url, "--reason", "repaired", "--user", "ana"];
    let output =
        provider.harvest_on_day(2, &[&recheck[..], &["--format", "json"]].concat()).exits(0);
    let row: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(row["changes"]["restored"], 1);
    let status = provider.status();
    let event = status["history"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(event["kind"], "recheck");
    assert_eq!(event["text"], "repaired");
}

#[test]
fn decision_on_all_records_of_a_link_suspends_its_incident() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let restore = ["restore", PROVIDER, "oai:a.test:2", "--reason", "works with a login"];
    provider.harvest(&restore).exits(0);
    for day in [7, 30, 37] {
        let row = provider.run_on_day(day);
        assert_eq!(row["changes"]["escalated"], 0);
        assert_eq!(row["changes"]["hidden"], 0);
    }
    assert!(!provider.harvest(&["mail"]).exits(0).stdout.contains("hidden"));
}
