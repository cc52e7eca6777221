//! Misbehaving servers together with a healthy one.

use std::time::Duration;

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;
use crate::servers::BackgroundServer;

#[test]
fn misbehaving_servers_get_verdicts_and_the_good_one_is_unaffected() {
    // The pause between two bytes.
    let drip = Duration::from_millis(20);
    let cases = [
        (Misbehavior::EndlessBody, "alive"),
        (Misbehavior::EndlessHeaders, "failing RL546"),
        (Misbehavior::Truncate, "failing RL545"),
        (Misbehavior::BadChunk, "failing RL546"),
        (Misbehavior::Reset, "failing RL542"),
        (Misbehavior::Close, "failing RL542"),
        (Misbehavior::NoResponse, "failing RL540"),
        (Misbehavior::DripHead(drip), "failing RL540"),
        (Misbehavior::DripBody(drip), "failing RL540"),
        (Misbehavior::Send(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()), "failing RL546"),
    ];
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let servers = cases.map(|(misbehavior, verdict)| {
        (BackgroundServer::start(Hostile::start(misbehavior)), verdict)
    });
    let sandbox = Sandbox::new();
    let urls = servers.iter().map(|(server, _)| server.url("/"));
    sandbox.write_urls("urls.txt", urls.chain([web.url("/good")]));
    let rows = sandbox.check(&["urls.txt", "--timeout", "500ms"]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/good")), "alive");
    let verdicts: Vec<String> =
        servers.iter().map(|(server, _)| rows.verdict(server.url("/"))).collect();
    let expected: Vec<&str> = servers.iter().map(|(_, verdict)| *verdict).collect();
    assert_eq!(verdicts, expected);
}
