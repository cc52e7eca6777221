//! What a project's `relink.toml` may set, and what it may not: anyone who can
//! propose a change to the project can write this file.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{RecordedRequest, TestServer};

use crate::desk::{Desk, QUICK, Said};

const SECRET: &str = "Authorization: Bearer hunter2";

/// A project with one link to a page that is there.
fn project(web: &TestServer) -> Desk {
    web.page("/ok", 200, "");
    let desk = Desk::new();
    desk.write("docs/a.md", &format!("[a]({})\n", web.url("/ok")));
    desk
}

/// Checks the documents with a secret header for the server.
fn check(desk: &Desk, web: &TestServer, args: &[&str]) -> Said {
    let host = web.address().to_string();
    let header = ["check", "docs", "--header-for", &host, SECRET, "--max-age", "0"];
    desk.run(&[&header, QUICK, args].concat())
}

#[track_caller]
fn assert_ignored(said: &Said, key: &str) {
    let warning = format!("warning: `{key}` in `relink.toml` is ignored");
    assert!(said.stderr.contains(&warning), "no `{warning}` in:\n{}", said.stderr);
    let hint = format!("config/relink/config.toml`, or give `--{key}`");
    assert!(said.stderr.contains(&hint), "no `{hint}` in:\n{}", said.stderr);
}

#[test]
fn proxy_of_a_project_is_ignored() {
    let (web, proxy) = (TestServer::start_blocking(), ForwardProxy::start_blocking());
    let desk = project(&web);
    let setting = format!("proxy = \"http://{}\"\n", proxy.address());
    desk.write("relink.toml", &setting);
    for args in [&[][..], &["--config", "relink.toml"]] {
        let said = check(&desk, &web, args).exits(0);
        assert_ignored(&said, "proxy");
        assert_eq!(proxy.connections(), 0, "a project chose the proxy");
    }
    let is_told = |seen: &RecordedRequest| seen.header("authorization").is_some();
    assert!(web.requests().iter().any(is_told), "the secret goes where it belongs");
    desk.write("relink.toml", "").write_user_config(&setting);
    check(&desk, &web, &[]).exits(0);
    assert!(proxy.connections() > 0, "the user's own file counts");
}

#[test]
fn config_outside_of_the_project_counts() {
    let (web, proxy) = (TestServer::start_blocking(), ForwardProxy::start_blocking());
    let desk = project(&web);
    desk.write("../ci.toml", &format!("proxy = \"http://{}\"\n", proxy.address()));
    desk.write("relink.toml", "");
    let said = check(&desk, &web, &["--config", "../ci.toml"]).exits(0);
    assert_eq!(said.stderr, "");
    assert!(proxy.connections() > 0);
}

#[test]
fn settings_of_a_project_that_move_secrets_are_ignored() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let desk = project(&web);
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
        desk.write("relink.toml", &format!("{line}\n"));
        assert_ignored(&check(&desk, &web, &[]).exits(0), key);
    }
    let is_evil = |seen: &RecordedRequest| {
        seen.header("x-evil").is_some() || seen.header("user-agent").unwrap().contains("Evil")
    };
    assert!(!web.requests().iter().any(is_evil));
}

#[test]
fn archives_and_engines_of_a_project_are_ignored() {
    let (web, other) = (TestServer::start_blocking(), TestServer::start_blocking());
    let desk = Desk::new();
    desk.write("docs/a.md", &format!("[a]({})\n", web.url("/gone")));
    let at = other.address();
    desk.write(
        "relink.toml",
        &format!(
            "[revive]\narchive = [\"http://{at}\"]\nsearch = [\"json:http://{at}/?q={{query}}\"]\n"
        ),
    );
    let args = ["check", "docs", "--revive", "--archive", "none"];
    let said = desk.run(&[&args, QUICK].concat()).exits(1);
    assert!(
        said.stderr.contains("`revive.archive` in `relink.toml` is ignored"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("or give `--search`"), "{}", said.stderr);
    assert_eq!(other.connections(), 0);
}

#[test]
fn database_of_a_project_stays_in_the_project() {
    let web = TestServer::start_blocking();
    let desk = project(&web);
    for path in ["../planted.db", desk.home().join("planted.db").to_str().unwrap()] {
        desk.write("relink.toml", &format!("db = \"{path}\"\n"));
        assert_ignored(&check(&desk, &web, &[]).exits(0), "db");
        assert!(!desk.path(path).exists());
    }
    desk.write("relink.toml", "db = \"cache/mine.db\"\n");
    let said = check(&desk, &web, &[]).exits(0);
    assert_eq!(said.stderr, "");
    assert!(desk.path("cache/mine.db").exists());
}

#[test]
fn report_names_what_the_project_sets() {
    let web = TestServer::start_blocking();
    let desk = project(&web);
    desk.write("relink.toml", "exclude = [\".\"]\nfail-on = []\nproxy = \"http://127.0.0.1:1\"\n");
    let said = check(&desk, &web, &[]).exits(0);
    assert!(said.stdout.contains("relink.toml sets: exclude, fail-on\n"), "{}", said.stdout);
    let said = check(&desk, &web, &["--format", "json"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(
        report["project_config"],
        serde_json::json!({ "file": "relink.toml", "sets": ["exclude", "fail-on"], "ignored": ["proxy"] })
    );
    let said = check(&desk, &web, &["--format", "jsonl"]).exits(0);
    assert!(said.stderr.contains("note: relink.toml sets: exclude, fail-on"), "{}", said.stderr);
}
