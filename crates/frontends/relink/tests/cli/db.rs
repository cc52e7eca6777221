//! `relink db`.

use relink_testkit::web::TestServer;

use crate::sandbox::{CommandOutput, Sandbox};

#[test]
fn default_database_is_per_project_in_the_data_directory() {
    let sandbox = Sandbox::new();
    let path = sandbox.run(&["db", "path"]).exits(0).stdout;
    let prefix = sandbox.home().join("data/relink/project-").display().to_string();
    assert!(path.starts_with(&prefix) && path.ends_with(".db\n"), "{path}");
    sandbox.write("a.md", "text\n");
    sandbox.run(&["check", "a.md"]).exits(0);
    assert!(std::path::Path::new(path.trim_end()).exists());
    let other = Sandbox::new().run(&["db", "path"]).exits(0).stdout;
    assert_ne!(path, other);
}

#[test]
fn db_flag_overrides_the_default_database() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["db", "path", "--db", "x.db"]).exits(0).stdout, "x.db\n");
}

#[test]
fn reading_commands_do_not_create_a_database() {
    let sandbox = Sandbox::new();
    for command in ["size", "prune", "vacuum"] {
        let result = sandbox.run(&["db", command, "--db", "x.db"]).exits(2);
        assert!(result.stderr.contains("hint: "), "{}", result.stderr);
    }
    assert!(!sandbox.path("x.db").exists());
}

#[test]
fn prune_deletes_old_runs_and_probes_but_no_target() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/good"), web.url("/gone")]);
    for day in ["01", "03", "15"] {
        sandbox.check_at(&format!("2026-11-{day}T09:00:00Z"), &["urls.txt"]).exits(1);
    }
    // Runs `relink db` and returns the counts of its first line.
    let db_counts = |args: &[&str], now: &str| {
        let mut command = sandbox.command(&[&["db", "--db", "relink.db"], args].concat());
        let result = CommandOutput::new(&command.env("RELINK_NOW", now).output().unwrap());
        let text = result.exits(0).stdout;
        text.split_once(": ").unwrap().1.lines().next().unwrap().to_owned()
    };
    let now = "2026-11-15T10:00:00Z";
    assert_eq!(db_counts(&["size"], now), "3 runs, 2 targets, 9 probes");
    assert_eq!(db_counts(&["prune", "--older-than", "7d"], now), "1 run, 2 targets, 3 probes");
    assert_eq!(db_counts(&["vacuum"], now), "1 run, 2 targets, 3 probes");
    let rows = sandbox.check_at("2026-11-15T11:00:00Z", &["urls.txt"]).exits(1).rows();
    let since = rows.row(web.url("/gone"))["verdict_since"].as_str().unwrap();
    assert!(since.starts_with("2026-11-01T"), "{since}");
}
