//! Tests of connections for the browser, to which the address policy also applies.

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::Dial;
use relink_testkit::canary::Canary;
use relink_testkit::web::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

use crate::client;

#[tokio::test]
async fn dial_rejects_discovered_private_addresses() {
    let canary = Canary::start().await;
    let client = client(FetchSettings::default());
    for host in ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let url = Url::parse(&format!("http://{host}:{}/", canary.port())).unwrap();
        let result = client.dial(&url, RequestRights::discovered()).await;
        let outcome = result.map(|_| ()).unwrap_err().to_string();
        assert!(outcome.contains("private"), "{host}: {outcome}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn dial_connects_to_user_supplied_host() {
    let web = TestServer::start().await;
    web.page("/a", 200, "here");
    let client = client(FetchSettings::default());
    let mut connection = client.dial(&web.url("/"), RequestRights::user_supplied()).await.unwrap();
    let head = b"GET /a HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
    connection.write_all(head).await.unwrap();
    let mut response = vec![0; 12];
    connection.read_exact(&mut response).await.unwrap();
    assert_eq!(response, b"HTTP/1.1 200");
}
