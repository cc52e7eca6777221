//! A real web server: nginx, with TLS, on 127.0.0.1.
//!
//! `./test` installs it. Without it the tests that need it fail and say so.
//! It answers every path with `page PATH`, redirects `/old` to `/new`, and
//! logs which connection each request came over.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// The variable that names the program to use.
const VARIABLE: &str = "RELINK_TEST_NGINX";

/// How often the state of the server is read before a test fails, and how
/// long to wait in between: five seconds in all.
const POLLS: u32 = 500;
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How often another port is tried if one is taken in the meantime.
const PORT_ATTEMPTS: u32 = 5;

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct NginxSettings {
    /// Its certificate in PEM.
    pub certificate: String,
    /// The key of the certificate in PEM.
    pub key: String,
    /// Whether it offers HTTP/2.
    pub has_http2: bool,
    /// How many requests it takes over one connection, if not its usual 1,000.
    pub max_requests: Option<u32>,
    /// The authority that a client's certificate must be from, in PEM.
    pub client_authority: Option<String>,
}

/// A running server; it is stopped when dropped.
#[derive(Debug)]
pub struct Nginx {
    process: Child,
    port: u16,
    folder: TempDir,
}

/// A line of its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The number of the connection it came over.
    pub connection: u64,
    /// Which request of that connection it was, from 1.
    pub number: u64,
    /// The version of HTTP, like `HTTP/2.0`.
    pub protocol: String,
    /// The path asked for.
    pub path: String,
    /// The status answered.
    pub status: u16,
    /// `SUCCESS` if the client had a valid certificate.
    pub client: String,
}

impl Nginx {
    /// Starts one on a free port.
    ///
    /// # Panics
    ///
    /// Panics if nginx is not installed or cannot use the settings.
    pub fn start(settings: &NginxSettings) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a new folder can be written to");
        };
        write("certificate.pem", &settings.certificate);
        write("key.pem", &settings.key);
        write("clients.pem", settings.client_authority.as_deref().unwrap_or_default());
        for _ in 0..PORT_ATTEMPTS {
            let port = free_port();
            write("nginx.conf", &configuration(settings, folder.path(), port));
            if let Some(process) = launch(folder.path(), port) {
                return Self { process, port, folder };
            }
        }
        let log = fs::read_to_string(folder.path().join("error.log")).unwrap_or_default();
        panic!("nginx does not start: {log}");
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its log, once it has this many lines: nginx writes a line after the
    /// response.
    ///
    /// # Panics
    ///
    /// Panics if the requests do not come within five seconds.
    pub fn requests(&self, count: usize) -> Vec<LoggedRequest> {
        for _ in 0..POLLS {
            let log = fs::read_to_string(self.folder.path().join("access.log"));
            let log: Vec<_> = log.unwrap_or_default().lines().map(parse_line).collect();
            if log.len() >= count {
                return log;
            }
            sleep(POLL_INTERVAL);
        }
        panic!("nginx did not log {count} requests");
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // If it has ended already, there is nothing to stop.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Starts the program and waits until it listens; `None` if it ends instead.
fn launch(folder: &Path, port: u16) -> Option<Child> {
    let program = env::var_os(VARIABLE).unwrap_or_else(|| "nginx".into());
    let mut process = Command::new(program)
        .arg("-p")
        .arg(folder)
        .arg("-e")
        .arg(folder.join("error.log"))
        .arg("-c")
        .arg(folder.join("nginx.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Debian has it where only root looks for programs.
        .env("PATH", format!("{}:/usr/sbin", env::var("PATH").unwrap_or_default()))
        .spawn()
        .unwrap_or_else(|error| panic!("install `nginx`, or set {VARIABLE}: {error}"));
    for _ in 0..POLLS {
        if process.try_wait().expect("a child can be waited for").is_some() {
            return None;
        }
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Some(process);
        }
        sleep(POLL_INTERVAL);
    }
    let _ = process.kill();
    let _ = process.wait();
    None
}

fn configuration(settings: &NginxSettings, folder: &Path, port: u16) -> String {
    let folder = folder.display();
    let http2 = if settings.has_http2 { " http2" } else { "" };
    let clients = match settings.client_authority {
        Some(_) => format!("ssl_client_certificate {folder}/clients.pem; ssl_verify_client on;"),
        None => String::new(),
    };
    let max_requests = settings.max_requests.map(|max| format!("keepalive_requests {max};"));
    let max_requests = max_requests.unwrap_or_default();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary.map(|name| format!("{name}_temp_path {folder}/{name};\n")).concat();
    format!(
        "daemon off; master_process off; pid {folder}/nginx.pid;
        events {{ worker_connections 64; }}
        http {{
            {temporary}
            log_format requests '$connection $connection_requests $server_protocol $request_uri $status $ssl_client_verify';
            access_log {folder}/access.log requests;
            default_type text/plain;
            server {{
                listen 127.0.0.1:{port} ssl{http2};
                ssl_certificate {folder}/certificate.pem;
                ssl_certificate_key {folder}/key.pem;
                {clients} {max_requests}
                location = /old {{ return 301 /new; }}
                location / {{ return 200 \"page $request_uri\"; }}
            }}
        }}"
    )
}

fn parse_line(line: &str) -> LoggedRequest {
    let fields: Vec<_> = line.split(' ').collect();
    let [connection, number, protocol, path, status, client] = fields[..] else {
        panic!("a line of the log has six fields: {line}");
    };
    LoggedRequest {
        connection: connection.parse().expect("a connection is a number"),
        number: number.parse().expect("a request has a number"),
        protocol: protocol.to_owned(),
        path: path.to_owned(),
        status: status.parse().expect("a status is a number"),
        client: client.to_owned(),
    }
}
