//! `relink serve` as a child process, and a client for single requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use super::Provider;

/// A running server, which is killed when dropped.
pub struct Server {
    child: Child,
    /// The IP address and port.
    pub address: String,
}

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    /// Starts the server on a free port, with the database of the provider.
    pub fn start(provider: &Provider, flags: &[&str]) -> Self {
        Self::start_at(provider, "2026-01-10T09:00:00Z", flags)
    }

    /// Starts the server as if it were `now`.
    pub fn start_at(provider: &Provider, now: &str, flags: &[&str]) -> Self {
        let mut args = vec!["serve", "--listen", "127.0.0.1:0", "--db", "relink.db"];
        args.extend(flags);
        let mut command = provider.sandbox.command(&args);
        command.env("RELINK_NOW", now).env("RELINK_SPI_TOKEN", TOKEN);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = Vec::new();
        // The server prints one line per interface, and then how to stop it.
        loop {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server ended: {lines:?}");
            if line.starts_with("Press Ctrl-C") {
                break;
            }
            lines.push(line.trim().to_owned());
        }
        let url = lines[0].split("http://").nth(1).unwrap();
        let address = url.split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    /// Sends a request and reads the response.
    pub fn request(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Response {
        request(&self.address, method, path, headers, body)
    }

    /// Kills the server.
    pub fn stop(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignore the errors: the server may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request to a server and reads the response. The status is 0 if there is no response.
pub fn request(address: &str, method: &str, path: &str, headers: &[&str], body: &str) -> Response {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Length: {}\r\n",
        body.len()
    );
    for header in headers {
        head.extend([header, "\r\n"]);
    }
    let mut stream = TcpStream::connect(address).unwrap();
    // Ignore the error: a server may respond before it has read the whole body.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut text = Vec::new();
    // Ignore the error: the server may reset the connection after its response.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    // The first line is, for example, `HTTP/1.1 200 OK`.
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Response { status, head: head.to_owned(), body: body.to_owned() }
}

/// The token of the publishing interface.
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";
