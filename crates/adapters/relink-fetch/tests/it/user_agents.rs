//! Tests of user agents.

use relink_fetch::FetchSettings;
use relink_model::RequestRights;
use relink_ports::{Fetch, FetchRequest, RequestOptions, UserAgent};
use relink_testkit::web::TestServer;

use crate::client;

/// Checks the header of both requests of a redirect chain. `user_agent` is the setting, and
/// `agent` the form that the request selects.
async fn check(user_agent: &str, agent: UserAgent, expect: &str) {
    let web = TestServer::start().await;
    web.redirect("/old", 301, "/new");
    let client =
        client(FetchSettings { user_agent: user_agent.into(), ..FetchSettings::default() });
    client
        .fetch(FetchRequest {
            url: web.url("/old"),
            rights: RequestRights::user_supplied(),
            user_agent: agent,
            options: RequestOptions::default(),
        })
        .await;
    let sent: Vec<_> =
        web.requests().iter().map(|sent| sent.header("user-agent").unwrap().to_owned()).collect();
    // The user agent is the same for every hop.
    assert_eq!(sent, [expect, expect]);
}

#[tokio::test]
async fn server_receives_the_requested_user_agent() {
    let own = "Relink/1.0 (+https://example.org/bot)";
    check(own, UserAgent::Relink, own).await;
    let compatible = "Mozilla/5.0 (compatible; Relink/1.0; +https://example.org/bot)";
    check(own, UserAgent::BrowserCompatible, compatible).await;
}

#[tokio::test]
async fn browser_like_user_agent_is_sent_unchanged() {
    let own = "Mozilla/5.0 (compatible; Own/2.0)";
    check(own, UserAgent::Relink, own).await;
    check(own, UserAgent::BrowserCompatible, own).await;
}
