//! Connections are kept, and their loss goes unnoticed.

use relink_fetch::FetchSettings;
use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{client, ending, named};

#[tokio::test]
async fn one_connection_serves_one_page_after_the_other() {
    let web = TestServer::start().await;
    web.page("/", 200, "page").redirect("/old", 301, "/");
    let client = client(FetchSettings::default());
    for path in ["/", "/old", "/none", "/"] {
        named(&client, web.url(path)).await;
    }
    assert_eq!(web.requests().len(), 5);
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn hosts_do_not_share_a_connection() {
    let web = TestServer::start().await;
    let given = |name: &str| format!("{name}:{}:127.0.0.1", web.port()).parse();
    let client = client(FetchSettings {
        resolve: ["a.test", "b.test"].map(|it| given(it).unwrap()).into(),
        ..FetchSettings::default()
    });
    named(&client, web.url_at("a.test", "/")).await;
    named(&client, web.url_at("b.test", "/")).await;
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn a_cut_answer_ends_its_connection() {
    let web = TestServer::start().await;
    web.page("/long", 200, &"a".repeat(600 * 1024));
    let client = client(FetchSettings::default());
    named(&client, web.url("/long")).await;
    named(&client, web.url("/")).await;
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn a_server_that_closes_is_connected_anew() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(200, "").header("Connection", "close"));
    let client = client(FetchSettings::default());
    for _ in 0..3 {
        let fetched = named(&client, web.url("/")).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
    assert_eq!(web.connections(), 3);
}

#[tokio::test]
async fn a_connection_lost_while_idle_is_replaced_unseen() {
    // The server promises to keep the connection and closes it all the same.
    let said = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    let hostile = Hostile::start(Misbehavior::Say(said)).await;
    let client = client(FetchSettings::default());
    for _ in 0..20 {
        let fetched = named(&client, hostile.url("/")).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
    assert_eq!(hostile.connects(), 20);
}

#[tokio::test]
async fn an_answer_nobody_asked_for_is_not_taken_for_the_next_one() {
    let said = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_owned()
        + "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    let hostile = Hostile::start(Misbehavior::Say(said.into_bytes())).await;
    let client = client(FetchSettings::default());
    for _ in 0..5 {
        let fetched = named(&client, hostile.url("/")).await;
        assert_eq!(ending(&fetched), "answered 200");
    }
}

#[tokio::test]
async fn many_fetches_at_once_need_no_more_connections_than_fetches() {
    let web = TestServer::start().await;
    web.page("/", 200, "page");
    let client = client(FetchSettings::default());
    let (client, web) = (&client, &web);
    for _ in 0..10 {
        let one = async || named(client, web.url("/")).await;
        let (a, b, c, d) = tokio::join!(one(), one(), one(), one());
        for fetched in [a, b, c, d] {
            assert_eq!(ending(&fetched), "answered 200");
        }
    }
    assert_eq!(web.hits("/"), 40);
    assert!(web.connections() <= 4, "{}", web.connections());
}
