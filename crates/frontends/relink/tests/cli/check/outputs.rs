//! Output files, and the JSON report.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::sandbox::{CHECK, NO_DELAYS, Sandbox};

/// Starts a server, and writes a document with links to a live, a missing and a blocked page.
fn site() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/good", 200, "").page("/wall", 403, "");
    let text =
        format!("[a]({}) [b]({})\n\n<{}>\n", web.url("/good"), web.url("/gone"), web.url("/wall"));
    sandbox.write("a.md", &text);
    (web, sandbox)
}

/// Asserts that a JSON report is complete and its totals are correct.
#[track_caller]
fn check_report(report: &str) {
    let report: Value = serde_json::from_str(report).unwrap();
    assert_eq!(report["schema"], 2);
    assert_eq!(report["tool"]["name"], "relink");
    let targets = report["targets"].as_array().unwrap();
    let summary = &report["summary"];
    assert_eq!(targets.len(), 3);
    for (name, count) in [("links", 3), ("documents", 1), ("hosts", 1), ("targets", 3), ("exit", 1)]
    {
        assert_eq!(summary[name], count, "{name}");
    }
    for verdict in ["alive", "dead", "blocked"] {
        let count = targets.iter().filter(|target| target["verdict"] == verdict).count();
        assert_eq!(count, 1, "{verdict}");
        assert_eq!(summary["verdicts"][verdict], 1, "{verdict}");
    }
    let time = |name: &str| report[name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(time("started_at") <= time("finished_at"));
    // Three pages, a confirmation, an alternate user agent, and a control: a URL that is
    // requested only for comparison.
    assert_eq!(report["hosts"][0]["requests"], 6);
    assert_eq!(report["hosts"][0]["control_requests"], 1);
}

#[test]
fn one_run_writes_several_reports() {
    let (_web, sandbox) = site();
    let result =
        sandbox.check_human(&["a.md", "-o", "a.json", "-o", "b.jsonl", "-o", "c.txt"]).exits(1);
    check_report(&sandbox.read("a.json"));
    assert_eq!(sandbox.read("b.jsonl").lines().count(), 3);
    assert_eq!(sandbox.read("c.txt"), result.stdout);
}

#[test]
fn json_report_is_one_document() {
    let (_web, sandbox) = site();
    let result = sandbox.run(&[CHECK, NO_DELAYS, &["--format", "json", "a.md"]].concat()).exits(1);
    check_report(&result.stdout);
}

#[test]
fn json_report_without_targets_is_valid() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "no links\n");
    let result = sandbox.run(&[CHECK, &["--format", "json", "a.md"]].concat()).exits(0);
    let report: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(report["targets"], Value::Array(Vec::new()));
}

#[test]
fn output_does_not_overwrite_a_file_that_is_not_a_report() {
    let (web, sandbox) = site();
    let before = sandbox.read("a.md");
    for input in ["a.md", "."] {
        let result = sandbox.check(&[input, "-o", "b.json", "-o", "a.md"]).exits(2);
        assert!(result.stderr.contains("is an input of the check"), "{}", result.stderr);
    }
    assert_eq!(sandbox.read("a.md"), before);
    assert!(!sandbox.path("b.json").exists());
    assert_eq!(web.connections(), 0);
}

#[test]
fn report_in_a_checked_directory_is_replaced_by_the_next_run() {
    let (_web, sandbox) = site();
    for output in ["report.md", "report.html", "report.csv", "report.xml"] {
        // The second run finds the report of the first among its inputs.
        for _ in 0..2 {
            sandbox.check_human(&[".", "-o", output]).exits(1);
        }
    }
}

#[test]
fn unwritable_output_is_reported_before_any_request() {
    let (web, sandbox) = site();
    sandbox.check(&["a.md", "-o", "no/such/directory/a.json"]).exits(2);
    assert_eq!(web.connections(), 0);
}

#[test]
fn closed_pipe_is_not_an_error() {
    let (_web, sandbox) = site();
    let mut running = sandbox.spawn_check(&["a.md"]);
    running.next_row();
    let result = running.close_stdout();
    assert!(result.stderr.is_empty(), "{result:?}");
}

/// Asserts that a command rejects the output file `output` before it changes any file.
#[track_caller]
fn check_rejected(args: &[&str], output: &str) {
    let (web, sandbox) = site();
    sandbox.write(output, "earlier").write("urls.txt", &format!("{}\n", web.url("/good")));
    let args = [args, &["--db", "relink.db", "-o", "first.json", "-o", output]].concat();
    let result = sandbox.run(&args).exits(2);
    assert!(result.stderr.contains("hint: "), "{}", result.stderr);
    assert_eq!(sandbox.read(output), "earlier");
    assert_eq!(web.hits("/good"), 0);
    for file in ["first.json", "relink.db"] {
        assert!(!sandbox.path(file).exists(), "{args:?} made {file}");
    }
}

#[test]
fn unsupported_output_formats_exit_2_before_any_file_is_touched() {
    for output in ["x.html", "x.htm", "x.HTML", "x.xlsx", "x.pdf", "x"] {
        check_rejected(&["survey", "urls.txt"], output);
    }
    for output in ["x.pdf", "x"] {
        check_rejected(&["check", "urls.txt"], output);
    }
    check_rejected(&["crawl", "http://127.0.0.1:9/"], "x.sarif");
    for output in ["x.pdf", "x"] {
        check_rejected(&["crawl", "http://127.0.0.1:9/"], output);
        check_rejected(&["report"], output);
        check_rejected(&["decay", "http://127.0.0.1:9/"], output);
    }
}

#[test]
fn help_of_surveys_does_not_offer_html() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["survey", "-h"]).exits(0).stdout;
    // The help of the flag is `Output format [env: …] [possible values: …]`.
    let values = help.split("--format <FORMAT>").nth(1).and_then(|text| text.split(']').nth(1));
    let values = values.unwrap();
    assert!(values.contains("jsonl") && !values.contains("html"), "{help}");
    sandbox.run(&["survey", "a.md", "--format", "html"]).exits(2);
    for command in ["check", "crawl"] {
        let help = sandbox.run(&[command, "-h"]).exits(0).stdout;
        assert!(help.contains("html"), "{help}");
    }
    sandbox.write("relink.toml", "format = \"sarif\"\n").write("a.md", "");
    sandbox.run(&["survey", "--db", "relink.db", "a.md"]).exits(2);
}

#[test]
fn failed_run_does_not_change_output_files() {
    let (_web, sandbox) = site();
    sandbox.write("a.json", "earlier").write("other.db", "this is not a database, and long enough");
    sandbox.run(&["check", "--db", "other.db", "a.md", "-o", "a.json"]).exits(4);
    sandbox.run(&["check", "--db", "relink.db", "gone.md", "-o", "a.json"]).exits(2);
    assert_eq!(sandbox.read("a.json"), "earlier");
    // No temporary file remains.
    let entries = std::fs::read_dir(sandbox.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("json")).count(), 1);
}

#[cfg(unix)]
#[test]
fn output_to_a_device_equals_stdout() {
    let (_web, sandbox) = site();
    let result = sandbox.check_human(&["a.md", "-o", "/dev/stderr", "-o", "/dev/null"]).exits(1);
    assert_eq!(result.stderr, result.stdout);
}

/// Writes two documents with two links to a missing page and one link to a missing file.
fn broken_links() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let gone = web.url("/gone");
    sandbox.write("b.md", &format!("text\n\n[x]({gone})\n"));
    sandbox.write("a.md", &format!("[y]({gone}) [z](none.md)\n"));
    (web, sandbox)
}

#[test]
fn concise_format_has_one_line_per_broken_link() {
    let (web, sandbox) = broken_links();
    let output = sandbox.check_human(&["--format", "concise", "."]).exits(1);
    let gone = web.url("/gone");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", output.stdout);
    assert!(lines[0].starts_with(&format!("a.md:1:5: RL101 dead {gone}: 404")), "{}", lines[0]);
    assert!(lines[1].starts_with("a.md:1:"), "{}", lines[1]);
    assert!(lines[1].contains(" RL601 local none.md: "), "{}", lines[1]);
    assert!(lines[2].starts_with(&format!("b.md:3:5: RL101 dead {gone}: 404")), "{}", lines[2]);
}

#[test]
fn github_format_has_one_annotation_per_broken_link() {
    let (_web, sandbox) = broken_links();
    let output = sandbox.check_human(&["--format", "github", "."]).exits(1);
    let is_annotation = |line: &&str| line.starts_with("::error file=") && line.contains(",line=");
    assert_eq!(output.stdout.lines().filter(is_annotation).count(), 3, "{}", output.stdout);
    assert!(output.stdout.contains("title=RL101 dead::http"), "{}", output.stdout);
}

#[test]
fn advice_for_a_code_is_printed_once() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    sandbox.write_urls("urls.txt", ["/one", "/two", "/three"].map(|path| web.url(path)));
    let text = sandbox.check_human(&["urls.txt"]).exits(1).stdout;
    assert_eq!(text.matches("RL101 dead ·").count(), 3, "{text}");
    assert_eq!(text.matches("help: ").count(), 1, "{text}");
}
