//! Flags that users of lychee expect.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

#[test]
fn inputs_are_read_from_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](gone.md)\n").write("b.md", "[x](gone.md)\n");
    sandbox.write("list.txt", "# inputs\na.md\n\n");
    let output = sandbox.report(&["--files-from", "list.txt"]).exits(1).stdout;
    assert!(output.starts_with("Checked 1 link in 1 file"), "{output}");
    sandbox.report(&["--files-from", "missing.txt"]).fails(2, &["list of inputs"]);
}

#[test]
fn hidden_and_ignored_files_are_read_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write(".git/HEAD", "").write(".gitignore", "build/\n");
    sandbox.write("a.md", "").write(".hidden/b.md", "[x](gone.md)\n");
    sandbox.write("build/c.md", "[x](gone.md)\n");
    sandbox.report(&["."]).exits(0);
    let hidden = sandbox.report(&[".", "--hidden"]).exits(1).stdout;
    assert!(hidden.contains(".hidden/b.md") && !hidden.contains("build/c.md"), "{hidden}");
    let all = sandbox.report(&[".", "--no-ignore"]).exits(1).stdout;
    assert!(all.contains(".hidden/b.md") && all.contains("build/c.md"), "{all}");
}

#[test]
fn redirects_are_limited() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.redirect("/a", 302, "/b").redirect("/b", 302, "/c").page("/c", 200, "");
    sandbox.list("urls.txt", [web.url("/a")]);
    sandbox.report(&["urls.txt"]).exits(0);
    sandbox.report(&["urls.txt", "--max-redirects", "1", "--max-cache-age", "0"]).exits(1);
}

#[test]
fn exit_codes_of_lychee_are_used_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](gone.md)\n").write("b.md", "");
    sandbox.report(&["a.md", "--exit-codes", "lychee"]).exits(2);
    sandbox.report(&["b.md", "--exit-codes", "lychee"]).exits(0);
    sandbox.report(&["missing.md", "--exit-codes", "lychee"]).exits(3);
}
