//! Tests of TLS connections and certificate errors.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair,
    date_time_ymd,
};
use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use url::Url;

use crate::{client, fetch_user_supplied, outcome};

/// A private certificate authority.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    pub(super) fn der(&self) -> Vec<u8> {
        self.0.der().to_vec()
    }

    pub(super) fn pem(&self) -> String {
        self.0.pem()
    }

    /// Issues a certificate for `name` that is valid until `year`.
    pub(super) fn certify(&self, name: &str, year: i32) -> (Certificate, KeyPair) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        // A certificate with equal subject and issuer would count as
        // self-signed.
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    /// Serves "ok" over TLS with a certificate for `name` that is valid until
    /// `year`.
    pub(super) async fn serve(&self, name: &str, year: i32) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, self.acceptor(name, year, &[])));
        address
    }

    /// Creates the TLS acceptor of a server for `name` with these ALPN
    /// protocols.
    pub(super) fn acceptor(&self, name: &str, year: i32, protocols: &[&str]) -> TlsAcceptor {
        let (certificate, key) = self.certify(name, year);
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols =
            protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// Serves "ok" on all connections of a listener.
async fn serve(listener: TcpListener, acceptor: TlsAcceptor) {
    while let Ok((stream, _)) = listener.accept().await {
        if let Ok(stream) = acceptor.accept(stream).await {
            // A client that disconnects is not an error.
            tokio::spawn(async move { drop(respond(stream).await) });
        }
    }
}

/// Responds to one request after the other. Each fits in one read.
pub(super) async fn respond(mut stream: TlsStream<TcpStream>) -> io::Result<()> {
    let mut request = [0; 4096];
    while stream.read(&mut request).await? > 0 {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await?;
    }
    Ok(())
}

/// Checks the outcome of a request to `host` if the server has a certificate for `certified` that
/// is valid until `year`.
async fn check(certified: &str, year: i32, host: &str, expect: &str) {
    let authority = Authority::new();
    let address = authority.serve(certified, year).await;
    let settings =
        FetchSettings { tls_roots: vec![authority.der()], ..resolving("a.test", address) };
    let url = format!("https://{host}:{}/", address.port());
    let result = fetch_user_supplied(&client(settings), Url::parse(&url).unwrap()).await;
    assert_eq!(outcome(&result), expect, "certificate for {certified}, host {host}");
}

/// Returns settings in which `host` resolves to 127.0.0.1, on the port of `address`.
pub(super) fn resolving(host: &str, address: SocketAddr) -> FetchSettings {
    let override_text = format!("{host}:{}:127.0.0.1", address.port());
    FetchSettings { resolve: vec![override_text.parse().unwrap()], ..FetchSettings::default() }
}

#[tokio::test]
async fn valid_certificate_is_accepted() {
    check("a.test", 4000, "a.test", "status 200").await;
    check("a.test", 4000, "a.test.", "status 200").await;
    check("127.0.0.1", 4000, "127.0.0.1", "status 200").await;
}

#[tokio::test]
async fn certificate_errors_are_distinguished() {
    let expired = "certificate has expired or is not yet valid";
    check("a.test", 2021, "a.test", expired).await;
    let other = "certificate is for another host name";
    check("b.test", 4000, "a.test", other).await;
    check("a.test", 4000, "127.0.0.1", other).await;
}

#[tokio::test]
async fn unknown_authority_is_untrusted() {
    let address = Authority::new().serve("a.test", 4000).await;
    let url = Url::parse(&format!("https://a.test:{}/", address.port())).unwrap();
    let result = fetch_user_supplied(&client(resolving("a.test", address)), url).await;
    assert_eq!(outcome(&result), "certificate is not signed by a trusted authority");
}

#[tokio::test]
async fn server_without_tls_times_out_in_the_handshake() {
    let hostile = Hostile::start(Misbehavior::NoResponse).await;
    // The TLS client hello contains no empty line, so the server waits forever.
    let mut url = hostile.url("/");
    url.set_scheme("https").unwrap();
    let result = fetch_user_supplied(&client(crate::short_timeout()), url).await;
    assert_eq!(outcome(&result), "timed out (TLS handshake)");
}
