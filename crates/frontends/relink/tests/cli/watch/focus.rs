//! `relink watch focus`: the share of random walks over links, starting at the members of a
//! collection, that end on a page of its topic.

use serde_json::Value;

use super::{DAY_1, DAY_5, TRAINS, WatchedWeb, owl_text};
use crate::sandbox::NO_DELAYS;
use relink_testkit::web::CannedResponse;

/// Sets a page without a navigation bar, with links to paths.
fn linked_page(web: &WatchedWeb, path: &str, text: &str, links: &[String]) {
    let links: Vec<String> = links.iter().map(|link| format!("<a href={link}>more</a> ")).collect();
    let links = links.concat();
    let page =
        format!("<!doctype html><html lang=en><title>{path}</title><main>{text}{links}</main>");
    web.web.respond(path, CannedResponse::new(200, page));
}

/// Returns the focus of a collection as JSON.
fn focus(web: &WatchedWeb, name: &str, args: &[&str]) -> Value {
    let all = [&["watch", "--db", "relink.db", "focus", name, "--format", "json"], NO_DELAYS, args]
        .concat();
    let output = web.sandbox.run(&all).exits(0);
    serde_json::from_str(&output.stdout).unwrap()
}

/// Returns a JSON number.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Adds and checks two collections about owls. The members of `closed` link to each other, the
/// members of `open` to a page about trains and a missing page.
fn owl_collections() -> WatchedWeb {
    let web = WatchedWeb::new();
    web.page("/trains", "Trains", &format!("<p>{TRAINS}</p><p>{TRAINS}</p>"));
    for index in 0..6 {
        let text = owl_text(index);
        let next = format!("/closed{}", (index + 1) % 6);
        linked_page(&web, &format!("/closed{index}"), &text, &[next]);
        linked_page(&web, &format!("/open{index}"), &text, &["/trains".into(), "/missing".into()]);
    }
    for name in ["closed", "open"] {
        let urls = (0..6).map(|index| web.url(&format!("/{name}{index}")));
        web.sandbox.write_urls(&format!("{name}.txt"), urls);
        web.watch(&["add", &format!("{name}.txt"), "--name", name]).exits(0);
    }
    web.run_at(DAY_1, &[]).exits(0);
    web
}

#[test]
fn focus_is_high_if_members_link_to_each_other_and_low_if_they_link_elsewhere() {
    let web = owl_collections();
    let hits = web.web.hits("/closed1");
    let closed = focus(&web, "closed", &[]);
    assert!(number(&closed["focus"]) > 0.95, "{closed:#}");
    // The members are judged by their stored versions.
    assert_eq!((&closed["fetched"], web.web.hits("/closed1")), (&0.into(), hits));
    let open = focus(&web, "open", &[]);
    assert!(number(&open["focus"]) < 0.6, "{open:#}");
    assert!(number(&open["low"]) <= number(&open["focus"]), "{open:#}");
    assert_eq!(
        (&open["fetched"], &open["dead"], &open["off_topic"]),
        (&2.into(), &1.into(), &1.into())
    );
    let ends: Vec<(&str, &str)> = open["ends"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| (end["url"].as_str().unwrap(), end["kind"].as_str().unwrap()))
        .collect();
    let (trains, missing) = (web.url("/trains"), web.url("/missing"));
    assert!(
        ends.contains(&(&trains, "off-topic")) && ends.contains(&(&missing, "dead")),
        "{ends:?}"
    );
    // Readers who stop at the first page of the topic do not leave it.
    let stopping = focus(&web, "open", &["--stop", "1"]);
    assert!(number(&stopping["focus"]) > number(&open["focus"]), "{stopping:#}");
}

#[test]
fn dead_member_lowers_the_focus_and_limits_are_obeyed() {
    let web = owl_collections();
    web.web.page("/closed3", 404, "gone");
    web.run_at(DAY_5, &[]).exits(0);
    let closed = focus(&web, "closed", &[]);
    assert!(number(&closed["focus"]) < 0.95 && closed["dead"] == 1, "{closed:#}");
    let open = focus(&web, "open", &["--pages", "1"]);
    assert_eq!(open["fetched"], 1, "{open:#}");
    let text = web.watch(&["focus", "closed"]).exits(0).stdout;
    assert!(text.contains("readers leave the topic at:") && text.contains("dead"), "{text}");
    web.watch(&["focus", "nothing"]).fails(2, &["no collection `nothing`"]);
    let output = web.watch(&["focus", "closed", "--stop", "0"]).exits(2);
    assert!(output.stderr.contains("expected more than 0, at most 1"), "{}", output.stderr);
}
