//! `relink watch add`, `list`, `show` and `remove`.

use serde_json::Value;

use super::{DAY_1, WatchedWeb, owl_text};
use crate::sandbox::NO_DELAYS;

#[test]
fn folders_of_every_format_become_nested_collections() {
    let web = WatchedWeb::new();
    let files = [
        (
            "b.html",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>B</TITLE><DL><p><DT><H3>Owls</H3><DL><p>\
             <DT><A HREF=\"http://a.test/1\">One</A><DD>note</DL></DL>",
        ),
        ("m.md", "# M\n## Owls\n- [One](http://a.test/1) note\n"),
        ("c.csv", "url,title,note,folder\nhttp://a.test/1,One,note,Owls\n"),
        (
            "o.opml",
            "<opml><body><outline text=\"Owls\"><outline text=\"One\" url=\"http://a.test/1\" \
             description=\"note\"/></outline></body></opml>",
        ),
        (
            "j.json",
            "{\"collections\":[{\"title\":\"Owls\",\"members\":[{\"url\":\"http://a.test/1\",\
             \"title\":\"One\",\"annotation\":\"note\"}]}]}",
        ),
    ];
    for (file, text) in files {
        web.sandbox.write(file, text);
        web.watch(&["add", file, "--name", file]).exits(0);
        let report = web.json(&["show", file]);
        let list = &report["lists"][1];
        assert_eq!(list["name"], format!("{file}/Owls"), "{report}");
        let member = &list["members"][0];
        assert_eq!(member["title"], "One");
        assert_eq!(member["annotation"], "note");
        assert_eq!(member["next_step"], "run");
    }
    let sitemap = "<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc></url></urlset>";
    web.sandbox.write("s.xml", sitemap);
    web.watch(&["add", "s.xml", "--name", "s"]).exits(0);
    let list = web.json(&["list"]);
    assert_eq!(list["collections"].as_array().unwrap().len(), 6);
    assert_eq!(web.web.request_count(), 0, "importing sends no request");
}

#[test]
fn import_of_an_edited_file_preserves_versions_and_notes() {
    let web = WatchedWeb::new();
    let urls: Vec<String> = (0..3).map(|number| web.owl(number)).collect();
    let first =
        format!("## A\n- [x]({}) first note\n- [y]({})\n- [z]({})\n", urls[0], urls[1], urls[2]);
    web.sandbox.write("r.md", &first);
    web.watch(&["add", "r.md", "--name", "r"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);

    let edited = format!("## A\n- [y]({}) a new note\n- [x]({})\n", urls[1], urls[0]);
    web.sandbox.write("r.md", &edited);
    let output = web.watch(&["add", "r.md", "--name", "r"]).exits(0);
    assert!(output.stdout.contains("0 added · 1 edited · 1 removed"), "{}", output.stdout);
    let members = web.members("r");
    let member_text = |member: &Value| {
        let text = |name: &str| member[name].as_str().unwrap();
        format!("{}: {}: {}", text("title"), text("annotation"), text("next_step"))
    };
    let texts: Vec<String> = members.iter().map(member_text).collect();
    // The accepted versions are still known, so that no step is proposed for `y` and `x`. The
    // removed member `z` is a gap.
    assert_eq!(texts, ["y: a new note: none", "x: first note: none", "z: : fill"]);

    web.watch(&["remove", "r", &urls[2], "--close"]).exits(0);
    assert_eq!(web.members("r").len(), 2);
    web.watch(&["remove", "r"]).exits(0);
    web.watch(&["show", "r"]).fails(2, &["no collection `r`"]);
}

#[test]
fn errors_name_the_cause() {
    let web = WatchedWeb::new();
    web.sandbox.write("empty.md", "nothing here\n").write("a.txt", "http://a.test/\n");
    web.watch(&["add", "empty.md", "--name", "e"]).fails(2, &["no links in `empty.md`"]);
    web.watch(&["add", "missing.md", "--name", "e"]).fails(2, &["cannot read `missing.md`"]);
    web.watch(&["add", "a.txt", "--name", "a/b"]).fails(2, &["invalid collection name"]);
    web.watch(&["add", "a.txt", "--name", "a"]).exits(0);
    web.watch(&["diff", "b"]).fails(2, &["no collection `b`", "available: `a`"]);
    web.watch(&["accept", "a", "7"]).fails(2, &["no member `7` in `a`"]);
    web.watch(&["accept", "a", "1"]).fails(2, &["no version to accept"]);
    web.watch(&["run", "b"]).fails(2, &["no collection `b`"]);
}

#[test]
fn live_pages_of_a_crawl_become_a_collection() {
    let web = WatchedWeb::new();
    let links: Vec<String> =
        (0..4).map(|number| format!("<a href=/owls/{number}>owl</a> ")).collect();
    let links = links.concat();
    web.page("/", "Owl site", &format!("{links}<a href=/about>About</a> <a href=/gone>Gone</a>"));
    web.page("/about", "About", "<p>About this site and the people who made it.</p>");
    for number in 0..4 {
        let title = format!("Owl page {number}");
        web.page(&format!("/owls/{number}"), &title, &owl_text(number));
    }
    let url = web.url("/");
    web.sandbox.run(&[&["crawl", "--db", "relink.db", &url], NO_DELAYS].concat());
    let output = web.watch(&["add", "--crawl", "latest", "--name", "site"]).exits(0);
    let expect = "site · 6 members · 2 collections · crawl, context: folder\n";
    assert!(output.stdout.starts_with(expect), "{}", output.stdout);
    let report = web.json(&["show", "site"]);
    let lists = report["lists"].as_array().unwrap();
    assert_eq!(lists.len(), 2);
    for (list, (name, member_count)) in lists.iter().zip([("site", 2), ("site/owls", 4)]) {
        assert_eq!(list["name"], name);
        assert_eq!(list["members"].as_array().unwrap().len(), member_count, "{name}");
    }
    assert_eq!(report["lists"][1]["members"][0]["title"], "Owl page 0");
    let under = web.url("/owls/");
    web.watch(&["add", "--crawl", "latest", "--under", &under, "--name", "owls"]).exits(0);
    assert_eq!(web.members("owls").len(), 4);
    web.watch(&["add", "--crawl", "99", "--name", "x"]).fails(2, &["no crawl has the id"]);
}

#[test]
fn sitemap_index_and_url_are_rejected_with_a_hint() {
    let web = WatchedWeb::new();
    let index = "<?xml version=\"1.0\"?><sitemapindex><sitemap><loc>http://a.test/s.xml</loc>\
                 </sitemap></sitemapindex>";
    web.sandbox.write("index.xml", index);
    web.watch(&["add", "index.xml", "--name", "i"]).fails(2, &["lists sitemaps, not pages"]);
    web.watch(&["add", "https://example.org/list", "--name", "i"])
        .fails(2, &["it is a URL, not a file"]);
}

#[test]
fn import_of_an_edited_file_keeps_the_context_of_nested_collections() {
    let web = WatchedWeb::new();
    web.sandbox.write("r.md", "## Paris\n- [One](http://a.test/1)\n");
    web.watch(&["add", "r.md", "--name", "r"]).exits(0);
    web.watch(&["edit", "r/Paris", "--context", "neighbors"]).exits(0);
    web.watch(&["add", "r.md", "--name", "r"]).exits(0);
    assert_eq!(web.json(&["show", "r"])["lists"][1]["context"], "neighbors");
}
