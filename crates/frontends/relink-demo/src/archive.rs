//! A small web archive: serves a list of captures (archived responses).
//!
//! Clients query the index with the CDX server API of the Internet Archive. The replay
//! returns captured responses without changes, and supports datetime negotiation (RFC 7089):
//! a client requests a URL and a date, and is redirected to the nearest capture.
//!
//! ```
//! # async fn start() -> std::io::Result<()> {
//! use relink_demo::{ArchivedPage, MiniArchive};
//! let archive = MiniArchive::start(vec![
//!     ArchivedPage::page("http://press.test/old/1", "20140102030405", "<title>One</title>"),
//!     ArchivedPage::redirect("http://press.test/old/1", "20150102030405", 301, "/new/one"),
//! ]).await?;
//! assert!(archive.root().starts_with("http://127.0.0.1:"));
//! # Ok(())
//! # }
//! ```

mod index;
mod replay;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::behavior::send;
use crate::received_request::Request;
use crate::response::CannedResponse;
use crate::server::{ACCEPT_RETRY_DELAY, read_request};

/// A capture of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPage {
    /// The captured URL.
    pub url: String,
    /// The time of the capture as 14 digits: `20140102030405`.
    pub captured_at: String,
    /// The status of the response.
    pub status: u16,
    /// The `Location` header of the response.
    pub location: Option<String>,
    /// The body of the response.
    pub body: String,
}

impl ArchivedPage {
    /// Creates a capture of a page with status 200.
    pub fn page(url: &str, captured_at: &str, body: &str) -> Self {
        Self {
            url: url.to_owned(),
            captured_at: captured_at.to_owned(),
            status: 200,
            location: None,
            body: body.to_owned(),
        }
    }

    /// Creates a capture of a redirect with an empty body.
    pub fn redirect(url: &str, captured_at: &str, status: u16, location: &str) -> Self {
        Self { status, location: Some(location.to_owned()), ..Self::page(url, captured_at, "") }
    }

    /// Creates a capture of an error page.
    pub fn error(url: &str, captured_at: &str, status: u16, body: &str) -> Self {
        Self { status, ..Self::page(url, captured_at, body) }
    }

    /// Returns the key of the capture in the index; see [`url_key`].
    fn key(&self) -> String {
        url_key(&self.url)
    }
}

/// Returns the index key of a URL or of a URL prefix: host (without `www`), path and query
/// in lower case.
fn url_key(url: &str) -> String {
    let text = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let text = Url::parse(&text).map_or(text, String::from).to_lowercase();
    let without_scheme = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    without_scheme.strip_prefix("www.").unwrap_or(without_scheme).to_owned()
}

/// A running archive. The server stops when this value is dropped.
#[derive(Debug)]
pub struct MiniArchive {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    // Dropping the `JoinSet` ends the server and all of its connections.
    _server: JoinSet<()>,
}

impl MiniArchive {
    /// Starts an archive on a free port of 127.0.0.1, on the caller's runtime.
    pub async fn start(mut captures: Vec<ArchivedPage>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        captures.sort_by_cached_key(|capture| (capture.key(), capture.captured_at.clone()));
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let state = Arc::new(ServerState { captures, requests: Arc::clone(&requests) });
        let mut server = JoinSet::new();
        server.spawn(serve(listener, state));
        Ok(Self { address, requests, _server: server })
    }

    /// Returns the root URL. The replay is below `web/`, and the index below `cdx/`.
    pub fn root(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the path and query of all requests so far, in order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// State shared by all connections.
#[derive(Debug)]
struct ServerState {
    captures: Vec<ArchivedPage>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// Serves the archive until the future is dropped.
async fn serve(listener: TcpListener, state: Arc<ServerState>) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let state = Arc::clone(&state);
                // Ignore the error: the client closed the connection.
                connections.spawn(async move { _ = handle(stream, &state).await });
            }
            Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Handles one request of a connection.
async fn handle(mut stream: TcpStream, state: &ServerState) -> io::Result<()> {
    let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
    state.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.target());
    send(&mut stream, &respond(&request, &state.captures).to_http(&request)).await
}

/// Returns the response to a request.
fn respond(request: &Request, captures: &[ArchivedPage]) -> CannedResponse {
    let target = request.target();
    if request.path == "/cdx/search/cdx" {
        return index::respond(&request.query, captures);
    }
    if let Some(url) = target.strip_prefix("/web/timemap/link/") {
        return replay::time_map(url, captures);
    }
    match target.strip_prefix("/web/") {
        Some(path) => replay::respond(path, request.accept_datetime.as_deref(), captures),
        None => not_archived(),
    }
}

/// Returns the response for a URL that was never captured.
fn not_archived() -> CannedResponse {
    CannedResponse::with_status(404, "<title>Not archived</title>".to_owned())
}

#[cfg(test)]
mod tests;
