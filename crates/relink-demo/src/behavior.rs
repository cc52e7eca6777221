//! How the library answers, well or badly, down to the bytes.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::hosts::Ports;
use crate::pages::html;

/// More than any checker reads of a head: eight times the largest head that
/// common servers send, and beyond the 64 KiB after which Relink stops.
const HUGE_HEAD: usize = 128 * 1024;
/// How far the endless page goes before it gives up on a tireless reader.
const ENDLESS: usize = 64 * 1024 * 1024;
/// One line of the endless page.
const ENDLESS_LINE: &str = "<p>and one more volume, bound in green, without a title</p>\n";
/// The length that broken pages promise.
const PROMISED: usize = 5_000;

/// How an address answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Behavior {
    /// Nothing is served there.
    Absent,
    /// A good page with this title and text.
    Page(&'static str, &'static str),
    /// A short page with this status.
    Status(u16),
    /// This status and this `Location`.
    Redirect(u16, &'static str),
    /// A redirect to the same path with the next number as its query.
    Maze,
    /// A redirect to itself until the visitor brings a cookie.
    CookieBounce,
    /// A refusal of every method but GET.
    OnlyGet,
    /// The status 429 and a `Retry-After` of no time at all.
    Throttle,
    /// The behavior inside for the first visitor, a good page from then on.
    FirstOnly(&'static Behavior),
    /// A good page in HTTP/1.0, ended by hanging up.
    OldHttp,
    /// A page without an end.
    Endless,
    /// No answer at all, while the connection stays open.
    Silence,
    /// Half a page, then silence.
    Stall,
    /// Half a page, then the end.
    Truncate,
    /// The connection is reset.
    Reset,
    /// The connection is closed.
    HangUp,
    /// A greeting in another protocol.
    NotHttp,
    /// A head larger than anybody reads.
    HugeHead,
}

/// What a visitor asked.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: String,
    /// The host, in lower case, without its port.
    pub(crate) host: String,
    /// The path as sent.
    pub(crate) path: String,
    /// What stands after the question mark.
    pub(crate) query: String,
    /// Whether a cookie came with it.
    pub(crate) has_cookie: bool,
}

impl Behavior {
    /// Carries the behavior out.
    pub(crate) async fn perform(
        self,
        mut stream: TcpStream,
        request: &Request,
        ports: Ports,
    ) -> io::Result<()> {
        match self {
            Self::Silence => wait_for_end(&mut stream).await,
            Self::Stall => {
                stream.write_all(half_a_page().as_bytes()).await?;
                wait_for_end(&mut stream).await
            }
            Self::Endless => write_endlessly(&mut stream).await,
            Self::Reset => stream.set_zero_linger(),
            Self::HangUp => Ok(()),
            _ => say(&mut stream, &self.answer(request, ports)).await,
        }
    }

    /// The answer of a behavior that is nothing but an answer.
    fn answer(self, request: &Request, ports: Ports) -> String {
        match self {
            Self::Page(title, text) => page(request, &html(title, &[text], &[])),
            Self::Status(status) => answer(request, status, "", &short_page(status)),
            Self::Redirect(status, location) => redirect(request, status, &ports.fill(location)),
            Self::Maze => redirect(request, 302, &next_turn(request)),
            Self::CookieBounce if !request.has_cookie => {
                answer(request, 302, &bounce(&request.path), "")
            }
            Self::OnlyGet if request.method != "GET" => answer(request, 405, "Allow: GET\r\n", ""),
            Self::Throttle => answer(request, 429, "Retry-After: 0\r\n", &short_page(429)),
            Self::OldHttp => format!("HTTP/1.0 200 OK\r\n{HTML}\r\n{}", sound_page()),
            Self::Truncate => half_a_page(),
            Self::NotHttp => "220 library.test ready, mail only, no books\r\n".to_owned(),
            Self::HugeHead => huge_head(),
            _ => page(request, &sound_page()),
        }
    }
}

/// The header that says what a page is.
const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

/// A good page as an answer.
pub(crate) fn page(request: &Request, body: &str) -> String {
    answer(request, 200, "", body)
}

/// The answer for an address that the library does not know.
pub(crate) fn not_found(request: &Request) -> String {
    answer(request, 404, "", &short_page(404))
}

/// Writes an answer, ends the talk, and lets the visitor end it too: closing
/// before that could reset what is still under way.
pub(crate) async fn say(stream: &mut TcpStream, answer: &str) -> io::Result<()> {
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    wait_for_end(stream).await
}

/// A whole answer; `headers` are lines with their line ends. The reason phrase
/// is left out, as RFC 9112 §4 allows.
fn answer(request: &Request, status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    let sent = if request.method == "HEAD" { "" } else { body };
    format!(
        "HTTP/1.1 {status} \r\n{HTML}Content-Length: {length}\r\n{headers}Connection: close\r\n\r\n{sent}"
    )
}

fn redirect(request: &Request, status: u16, location: &str) -> String {
    answer(request, status, &format!("Location: {location}\r\n"), "")
}

fn bounce(path: &str) -> String {
    format!("Location: {path}\r\nSet-Cookie: reader=welcome; Path=/\r\n")
}

fn next_turn(request: &Request) -> String {
    let turn: u32 = request.query.parse().unwrap_or(0);
    format!("{}?{}", request.path, turn.saturating_add(1))
}

fn short_page(status: u16) -> String {
    html(
        &format!("Status {status}"),
        &["The librarian shakes her head and points at a small sign."],
        &[],
    )
}

fn sound_page() -> String {
    let text = "Nothing is wrong with this page. It may have taken a second knock to open, \
        or a door that only a person of good manners finds, but here it is, whole and \
        legible, and it should be left in the catalogue as it stands.";
    html("All is well", &[text], &[])
}

fn half_a_page() -> String {
    format!(
        "HTTP/1.1 200 OK\r\n{HTML}Content-Length: {PROMISED}\r\nConnection: close\r\n\r\n{}",
        "<!doctype html><title>Half a page</title><p>The mice have been here, and"
    )
}

fn huge_head() -> String {
    let line = "X-Shelf-List: ".to_owned() + &"quarto, ".repeat(HUGE_HEAD / 8);
    format!("HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 0\r\n\r\n")
}

async fn write_endlessly(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\n{HTML}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let lines = ENDLESS_LINE.repeat(200);
    for _ in 0..ENDLESS / lines.len() {
        stream.write_all(lines.as_bytes()).await?;
    }
    stream.shutdown().await
}

/// Waits until the visitor has nothing more to say.
async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut said = [0; 256];
    while stream.read(&mut said).await? > 0 {}
    Ok(())
}
