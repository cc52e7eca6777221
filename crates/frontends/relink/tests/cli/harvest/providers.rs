//! Settings of providers, and runs of several providers.

use relink_testkit::web::CannedResponse;
use serde_json::{Value, json};

use super::{PROVIDER, Provider, xml};

/// Returns the settings of the provider `name`.
fn provider_settings(provider: &Provider, name: &str) -> Value {
    let output = provider.harvest(&["list", "--format", "json"]).exits(0);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap()["settings"].clone()
}

#[test]
fn edit_changes_only_the_given_settings_and_keeps_records_and_incidents() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let mut expected = provider_settings(&provider, PROVIDER);
    let edit = [
        "edit",
        PROVIDER,
        "--contact",
        "new@example.org",
        "--language",
        "de",
        "--hide-after",
        "40",
    ];
    let text = provider.harvest(&edit).exits(0).stdout;
    assert!(text.starts_with("Changed lre\n"), "{text}");
    expected["contacts"] = json!(["new@example.org"]);
    expected["language"] = json!("de");
    expected["hide_after"] = json!(40);
    assert_eq!(provider_settings(&provider, PROVIDER), expected);
    assert_eq!(provider.status()["incidents"].as_array().unwrap().len(), 1);
    provider.harvest(&["edit", PROVIDER, "--clear", "contact"]).exits(0);
    assert_eq!(provider_settings(&provider, PROVIDER)["contacts"], json!([]));
    let unchanged = provider.harvest(&["edit", PROVIDER, "--language", "de"]).exits(0).stdout;
    assert_eq!(unchanged, "lre is unchanged\n");
    let refused = provider.harvest(&["edit", PROVIDER, "--spi", "--set", "x"]).exits(2);
    let message = "`--set`, `--prefix` and `--from` need an OAI-PMH provider";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    provider.harvest(&["edit", "none", "--language", "de"]).exits(2);
}

#[test]
fn new_field_with_locations_is_read_from_all_records() {
    let provider = Provider::new();
    let table = format!("id,url,mirror\n1,{},{}\n", provider.record_url(1), provider.record_url(2));
    provider.sandbox.write("catalog.csv", &table);
    provider.harvest(&["add", "files", "--file", "catalog.csv"]).exits(0);
    provider.harvest_on_day(0, &["run", "files"]).exits(0);
    assert_eq!(provider.exported_record("1")["urls"], json!([provider.record_url(1)]));
    let text = provider.harvest(&["edit", "files", "--field", "mirror"]).exits(0).stdout;
    assert!(text.starts_with("Changed files; the next run reads all records\n"), "{text}");
    provider.harvest_on_day(1, &["run", "files"]).exits(0);
    let urls = provider.exported_record("1")["urls"].as_array().unwrap().len();
    assert_eq!(urls, 2);
}

#[test]
fn time_zone_is_a_name_or_an_offset() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    // A different link breaks for each mail.
    let cases = [("Europe/Oslo", "10:00 CET", 0, "/2"), ("-03:30", "05:30 -03", 8, "/3")];
    for (zone, local_time, day, path) in cases {
        provider.harvest(&["edit", PROVIDER, "--time-zone", zone]).exits(0);
        provider.sandbox.write(
            "templates/mail.en.txt",
            "Subject: x\n{{ notices|map(attribute=\"time\")|join(\", \") }}\n",
        );
        provider.remove_page("a.test", path);
        provider.run_on_day(day);
        let mail = provider.harvest(&["mail", "--templates", "templates"]).exits(0).stdout;
        assert!(mail.contains(local_time), "{zone}: {mail}");
    }
    let refused = provider.harvest(&["edit", PROVIDER, "--time-zone", "Europe/Nowhere"]).exits(2);
    assert!(refused.stderr.contains("unknown time zone `Europe/Nowhere`"), "{}", refused.stderr);
}

#[test]
fn sets_with_equal_tokens_and_records_are_read_completely() {
    let provider = Provider::new();
    let record = |number: usize| super::record_xml(&provider.records.lock().unwrap()[number]);
    for (set, first) in [("one", 0), ("two", 2)] {
        let list = format!(
            "<ListRecords>{}<resumptionToken>{set}-page</resumptionToken></ListRecords>",
            record(first)
        );
        let start = format!("/sets?verb=ListRecords&metadataPrefix=oai_dc&set={set}");
        provider.web.respond(&start, xml(&list));
        let end = format!("<ListRecords>{}</ListRecords>", record(first + 1));
        let next = format!("/sets?verb=ListRecords&resumptionToken={set}-page");
        provider.web.respond(&next, xml(&end));
    }
    let identify = xml("<Identify><granularity>YYYY-MM-DD</granularity></Identify>");
    provider.web.respond("/sets?verb=Identify", identify);
    let empty = xml("<error code=\"noRecordsMatch\">none</error>");
    let mut add = vec!["add".to_owned(), "sets".to_owned(), "--oai".to_owned()];
    add.push(provider.web.url("/sets").into());
    // Empty sets around the set `one`.
    for number in 0..20 {
        let set = if number == 5 { "one".to_owned() } else { format!("empty{number}") };
        add.extend(["--set".to_owned(), set]);
        let path = format!("/sets?verb=ListRecords&metadataPrefix=oai_dc&set=empty{number}");
        provider.web.respond(&path, empty.clone());
    }
    add.extend(["--set".to_owned(), "two".to_owned()]);
    let add: Vec<&str> = add.iter().map(String::as_str).collect();
    provider.harvest(&add).exits(0);
    let output = provider.harvest_on_day(0, &["run", "sets", "--format", "json"]).exits(0);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(rows[0]["records"], 4);
    assert_eq!(rows[0]["errors"].clone(), json!([]));
}

#[test]
fn slow_providers_do_not_delay_others() {
    let provider = Provider::new();
    let slow = CannedResponse::new(200, "").with_delay(std::time::Duration::from_hours(1));
    for name in ["a-slow", "b-slow", "c-slow"] {
        provider.web.respond(&format!("/{name}?verb=Identify"), slow.clone());
        let url = String::from(provider.web.url(&format!("/{name}")));
        provider.harvest(&["add", name, "--oai", &url]).exits(0);
    }
    let mut running = provider.spawn_on_day(0, &["run"]);
    // The report of the provider is printed while the others do not respond.
    assert!(running.next_line().starts_with("lre  OAI-PMH"));
    running.interrupt();
    let output = running.finish().exits(130);
    assert_eq!(output.stdout.matches("error: interrupted").count(), 3, "{}", output.stdout);
}

#[test]
fn providers_with_colliding_names_or_identifiers_are_distinguished() {
    let provider = Provider::new();
    let add = |name: &str| {
        let url = String::from(provider.web.url("/oai"));
        provider.harvest(&["add", name, "--oai", &url])
    };
    assert!(add("a/b").exits(2).stderr.contains("invalid provider name"));
    add("x y").exits(0);
    assert!(add("x_y").exits(2).stderr.contains("too similar to the provider `x y`"));
    provider.harvest_on_day(0, &["run"]).exits(0);
    let list = provider.query_oai_server("verb=ListIdentifiers&metadataPrefix=oai_dc");
    assert_eq!(list.matches("<identifier>oai:a.test:2</identifier>").count(), 1, "{list}");
    let renamed = "urn:relink:x_y:oai:a.test:2";
    assert_eq!(list.matches(&format!("<identifier>{renamed}</identifier>")).count(), 1, "{list}");
    let query = "verb=GetRecord&metadataPrefix=oai_dc&identifier=urn:relink:x_y:oai:a.test:2";
    let found = provider.query_oai_server(query);
    assert!(found.contains("<setSpec>x_y</setSpec>"), "{found}");
}
