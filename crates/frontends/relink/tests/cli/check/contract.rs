//! `--format jsonl`: the fields that scripts rely on.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// All verdicts.
const VERDICTS: [&str; 10] = [
    "alive", "moved", "drifted", "dead", "failing", "soft-404", "hijacked", "blocked", "local",
    "at-risk",
];

/// Asserts that a row has all documented fields.
#[track_caller]
fn check_row(row: &Value) {
    assert_eq!(row["schema"], 2);
    assert!(row["url"].is_string(), "{row}");
    assert!(VERDICTS.contains(&row["verdict"].as_str().unwrap()), "{row}");
    assert!(row["code"].is_null() || row["code"].as_str().unwrap().starts_with("RL"), "{row}");
    assert!(row["status"].is_null() || row["status"].is_u64(), "{row}");
    assert!(row["verdict_since"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{row}");
    for list in ["hops", "evidence", "locations"] {
        assert!(row[list].is_array(), "{list} of {row}");
    }
    for location in row["locations"].as_array().unwrap() {
        assert!(location["path"].is_string(), "{location}");
        for number in ["line", "column", "start", "end"] {
            assert!(location[number].is_u64(), "{number} of {location}");
        }
    }
}

/// Returns the text at a location of its file.
fn text_at(sandbox: &Sandbox, location: &Value) -> String {
    let text = sandbox.read(location["path"].as_str().unwrap());
    let offset = |name: &str| usize::try_from(location[name].as_u64().unwrap()).unwrap();
    text[offset("start")..offset("end")].to_owned()
}

#[test]
fn jsonl_has_one_object_per_target_and_nothing_else() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "<title>Good</title>").redirect("/old", 301, "/good");
    let sandbox = Sandbox::new();
    let urls = ["/good", "/old", "/gone"].map(|path| web.url(path).to_string());
    sandbox.write_urls("urls.txt", &urls).write("a.md", "[there](urls.txt) [not](missing.md)\n");
    let output = sandbox.check(&["urls.txt", "a.md"]).exits(1);
    assert_eq!(output.stderr, "");
    let rows = output.rows();
    rows.results.iter().for_each(check_row);
    let mut expected = urls.to_vec();
    expected.extend(["missing.md".to_owned(), "urls.txt".to_owned()]);
    expected.sort();
    assert_eq!(rows.urls(), expected);
}

#[test]
fn target_is_reported_with_its_original_url() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/@ann", 200, "");
    let sandbox = Sandbox::new();
    // The second path is not a user name, so it must not be masked.
    let urls =
        [format!("HTTP://127.0.0.1:{}/a#part", web.port()), format!("{}#x", web.url("/@ann"))];
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    for url in urls {
        assert_eq!(rows.verdict(url), "alive");
    }
    let argument = format!("{}#part", web.url("/a"));
    assert_eq!(Sandbox::new().check(&[&argument]).exits(0).rows().verdict(argument), "alive");
}

#[test]
fn target_linked_twice_is_requested_once_with_both_locations() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let url = web.url("/good");
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("é [one]({url})\n\n[two][two]\n\n[two]: {url}#part\n"));
    let rows = sandbox.check(&["a.md"]).exits(0).rows();
    assert_eq!(web.hits("/good"), 1);
    let locations = rows.row(&url)["locations"].as_array().unwrap();
    let positions: Vec<String> = locations
        .iter()
        .map(|location| format!("{}:{}", location["line"], location["column"]))
        .collect();
    assert_eq!(positions, ["1:9", "5:8"]);
    assert_eq!(text_at(&sandbox, &locations[0]), url.as_str());
    assert_eq!(text_at(&sandbox, &locations[1]), format!("{url}#part"));
}

#[test]
fn dash_reads_standard_input() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let (good, gone) = (web.url("/good"), web.url("/gone"));
    let sandbox = Sandbox::new();
    let rows = sandbox.check_stdin(&format!("{good}\n{gone}\n"), &["-"]).exits(1).rows();
    assert_eq!(rows.verdict(&good), "alive");
    assert_eq!(rows.verdict(&gone), "dead RL101");
    assert_eq!(rows.row(&gone)["locations"][0]["path"], "stdin");
}

#[test]
fn evidence_lists_every_attempt_and_hops_every_response() {
    let web = TestServer::start_blocking();
    web.redirect("/old", 302, "/gone");
    let url = web.url("/old");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [&url]);
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    let row = rows.row(&url);
    assert_eq!(row["status"], 404);
    let attempts = row["evidence"].as_array().unwrap().iter();
    let purposes: Vec<&str> =
        attempts.map(|attempt| attempt["purpose"].as_str().unwrap()).collect();
    assert_eq!(purposes, ["initial", "confirmation"]);
    let hops = row["hops"].as_array().unwrap().iter();
    let statuses: Vec<u64> = hops.map(|hop| hop["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [302, 404]);
}
