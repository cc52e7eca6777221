//! Records by decay, and the records that `--max-decay` would hide.
//!
//! The decay of a record is the probability that a random walk over links, which starts at the
//! location of the record, ends on a dead page. The walk stops at each live page with
//! probability 0.1.

use serde_json::Value;

use super::Provider;

/// Creates a provider that was harvested on day 0. The page `/1` has a dead and a live link,
/// the page `/2` is dead.
fn harvested_provider() -> Provider {
    let provider = Provider::new();
    let links = "<title>Links</title><p>A list of two pages of this site: \
                 <a href=\"/3\">lesson three</a> and <a href=\"/dead\">an old page</a>";
    provider.web.host("a.test").page("/1", 200, links);
    provider.remove_page("a.test", "/2");
    provider.remove_page("a.test", "/dead");
    provider.run_on_day(0);
    provider
}

/// Returns the records by decay on day 1, measured with `flags`.
fn rank_records(provider: &Provider, flags: &[&str]) -> Value {
    let mut args = vec!["decay", "--format", "json"];
    args.extend(flags);
    let output = provider.harvest_on_day(1, &args).exits(0);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    rows[0].clone()
}

/// Returns the row of a record in a ranking.
fn find_record<'a>(ranking: &'a Value, identifier: &str) -> &'a Value {
    let records = ranking["records"].as_array().unwrap();
    records.iter().find(|record| record["identifier"] == identifier).unwrap()
}

#[test]
fn stored_results_rank_records_without_requests() {
    let provider = harvested_provider();
    let requests_before = provider.web.request_count();
    let ranking = rank_records(&provider, &[]);
    assert_eq!(ranking["pages"], 0);
    assert_eq!(ranking["records"].as_array().unwrap().len(), 13);
    assert_eq!(provider.web.request_count(), requests_before);
    let first = &ranking["records"][0];
    assert_eq!(first["identifier"], "oai:a.test:2");
    assert_eq!(first["decay"].as_f64(), Some(1.0));
    // The links of a live page are unknown before a measurement.
    let live = find_record(&ranking, "oai:a.test:1");
    assert_eq!(live["low"].as_f64(), Some(0.0));
    assert_eq!(live["high"].as_f64(), Some(0.9));
    assert_eq!(live["source"], "unknown");
}

#[test]
fn records_near_the_limit_are_measured_within_the_budget() {
    let provider = harvested_provider();
    let measured = rank_records(&provider, &["--max-decay", "0.3"]);
    let record_1 = find_record(&measured, "oai:a.test:1");
    // The walk continues with probability 0.9, and one of two links is dead: 0.9 · 1/2.
    assert!((record_1["decay"].as_f64().unwrap() - 0.45).abs() < 0.05, "{record_1}");
    assert_eq!(record_1["source"], "walks");
    assert_eq!(record_1["decision"], "hide");
    assert_eq!(find_record(&measured, "oai:a.test:3")["decision"], "keep");
    assert_eq!(find_record(&measured, "oai:a.test:2")["decision"], "hide");
    // Nothing is hidden.
    assert!(provider.hidden_records().is_empty());

    let without_budget = rank_records(&provider, &["--max-decay", "0.3", "--budget", "0"]);
    assert_eq!(without_budget["pages"], 0);
    assert_eq!(find_record(&without_budget, "oai:a.test:1")["decision"], "undecided");
    let small_budget = rank_records(&provider, &["--max-decay", "0.3", "--budget", "3"]);
    assert!(small_budget["pages"].as_u64().unwrap() <= 3, "{small_budget}");
    let text = provider.harvest_on_day(1, &["decay", "--max-decay", "0.3"]).exits(0).stdout;
    assert!(text.contains("limit 0.3: would hide 2, keep 11, undecided 0"), "{text}");
}

#[test]
fn invalid_limit_is_refused() {
    let provider = harvested_provider();
    let refused = provider.harvest_on_day(1, &["decay", "--max-decay", "2"]).exits(2);
    assert!(refused.stderr.contains("expected 0 to 1"), "{}", refused.stderr);
    provider.harvest_on_day(1, &["decay", "--sigma", "0"]).exits(2);
}
