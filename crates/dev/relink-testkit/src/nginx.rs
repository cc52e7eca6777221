//! The web server nginx with TLS on 127.0.0.1.
//!
//! `./test` installs nginx. Without nginx, the tests that need it fail.
//! The server responds to every path with `page PATH`, redirects `/old` to `/new`, and
//! logs the connection of each request.

use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// The environment variable with the path of the program.
const VARIABLE: &str = "RELINK_TEST_NGINX";

/// The number and interval of polls of the server state before a test fails:
/// 5 seconds in total.
const POLLS: u32 = 500;
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The number of ports to try, because another process may take a free port.
const PORT_ATTEMPTS: u32 = 5;

/// The configuration of a server.
#[derive(Debug, Clone, Default)]
pub struct NginxSettings {
    /// The certificate in PEM format.
    pub certificate: String,
    /// The key of the certificate in PEM format.
    pub key: String,
    /// Whether HTTP/2 is enabled.
    pub has_http2: bool,
    /// The maximum number of requests per connection. The default of nginx is 1000.
    pub max_requests: Option<u32>,
    /// The certificate authority of client certificates in PEM format.
    pub client_authority: Option<String>,
}

/// A running server. Stops when dropped.
#[derive(Debug)]
pub struct Nginx {
    process: Child,
    port: u16,
    directory: TempDir,
}

/// A line of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The number of the connection.
    pub connection: u64,
    /// The number of the request on its connection, from 1.
    pub number: u64,
    /// The HTTP version, such as `HTTP/2.0`.
    pub protocol: String,
    /// The requested path.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// `SUCCESS` if the client had a valid certificate.
    pub client: String,
}

impl Nginx {
    /// Starts a server on a free port.
    ///
    /// # Panics
    ///
    /// Panics if nginx is not installed or cannot use the settings.
    pub fn start(settings: &NginxSettings) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let write = |name: &str, text: &str| {
            fs::write(directory.path().join(name), text).expect("the directory is writable");
        };
        write("certificate.pem", &settings.certificate);
        write("key.pem", &settings.key);
        write("clients.pem", settings.client_authority.as_deref().unwrap_or_default());
        for _ in 0..PORT_ATTEMPTS {
            let port = free_port();
            write("nginx.conf", &configuration(settings, directory.path(), port));
            if let Some(process) = launch(directory.path(), port) {
                return Self { process, port, directory };
            }
        }
        let log = fs::read_to_string(directory.path().join("error.log")).unwrap_or_default();
        panic!("nginx does not start: {log}");
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until the log has `count` lines, and returns all of them. nginx writes a
    /// line after the response.
    ///
    /// # Panics
    ///
    /// Panics if the lines are not written within 5 seconds.
    pub fn requests(&self, count: usize) -> Vec<LoggedRequest> {
        for _ in 0..POLLS {
            let log = fs::read_to_string(self.directory.path().join("access.log"));
            let requests: Vec<_> = log.unwrap_or_default().lines().map(parse_line).collect();
            if requests.len() >= count {
                return requests;
            }
            sleep(POLL_INTERVAL);
        }
        panic!("nginx did not log {count} requests");
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Ignore the error: the process may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Starts the program and waits until it listens. Returns `None` if the program exits.
fn launch(directory: &Path, port: u16) -> Option<Child> {
    let program = env::var_os(VARIABLE).unwrap_or_else(|| "nginx".into());
    let mut process = Command::new(program)
        .arg("-p")
        .arg(directory)
        .arg("-e")
        .arg(directory.join("error.log"))
        .arg("-c")
        .arg(directory.join("nginx.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Debian installs nginx in a directory that is only in the PATH of root.
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

/// Returns the configuration file.
fn configuration(settings: &NginxSettings, directory: &Path, port: u16) -> String {
    let directory = directory.display();
    let http2 = if settings.has_http2 { " http2" } else { "" };
    let clients = match settings.client_authority {
        Some(_) => format!("ssl_client_certificate {directory}/clients.pem; ssl_verify_client on;"),
        None => String::new(),
    };
    let max_requests = settings.max_requests.map(|max| format!("keepalive_requests {max};"));
    let max_requests = max_requests.unwrap_or_default();
    // The default directories are writable by root only.
    let temporary_directories = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {directory}/{name};\n"))
        .concat();
    format!(
        "daemon off; master_process off; pid {directory}/nginx.pid;
        events {{ worker_connections 64; }}
        http {{
            {temporary_directories}
            log_format requests '$connection $connection_requests $server_protocol $request_uri $status $ssl_client_verify';
            access_log {directory}/access.log requests;
            default_type text/plain;
            server {{
                listen 127.0.0.1:{port} ssl{http2};
                ssl_certificate {directory}/certificate.pem;
                ssl_certificate_key {directory}/key.pem;
                {clients} {max_requests}
                location = /old {{ return 301 /new; }}
                location / {{ return 200 \"page $request_uri\"; }}
            }}
        }}"
    )
}

/// Parses a line of the access log.
fn parse_line(line: &str) -> LoggedRequest {
    let fields: Vec<_> = line.split(' ').collect();
    let [connection, number, protocol, path, status, client] = fields[..] else {
        panic!("a log line has six fields: {line}");
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
