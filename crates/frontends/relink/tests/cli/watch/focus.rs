//! `relink watch focus`: the share of random walks over links, starting at the members of a
//! collection, that end on a page of its topic.

use serde_json::Value;

use super::{DAY_1, DAY_5, TRAINS, WatchedWeb, owl_text};
use crate::sandbox::NO_DELAYS;
use relink_testkit::web::CannedResponse;

/// Serves a page without a navigation bar, with links to the paths `targets`.
fn serve_linked_page(web: &WatchedWeb, path: &str, text: &str, targets: &[String]) {
    let link = |path: &String| format!("<a href={path}>more</a> ");
    let links: String = targets.iter().map(link).collect();
    let page =
        format!("<!doctype html><html lang=en><title>{path}</title><main>{text}{links}</main>");
    web.web.respond(path, CannedResponse::new(200, page));
}

/// Returns the focus of a collection as JSON.
fn measure_focus(web: &WatchedWeb, name: &str, args: &[&str]) -> Value {
    let command = ["watch", "--db", "relink.db", "focus", name, "--format", "json"];
    let output = web.sandbox.run(&[&command, NO_DELAYS, args].concat()).exits(0);
    serde_json::from_str(&output.stdout).unwrap()
}

/// Returns a JSON number.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Adds and checks two collections about owls. The members of `closed` link to each other. The
/// members of `open` link to a page about trains and to a missing page.
fn owl_collections() -> WatchedWeb {
    let web = WatchedWeb::new();
    web.page("/trains", "Trains", &format!("<p>{TRAINS}</p><p>{TRAINS}</p>"));
    for index in 0..6 {
        let text = owl_text(index);
        let next = format!("/closed{}", (index + 1) % 6);
        serve_linked_page(&web, &format!("/closed{index}"), &text, &[next]);
        serve_linked_page(
            &web,
            &format!("/open{index}"),
            &text,
            &["/trains".into(), "/missing".into()],
        );
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
    let closed = measure_focus(&web, "closed", &[]);
    assert!(number(&closed["focus"]) > 0.95, "{closed:#}");
    // The members are judged by their stored versions, without requests.
    assert_eq!(closed["fetched"], 0);
    assert_eq!(web.web.hits("/closed1"), hits);
    let open = measure_focus(&web, "open", &[]);
    assert!(number(&open["focus"]) < 0.6, "{open:#}");
    assert!(number(&open["low"]) <= number(&open["focus"]), "{open:#}");
    assert_eq!(open["fetched"], 2);
    assert_eq!(open["dead"], 1);
    assert_eq!(open["off_topic"], 1);
    let ends = open["ends"].as_array().unwrap();
    let has_end = |path: &str, kind: &str| {
        ends.iter().any(|end| end["url"] == web.url(path) && end["kind"] == kind)
    };
    assert!(has_end("/trains", "off-topic") && has_end("/missing", "dead"), "{ends:?}");
    // Readers who stop at the first page of the topic do not leave it.
    let stopping = measure_focus(&web, "open", &["--stop", "1"]);
    assert!(number(&stopping["focus"]) > number(&open["focus"]), "{stopping:#}");
}

#[test]
fn dead_member_lowers_the_focus_and_limits_are_obeyed() {
    let web = owl_collections();
    web.web.page("/closed3", 404, "gone");
    web.run_at(DAY_5, &[]).exits(0);
    let closed = measure_focus(&web, "closed", &[]);
    assert!(number(&closed["focus"]) < 0.95 && closed["dead"] == 1, "{closed:#}");
    let open = measure_focus(&web, "open", &["--pages", "1"]);
    assert_eq!(open["fetched"], 1, "{open:#}");
    let text = web.watch(&["focus", "closed"]).exits(0).stdout;
    assert!(text.contains("readers leave the topic at:") && text.contains("dead"), "{text}");
    web.watch(&["focus", "nothing"]).fails(2, &["no collection `nothing`"]);
    let output = web.watch(&["focus", "closed", "--stop", "0"]).exits(2);
    assert!(output.stderr.contains("expected more than 0, at most 1"), "{}", output.stderr);
}
