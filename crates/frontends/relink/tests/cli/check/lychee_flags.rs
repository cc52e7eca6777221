//! Flags that users of lychee expect.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

#[test]
fn inputs_are_read_from_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](gone.md)\n").write("b.md", "[x](gone.md)\n");
    sandbox.write("list.txt", "# inputs\na.md\n\n");
    let output = sandbox.check_human(&["--files-from", "list.txt"]).exits(1).stdout;
    assert!(output.starts_with("Checked 1 link in 1 file"), "{output}");
    sandbox.check_human(&["--files-from", "missing.txt"]).fails(2, &["list of inputs"]);
}

#[test]
fn hidden_and_ignored_files_are_read_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write(".git/HEAD", "").write(".gitignore", "build/\n");
    sandbox.write("a.md", "").write(".hidden/b.md", "[x](gone.md)\n");
    sandbox.write("build/c.md", "[x](gone.md)\n");
    sandbox.check_human(&["."]).exits(0);
    let hidden = sandbox.check_human(&[".", "--hidden"]).exits(1).stdout;
    assert!(hidden.contains(".hidden/b.md") && !hidden.contains("build/c.md"), "{hidden}");
    let all = sandbox.check_human(&[".", "--no-ignore"]).exits(1).stdout;
    assert!(all.contains(".hidden/b.md") && all.contains("build/c.md"), "{all}");
}

#[test]
fn redirects_are_limited() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.redirect("/a", 302, "/b").redirect("/b", 302, "/c").page("/c", 200, "");
    sandbox.write_urls("urls.txt", [web.url("/a")]);
    sandbox.check_human(&["urls.txt"]).exits(0);
    sandbox.check_human(&["urls.txt", "--max-redirects", "1", "--max-cache-age", "0"]).exits(1);
}

#[test]
fn exit_codes_of_lychee_are_used_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](gone.md)\n").write("b.md", "");
    sandbox.check_human(&["a.md", "--exit-codes", "lychee"]).exits(2);
    sandbox.check_human(&["b.md", "--exit-codes", "lychee"]).exits(0);
    sandbox.check_human(&["missing.md", "--exit-codes", "lychee"]).exits(3);
}

#[test]
fn remapped_url_is_checked_at_its_new_location() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/new/a", 200, "<h1>A</h1>");
    sandbox.write("a.md", "[x](https://docs.example.org/old/a)\n");
    let rule = format!("^https://docs.example.org/old/(.*)$ {}$1", web.url("/new/"));
    let rows = sandbox.check(&["a.md", "--remap", &rule]).rows();
    assert_eq!(rows.results.len(), 1);
    assert_eq!(rows.results.first().unwrap()["verdict"], "alive");
    sandbox
        .check_human(&["a.md", "--remap", "https://example.org/"])
        .fails(2, &["a space and a URL"]);
}

#[test]
fn links_in_code_are_checked_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "`[x](gone.md)`\n\n```\nhttps://a.invalid:99999/\n```\n");
    sandbox.check_human(&["a.md", "--offline"]).exits(0);
    let output = sandbox.check_human(&["a.md", "--offline", "--include-verbatim"]).exits(1).stdout;
    assert!(output.contains("a.invalid:99999"), "{output}");
}

#[test]
fn mail_addresses_are_checked_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.md",
        "[a](mailto:a@example.org?subject=x) [b](mailto:b.example.org) [c](mailto:?to=)\n",
    );
    sandbox.check_human(&["a.md", "--offline"]).exits(0);
    let output = sandbox.check_human(&["a.md", "--offline", "--include-mail"]).exits(1).stdout;
    assert!(output.contains("invalid mail address `b.example.org`"), "{output}");
    assert_eq!(output.matches("RL602").count(), 1, "{output}");
}

#[test]
fn only_files_with_the_given_extensions_are_read() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a.md", "[x](gone.md)\n").write("d/b.html", "<a href='gone.html'>x</a>");
    let output = sandbox.check_human(&["d", "--offline", "--extensions", "html"]).exits(1).stdout;
    assert!(output.contains("b.html") && !output.contains("a.md"), "{output}");
}
