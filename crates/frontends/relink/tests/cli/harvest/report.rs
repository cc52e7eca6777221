//! `relink harvest report`: broken links and incidents over time.

use serde_json::{Value, json};

use super::peers::python_json;
use super::{PROVIDER, Provider, time};

/// Simulates a provider with one link that is broken from day 0 on, hidden on day 30 and working
/// again on day 40.
fn simulated_provider() -> Provider {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    for day in [0, 7, 30] {
        provider.run_on_day(day);
    }
    let url = provider.record_url(2);
    let answer = ["answer", PROVIDER, &url, "--until", "2026-02-05", "--reason", "moved"];
    provider.harvest_at(&time(31), &answer).exits(0);
    provider.restore_page("a.test", "/2");
    provider.run_on_day(40);
    provider
}

/// Returns the report on day 45.
fn run_report(provider: &Provider, flags: &[&str]) -> String {
    let mut args = vec!["report"];
    args.extend(flags);
    provider.harvest_at(&time(45), &args).exits(0).stdout
}

#[test]
fn report_shows_shares_stages_and_durations() {
    let provider = simulated_provider();
    let rows: Value = serde_json::from_str(&run_report(&provider, &["--format", "json"])).unwrap();
    let history = &rows[0];
    let columns = |day: &Value| json!([day["day"], day["urls"], day["broken"], day["hidden"]]);
    let days: Vec<Value> = history["days"].as_array().unwrap().iter().map(columns).collect();
    assert_eq!(
        json!(days),
        json!([
            ["2026-01-01", 13, 1, 0],
            ["2026-01-08", 13, 1, 0],
            ["2026-01-31", 13, 1, 1],
            ["2026-02-10", 13, 0, 0]
        ])
    );
    let incident = &history["incidents"][0];
    assert_eq!(incident["stage"], "restored");
    assert_eq!(incident["days_to_end"], 40);
    assert_eq!(incident["days_to_answer"], 31);
    assert_eq!(history["responses"]["median_days_to_end"], 40.0);
    // One record was hidden for ten days.
    assert_eq!(history["spared_record_days"], 10);
    let domain = &history["domains"][0];
    assert!(domain["domain"].as_str().unwrap().starts_with("a.test"), "{domain}");
    assert_eq!(domain["days"][0]["broken_share"], 0.1);

    let text = run_report(&provider, &[]);
    assert!(
        text.contains("durations  1 ended (median 40 days), 1 replied to (median 31 days)"),
        "{text}"
    );
    let recent = run_report(&provider, &["--since", "2026-02-01", "--format", "csv"]);
    assert!(recent.starts_with("provider,domain,day,urls,checked,broken,broken_share,hidden\n"));
    assert!(recent.contains("lre,,2026-02-10,13,") && !recent.contains("2026-01"), "{recent}");
    let incidents = run_report(&provider, &["--format", "csv", "--table", "incidents"]);
    assert!(
        incidents.contains(",survey,restored,") && incidents.contains(",40,31\n"),
        "{incidents}"
    );
}

#[test]
fn reply_counts_only_for_the_incidents_that_it_is_about() {
    let provider = Provider::new();
    provider.add_record("oai:a.test:two", &["/2", "/3"]);
    provider.remove_page("a.test", "/1");
    provider.remove_page("a.test", "/2");
    provider.remove_page("a.test", "/3");
    provider.run_on_day(0);
    let reply = |day, subject: &str| {
        let args = ["answer", PROVIDER, subject, "--until", "2026-02-05", "--reason", "moved"];
        provider.harvest_at(&time(day), &args).exits(0).stdout
    };
    // The added record contains the URLs of the records 2 and 3. The subject of the reply is only
    // the URL of record 2.
    assert!(reply(3, &provider.record_url(2)).ends_with("1 incident suspended until 2026-02-05\n"));
    reply(5, "oai:a.test:1");
    reply(6, &provider.record_url(2));
    let rows: Value = serde_json::from_str(&run_report(&provider, &["--format", "json"])).unwrap();
    let incidents = rows[0]["incidents"].as_array().unwrap();
    let days_to_reply = |index: usize| {
        let url = provider.record_url(index);
        let incident = incidents.iter().find(|incident| incident["subject"] == url).unwrap();
        incident["days_to_answer"].clone()
    };
    assert_eq!([1, 2, 3].map(days_to_reply), [json!(5), json!(3), json!(null)]);
}

#[test]
fn spreadsheet_has_no_formulas() {
    let provider = simulated_provider();
    run_report(&provider, &["-o", "report.xlsx"]);
    let file = provider.sandbox.path("report.xlsx").display().to_string();
    let program = "import json, sys, openpyxl\n\
                   book = openpyxl.load_workbook(sys.argv[1])\n\
                   cells = [c for s in book for row in s.iter_rows() for c in row if c.value is not None]\n\
                   print(json.dumps([book.sheetnames, sorted({c.data_type for c in cells})]))";
    // Types of cells: `n` is a number, `s` a string; `f` would be a formula.
    assert_eq!(python_json(program, &[&file]), json!([["days", "incidents"], ["n", "s"]]));
}

#[test]
fn survey_analyze_reads_the_records_of_a_provider() {
    let provider = Provider::new();
    let args = ["survey", "analyze", "--provider", PROVIDER, "--db", "relink.db"];
    let refused = provider.sandbox.run(&args).exits(2);
    assert!(refused.stderr.contains("provider `lre` has no URLs"), "{}", refused.stderr);
    provider.run_on_day(0);
    let text = provider.sandbox.run(&args).exits(0).stdout;
    assert!(text.starts_with("lre: 13 URLs on 2 domains"), "{text}");
}

#[test]
fn personal_mail_is_marked_as_sent() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    provider.run_on_day(7);
    let drafts = provider.harvest(&["mail", "--drafts"]).exits(0).stdout;
    let head = drafts.lines().next().unwrap();
    let number = head.strip_prefix("Draft ").unwrap().strip_suffix(", not sent").unwrap();
    assert!(drafts.contains("three weeks"), "{drafts}");
    let mark_sent = |number: &str| {
        provider.harvest_at(&time(8), &["mail", "--mark-sent", number, "--user", "ana"])
    };
    mark_sent("999").exits(2);
    mark_sent(number).exits(0);
    let drafts = provider.harvest(&["mail", "--drafts"]).exits(0).stdout;
    assert!(
        drafts.starts_with(&format!("Draft {number}, sent on 2026-01-09 by ana\n")),
        "{drafts}"
    );
}
