//! What is not checked, and what could not be read: told, never silent.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::desk::Desk;

fn json(desk: &Desk, args: &[&str]) -> Value {
    let said = desk.report(&[&["--format", "json"], args].concat());
    serde_json::from_str(&said.stdout).unwrap()
}

const SAMPLE: &str = "`https://a.test/code` [mail](mailto:ann@example.org) [x](<{{ url }}>) [e]()\n\n\
                      [ex](https://docs.example.com/) [root](/a.md) <!-- https://b.test/ -->\n\n\
                      [left](gone.md) <!-- relink:ignore because it comes later -->\n";

#[test]
fn the_json_report_counts_what_is_skipped_by_reason() {
    let desk = Desk::new();
    desk.write("a.md", SAMPLE);
    let report = json(&desk, &["--offline", "a.md"]);
    let expect = serde_json::json!({
        "code": 1, "comment": 1, "empty": 1, "ignored": 1, "no-root": 1, "placeholder": 1,
        "reserved": 1, "scheme": 1,
    });
    assert_eq!(report["summary"]["skipped"], expect);
    assert_eq!(report["targets"].as_array().unwrap().len(), 0);
}

#[test]
fn people_see_it_if_they_ask() {
    let desk = Desk::new();
    desk.write("a.md", SAMPLE);
    let said = desk.report(&["--offline", "-v", "a.md"]).exits(0);
    assert!(
        said.stdout.contains("  skipped: 1 in code, 1 in comments, 1 empty, "),
        "{}",
        said.stdout
    );
    let said = desk.report(&["--offline", "a.md"]).exits(0);
    assert!(!said.stdout.contains("skipped"), "{}", said.stdout);
}

#[test]
fn names_for_examples_are_skipped_in_files_unless_the_user_says_where_they_lead() {
    let web = TestServer::start_blocking();
    web.host("docs.example.org").page("/", 200, "");
    let url = format!("http://docs.example.org:{}/", web.port());
    let desk = Desk::new();
    desk.list("urls.txt", [&url]);
    assert_eq!(desk.check(&["urls.txt"]).exits(0).rows().0.len(), 0);
    let resolve = format!("docs.example.org:{}:127.0.0.1", web.port());
    let rows = desk.check(&["urls.txt", "--resolve", &resolve]).exits(0).rows();
    assert_eq!(rows.word(&url), "alive");
    // What is given by hand is meant.
    desk.check_stdin("https://nowhere.invalid/\n", &["-", "--offline"]).exits(0);
}

#[test]
fn a_note_hides_findings_of_its_line_until_its_day() {
    let desk = Desk::new();
    let text = "[a](gone.md) <!-- relink:ignore RL601 until 2026-12-31 because it comes later -->\n\
                [b](other.md) <!-- relink:ignore RL603 -->\n\
                <!-- relink:ignore -->\n[c](third.md)\n";
    desk.write("a.md", text);
    let before = desk.check_at("2026-12-31T12:00:00Z", &["--offline", "a.md"]).exits(1).rows();
    assert_eq!(before.urls(), ["other.md"]);
    let after = desk.check_at("2027-01-01T12:00:00Z", &["--offline", "a.md"]).exits(1).rows();
    assert_eq!(after.urls(), ["gone.md", "other.md"]);
}

#[test]
fn a_note_hides_what_the_web_says_of_its_line() {
    let web = TestServer::start_blocking();
    let (gone, other, hidden) =
        (web.url("/gone"), web.url("/other"), "<!-- relink:ignore RL101 -->");
    let text = format!(
        "[a]({gone}) {hidden}\n\n[b]({other}) {hidden}\n\n[c]({other})\n\n\
         [d]({}) <!-- relink:ignore RL102 -->\n",
        web.url("/third")
    );
    let desk = Desk::new();
    desk.write("a.md", &text);
    let rows = desk.check(&["a.md"]).exits(1).rows();
    assert_eq!(rows.urls(), [other.to_string(), web.url("/third").to_string()]);
    let places = rows.of(&other)["places"].as_array().unwrap();
    assert_eq!((places.len(), &places[0]["line"]), (1, &Value::from(5)));
    let report = json(&desk, &["a.md"]);
    assert_eq!(report["summary"]["skipped"]["ignored"], 2);
    assert_eq!(report["summary"]["links"], 2);
    assert_eq!(report["summary"]["words"]["dead"], 2);
    assert_eq!(report["targets"].as_array().unwrap().len(), 2);
}

#[test]
fn a_run_whose_findings_are_all_hidden_is_clean() {
    let web = TestServer::start_blocking();
    let desk = Desk::new();
    desk.write("a.md", &format!("[a]({}) <!-- relink:ignore RL101 -->\n", web.url("/gone")));
    assert_eq!(desk.check(&["a.md"]).exits(0).rows().0.len(), 0);
    let said = desk.report(&["-v", "a.md"]).exits(0);
    assert!(said.stdout.contains("skipped: 1 ignored by the document"), "{}", said.stdout);
    assert!(!said.stdout.contains("/gone"), "{}", said.stdout);
}

#[test]
fn what_a_note_hides_is_no_finding_where_the_page_is_alive() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let desk = Desk::new();
    desk.write("a.md", &format!("[a]({}) <!-- relink:ignore RL101 -->\n", web.url("/good")));
    let rows = desk.check(&["a.md"]).exits(0).rows();
    assert_eq!(rows.word(web.url("/good")), "alive");
}

#[test]
fn an_old_note_is_mentioned_and_an_unreadable_one_is_a_problem() {
    let desk = Desk::new();
    let text = "a <!-- relink:ignore until 2020-01-01 -->\n\nb <!-- relink:ignore RL601 utnil 2099-01-01 -->\n";
    desk.write("a.md", text);
    let said = desk.report(&["--offline", "-v", "a.md"]).exits(0);
    assert!(
        said.stdout.contains("a.md:1: `relink:ignore` held until 2020-01-01"),
        "{}",
        said.stdout
    );
    let said = desk.report(&["--offline", "a.md"]).exits(0);
    assert!(!said.stdout.contains("2020-01-01"), "{}", said.stdout);
    assert!(
        said.stdout.contains("a.md:3: `relink:ignore` cannot be read from `utnil`"),
        "{}",
        said.stdout
    );
}

#[test]
fn problems_are_told_in_every_format_and_fail_no_run() {
    let desk = Desk::new();
    desk.write("a.md", "[a](b.csv) <!-- relink:ignore nonsense -->\n").write("b.csv", "");
    let report = json(&desk, &["--offline", "a.md"]);
    assert_eq!(report["problems"][0]["path"], "a.md");
    assert_eq!(report["problems"][0]["line"], 1);
    let said = desk.check(&["--offline", "a.md"]).exits(0);
    assert!(said.stderr.starts_with("problem: a.md:1: `relink:ignore`"), "{}", said.stderr);
    assert_eq!(desk.check(&["--offline", "-q", "a.md"]).exits(0).stderr, "");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_a_problem_beside_the_others() {
    let desk = Desk::new();
    desk.write("docs/a.md", "[gone](gone.md)\n").write("docs/b.md", "");
    // What not even root can read from its start.
    std::fs::remove_file(desk.path("docs/b.md")).unwrap();
    std::os::unix::fs::symlink("/proc/self/mem", desk.path("docs/b.md")).unwrap();
    let said = desk.check(&["--offline", "docs"]).exits(1);
    assert_eq!(said.rows().urls(), ["gone.md"]);
    assert!(said.stderr.starts_with("problem: docs/b.md: it cannot be read: "), "{}", said.stderr);
}

#[test]
fn a_format_and_a_column_can_be_named() {
    let desk = Desk::new();
    desk.write("notes", "[a](gone.md)\n").write("t.csv", "a,b\nhttp://exa mple/,https://x y/\n");
    assert_eq!(desk.check(&["--offline", "notes"]).exits(0).rows().0.len(), 0);
    let rows = desk.check(&["--offline", "--as", "markdown", "notes"]).exits(1).rows();
    assert_eq!(rows.urls(), ["gone.md"]);
    let rows = desk.check(&["--offline", "--column", "b", "t.csv"]).exits(1).rows();
    assert_eq!(rows.urls(), ["https://x y/"]);
    let said = desk.check(&["notes", "--as", "word"]).exits(2);
    assert!(said.stderr.contains("no format is called `word`"), "{}", said.stderr);
}
