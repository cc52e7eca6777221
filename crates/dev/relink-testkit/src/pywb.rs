//! A real web archive: pywb, which others wrote, on 127.0.0.1.
//!
//! `./test` installs it. Without it the tests that need it fail and say so;
//! they are never passed over.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use url::Url;

use crate::warc::Warc;

/// The program that serves the files.
const SERVE: &str = include_str!("pywb/serve.py");

/// The variable that names the Python to use.
const VARIABLE: &str = "RELINK_TEST_PYWB";

/// Where `./test` puts it, below the user's cache.
const PLACE: &str = "relink-test/pywb-2.10.0/bin/python";

/// A running server; it is stopped when dropped.
#[derive(Debug)]
pub struct Pywb {
    server: Child,
    port: u16,
    folder: TempDir,
}

impl Pywb {
    /// Starts one that has this file, and waits until it listens.
    ///
    /// # Panics
    ///
    /// Panics if pywb is not installed or does not start.
    pub fn start(warc: &Warc) -> Self {
        let python = python();
        assert!(
            python.exists(),
            "pywb is not installed at {}; run `./test` once, or set {VARIABLE} to a Python that \
             has it",
            python.display()
        );
        let folder = folder(warc);
        let mut server = Command::new(python)
            .args(["-c", SERVE])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python can be started");
        let told = BufReader::new(server.stdout.take().expect("it was piped")).lines();
        let mut ports = told
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("port ").and_then(|port| port.parse().ok()));
        let port = ports.next().expect("pywb starts");
        Self { server, port, folder }
    }

    /// Its one collection.
    ///
    /// # Panics
    ///
    /// Never: an address and a port make a URL.
    pub fn collection(&self) -> Url {
        let text = format!("http://127.0.0.1:{}/test/", self.port);
        Url::parse(&text).expect("an address and a port make a URL")
    }

    /// The index it wrote, beside a folder `archive` with the file.
    pub fn index(&self) -> PathBuf {
        self.folder.path().join("index.cdxj")
    }

    /// The folder of the file.
    pub fn archive(&self) -> PathBuf {
        self.folder.path().join("archive")
    }
}

impl Drop for Pywb {
    fn drop(&mut self) {
        // It may have ended by itself, which is as well.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn python() -> PathBuf {
    if let Some(python) = env::var_os(VARIABLE) {
        return PathBuf::from(python);
    }
    let home = || Some(Path::new(&env::var_os("HOME")?).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    cache.unwrap_or_default().join(PLACE)
}

fn folder(warc: &Warc) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let archive = folder.path().join("archive");
    fs::create_dir(&archive).expect("a new folder is empty");
    fs::write(archive.join("a.warc.gz"), warc.to_gzip()).expect("a new folder can be written to");
    folder
}
