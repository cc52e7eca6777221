//! Files that remain after a run, and read-only databases.

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{NO_DELAYS, Running, Sandbox};
use crate::servers::BackgroundServer;

/// Returns the database files in the project.
fn database_files(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("relink.db")).collect()
}

/// Sends a signal to a check with a request in flight, and asserts that the check writes the
/// report and removes its temporary database files.
#[track_caller]
fn check_signal(name: &str) {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "");
    let silent = BackgroundServer::start(Hostile::start(Misbehavior::NoResponse));
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), silent.url("/")]);
    let mut running = sandbox.spawn_check(&["urls.txt", "--timeout", "60s", "-o", "report.json"]);
    running.next_row();
    running.signal(name);
    running.finish().exits(130);
    let report: serde_json::Value = serde_json::from_str(&sandbox.read("report.json")).unwrap();
    assert_eq!(report["summary"]["exit"], 130, "{name}");
    assert_eq!(database_files(&sandbox), ["relink.db"], "{name}");
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
    web.page("/a", 200, "");
    // The page is slow, so that the signal arrives before the end of the run.
    web.respond(
        "/b",
        CannedResponse::new(200, "").with_delay(std::time::Duration::from_millis(300)),
    );
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), web.url("/b")]);
    let args = ["relink", "check", "urls.txt", "--db", "relink.db", "--format", "jsonl"];
    let mut command = sandbox.isolated(std::process::Command::new("nohup"), &args);
    command.env("PATH", path_with_relink());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut running = Running::new(command.spawn().unwrap());
    running.next_row();
    running.signal("HUP");
    running.finish().exits(0);
}

/// Returns `PATH` with the directory of `relink` first.
#[cfg(target_os = "linux")]
fn path_with_relink() -> String {
    let dir = std::path::Path::new(env!("CARGO_BIN_EXE_relink")).parent().unwrap();
    format!("{}:{}", dir.display(), std::env::var("PATH").unwrap())
}

#[test]
fn failed_check_with_requests_in_flight_leaves_only_the_database_file() {
    let silent = BackgroundServer::start(Hostile::start(Misbehavior::NoResponse));
    let web = TestServer::start_blocking();
    web.page("/a", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), silent.url("/")]);
    let args = ["check", "--db", "relink.db", "urls.txt", "--format", "jsonl", "-o", "gone/x.txt"];
    sandbox.run(&[&args[..], NO_DELAYS].concat()).exits(2);
    assert_eq!(database_files(&sandbox), ["relink.db"]);
}

#[cfg(unix)]
mod read_only {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use super::*;
    use crate::sandbox::CommandOutput;

    /// Runs `relink` as a user without write access to the project. Root can write
    /// everywhere, so it switches to another user first.
    fn run_read_only(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
        let is_root = fs::metadata("/proc/self").is_ok_and(|metadata| {
            use std::os::unix::fs::MetadataExt as _;
            metadata.uid() == 0
        });
        if !is_root {
            return sandbox.run(args);
        }
        let switch_user = ["--reuid=65534", "--regid=65534", "--clear-groups", "./relink"];
        if !sandbox.path("relink").exists() {
            // Copy the file in another process. If this process opened the copy for writing, a
            // child process of a parallel test could inherit the open file, and a file that is
            // open for writing cannot be executed.
            let mut copy = Command::new("cp");
            copy.arg(env!("CARGO_BIN_EXE_relink")).arg(sandbox.path("relink"));
            assert!(copy.status().unwrap().success());
        }
        let mut command =
            sandbox.isolated(Command::new("setpriv"), &[&switch_user[..], args].concat());
        CommandOutput::new(&command.output().unwrap())
    }

    /// Sets the permissions of a file or directory of the project.
    fn set_mode(sandbox: &Sandbox, name: &str, mode: u32) {
        fs::set_permissions(sandbox.path(name), Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn reading_commands_on_a_read_only_database_succeed() {
        let web = TestServer::start_blocking();
        web.page("/", 200, "<a href=/gone>gone</a>");
        let sandbox = Sandbox::new();
        let start = web.url("/").to_string();
        let crawl = ["crawl", &start, "--db", "db/relink.db"];
        sandbox.run(&[&crawl[..], NO_DELAYS].concat()).exits(1);
        // The other user must be able to enter the directory of the sandbox.
        fs::set_permissions(
            sandbox.path("..").canonicalize().unwrap(),
            Permissions::from_mode(0o755),
        )
        .unwrap();
        set_mode(&sandbox, "db/relink.db", 0o444);
        set_mode(&sandbox, "db", 0o555);
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
            let result =
                run_read_only(&sandbox, &[command, &["--db", "db/relink.db"][..]].concat());
            assert!([0, 1].contains(&result.exit_code), "{command:?}: {result:?}");
            assert_ne!(result.stdout, "", "{command:?}");
        }
        // Only the database file remains.
        set_mode(&sandbox, "db", 0o755);
        assert_eq!(fs::read_dir(sandbox.path("db")).unwrap().count(), 1);
    }
}
