//! Private certificate authorities and client certificates.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use relink_testkit::nginx::{Nginx, NginxSettings};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// A server with a certificate of a private authority.
struct PrivateSite {
    port: u16,
    /// The certificate of the authority, in PEM.
    pem: String,
}

impl PrivateSite {
    /// Creates an authority and a certificate, and starts the server.
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

    /// Runs `relink check` for the page of the site, with these environment variables.
    fn check(&self, sandbox: &Sandbox, variables: &[(&str, &str)]) -> CommandOutput {
        let url = format!("https://127.0.0.1:{}/", self.port);
        sandbox.write_urls("urls.txt", [&url]);
        let args =
            ["check", "urls.txt", "--db", "relink.db", "--max-cache-age", "0", "--format", "jsonl"];
        let mut command = sandbox.command(&[&args, NO_DELAYS].concat());
        command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
        CommandOutput::new(&command.envs(variables.iter().copied()).output().unwrap())
    }
}

/// Responds to all connections.
fn serve(listener: &TcpListener, config: &Arc<ServerConfig>) {
    for stream in listener.incoming().flatten() {
        let config = Arc::clone(config);
        // A client that does not trust the server closes the connection.
        thread::spawn(move || drop(respond(stream, config)));
    }
}

/// Responds `ok` to all requests of a connection.
fn respond(mut stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let mut connection = ServerConnection::new(config).unwrap();
    let mut stream = Stream::new(&mut connection, &mut stream);
    let mut request = [0; 4096];
    while stream.read(&mut request)? > 0 {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
    }
    Ok(())
}

/// Returns the verdict of the only row.
fn verdict(result: &CommandOutput) -> String {
    result.rows().results[0]["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn ssl_cert_file_and_dir_are_trusted() {
    let site = PrivateSite::start();
    let sandbox = Sandbox::new();
    sandbox.write("ca.pem", &site.pem).write("certs/0a1b2c3d.0", &site.pem);
    assert_eq!(verdict(&site.check(&sandbox, &[])), "failing");
    for variable in [("SSL_CERT_FILE", "ca.pem"), ("SSL_CERT_DIR", "certs")] {
        assert_eq!(verdict(&site.check(&sandbox, &[variable])), "alive", "{variable:?}");
    }
}

#[test]
fn ssl_cert_file_without_certificates_is_rejected() {
    let site = PrivateSite::start();
    let sandbox = Sandbox::new();
    sandbox.write("empty.pem", "nothing\n");
    for file in ["missing.pem", "empty.pem"] {
        let result = site.check(&sandbox, &[("SSL_CERT_FILE", file)]).exits(2);
        assert!(
            result.stderr.contains("no usable certificate in SSL_CERT_FILE"),
            "{}",
            result.stderr
        );
    }
}

/// Starts nginx with HTTP/2 and required client certificates. Writes the
/// authority as `ca.pem` and a client certificate with its key into the project.
fn nginx_with_client_auth(sandbox: &Sandbox) -> Nginx {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let issue_certificate = |name: &str| {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        // Without a name, subject and issuer would be equal, and nginx would take the certificate
        // for a self-signed one.
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        (certificate.pem(), key.serialize_pem())
    };
    let (client_certificate, client_key) = issue_certificate("client.test");
    sandbox
        .write("ca.pem", &authority.pem())
        .write("me.pem", &client_certificate)
        .write("me.key", &client_key);
    let (certificate, key) = issue_certificate("127.0.0.1");
    Nginx::start(&NginxSettings {
        certificate,
        key,
        has_http2: true,
        client_authority: Some(authority.pem()),
        ..NginxSettings::default()
    })
}

/// Runs a check that trusts the authority.
fn check_trusting_authority(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let common = ["check", "--db", "relink.db", "--max-cache-age", "0", "--format", "jsonl"];
    let mut command = sandbox.command(&[&common, NO_DELAYS, args].concat());
    CommandOutput::new(&command.env("SSL_CERT_FILE", "ca.pem").output().unwrap())
}

/// Waits for `count` requests, and returns for each of them the result of the check of its client
/// certificate: `SUCCESS` or `NONE`.
fn client_results(nginx: &Nginx, count: usize) -> Vec<String> {
    let log = nginx.requests(count);
    assert!(log.iter().all(|request| request.protocol == "HTTP/2.0"), "{log:?}");
    log.into_iter().map(|request| request.client).collect()
}

#[test]
fn client_certificate_is_sent_to_hosts_on_the_command_line_only() {
    let sandbox = Sandbox::new();
    let nginx = nginx_with_client_auth(&sandbox);
    let url = format!("https://127.0.0.1:{}/", nginx.port());
    let flags = ["--client-cert", "me.pem", "--client-key", "me.key"];
    check_trusting_authority(&sandbox, &[&[url.as_str()], &flags[..]].concat());
    let first_results = client_results(&nginx, 1);
    assert!(first_results.iter().all(|client| client == "SUCCESS"), "{first_results:?}");
    // A list is a document: the certificate is not sent.
    sandbox.write_urls("urls.txt", [&url]);
    check_trusting_authority(&sandbox, &[&["urls.txt"], &flags[..]].concat());
    let results = client_results(&nginx, first_results.len() + 1);
    assert!(results[first_results.len()..].iter().all(|client| client == "NONE"), "{results:?}");
}

#[test]
fn client_certificate_of_a_host_is_sent_to_links_in_documents() {
    let sandbox = Sandbox::new();
    let nginx = nginx_with_client_auth(&sandbox);
    sandbox.write_urls("urls.txt", [format!("https://127.0.0.1:{}/a", nginx.port())]);
    let dir = sandbox.home().join("config").join("relink");
    std::fs::create_dir_all(&dir).unwrap();
    let pem = [sandbox.read("me.pem"), sandbox.read("me.key")].concat();
    std::fs::write(dir.join("both.pem"), pem).unwrap();
    let table = format!("[host.\"127.0.0.1:{}\"]\nclient-cert = \"both.pem\"\n", nginx.port());
    std::fs::write(dir.join("config.toml"), table).unwrap();
    let result = check_trusting_authority(&sandbox, &["urls.txt"]).exits(0);
    assert_eq!(result.rows().results[0]["status"], 200);
    assert!(client_results(&nginx, 1).iter().all(|client| client == "SUCCESS"));
}
