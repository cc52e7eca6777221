//! Speaks with the user's proxy: what is plain goes in absolute form
//! (RFC 9112, section 3.2.2), what is encrypted through a tunnel (RFC 9110,
//! section 9.3.6).
//!
//! Whatever goes wrong before the tunnel stands is told as a connection that
//! was not made: it says nothing about the host asked. Only those answers of
//! the proxy that say no more than "not now" or "not for you" are passed on as
//! if the host had given them. Above all, neither a redirect nor a "not found"
//! of the proxy ever passes for one of the host's.

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::header::{HeaderValue, PROXY_AUTHORIZATION};
use relink_model::{ConnectError, FetchOutcome, InvalidRedirect};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Url;

use crate::proxy::Proxy;
use crate::redirects;

/// The largest head of an answer to CONNECT.
const HEAD_CAP: usize = 16 * 1024;

/// What ends a head.
const EMPTY_LINE: &[u8] = b"\r\n\r\n";

/// Turns a request for a plain `url` into one that `proxy` understands.
pub(crate) fn forward(
    request: &mut Request<Empty<Bytes>>,
    url: &Url,
    proxy: &Proxy,
) -> Result<(), FetchOutcome> {
    let unsendable = |_| FetchOutcome::InvalidRedirect(InvalidRedirect::NotAnAddress);
    *request.uri_mut() = redirects::kept_url(url).as_str().parse().map_err(unsendable)?;
    if let Some(authorization) = proxy.authorization() {
        request.headers_mut().insert(PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(())
}

/// Asks `proxy`, at the other end of `stream`, for a tunnel to the host of
/// `url`. Once it stands, every byte on the stream is the host's.
pub(crate) async fn tunnel(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    url: &Url,
    proxy: &Proxy,
    user_agent: &HeaderValue,
) -> Result<(), FetchOutcome> {
    let asked = connect_head(url, proxy, user_agent);
    let sent = stream.write_all(&asked).await;
    sent.map_err(|_| lost(ConnectError::Reset))?;
    let (head, is_all) = read_head(stream).await?;
    match status_of(&head).ok_or(lost(ConnectError::Other))? {
        // In TLS the client speaks first: whatever follows the head comes from
        // the proxy itself, or from a host that is up to no good.
        200..=299 if is_all => Ok(()),
        status @ (403 | 407 | 429 | 451 | 500..=599) => Err(FetchOutcome::Response(status)),
        _ => Err(lost(ConnectError::Other)),
    }
}

fn lost(error: ConnectError) -> FetchOutcome {
    FetchOutcome::ConnectFailed(error)
}

/// The request for a tunnel. A URL's host holds no spaces and no line breaks,
/// so nothing can be smuggled into the head through it.
fn connect_head(url: &Url, proxy: &Proxy, user_agent: &HeaderValue) -> Vec<u8> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let place = format!("{host}:{port}");
    let mut head =
        format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nUser-Agent: ").into_bytes();
    head.extend(user_agent.as_bytes());
    if let Some(authorization) = proxy.authorization() {
        head.extend(b"\r\nProxy-Authorization: ");
        head.extend(authorization.as_bytes());
    }
    head.extend(EMPTY_LINE);
    head
}

/// Reads to the end of a head, and says whether nothing came after it.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Result<(Vec<u8>, bool), FetchOutcome> {
    // Each read takes what there is room for, so this is also the limit.
    let mut head = Vec::with_capacity(HEAD_CAP);
    loop {
        // The empty line may be cut in two between reads.
        let unsearched = head.len().saturating_sub(EMPTY_LINE.len() - 1);
        let count = stream.read_buf(&mut head).await;
        // Some proxies hang up where they cannot reach the host.
        if !count.is_ok_and(|count| count > 0) {
            return Err(lost(ConnectError::Reset));
        }
        let mut windows = head[unsearched..].windows(EMPTY_LINE.len());
        if let Some(place) = windows.position(|it| it == EMPTY_LINE) {
            let is_all = unsearched + place + EMPTY_LINE.len() == head.len();
            return Ok((head, is_all));
        }
        if head.len() >= HEAD_CAP {
            return Err(lost(ConnectError::Other));
        }
    }
}

/// The status of a head, if it is one of HTTP/1.
fn status_of(head: &[u8]) -> Option<u16> {
    let [b'0'..=b'9', b' ', code @ .., b' ' | b'\r'] = head.strip_prefix(b"HTTP/1.")?.get(..6)?
    else {
        return None;
    };
    let is_number = code.iter().all(u8::is_ascii_digit);
    let number = || str::from_utf8(code).ok()?.parse().ok();
    is_number.then(number)?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::duplex;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[track_caller]
    fn check_head(target: &str, proxy: &str, expect: &str) {
        let agent = HeaderValue::from_static("Relink/1");
        let head = connect_head(&url(target), &proxy.parse().unwrap(), &agent);
        assert_eq!(String::from_utf8(head).unwrap().replace("\r\n", "|"), expect);
    }

    #[test]
    fn a_tunnel_is_asked_for_by_host_and_port() {
        check_head(
            "https://user:word@a.test/x?y#z",
            "http://proxy.test:1",
            "CONNECT a.test:443 HTTP/1.1|Host: a.test:443|User-Agent: Relink/1||",
        );
        check_head(
            "https://[2001:db8::1]:8443/",
            "http://a:b@proxy.test:1",
            "CONNECT [2001:db8::1]:8443 HTTP/1.1|Host: [2001:db8::1]:8443|User-Agent: Relink/1|\
             Proxy-Authorization: Basic YTpi||",
        );
    }

    #[track_caller]
    fn check_forward(target: &str, expect: &str) {
        let mut request = Request::new(Empty::new());
        let proxy = "http://a:b@proxy.test:1".parse().unwrap();
        forward(&mut request, &url(target), &proxy).unwrap();
        assert_eq!(request.uri().to_string(), expect);
        assert_eq!(request.headers()[PROXY_AUTHORIZATION], "Basic YTpi");
    }

    #[test]
    fn a_plain_request_names_the_whole_address_but_nothing_secret() {
        check_forward("http://a.test", "http://a.test/");
        check_forward("http://user:word@a.test:81/x?y#z", "http://a.test:81/x?y");
        check_forward("http://[2001:db8::1]/a%20b", "http://[2001:db8::1]/a%20b");
    }

    /// What becomes of a tunnel where the proxy says this, cut into pieces.
    async fn ending_of(said: &[u8], piece: usize) -> String {
        let (mut ours, mut theirs) = duplex(1 << 20);
        let agent = HeaderValue::from_static("Relink/1");
        let proxy = "http://proxy.test:1".parse().unwrap();
        let target = url("https://a.test/");
        let speak = async {
            for piece in said.chunks(piece) {
                theirs.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            theirs.shutdown().await.unwrap();
        };
        let (opened, ()) = tokio::join!(tunnel(&mut ours, &target, &proxy, &agent), speak);
        opened.map_or_else(|ending| ending.to_string(), |()| "open".to_owned())
    }

    async fn check(said: &str, expect: &str) {
        assert_eq!(ending_of(said.as_bytes(), usize::MAX).await, expect, "{said}");
    }

    #[tokio::test]
    async fn only_a_success_opens_a_tunnel() {
        check("HTTP/1.1 200 Connection established\r\n\r\n", "open").await;
        check("HTTP/1.0 200\r\nContent-Length: 0\r\n\r\n", "open").await;
        check("HTTP/1.1 204 No Content\r\n\r\n", "open").await;
        for status in [403, 407, 429, 451, 500, 502, 503, 504] {
            let said = format!("HTTP/1.1 {status} No\r\nContent-Length: 2\r\n\r\nno");
            check(&said, &format!("answered {status}")).await;
        }
    }

    #[tokio::test]
    async fn no_other_answer_of_the_proxy_passes_for_the_hosts() {
        for status in [100, 101, 301, 302, 307, 400, 401, 404, 410, 600, 999] {
            let said = format!("HTTP/1.1 {status} X\r\nLocation: https://b.test/\r\n\r\n");
            check(&said, "no connection").await;
        }
    }

    #[tokio::test]
    async fn what_is_no_head_opens_nothing() {
        for said in [
            "HTTP/1.1 +20 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "SSH-2.0-OpenSSH_9.9\r\n\r\n",
            "\r\n\r\n",
        ] {
            check(said, "no connection").await;
        }
        check("", "connection reset while connecting").await;
        check("HTTP/1.1 200 OK\r\n", "connection reset while connecting").await;
    }

    #[tokio::test]
    async fn bytes_before_the_host_was_greeted_are_not_the_hosts() {
        check("HTTP/1.1 200 OK\r\n\r\n\u{16}", "no connection").await;
    }

    #[tokio::test]
    async fn a_head_is_read_to_its_cap() {
        let head = |size: usize| {
            let (first, last) = ("HTTP/1.1 200 OK\r\nX: ", "\r\n\r\n");
            [first, &"a".repeat(size - first.len() - last.len()), last].concat()
        };
        for (size, expect) in [(HEAD_CAP, "open"), (HEAD_CAP + 1, "no connection")] {
            assert_eq!(ending_of(head(size).as_bytes(), 1000).await, expect, "{size}");
        }
    }

    proptest! {
        #[test]
        fn a_head_may_come_in_any_pieces(piece in 1_usize..60) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let said = b"HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n";
            prop_assert_eq!(runtime.block_on(ending_of(said, piece)), "open");
        }
    }
}
