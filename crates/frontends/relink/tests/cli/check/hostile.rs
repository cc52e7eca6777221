//! Servers that misbehave, beside one that does not.

use std::time::Duration;

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::TestServer;

use crate::desk::Desk;
use crate::servers::Beside;

#[test]
fn bad_servers_get_their_words_and_the_good_one_is_unaffected() {
    let drip = Duration::from_millis(20);
    let tricks = [
        (Misbehavior::EndlessBody, "alive"),
        (Misbehavior::EndlessHeaders, "failing RL546"),
        (Misbehavior::Truncate, "failing RL545"),
        (Misbehavior::BadChunk, "failing RL546"),
        (Misbehavior::Reset, "failing RL542"),
        (Misbehavior::Close, "failing RL542"),
        (Misbehavior::Silence, "failing RL540"),
        (Misbehavior::DripHead(drip), "failing RL540"),
        (Misbehavior::DripBody(drip), "failing RL540"),
        (Misbehavior::Say(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()), "failing RL546"),
    ];
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let servers = tricks.map(|(trick, word)| (Beside::start(Hostile::start(trick)), word));
    let desk = Desk::new();
    let bad = servers.iter().map(|(server, _)| server.url("/"));
    desk.list("urls.txt", bad.chain([web.url("/good")]));
    let rows = desk.check(&["urls.txt", "--timeout", "500ms"]).exits(0).rows();
    assert_eq!(rows.word(web.url("/good")), "alive");
    let said: Vec<String> = servers.iter().map(|(server, _)| rows.word(server.url("/"))).collect();
    let expected: Vec<&str> = servers.iter().map(|(_, word)| *word).collect();
    assert_eq!(said, expected);
}
