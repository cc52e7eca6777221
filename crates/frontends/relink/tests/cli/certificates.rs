//! Certificate authorities of the user's own, and client certificates.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use relink_testkit::nginx::{Nginx, NginxSettings};
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

/// nginx that speaks HTTP/2 and demands client certificates. The project has
/// the authority as `ca.pem` and a client certificate with its key.
fn demanding_nginx(desk: &Desk) -> Nginx {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let certify = |name: &str| {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        // A certificate whose subject is its issuer would sign itself.
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        (certificate.pem(), key.serialize_pem())
    };
    let (certificate, key) = certify("client.test");
    desk.write("ca.pem", &authority.pem()).write("me.pem", &certificate).write("me.key", &key);
    let (certificate, key) = certify("127.0.0.1");
    Nginx::start(&NginxSettings {
        certificate,
        key,
        has_http2: true,
        client_authority: Some(authority.pem()),
        ..NginxSettings::default()
    })
}

/// Runs a check that trusts the authority.
fn check(desk: &Desk, args: &[&str]) -> Said {
    let common = ["check", "--db", "relink.db", "--max-age", "0", "--format", "jsonl"];
    let mut command = desk.command(&[&common, QUICK, args].concat());
    Said::of(&command.env("SSL_CERT_FILE", "ca.pem").output().unwrap())
}

/// Whether the client was known to the server, for each request.
fn clients(nginx: &Nginx, count: usize) -> Vec<String> {
    let log = nginx.requests(count);
    assert!(log.iter().all(|it| it.protocol == "HTTP/2.0"), "{log:?}");
    log.into_iter().map(|it| it.client).collect()
}

#[test]
fn client_certificate_is_shown_to_hosts_on_the_command_line_only() {
    let desk = Desk::new();
    let nginx = demanding_nginx(&desk);
    let url = format!("https://127.0.0.1:{}/", nginx.port());
    let identity = ["--client-cert", "me.pem", "--client-key", "me.key"];
    check(&desk, &[&[url.as_str()], &identity[..]].concat());
    let known = clients(&nginx, 1);
    assert!(known.iter().all(|client| client == "SUCCESS"), "{known:?}");
    desk.list("urls.txt", [&url]);
    check(&desk, &[&["urls.txt"], &identity[..]].concat());
    let all = clients(&nginx, known.len() + 1);
    assert!(all[known.len()..].iter().all(|client| client == "NONE"), "{all:?}");
}

#[test]
fn client_certificate_of_a_host_is_shown_to_it_in_documents_too() {
    let desk = Desk::new();
    let nginx = demanding_nginx(&desk);
    desk.list("urls.txt", [format!("https://127.0.0.1:{}/a", nginx.port())]);
    let folder = desk.home().join("config").join("relink");
    std::fs::create_dir_all(&folder).unwrap();
    let pem = [desk.read("me.pem"), desk.read("me.key")].concat();
    std::fs::write(folder.join("both.pem"), pem).unwrap();
    let table = format!("[host.\"127.0.0.1:{}\"]\nclient-cert = \"both.pem\"\n", nginx.port());
    std::fs::write(folder.join("config.toml"), table).unwrap();
    let said = check(&desk, &["urls.txt"]).exits(0);
    assert_eq!(said.rows().0[0]["status"], 200);
    assert!(clients(&nginx, 1).iter().all(|client| client == "SUCCESS"));
}
