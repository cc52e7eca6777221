//! Tests of the settings of single hosts: client certificates, headers and logins.

use std::net::{Ipv4Addr, SocketAddr};

use relink_fetch::{ClientIdentity, FetchSettings, HostSettings};
use relink_testkit::nginx::{Nginx, NginxSettings};
use relink_testkit::web::TestServer;
use url::Url;

use crate::tls::{Authority, resolving};
use crate::{client, fetch_discovered, fetch_user_supplied, outcome};

/// Starts nginx with mandatory client certificates. Also returns settings that trust the
/// server, and a valid client certificate.
fn nginx_with_client_auth(has_http2: bool) -> (Nginx, FetchSettings, ClientIdentity) {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("a.test", 4000);
    let nginx = Nginx::start(&NginxSettings {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
        has_http2,
        client_authority: Some(authority.pem()),
        ..NginxSettings::default()
    });
    let (certificate, key) = authority.certify("client.test", 4000);
    let (certificate, key) = (certificate.pem(), key.serialize_pem());
    let identity = ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, nginx.port()));
    let settings =
        FetchSettings { tls_roots: vec![authority.der()], ..resolving("a.test", address) };
    (nginx, FetchSettings { allow_private: true, ..settings }, identity)
}

/// Returns settings of a host without headers, login and certificate.
fn host(origin: &str) -> HostSettings {
    let origin = Url::parse(origin).unwrap();
    HostSettings { origin, headers: Vec::new(), login: None, identity: None }
}

#[tokio::test]
async fn client_certificate_is_sent_to_user_supplied_hosts_only() {
    for has_http2 in [false, true] {
        let (nginx, settings, identity) = nginx_with_client_auth(has_http2);
        let url = Url::parse(&format!("https://a.test:{}/", nginx.port())).unwrap();
        let anonymous = client(settings.clone());
        assert_eq!(outcome(&fetch_user_supplied(&anonymous, url.clone()).await), "status 400");
        let client = client(FetchSettings { identity: Some(identity), ..settings });
        assert_eq!(outcome(&fetch_user_supplied(&client, url.clone()).await), "status 200");
        assert_eq!(outcome(&fetch_discovered(&client, url.clone()).await), "status 400");
        assert_eq!(outcome(&fetch_user_supplied(&client, url).await), "status 200");
        let log: Vec<_> = nginx.requests(4).into_iter().map(|request| request.client).collect();
        assert_eq!(log, ["NONE", "SUCCESS", "NONE", "SUCCESS"]);
    }
}

#[tokio::test]
async fn client_certificate_of_a_host_is_sent_for_discovered_urls_too() {
    let (nginx, settings, identity) = nginx_with_client_auth(true);
    let url = Url::parse(&format!("https://a.test:{}/", nginx.port())).unwrap();
    let hosts = vec![HostSettings { identity: Some(identity), ..host(url.as_str()) }];
    let client = client(FetchSettings { hosts, ..settings });
    assert_eq!(outcome(&fetch_discovered(&client, url.clone()).await), "status 200");
    assert_eq!(outcome(&fetch_user_supplied(&client, url).await), "status 200");
    let log = nginx.requests(2);
    assert_eq!(log[0].connection, log[1].connection);
}

#[test]
fn certificate_with_wrong_key_is_rejected() {
    let authority = Authority::new();
    let (certificate, _) = authority.certify("client.test", 4000);
    let (_, key) = authority.certify("client.test", 4000);
    let (certificate, key) = (certificate.pem(), key.serialize_pem());
    let identity = ClientIdentity::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let settings = FetchSettings { identity: Some(identity), ..FetchSettings::default() };
    let error = relink_fetch::Fetcher::new(settings).err().unwrap().to_string();
    assert_eq!(error, "cannot use the client certificate with its private key");
}

#[tokio::test]
async fn headers_and_login_of_a_host_are_sent_to_its_origin_only() {
    let web = TestServer::start().await;
    let override_for = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse().unwrap();
    web.host("a.test").redirect("/", 302, web.url_at("b.test", "/").as_str());
    let origin = web.url_at("a.test", "/");
    let headers = vec![("X-Key".into(), "secret".into())];
    let login = Some(("me".into(), "pass:word".into()));
    let hosts = vec![
        HostSettings { headers, login, ..host(origin.as_str()) },
        HostSettings { headers: vec![("X-Key".into(), "other".into())], ..host("https://b.test") },
    ];
    let resolve = ["a.test", "b.test"].map(override_for).into();
    let settings =
        FetchSettings { allow_private: true, resolve, hosts, ..FetchSettings::default() };
    let printed = format!("{settings:?}");
    assert!(!printed.contains("secret") && !printed.contains("pass"), "{printed}");
    fetch_discovered(&client(settings), origin).await;
    let [first, second] = &web.requests()[..] else { panic!("{:?}", web.requests()) };
    assert_eq!(first.header("x-key"), Some("secret"));
    // `me:pass:word` in Base64.
    assert_eq!(first.header("authorization"), Some("Basic bWU6cGFzczp3b3Jk"));
    assert_eq!((second.header("x-key"), second.header("authorization")), (None, None));
}
