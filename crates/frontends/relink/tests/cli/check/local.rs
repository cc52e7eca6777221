//! Local links: files and anchors.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Writes documents to link to.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .write("site/guide.html", "<h1 id=start>Guide</h1><a name=end></a>")
        .write("site/docs/Setup.md", "# Set up\n\n## On Linux\n\n## On Linux\n\n### One {#one}\n")
        .write("site/docs/two words.md", "# Two\n")
        .write("site/img/a.png", "")
        .write("site/with/index.html", "<p id=here>")
        .write("site/made/README.md", "# Made\n");
    sandbox
}

/// Asserts the result of a link in the document `site/docs/a.md`: `verdict code (reason)`, or
/// `skipped` if the link is not checked. `args` are further flags.
#[track_caller]
fn check(args: &[&str], link: &str, expected: &str) {
    check_in(args, "a.md", &format!("# Own\n\n[link](<{link}>)\n"), link, expected);
}

/// Like [`check`], in a document with this name and text.
#[track_caller]
fn check_in(args: &[&str], name: &str, text: &str, link: &str, expected: &str) {
    let sandbox = sandbox();
    let path = format!("site/docs/{name}");
    sandbox.write(&path, text);
    let output = sandbox.check(&[&["--offline"], args, &[&path]].concat());
    let rows = output.rows();
    let row = rows.results.iter().find(|row| row["url"] == link);
    let result = match row {
        None => "skipped".to_owned(),
        Some(row) => {
            // Returns a field with a space, or nothing if the row does not have the field.
            let field =
                |name: &str| row[name].as_str().map(|text| format!("{text} ")).unwrap_or_default();
            format!("{}{}({})", field("verdict"), field("code"), row["reason"].as_str().unwrap())
        }
    };
    assert_eq!(result, expected, "{link} in {name}: {output:?}");
    assert_eq!(output.exit_code, i32::from(expected.starts_with("local")), "{output:?}");
}

// Results of `check`.
const FILE: &str = "alive (the file exists)";
const DIRECTORY: &str = "alive (the directory exists)";
const ANCHOR: &str = "alive (the anchor exists)";
const MISSING: &str = "local RL601 (no such file)";

#[test]
fn relative_link_is_resolved_against_its_document() {
    check(&[], "Setup.md", FILE);
    check(&[], "./../guide.html?query=1", FILE);
    check(&[], "../img/a.png", FILE);
    check(&[], "gone.md", MISSING);
    check(&[], "two%20words.md", FILE);
}

#[test]
fn root_relative_link_needs_a_root_dir() {
    check(&[], "/guide.html", "skipped");
    check(&["--root-dir", "site"], "/guide.html", FILE);
    check(&["--root-dir", "site"], "/docs/Setup.md#set-up", ANCHOR);
    check(&["--root-dir", "site"], "/gone.html", MISSING);
    let sandbox = sandbox();
    sandbox.write("a.md", "");
    sandbox
        .check(&["a.md", "--root-dir", "nowhere"])
        .fails(2, &["no such directory", "--root-dir"]);
}

#[test]
fn directory_is_a_valid_target_unless_index_files_are_required() {
    check(&[], "../with", DIRECTORY);
    check(&[], "../img/", DIRECTORY);
    let flags = ["--index-files", "index.html,README.md"];
    check(&flags, "../with/", FILE);
    check(&flags, "../made", FILE);
    check(&flags, "../img", "local RL601 (the directory has no `index.html` or `README.md`)");
    check(&["--index-files", "index.html,."], "../img", DIRECTORY);
}

#[test]
fn anchor_of_a_directory_is_checked_in_its_index_page() {
    check(&[], "../with#here", ANCHOR);
    check(&[], "../made/#made", ANCHOR);
    check(&[], "../made#gone", "local RL603 (no anchor `#gone` in that directory's page)");
    check(&[], "../img#gone", "skipped");
    check(&["--index-files", "README.md"], "../made#made", ANCHOR);
}

#[test]
fn clean_urls_and_fallback_extensions_find_their_file() {
    check(&[], "../guide", FILE);
    check(&[], "../guide#start", ANCHOR);
    check(&[], "Setup", "local RL601 (no such file; there is `Setup.md`)");
    check(&["--fallback-extensions", "rst,md"], "Setup#on-linux", ANCHOR);
    check(&["--fallback-extensions", ".md"], "Setup", FILE);
}

#[test]
fn wrong_case_is_reported_with_the_real_name() {
    check(&[], "setup.md", "local RL601 (no such file; there is `Setup.md`)");
    check(&[], "../Docs/setup.md", "local RL601 (no such file; there is `docs/Setup.md`)");
    check(&[], "../guide.md", "local RL601 (no such file; there is `guide.html`)");
}

#[test]
fn file_url_is_checked_as_a_path() {
    let sandbox = sandbox();
    let existing = format!("file://{}#start", sandbox.path("site/guide.html").display());
    let gone = format!("file://{}", sandbox.path("gone.html").display());
    sandbox.write("a.md", &format!("[a]({existing}) [b]({gone}) [c](file://elsewhere/x)\n"));
    let rows = sandbox.check(&["--offline", "a.md"]).exits(1).rows();
    assert_eq!(rows.verdict(existing), "alive");
    assert_eq!(rows.verdict(gone), "local RL601");
    assert_eq!(rows.results.len(), 2);
}

#[test]
fn base_url_turns_relative_links_into_web_urls() {
    let web = TestServer::start_blocking();
    web.page("/a/guide.html", 200, "").page("/root.html", 200, "").page("/a/docs/x.html", 200, "");
    let base = web.url("/a/").to_string();
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/a.md", "# Own\n\n[a](guide.html) [b](/root.html) [c](#own)\n")
        .write("docs/b.md", "[x](x.html)\n");
    let rows = sandbox.check(&["docs/a.md", "--base-url", &base]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/a/guide.html")), "alive");
    assert_eq!(rows.verdict(web.url("/root.html")), "alive");
    assert_eq!(rows.verdict("#own"), "alive");
    // With a root directory, relative links keep the path of their document below the root.
    for root in [".", "./"] {
        let args = ["./docs/b.md", "--base-url", &base, "--root-dir", root];
        assert_eq!(
            sandbox.check(&args).exits(0).rows().verdict(web.url("/a/docs/x.html")),
            "alive"
        );
    }
    sandbox.check(&["docs/a.md", "--base-url", "ftp://a.test/"]).fails(2, &["--base-url"]);
}

#[test]
fn anchors_are_checked_in_local_files() {
    check(&[], "Setup.md#on-linux", ANCHOR);
    check(&[], "Setup.md#on-linux-1", ANCHOR);
    check(&[], "Setup.md#one", ANCHOR);
    check(&[], "Setup.md#L3-L5", ANCHOR);
    check(&[], "Setup.md#:~:text=Linux", ANCHOR);
    check(&[], "../guide.html#end", ANCHOR);
    check(&[], "../guide.html#top", ANCHOR);
    check(&[], "../guide.html#", FILE);
    check(&[], "../img/a.png#x", "skipped");
    let missing = "local RL603 (no anchor `#on-linus` in that file; there is `#on-linux`)";
    check(&[], "Setup.md#on-linus", missing);
    check(&[], "../guide.html#nothing", "local RL603 (no anchor `#nothing` in that file)");
    check(&[], "gone.md#x", MISSING);
}

#[test]
fn anchor_may_be_escaped_or_a_line_range() {
    // The anchors 1 and 9 exist; `#1-9` is the range of lines between them.
    let text = "<p id='a%20b'><p id='é'><p id=1><p id=9>\n<a href='{}'>x</a>\n";
    for link in ["#a%20b", "#%C3%A9", "#é", "#1-9"] {
        check_in(&[], "a.html", &text.replace("{}", link), link, ANCHOR);
    }
    let link = "#1-8";
    let missing = "local RL603 (no anchor `#1-8` in this document)";
    check_in(&[], "a.html", &text.replace("{}", link), link, missing);
}

#[test]
fn anchor_in_the_same_document_is_checked() {
    check(&[], "#own", ANCHOR);
    check(&[], "#top", ANCHOR);
    check(&[], "#gone", "local RL603 (no anchor `#gone` in this document)");
    check(&["--anchors", "off"], "#gone", "skipped");
    check(&["--anchors", "off"], "Setup.md#gone", FILE);
}

#[test]
fn anchor_style_can_be_chosen() {
    check(&[], "Setup.md#on-linux_1", ANCHOR);
    let missing = "local RL603 (no anchor `#on-linux_1` in that file; there is `#on-linux-1`)";
    check(&["--anchors", "github"], "Setup.md#on-linux_1", missing);
    check(&["--anchors", "mkdocs"], "Setup.md#on-linux_1", ANCHOR);
    let sandbox = sandbox();
    let output = sandbox.check(&["site", "--anchors", "word"]).exits(2);
    assert!(output.stderr.contains("expected one of any, github"), "{}", output.stderr);
}

#[test]
fn references_between_sources_resolve_to_source_files() {
    let rst = "Own\n===\n\n:doc:`page` :doc:`gone` :ref:`elsewhere` :download:`../img/a.png`\n";
    let sandbox = sandbox();
    sandbox.write("site/docs/page.rst", "Page\n====\n").write("site/docs/a.rst", rst);
    let rows = sandbox.check(&["--offline", "site/docs/a.rst"]).exits(1).rows();
    assert_eq!(rows.urls(), ["../img/a.png", "gone", "page"]);
    assert_eq!(rows.verdict("page"), "alive");
    assert_eq!(rows.verdict("gone"), "local RL601");
    // AsciiDoc.
    let adoc = "= Own\n\nxref:other.adoc#part[a] xref:gone.adoc[b] xref:ROOT:x.adoc[c] <<_here>>\n\n== Here\n";
    sandbox.write("site/docs/other.adoc", "[#part]\n== A\n").write("site/docs/a.adoc", adoc);
    let rows = sandbox.check(&["--offline", "site/docs/a.adoc"]).exits(1).rows();
    assert_eq!(rows.verdict("other.adoc#part"), "alive");
    assert_eq!(rows.verdict("gone.adoc"), "local RL601");
    assert_eq!(rows.verdict("#_here"), "alive");
    assert_eq!(rows.results.len(), 3);
    // Wiki links and includes.
    check_in(&[], "a.wiki", "[[Some page]] [[#Part]]\n", "Some page", "skipped");
    check_in(&[], "b.md", "[[Some page]]\n", "Some page", "skipped");
    check_in(&[], "b.md", "[[Setup]]\n", "Setup", FILE);
    check_in(&[], "b.md", "{{#include gone.rs}}\n", "gone.rs", MISSING);
}

#[test]
fn compressed_document_is_decompressed() {
    use std::io::Write as _;
    let sandbox = sandbox();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"[a](guide.html)\n[b](gone.html)").unwrap();
    std::fs::write(sandbox.path("site/a.md.gz"), encoder.finish().unwrap()).unwrap();
    let output = sandbox.check(&["--offline", "site/a.md.gz"]);
    let rows = output.rows();
    let code = |url| rows.results.iter().find(|row| row["url"] == url).map(|row| &row["code"]);
    assert_eq!(code("gone.html").and_then(|code| code.as_str()), Some("RL601"), "{output:?}");
    assert!(code("guide.html").is_none_or(serde_json::Value::is_null), "{output:?}");
    assert_eq!(output.exit_code, 1, "{output:?}");
}

#[test]
fn links_at_the_end_of_a_huge_document_are_checked() {
    let sandbox = sandbox();
    let filler = format!("<p>{}\n", "-".repeat(60_000)).repeat(300);
    let html = format!("{filler}<a href=docs/Setup.md>\n<a href=gone.md>");
    sandbox.write("site/a.html", &html);
    let output = sandbox.check(&["--offline", "site/a.html"]);
    let rows = output.rows();
    let broken: Vec<_> = rows.results.iter().filter(|row| row["code"] == "RL601").collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert_eq!(broken[0]["url"], "gone.md");
    // The filler has 300 lines.
    assert_eq!(broken[0]["locations"][0]["line"], 302);
    assert_eq!(output.exit_code, 1, "{output:?}");
}

#[test]
fn relative_base_changes_link_resolution() {
    let sandbox = Sandbox::new();
    sandbox.write("site/sub/a.html", "").write("site/b.html", "");
    for (base, links, missing) in [
        ("sub/", "<a href=a.html></a><a href=b.html></a><a href=../b.html></a>", "b.html"),
        ("sub/x.html", "<a href=a.html></a><a href=c.html></a>", "c.html"),
        ("./", "<a href=b.html></a><a href=a.html></a>", "a.html"),
    ] {
        sandbox.write("site/index.html", &format!("<base href='{base}'>{links}"));
        let rows = sandbox.check(&["--offline", "site/index.html"]).exits(1).rows();
        let findings: Vec<_> =
            rows.results.iter().filter(|row| row["verdict"] == "local").collect();
        assert_eq!(findings.len(), 1, "{base}");
        assert_eq!(findings[0]["url"], missing, "{base}");
    }
}

#[test]
fn root_relative_base_needs_a_root_dir() {
    let sandbox = Sandbox::new();
    sandbox
        .write("site/a.html", "")
        .write("site/deep/index.html", "<base href='/'><a href=a.html></a>");
    assert_eq!(sandbox.check(&["--offline", "site/deep"]).exits(0).rows().results.len(), 0);
    let rows = sandbox.check(&["--offline", "--root-dir", "site", "site/deep"]).exits(0).rows();
    assert_eq!(rows.verdict("a.html"), "alive");
}

#[test]
fn local_anchor_with_escapes_in_its_id_is_found() {
    let page = "<h1 id=a>A</h1><i id='impl-From%3CT%3E'></i><i id='b c'></i>\
                <a href='#impl-From%3CT%3E'>x</a>";
    // Replaces the link of the page.
    let page_with = |link: &str| page.replace("#impl-From%3CT%3E", link);
    for link in ["#impl-From%3CT%3E", "#impl-From<T>", "#b%20c", "#b c", "#:~:text=words"] {
        check_in(&[], "own.html", &page_with(link), link, ANCHOR);
    }
    let missing = "local RL603 (no anchor `#gone` in this document)";
    check_in(&[], "own.html", &page_with("#gone:~:text=words"), "#gone:~:text=words", missing);
}
