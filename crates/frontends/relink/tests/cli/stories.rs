//! Acceptance stories of users, one test each. The number is the number of the story.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::git_project::init;
use crate::sandbox::{NO_DELAYS, Sandbox};

/// A documentation maintainer checks a directory.
#[test]
fn story_2_findings_have_code_location_snippet_reason_and_help() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    sandbox.write("docs/a.md", &format!("# A\n\nsee [guide]({})\n", web.url("/gone")));
    let output = sandbox.check_human(&["docs/"]).exits(1);
    let text = &output.stdout;
    for part in
        ["RL101 dead · ", "docs/a.md:3:13", "see [guide](", "^^^^ 404 in 2 attempts", "help: "]
    {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert_eq!(output.stderr, "");
    assert!(!text.contains(['\r', '\u{1b}']), "{text:?}");
}

/// A documentation maintainer gates a branch.
#[test]
fn story_3_since_fails_only_on_new_dead_links() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let old: Vec<String> =
        (1..5).map(|number| format!("<{}>\n", web.url(&format!("/old{number}")))).collect();
    sandbox.write("docs/old.md", &old.concat());
    init(&sandbox);
    sandbox.write("docs/new.md", &format!("<{}>\n", web.url("/new")));
    let args = ["docs", "--since", "main"];
    let output = sandbox.check_human(&args).exits(1).stdout;
    assert_eq!(output.matches("RL101 dead · ").count(), 1, "{output}");
    assert!(output.contains(&format!("RL101 dead · {}", web.url("/new"))), "{output}");
    assert!(output.ends_with("1 finding fails this run.\n"), "{output}");
    std::fs::remove_file(sandbox.path("docs/new.md")).unwrap();
    let output = sandbox.check_human(&args).exits(0).stdout;
    for number in 1..5 {
        assert!(output.contains(&web.url(&format!("/old{number}")).to_string()), "{output}");
    }
    assert!(output.contains("4 known broken links do not fail this run"), "{output}");
}

/// A documentation maintainer sees a server error.
#[test]
fn story_4_server_errors_are_dead_only_after_days() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    // The page fails once and works afterwards.
    let responses = [CannedResponse::new(500, ""), CannedResponse::new(200, "")];
    web.sequence("/flaky", responses).page("/down", 500, "");
    sandbox.write_urls("urls.txt", [web.url("/flaky"), web.url("/down")]);
    let check_at = |now: &str| {
        let args = [&["check", "--db", "relink.db", "urls.txt"], NO_DELAYS].concat();
        sandbox.run_at(now, &args)
    };
    let first = check_at("2026-11-01T09:00:00Z").exits(0).stdout;
    assert!(
        first.contains("failed in 1 run, dead after 3 in a row") && !first.contains("✗"),
        "{first}"
    );
    let second = check_at("2026-11-03T09:00:00Z").exits(0).stdout;
    assert!(
        second.contains("failed in 2 runs, dead after 3 in a row") && second.contains("✓ 1 alive"),
        "{second}"
    );
    let third = check_at("2026-11-05T09:00:00Z").exits(1).stdout;
    assert!(third.contains("✗ 1 dead") && third.contains("✓ 1 alive"), "{third}");
}

/// A documentation maintainer links to hosts that block programs.
#[test]
fn story_5_blocked_pages_do_not_fail_unless_requested() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/good", 200, "").page("/403", 403, "").page("/418", 418, "");
    web.respond("/429", CannedResponse::new(429, "").with_header("retry-after", "0"));
    sandbox.write_urls("urls.txt", ["/good", "/403", "/418", "/429"].map(|path| web.url(path)));
    let output = sandbox.check_human(&["urls.txt"]).exits(0).stdout;
    assert!(output.contains("⛔ 3 blocked") && output.contains("not judged"), "{output}");
    sandbox.check_human(&["urls.txt", "--fail-on", "blocked"]).exits(1);
}

/// The owner of a CI pipeline writes several reports in one run.
#[test]
fn story_10_one_run_writes_sarif_annotations_and_html() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    sandbox.write("docs/a b.md", &format!("[x]({}) [y](gone.md)\n", web.url("/gone")));
    let outputs = ["a.json", "b.html", "c.sarif", "d.xml", "e.md", "f.csv", "gitlab=g.json"];
    let outputs: Vec<&str> = outputs.iter().flat_map(|output| ["-o", output]).collect();
    let args = [&["docs", "--format", "github"], outputs.as_slice()].concat();
    let output = sandbox.check_human(&args).exits(1).stdout;
    assert_eq!(output.matches("::error file=docs/a b.md,line=1,").count(), 2, "{output}");
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&sandbox.read(name)).unwrap();
    assert_eq!(json("a.json")["summary"]["exit"], 1);
    let sarif = json("c.sarif");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    assert_eq!(json("g.json").as_array().unwrap().len(), 2);
    assert!(sandbox.read("b.html").contains("2 broken links"));
    assert!(sandbox.read("d.xml").contains("failures=\"2\""));
    assert!(sandbox.read("e.md").contains("2 links in 1 file checked, 2 broken."));
    assert_eq!(sandbox.read("f.csv").lines().count(), 3);
}

/// A librarian checks a column of a table.
#[test]
fn story_11_table_gets_columns_with_the_results() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/good", 200, "").redirect("/old", 301, "/good");
    let rows = [("Beetles", "/good"), ("=1+1", "/gone"), ("Birds, all", "/old")];
    let rows = rows.map(|(title, path)| format!("\"{title}\",{},x\n", web.url(path)));
    sandbox.write("links.csv", &format!("title,url,note\n{}", rows.concat()));
    let args = ["links.csv", "--column", "url", "-o", "out.xlsx", "-o", "out.csv"];
    sandbox.check_human(&args).exits(1);
    let table = sandbox.read("out.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "title,url,note,verdict,code,status,since,reason,new_url,archive_url");
    assert!(
        lines[1].starts_with(&format!("Beetles,{},x,alive,,200,", web.url("/good"))),
        "{table}"
    );
    assert!(
        lines[2].starts_with(&format!("\"'=1+1\",{},x,dead,RL101,404,", web.url("/gone"))),
        "{table}"
    );
    assert!(
        lines[3].starts_with("\"Birds, all\"")
            && lines[3].contains(&format!(",{},", web.url("/good"))),
        "{table}"
    );
    assert!(std::fs::read(sandbox.path("out.xlsx")).unwrap().starts_with(b"PK"));
}
