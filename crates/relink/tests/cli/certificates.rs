//! Certificate authorities of the user's own.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::desk::{Desk, QUICK, Said};

/// A server with a certificate of an authority that only the test knows.
struct PrivateSite {
    port: u16,
    /// The certificate of the authority.
    pem: String,
}

impl PrivateSite {
    fn start() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || serve(&listener, &Arc::new(config)));
        Self { port, pem: authority.pem() }
    }

    /// Checks its page, with these variables.
    fn check(&self, desk: &Desk, variables: &[(&str, &str)]) -> Said {
        let url = format!("https://127.0.0.1:{}/", self.port);
        desk.list("urls.txt", [&url]);
        let args =
            ["check", "urls.txt", "--db", "relink.db", "--max-age", "0", "--format", "jsonl"];
        let mut command = desk.command(&[&args, QUICK].concat());
        command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
        Said::of(&command.envs(variables.iter().copied()).output().unwrap())
    }
}

fn serve(listener: &TcpListener, config: &Arc<ServerConfig>) {
    for stream in listener.incoming().flatten() {
        let config = Arc::clone(config);
        // A client that does not trust the server leaves.
        thread::spawn(move || drop(answer(stream, config)));
    }
}

fn answer(mut stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let mut connection = ServerConnection::new(config).unwrap();
    let mut stream = Stream::new(&mut connection, &mut stream);
    let mut request = [0; 4096];
    while stream.read(&mut request)? > 0 {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
    }
    Ok(())
}

fn verdict(said: &Said) -> String {
    said.rows().0[0]["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn ssl_cert_file_and_dir_are_trusted_too() {
    let site = PrivateSite::start();
    let desk = Desk::new();
    desk.write("ca.pem", &site.pem).write("certs/0a1b2c3d.0", &site.pem);
    assert_eq!(verdict(&site.check(&desk, &[])), "failing");
    for variable in [("SSL_CERT_FILE", "ca.pem"), ("SSL_CERT_DIR", "certs")] {
        assert_eq!(verdict(&site.check(&desk, &[variable])), "alive", "{variable:?}");
    }
}

#[test]
fn ssl_cert_file_without_certificates_is_refused() {
    let site = PrivateSite::start();
    let desk = Desk::new();
    desk.write("empty.pem", "nothing\n");
    for file in ["missing.pem", "empty.pem"] {
        let said = site.check(&desk, &[("SSL_CERT_FILE", file)]).exits(2);
        assert!(said.stderr.contains("SSL_CERT_FILE names no certificate"), "{}", said.stderr);
    }
}
