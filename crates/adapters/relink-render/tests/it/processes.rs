//! Tests of crashes and of the cleanup of processes.
//!
//! Tests run concurrently. Each test identifies its browser by a unique heap
//! limit, which is part of the command line.

use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relink_ports::RenderError;
use relink_render::{Chromium, RenderSettings};
use relink_testkit::web::TestServer;
use rustix::process::{Pid, Signal, kill_process};

use crate::{browser_with, check_contains, long_timeout, render_user_supplied};

/// Maximum wait for an expected event.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Environment variable with which `helper_that_is_killed` opens a page instead of doing
/// nothing.
const HELPER_VARIABLE: &str = "RELINK_TEST_TO_BE_KILLED";

/// A page that keeps its process busy.
const BUSY: &str = "<script>setTimeout(() => { while (true); }, 300)</script>";

/// A running process.
struct Process {
    id: i32,
    parent: i32,
    command: String,
}

/// Reads the state of a process. Returns `None` for zombies.
fn process(id: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    (state != "Z" && state != "X").then_some(Process { id, parent, command })
}

/// Creates a browser with this heap limit in MiB.
fn with_heap_limit(mib: u64) -> Chromium {
    browser_with(RenderSettings { max_heap_bytes: mib << 20, ..long_timeout() })
}

/// Returns the processes of the browser with this heap limit: the main process,
/// its descendants, and the processes with its profile in the command line.
fn browser_processes(mib: u64) -> Vec<Process> {
    let ids = fs::read_dir("/proc").unwrap().flatten();
    let all: Vec<Process> =
        ids.filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?)).collect();
    let flag = format!("--max-old-space-size={mib} ");
    let is_main = |process: &&Process| process.command.contains(&flag) && is_main_process(process);
    let Some(main) = all.iter().find(is_main) else { return Vec::new() };
    let profile = profile_path(main);
    let has_profile =
        |process: &&Process| process.id == main.id || process.command.contains(&profile);
    let mut known: Vec<i32> = all.iter().filter(has_profile).map(|process| process.id).collect();
    // Add children until no process has a known parent.
    loop {
        let is_new_child =
            |process: &&Process| known.contains(&process.parent) && !known.contains(&process.id);
        let new_children: Vec<i32> =
            all.iter().filter(is_new_child).map(|process| process.id).collect();
        if new_children.is_empty() {
            return all.into_iter().filter(|process| known.contains(&process.id)).collect();
        }
        known.extend(new_children);
    }
}

/// Polls a condition and yields to other tasks in between.
async fn until<T>(failure: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(start.elapsed() < MAX_WAIT, "{failure}");
        tokio::task::yield_now().await;
    }
}

/// Waits until the processes have exited.
async fn until_gone(processes: &[Process]) {
    let is_gone = || processes.iter().all(|exiting| process(exiting.id).is_none()).then_some(());
    until("processes are still running", is_gone).await;
}

/// Returns the profile directory of a browser.
fn profile_path(main: &Process) -> String {
    let flag = main.command.split_once("--user-data-dir=").unwrap();
    flag.1.split(' ').next().unwrap().to_owned()
}

/// Returns the main process of a browser.
fn main_process(processes: &[Process]) -> &Process {
    let has_profile = |process: &&Process| process.command.contains("--user-data-dir=");
    processes.iter().find(|process| has_profile(process) && is_main_process(process)).unwrap()
}

/// Whether a process of a browser is its main process: neither a child process nor the
/// shell that started the browser.
fn is_main_process(process: &Process) -> bool {
    !process.command.contains("--type=") && !process.command.starts_with("/bin/sh -c")
}

fn kill(id: i32) {
    kill_process(Pid::from_raw(id).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test]
async fn drop_ends_processes_and_removes_profile() {
    let web = TestServer::start().await;
    web.page("/", 200, "here");
    let browser = with_heap_limit(201);
    render_user_supplied(&browser, web.url("/")).await.unwrap();
    let processes = browser_processes(201);
    let profile = profile_path(main_process(&processes));
    assert!(processes.len() > 2 && fs::exists(&profile).unwrap());
    drop(browser);
    until_gone(&processes).await;
    assert!(!fs::exists(&profile).unwrap());
}

#[tokio::test]
async fn canceled_render_leaves_no_processes() {
    let web = TestServer::start().await;
    web.page("/", 200, BUSY).page("/fine", 200, "fine");
    let browser = with_heap_limit(202);
    let newest_renderer = || {
        let processes = (web.hits("/") > 0).then(|| browser_processes(202))?;
        // The browser has a spare process, so take the newest process.
        processes
            .into_iter()
            .filter(|process| process.command.contains("--type=renderer"))
            .max_by_key(|process| process.id)
    };
    let renderer = tokio::select! {
        _ = render_user_supplied(&browser, web.url("/")) => unreachable!("the page never becomes idle"),
        renderer = until("no page is open", newest_renderer) => renderer,
    };
    drop(renderer);
    check_contains(&render_user_supplied(&browser, web.url("/fine")).await.unwrap(), "fine");
    let processes = browser_processes(202);
    drop(browser);
    until_gone(&processes).await;
}

#[tokio::test]
async fn killed_process_leaves_no_browser_and_no_profile() {
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", "processes::helper_that_is_killed"])
        .env(HELPER_VARIABLE, "yes")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_renderer = || {
        let processes = browser_processes(203);
        processes
            .iter()
            .any(|process| process.command.contains("--type=renderer"))
            .then_some(processes)
    };
    let processes = until("no browser runs", has_renderer).await;
    victim.kill().unwrap();
    victim.wait().unwrap();
    until_gone(&processes).await;
    let profile = profile_path(main_process(&processes));
    until("the profile still exists", || (!fs::exists(&profile).unwrap()).then_some(())).await;
}

/// Not a test: `killed_process_leaves_no_browser_and_no_profile` runs this in a
/// child process.
#[tokio::test]
async fn helper_that_is_killed() {
    if env::var_os(HELPER_VARIABLE).is_some() {
        let web = TestServer::start().await;
        web.page("/", 200, BUSY);
        let _ = render_user_supplied(&with_heap_limit(203), web.url("/")).await;
    }
}

#[tokio::test]
async fn page_crash_does_not_affect_other_pages() {
    let web = TestServer::start().await;
    web.page("/", 200, "<script>setInterval(() => fetch('/'), 50)</script>")
        .page("/fine", 200, "fine");
    let browser = with_heap_limit(204);
    let crash = async {
        until("the page does not run", || (web.hits("/") > 3).then_some(())).await;
        let processes = browser_processes(204);
        let is_renderer = |process: &&Process| process.command.contains("--type=renderer");
        for renderer in processes.iter().filter(is_renderer) {
            kill(renderer.id);
        }
    };
    let (crashed, ()) = tokio::join!(render_user_supplied(&browser, web.url("/")), crash);
    assert_eq!(crashed.unwrap_err(), RenderError::Crashed);
    check_contains(&render_user_supplied(&browser, web.url("/fine")).await.unwrap(), "fine");
}

#[tokio::test]
async fn crashed_browser_is_replaced() {
    let web = TestServer::start().await;
    web.page("/", 200, "<script>setInterval(() => fetch('/'), 50)</script>")
        .page("/fine", 200, "fine");
    let browser = with_heap_limit(205);
    let crash = async {
        until("the page does not run", || (web.hits("/") > 3).then_some(())).await;
        let processes = browser_processes(205);
        kill(main_process(&processes).id);
        processes
    };
    let (crashed, processes) = tokio::join!(render_user_supplied(&browser, web.url("/")), crash);
    assert_eq!(crashed.unwrap_err(), RenderError::Crashed);
    check_contains(&render_user_supplied(&browser, web.url("/fine")).await.unwrap(), "fine");
    until_gone(&processes).await;
}
