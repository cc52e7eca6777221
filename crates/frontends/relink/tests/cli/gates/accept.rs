//! `--accept` and `--accept-for`.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Starts a server with a page that is gone (410). Writes a list with the URL of the page.
fn site() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/gone", 410, "");
    sandbox.write_urls("urls.txt", [web.url("/gone")]);
    (web, sandbox)
}

#[test]
fn accepted_statuses_and_codes_do_not_fail() {
    let (_web, sandbox) = site();
    for accept in ["410", "403,410", "400..=499", "RL101"] {
        let output = sandbox.check_human(&["urls.txt", "--accept", accept]).exits(0).stdout;
        assert!(output.contains("1 page has an accepted code"), "{accept}: {output}");
    }
    sandbox.check_human(&["urls.txt", "--accept", "404"]).exits(1);
    sandbox.check_human(&["urls.txt", "--accept-for", "127.0.0.1", "410"]).exits(0);
    sandbox.check_human(&["urls.txt", "--accept-for", "example.org", "410"]).exits(1);
}

#[test]
fn project_file_accepts_codes_per_host_but_sets_no_headers() {
    let (web, sandbox) = site();
    let text = "[host.\"127.0.0.1\"]\naccept = [410]\nheaders = { Cookie = \"secret\" }\n";
    sandbox.write("relink.toml", text);
    let output = sandbox.check_human(&["urls.txt"]).exits(0);
    assert!(
        output.stderr.contains("`host.127.0.0.1.headers` in `relink.toml` is ignored"),
        "{output:?}"
    );
    assert!(web.requests().iter().all(|request| request.header("cookie").is_none()));
}

#[test]
fn invalid_codes_exit_2() {
    let (_web, sandbox) = site();
    let output = sandbox.check_human(&["urls.txt", "--accept", "abc"]).exits(2);
    assert!(output.stderr.contains("invalid code: `abc`"), "{output:?}");
}
