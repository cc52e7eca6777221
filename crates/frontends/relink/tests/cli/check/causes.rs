//! Findings grouped by cause, file, host and code.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Writes 20 documents with 3 links each into a folder that was renamed from `docs/old` to
/// `docs/new`, and a document with 2 links to another missing file.
fn renamed_folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.write(&format!("docs/new/{name}.md"), "# Title\n");
    }
    for number in 0..20 {
        let text = "[a](../old/one.md) [b](../old/one.md#title)\n\n[c](../old/two.md)\n";
        sandbox.write(&format!("docs/pages/{number:02}.md"), text);
    }
    sandbox.write("docs/index.md", "[x](gone.md) [y](gone.md#top)\n");
    sandbox
}

#[test]
fn renamed_folder_with_sixty_links_is_one_block() {
    let output = renamed_folder().check_human(&["docs"]).exits(1).stdout;
    assert_eq!(output.matches("RL601 local ·").count(), 2, "{output}");
    assert!(output.contains("62 broken links in 21 files, 2 causes"), "{output}");
    assert!(output.contains("docs/old/ (missing directory, 60 links to 2 files)"), "{output}");
    assert!(output.contains("these files exist in `docs/new/`"), "{output}");
    assert!(output.contains("docs/gone.md (missing file, 2 links)"), "{output}");
    assert!(output.contains("by code: RL601 local 62"), "{output}");
    assert!(output.lines().count() < 30, "{output}");
}

#[test]
fn quiet_report_has_one_line_per_cause() {
    let output = renamed_folder().check_human(&["docs", "-q"]).exits(1).stdout;
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 3, "{output}");
    assert!(lines[0].starts_with("docs/index.md:1:5: RL601 local docs/gone.md: "), "{output}");
    assert!(lines[2].ends_with("findings fail this run."), "{output}");
}

#[test]
fn quiet_report_of_a_clean_run_is_empty() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](a.md)\n");
    assert_eq!(sandbox.check_human(&["a.md", "-q"]).exits(0).stdout, "");
}

#[test]
fn max_findings_limits_the_list_and_counts_the_rest() {
    let sandbox = renamed_folder();
    let output = sandbox.check_human(&["docs", "--max-findings", "1"]).exits(1).stdout;
    assert_eq!(output.matches("RL601 local ·").count(), 1, "{output}");
    assert!(output.contains("… and 1 more (60 links)"), "{output}");
    // `0` lists all findings.
    let all = sandbox.check_human(&["docs", "--max-findings", "0"]).exits(1).stdout;
    assert_eq!(all.matches("RL601 local ·").count(), 2, "{all}");
}

#[test]
fn sort_by_links_lists_the_largest_cause_first() {
    let sandbox = renamed_folder();
    // Returns the positions of the renamed folder and of the other missing file in the report.
    let positions = |args: &[&str]| {
        let output = sandbox.check_human(args).exits(1).stdout;
        (output.find("docs/old/ (").unwrap(), output.find("docs/gone.md (").unwrap())
    };
    let (old, gone) = positions(&["docs"]);
    assert!(gone < old);
    let (old, gone) = positions(&["docs", "--sort", "links"]);
    assert!(old < gone);
}

#[test]
fn group_by_file_lists_every_link_below_its_file() {
    let output =
        renamed_folder().check_human(&["docs", "--group-by", "file", "-v"]).exits(1).stdout;
    assert!(output.contains("\ndocs/pages/07.md (3 links)\n  1:5  RL601 local"), "{output}");
    assert_eq!(output.matches(": no such file").count(), 62, "{output}");
}

#[test]
fn group_by_host_and_code_have_one_title_per_group() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let text = format!("<{}> <{}> [z](none.md)\n", web.url("/gone"), web.url("/lost"));
    sandbox.write("a.md", &text);
    let by_host = sandbox.check_human(&["a.md", "--group-by", "host"]).exits(1).stdout;
    assert!(by_host.contains("\n127.0.0.1 (2 links)\n"), "{by_host}");
    assert!(by_host.contains("\nlocal files (1 link)\n"), "{by_host}");
    let by_code = sandbox.check_human(&["a.md", "--group-by", "code"]).exits(1).stdout;
    assert!(by_code.contains("\nRL101 not found or gone (2 links)\n"), "{by_code}");
}

#[test]
fn dead_pages_of_one_directory_are_one_block() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    sandbox.write_urls("urls.txt", ["1", "2", "3"].map(|name| web.url(&format!("/blog/{name}"))));
    let output = sandbox.check_human(&["urls.txt"]).exits(1).stdout;
    let title = format!("RL101 dead · {} (directory, 3 links to 3 pages)", web.url("/blog/"));
    assert!(output.contains(&title), "{output}");
    assert!(output.ends_with("3 findings fail this run.\n"), "{output}");
}

#[test]
fn single_url_shows_status_hops_and_title() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/new", 200, "<title>The new page</title>").redirect("/old", 301, "/new");
    let output = sandbox.check_human(&[web.url("/old").as_str()]).exits(0).stdout;
    assert!(output.contains("  301 Moved Permanently → /new\n  200 OK\n"), "{output}");
    assert!(output.contains("  \"The new page\", "), "{output}");
}
