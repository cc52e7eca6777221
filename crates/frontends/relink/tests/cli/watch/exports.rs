//! `relink watch export`, `diff -o` and `edit`.

use super::{DAY_1, DAY_5, TRAINS, WatchedWeb, owl_text};

/// Returns the checked collection `owls` with two folders and five members.
fn owl_collection() -> WatchedWeb {
    let web = WatchedWeb::new();
    let urls: Vec<String> = (0..5).map(|number| web.owl(number)).collect();
    let text = format!(
        "# Owl path\nA path about owls.\n\n## Night\n- [One]({}) start here\n- [Two]({})\n- [Three]({})\n\
         ## Day\n- [Four]({})\n- [Five]({})\n",
        urls[0], urls[1], urls[2], urls[3], urls[4]
    );
    web.sandbox.write("owls.md", &text);
    web.watch(&["add", "owls.md", "--name", "owls", "--context", "all", "--keep-text"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web
}

#[test]
fn site_has_contents_and_one_page_per_stop() {
    let web = owl_collection();
    web.web.page("/owl4", 410, "gone");
    web.run_at(DAY_5, &[]).exits(0);
    web.watch(&["remove", "owls", "2"]).exits(0);
    let output = web.watch(&["export", "owls", "-o", "site"]).exits(0);
    assert_eq!(output.stdout, "wrote 6 files to site\n");
    let contents = web.sandbox.read("site/index.html");
    assert!(contents.contains("Owl path") && contents.contains("start here"), "{contents}");
    assert!(contents.contains("(no longer available)") && contents.contains("(removed)"));
    let first = web.sandbox.read("site/stop-001.html");
    assert!(first.contains(&format!("href=\"{}\"", web.url("/owl0"))), "{first}");
    let dead = web.sandbox.read("site/stop-005.html");
    assert!(dead.contains("No archived copy is known."), "{dead}");
}

#[test]
fn exported_files_can_be_added_again() {
    let web = owl_collection();
    for (file, flags) in
        [("a.md", &[][..]), ("a.opml", &[]), ("a.html", &[]), ("a.json", &["--format", "json"])]
    {
        web.watch(&[&["export", "owls", "-o", file], flags].concat()).exits(0);
        web.watch(&["add", file, "--name", file]).exits(0);
        let report = web.json(&["show", file]);
        let lists = report["lists"].as_array().unwrap().iter();
        let titles: Vec<&str> = lists.map(|list| list["title"].as_str().unwrap()).collect();
        assert_eq!(titles, ["Owl path", "Night", "Day"], "{file}");
        let first = &report["lists"][1]["members"][0];
        assert_eq!(first["title"], "One");
        assert_eq!(first["annotation"], "start here");
        // The pages are known already, so that no page is due.
        assert_eq!(first["next_step"], "none", "{file}");
    }
}

#[test]
fn review_shows_both_versions_side_by_side() {
    let web = owl_collection();
    let edited = owl_text(1).replace("hunt", "catch");
    web.page("/owl1", "Owl page 1", &edited);
    web.page("/owl2", "Train times", &format!("<p>{TRAINS}</p>"));
    web.run_at(DAY_5, &[]).exits(0);
    web.watch(&["diff", "owls", "-o", "review.html"]).exits(0);
    let review = web.sandbox.read("review.html");
    assert!(review.contains("<del>hunt</del>") && review.contains("<ins>catch</ins>"), "{review}");
    assert!(review.contains("The express train") && review.contains("reject: the page left"));
    assert!(!review.contains("<script"));
    web.watch(&["diff", "owls", "-o", "review.txt"]).fails(2, &["a review is an HTML file"]);
}

#[test]
fn edit_changes_members_and_collections() {
    let web = owl_collection();
    let args = ["edit", "owls", "3", "--title", "Third", "--note", "new note", "--position", "1"];
    web.watch(&args).exits(0);
    web.watch(&["edit", "owls", "--description", "Better", "--context", "neighbors"]).exits(0);
    let report = web.json(&["show", "owls"]);
    assert_eq!(report["lists"][0]["description"], "Better");
    assert_eq!(report["lists"][1]["context"], "neighbors");
    let members = report["lists"][1]["members"].as_array().unwrap().iter();
    let titles: Vec<&str> = members.map(|member| member["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Third", "One", "Two"]);
    let first = &report["lists"][1]["members"][0];
    assert_eq!(first["annotation"], "new note");
    assert_eq!(first["next_step"], "none");
}
