//! `relink baseline` and `relink check --baseline`.

use relink_testkit::web::TestServer;

use crate::sandbox::{NO_DELAYS, Sandbox};

/// Runs `relink baseline` without delays.
fn write_baseline(sandbox: &Sandbox, args: &[&str]) -> crate::sandbox::CommandOutput {
    sandbox.run(&[&["baseline", "--db", "relink.db"], NO_DELAYS, args].concat())
}

#[test]
fn findings_of_the_baseline_do_not_fail() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    sandbox.write("docs/a.md", &format!("[x](gone.md) <{}>\n", web.url("/gone")));
    let output = write_baseline(&sandbox, &["docs"]).exits(0).stdout;
    assert!(output.starts_with("wrote 2 findings to relink-baseline.json"), "{output}");

    let args = &["docs", "--baseline", "relink-baseline.json"];
    let known = sandbox.check_human(args).exits(0).stdout;
    assert!(known.contains("2 known broken links, listed in `relink-baseline.json`"), "{known}");

    sandbox.write("docs/b.md", "[y](gone.md)\n");
    let new = sandbox.check_human(args).exits(1).stdout;
    assert!(new.contains("docs/b.md:1:5") && new.contains("1 finding fails"), "{new}");

    sandbox.write("docs/gone.md", "").write("docs/b.md", "");
    let fixed = sandbox.check_human(args).exits(0).stdout;
    assert!(fixed.contains("1 finding of the baseline is fixed"), "{fixed}");
}

#[test]
fn baseline_is_valid_in_every_directory_of_the_project() {
    let sandbox = Sandbox::new();
    sandbox
        .write("relink.toml", "baseline = \"known.json\"\n")
        .write("docs/a.md", "[x](gone.md)\n");
    write_baseline(&sandbox, &["docs"]).exits(0);
    assert!(sandbox.read("known.json").contains("\"path\":\"docs/a.md\""));
    let mut command =
        sandbox.command(&["check", "--db", "x.db", "a.md", "--baseline", "../known.json"]);
    let output = command.current_dir(sandbox.path("docs")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn baseline_contains_no_password() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let url = web.url("/gone").to_string().replace("http://", "http://ann:secret@");
    sandbox.write("a.md", &format!("<{url}>\n"));
    write_baseline(&sandbox, &["a.md"]).exits(0);
    assert!(!sandbox.read("relink-baseline.json").contains("secret"));
    sandbox.check_human(&["a.md", "--baseline", "relink-baseline.json"]).exits(0);
}

#[test]
fn missing_and_invalid_baselines_exit_2() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "").write("x.json", "{}");
    for file in ["missing.json", "x.json"] {
        sandbox.check_human(&["a.md", "--baseline", file]).fails(2, &["relink baseline"]);
    }
}
