//! Interoperability with real peers: Python programs with OAI-PMH providers and clients, a mail
//! server, and parsers of feeds and spreadsheets.
//!
//! `./test` installs these programs. If they are missing, the tests fail.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::Provider;

/// The environment variable with the path of Python.
const PYTHON_VARIABLE: &str = "RELINK_TEST_HARVEST";
/// The path used by `./test`, below the user's cache directory.
const DEFAULT_PYTHON_PATH: &str = "relink-test/harvest-2/bin/python";

/// A Python program, which is killed when dropped.
pub struct Peer {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Peer {
    /// Starts a program, given by its source.
    pub fn start(program: &str, args: &[&str]) -> Self {
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

    /// Waits for the next line that the program prints.
    pub fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Reads the port of the program, which is its first line.
    pub fn port(&mut self) -> u16 {
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

/// Returns the user's cache directory, where `./test` installs the peers.
pub fn user_cache_directory() -> PathBuf {
    match std::env::var_os("XDG_CACHE_HOME") {
        Some(directory) => directory.into(),
        None => PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"),
    }
}

/// Returns the path of a Python interpreter for which the peers are installed.
pub fn python() -> PathBuf {
    let python = match std::env::var_os(PYTHON_VARIABLE) {
        Some(path) => path.into(),
        None => user_cache_directory().join(DEFAULT_PYTHON_PATH),
    };
    assert!(python.exists(), "{} does not exist; run `./test` once", python.display());
    python
}

/// Runs a Python program to its end and returns its output as JSON.
pub fn python_json(program: &str, args: &[&str]) -> Value {
    let output = Command::new(python()).args(["-c", program]).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn published_feeds_and_sheets_are_valid_and_have_stable_ids() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.records.lock().unwrap()[2].identifier = "=cmd()".to_owned();
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    provider.harvest(&["publish", "-o", "out"]).exits(0);
    let first = inspect_published_files(&provider);
    for feed in ["rss", "atom"] {
        // `bozo` is true if feedparser found an error.
        assert_eq!(first[feed]["bozo"], false, "{first}");
        assert_eq!(first[feed]["ids"].as_array().unwrap().len(), 1);
    }
    // All cells are strings.
    assert_eq!(first["xlsx"]["types"], serde_json::json!(["s"]), "{first}");
    assert_eq!(first["xlsx"]["records"], serde_json::json!(["=cmd()"]));
    provider.run_on_day(7);
    provider.harvest(&["publish", "-o", "out"]).exits(0);
    assert_eq!(inspect_published_files(&provider)["atom"]["ids"], first["atom"]["ids"]);
}

/// Returns the entries of the published feeds and spreadsheet, read by other programs.
fn inspect_published_files(provider: &Provider) -> Value {
    let out = provider.sandbox.path("out").display().to_string();
    python_json(include_str!("inspect_files.py"), &[&out])
}
