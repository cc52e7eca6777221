//! Passwords in URLs are never shown.

use relink_testkit::web::{RecordedRequest, TestServer};

use crate::sandbox::Sandbox;

/// A password that must not appear in any output.
const SECRET: &str = "hunter2-correct-horse";

/// Asserts that a file of the project does not contain the password.
#[track_caller]
fn assert_no_secret(sandbox: &Sandbox, name: &str) {
    let bytes = std::fs::read(sandbox.path(name)).unwrap();
    let has_secret = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!has_secret, "{name} contains the password");
}

#[test]
fn password_in_a_url_is_never_shown() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    web.redirect("/loop", 302, &format!("http://ann:{SECRET}@127.0.0.1:{}/loop", web.port()));
    let sandbox = Sandbox::new();
    let with_password = |path: &str| format!("http://ann:{SECRET}@127.0.0.1:{}{path}", web.port());
    sandbox.write(
        "a.md",
        &format!(
            "[good]({}) [gone]({}) [bad](//ann:{SECRET}@127.0.0.1:99999/)\n",
            with_password("/good"),
            with_password("/gone")
        ),
    );
    let listed_urls = [
        with_password("/other"),
        format!("http://ann:{SECRET}@exa mple/"),
        format!("https://ann:{SECRET}@[::bad/"),
        web.url("/loop").into(),
    ];
    sandbox.write_urls("urls.txt", listed_urls);
    let page = with_password("/good");
    let outputs = ["-o", "o.json", "-o", "o.jsonl", "-o", "o.txt"];
    let output =
        sandbox.check_human(&[&["a.md", "urls.txt", &page, "--verbose"], &outputs[..]].concat());
    let output = output.exits(1);
    assert!(!output.stdout.contains(SECRET) && !output.stderr.contains(SECRET), "{output:?}");
    for name in ["o.json", "o.jsonl", "o.txt", "relink.db"] {
        assert_no_secret(&sandbox, name);
    }
    let has_login = |request: &RecordedRequest| request.header("authorization").is_some();
    assert!(!web.requests().iter().any(has_login));
}

#[test]
fn password_in_an_invalid_argument_is_not_repeated() {
    let sandbox = Sandbox::new();
    let invalid = format!("http://ann:{SECRET}@exa mple/");
    let output = sandbox.check(&[&invalid]).exits(2);
    assert!(!output.stderr.contains(SECRET), "{}", output.stderr);
}
