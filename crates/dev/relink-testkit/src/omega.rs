//! The search engine Xapian Omega, served on 127.0.0.1.
//!
//! `./test` installs Omega. Without Omega, the tests that need it fail. They are not skipped.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;
use url::Url;

/// The template for JSON responses.
const TEMPLATE: &str = include_str!("omega/json");

/// The environment variable with the path of the program.
const VARIABLE: &str = "RELINK_TEST_OMEGA";

/// The path of the program on Debian.
const DEFAULT_PATH: &str = "/usr/lib/cgi-bin/omega/omega";

/// The program that indexes pages.
const INDEXER: &str = "omindex";

/// A running search engine with its index. Stops when dropped.
#[derive(Debug)]
pub struct Omega {
    address: SocketAddr,
    is_stopped: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
    _directory: TempDir,
}

impl Omega {
    /// Starts an engine that has indexed these pages, given by path and HTML. The URLs of the
    /// pages are below `root`.
    ///
    /// # Panics
    ///
    /// Panics if Omega is not installed or cannot read the pages.
    pub fn start(root: &str, pages: &[(&str, &str)]) -> Self {
        let program = PathBuf::from(env::var_os(VARIABLE).unwrap_or_else(|| DEFAULT_PATH.into()));
        assert!(
            program.exists(),
            "Omega is not installed at {}; install `xapian-omega`, or set {VARIABLE}",
            program.display()
        );
        let directory = prepare_directory(root, pages);
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (stop, settings) = (Arc::clone(&is_stopped), directory.path().join("omega.conf"));
        let server = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                // Ignore errors: the client may close the connection.
                let _ = run_cgi(stream, &program, &settings);
            }
        });
        Self { address, is_stopped, server: Some(server), _directory: directory }
    }

    /// Returns the search URL.
    ///
    /// # Panics
    ///
    /// Never: an address and a port make a URL.
    pub fn url(&self) -> Url {
        let text = format!("http://{}/omega", self.address);
        Url::parse(&text).expect("an address and a port make a URL")
    }
}

impl Drop for Omega {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        // Unblocks `accept`.
        drop(TcpStream::connect(self.address));
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

/// Passes one request to the program with CGI (RFC 3875).
fn run_cgi(mut stream: TcpStream, program: &Path, settings: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request_line = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request_line.split(' ').nth(1).unwrap_or_default();
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let output = Command::new(program)
        .env("OMEGA_CONFIG_FILE", settings)
        .env("REQUEST_METHOD", "GET")
        .env("QUERY_STRING", query)
        .output()?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let (headers, body) = output.split_once("\n\n").unwrap_or(("", &output));
    let headers = headers.trim().replace('\r', "").replace('\n', "\r\n");
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Creates a directory with the pages, their index and the configuration.
fn prepare_directory(root: &str, pages: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let path_of = |name: &str| directory.path().join(name);
    let write = |path: PathBuf, text: &str| {
        let parent = path.parent().expect("the path has a parent");
        fs::create_dir_all(parent).expect("the directory is writable");
        fs::write(path, text).expect("the directory is writable");
    };
    for (path, html) in pages {
        write(path_of("pages").join(path), html);
    }
    write(path_of("templates").join("json"), TEMPLATE);
    let root_path = directory.path().display();
    let settings = ["database_dir", "template_dir", "log_dir", "cdb_dir"]
        .map(|name| format!("{name} {root_path}/{}s\n", name.trim_end_matches("_dir")));
    write(path_of("omega.conf"), &settings.concat());
    fs::create_dir_all(path_of("databases")).expect("the directory is writable");
    let index = path_of("databases").join("default");
    let arguments: [&OsStr; 5] =
        ["--db".as_ref(), index.as_ref(), "--url".as_ref(), root.as_ref(), "--".as_ref()];
    let output = Command::new(INDEXER).args(arguments).arg(path_of("pages")).output();
    let output = output.expect("`omindex` of xapian-omega can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory
}
