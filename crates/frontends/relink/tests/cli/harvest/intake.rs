//! Reading records: pages, interruptions, deletions, files and hostile providers. In reports,
//! `intake` counts the records and pages that a run has read.

use std::sync::atomic::{AtomicU32, Ordering};

use relink_testkit::web::CannedResponse;

use super::{PROVIDER, Provider, xml};
use crate::sandbox::Sandbox;

/// The request for the second page of records.
const SECOND_PAGE: &str = "/oai?verb=ListRecords&resumptionToken=5";

/// Returns the second page: the records 5 to 9, and the token of the third page.
fn second_page(provider: &Provider) -> CannedResponse {
    let records = provider.records.lock().unwrap();
    let body: String = records[5..10].iter().map(super::record_xml).collect();
    xml(&format!("<ListRecords>{body}<resumptionToken>10</resumptionToken></ListRecords>"))
}

#[test]
fn failed_page_is_retried_in_the_same_run() {
    let provider = Provider::new();
    let busy = CannedResponse::new(503, "").with_header("Retry-After", "0");
    let responses = [CannedResponse::new(500, ""), busy, second_page(&provider)];
    provider.web.sequence(SECOND_PAGE, responses);
    let row = provider.run_on_day(0);
    assert_eq!(row["intake"]["pages"], 3);
    assert_eq!(row["records"], 13);
}

#[test]
fn next_run_resumes_with_the_page_that_was_malformed() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let malformed = xml("<ListRecords><record><header><identifier>oai:x</identifier></head>");
    provider.web.respond(SECOND_PAGE, malformed);
    // The changed record is on the third page.
    provider.records.lock().unwrap()[12].url += "?changed";
    let row = provider.failed_run_on_day(1);
    let error = row["errors"][0].as_str().unwrap();
    assert!(error.contains("line 1, column") && error.contains("record `oai:x`"), "{error}");
    assert_eq!(row["records"], 13);
    provider.web.respond(SECOND_PAGE, second_page(&provider));
    let requests_before = provider.web.request_count();
    let row = provider.run_on_day(2);
    assert_eq!(row["intake"]["pages"], 2);
    assert_eq!(row["intake"]["changed"], 1);
    let requests = provider.web.requests().split_off(requests_before);
    let list_requests = requests.iter().filter(|request| request.path.contains("ListRecords"));
    let paths: Vec<_> = list_requests.map(|request| request.path.as_str()).collect();
    assert_eq!(paths, [SECOND_PAGE, "/oai?verb=ListRecords&resumptionToken=10"]);
}

#[test]
fn second_harvest_requests_changes_only() {
    let provider = Provider::new();
    provider.run_on_day(0);
    let empty = xml("<error code=\"noRecordsMatch\">none</error>");
    provider.web.respond("/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01", empty);
    let row = provider.run_on_day(1);
    assert_eq!(row["intake"]["is_complete"], true);
    assert_eq!(row["records"], 13);
}

#[test]
fn mass_deletion_needs_confirmation() {
    let provider = Provider::new();
    provider.run_on_day(0);
    provider.records.lock().unwrap().iter_mut().take(3).for_each(|record| record.is_deleted = true);
    let row = provider.refused_run_on_day(1);
    assert_eq!(
        row["refusals"][0],
        "deletions were not applied: 3 of 13 records exceed the limit of 20 %"
    );
    assert_eq!(row["records"], 13);
    let row = provider.run_on_day_with(1, &["--allow-loss"]);
    assert_eq!(row["records"], 10);
    assert_eq!(row["deleted"], 3);
}

#[test]
fn only_full_harvest_deletes_missing_records() {
    let provider = Provider::new();
    provider.run_on_day(0);
    provider.records.lock().unwrap().remove(4);
    assert_eq!(provider.run_on_day(1)["records"], 13);
    let row = provider.run_on_day_with(2, &["--full"]);
    assert_eq!(row["records"], 12);
    assert_eq!(row["deleted"], 1);
}

#[test]
fn errors_of_hostile_providers_do_not_affect_other_providers() {
    // This provider works. The hostile providers are added to the same server.
    let provider = Provider::new();
    let empty_page = |token: &str| {
        xml(&format!("<ListRecords><resumptionToken>{token}</resumptionToken></ListRecords>"))
    };
    provider.web.respond("/loop", empty_page("same"));
    let counter = AtomicU32::new(0);
    provider.web.respond_below_with("/endless", move |_| {
        empty_page(&counter.fetch_add(1, Ordering::Relaxed).to_string())
    });
    // Entities that expand to a multiple of their size.
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><x>&b;</x>";
    provider.web.page("/bomb", 200, bomb);
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    provider.web.page("/deep", 200, &deep);
    provider.web.page("/html", 200, "<!doctype html><title>Maintenance</title><p>Back soon");
    // The title is in ISO-8859-1, as declared.
    let mut latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><OAI-PMH><ListRecords><record>\
                      <header><identifier>oai:latin</identifier></header><metadata><dc><title>Caf\xE9"
        .to_vec();
    latin.extend(b"</title></dc></metadata></record></ListRecords></OAI-PMH>");
    provider.web.respond_below_with("/latin", move |_| CannedResponse::new(200, latin.clone()));
    for name in ["loop", "endless", "bomb", "deep", "html", "latin"] {
        let url = String::from(provider.web.url(&format!("/{name}")));
        provider.harvest(&["add", name, "--oai", &url]).exits(0);
    }
    // Exit code 3: some providers could not be read.
    let output = provider.harvest_on_day(0, &["run", "--format", "json"]).exits(3);
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let row_of = |name: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["provider"] == name).unwrap().clone()
    };
    let error_of = |name: &str| row_of(name)["errors"][0].as_str().unwrap_or_default().to_owned();
    assert!(error_of("bomb").contains("document type declarations"), "{rows}");
    assert!(error_of("endless").contains("does not end"), "{rows}");
    assert!(error_of("loop").contains("the same resumption token"), "{rows}");
    assert!(error_of("deep").contains("nested too deeply"), "{rows}");
    assert!(error_of("html").contains("document type declarations"), "{rows}");
    assert_eq!(row_of("latin")["records"], 1);
    assert_eq!(error_of("latin"), String::new());
    assert_eq!(row_of(PROVIDER)["records"], 13);
    let latin = provider.exported_record("oai:latin");
    assert_eq!(latin["title"], "Café");
}

#[test]
fn records_of_a_file_are_read_exported_and_removed() {
    let sandbox = Sandbox::new();
    sandbox
        .write("catalog.csv", "id,title,url\n1,One,http://a.test/1\n2,=SUM(1),http://a.test/2\n");
    let run = |args: &[&str]| sandbox.run_at("2026-01-01T09:00:00Z", args);
    let add = ["harvest", "add", "files", "--file", "catalog.csv", "--db", "r.db"];
    run(&add).exits(0);
    // A second provider with the same name is refused.
    let refused = run(&add).exits(2);
    assert!(refused.stderr.contains("provider `files` exists already"), "{}", refused.stderr);
    let harvest = [
        "harvest",
        "run",
        "--db",
        "r.db",
        // No host name can be resolved, so no request leaves the machine.
        "--dns-server",
        "127.0.0.1:1",
        "--timeout",
        "1s",
        "--retries",
        "0",
        "--host-interval",
        "0",
        "--format",
        "json",
    ];
    let output = run(&harvest);
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(rows[0]["records"], 2);
    let csv = run(&["harvest", "export", "--format", "csv", "--db", "r.db"]).exits(0).stdout;
    assert_eq!(
        csv,
        "provider,identifier,title,state,changed_at,urls,left_out\n\
         files,1,One,visible,2026-01-01T09:00:00Z,http://a.test/1,\n\
         files,2,'=SUM(1),visible,2026-01-01T09:00:00Z,http://a.test/2,\n"
    );
    let preview = run(&["harvest", "remove", "files", "--db", "r.db"]).exits(0).stdout;
    assert_eq!(preview, "Would remove files with 2 records; use `--yes` to do it\n");
    run(&["harvest", "remove", "files", "--yes", "--db", "r.db"]).exits(0);
    let refused = run(&["harvest", "run", "--db", "r.db"]).exits(2);
    assert!(refused.stderr.contains("there are no providers"), "{}", refused.stderr);
}
