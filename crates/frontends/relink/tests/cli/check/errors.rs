//! Errors other than findings: invalid input or settings, no network, no usable
//! database.

use std::process::Command;
use std::time::{Duration, Instant};

use relink_testkit::dns::Dns;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CHECK, CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::{BackgroundServer, RefusedPort};

#[test]
fn missing_file_is_reported_with_cause_and_hint_in_every_format() {
    let sandbox = Sandbox::new();
    for format in ["human", "json", "jsonl"] {
        let result =
            sandbox.run(&["check", "--db", "relink.db", "--format", format, "docs/nowhere.md"]);
        result.fails(2, &["docs/nowhere.md", "no such file or directory"]);
    }
    sandbox.check(&["nowhere.md"]).fails(2, &["use files, directories, globs, URLs or `-`"]);
    sandbox.check(&["example.org"]).fails(2, &["use `https://example.org`"]);
    sandbox.check(&["docs/*.md"]).fails(2, &["no file matches"]);
}

#[test]
fn invalid_arguments_are_named_and_exit_2() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "text\n");
    sandbox
        .check(&["a.md", "--include", "("])
        .fails(2, &["invalid pattern: `(`", "unclosed group"]);
    sandbox.check(&["a.md", "--header", "no colon"]).fails(2, &["colon", "Accept-Language"]);
    sandbox.check(&["http://exa mple/"]).fails(2, &["invalid URL: `http://exa mple/`"]);
    sandbox.check(&["a.md", "--timeout", "5"]).exits(2);
    // RELINK_NOW must be a timestamp.
    sandbox.check_at("yesterday", &["a.md"]).exits(2);
}

#[test]
fn unknown_config_key_suggests_a_similar_key() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "text\n").write("relink.toml", "host_intervall = \"1s\"\n");
    sandbox.check_human(&["a.md"]).fails(2, &["`host_intervall`", "did you mean `host-interval`?"]);
    sandbox.write("relink.toml", "retries = \"many\"\n");
    sandbox
        .check_human(&["a.md"])
        .fails(2, &["relink.toml", "line 1, column 11: ", "expected u32"]);
}

#[test]
fn config_is_read_and_flags_override_it() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/wall", 403, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), web.url("/wall")]);
    sandbox.write("relink.toml", "format = \"jsonl\"\nfail-on = [\"blocked\"]\n");
    // `check_human` sets no format, so that the format comes from relink.toml.
    assert_eq!(sandbox.check_human(&["urls.txt"]).exits(1).rows().results.len(), 2);
    sandbox.check_human(&["urls.txt", "--fail-on", "dead"]).exits(0);
}

#[test]
fn malformed_line_is_a_finding_and_the_others_are_checked() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/b", 200, "");
    let sandbox = Sandbox::new();
    let (a, b) = (web.url("/a").to_string(), web.url("/b").to_string());
    let urls = [&a, "http://exa mple/", "gone fishing", &b];
    sandbox.write_urls("urls.txt", urls);
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(urls.map(|url| rows.verdict(url)), ["alive", "local RL602", "local RL602", "alive"]);
}

#[test]
fn check_without_network_fails_and_stores_no_verdicts() {
    let (dns, refused) = (BackgroundServer::start(Dns::start()), RefusedPort::new());
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [refused.url("/"), "http://nowhere.invalid/".to_owned()]);
    let address = dns.address().to_string();
    let args = ["--dns-server", &address, "urls.txt"];
    sandbox.check(&args).fails(3, &["no host responded", "2 hosts", "--offline"]);
    // The result is the same, because the first run stored no failures.
    sandbox.check(&args).fails(3, &[]);
}

#[test]
fn failures_before_the_first_response_get_verdicts_once_a_host_responds() {
    let (dns, refused, web) =
        (BackgroundServer::start(Dns::start()), RefusedPort::new(), TestServer::start_blocking());
    // The host responds only after all other requests have failed.
    web.respond("/wall", CannedResponse::new(403, "").with_delay(Duration::from_millis(200)));
    let sandbox = Sandbox::new();
    let unknown = "http://nowhere.invalid/".to_owned();
    sandbox.write_urls("urls.txt", [refused.url("/"), unknown.clone(), web.url("/wall").into()]);
    let address = dns.address().to_string();
    let rows = sandbox.check(&["--dns-server", &address, "urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(refused.url("/")), "failing RL541");
    assert_eq!(rows.verdict(unknown), "dead RL102");
    assert_eq!(rows.verdict(web.url("/wall")), "blocked RL403");
}

#[test]
fn unusable_database_exits_4() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "text\n").write("notes.db", "This text file is not a database.\n");
    let check_with_database = |db: &str| sandbox.run(&["check", "a.md", "--db", db]);
    check_with_database("notes.db").exits(4).fails_with_hint("is not a Relink database");
    assert_eq!(sandbox.read("notes.db"), "This text file is not a database.\n");
    check_with_database("a.md/below/relink.db").fails(4, &["--db FILE"]);
    // A directory in which no user can create a file, not even root.
    check_with_database("/proc/relink.db").exits(4).fails_with_hint("error: ");
}

impl CommandOutput {
    /// Asserts that standard output is empty and standard error contains this error and a hint.
    /// Unlike `fails`, does not require a cause.
    #[track_caller]
    fn fails_with_hint(self, error: &str) {
        assert!(self.stdout.is_empty(), "{self:?}");
        assert!(self.stderr.contains(error) && self.stderr.contains("hint: "), "{self:?}");
    }
}

#[test]
fn full_disk_exits_4_and_the_same_command_resumes_later() {
    let web = TestServer::start_blocking();
    let sandbox = Sandbox::new();
    let urls: Vec<String> = (0..400).map(|number| web.url(&format!("/{number}")).into()).collect();
    for number in 0..400 {
        web.page(&format!("/{number}"), 200, "");
    }
    sandbox.write_urls("urls.txt", &urls);
    // Limits file sizes to 200 blocks; writes beyond that fail as on a full disk.
    let script = "ulimit -f 200; trap '' XFSZ; exec \"$0\" \"$@\"";
    let relink = env!("CARGO_BIN_EXE_relink");
    let args = [CHECK, NO_DELAYS, &["--format", "jsonl", "urls.txt"]].concat();
    let mut command =
        sandbox.isolated(Command::new("sh"), &[&["-c", script, relink], &args[..]].concat());
    let result = CommandOutput::new(&command.output().unwrap()).exits(4);
    assert!(
        result.stderr.contains("error: ") && result.stderr.contains("hint: "),
        "{}",
        result.stderr
    );
    let mut sorted_urls = urls;
    sorted_urls.sort();
    // Without the size limit, the same command finishes the run.
    assert_eq!(sandbox.run(&args).exits(0).rows().urls(), sorted_urls);
}

#[test]
fn second_process_on_the_same_database_waits_then_fails() {
    let (web, slow) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/quick", 200, "");
    slow.respond("/slow", CannedResponse::new(200, "").with_delay(Duration::from_mins(1)));
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/quick"), slow.url("/slow")]);
    let mut first = sandbox.spawn_check(&["urls.txt"]);
    assert_eq!(first.next_row()["verdict"], "alive");
    let mut command = sandbox.command(&[CHECK, &["urls.txt"]].concat());
    let started = Instant::now();
    let result = CommandOutput::new(&command.output().unwrap()).exits(4);
    // Relink waits five seconds for the lock of the database.
    assert!(started.elapsed() >= Duration::from_millis(4_900), "{:?}", started.elapsed());
    result.fails_with_hint("in use by another process");
    first.kill();
}

#[test]
fn inputs_without_a_document_are_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("empty/picture.png", "").write("data/tests/a.md", "");
    sandbox
        .check_human(&["empty", "--offline"])
        .fails(2, &["no document to check", "--extensions"]);
    sandbox
        .check_human(&["data", "--offline"])
        .fails(2, &["only 1 document of tests", "--no-ignore"]);
}

#[test]
fn table_without_the_column_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", "title,url\nA,https://example.org/\n");
    sandbox
        .check_human(&["a.csv", "--column", "link", "--offline"])
        .fails(2, &["`a.csv` has no such column", "found `title`, `url`"]);
    sandbox.check_human(&["a.csv", "--column", "url", "--offline"]).exits(0);
}
