//! Tests of connection reuse.

use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, fetch_user_supplied, outcome};

#[tokio::test]
async fn sequential_fetches_share_one_connection() {
    let web = TestServer::start().await;
    web.page("/", 200, "page").redirect("/old", 301, "/");
    let client = client(FetchSettings::default());
    for path in ["/", "/old", "/none", "/"] {
        fetch_user_supplied(&client, web.url(path)).await;
    }
    assert_eq!(web.requests().len(), 5);
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn hosts_do_not_share_a_connection() {
    let web = TestServer::start().await;
    let override_for = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    let client = client(FetchSettings {
        resolve: ["a.test", "b.test"].map(|name| override_for(name).unwrap()).into(),
        ..FetchSettings::default()
    });
    fetch_user_supplied(&client, web.url_at("a.test", "/")).await;
    fetch_user_supplied(&client, web.url_at("b.test", "/")).await;
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn truncated_response_closes_its_connection() {
    let web = TestServer::start().await;
    web.page("/long", 200, &"a".repeat(600 * 1024));
    let client = client(FetchSettings::default());
    fetch_user_supplied(&client, web.url("/long")).await;
    fetch_user_supplied(&client, web.url("/")).await;
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn closed_connection_is_reopened() {
    let web = TestServer::start().await;
    web.respond("/", CannedResponse::new(200, "").with_header("Connection", "close"));
    let client = client(FetchSettings::default());
    for _ in 0..3 {
        let result = fetch_user_supplied(&client, web.url("/")).await;
        assert_eq!(outcome(&result), "status 200");
    }
    assert_eq!(web.connections(), 3);
}

#[tokio::test]
async fn connection_lost_while_idle_is_replaced() {
    // The response allows keep-alive, but the server closes the connection.
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    let hostile = Hostile::start(Misbehavior::Send(response)).await;
    let client = client(FetchSettings::default());
    for _ in 0..20 {
        let result = fetch_user_supplied(&client, hostile.url("/")).await;
        assert_eq!(outcome(&result), "status 200");
    }
    assert_eq!(hostile.connects(), 20);
}

#[tokio::test]
async fn unsolicited_response_is_not_used_for_the_next_request() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_owned()
        + "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    let hostile = Hostile::start(Misbehavior::Send(response.into_bytes())).await;
    let client = client(FetchSettings::default());
    for _ in 0..5 {
        let result = fetch_user_supplied(&client, hostile.url("/")).await;
        assert_eq!(outcome(&result), "status 200");
    }
}

#[tokio::test]
async fn four_concurrent_fetches_open_at_most_four_connections() {
    let web = TestServer::start().await;
    web.page("/", 200, "page");
    let client = client(FetchSettings::default());
    let (client, web) = (&client, &web);
    for _ in 0..10 {
        let fetch_page = async || fetch_user_supplied(client, web.url("/")).await;
        let (a, b, c, d) = tokio::join!(fetch_page(), fetch_page(), fetch_page(), fetch_page());
        for result in [a, b, c, d] {
            assert_eq!(outcome(&result), "status 200");
        }
    }
    assert_eq!(web.hits("/"), 40);
    assert!(web.connections() <= 4, "{}", web.connections());
}
