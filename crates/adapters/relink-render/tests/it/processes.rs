//! Processes that break down, and processes that must not be left.
//!
//! Tests run side by side; a test knows its own browser by an odd cap on the
//! heap, which stands in the command line.

use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relink_ports::RenderError;
use relink_render::{Chromium, RenderSettings};
use relink_testkit::web::TestServer;
use rustix::process::{Pid, Signal, kill_process};

use crate::{browser_with, check_says, named, patient};

/// The longest we wait for something to come about.
const PATIENCE: Duration = Duration::from_secs(30);

/// What tells a process that it is the one to be killed.
const PART: &str = "RELINK_TEST_TO_BE_KILLED";

/// A page that keeps its process at work.
const BUSY: &str = "<script>setTimeout(() => { while (true); }, 300)</script>";

/// A process that lives, by its id, its parent and its command line.
struct Process {
    id: i32,
    parent: i32,
    command: String,
}

/// Reads of a process; one that only waits to be buried does not live.
fn process(id: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    (state != "Z" && state != "X").then_some(Process { id, parent, command })
}

/// A browser with this cap on its heap, in MiB.
fn marked(mark: u64) -> Chromium {
    browser_with(RenderSettings { heap_cap: mark << 20, ..patient() })
}

/// The processes of the browser with this mark: itself, all below it, and
/// those that its profile's name shows to be its own.
fn family(mark: u64) -> Vec<Process> {
    let ids = fs::read_dir("/proc").unwrap().flatten();
    let all: Vec<Process> =
        ids.filter_map(|it| process(it.file_name().to_str()?.parse().ok()?)).collect();
    let flag = format!("--max-old-space-size={mark} ");
    let is_head = |it: &Process| it.command.contains(&flag) && is_main_process(it);
    let Some(head) = all.iter().find(|it| is_head(it)) else { return Vec::new() };
    let profile = profile_of(head);
    let is_own = |it: &&Process| it.id == head.id || it.command.contains(&profile);
    let mut known: Vec<i32> = all.iter().filter(is_own).map(|it| it.id).collect();
    loop {
        let is_new = |it: &&Process| known.contains(&it.parent) && !known.contains(&it.id);
        let new: Vec<i32> = all.iter().filter(is_new).map(|it| it.id).collect();
        if new.is_empty() {
            return all.into_iter().filter(|it| known.contains(&it.id)).collect();
        }
        known.extend(new);
    }
}

/// Looks again and again, and lets others work in between.
async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}");
        tokio::task::yield_now().await;
    }
}

async fn until_gone(family: &[Process]) {
    let is_gone = || family.iter().all(|it| process(it.id).is_none()).then_some(());
    until("processes are left", is_gone).await;
}

/// Where a browser keeps its files.
fn profile_of(head: &Process) -> String {
    let flag = head.command.split_once("--user-data-dir=").unwrap();
    flag.1.split(' ').next().unwrap().to_owned()
}

fn head_of(family: &[Process]) -> &Process {
    let is_head = |it: &&Process| it.command.contains("--user-data-dir=");
    family.iter().find(|it| is_head(it) && is_main_process(it)).unwrap()
}

/// Whether this is neither a child of the browser nor the shell that waits for
/// the browser.
fn is_main_process(process: &Process) -> bool {
    !process.command.contains("--type=") && !process.command.starts_with("/bin/sh -c")
}

fn kill(id: i32) {
    kill_process(Pid::from_raw(id).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test]
async fn nothing_is_left_when_the_browser_is_dropped() {
    let web = TestServer::start().await;
    web.page("/", 200, "here");
    let browser = marked(201);
    named(&browser, web.url("/")).await.unwrap();
    let family = family(201);
    let profile = profile_of(head_of(&family));
    assert!(family.len() > 2 && fs::exists(&profile).unwrap());
    drop(browser);
    until_gone(&family).await;
    assert!(!fs::exists(&profile).unwrap());
}

#[tokio::test]
async fn nothing_is_left_when_a_page_is_given_up() {
    let web = TestServer::start().await;
    web.page("/", 200, BUSY).page("/fine", 200, "fine");
    let browser = marked(202);
    let page_process = || {
        let asked = (web.hits("/") > 0).then(|| family(202))?;
        // The newest one: the browser keeps one in hand.
        asked.into_iter().filter(|it| it.command.contains("--type=renderer")).max_by_key(|it| it.id)
    };
    let busy = tokio::select! {
        _ = named(&browser, web.url("/")) => unreachable!("the page never rests"),
        busy = until("no page is open", page_process) => busy,
    };
    drop(busy);
    check_says(&named(&browser, web.url("/fine")).await.unwrap(), "fine");
    let family = family(202);
    drop(browser);
    until_gone(&family).await;
}

#[tokio::test]
async fn nothing_is_left_when_we_are_killed() {
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", "processes::the_one_that_is_killed"])
        .env(PART, "yes")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_at_work = || {
        let family = family(203);
        family.iter().any(|it| it.command.contains("--type=renderer")).then_some(family)
    };
    let family = until("no browser runs", is_at_work).await;
    victim.kill().unwrap();
    victim.wait().unwrap();
    until_gone(&family).await;
    let profile = profile_of(head_of(&family));
    until("the profile is left", || (!fs::exists(&profile).unwrap()).then_some(())).await;
}

/// No test by itself: it plays a part in the one above.
#[tokio::test]
async fn the_one_that_is_killed() {
    if env::var_os(PART).is_some() {
        let web = TestServer::start().await;
        web.page("/", 200, BUSY);
        let _ = named(&marked(203), web.url("/")).await;
    }
}

#[tokio::test]
async fn a_page_that_breaks_down_costs_only_itself() {
    let web = TestServer::start().await;
    web.page("/", 200, "<script>setInterval(() => fetch('/'), 50)</script>")
        .page("/fine", 200, "fine");
    let browser = marked(204);
    let breaking = async {
        until("the page is not at work", || (web.hits("/") > 3).then_some(())).await;
        for it in family(204).iter().filter(|it| it.command.contains("--type=renderer")) {
            kill(it.id);
        }
    };
    let (broken, ()) = tokio::join!(named(&browser, web.url("/")), breaking);
    assert_eq!(broken.unwrap_err(), RenderError::Crashed);
    check_says(&named(&browser, web.url("/fine")).await.unwrap(), "fine");
}

#[tokio::test]
async fn a_browser_that_breaks_down_is_replaced() {
    let web = TestServer::start().await;
    web.page("/", 200, "<script>setInterval(() => fetch('/'), 50)</script>")
        .page("/fine", 200, "fine");
    let browser = marked(205);
    let breaking = async {
        until("the page is not at work", || (web.hits("/") > 3).then_some(())).await;
        let family = family(205);
        kill(head_of(&family).id);
        family
    };
    let (broken, family) = tokio::join!(named(&browser, web.url("/")), breaking);
    assert_eq!(broken.unwrap_err(), RenderError::Crashed);
    check_says(&named(&browser, web.url("/fine")).await.unwrap(), "fine");
    until_gone(&family).await;
}
