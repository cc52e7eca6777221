//! Hostile pages, lists without a topic, and the study report.

use relink_testkit::web::CannedResponse;

use super::{DAY_1, DAY_5, WatchedWeb, html, owl_text};

#[test]
fn hostile_pages_are_bounded() {
    let web = WatchedWeb::new();
    let pages = [
        ("/long", html("Long", &format!("<p>{}</p>", "word ".repeat(2_000_000))).into_bytes()),
        ("/headings", html("Headings", &"<h2>x y z</h2>".repeat(100_000)).into_bytes()),
        (
            "/charset",
            b"<meta charset=utf-8><title>\xff\xfe</title><p>caf\xe9 \xff\x00\x80".to_vec(),
        ),
        (
            "/unclosed",
            format!("<title>Unclosed</title>{}text", "<div><p>".repeat(20_000)).into_bytes(),
        ),
    ];
    for (path, body) in &pages {
        web.web.respond(path, CannedResponse::new(200, body.clone()));
    }
    web.sandbox.list("h.txt", pages.iter().map(|(path, _)| web.url(path)));
    web.watch(&["add", "h.txt", "--name", "h", "--keep-text"]).exits(0);
    let output = web.run_at(DAY_1, &[]).exits(0);
    assert_eq!(output.stdout, "Checked 4 pages: 4 new\n");
    for (path, _) in &pages {
        web.page(path, "Owl", &owl_text(1));
    }
    let output = web.run_at(DAY_5, &[]).exits(0);
    assert!(output.stdout.contains("4 changed"), "{}", output.stdout);
    web.watch(&["diff", "h", "-o", "review.html"]).exits(0);
    let size = std::fs::metadata(web.sandbox.path("review.html")).unwrap().len();
    assert!(size < 2_000_000, "{size} bytes");
    let database = std::fs::metadata(web.sandbox.path("relink.db")).unwrap().len();
    assert!(database < 30_000_000, "{database} bytes");
}

#[test]
fn list_without_a_common_topic_gets_a_warning() {
    let topics = [
        "The owl hunts mice in the dark forest at night with silent wings",
        "Compile the kernel with these compiler options and link the modules",
        "Bake the bread dough with yeast in a hot oven until it is brown",
        "The railway timetable lists trains to the coast and their platforms",
        "Tax law changes for small companies that employ few people",
        "The violin sonata was composed in Vienna for two players",
        "Plant tomatoes in the garden after the last frost of spring",
        "The football team won the championship final in extra time",
    ];
    let web = WatchedWeb::new();
    for (number, topic) in topics.iter().enumerate() {
        web.page(&format!("/t{number}"), &format!("T{number}"), &format!("<p>{topic}.</p>"));
    }
    web.sandbox.list("mixed.txt", (0..topics.len()).map(|number| web.url(&format!("/t{number}"))));
    web.sandbox.list("owls.txt", (0..8).map(|number| web.owl(number)));
    for name in ["mixed", "owls"] {
        web.watch(&["add", &format!("{name}.txt"), "--name", name]).exits(0);
    }
    web.run_at(DAY_1, &[]).exits(0);
    let warnings = |name: &str| web.json(&["diff", name])["warnings"].as_array().unwrap().len();
    assert_eq!((warnings("mixed"), warnings("owls")), (1, 0));
}

#[test]
fn study_counts_pages_by_cause_and_size() {
    let web = WatchedWeb::new();
    web.sandbox.list("owls.txt", (0..4).map(|number| web.owl(number)));
    web.watch(&["add", "owls.txt", "--name", "owls"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web.web.page("/owl3", 404, "gone");
    web.page("/owl1", "Owl page 1", &format!("{}<p>One more sentence here.</p>", owl_text(1)));
    web.run_at(DAY_5, &[]).exits(0);
    let csv = web.watch(&["study", "--format", "csv"]).exits(0).stdout;
    for line in [
        "all,\"all\",4,3,2,1,0,0,0,1,0",
        "cause,\"server responds, page is gone\",1,0,0,0,0,0,0,1,0",
        "size,\"below 4 kB\",4,3,2,1,0,0,0,1,0",
        "tld,\"address\",4,3,2,1,0,0,0,1,0",
    ] {
        assert!(csv.contains(line), "{line} in\n{csv}");
    }
    web.watch(&["study", "owls"]).exits(0);
}
