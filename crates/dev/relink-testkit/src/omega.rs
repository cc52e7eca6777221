//! A real search engine: Xapian's Omega, which others wrote, on 127.0.0.1.
//!
//! `./test` installs it. Without it the tests that need it fail and say so;
//! they are never passed over.

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

/// How Omega is to write its answers.
const TEMPLATE: &str = include_str!("omega/json");

/// The variable that names the program to use.
const VARIABLE: &str = "RELINK_TEST_OMEGA";

/// Where Debian puts it.
const PLACE: &str = "/usr/lib/cgi-bin/omega/omega";

/// The program that reads pages for it.
const READER: &str = "omindex";

/// A running engine with its index; it is stopped when dropped.
#[derive(Debug)]
pub struct Omega {
    address: SocketAddr,
    is_stopped: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Omega {
    /// Starts one that knows these pages: paths below `root`, and HTML.
    ///
    /// # Panics
    ///
    /// Panics if Omega is not installed or cannot read the pages.
    pub fn start(root: &str, pages: &[(&str, &str)]) -> Self {
        let program = PathBuf::from(env::var_os(VARIABLE).unwrap_or_else(|| PLACE.into()));
        assert!(
            program.exists(),
            "Omega is not installed at {}; install `xapian-omega`, or set {VARIABLE}",
            program.display()
        );
        let folder = folder(root, pages);
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (stop, settings) = (Arc::clone(&is_stopped), folder.path().join("omega.conf"));
        let server = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                // A visitor who leaves is no error of the server.
                let _ = attend(stream, &program, &settings);
            }
        });
        Self { address, is_stopped, server: Some(server), _folder: folder }
    }

    /// Where it is asked.
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
        // Wakes the server from waiting for visitors.
        drop(TcpStream::connect(self.address));
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

/// Passes one request to the program, as RFC 3875 has it.
fn attend(mut stream: TcpStream, program: &Path, settings: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let question = path.split_once('?').map_or("", |(_, question)| question);
    let said = Command::new(program)
        .env("OMEGA_CONFIG_FILE", settings)
        .env("REQUEST_METHOD", "GET")
        .env("QUERY_STRING", question)
        .output()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let (headers, body) = said.split_once("\n\n").unwrap_or(("", &said));
    let headers = headers.trim().replace('\r', "").replace('\n', "\r\n");
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// A folder with the pages, the index of them and the settings.
fn folder(root: &str, pages: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |path: PathBuf, text: &str| {
        let parent = path.parent().expect("a file is in a folder");
        fs::create_dir_all(parent).expect("a new folder can be written to");
        fs::write(path, text).expect("a new folder can be written to");
    };
    for (path, html) in pages {
        write(at("pages").join(path), html);
    }
    write(at("templates").join("json"), TEMPLATE);
    let place = folder.path().display();
    let settings = ["database_dir", "template_dir", "log_dir", "cdb_dir"]
        .map(|name| format!("{name} {place}/{}s\n", name.trim_end_matches("_dir")));
    write(at("omega.conf"), &settings.concat());
    fs::create_dir_all(at("databases")).expect("a new folder can be written to");
    let index = at("databases").join("default");
    let arguments: [&OsStr; 5] =
        ["--db".as_ref(), index.as_ref(), "--url".as_ref(), root.as_ref(), "--".as_ref()];
    let read = Command::new(READER).args(arguments).arg(at("pages")).output();
    let read = read.expect("`omindex` of xapian-omega can be started");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    folder
}
