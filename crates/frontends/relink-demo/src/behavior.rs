//! How the library answers, well or badly, down to the bytes.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{CannedResponse, HTML};
use crate::hosts::SitePorts;
use crate::pages::html;
use crate::visit::{Request, Visit};

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
    /// What the site says to this address by its own rules.
    BySite,
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

impl Behavior {
    /// Carries the behavior out.
    pub(crate) async fn perform(
        self,
        mut stream: TcpStream,
        visit: &Visit,
        ports: SitePorts,
    ) -> io::Result<()> {
        match self.present(visit) {
            Self::Silence => wait_for_end(&mut stream).await,
            Self::Stall => {
                stream.write_all(half_a_page().as_bytes()).await?;
                wait_for_end(&mut stream).await
            }
            Self::Endless => write_endlessly(&mut stream).await,
            Self::Reset => stream.set_zero_linger(),
            Self::HangUp => Ok(()),
            other => say(&mut stream, &other.said(visit, ports)).await,
        }
    }

    /// What it is for this visitor.
    fn present(self, visit: &Visit) -> Self {
        match self {
            Self::FirstOnly(first) if visit.turn == 1 => *first,
            other => other,
        }
    }

    /// What is sent by a behavior that only sends something.
    fn said(self, visit: &Visit, ports: SitePorts) -> String {
        match self {
            Self::OldHttp => {
                format!("HTTP/1.0 200 OK\r\nContent-Type: {HTML}\r\n\r\n{}", sound_page())
            }
            Self::Truncate => half_a_page(),
            Self::NotHttp => "220 library.test ready, mail only, no books\r\n".to_owned(),
            Self::HugeHead => huge_head(),
            _ => self.answer(visit, ports).written(&visit.request),
        }
    }

    /// The answer of a behavior that is nothing but an answer.
    fn answer(self, visit: &Visit, ports: SitePorts) -> CannedResponse {
        let request = &visit.request;
        match self {
            Self::Page(title, text) => CannedResponse::page(html(title, &[text], &[])),
            Self::Status(status) => CannedResponse::with_status(status, short_page(status)),
            Self::Redirect(status, location) => {
                CannedResponse::redirect(status, &ports.fill(location))
            }
            Self::Maze => CannedResponse::redirect(302, &next_turn(request)),
            Self::CookieBounce if !request.has_cookie => {
                CannedResponse::redirect(302, &request.path)
                    .and("Set-Cookie", "reader=welcome; Path=/")
            }
            Self::OnlyGet if request.method != "GET" => {
                CannedResponse::with_status(405, String::new()).and("Allow", "GET")
            }
            Self::Throttle => {
                CannedResponse::with_status(429, short_page(429)).and("Retry-After", "0")
            }
            _ => CannedResponse::page(sound_page()),
        }
    }
}

/// The answer for an address that nobody knows.
pub(crate) fn not_found() -> CannedResponse {
    CannedResponse::with_status(404, short_page(404))
}

/// Writes an answer, ends the talk, and lets the visitor end it too: closing
/// before that could reset what is still under way.
pub(crate) async fn say(stream: &mut TcpStream, answer: &str) -> io::Result<()> {
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    wait_for_end(stream).await
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
        legible, and it should be left in the catalog as it stands.";
    html("All is well", &[text], &[])
}

fn half_a_page() -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nContent-Length: {PROMISED}\r\nConnection: close\r\n\r\n{}",
        "<!doctype html><title>Half a page</title><p>The mice have been here, and"
    )
}

fn huge_head() -> String {
    let line = "X-Shelf-List: ".to_owned() + &"quarto, ".repeat(HUGE_HEAD / 8);
    format!("HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 0\r\n\r\n")
}

async fn write_endlessly(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nConnection: close\r\n\r\n");
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
