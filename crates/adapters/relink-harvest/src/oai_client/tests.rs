//! Tests of the client with a provider that sends canned responses.

use std::fmt::Write as _;

use relink_fetch::{FetchSettings, Fetcher};
use relink_testkit::web::{CannedResponse, TestServer};

use super::*;

/// Returns a client without waits between retries.
fn client() -> OaiClient {
    let fetch = Arc::new(Fetcher::new(FetchSettings::default()).unwrap());
    let settings = OaiClientSettings {
        retry_delay: Duration::ZERO,
        max_page_bytes: 1 << 20,
        timeout: Duration::from_secs(10),
        ..OaiClientSettings::default()
    };
    OaiClient::new(fetch, settings)
}

/// Returns a query for records of a set from a date, or for the page with a token.
fn query(server: &TestServer, token: Option<&str>) -> RecordQuery {
    RecordQuery {
        base_url: server.url("/oai"),
        metadata_prefix: "oai_dc".to_owned(),
        set: Some("all".to_owned()),
        from: Some("2026-11-01".to_owned()),
        location_fields: Vec::new(),
        token: token.map(str::to_owned),
    }
}

/// Returns a page with these records and the token of the next page.
fn page(records: std::ops::Range<u32>, token: &str) -> CannedResponse {
    let mut body = String::from("<OAI-PMH><ListRecords>");
    for number in records {
        let _ = write!(body, "<record><header><identifier>{number}</identifier></header></record>");
    }
    let _ = write!(body, "<resumptionToken>{token}</resumptionToken></ListRecords></OAI-PMH>");
    CannedResponse::new(200, body).with_header("Content-Type", "text/xml")
}

/// Returns a response with an error of the protocol.
fn error(code: &str) -> CannedResponse {
    CannedResponse::new(200, format!("<OAI-PMH><error code=\"{code}\">why</error></OAI-PMH>"))
}

#[tokio::test]
async fn first_page_has_arguments_and_next_page_only_the_token() {
    let server = TestServer::start().await;
    server.respond("/oai", page(0..2, "a&amp;b"));
    let first = client().records(&query(&server, None)).await.unwrap();
    assert_eq!((first.records.len(), first.next_token.as_deref()), (2, Some("a&b")));
    client().records(&query(&server, Some("a&b"))).await.unwrap();
    let paths: Vec<_> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(
        paths,
        [
            "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=all&from=2026-11-01",
            "/oai?verb=ListRecords&resumptionToken=a%26b"
        ]
    );
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let server = TestServer::start().await;
    let busy = CannedResponse::new(503, "").with_header("Retry-After", "0");
    let cut_off = CannedResponse::new(200, "<OAI-PMH><ListRecords><record>");
    server.sequence("/oai", [CannedResponse::new(500, ""), busy, cut_off, page(0..3, "")]);
    let page = client().records(&query(&server, None)).await.unwrap();
    assert_eq!((page.records.len(), page.next_token), (3, None));
    assert_eq!(server.request_count(), 4);
}

#[tokio::test]
async fn long_pause_is_returned() {
    let server = TestServer::start().await;
    server.respond("/oai", CannedResponse::new(503, "").with_header("Retry-After", "7200"));
    let error = client().records(&query(&server, None)).await.unwrap_err();
    assert!(matches!(error, RecordSourceError::Busy { seconds: 7200, .. }), "{error}");
    assert_eq!(server.request_count(), 1);
}

#[tokio::test]
async fn protocol_errors_are_distinguished() {
    let server = TestServer::start().await;
    server.respond("/oai", error("noRecordsMatch"));
    assert!(client().records(&query(&server, None)).await.unwrap().records.is_empty());
    server.respond("/oai", error("badResumptionToken"));
    let invalid = client().records(&query(&server, Some("x"))).await.unwrap_err();
    assert!(matches!(invalid, RecordSourceError::InvalidToken { .. }), "{invalid}");
    server.respond("/oai", error("cannotDisseminateFormat"));
    let refused = client().records(&query(&server, None)).await.unwrap_err();
    assert!(refused.to_string().ends_with("reports cannotDisseminateFormat: why"), "{refused}");
}

#[tokio::test]
async fn hostile_responses_are_bounded() {
    let server = TestServer::start().await;
    server.respond("/oai", CannedResponse::new(200, vec![b'<'; 3 << 20]));
    let large = client().records(&query(&server, None)).await.unwrap_err();
    assert!(matches!(large, RecordSourceError::TooLarge { .. }), "{large}");
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><OAI-PMH>&b;</OAI-PMH>";
    server.respond("/oai", CannedResponse::new(200, bomb));
    let rejected = client().records(&query(&server, None)).await.unwrap_err().to_string();
    assert!(rejected.contains("document type declarations are not accepted"), "{rejected}");
    server.respond("/oai", CannedResponse::new(200, "<html><body>Welcome</body></html>"));
    let html = client().records(&query(&server, None)).await.unwrap_err().to_string();
    assert!(html.contains("not OAI-PMH"), "{html}");
}

#[tokio::test]
async fn identify_returns_name_and_unit_of_datestamps() {
    let server = TestServer::start().await;
    let body = "<OAI-PMH><Identify><repositoryName>R</repositoryName><deletedRecord>persistent\
                </deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify></OAI-PMH>";
    server.respond("/oai", CannedResponse::new(200, body));
    let info = client().identify(&server.url("/oai")).await.unwrap();
    assert_eq!((info.name.as_str(), info.keeps_deletions), ("R", true));
    assert_eq!(info.unit, relink_ports::DatestampUnit::Second);
}
