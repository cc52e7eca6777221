//! A mini web archive: a list of captures, served in the words of the Internet
//! Archive's CDX server, with raw replay and negotiation by date (RFC 7089).
//!
//! It keeps what it is given and asks nobody.
//!
//! ```
//! # async fn kept() -> std::io::Result<()> {
//! use relink_demo::{Kept, MiniArchive};
//! let archive = MiniArchive::start(vec![
//!     Kept::page("http://press.test/old/1", "20140102030405", "<title>One</title>"),
//!     Kept::redirect("http://press.test/old/1", "20150102030405", 301, "/new/one"),
//! ]).await?;
//! assert!(archive.root().starts_with("http://127.0.0.1:"));
//! # Ok(())
//! # }
//! ```

mod copies;
mod index;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

use crate::answer::CannedResponse;
use crate::behavior::say;
use crate::server::{RECOVERY, read_request};
use crate::visit::Request;

/// One capture to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPage {
    /// What was archived.
    pub url: String,
    /// When, with 14 digits: `20140102030405`.
    pub taken: String,
    /// What the server had answered.
    pub status: u16,
    /// Where it had pointed, as written.
    pub location: Option<String>,
    /// What the page had been.
    pub body: String,
}

impl ArchivedPage {
    /// A good page.
    pub fn page(url: &str, taken: &str, body: &str) -> Self {
        let (url, taken, body) = (url.to_owned(), taken.to_owned(), body.to_owned());
        Self { url, taken, status: 200, location: None, body }
    }

    /// A redirect, with the empty body that most have.
    pub fn redirect(url: &str, taken: &str, status: u16, location: &str) -> Self {
        Self { status, location: Some(location.to_owned()), ..Self::page(url, taken, "") }
    }

    /// An error page.
    pub fn error(url: &str, taken: &str, status: u16, body: &str) -> Self {
        Self { status, ..Self::page(url, taken, body) }
    }

    /// The key it is filed under: host (without `www`), path and query.
    fn key(&self) -> String {
        key_of(&self.url)
    }
}

/// The key of a URL, or of the beginning of one.
fn key_of(url: &str) -> String {
    let text = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let text = Url::parse(&text).map_or(text, String::from).to_lowercase();
    let bare = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    bare.strip_prefix("www.").unwrap_or(bare).to_owned()
}

/// An archive, open until it is dropped.
#[derive(Debug)]
pub struct MiniArchive {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    // Dropping the set ends the server and all of its conversations.
    _server: JoinSet<()>,
}

impl MiniArchive {
    /// Opens one on a free port of 127.0.0.1, on the caller's runtime.
    pub async fn start(mut kept: Vec<ArchivedPage>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        kept.sort_by_cached_key(|it| (it.key(), it.taken.clone()));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let desk = Arc::new(ServerState { kept, asked: Arc::clone(&asked) });
        let mut server = JoinSet::new();
        server.spawn(serve(listener, desk));
        Ok(Self { address, asked, _server: server })
    }

    /// Where it is: what comes before `web/` and `cdx/`.
    pub fn root(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Every path asked for so far, with its query, in the order they came.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What every conversation needs.
#[derive(Debug)]
struct ServerState {
    kept: Vec<ArchivedPage>,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn serve(listener: TcpListener, desk: Arc<ServerState>) {
    let mut visits = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let desk = Arc::clone(&desk);
                // A visitor who leaves early is no fault of ours.
                visits.spawn(async move { _ = receive(stream, &desk).await });
            }
            Err(_) => tokio::time::sleep(RECOVERY).await,
        }
        while visits.try_join_next().is_some() {}
    }
}

async fn receive(mut stream: TcpStream, desk: &ServerState) -> io::Result<()> {
    let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
    desk.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.target());
    say(&mut stream, &answer(&request, &desk.kept).written(&request)).await
}

fn answer(request: &Request, kept: &[ArchivedPage]) -> CannedResponse {
    let target = request.target();
    if request.path == "/cdx/search/cdx" {
        return index::answer(&request.query, kept);
    }
    if let Some(url) = target.strip_prefix("/web/timemap/link/") {
        return copies::list(url, kept);
    }
    match target.strip_prefix("/web/") {
        Some(path) => copies::answer(path, request.accept_datetime.as_deref(), kept),
        None => nothing(),
    }
}

/// What is said of something that was never archived.
fn nothing() -> CannedResponse {
    CannedResponse::with_status(404, "<title>Not archived</title>".to_owned())
}

#[cfg(test)]
mod tests;
