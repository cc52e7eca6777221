//! SOCKS5 client (RFC 1928) with user name and password (RFC 1929).
//!
//! A proxy that rejects the login or the host is reported like an HTTP proxy
//! that responds with 407 or 403. Every other error is a failed connection.

use std::net::SocketAddr;

use relink_model::{ConnectError, FetchOutcome};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::{Host, Url};

use crate::proxy::Login;

/// Version of the protocol (RFC 1928).
const VERSION: u8 = 5;
/// Login method: none (RFC 1928, section 3).
const NO_LOGIN: u8 = 0;
/// Login method: user name and password.
const PASSWORD: u8 = 2;
/// Response of a proxy that accepts none of the offered login methods.
const NO_METHOD: u8 = 0xff;
/// Version of the password exchange (RFC 1929, section 2).
const PASSWORD_VERSION: u8 = 1;
/// Command: connect to a host (RFC 1928, section 4).
const CONNECT: u8 = 1;
/// Address type: an IPv4 address (RFC 1928, section 5).
const IPV4: u8 = 1;
/// Address type: a host name.
const DOMAIN: u8 = 3;
/// Address type: an IPv6 address.
const IPV6: u8 = 4;

/// Encoded address type, address and port of a request.
pub(crate) struct Target(Vec<u8>);

impl Target {
    /// Creates a target from a resolved address.
    pub fn from_address(address: SocketAddr) -> Self {
        let mut bytes = match address {
            SocketAddr::V4(address) => [&[IPV4][..], &address.ip().octets()].concat(),
            SocketAddr::V6(address) => [&[IPV6][..], &address.ip().octets()].concat(),
        };
        bytes.extend(address.port().to_be_bytes());
        Self(bytes)
    }

    /// Creates a target from a host that the proxy resolves. Returns `None` if
    /// the name is too long.
    pub fn from_url(url: &Url) -> Option<Self> {
        let port = url.port_or_known_default()?;
        match url.host()? {
            Host::Ipv4(address) => Some(Self::from_address((address, port).into())),
            Host::Ipv6(address) => Some(Self::from_address((address, port).into())),
            Host::Domain(name) => {
                let length = u8::try_from(name.len()).ok()?;
                let port = port.to_be_bytes();
                Some(Self([&[DOMAIN, length], name.as_bytes(), &port].concat()))
            }
        }
    }
}

/// Requests a connection to `target` from the proxy at the other end of
/// `stream`. Afterwards every byte on the stream belongs to the host.
pub(crate) async fn connect(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    target: &Target,
    login: Option<&Login>,
) -> Result<(), FetchOutcome> {
    match negotiate_method(stream, login.is_some()).await? {
        NO_LOGIN => {}
        PASSWORD => log_in(stream, login.ok_or(connect_failed(ConnectError::Other))?).await?,
        NO_METHOD => return Err(FetchOutcome::Response(407)),
        _ => return Err(connect_failed(ConnectError::Other)),
    }
    send(stream, &[&[VERSION, CONNECT, 0], &target.0[..]].concat()).await?;
    read_reply(stream).await
}

/// Agrees on a login method with the proxy.
async fn negotiate_method(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    has_login: bool,
) -> Result<u8, FetchOutcome> {
    // The second byte is the number of offered methods.
    let offer: &[u8] =
        if has_login { &[VERSION, 2, NO_LOGIN, PASSWORD] } else { &[VERSION, 1, NO_LOGIN] };
    send(stream, offer).await?;
    let [version, method] = read(stream).await?;
    if version == VERSION { Ok(method) } else { Err(connect_failed(ConnectError::Other)) }
}

/// Sends user name and password (RFC 1929).
async fn log_in(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    login: &Login,
) -> Result<(), FetchOutcome> {
    let mut message = vec![PASSWORD_VERSION];
    for part in [&login.user, &login.password] {
        // The protocol cannot encode more than 255 bytes.
        message.push(u8::try_from(part.len()).map_err(|_| FetchOutcome::Response(407))?);
        message.extend(part);
    }
    send(stream, &message).await?;
    let [_version, status] = read(stream).await?;
    if status == 0 { Ok(()) } else { Err(FetchOutcome::Response(407)) }
}

/// Reads the reply up to its last byte. The bytes that follow belong to the host.
async fn read_reply(stream: &mut (impl AsyncRead + Unpin)) -> Result<(), FetchOutcome> {
    let [version, reply, _reserved, address_type] = read(stream).await?;
    if version != VERSION {
        return Err(connect_failed(ConnectError::Other));
    }
    check_reply(reply)?;
    let length = match address_type {
        IPV4 => 4,
        IPV6 => 16,
        DOMAIN => usize::from(read::<1>(stream).await?[0]),
        _ => return Err(connect_failed(ConnectError::Other)),
    };
    // The address that the proxy connects from is not used, but must be read.
    let mut bound_address = vec![0; length + size_of::<u16>()];
    let result = stream.read_exact(&mut bound_address).await;
    result.map(drop).map_err(|_| connect_failed(ConnectError::Reset))
}

/// Maps a reply code to a result (RFC 1928, section 6).
fn check_reply(reply: u8) -> Result<(), FetchOutcome> {
    Err(match reply {
        0 => return Ok(()),
        2 => FetchOutcome::Response(403),
        3 | 4 | 6 => connect_failed(ConnectError::Unreachable),
        5 => connect_failed(ConnectError::Refused),
        _ => connect_failed(ConnectError::Other),
    })
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Result<(), FetchOutcome> {
    stream.write_all(bytes).await.map_err(|_| connect_failed(ConnectError::Reset))
}

/// Reads a fixed number of bytes.
async fn read<const N: usize>(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<[u8; N], FetchOutcome> {
    let mut bytes = [0; N];
    let result = stream.read_exact(&mut bytes).await;
    result.map_err(|_| connect_failed(ConnectError::Reset))?;
    Ok(bytes)
}

fn connect_failed(error: ConnectError) -> FetchOutcome {
    FetchOutcome::ConnectFailed(error)
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;
    use crate::Proxy;

    /// Returns the bytes sent to a proxy that sends `response`, and the result.
    async fn exchange(proxy: &str, url: &str, response: &[u8]) -> (Vec<u8>, String) {
        let proxy: Proxy = proxy.parse().unwrap();
        let target = Target::from_url(&Url::parse(url).unwrap()).unwrap();
        let (mut client_end, mut proxy_end) = duplex(4096);
        proxy_end.write_all(response).await.unwrap();
        let connected = connect(&mut client_end, &target, proxy.login()).await;
        drop(client_end);
        let mut sent = Vec::new();
        proxy_end.read_to_end(&mut sent).await.unwrap();
        (sent, connected.map_or_else(|outcome| outcome.to_string(), |()| "open".to_owned()))
    }

    /// Checks the outcome of connecting with a login through a proxy that sends `response`.
    async fn check(response: &[u8], expect: &str) {
        let (_, result) = exchange("socks5h://a:b@p.test", "http://a.test/", response).await;
        assert_eq!(result, expect, "{response:?}");
    }

    #[tokio::test]
    async fn connect_sends_name_or_address() {
        let response = [&[5, 0][..], &[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]].concat();
        for (url, target) in [
            ("http://a.test/", &b"\x03\x06a.test\x00\x50"[..]),
            ("https://192.0.2.1/", b"\x01\xc0\x00\x02\x01\x01\xbb"),
            ("http://[::1]:81/", b"\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x51"),
        ] {
            let (sent, result) = exchange("socks5h://p.test", url, &response).await;
            let expect = [b"\x05\x01\x00\x05\x01\x00", target].concat();
            assert_eq!((sent, result.as_str()), (expect, "open"), "{url}");
        }
    }

    #[tokio::test]
    async fn login_is_sent_only_if_the_proxy_selects_it() {
        let reply = [5, 0, 0, 3, 1, b'x', 0, 0];
        // The proxy selects the password method and accepts the password.
        let demand = [&[5, 2, 1, 0][..], &reply].concat();
        let (sent, result) = exchange("socks5h://me:word@p.test", "http://a.test/", &demand).await;
        assert_eq!(result, "open");
        assert!(sent.starts_with(b"\x05\x02\x00\x02\x01\x02me\x04word\x05\x01"), "{sent:?}");
        // The proxy selects no login.
        let open = [&[5, 0][..], &reply].concat();
        let (sent, _) = exchange("socks5h://me:word@p.test", "http://a.test/", &open).await;
        assert!(!sent.windows(4).any(|window| window == b"word"), "{sent:?}");
    }

    #[tokio::test]
    async fn reply_codes_map_to_outcomes() {
        check(&[5, 255], "status 407").await;
        check(&[5, 2, 1, 1], "status 407").await;
        check(&[5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0], "status 403").await;
        check(&[5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], "connection refused").await;
        check(&[5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0], "connection failed").await;
    }

    #[tokio::test]
    async fn invalid_replies_are_failed_connections() {
        check(b"HTTP/1.1 400 Bad Request\r\n\r\n", "connection failed").await;
        check(&[5, 7], "connection failed").await;
        check(&[5, 0, 4, 0, 0, 1], "connection failed").await;
        check(&[5, 0, 5, 0, 0, 9], "connection failed").await;
    }
}
