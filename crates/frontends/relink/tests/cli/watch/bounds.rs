//! Hostile pages, lists without a topic, and the study report.

use std::fmt::Write as _;

use relink_testkit::web::CannedResponse;

use super::{DAY_1, DAY_5, OWLS, WatchedWeb, html, owl_text};

#[test]
fn hostile_pages_are_stored_with_limited_size() {
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
    web.sandbox.write_urls("h.txt", pages.iter().map(|(path, _)| web.url(path)));
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
    web.sandbox
        .write_urls("mixed.txt", (0..topics.len()).map(|number| web.url(&format!("/t{number}"))));
    web.sandbox.write_urls("owls.txt", (0..8).map(|number| web.owl(number)));
    for name in ["mixed", "owls"] {
        web.watch(&["add", &format!("{name}.txt"), "--name", name]).exits(0);
    }
    web.run_at(DAY_1, &[]).exits(0);
    let warnings = |name: &str| web.json(&["diff", name])["warnings"].as_array().unwrap().len();
    assert_eq!(warnings("mixed"), 1);
    assert_eq!(warnings("owls"), 0);
}

/// Sentences about another topic.
const RAILWAY: [&str; 8] = [
    "The express train leaves the central station at noon.",
    "Buy tickets for the railway at the counter of the station.",
    "Trains to the coast stop at every station on Sunday.",
    "The timetable of the railway lists trains and platforms.",
    "A ticket for the night train includes a bed in the sleeping car.",
    "The conductor of the train checks the tickets before each station.",
    "Freight trains wait on a side track until the express train has passed.",
    "The locomotive of the express train is serviced at the railway depot.",
];
/// Sentences about a third topic.
const BAKING: [&str; 8] = [
    "Knead the dough of flour, water, salt and yeast for ten minutes.",
    "Bake the bread in a hot oven until the crust is brown.",
    "The dough rises in a warm place until its volume has doubled.",
    "Rye flour and sourdough give the bread its taste.",
    "Let the loaf of bread cool on a rack before you cut the crust.",
    "Yeast needs warm water and some sugar to make the dough rise.",
    "Brush the rolls with milk before you put them into the oven.",
    "A baker weighs flour and salt for each dough on a scale.",
];

/// Returns four sentences about a topic. Each number selects other sentences.
fn four_sentences(topic: &[&str; 8], number: usize) -> String {
    let selected: Vec<&str> =
        (0..4).map(|index| topic[(number + index * 3) % topic.len()]).collect();
    format!("<p>{}</p>", selected.join("</p><p>"))
}

#[test]
fn context_of_a_bookmark_is_its_folder() {
    let web = WatchedWeb::new();
    let mut bookmarks = String::from("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>");
    for (topic, sentences) in [("owls", &OWLS), ("trains", &RAILWAY), ("bread", &BAKING)] {
        let _ = write!(bookmarks, "<DT><H3>{topic}</H3><DL>");
        for number in 0..8 {
            let path = format!("/{topic}{number}");
            web.page(&path, &format!("Page {number}"), &four_sentences(sentences, number));
            let _ = write!(bookmarks, "<DT><A HREF=\"{}\">{topic}</A>", web.url(&path));
        }
        bookmarks.push_str("</DL>");
    }
    web.sandbox.write("b.html", &format!("{bookmarks}</DL>"));
    web.watch(&["add", "b.html", "--name", "b"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    // One page changes to the topic of another folder. Another page changes to other sentences on
    // its own topic.
    web.page("/owls1", "Page 1", &four_sentences(&BAKING, 2));
    web.page("/trains1", "Page 1", &four_sentences(&RAILWAY, 6));
    web.run_at(DAY_5, &[]).exits(0);
    let step = |path: &str| web.member("b", path)["next_step"].clone();
    assert_eq!(step("/owls1"), "reject");
    assert_eq!(step("/trains1"), "accept");
    assert_eq!(step("/bread1"), "none");
    let report = web.json(&["diff", "b"]);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 0, "{:#}", report["warnings"]);
}

#[test]
fn study_counts_pages_by_cause_and_size() {
    let web = WatchedWeb::new();
    web.sandbox.write_urls("owls.txt", (0..4).map(|number| web.owl(number)));
    web.watch(&["add", "owls.txt", "--name", "owls"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web.web.page("/owl3", 404, "gone");
    web.page("/owl1", "Owl page 1", &format!("{}<p>One more sentence here.</p>", owl_text(1)));
    web.run_at(DAY_5, &[]).exits(0);
    let csv = web.watch(&["study", "--format", "csv"]).exits(0).stdout;
    // The columns after the names: pages, valid, unchanged, checksum, low, moderate, high,
    // temporary, permanent, unchecked.
    for line in [
        "all,\"all\",4,3,2,0,1,0,0,0,1,0",
        "cause,\"server responds, page is gone\",1,0,0,0,0,0,0,0,1,0",
        "size,\"below 4 kB\",4,3,2,0,1,0,0,0,1,0",
        "tld,\"address\",4,3,2,0,1,0,0,0,1,0",
    ] {
        assert!(csv.contains(line), "{line} in\n{csv}");
    }
    web.watch(&["study", "owls"]).exits(0);
}
