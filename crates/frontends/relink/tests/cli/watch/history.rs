//! `relink watch show NAME MEMBER`, `diff --from --to` and `study` over time.
//!
//! Members are numbered from 1 and the pages of the list from 0, so page 1 (`/owl1`) is member 2.

use super::{DAY_1, DAY_5, DAY_20, TRAINS, WatchedWeb, owl_text};

/// Watches a list of five pages. Page 1 is edited on day 5, and gets another topic on day 20. Page 2
/// is removed on day 20.
fn list_with_changes() -> WatchedWeb {
    let web = WatchedWeb::new();
    web.sandbox.write_urls("owls.txt", (0..5).map(|number| web.owl(number)));
    web.watch(&["add", "owls.txt", "--name", "owls", "--keep-text"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web.page("/owl1", "Owl page 1", &format!("{}<p>Owls also sleep.</p>", owl_text(1)));
    web.run_at(DAY_5, &[]).exits(0);
    web.page("/owl1", "Railway", &format!("<p>{TRAINS}</p>"));
    web.web.page("/owl2", 404, "gone");
    web.run_at(DAY_20, &[]).exits(0);
    web
}

#[test]
fn history_lists_versions_and_decisions() {
    let web = list_with_changes();
    web.watch(&["mute", "owls", "2", "--reason", "later"]).exits(0);
    let history = web.json(&["show", "owls", "2"]);
    let versions = history["versions"].as_array().unwrap();
    let levels: Vec<&str> =
        versions.iter().map(|version| version["level"].as_str().unwrap_or("first")).collect();
    assert_eq!(levels, ["first", "low", "high"], "{history:#}");
    assert_eq!(versions[0]["is_accepted"], true);
    let events = history["events"].as_array().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["added", "muted"], "{history:#}");
    let text = web.watch(&["show", "owls", "2"]).exits(0).stdout;
    assert!(text.contains("first version · text stored · accepted"), "{text}");
}

#[test]
fn any_two_dates_can_be_compared() {
    let web = list_with_changes();
    // Returns the number and the level of change of each changed member, such as `2 low`.
    let changes = |args: &[&str]| -> String {
        let report = web.json(&[&["diff", "owls"], args].concat());
        let mut changes = Vec::new();
        for member in report["lists"][0]["members"].as_array().unwrap() {
            if let Some(level) = member["change"]["level"].as_str() {
                assert!(member["next_step"].is_null(), "{member:#}");
                changes.push(format!("{} {level}", member["number"]));
            }
        }
        changes.join(", ")
    };
    assert_eq!(changes(&["--from", "2026-03-01", "--to", "2026-03-06"]), "2 low");
    assert_eq!(changes(&["--from", "2026-03-06"]), "2 high");
    assert_eq!(changes(&["--from", "2026-03-01"]), "2 high");
    assert_eq!(changes(&["--from", "2026-03-01", "--to", "2026-03-04"]), "");
    let args = ["diff", "owls", "--from", "2026-03-01", "--to", "2026-03-06", "-o", "r.html"];
    let text = web.watch(&args).exits(0).stdout;
    assert!(text.contains("+ Owls also sleep.") && !text.contains("next:"), "{text}");
    assert!(web.sandbox.read("r.html").contains("Owls also sleep."));
    web.watch(&["diff", "owls", "--from", "2026-03-06", "--to", "2026-03-01"])
        .fails(2, &["`--from` is after `--to`"]);
}

#[test]
fn study_shows_the_state_at_the_end_of_each_month() {
    let web = list_with_changes();
    let csv = web.sandbox.run_at(
        "2026-04-02T00:00:00Z",
        &["watch", "--db", "relink.db", "study", "owls", "--format", "csv"],
    );
    let csv = csv.exits(0).stdout;
    // The columns after the names: pages, valid, unchanged, checksum, low, moderate, high,
    // temporary, permanent, unchecked.
    for line in ["month,\"2026-03\",5,4,3,0,0,0,1,0,1,0", "month,\"2026-04\",5,4,3,0,0,0,1,0,1,0"] {
        assert!(csv.contains(line), "{line} in\n{csv}");
    }
}

#[test]
fn live_page_that_left_the_topic_is_drifted() {
    let web = list_with_changes();
    let member = web.member("owls", "/owl1");
    assert_eq!(member["verdict"], "drifted");
    assert_eq!(member["code"], "RL303");
    assert_eq!(member["next_step"], "reject");
}
