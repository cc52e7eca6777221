//! Connections made for a browser keep to the policy of every other one.

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::Dial;
use relink_testkit::canary::Canary;
use relink_testkit::web::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

use crate::client;

#[tokio::test]
async fn a_private_place_is_dialed_only_where_it_was_named() {
    let canary = Canary::start().await;
    let client = client(FetchSettings::default());
    for host in ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let place = Url::parse(&format!("http://{host}:{}/", canary.port())).unwrap();
        let refused = client.dial(&place, RequestRights::discovered()).await;
        let ending = refused.map(|_| ()).unwrap_err().to_string();
        assert!(ending.contains("private"), "{host}: {ending}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn a_named_place_answers_over_the_connection() {
    let web = TestServer::start().await;
    web.page("/a", 200, "here");
    let client = client(FetchSettings::default());
    let mut connection = client.dial(&web.url("/"), RequestRights::named_by_user()).await.unwrap();
    let head = b"GET /a HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
    connection.write_all(head).await.unwrap();
    let mut said = vec![0; 12];
    connection.read_exact(&mut said).await.unwrap();
    assert_eq!(said, b"HTTP/1.1 200");
}
