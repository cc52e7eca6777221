//! Local links: which file they mean, and which place in it.

use relink_testkit::web::TestServer;

use crate::desk::Desk;

/// A few documents to link to.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("site/guide.html", "<h1 id=start>Guide</h1><a name=end></a>")
        .write("site/docs/Setup.md", "# Set up\n\n## On Linux\n\n## On Linux\n\n### One {#one}\n")
        .write("site/docs/two words.md", "# Two\n")
        .write("site/img/a.png", "")
        .write("site/with/index.html", "<p id=here>")
        .write("site/made/README.md", "# Made\n");
    desk
}

/// Claims what is said of a link that stands in `site/docs/a.md`: word, code
/// and reason, or nothing at all if it is no target.
#[track_caller]
fn check(args: &[&str], link: &str, expect: &str) {
    check_in(args, "a.md", &format!("# Own\n\n[link](<{link}>)\n"), link, expect);
}

#[track_caller]
fn check_in(args: &[&str], name: &str, text: &str, link: &str, expect: &str) {
    let desk = desk();
    let path = format!("site/docs/{name}");
    desk.write(&path, text);
    let said = desk.check(&[&["--offline"], args, &[&path]].concat());
    let rows = said.rows();
    let row = rows.0.iter().find(|row| row["url"] == link);
    let told = row.map_or_else(
        || "skipped".to_owned(),
        |row| {
            let part =
                |name: &str| row[name].as_str().map(|text| format!("{text} ")).unwrap_or_default();
            format!("{}{}({})", part("verdict"), part("code"), row["reason"].as_str().unwrap())
        },
    );
    assert_eq!(told, expect, "{link} in {name}: {said:?}");
    assert_eq!(said.exit, i32::from(expect.starts_with("local")), "{said:?}");
}

const FILE: &str = "alive (the file is there)";
const FOLDER: &str = "alive (the directory is there)";
const ANCHOR: &str = "alive (the anchor is there)";
const MISSING: &str = "local RL601 (no such file)";

#[test]
fn a_relative_link_is_seen_from_its_document() {
    check(&[], "Setup.md", FILE);
    check(&[], "./../guide.html?query=1", FILE);
    check(&[], "../img/a.png", FILE);
    check(&[], "gone.md", MISSING);
    check(&[], "two%20words.md", FILE);
}

#[test]
fn a_link_from_the_root_needs_a_root() {
    check(&[], "/guide.html", "skipped");
    check(&["--root-dir", "site"], "/guide.html", FILE);
    check(&["--root-dir", "site"], "/docs/Setup.md#set-up", ANCHOR);
    check(&["--root-dir", "site"], "/gone.html", MISSING);
    let desk = desk();
    desk.write("a.md", "");
    desk.check(&["a.md", "--root-dir", "nowhere"]).fails(2, &["no such directory", "--root-dir"]);
}

#[test]
fn a_directory_is_enough_unless_index_files_are_named() {
    check(&[], "../with", FOLDER);
    check(&[], "../img/", FOLDER);
    let named = ["--index-files", "index.html,README.md"];
    check(&named, "../with/", FILE);
    check(&named, "../made", FILE);
    check(&named, "../img", "local RL601 (the directory has no `index.html` or `README.md`)");
    check(&["--index-files", "index.html,."], "../img", FOLDER);
}

#[test]
fn a_place_in_a_directory_is_one_in_its_page() {
    check(&[], "../with#here", ANCHOR);
    check(&[], "../made/#made", ANCHOR);
    check(&[], "../made#gone", "local RL603 (no anchor `#gone` in that directory's page)");
    check(&[], "../img#gone", "skipped");
    check(&["--index-files", "README.md"], "../made#made", ANCHOR);
}

#[test]
fn clean_addresses_and_fallback_extensions_find_their_file() {
    check(&[], "../guide", FILE);
    check(&[], "../guide#start", ANCHOR);
    check(&[], "Setup", "local RL601 (no such file; there is `Setup.md`)");
    check(&["--fallback-extensions", "rst,md"], "Setup#on-linux", ANCHOR);
    check(&["--fallback-extensions", ".md"], "Setup", FILE);
}

#[test]
fn a_name_in_another_case_is_named_as_it_is_written() {
    check(&[], "setup.md", "local RL601 (no such file; there is `Setup.md`)");
    check(&[], "../Docs/setup.md", "local RL601 (no such file; there is `docs/Setup.md`)");
    check(&[], "../guide.md", "local RL601 (no such file; there is `guide.html`)");
}

#[test]
fn a_file_address_is_a_path() {
    let desk = desk();
    let address = format!("file://{}#start", desk.path("site/guide.html").display());
    let gone = format!("file://{}", desk.path("gone.html").display());
    desk.write("a.md", &format!("[a]({address}) [b]({gone}) [c](file://elsewhere/x)\n"));
    let rows = desk.check(&["--offline", "a.md"]).exits(1).rows();
    assert_eq!((rows.word(address), rows.word(gone)), ("alive".into(), "local RL601".into()));
    assert_eq!(rows.0.len(), 2);
}

#[test]
fn a_base_url_makes_web_addresses_of_relative_links() {
    let web = TestServer::start_blocking();
    web.page("/a/guide.html", 200, "").page("/root.html", 200, "").page("/a/docs/x.html", 200, "");
    let base = web.url("/a/").to_string();
    let desk = Desk::new();
    desk.write("docs/a.md", "# Own\n\n[a](guide.html) [b](/root.html) [c](#own)\n")
        .write("docs/b.md", "[x](x.html)\n");
    let rows = desk.check(&["docs/a.md", "--base-url", &base]).exits(0).rows();
    assert_eq!(rows.word(web.url("/a/guide.html")), "alive");
    assert_eq!(rows.word(web.url("/root.html")), "alive");
    assert_eq!(rows.word("#own"), "alive");
    // With a root, the way from there to the document counts.
    for root in [".", "./"] {
        let args = ["./docs/b.md", "--base-url", &base, "--root-dir", root];
        assert_eq!(desk.check(&args).exits(0).rows().word(web.url("/a/docs/x.html")), "alive");
    }
    desk.check(&["docs/a.md", "--base-url", "ftp://a.test/"]).fails(2, &["--base-url"]);
}

#[test]
fn anchors_are_looked_for_in_the_file() {
    check(&[], "Setup.md#on-linux", ANCHOR);
    check(&[], "Setup.md#on-linux-1", ANCHOR);
    check(&[], "Setup.md#one", ANCHOR);
    check(&[], "Setup.md#L3-L5", ANCHOR);
    check(&[], "Setup.md#:~:text=Linux", ANCHOR);
    check(&[], "../guide.html#end", ANCHOR);
    check(&[], "../guide.html#top", ANCHOR);
    check(&[], "../guide.html#", FILE);
    check(&[], "../img/a.png#x", "skipped");
    let near = "local RL603 (no anchor `#on-linus` in that file; there is `#on-linux`)";
    check(&[], "Setup.md#on-linus", near);
    check(&[], "../guide.html#nothing", "local RL603 (no anchor `#nothing` in that file)");
    check(&[], "gone.md#x", MISSING);
}

#[test]
fn a_place_may_be_written_with_escapes_or_as_a_range() {
    let text = "<p id='a%20b'><p id='é'><p id=1><p id=9>\n<a href='{}'>x</a>\n";
    for link in ["#a%20b", "#%C3%A9", "#é", "#1-9"] {
        check_in(&[], "a.html", &text.replace("{}", link), link, ANCHOR);
    }
    let link = "#1-8";
    let near = "local RL603 (no anchor `#1-8` in this document)";
    check_in(&[], "a.html", &text.replace("{}", link), link, near);
}

#[test]
fn a_place_in_the_document_itself_is_looked_for_too() {
    check(&[], "#own", ANCHOR);
    check(&[], "#top", ANCHOR);
    check(&[], "#gone", "local RL603 (no anchor `#gone` in this document)");
    check(&["--anchors", "off"], "#gone", "skipped");
    check(&["--anchors", "off"], "Setup.md#gone", FILE);
}

#[test]
fn the_style_of_anchors_can_be_named() {
    check(&[], "Setup.md#on-linux_1", ANCHOR);
    let near = "local RL603 (no anchor `#on-linux_1` in that file; there is `#on-linux-1`)";
    check(&["--anchors", "github"], "Setup.md#on-linux_1", near);
    check(&["--anchors", "mkdocs"], "Setup.md#on-linux_1", ANCHOR);
    let desk = desk();
    let said = desk.check(&["site", "--anchors", "word"]).exits(2);
    assert!(said.stderr.contains("the names are any, github"), "{}", said.stderr);
}

#[test]
fn references_between_sources_mean_sources() {
    let rst = "Own\n===\n\n:doc:`page` :doc:`gone` :ref:`elsewhere` :download:`../img/a.png`\n";
    let desk = desk();
    desk.write("site/docs/page.rst", "Page\n====\n").write("site/docs/a.rst", rst);
    let rows = desk.check(&["--offline", "site/docs/a.rst"]).exits(1).rows();
    assert_eq!(rows.urls(), ["../img/a.png", "gone", "page"]);
    assert_eq!((rows.word("page"), rows.word("gone")), ("alive".into(), "local RL601".into()));
    let adoc = "= Own\n\nxref:other.adoc#part[a] xref:gone.adoc[b] xref:ROOT:x.adoc[c] <<_here>>\n\n== Here\n";
    desk.write("site/docs/other.adoc", "[#part]\n== A\n").write("site/docs/a.adoc", adoc);
    let rows = desk.check(&["--offline", "site/docs/a.adoc"]).exits(1).rows();
    assert_eq!(rows.word("other.adoc#part"), "alive");
    assert_eq!(rows.word("gone.adoc"), "local RL601");
    assert_eq!(rows.word("#_here"), "alive");
    assert_eq!(rows.0.len(), 3);
    check_in(&[], "a.wiki", "[[Some page]] [[#Part]]\n", "Some page", "skipped");
    check_in(&[], "b.md", "[[Some page]]\n", "Some page", "skipped");
    check_in(&[], "b.md", "[[Setup]]\n", "Setup", FILE);
    check_in(&[], "b.md", "{{#include gone.rs}}\n", "gone.rs", MISSING);
}

#[test]
fn a_packed_document_is_unpacked() {
    use std::io::Write as _;
    let desk = desk();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"[a](guide.html)\n[b](gone.html)").unwrap();
    std::fs::write(desk.path("site/a.md.gz"), packed.finish().unwrap()).unwrap();
    let said = desk.check(&["--offline", "site/a.md.gz"]);
    let rows = said.rows();
    let code = |url| rows.0.iter().find(|row| row["url"] == url).map(|row| &row["code"]);
    assert_eq!(code("gone.html").and_then(|code| code.as_str()), Some("RL601"), "{said:?}");
    assert!(code("guide.html").is_none_or(serde_json::Value::is_null), "{said:?}");
    assert_eq!(said.exit, 1, "{said:?}");
}

#[test]
fn a_huge_document_is_read_in_windows() {
    let desk = desk();
    let filler = format!("<p>{}\n", "-".repeat(60_000)).repeat(300);
    let html = format!("{filler}<a href=docs/Setup.md>\n<a href=gone.md>");
    desk.write("site/a.html", &html);
    let said = desk.check(&["--offline", "site/a.html"]);
    let rows = said.rows();
    let broken: Vec<_> = rows.0.iter().filter(|row| row["code"] == "RL601").collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert_eq!(
        (&broken[0]["url"], &broken[0]["places"][0]["line"]),
        (&"gone.md".into(), &302.into())
    );
    assert_eq!(said.exit, 1, "{said:?}");
}

#[test]
fn a_relative_base_moves_the_links_of_a_page() {
    let desk = Desk::new();
    desk.write("site/sub/a.html", "").write("site/b.html", "");
    for (base, links, gone) in [
        ("sub/", "<a href=a.html></a><a href=b.html></a><a href=../b.html></a>", "b.html"),
        ("sub/x.html", "<a href=a.html></a><a href=c.html></a>", "c.html"),
        ("./", "<a href=b.html></a><a href=a.html></a>", "a.html"),
    ] {
        desk.write("site/index.html", &format!("<base href='{base}'>{links}"));
        let rows = desk.check(&["--offline", "site/index.html"]).exits(1).rows();
        let findings: Vec<_> = rows.0.iter().filter(|row| row["verdict"] == "local").collect();
        assert_eq!((findings.len(), &findings[0]["url"]), (1, &gone.into()), "{base}");
    }
}

#[test]
fn a_base_at_the_root_needs_one() {
    let desk = Desk::new();
    desk.write("site/a.html", "")
        .write("site/deep/index.html", "<base href='/'><a href=a.html></a>");
    assert_eq!(desk.check(&["--offline", "site/deep"]).exits(0).rows().0.len(), 0);
    let rows = desk.check(&["--offline", "--root-dir", "site", "site/deep"]).exits(0).rows();
    assert_eq!(rows.word("a.html"), "alive");
}

#[test]
fn local_anchor_with_escapes_in_its_id_is_found() {
    let page = "<h1 id=a>A</h1><i id='impl-From%3CT%3E'></i><i id='b c'></i>\
                <a href='#impl-From%3CT%3E'>x</a>";
    let own = |link: &str| page.replace("#impl-From%3CT%3E", link);
    for link in ["#impl-From%3CT%3E", "#impl-From<T>", "#b%20c", "#b c", "#:~:text=words"] {
        check_in(&[], "own.html", &own(link), link, ANCHOR);
    }
    let missing = "local RL603 (no anchor `#gone` in this document)";
    check_in(&[], "own.html", &own("#gone:~:text=words"), "#gone:~:text=words", missing);
}
