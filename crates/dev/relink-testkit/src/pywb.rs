//! The web archive server pywb on 127.0.0.1.
//!
//! `./test` installs pywb. Without pywb, the tests that need it fail. They are not skipped.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;
use url::Url;

use crate::warc::Warc;

/// The Python program that serves the files.
const SERVER_PROGRAM: &str = include_str!("pywb/serve.py");

/// The environment variable with the path of Python.
const VARIABLE: &str = "RELINK_TEST_PYWB";

/// The path used by `./test`, below the user's cache directory.
const DEFAULT_PATH: &str = "relink-test/pywb-2.10.0/bin/python";

/// The number and interval of polls before a test fails: 20 seconds in total.
const POLLS: u32 = 400;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A running server. Stops when dropped.
#[derive(Debug)]
pub struct Pywb {
    server: Child,
    port: u16,
    directory: TempDir,
}

impl Pywb {
    /// Starts a server with the records of a WARC file, and waits until the server listens.
    ///
    /// # Panics
    ///
    /// Panics if pywb is not installed or does not start.
    pub fn start(warc: &Warc) -> Self {
        Self::start_with_file(&warc.to_gzip())
    }

    /// Starts a server with the content of a compressed WARC file.
    ///
    /// # Panics
    ///
    /// Panics if pywb is not installed or does not start.
    pub fn start_with_file(warc: &[u8]) -> Self {
        let python = python();
        assert!(
            python.exists(),
            "pywb is not installed at {}; run `./test` once, or set {VARIABLE} to a Python that \
             has it",
            python.display()
        );
        Self::serve(&python, prepare_directory(warc), &[])
    }

    /// Starts a server with the content of a compressed WARC file and its CDXJ index, which names
    /// the file.
    ///
    /// # Panics
    ///
    /// Panics if pywb is not installed or does not start.
    pub fn start_with_index(name: &str, warc: &[u8], index: &[u8]) -> Self {
        let directory = prepare_directory(warc);
        let archive = directory.path().join("archive");
        fs::rename(archive.join("a.warc.gz"), archive.join(name)).expect("the file exists");
        fs::write(directory.path().join("index.cdxj"), index).expect("the directory is writable");
        Self::serve(&python(), directory, &[])
    }

    /// Starts an empty server that records the pages it loads.
    ///
    /// # Panics
    ///
    /// Panics if pywb is not installed or does not start.
    pub fn start_recorder() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        Self::serve(&python(), directory, &["record"])
    }

    /// Starts the program and waits until it reports its port.
    fn serve(python: &Path, directory: TempDir, mode: &[&str]) -> Self {
        let mut server = Command::new(python)
            .args(["-c", SERVER_PROGRAM])
            .arg(directory.path())
            .args(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python can be started");
        let reported = BufReader::new(server.stdout.take().expect("stdout is piped")).lines();
        let mut ports = reported
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("port ").and_then(|port| port.parse().ok()));
        let port = ports.next().expect("pywb starts");
        Self { server, port, directory }
    }

    /// Returns the URL of the only collection of the server.
    ///
    /// # Panics
    ///
    /// Never: an address and a port make a URL.
    pub fn collection(&self) -> Url {
        let text = format!("http://127.0.0.1:{}/test/", self.port);
        Url::parse(&text).expect("an address and a port make a URL")
    }

    /// Waits until a recording server has indexed these URLs. The server indexes new files
    /// every second.
    ///
    /// # Panics
    ///
    /// Panics if the server needs more than 20 seconds.
    pub fn wait_for(&self, urls: &[String]) {
        let index = self.directory.path().join("collections/test/indexes/autoindex.cdxj");
        for _ in 0..POLLS {
            let text = fs::read_to_string(&index).unwrap_or_default();
            if urls.iter().all(|url| text.contains(&format!("\"{url}\""))) {
                return;
            }
            sleep(POLL_INTERVAL);
        }
        panic!("pywb does not index {urls:?}");
    }

    /// Returns the path of the CDXJ index.
    pub fn index(&self) -> PathBuf {
        self.directory.path().join("index.cdxj")
    }

    /// Returns the directory of the WARC file.
    pub fn archive(&self) -> PathBuf {
        self.directory.path().join("archive")
    }
}

impl Drop for Pywb {
    fn drop(&mut self) {
        // Ignore the error: the process may have ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Returns the path of Python with pywb.
fn python() -> PathBuf {
    if let Some(python) = env::var_os(VARIABLE) {
        return PathBuf::from(python);
    }
    let default_cache = || Some(Path::new(&env::var_os("HOME")?).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(default_cache);
    cache.unwrap_or_default().join(DEFAULT_PATH)
}

/// Creates a directory with the WARC file.
fn prepare_directory(warc: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let archive = directory.path().join("archive");
    fs::create_dir(&archive).expect("the directory is empty");
    fs::write(archive.join("a.warc.gz"), warc).expect("the directory is writable");
    directory
}
