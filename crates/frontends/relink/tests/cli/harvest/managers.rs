//! Actions of managers and reports of users.

use serde_json::json;

use super::Provider;

#[test]
fn reply_suspends_the_escalation() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    let url = provider.url(2);
    let answer = [
        "answer",
        "lre",
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
    assert_eq!(provider.run_on(7, 0)["changes"]["escalated"], 0);
    assert_eq!(provider.run_on(20, 0)["changes"]["escalated"], 1);
    let status = provider.status();
    assert_eq!(status["incidents"][0]["answered_until"], "2026-01-21");
    let answer = status["history"].as_array().unwrap().iter().find(|it| it["kind"] == "answer");
    assert_eq!(answer.unwrap()["user"], "ana");
    assert_eq!(answer.unwrap()["text"], "being repaired");
}

#[test]
fn hide_restore_and_lift_change_the_visibility() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    let domain = format!("b.test:{}", provider.web.port());
    let act = |action: &str, subject: &str| {
        let args = [action, "lre", subject, "--reason", "test", "--user", "ana"];
        provider.harvest(&args).exits(0).stdout
    };
    let dry = ["hide", "lre", &domain, "--reason", "test", "--dry-run"];
    let preview = provider.harvest(&dry).exits(0).stdout;
    assert!(preview.contains("hide would affect 3 records"), "{preview}");
    assert!(provider.export(&["--hidden"]).is_empty());
    assert!(act("hide", &domain).ends_with(": 3 records hidden\n"));
    assert_eq!(provider.export(&["--hidden"]).len(), 3);
    // A decision on a record is more specific than one on its domain.
    act("restore", "oai:b.test:1");
    assert_eq!(provider.export(&["--hidden"]), ["oai:b.test:0", "oai:b.test:2"]);
    // A run does not change it.
    provider.run_on(8, 0);
    assert_eq!(provider.export(&["--hidden"]).len(), 2);
    act("lift", &domain);
    assert!(provider.export(&["--hidden"]).is_empty());
    let unknown = ["note", "lre", "nothing.test", "--reason", "x"];
    let refused = provider.harvest(&unknown).exits(2);
    assert!(
        refused.stderr.contains("has no record, URL or domain `nothing.test`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn shown_records_are_not_hidden_by_the_timetable() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    let url = provider.url(2);
    provider.harvest(&["restore", "lre", &url, "--reason", "false alarm"]).exits(0);
    for day in [7, 14, 30, 37] {
        provider.run_on(day, 0);
    }
    assert_eq!(provider.status()["incidents"][0]["stage"], "reported");
    provider.harvest(&["lift", "lre", &url, "--reason", "it is broken"]).exits(0);
    assert_eq!(provider.run_on(44, 0)["changes"]["escalated"], 1);
}

#[test]
fn confirmed_report_hides_at_once_and_others_get_a_reason() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    let flag = |day, url: &str| provider.request_on(day, &["flag", url, "--user", "teacher"]);
    let works = flag(1, &provider.url(1)).exits(0).stdout;
    assert!(works.starts_with("lre: not confirmed: "), "{works}");
    provider.remove_page("a.test", "/1");
    let confirmed = flag(2, &provider.url(1)).exits(0).stdout;
    assert_eq!(confirmed, "lre: confirmed, 1 record hidden, the provider is asked\n");
    assert_eq!(provider.export(&["--hidden"]), ["oai:a.test:1"]);
    let again = flag(2, &provider.url(1)).exits(0).stdout;
    assert_eq!(again, "lre: known, the records are hidden already\n");
    let refused = flag(2, "http://other.test/").exits(2);
    assert!(refused.stderr.contains("no record has the URL"), "{}", refused.stderr);
}

#[test]
fn report_finds_the_url_of_a_record_whose_identifier_is_that_url() {
    let provider = Provider::new();
    let url = String::from(provider.web.host("a.test").url("/book"));
    provider.web.host("a.test").page("/book", 200, "<title>Book</title><p>The text of the book");
    provider.add_record(&url, &["/book"]);
    provider.run_on(0, 0);
    provider.remove_page("a.test", "/book");
    let confirmed = provider.request_on(1, &["flag", &url, "--user", "teacher"]).exits(0).stdout;
    assert_eq!(confirmed, "lre: confirmed, 1 record hidden, the provider is asked\n");
    assert_eq!(provider.export(&["--hidden"]), [url]);
}

#[test]
fn recheck_restores_at_once() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    provider.web.host("a.test").page("/2", 200, "<title>Back</title><p>The lesson is back");
    let url = provider.url(2);
    let preview = provider.request_on(2, &["recheck", "lre", &url, "--dry-run"]).exits(0).stdout;
    assert!(preview.contains("recheck would affect 1 record"), "{preview}");
    let recheck = ["recheck", "lre", &url, "--reason", "repaired", "--user", "ana"];
    let output = provider.request_on(2, &[&recheck[..], &["--format", "json"]].concat()).exits(0);
    let row: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(row["changes"]["restored"], 1);
    let status = provider.status();
    let event = status["history"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(json!([event["kind"], event["text"]]), json!(["recheck", "repaired"]));
}

#[test]
fn decision_on_all_records_of_a_link_suspends_its_incident() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    let restore = ["restore", "lre", "oai:a.test:2", "--reason", "works with a login"];
    provider.harvest(&restore).exits(0);
    for day in [7, 30, 37] {
        let row = provider.run_on(day, 0);
        let changes = &row["changes"];
        assert_eq!(json!([changes["escalated"], changes["hidden"]]), json!([0, 0]));
    }
    assert!(!provider.harvest(&["mail"]).exits(0).stdout.contains("hidden"));
}
