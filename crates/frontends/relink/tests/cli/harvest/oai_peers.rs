//! OAI-PMH with real peers: pyoai (strict) and `oai_repo` (lenient) as providers, Sickle and
//! oaipmh-scythe as clients, and the schema of the protocol.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::peers::{Peer, python, python_json, user_cache_directory};
use super::server::Server;
use super::{PROVIDER, Provider};
use crate::sandbox::Sandbox;

/// The variable with the path of the schema.
const SCHEMA_VARIABLE: &str = "RELINK_TEST_OAI_XSD";
/// The path used by `./test`, below the user's cache directory.
const SCHEMA_PATH: &str = "relink-test/harvest-2/OAI-PMH.xsd";

/// Harvests a provider in three pages. The second page fails twice and is retried. The third page
/// fails with 404 and is read by the next run. `prefix` is the metadata format, `deleted` is the
/// expected number of deleted records.
fn check_provider(program: &str, prefix: &str, deleted: u64) {
    // The statuses of the first five responses to requests for records. Later requests succeed.
    let mut peer = Peer::start(program, &["ok,500,503,ok,404"]);
    let port = peer.port();
    let sandbox = Sandbox::new();
    let run = |args: &[&str]| {
        let command = [&["harvest"], args, &["--db", "r.db"]].concat();
        sandbox.run_at("2026-01-01T09:00:00Z", &command)
    };
    let url = format!("http://127.0.0.1:{port}/");
    run(&["add", "peer", "--oai", &url, "--prefix", prefix]).exits(0);
    let mut flags = vec!["run", "--format", "json", "--dns-server", "127.0.0.1:1"];
    flags.extend(["--timeout", "2s", "--retries", "0", "--host-interval", "0"]);
    let harvest = || {
        let rows: Value = serde_json::from_str(&run(&flags).stdout).unwrap();
        rows[0].clone()
    };
    let row = harvest();
    assert_eq!(row["intake"]["pages"], 2, "{row}");
    assert_eq!(row["intake"]["is_complete"], false, "{row}");
    assert!(row["errors"][0].as_str().unwrap().contains("404"), "{row}");
    let row = harvest();
    assert_eq!(row["intake"]["pages"], 1, "{row}");
    assert_eq!(row["intake"]["is_complete"], true, "{row}");
    assert_eq!(row["records"], 6);
    assert_eq!(row["deleted"], deleted);
    let again = harvest();
    assert_eq!(again["records"], 6);
    assert_eq!(again["deleted"], deleted);
    let export: Value = serde_json::from_str(&run(&["export"]).stdout).unwrap();
    let rows = export.as_array().unwrap().iter();
    let identifiers: BTreeSet<_> = rows.map(|row| row["identifier"].to_string()).collect();
    assert_eq!(identifiers.len(), 6, "{identifiers:?}");
}

#[test]
fn records_of_pyoai_are_harvested_in_spite_of_errors() {
    let program = concat!(include_str!("provider_http.py"), include_str!("pyoai_provider.py"));
    check_provider(program, "oai_dc", 1);
}

#[test]
fn records_of_oai_repo_are_harvested_in_spite_of_errors() {
    let program = concat!(include_str!("provider_http.py"), include_str!("oai_repo_provider.py"));
    check_provider(program, "oai_lom", 0);
}

/// Harvests `relink serve` with a client, and compares each record with the export.
fn check_client(program: &str) {
    let provider = Provider::new();
    provider.run_on_day(0);
    let list_records = || {
        let server = Server::start(&provider, &["--oai"]);
        python_json(program, &[&format!("http://{}/oai", server.address)])
    };
    let hide = ["hide", PROVIDER, "oai:a.test:2", "--reason", "test"];
    provider.harvest_at("2026-01-05T09:00:00Z", &hide).exits(0);
    let listed = list_records();
    let export: Value =
        serde_json::from_str(&provider.harvest(&["export", "--visible"]).stdout).unwrap();
    let visible = export.as_array().unwrap();
    assert_eq!(visible.len(), 12);
    for row in visible {
        let identifier = row["identifier"].as_str().unwrap();
        assert_eq!(listed["records"][identifier], row["urls"], "{identifier}");
    }
    assert_eq!(listed["records"].as_object().unwrap().len(), 13);
    assert_eq!(listed["records"]["oai:a.test:2"], Value::Null);
    assert_eq!(listed["deleted"], json!(["oai:a.test:2"]));
    // Only the hidden record has changed since the first run.
    assert_eq!(listed["changed"], json!(["oai:a.test:2"]));
    let lift = ["lift", PROVIDER, "oai:a.test:2", "--reason", "test"];
    provider.harvest_at("2026-01-06T09:00:00Z", &lift).exits(0);
    let listed = list_records();
    assert_eq!(listed["deleted"], json!([]));
    assert_eq!(listed["changed"], json!(["oai:a.test:2"]));
}

#[test]
fn sickle_harvests_visible_records_and_follows_hidden_ones() {
    check_client(include_str!("sickle_client.py"));
}

#[test]
fn scythe_harvests_visible_records_and_follows_hidden_ones() {
    check_client(include_str!("scythe_client.py"));
}

/// Queries and their results: the name of an element, or the code of an error.
const QUERIES: [(&str, &str); 24] = [
    ("verb=Identify", "Identify"),
    ("verb=ListMetadataFormats", "ListMetadataFormats"),
    ("verb=ListMetadataFormats&identifier=oai:a.test:3", "ListMetadataFormats"),
    ("verb=ListMetadataFormats&identifier=oai:none", "idDoesNotExist"),
    ("verb=ListSets", "ListSets"),
    ("verb=ListSets&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListIdentifiers&metadataPrefix=oai_dc", "ListIdentifiers"),
    ("verb=ListRecords&metadataPrefix=oai_dc", "ListRecords"),
    ("verb=ListRecords&metadataPrefix=oai_lom&set=lre", "ListRecords"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-12-31", "ListRecords"),
    ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:a.test:3", "GetRecord"),
    ("verb=GetRecord&metadataPrefix=oai_lom&identifier=oai:a.test:3", "GetRecord"),
    ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:a.test:2", "GetRecord"),
    ("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:none", "idDoesNotExist"),
    ("verb=GetRecord&metadataPrefix=marc&identifier=oai:a.test:3", "cannotDisseminateFormat"),
    ("verb=ListRecords&metadataPrefix=marc", "cannotDisseminateFormat"),
    ("verb=ListRecords&metadataPrefix=oai_dc&from=2030-01-01", "noRecordsMatch"),
    ("verb=ListRecords&metadataPrefix=oai_dc&set=none", "noRecordsMatch"),
    ("verb=ListRecords&resumptionToken=junk", "badResumptionToken"),
    ("verb=ListRecords", "badArgument"),
    ("verb=ListRecords&metadataPrefix=oai_dc&junk=1", "badArgument"),
    (
        "verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-01-01T00:00:00Z",
        "badArgument",
    ),
    ("verb=junk", "badVerb"),
    ("verb=Identify&verb=Identify", "badVerb"),
];

#[test]
fn all_responses_are_valid_by_the_schema_of_the_protocol() {
    let provider = Provider::new();
    provider.run_on_day(0);
    provider.harvest(&["hide", PROVIDER, "oai:a.test:2", "--reason", "test"]).exits(0);
    check_responses(&provider, &QUERIES);
    provider.harvest(&["remove", PROVIDER, "--yes"]).exits(0);
    check_responses(&provider, &[("verb=ListSets", "noSetHierarchy")]);
}

/// Sends each query with GET and POST, and checks the result and the schema.
fn check_responses(provider: &Provider, queries: &[(&str, &str)]) {
    let server = Server::start(provider, &["--oai"]);
    let url = format!("http://{}/oai", server.address);
    let mut child = Command::new(python())
        .args(["-c", include_str!("validate_oai.py"), &url])
        .arg(schema())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<&str> = queries.iter().map(|(query, _)| *query).collect();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (query, expect) in queries {
        // Status, result and violations of the schema, for GET and for POST.
        let valid = json!([200, expect, []]);
        assert_eq!(results[query], json!([valid, valid]), "{query}");
    }
}

/// Returns the path of the schema of the protocol.
fn schema() -> PathBuf {
    match std::env::var_os(SCHEMA_VARIABLE) {
        Some(path) => path.into(),
        None => user_cache_directory().join(SCHEMA_PATH),
    }
}
