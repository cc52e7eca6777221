//! `relink watch add`, `list`, `show` and `remove`.

use super::{DAY_1, WatchedWeb};

#[test]
fn every_format_becomes_nested_collections() {
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
        assert_eq!(
            (member["title"].as_str(), member["annotation"].as_str()),
            (Some("One"), Some("note"))
        );
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
fn edited_file_keeps_the_history() {
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
    assert!(output.stdout.contains("0 added · 2 edited · 1 removed"), "{}", output.stdout);
    let members = web.members("r");
    let rows: Vec<(&str, &str, &str)> = members
        .iter()
        .map(|member| {
            let text = |name: &str| member[name].as_str().unwrap();
            (text("title"), text("annotation"), text("next_step"))
        })
        .collect();
    // The reference versions are still known, and the removed stop is a gap.
    assert_eq!(rows, [("y", "a new note", "none"), ("x", "first note", "none"), ("z", "", "fill")]);

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
