//! Reports in files, and the report as one JSON document.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::desk::{CHECK, Desk, QUICK};

fn site() -> (TestServer, Desk) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/good", 200, "").page("/wall", 403, "");
    let text =
        format!("[a]({}) [b]({})\n\n<{}>\n", web.url("/good"), web.url("/gone"), web.url("/wall"));
    desk.write("a.md", &text);
    (web, desk)
}

/// Claims that a JSON report is whole and its sums are right.
#[track_caller]
fn is_whole(report: &str) {
    let report: Value = serde_json::from_str(report).unwrap();
    assert_eq!((&report["schema"], &report["tool"]["name"]), (&1.into(), &"relink".into()));
    let targets = report["targets"].as_array().unwrap();
    let summary = &report["summary"];
    assert_eq!(targets.len(), 3);
    for (name, count) in [("links", 3), ("documents", 1), ("hosts", 1), ("targets", 3), ("exit", 1)]
    {
        assert_eq!(summary[name], count, "{name}");
    }
    for word in ["alive", "dead", "blocked"] {
        let of_word = targets.iter().filter(|target| target["verdict"] == word).count();
        assert_eq!((of_word, &summary["words"][word]), (1, &1.into()), "{word}");
    }
    let moment = |name: &str| report[name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(moment("started") <= moment("finished"));
    // The second look at a missing page, the second name at a wall, and a stray.
    assert_eq!(
        (&report["hosts"][0]["asked"], &report["hosts"][0]["controls"]),
        (&6.into(), &1.into())
    );
}

#[test]
fn one_run_writes_as_many_reports_as_wanted() {
    let (_web, desk) = site();
    let said = desk.report(&["a.md", "-o", "a.json", "-o", "b.jsonl", "-o", "c.txt"]).exits(1);
    is_whole(&desk.read("a.json"));
    assert_eq!(desk.read("b.jsonl").lines().count(), 3);
    assert_eq!(desk.read("c.txt"), said.stdout);
}

#[test]
fn the_json_report_is_one_document() {
    let (_web, desk) = site();
    let said = desk.run(&[CHECK, QUICK, &["--format", "json", "a.md"]].concat()).exits(1);
    is_whole(&said.stdout);
}

#[test]
fn a_report_without_targets_is_a_document_too() {
    let desk = Desk::new();
    desk.write("a.md", "no links\n");
    let said = desk.run(&[CHECK, &["--format", "json", "a.md"]].concat()).exits(0);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["targets"], Value::Array(Vec::new()));
}

#[test]
fn a_file_that_is_no_report_is_not_overwritten() {
    let (web, desk) = site();
    let before = desk.read("a.md");
    desk.check(&["a.md", "-o", "b.json", "-o", "a.md"]).exits(2);
    assert_eq!(desk.read("a.md"), before);
    assert!(!desk.path("b.json").exists());
    assert_eq!(web.connections(), 0);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_is_asked() {
    let (web, desk) = site();
    desk.check(&["a.md", "-o", "no/such/folder/a.json"]).exits(2);
    assert_eq!(web.connections(), 0);
}

#[test]
fn a_reader_who_has_had_enough_is_no_fault() {
    let (_web, desk) = site();
    let mut running = desk.start(&["a.md"]);
    running.next_row();
    let said = running.hang_up();
    assert!(said.stderr.is_empty(), "{said:?}");
}

/// Claims that a command refuses its output files before it touches anything.
#[track_caller]
fn check_refused(args: &[&str], output: &str) {
    let (web, desk) = site();
    desk.write(output, "earlier").write("urls.txt", &format!("{}\n", web.url("/good")));
    let args = [args, &["--db", "relink.db", "-o", "first.json", "-o", output]].concat();
    let said = desk.run(&args).exits(2);
    assert!(said.stderr.contains("hint: "), "{}", said.stderr);
    assert_eq!(desk.read(output), "earlier");
    assert_eq!(web.hits("/good"), 0);
    for file in ["first.json", "relink.db"] {
        assert!(!desk.path(file).exists(), "{args:?} made {file}");
    }
}

#[test]
fn unsupported_output_formats_exit_2_before_any_file_is_touched() {
    for output in ["x.html", "x.htm", "x.HTML", "x.pdf", "x"] {
        check_refused(&["check", "urls.txt"], output);
        check_refused(&["survey", "urls.txt"], output);
    }
    for output in ["x.pdf", "x"] {
        check_refused(&["crawl", "http://127.0.0.1:9/"], output);
        check_refused(&["report"], output);
        check_refused(&["decay", "http://127.0.0.1:9/"], output);
    }
}

#[test]
fn help_of_commands_without_html_reports_does_not_offer_html() {
    let desk = Desk::new();
    for command in ["check", "survey"] {
        let help = desk.run(&[command, "-h"]).exits(0).stdout;
        let values = help.split("--format <FORMAT>").nth(1).and_then(|text| text.split(']').nth(1));
        let values = values.unwrap();
        assert!(values.contains("jsonl") && !values.contains("html"), "{help}");
        desk.run(&[command, "a.md", "--format", "html"]).exits(2);
    }
    let help = desk.run(&["crawl", "-h"]).exits(0).stdout;
    assert!(help.contains("html"), "{help}");
    desk.write("relink.toml", "format = \"html\"\n").write("a.md", "");
    desk.run(&["check", "--db", "relink.db", "a.md"]).exits(2);
}

#[test]
fn failed_run_leaves_the_earlier_output_file_and_no_other() {
    let (_web, desk) = site();
    desk.write("a.json", "earlier").write("other.db", "this is not a database, and long enough");
    desk.run(&["check", "--db", "other.db", "a.md", "-o", "a.json"]).exits(4);
    desk.run(&["check", "--db", "relink.db", "gone.md", "-o", "a.json"]).exits(2);
    assert_eq!(desk.read("a.json"), "earlier");
    let names = std::fs::read_dir(desk.path("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("json")).count(), 1);
}

#[cfg(unix)]
#[test]
fn output_to_a_device_gets_what_stdout_gets() {
    let (_web, desk) = site();
    let said = desk.report(&["a.md", "-o", "/dev/stderr", "-o", "/dev/null"]).exits(1);
    assert_eq!(said.stderr, said.stdout);
}
