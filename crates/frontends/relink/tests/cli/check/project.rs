//! Settings that a project's `relink.toml` may and may not change. Anyone who can
//! propose a change to the project can edit this file.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{RecordedRequest, TestServer};

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// A header with a password, which only the server of the user may get.
const SECRET_HEADER: &str = "Authorization: Bearer hunter2";

/// Creates a project with one link to a live page.
fn project(web: &TestServer) -> Sandbox {
    web.page("/ok", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", &format!("[a]({})\n", web.url("/ok")));
    sandbox
}

/// Runs `relink check` for the documents, with the secret header for the server.
fn check(sandbox: &Sandbox, web: &TestServer, args: &[&str]) -> CommandOutput {
    let host = web.address().to_string();
    let command = ["check", "docs", "--header-for", &host, SECRET_HEADER, "--max-cache-age", "0"];
    sandbox.run(&[&command, NO_DELAYS, args].concat())
}

/// Asserts that a key of the project is ignored with a warning and a hint.
#[track_caller]
fn assert_ignored(output: &CommandOutput, key: &str) {
    let warning = format!("warning: `{key}` in `relink.toml` is ignored");
    assert!(output.stderr.contains(&warning), "no `{warning}` in:\n{}", output.stderr);
    let hint = format!("config/relink/config.toml`, or use `--{key}`");
    assert!(output.stderr.contains(&hint), "no `{hint}` in:\n{}", output.stderr);
}

#[test]
fn proxy_of_a_project_is_ignored() {
    let (web, proxy) = (TestServer::start_blocking(), ForwardProxy::start_blocking());
    let sandbox = project(&web);
    let setting = format!("proxy = \"http://{}\"\n", proxy.address());
    sandbox.write("relink.toml", &setting);
    for args in [&[][..], &["--config", "relink.toml"]] {
        let output = check(&sandbox, &web, args).exits(0);
        assert_ignored(&output, "proxy");
        assert_eq!(proxy.connections(), 0, "the proxy of the project is not used");
    }
    let has_secret = |request: &RecordedRequest| request.header("authorization").is_some();
    assert!(web.requests().iter().any(has_secret), "the host gets its header");
    sandbox.write("relink.toml", "").write_user_config(&setting);
    check(&sandbox, &web, &[]).exits(0);
    assert!(proxy.connections() > 0, "the user's own configuration is used");
}

#[test]
fn config_outside_of_the_project_is_used() {
    let (web, proxy) = (TestServer::start_blocking(), ForwardProxy::start_blocking());
    let sandbox = project(&web);
    sandbox.write("../ci.toml", &format!("proxy = \"http://{}\"\n", proxy.address()));
    sandbox.write("relink.toml", "");
    let output = check(&sandbox, &web, &["--config", "../ci.toml"]).exits(0);
    assert_eq!(output.stderr, "");
    assert!(proxy.connections() > 0);
}

#[test]
fn settings_of_a_project_that_affect_requests_are_ignored() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let sandbox = project(&web);
    let port = other.port();
    let lines = [
        ("allow-private", "allow-private = true".to_owned()),
        ("contact", "contact = \"https://example.org/\"".to_owned()),
        ("dns-server", format!("dns-server = \"127.0.0.1:{port}\"")),
        ("header", "header = [\"X-Evil: 1\"]".to_owned()),
        (
            "header-for",
            format!("header-for = {{ \"127.0.0.1:{}\" = [\"X-Evil: 1\"] }}", web.port()),
        ),
        ("resolve", "resolve = [\"example.org:80:127.0.0.1\"]".to_owned()),
        ("user-agent", "user-agent = \"Evil/1\"".to_owned()),
    ];
    for (key, line) in &lines {
        sandbox.write("relink.toml", &format!("{line}\n"));
        assert_ignored(&check(&sandbox, &web, &[]).exits(0), key);
    }
    let is_evil = |request: &RecordedRequest| {
        request.header("x-evil").is_some() || request.header("user-agent").unwrap().contains("Evil")
    };
    assert!(!web.requests().iter().any(is_evil));
}

#[test]
fn archives_and_engines_of_a_project_are_ignored() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", &format!("[a]({})\n", web.url("/gone")));
    let address = other.address();
    sandbox.write(
        "relink.toml",
        &format!(
            "[revive]\narchive = [\"http://{address}\"]\nsearch = [\"json:http://{address}/?q={{query}}\"]\n"
        ),
    );
    let args = ["check", "docs", "--revive", "--archive", "none"];
    let output = sandbox.run(&[&args, NO_DELAYS].concat()).exits(1);
    assert!(
        output.stderr.contains("`revive.archive` in `relink.toml` is ignored"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("or use `--search`"), "{}", output.stderr);
    assert_eq!(other.connections(), 0);
}

#[test]
fn database_of_a_project_stays_in_the_project() {
    let web = TestServer::start_blocking();
    let sandbox = project(&web);
    for path in ["../planted.db", sandbox.home().join("planted.db").to_str().unwrap()] {
        sandbox.write("relink.toml", &format!("db = \"{path}\"\n"));
        assert_ignored(&check(&sandbox, &web, &[]).exits(0), "db");
        assert!(!sandbox.path(path).exists());
    }
    sandbox.write("relink.toml", "db = \"cache/mine.db\"\n");
    let output = check(&sandbox, &web, &[]).exits(0);
    assert_eq!(output.stderr, "");
    assert!(sandbox.path("cache/mine.db").exists());
}

#[test]
fn report_names_what_the_project_sets() {
    let web = TestServer::start_blocking();
    let sandbox = project(&web);
    sandbox
        .write("relink.toml", "exclude = [\".\"]\nfail-on = []\nproxy = \"http://127.0.0.1:1\"\n");
    let output = check(&sandbox, &web, &[]).exits(0);
    assert!(output.stdout.contains("relink.toml sets: exclude, fail-on\n"), "{}", output.stdout);
    let output = check(&sandbox, &web, &["--format", "json"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        report["project_config"],
        serde_json::json!({ "file": "relink.toml", "sets": ["exclude", "fail-on"], "ignored": ["proxy"] })
    );
    let output = check(&sandbox, &web, &["--format", "jsonl"]).exits(0);
    assert!(
        output.stderr.contains("warning: relink.toml sets: exclude, fail-on"),
        "{}",
        output.stderr
    );
}
