//! Interoperability with real peers: pyoai (OAI-PMH provider), Sickle (OAI-PMH
//! client), aiosmtpd (mail server), feedparser and openpyxl.
//!
//! `./test` installs them. Without them, the tests fail; they are not skipped.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::Provider;
use crate::sandbox::Sandbox;

/// The environment variable with the path of Python.
const VARIABLE: &str = "RELINK_TEST_HARVEST";
/// The path used by `./test`, below the user's cache directory.
const DEFAULT_PATH: &str = "relink-test/harvest-1/bin/python";

/// A Python program, which is killed when dropped.
struct Peer {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Peer {
    fn start(program: &str, args: &[&str]) -> Self {
        let mut child = Command::new(python())
            .args(["-u", "-c", program])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn port(&mut self) -> u16 {
        self.line().strip_prefix("port ").unwrap().parse().unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Ignore the errors: the program may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn python() -> PathBuf {
    let cache = || {
        let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
        std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join(DEFAULT_PATH)
    };
    let python = std::env::var_os(VARIABLE).map_or_else(cache, PathBuf::from);
    assert!(python.exists(), "{} does not exist; run `./test` once", python.display());
    python
}

/// Runs a Python program to its end and returns its output as JSON.
fn python_json(program: &str, args: &[&str]) -> Value {
    let output = Command::new(python()).args(["-c", program]).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn records_of_pyoai_are_harvested_in_pages() {
    let mut peer = Peer::start(include_str!("pyoai_provider.py"), &[]);
    let port = peer.port();
    let sandbox = Sandbox::new();
    let run = |args: &[&str]| {
        let mut all = vec!["harvest"];
        all.extend(args);
        all.extend(["--db", "r.db"]);
        sandbox.run_at("2026-01-01T09:00:00Z", &all)
    };
    run(&["add", "pyoai", "--oai", &format!("http://127.0.0.1:{port}/")]).exits(0);
    let flags = [
        "run",
        "--format",
        "json",
        "--dns-server",
        "127.0.0.1:1",
        "--timeout",
        "2s",
        "--retries",
        "0",
        "--host-interval",
        "0",
    ];
    let output = run(&flags);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    let intake = &rows[0]["intake"];
    assert_eq!((intake["pages"].clone(), intake["is_complete"].clone()), (3.into(), true.into()));
    assert_eq!((rows[0]["records"].clone(), rows[0]["deleted"].clone()), (6.into(), 1.into()));
    let again: Value = serde_json::from_str(&run(&flags).stdout).unwrap();
    assert_eq!((again[0]["records"].clone(), again[0]["deleted"].clone()), (6.into(), 1.into()));
}

#[test]
fn sickle_harvests_visible_records_and_follows_hidden_ones() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    let hide = ["hide", "lre", "oai:a.test:2", "--reason", "test"];
    provider.harvest_at("2026-01-05T09:00:00Z", &hide).exits(0);
    let listed = sickle(&provider);
    assert_eq!(listed["records"].as_object().unwrap().len(), 13);
    assert_eq!(listed["records"]["oai:a.test:2"], Value::Null);
    assert_eq!(listed["records"]["oai:a.test:3"][0], provider.url(3).as_str());
    assert_eq!(listed["deleted"], serde_json::json!(["oai:a.test:2"]));
    // Only the hidden record has changed since then.
    assert_eq!(listed["changed"], serde_json::json!(["oai:a.test:2"]));
    let lift = ["lift", "lre", "oai:a.test:2", "--reason", "test"];
    provider.harvest_at("2026-01-06T09:00:00Z", &lift).exits(0);
    let listed = sickle(&provider);
    assert_eq!(listed["deleted"], serde_json::json!([]));
    assert_eq!(listed["changed"], serde_json::json!(["oai:a.test:2"]));
}

/// Harvests our provider with Sickle.
fn sickle(provider: &Provider) -> Value {
    let args = ["serve", "--oai", "--listen", "127.0.0.1:0", "--db", "relink.db"];
    let mut command = provider.sandbox.command(&args);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let url = line.strip_prefix("OAI-PMH on ").unwrap();
    let listed = python_json(include_str!("sickle_client.py"), &[url]);
    child.kill().unwrap();
    child.wait().unwrap();
    listed
}

#[test]
fn mails_are_sent_once_and_retried() {
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &[]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider =
        Provider::with_contacts(&["repo@example.org", "later@example.org", "unknown@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    let preview = provider.harvest(&["mail"]).exits(0).stdout;
    assert!(preview.contains("To: repo@example.org\nSubject: 1 links"), "{preview}");
    assert!(preview.ends_with("3 not sent; use `--send` to send them\n"), "{preview}");
    let send = |day| {
        let args = [
            "mail",
            "--send",
            "--smtp",
            &server,
            "--smtp-security",
            "none",
            "--mail-from",
            "service@example.org",
        ];
        provider.harvest_at(&super::time(day), &args)
    };
    let first = send(0).exits(1).stdout;
    assert!(first.contains("repo@example.org: sent: "), "{first}");
    assert!(first.contains("later@example.org: will be sent again: "), "{first}");
    assert!(first.contains("unknown@example.org: failed: "), "{first}");
    let second = send(0).exits(0).stdout;
    assert!(
        second.starts_with("later@example.org: sent: ") && second.lines().count() == 1,
        "{second}"
    );
    assert_eq!(send(0).exits(0).stdout, "");
    let mails: Vec<Value> = (0..3).map(|_| serde_json::from_str(&peer.line()).unwrap()).collect();
    let of = |name: &str| mails.iter().filter(|mail| mail["to"] == name).collect::<Vec<_>>();
    let (repo, later) = (of("repo@example.org"), of("later@example.org"));
    let states: Vec<_> = later.iter().map(|mail| mail["state"].as_str().unwrap()).collect();
    assert_eq!((repo.len(), states), (1, vec!["451", "250"]));
    // The rejected attempt and the repeated one have the same Message-ID.
    assert_eq!(later[0]["id"], later[1]["id"]);
    assert_ne!(repo[0]["id"], later[1]["id"]);
    assert!(later[1]["text"].as_str().unwrap().contains("/2"), "{}", later[1]);
}

#[test]
fn starttls_is_required_by_default() {
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &[]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    let args = ["mail", "--send", "--smtp", &server, "--mail-from", "service@example.org"];
    let output = provider.harvest(&args).exits(1).stdout;
    assert!(output.contains("will be sent again"), "{output}");
}

#[test]
fn feeds_and_sheets_are_valid() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.records.lock().unwrap()[2].identifier = "=cmd()".to_owned();
    provider.remove_page("a.test", "/2");
    provider.run_on(0, 0);
    provider.harvest(&["publish", "-o", "out"]).exits(0);
    let first = inspect(&provider);
    for feed in ["rss", "atom"] {
        assert_eq!(first[feed]["bozo"], false, "{first}");
        assert_eq!(first[feed]["ids"].as_array().unwrap().len(), 1);
    }
    assert_eq!(first["xlsx"]["types"], serde_json::json!(["s"]), "{first}");
    assert_eq!(first["xlsx"]["records"], serde_json::json!(["=cmd()"]));
    provider.run_on(7, 0);
    provider.harvest(&["publish", "-o", "out"]).exits(0);
    assert_eq!(inspect(&provider)["atom"]["ids"], first["atom"]["ids"]);
}

fn inspect(provider: &Provider) -> Value {
    let out = provider.sandbox.path("out").display().to_string();
    python_json(include_str!("inspect_files.py"), &[&out])
}
