//! As whom a server is asked.

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::{Fetch, FetchRequest, RequestOptions, UserAgent};
use relink_testkit::web::TestServer;

use crate::client;

async fn check(user_agent: &str, agent: UserAgent, expect: &str) {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new");
    let client =
        client(FetchSettings { user_agent: user_agent.into(), ..FetchSettings::default() });
    client
        .fetch(FetchRequest {
            url: web.url("/old"),
            rights: RequestRights::named_by_user(),
            agent,
            options: RequestOptions::default(),
        })
        .await;
    let told: Vec<_> =
        web.requests().iter().map(|it| it.header("user-agent").unwrap().to_owned()).collect();
    // The name holds for every hop.
    assert_eq!(told, [expect, expect]);
}

#[tokio::test]
async fn a_server_is_told_the_name_asked_for() {
    let own = "Relink/1.0 (+https://example.org/bot)";
    check(own, UserAgent::Plain, own).await;
    let compatible = "Mozilla/5.0 (compatible; Relink/1.0; +https://example.org/bot)";
    check(own, UserAgent::Compatible, compatible).await;
}

#[tokio::test]
async fn a_name_that_has_the_form_already_is_kept() {
    let own = "Mozilla/5.0 (compatible; Own/2.0)";
    check(own, UserAgent::Plain, own).await;
    check(own, UserAgent::Compatible, own).await;
}
