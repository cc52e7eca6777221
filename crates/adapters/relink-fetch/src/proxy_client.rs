//! Client side of HTTP proxies: forwards http requests in absolute form (RFC
//! 9112, section 3.2.2) and opens tunnels for https (RFC 9110, section 9.3.6).
//!
//! An error before the tunnel is open is reported as a failed connection, because it says
//! nothing about the requested host. Only "access denied" and "try later" responses of
//! the proxy are returned as if the host had sent them. A redirect or "not found"
//! response of the proxy is never returned as a response of the host.

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{HeaderValue, PROXY_AUTHORIZATION};
use relink_model::{ConnectError, FetchOutcome, InvalidRedirect};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::Url;

use crate::proxy::Proxy;
use crate::redirects;

/// Maximum size of the head of a response to CONNECT.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// End of a response head.
const EMPTY_LINE: &[u8] = b"\r\n\r\n";

/// Converts a request for an `http` URL to the absolute form that `proxy`
/// requires.
pub(crate) fn forward(
    request: &mut Request<Full<Bytes>>,
    url: &Url,
    proxy: &Proxy,
) -> Result<(), FetchOutcome> {
    let unsendable = |_| FetchOutcome::InvalidRedirect(InvalidRedirect::NotAUrl);
    *request.uri_mut() = redirects::sanitize_url(url).as_str().parse().map_err(unsendable)?;
    if let Some(authorization) = proxy.authorization() {
        request.headers_mut().insert(PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(())
}

/// Opens a tunnel to the host of `url` through `proxy`, which is connected to
/// `stream`. Afterwards every byte on the stream belongs to the host.
pub(crate) async fn tunnel(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    url: &Url,
    proxy: &Proxy,
    user_agent: &HeaderValue,
) -> Result<(), FetchOutcome> {
    let head = connect_head(url, proxy, user_agent);
    let sent = stream.write_all(&head).await;
    sent.map_err(|_| connect_failed(ConnectError::Reset))?;
    let (head, is_complete) = read_head(stream).await?;
    match parse_status(&head).ok_or(connect_failed(ConnectError::Other))? {
        // In TLS the client sends first. Bytes after the head come from the
        // proxy or from a host that does not follow the protocol.
        200..=299 if is_complete => Ok(()),
        status @ (403 | 407 | 429 | 451 | 500..=599) => Err(FetchOutcome::Response(status)),
        _ => Err(connect_failed(ConnectError::Other)),
    }
}

fn connect_failed(error: ConnectError) -> FetchOutcome {
    FetchOutcome::ConnectFailed(error)
}

/// Builds the CONNECT request. The host of a URL contains no spaces or line
/// breaks, so it cannot inject headers.
fn connect_head(url: &Url, proxy: &Proxy, user_agent: &HeaderValue) -> Vec<u8> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let host_port = format!("{host}:{port}");
    let mut head =
        format!("CONNECT {host_port} HTTP/1.1\r\nHost: {host_port}\r\nUser-Agent: ").into_bytes();
    head.extend(user_agent.as_bytes());
    if let Some(authorization) = proxy.authorization() {
        head.extend(b"\r\nProxy-Authorization: ");
        head.extend(authorization.as_bytes());
    }
    head.extend(EMPTY_LINE);
    head
}

/// Reads to the end of the head. The flag is true if no byte follows the head.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Result<(Vec<u8>, bool), FetchOutcome> {
    // `read_buf` never exceeds the capacity, so the capacity is also the limit.
    let mut head = Vec::with_capacity(MAX_HEAD_BYTES);
    loop {
        // The empty line may be split between two reads.
        let unsearched = head.len().saturating_sub(EMPTY_LINE.len() - 1);
        let count = stream.read_buf(&mut head).await;
        // Some proxies close the connection if they cannot reach the host.
        if !count.is_ok_and(|count| count > 0) {
            return Err(connect_failed(ConnectError::Reset));
        }
        let mut windows = head[unsearched..].windows(EMPTY_LINE.len());
        if let Some(index) = windows.position(|window| window == EMPTY_LINE) {
            let is_complete = unsearched + index + EMPTY_LINE.len() == head.len();
            return Ok((head, is_complete));
        }
        if head.len() >= MAX_HEAD_BYTES {
            return Err(connect_failed(ConnectError::Other));
        }
    }
}

/// Parses the status of an HTTP/1 response head.
fn parse_status(head: &[u8]) -> Option<u16> {
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

    /// Checks the CONNECT request, with `|` for each line break.
    #[track_caller]
    fn check_head(target: &str, proxy: &str, expect: &str) {
        let agent = HeaderValue::from_static("Relink/1");
        let head = connect_head(&url(target), &proxy.parse().unwrap(), &agent);
        assert_eq!(String::from_utf8(head).unwrap().replace("\r\n", "|"), expect);
    }

    #[test]
    fn connect_request_contains_host_and_port() {
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
        let mut request = Request::new(Full::default());
        let proxy = "http://a:b@proxy.test:1".parse().unwrap();
        forward(&mut request, &url(target), &proxy).unwrap();
        assert_eq!(request.uri().to_string(), expect);
        assert_eq!(request.headers()[PROXY_AUTHORIZATION], "Basic YTpi");
    }

    #[test]
    fn forwarded_request_has_absolute_url_without_credentials() {
        check_forward("http://a.test", "http://a.test/");
        check_forward("http://user:word@a.test:81/x?y#z", "http://a.test:81/x?y");
        check_forward("http://[2001:db8::1]/a%20b", "http://[2001:db8::1]/a%20b");
    }

    /// Returns the result of opening a tunnel if the proxy sends `response` in
    /// chunks.
    async fn tunnel_result(response: &[u8], chunk_size: usize) -> String {
        let (mut client_end, mut proxy_end) = duplex(1 << 20);
        let agent = HeaderValue::from_static("Relink/1");
        let proxy = "http://proxy.test:1".parse().unwrap();
        let target = url("https://a.test/");
        let respond = async {
            for chunk in response.chunks(chunk_size) {
                proxy_end.write_all(chunk).await.unwrap();
                tokio::task::yield_now().await;
            }
            proxy_end.shutdown().await.unwrap();
        };
        let (opened, ()) = tokio::join!(tunnel(&mut client_end, &target, &proxy, &agent), respond);
        opened.map_or_else(|outcome| outcome.to_string(), |()| "open".to_owned())
    }

    /// Checks the result of opening a tunnel if the proxy sends this response.
    async fn check(response: &str, expect: &str) {
        assert_eq!(tunnel_result(response.as_bytes(), usize::MAX).await, expect, "{response}");
    }

    #[tokio::test]
    async fn tunnel_opens_after_2xx_and_passes_on_refusals() {
        check("HTTP/1.1 200 Connection established\r\n\r\n", "open").await;
        check("HTTP/1.0 200\r\nContent-Length: 0\r\n\r\n", "open").await;
        check("HTTP/1.1 204 No Content\r\n\r\n", "open").await;
        for status in [403, 407, 429, 451, 500, 502, 503, 504] {
            let response = format!("HTTP/1.1 {status} No\r\nContent-Length: 2\r\n\r\nno");
            check(&response, &format!("status {status}")).await;
        }
    }

    #[tokio::test]
    async fn other_proxy_responses_are_failed_connections() {
        for status in [100, 101, 301, 302, 307, 400, 401, 404, 410, 600, 999] {
            let response = format!("HTTP/1.1 {status} X\r\nLocation: https://b.test/\r\n\r\n");
            check(&response, "connection failed").await;
        }
    }

    #[tokio::test]
    async fn invalid_response_head_is_a_failed_connection() {
        for response in [
            "HTTP/1.1 +20 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "SSH-2.0-OpenSSH_9.9\r\n\r\n",
            "\r\n\r\n",
        ] {
            check(response, "connection failed").await;
        }
        check("", "connection reset while connecting").await;
        check("HTTP/1.1 200 OK\r\n", "connection reset while connecting").await;
    }

    #[tokio::test]
    async fn bytes_after_the_response_head_are_rejected() {
        check("HTTP/1.1 200 OK\r\n\r\n\u{16}", "connection failed").await;
    }

    #[tokio::test]
    async fn response_head_is_limited() {
        let head = |size: usize| {
            let (first, last) = ("HTTP/1.1 200 OK\r\nX: ", "\r\n\r\n");
            [first, &"a".repeat(size - first.len() - last.len()), last].concat()
        };
        for (size, expect) in [(MAX_HEAD_BYTES, "open"), (MAX_HEAD_BYTES + 1, "connection failed")]
        {
            assert_eq!(tunnel_result(head(size).as_bytes(), 1000).await, expect, "{size}");
        }
    }

    proptest! {
        #[test]
        fn response_head_may_arrive_in_chunks(chunk_size in 1_usize..60) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let response = b"HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n";
            prop_assert_eq!(runtime.block_on(tunnel_result(response, chunk_size)), "open");
        }
    }
}
