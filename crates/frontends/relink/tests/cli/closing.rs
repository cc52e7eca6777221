//! What a run leaves behind on the disk, and databases that cannot be written.

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{Desk, QUICK, Running};
use crate::servers::Beside;

/// The files of the database in the project.
fn database_files(desk: &Desk) -> Vec<String> {
    let entries = std::fs::read_dir(desk.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("relink.db")).collect()
}

/// Starts a check of which one request never ends, and sends it a signal.
#[track_caller]
fn check_signal(name: &str) {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "");
    let silent = Beside::start(Hostile::start(Misbehavior::Silence));
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/a"), silent.url("/")]);
    let mut running = desk.start(&["urls.txt", "--timeout", "60s", "-o", "report.json"]);
    running.next_row();
    running.signal(name);
    running.finish().exits(130);
    let report: serde_json::Value = serde_json::from_str(&desk.read("report.json")).unwrap();
    assert_eq!(report["summary"]["exit"], 130, "{name}");
    assert_eq!(database_files(&desk), ["relink.db"], "{name}");
}

#[test]
fn signal_with_requests_in_flight_writes_the_report_and_leaves_only_the_database_file() {
    for name in ["INT", "TERM", "HUP"] {
        check_signal(name);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn hangup_under_nohup_is_ignored() {
    let web = TestServer::start_blocking();
    let (first, second) = (web.url("/a").to_string(), web.url("/b").to_string());
    web.page("/a", 200, "");
    web.answer("/b", CannedResponse::new(200, "").after(std::time::Duration::from_millis(300)));
    let desk = Desk::new();
    desk.list("urls.txt", [first, second]);
    let args = ["relink", "check", "urls.txt", "--db", "relink.db", "--format", "jsonl"];
    let mut command = desk.tame(std::process::Command::new("nohup"), &args);
    command.env("PATH", path_with_relink());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut running = Running::of(command.spawn().unwrap());
    running.next_row();
    running.signal("HUP");
    running.finish().exits(0);
}

/// The search path, with the directory of `relink` first.
#[cfg(target_os = "linux")]
fn path_with_relink() -> String {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_relink")).parent().unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

#[test]
fn failed_check_with_requests_in_flight_leaves_only_the_database_file() {
    let silent = Beside::start(Hostile::start(Misbehavior::Silence));
    let web = TestServer::start_blocking();
    web.page("/a", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/a"), silent.url("/")]);
    let args = ["check", "--db", "relink.db", "urls.txt", "--format", "jsonl", "-o", "gone/x.txt"];
    desk.run(&[&args[..], QUICK].concat()).exits(2);
    assert_eq!(database_files(&desk), ["relink.db"]);
}

#[cfg(unix)]
mod read_only {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use super::*;
    use crate::desk::Said;

    /// Runs `relink` as a user who may not write into the project: root may
    /// write everywhere, so it becomes another user first.
    fn read_only_run(desk: &Desk, args: &[&str]) -> Said {
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| {
            use std::os::unix::fs::MetadataExt as _;
            own.uid() == 0
        });
        if !is_root {
            return desk.run(args);
        }
        let other = ["--reuid=65534", "--regid=65534", "--clear-groups", "./relink"];
        if !desk.path("relink").exists() {
            // Copied by another process: a child of a test that runs beside
            // this one may hold a file that this process has open for writing,
            // and such a file cannot be executed.
            let mut copy = Command::new("cp");
            copy.arg(env!("CARGO_BIN_EXE_relink")).arg(desk.path("relink"));
            assert!(copy.status().unwrap().success());
        }
        let mut command = desk.tame(Command::new("setpriv"), &[&other[..], args].concat());
        Said::of(&command.output().unwrap())
    }

    fn set_mode(desk: &Desk, name: &str, mode: u32) {
        fs::set_permissions(desk.path(name), Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn reading_commands_on_a_read_only_database_succeed() {
        let web = TestServer::start_blocking();
        web.page("/", 200, "<a href=/gone>gone</a>");
        let desk = Desk::new();
        let start = web.url("/").to_string();
        let crawl = ["crawl", &start, "--db", "db/relink.db"];
        desk.run(&[&crawl[..], QUICK].concat()).exits(1);
        fs::set_permissions(desk.path("..").canonicalize().unwrap(), Permissions::from_mode(0o755))
            .unwrap();
        set_mode(&desk, "db/relink.db", 0o444);
        set_mode(&desk, "db", 0o555);
        let gone = web.url("/gone").to_string();
        for command in [
            &["report"][..],
            &["report", "--format", "json"],
            &["explain", &gone],
            &["db", "size"],
            &["patterns", "list"],
            &["crawl", "status"],
            &["decay", "--crawl", "latest"],
        ] {
            let said = read_only_run(&desk, &[command, &["--db", "db/relink.db"][..]].concat());
            assert!([0, 1].contains(&said.exit), "{command:?}: {said:?}");
            assert_ne!(said.stdout, "", "{command:?}");
        }
        set_mode(&desk, "db", 0o755);
        assert_eq!(fs::read_dir(desk.path("db")).unwrap().count(), 1);
    }
}
