//! `--format jsonl`: what scripts rely on.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::desk::Desk;

/// The words a verdict may be.
const WORDS: [&str; 10] = [
    "alive", "moved", "drifted", "dead", "failing", "soft-404", "hijacked", "blocked", "local",
    "at-risk",
];

/// Claims that a row keeps the contract.
#[track_caller]
fn keeps_the_contract(row: &Value) {
    assert_eq!(row["schema"], 1);
    assert!(row["url"].is_string(), "{row}");
    assert!(WORDS.contains(&row["verdict"].as_str().unwrap()), "{row}");
    assert!(row["code"].is_null() || row["code"].as_str().unwrap().starts_with("RL"), "{row}");
    assert!(row["status"].is_null() || row["status"].is_u64(), "{row}");
    assert!(row["since"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{row}");
    for list in ["hops", "evidence", "places"] {
        assert!(row[list].is_array(), "{list} of {row}");
    }
    for place in row["places"].as_array().unwrap() {
        assert!(place["path"].is_string(), "{place}");
        for number in ["line", "column", "start", "end"] {
            assert!(place[number].is_u64(), "{number} of {place}");
        }
    }
}

/// The bytes a place spans in its file.
fn spanned(desk: &Desk, place: &Value) -> String {
    let text = desk.read(place["path"].as_str().unwrap());
    let end = |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap();
    text[end("start")..end("end")].to_owned()
}

#[test]
fn stdout_has_one_object_for_each_target_and_nothing_else() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "<title>Good</title>").redirect("/old", 301, "/good");
    let desk = Desk::new();
    let urls = ["/good", "/old", "/gone"].map(|path| web.url(path).to_string());
    desk.list("urls.txt", &urls).write("a.md", "[there](urls.txt) [not](missing.md)\n");
    let said = desk.check(&["urls.txt", "a.md"]).exits(1);
    assert_eq!(said.stderr, "");
    let rows = said.rows();
    rows.0.iter().for_each(keeps_the_contract);
    let expected = [&urls[1], &urls[0], &urls[2], "missing.md", "urls.txt"];
    let mut expected = expected.map(ToOwned::to_owned);
    expected.sort();
    assert_eq!(rows.urls(), expected);
}

#[test]
fn an_address_is_reported_as_it_is_given() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/@ann", 200, "");
    let desk = Desk::new();
    let urls =
        [format!("HTTP://127.0.0.1:{}/a#part", web.port()), format!("{}#x", web.url("/@ann"))];
    desk.list("urls.txt", &urls);
    let rows = desk.check(&["urls.txt"]).exits(0).rows();
    for url in urls {
        assert_eq!(rows.word(url), "alive");
    }
    let argument = format!("{}#part", web.url("/a"));
    assert_eq!(Desk::new().check(&[&argument]).exits(0).rows().word(argument), "alive");
}

#[test]
fn a_target_named_twice_is_asked_once_and_has_both_places() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let url = web.url("/good");
    let desk = Desk::new();
    desk.write("a.md", &format!("é [one]({url})\n\n[two][two]\n\n[two]: {url}#part\n"));
    let rows = desk.check(&["a.md"]).exits(0).rows();
    assert_eq!(web.hits("/good"), 1);
    let places = rows.of(&url)["places"].as_array().unwrap();
    let at: Vec<(u64, u64)> = places
        .iter()
        .map(|place| (place["line"].as_u64().unwrap(), place["column"].as_u64().unwrap()))
        .collect();
    assert_eq!(at, [(1, 9), (5, 8)]);
    assert_eq!(spanned(&desk, &places[0]), url.as_str());
    assert_eq!(spanned(&desk, &places[1]), format!("{url}#part"));
}

#[test]
fn a_dash_reads_standard_input() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let (good, gone) = (web.url("/good"), web.url("/gone"));
    let desk = Desk::new();
    let rows = desk.check_stdin(&format!("{good}\n{gone}\n"), &["-"]).exits(1).rows();
    assert_eq!((rows.word(&good), rows.word(&gone)), ("alive".into(), "dead RL101".into()));
    assert_eq!(rows.of(&gone)["places"][0]["path"], "stdin");
}

#[test]
fn the_evidence_shows_every_look_and_the_hops_every_answer() {
    let web = TestServer::start_blocking();
    web.redirect("/old", 302, "/gone");
    let url = web.url("/old");
    let desk = Desk::new();
    desk.list("urls.txt", [&url]);
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    let row = rows.of(&url);
    assert_eq!(row["status"], 404);
    let purposes: Vec<&str> = row["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|look| look["purpose"].as_str().unwrap())
        .collect();
    assert_eq!(purposes, ["first", "second-look"]);
    let statuses: Vec<u64> =
        row["hops"].as_array().unwrap().iter().map(|hop| hop["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [302, 404]);
}
