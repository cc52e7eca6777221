//! Skipped links and unreadable inputs are always reported.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// Checks with further arguments and returns the JSON report.
fn json_report(sandbox: &Sandbox, args: &[&str]) -> Value {
    let output = sandbox.check_human(&[&["--format", "json"], args].concat());
    serde_json::from_str(&output.stdout).unwrap()
}

/// A document whose links are all skipped, each for another reason.
const SAMPLE: &str = "`https://a.test/code` [mail](mailto:ann@example.org) [x](<{{ url }}>) [e]()\n\n\
                      [ex](https://docs.example.com/) [root](/a.md) <!-- https://b.test/ -->\n\n\
                      [ignored](gone.md) <!-- relink:ignore because it comes later -->\n";

#[test]
fn json_report_counts_skipped_links_by_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", SAMPLE);
    let report = json_report(&sandbox, &["--offline", "a.md"]);
    let expected = serde_json::json!({
        "code": 1, "comment": 1, "empty": 1, "ignored": 1, "no-root": 1, "placeholder": 1,
        "reserved": 1, "scheme": 1,
    });
    assert_eq!(report["summary"]["skipped"], expected);
    assert_eq!(report["targets"].as_array().unwrap().len(), 0);
}

#[test]
fn verbose_report_shows_skipped_links() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", SAMPLE);
    let output = sandbox.check_human(&["--offline", "-v", "a.md"]).exits(0);
    assert!(
        output.stdout.contains("  skipped: 1 in code, 1 in comments, 1 empty, "),
        "{}",
        output.stdout
    );
    let output = sandbox.check_human(&["--offline", "a.md"]).exits(0);
    assert!(!output.stdout.contains("skipped"), "{}", output.stdout);
}

#[test]
fn report_counts_links_that_flags_exclude() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[web](https://www.w3.org/) [a](gone.md) [b](/b.png) `code.md`\n");
    let args = ["--offline", "--exclude", "gone", "a.md"];
    let output = sandbox.check_human(&args).exits(0);
    let line = "  not checked: 1 excluded (`--exclude`, `--include`), 1 on the web (`--offline`), \
                1 from the root";
    assert!(output.stdout.contains(line), "{}", output.stdout);
    assert!(!sandbox.check_human(&[&["-q"], &args[..]].concat()).stdout.contains("not checked"));
    let skipped = &json_report(&sandbox, &args)["summary"]["skipped"];
    assert_eq!(skipped["excluded"], 1);
    assert_eq!(skipped["offline"], 1);
}

#[test]
fn reserved_host_names_in_files_are_skipped_unless_resolve_is_given() {
    let web = TestServer::start_blocking();
    web.host("docs.example.org").page("/", 200, "");
    let url = format!("http://docs.example.org:{}/", web.port());
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [&url]);
    assert_eq!(sandbox.check(&["urls.txt"]).exits(0).rows().results.len(), 0);
    let resolve = format!("docs.example.org:{}:127.0.0.1", web.port());
    let rows = sandbox.check(&["urls.txt", "--resolve", &resolve]).exits(0).rows();
    assert_eq!(rows.verdict(&url), "alive");
    // URLs on the command line are not skipped.
    sandbox.check_stdin("https://nowhere.invalid/\n", &["-", "--offline"]).exits(0);
}

#[test]
fn ignore_directive_hides_findings_of_its_line_until_its_date() {
    let sandbox = Sandbox::new();
    let text = "[a](gone.md) <!-- relink:ignore RL601 until 2026-12-31 because it comes later -->\n\
                [b](other.md) <!-- relink:ignore RL603 -->\n\
                <!-- relink:ignore -->\n[c](third.md)\n";
    sandbox.write("a.md", text);
    let before = sandbox.check_at("2026-12-31T12:00:00Z", &["--offline", "a.md"]).exits(1).rows();
    assert_eq!(before.urls(), ["other.md"]);
    let after = sandbox.check_at("2027-01-01T12:00:00Z", &["--offline", "a.md"]).exits(1).rows();
    assert_eq!(after.urls(), ["gone.md", "other.md"]);
}

#[test]
fn ignore_directive_hides_remote_findings_of_its_line() {
    let web = TestServer::start_blocking();
    let gone = web.url("/gone");
    let other = web.url("/other");
    let directive = "<!-- relink:ignore RL101 -->";
    let text = format!(
        "[a]({gone}) {directive}\n\n[b]({other}) {directive}\n\n[c]({other})\n\n\
         [d]({}) <!-- relink:ignore RL102 -->\n",
        web.url("/third")
    );
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &text);
    let rows = sandbox.check(&["a.md"]).exits(1).rows();
    assert_eq!(rows.urls(), [other.to_string(), web.url("/third").to_string()]);
    let locations = rows.row(&other)["locations"].as_array().unwrap();
    assert_eq!(locations.len(), 1);
    assert_eq!(locations[0]["line"], 5);
    let report = json_report(&sandbox, &["a.md"]);
    assert_eq!(report["summary"]["skipped"]["ignored"], 2);
    assert_eq!(report["summary"]["links"], 2);
    assert_eq!(report["summary"]["verdicts"]["dead"], 2);
    assert_eq!(report["targets"].as_array().unwrap().len(), 2);
}

#[test]
fn run_with_only_ignored_findings_is_clean() {
    let web = TestServer::start_blocking();
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("[a]({}) <!-- relink:ignore RL101 -->\n", web.url("/gone")));
    assert_eq!(sandbox.check(&["a.md"]).exits(0).rows().results.len(), 0);
    let output = sandbox.check_human(&["-v", "a.md"]).exits(0);
    assert!(output.stdout.contains("skipped: 1 ignored by the document"), "{}", output.stdout);
    assert!(!output.stdout.contains("/gone"), "{}", output.stdout);
}

#[test]
fn ignore_directive_for_a_live_page_is_not_a_finding() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("[a]({}) <!-- relink:ignore RL101 -->\n", web.url("/good")));
    let rows = sandbox.check(&["a.md"]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/good")), "alive");
}

#[test]
fn expired_directive_is_reported_and_invalid_directive_is_a_problem() {
    let sandbox = Sandbox::new();
    // `utnil` is a typing error.
    let text = "a <!-- relink:ignore until 2020-01-01 -->\n\nb <!-- relink:ignore RL601 utnil 2099-01-01 -->\n";
    sandbox.write("a.md", text);
    let output = sandbox.check_human(&["--offline", "-v", "a.md"]).exits(0);
    assert!(
        output.stdout.contains("a.md:1: `relink:ignore` expired after 2020-01-01"),
        "{}",
        output.stdout
    );
    let output = sandbox.check_human(&["--offline", "a.md"]).exits(0);
    assert!(!output.stdout.contains("2020-01-01"), "{}", output.stdout);
    assert!(
        output.stdout.contains("a.md:3: invalid `relink:ignore` at `utnil`"),
        "{}",
        output.stdout
    );
}

#[test]
fn problems_are_reported_in_every_format_and_do_not_fail_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[a](b.csv) <!-- relink:ignore nonsense -->\n").write("b.csv", "");
    let report = json_report(&sandbox, &["--offline", "a.md"]);
    assert_eq!(report["problems"][0]["path"], "a.md");
    assert_eq!(report["problems"][0]["line"], 1);
    let output = sandbox.check(&["--offline", "a.md"]).exits(0);
    assert!(
        output.stderr.starts_with("warning: a.md:1: invalid `relink:ignore`"),
        "{}",
        output.stderr
    );
    assert_eq!(sandbox.check(&["--offline", "-q", "a.md"]).exits(0).stderr, "");
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_a_problem_and_others_are_checked() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "[gone](gone.md)\n").write("docs/b.md", "");
    // Reading this file from its start fails even for root.
    std::fs::remove_file(sandbox.path("docs/b.md")).unwrap();
    std::os::unix::fs::symlink("/proc/self/mem", sandbox.path("docs/b.md")).unwrap();
    let output = sandbox.check(&["--offline", "docs"]).exits(1);
    assert_eq!(output.rows().urls(), ["gone.md"]);
    assert!(output.stderr.starts_with("warning: docs/b.md: cannot be read: "), "{}", output.stderr);
}

#[test]
fn format_and_column_can_be_chosen() {
    let sandbox = Sandbox::new();
    sandbox.write("notes", "[a](gone.md)\n").write("t.csv", "a,b\nhttp://exa mple/,https://x y/\n");
    assert_eq!(sandbox.check(&["--offline", "notes"]).exits(0).rows().results.len(), 0);
    let rows = sandbox.check(&["--offline", "--as", "markdown", "notes"]).exits(1).rows();
    assert_eq!(rows.urls(), ["gone.md"]);
    let rows = sandbox.check(&["--offline", "--column", "b", "t.csv"]).exits(1).rows();
    assert_eq!(rows.urls(), ["https://x y/"]);
    let output = sandbox.check(&["notes", "--as", "word"]).exits(2);
    assert!(output.stderr.contains("unknown format `word`"), "{}", output.stderr);
}
