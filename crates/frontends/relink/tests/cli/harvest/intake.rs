//! Reading records: pages, interruptions, deletions, files and hostile providers.

use relink_testkit::web::CannedResponse;

use super::{Provider, xml};
use crate::sandbox::Sandbox;

#[test]
fn failed_page_is_retried_and_a_broken_one_resumed() {
    let provider = Provider::new();
    let path = "/oai?verb=ListRecords&resumptionToken=5";
    let page = |range: std::ops::Range<usize>| {
        let records = provider.records.lock().unwrap();
        let body: String = records[range].iter().map(super::record_xml).collect();
        xml(&format!("<ListRecords>{body}<resumptionToken>10</resumptionToken></ListRecords>"))
    };
    let busy = CannedResponse::new(503, "").with_header("Retry-After", "0");
    provider.web.sequence(path, [CannedResponse::new(500, ""), busy, page(5..10)]);
    let row = provider.run_on(0, 0);
    assert_eq!((row["intake"]["pages"].clone(), row["records"].clone()), (3.into(), 13.into()));

    // The second page is broken for good: the next run continues with it.
    let broken = xml("<ListRecords><record><header><identifier>oai:x</identifier></head>");
    provider.web.respond(path, broken);
    provider.records.lock().unwrap()[12].url += "?changed";
    let row = provider.run_on(1, 3);
    let error = row["errors"][0].as_str().unwrap();
    assert!(error.contains("line 1, column") && error.contains("record `oai:x`"), "{error}");
    assert_eq!(row["records"], 13);
    provider.web.respond(path, page(5..10));
    let before = provider.web.request_count();
    let row = provider.run_on(2, 0);
    assert_eq!(
        (row["intake"]["pages"].clone(), row["intake"]["changed"].clone()),
        (2.into(), 1.into())
    );
    let requests = provider.web.requests().split_off(before);
    let lists = requests.iter().filter(|it| it.path.contains("ListRecords"));
    let paths: Vec<_> = lists.map(|it| it.path.as_str()).collect();
    assert_eq!(paths, [path, "/oai?verb=ListRecords&resumptionToken=10"]);
}

#[test]
fn second_harvest_requests_changes_only() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    let empty = xml("<error code=\"noRecordsMatch\">none</error>");
    provider.web.respond("/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01", empty);
    let row = provider.run_on(1, 0);
    assert_eq!(
        (row["intake"]["is_complete"].clone(), row["records"].clone()),
        (true.into(), 13.into())
    );
}

#[test]
fn mass_deletion_needs_confirmation() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    provider.records.lock().unwrap().iter_mut().take(3).for_each(|it| it.is_deleted = true);
    let row = provider.run_on(1, 1);
    assert_eq!(
        row["refusals"][0],
        "deletions were not applied: 3 of 13 records exceed the limit of 20 %"
    );
    assert_eq!(row["records"], 13);
    let row = provider.run_with(1, &["--allow-loss"], 0);
    assert_eq!((row["records"].clone(), row["deleted"].clone()), (10.into(), 3.into()));
}

#[test]
fn full_harvest_deletes_what_is_missing() {
    let provider = Provider::new();
    provider.run_on(0, 0);
    provider.records.lock().unwrap().remove(4);
    assert_eq!(provider.run_on(1, 0)["records"], 13);
    let row = provider.run_with(2, &["--full"], 0);
    assert_eq!((row["records"].clone(), row["deleted"].clone()), (12.into(), 1.into()));
}

#[test]
fn hostile_providers_are_bounded_and_do_not_affect_others() {
    let provider = Provider::new();
    let token = |token: &str| {
        xml(&format!("<ListRecords><resumptionToken>{token}</resumptionToken></ListRecords>"))
    };
    provider.web.respond("/loop", token("same"));
    let counter = std::sync::atomic::AtomicU32::new(0);
    provider.web.respond_below_with("/endless", move |_| {
        let next = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        xml(&format!("<ListRecords><resumptionToken>{next}</resumptionToken></ListRecords>"))
    });
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><x>&b;</x>";
    provider.web.page("/bomb", 200, bomb);
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    provider.web.page("/deep", 200, &deep);
    provider.web.page("/html", 200, "<!doctype html><title>Maintenance</title><p>Back soon");
    // A record with invalid bytes in the declared encoding is read; the rest is not lost.
    let mut latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><OAI-PMH><ListRecords><record>\
                      <header><identifier>oai:latin</identifier></header><metadata><dc><title>Caf\xE9"
        .to_vec();
    latin.extend(b"</title></dc></metadata></record></ListRecords></OAI-PMH>");
    provider.web.respond_below_with("/latin", move |_| CannedResponse::new(200, latin.clone()));
    for name in ["loop", "endless", "bomb", "deep", "html", "latin"] {
        let url = String::from(provider.web.url(&format!("/{name}")));
        provider.harvest(&["add", name, "--oai", &url]).exits(0);
    }
    let output = provider.request_on(0, &["run", "--format", "json"]).exits(3);
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let row = |name: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["provider"] == name).unwrap().clone()
    };
    let error = |name: &str| row(name)["errors"][0].as_str().unwrap_or_default().to_owned();
    assert!(error("bomb").contains("document type declarations"), "{rows}");
    assert!(error("endless").contains("does not end"), "{rows}");
    assert!(error("loop").contains("the same resumption token"), "{rows}");
    assert!(error("deep").contains("nested too deeply"), "{rows}");
    assert!(error("html").contains("document type declarations"), "{rows}");
    assert_eq!((row("latin")["records"].clone(), error("latin")), (1.into(), String::new()));
    assert_eq!(row("lre")["records"], 13);
    let latin = provider.exported("oai:latin");
    assert_eq!(latin["title"], "Café");
}

#[test]
fn records_are_read_from_files() {
    let sandbox = Sandbox::new();
    sandbox
        .write("catalog.csv", "id,title,url\n1,One,http://a.test/1\n2,=SUM(1),http://a.test/2\n");
    let run = |args: &[&str]| sandbox.run_at("2026-01-01T09:00:00Z", args);
    let add = ["harvest", "add", "files", "--file", "catalog.csv", "--db", "r.db"];
    run(&add).exits(0);
    let refused = run(&add).exits(2);
    assert!(refused.stderr.contains("provider `files` exists already"), "{}", refused.stderr);
    let harvest = [
        "harvest",
        "run",
        "--db",
        "r.db",
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
    let dry = run(&["harvest", "remove", "files", "--db", "r.db"]).exits(0).stdout;
    assert_eq!(dry, "Would remove files with 2 records; use `--yes` to do it\n");
    run(&["harvest", "remove", "files", "--yes", "--db", "r.db"]).exits(0);
    let refused = run(&["harvest", "run", "--db", "r.db"]).exits(2);
    assert!(refused.stderr.contains("there are no providers"), "{}", refused.stderr);
}
