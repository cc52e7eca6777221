//! Commands while a server uses the same database.

use super::server::Server;
use super::{PROVIDER, Provider};

#[test]
fn other_commands_can_be_used_while_the_server_is_idle() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let server = Server::start(&provider, &["--oai"]);
    let list = "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc";
    // Hidden records are published as deleted.
    let deleted_count = || {
        let response = server.request("GET", list, &[], "");
        assert_eq!(response.status, 200, "{response:?}");
        response.body.matches("status=\"deleted\"").count()
    };
    assert_eq!(deleted_count(), 0);
    // The server sees the change of another command.
    provider.harvest(&["hide", PROVIDER, "oai:a.test:2", "--reason", "test"]).exits(0);
    assert_eq!(deleted_count(), 1);
    provider.run_on_day(1);
    provider.harvest(&["lift", PROVIDER, "oai:a.test:2", "--reason", "test"]).exits(0);
    assert_eq!(deleted_count(), 0);
}

#[test]
fn server_responds_503_while_a_command_uses_the_database() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let server = Server::start(&provider, &["--oai"]);
    // Another command holds the database while it waits for a provider.
    let mut slow_provider = super::peers::Peer::start(SILENT_SERVER, &[]);
    let url = format!("http://127.0.0.1:{}/oai", slow_provider.port());
    provider.harvest(&["add", "slow", "--oai", &url]).exits(0);
    let mut child = provider
        .sandbox
        .command(&["harvest", "run", "slow", "--allow-private", "--db", "relink.db"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(slow_provider.line(), "connected");
    let busy = server.request("GET", "/oai?verb=ListSets", &[], "");
    assert_eq!(busy.status, 503, "{busy:?}");
    assert!(busy.head.contains("retry-after: "), "{busy:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(server.request("GET", "/oai?verb=ListSets", &[], "").status, 200);
}

/// A Python program that accepts a connection and sends nothing.
pub const SILENT_SERVER: &str = "\
import socket
listener = socket.create_server((\"127.0.0.1\", 0))
print(\"port\", listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
print(\"connected\", flush=True)
connection.recv(1)
";
