//! The filter on arrival. Broken locations (links) of a new record are *left out* of the published
//! record until they work. A record without a working location is *held back*: it is hidden.

use serde_json::{Value, json};

use super::{PROVIDER, Provider};

/// Creates a provider that was harvested on day 0. The page `/new` works, `/gone` is broken.
fn harvested_provider() -> Provider {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.web.host("a.test").page("/new", 200, "<title>New</title><p>A new lesson");
    provider.remove_page("a.test", "/gone");
    provider.run_on_day(0);
    provider
}

/// Returns the last path segment of each URL, such as `new`.
fn path_names(urls: &Value) -> Vec<String> {
    let path = |url: &Value| url.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    urls.as_array().unwrap().iter().map(path).collect()
}

#[test]
fn broken_location_is_left_out_and_put_back() {
    let provider = harvested_provider();
    provider.add_record("oai:two", &["/new", "/gone"]);
    let row = provider.run_on_day(1);
    assert_eq!(row["arrivals"], json!({ "checked": 2, "left_out": 1, "held_back": 0 }));
    let record = provider.exported_record("oai:two");
    assert_eq!(record["state"], "visible");
    assert_eq!(path_names(&record["urls"]), ["new"]);
    assert_eq!(path_names(&record["left_out"]), ["gone"]);
    let published =
        provider.query_oai_server("verb=GetRecord&metadataPrefix=oai_lom&identifier=oai:two");
    assert!(published.contains("/new</location>") && !published.contains("/gone"), "{published}");
    let published =
        provider.query_oai_server("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:two");
    assert!(
        published.contains("/new</dc:identifier>") && !published.contains("/gone"),
        "{published}"
    );
    let incident = &provider.status()["incidents"][0];
    assert_eq!(incident["origin"], "arrival");
    assert_eq!(incident["stage"], "hidden");
    let mail = provider.harvest(&["mail"]).exits(0).stdout;
    assert!(mail.contains("were broken when") && mail.contains("/gone"), "{mail}");

    provider.restore_page("a.test", "/gone");
    let row = provider.run_on_day(2);
    assert_eq!(row["changes"]["restored"], 1);
    let record = provider.exported_record("oai:two");
    assert_eq!(path_names(&record["urls"]), ["new", "gone"]);
    assert_eq!(record["changed_at"], "2026-01-03T09:00:00Z");
    let published =
        provider.query_oai_server("verb=GetRecord&metadataPrefix=oai_lom&identifier=oai:two");
    assert!(
        published.contains("/new</location>") && published.contains("/gone</location>"),
        "{published}"
    );
}

#[test]
fn record_without_a_working_location_is_held_back() {
    let provider = harvested_provider();
    provider.add_record("oai:none", &["/gone"]);
    provider.add_record("oai:one", &["/new"]);
    let row = provider.run_on_day(1);
    assert_eq!(row["arrivals"], json!({ "checked": 2, "left_out": 1, "held_back": 1 }));
    assert_eq!(provider.hidden_records(), ["oai:none"]);
    assert_eq!(provider.exported_record("oai:one")["state"], "visible");
    provider.restore_page("a.test", "/gone");
    provider.run_on_day(2);
    assert!(provider.hidden_records().is_empty());
}

#[test]
fn blocked_location_is_published() {
    let provider = harvested_provider();
    provider.web.host("a.test").page("/login", 401, "<title>Log in</title>");
    provider.add_record("oai:blocked", &["/login"]);
    assert_eq!(provider.run_on_day(1)["arrivals"]["left_out"], 0);
    assert_eq!(provider.exported_record("oai:blocked")["state"], "visible");
}

#[test]
fn interrupted_check_holds_new_records_back_until_it_is_repeated() {
    let provider = harvested_provider();
    provider.add_record("oai:two", &["/new", "/gone"]);
    // The provider responds, but no target does: the local network may be faulty.
    let row = provider.run_without_targets_on_day(1);
    // `doubt` is the reason why the results are not used.
    assert!(row["doubt"].is_string(), "{row}");
    assert_eq!(row["intake"]["added"], 1);
    assert_eq!(provider.exported_record("oai:two")["state"], "hidden");
    assert_eq!(provider.status()["incidents"], json!([]));
    let row = provider.run_on_day(2);
    assert_eq!(row["arrivals"]["left_out"], 1);
    assert_eq!(provider.exported_record("oai:two")["state"], "visible");
}

#[test]
fn first_harvest_reports_broken_links_unless_all_records_are_arrivals() {
    let provider = Provider::new();
    provider.remove_page("a.test", "/2");
    let row = provider.run_on_day(0);
    assert_eq!(row["arrivals"]["checked"], 0);
    assert_eq!(row["changes"]["reported"], 1);
    let url = String::from(provider.web.url("/oai"));
    provider.harvest(&["remove", PROVIDER, "--yes"]).exits(0);
    provider.harvest(&["add", PROVIDER, "--oai", &url, "--arrivals", "all"]).exits(0);
    let row = provider.run_on_day(8);
    assert_eq!(row["arrivals"], json!({ "checked": 13, "left_out": 1, "held_back": 1 }));
    assert_eq!(provider.hidden_records(), ["oai:a.test:2"]);
}

#[test]
fn location_that_older_records_have_too_is_reported_first() {
    let provider = harvested_provider();
    provider.remove_page("a.test", "/2");
    provider.add_record("oai:copy", &["/2"]);
    let row = provider.run_on_day(8);
    assert_eq!(row["changes"]["reported"], 1, "{row}");
    // The new record is held back. The incident of the old record is reported.
    assert_eq!(provider.hidden_records(), ["oai:copy"]);
    assert_eq!(provider.status()["incidents"][0]["stage"], "reported");
    provider.run_on_day(9);
    assert_eq!(provider.hidden_records(), ["oai:copy"]);
    provider.restore_page("a.test", "/2");
    provider.run_on_day(16);
    assert!(provider.hidden_records().is_empty());
}

#[test]
fn new_locations_that_would_hide_many_records_need_confirmation() {
    let provider = harvested_provider();
    // Four records of `a.test` get new locations, which are broken.
    for record in provider.records.lock().unwrap().iter_mut().take(4) {
        record.url += "-moved";
    }
    for number in 0..4 {
        provider.remove_page("a.test", &format!("/{number}-moved"));
    }
    let row = provider.refused_run_on_day(1);
    let refusal = "records were not hidden: 4 of 13 records exceed the limit of 20 %";
    assert_eq!(row["refusals"][0], refusal);
    assert_eq!(row["arrivals"]["left_out"], 0);
    assert_eq!(row["hidden"], 0);
    assert_eq!(provider.status()["incidents"], json!([]));
    // The next run needs confirmation again.
    assert_eq!(provider.refused_run_on_day(2)["refusals"][0], refusal);
    let row = provider.run_on_day_with(3, &["--allow-loss"]);
    assert_eq!(row["arrivals"]["left_out"], 4);
    assert_eq!(row["hidden"], 4);
}
