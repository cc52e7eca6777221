//! `relink db`.

use relink_testkit::web::TestServer;

use crate::desk::{Desk, Said};

#[test]
fn the_database_lies_in_the_data_directory_one_for_each_project() {
    let desk = Desk::new();
    let path = desk.run(&["db", "path"]).exits(0).stdout;
    let data = desk.home().join("data/relink/project-").display().to_string();
    assert!(path.starts_with(&data) && path.ends_with(".db\n"), "{path}");
    desk.write("a.md", "text\n");
    desk.run(&["check", "a.md"]).exits(0);
    assert!(std::path::Path::new(path.trim_end()).exists());
    let other = Desk::new().run(&["db", "path"]).exits(0).stdout;
    assert_ne!(path, other);
}

#[test]
fn a_named_database_is_used_instead() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["db", "path", "--db", "x.db"]).exits(0).stdout, "x.db\n");
}

#[test]
fn a_database_that_is_not_there_is_not_made() {
    let desk = Desk::new();
    for command in ["size", "prune", "vacuum"] {
        let said = desk.run(&["db", command, "--db", "x.db"]).exits(2);
        assert!(said.stderr.contains("hint: "), "{}", said.stderr);
    }
    assert!(!desk.path("x.db").exists());
}

#[test]
fn prune_forgets_old_runs_and_probes_but_no_target() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/good"), web.url("/gone")]);
    for day in ["01", "03", "15"] {
        desk.check_at(&format!("2026-11-{day}T09:00:00Z"), &["urls.txt"]).exits(1);
    }
    let db = |args: &[&str], now: &str| {
        let mut command = desk.command(&[&["db", "--db", "relink.db"], args].concat());
        let said = Said::of(&command.env("RELINK_NOW", now).output().unwrap());
        let text = said.exits(0).stdout;
        text.split_once(": ").unwrap().1.lines().next().unwrap().to_owned()
    };
    let now = "2026-11-15T10:00:00Z";
    assert_eq!(db(&["size"], now), "3 runs, 2 targets, 9 probes");
    assert_eq!(db(&["prune", "--older-than", "7d"], now), "1 run, 2 targets, 3 probes");
    assert_eq!(db(&["vacuum"], now), "1 run, 2 targets, 3 probes");
    let rows = desk.check_at("2026-11-15T11:00:00Z", &["urls.txt"]).exits(1).rows();
    assert_eq!(rows.of(web.url("/gone"))["since"].as_str().unwrap()[..10], *"2026-11-01");
}
