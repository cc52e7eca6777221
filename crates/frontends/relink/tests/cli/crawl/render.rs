//! Pages that scripts build, in a real browser.

use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use super::{CRAWL, add_pages, crawl, report};
use crate::desk::{Desk, QUICK, Said};

/// An application whose pages are empty without scripts.
const SHELL: &str = "<!doctype html><html><head><title>App</title></head><body>\
    <div id=\"root\"></div><script src=\"/app.js\"></script></body></html>";

const SCRIPT: &str = "
    const root = document.getElementById('root');
    const page = location.pathname;
    const links = page === '/' ? ['/views/one', '/views/two'] : ['/'];
    root.innerHTML = '<h1>View ' + page + '</h1><p>Made by a script, as all pages here are, and '
        + 'long enough to be taken for a page of its own: ' + page.repeat(9) + '</p>'
        + links.map(link => '<a href=\"' + link + '\">' + link + '</a>').join(' ');
";

fn script(text: &str) -> CannedResponse {
    CannedResponse::new(200, text).header("Content-Type", "text/javascript")
}

fn application() -> TestServer {
    let web = TestServer::start_blocking();
    web.page("/", 200, SHELL).page("/views/one", 200, SHELL).page("/views/two", 200, SHELL);
    web.answer("/app.js", script(SCRIPT));
    web
}

#[test]
fn links_that_only_scripts_make_are_found_in_a_browser() {
    let web = application();
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str(), "--timeout", "30s"]).rows();
    for path in ["/views/one", "/views/two"] {
        let row = rows.of(web.url(path));
        assert_eq!((row["status"].as_u64(), row["depth"].as_u64()), (Some(200), Some(1)), "{row}");
    }
}

#[test]
fn they_are_not_found_without_one() {
    let web = application();
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str(), "--render", "never"]).exits(0);
    assert_eq!(web.hits("/views/one"), 0);
    assert_eq!(web.hits("/"), 1);
}

/// A page that tries to do harm, and then links on.
fn hostile(canary: &TestServer) -> String {
    format!(
        "<!doctype html><html><head><title>App</title></head><body><div id=root></div><script>
         fetch('{}').catch(() => 0);
         new Image().src = '{}';
         const link = document.createElement('a');
         link.href = '/big.zip'; link.download = 'big.zip'; document.body.append(link); link.click();
         document.getElementById('root').innerHTML = '<a href=/after>on</a>';
         alert('stop'); confirm('stop?'); prompt('stop!');
         onbeforeunload = () => 'stay';
         while (true) {{}}
         </script></body></html>",
        canary.url("/secret"),
        canary.url("/picture")
    )
}

#[test]
fn a_hostile_page_does_no_harm() {
    let (web, canary) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/bad", 200, &hostile(&canary));
    add_pages(&web, "/ /bad /good\n/good");
    web.answer(
        "/big.zip",
        CannedResponse::new(200, vec![0; 1 << 20])
            .header("Content-Type", "application/zip")
            .header("Content-Disposition", "attachment"),
    );
    let (desk, url, began) = (Desk::new(), web.url("/"), Instant::now());
    let args = [url.as_str(), "--render", "always", "--timeout", "4s"];
    let rows = crawl(&desk, &args).rows();
    assert_eq!(rows.word(web.url("/good")), "alive");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert_eq!(canary.requests().len(), 0, "{:?}", canary.requests());
    let left: Vec<_> = std::fs::read_dir(desk.path("")).unwrap().flatten().collect();
    let names: Vec<_> = left.iter().map(std::fs::DirEntry::file_name).collect();
    assert!(names.iter().all(|name| name.to_string_lossy().starts_with("relink.db")), "{names:?}");
}

/// Crawls on a machine without a browser.
fn without_browser(desk: &Desk, args: &[&str]) -> Said {
    let mut command = desk.command(&[CRAWL, QUICK, args].concat());
    Said::of(&command.env("RELINK_BROWSER", "/nonexistent").output().unwrap())
}

#[test]
fn without_a_browser_always_is_a_wrong_command_line() {
    let web = application();
    let url = web.url("/");
    let said = without_browser(&Desk::new(), &[url.as_str(), "--render", "always"]);
    said.fails(2, &["RELINK_BROWSER", "apt install chromium"]);
    assert_eq!(web.requests().len(), 0);
}

#[test]
fn without_a_browser_auto_says_what_could_not_be_read() {
    let web = application();
    let url = web.url("/");
    let said = without_browser(&Desk::new(), &[url.as_str()]).exits(0);
    assert!(said.stdout.contains("1 page built by scripts could not be read"), "{}", said.stdout);
    assert!(said.stdout.contains("hint: install a browser"), "{}", said.stdout);
}

#[test]
fn without_a_browser_ordinary_pages_need_none() {
    let web = TestServer::start_blocking();
    add_pages(&web, "/ /a\n/a");
    let url = web.url("/");
    let said = without_browser(&Desk::new(), &[url.as_str()]).exits(0);
    assert!(!said.stdout.contains("browser"), "{}", said.stdout);
    report(&Desk::new(), &[url.as_str(), "--render", "never"]).exits(0);
}

/// Pages that a short inline script fills, each with a link of its own.
#[test]
fn pages_filled_by_inline_scripts_are_built_in_a_browser() {
    let shells = [
        "<div id=app></div>",
        "<h1>App</h1><div id=app>Loading</div>",
        "<app-root>Loading...</app-root>",
        "<header><h1>Our lanterns</h1><p>Made of brass and of tin since 1952, sent to every \
         country within three days, and mended for free.</p></header>\
         <main id=app><div class=spinner></div></main><footer>© 2026 Example Ltd.</footer>",
    ];
    let (web, mut home) = (TestServer::start_blocking(), vec!["/".to_owned()]);
    let define = "<script>customElements.define('x-list',class extends HTMLElement{\
        connectedCallback(){this.attachShadow({mode:'open'}).innerHTML=\
        '<a href=\"/found/shadow\">link</a>'}})</script>";
    web.page("/shadow", 200, &format!("<!doctype html><h1>List</h1><x-list></x-list>{define}"));
    add_pages(&web, "/found/shadow");
    home.push("/shadow".to_owned());
    for (number, shell) in shells.iter().enumerate() {
        let script = format!(
            "<script>document.querySelector('#app,app-root').innerHTML=\
             '<a href=\"/found/{number}\">link</a>'</script>"
        );
        web.page(&format!("/s/{number}"), 200, &format!("<!doctype html>{shell}{script}"));
        home.push(format!("/s/{number}"));
        add_pages(&web, &format!("/found/{number}"));
    }
    add_pages(&web, &home.join(" "));
    let rows = crawl(&Desk::new(), &[web.url("/").as_str(), "--timeout", "30s"]).exits(0).rows();
    for number in 0..shells.len() {
        assert_eq!(rows.word(web.url(&format!("/found/{number}"))), "alive");
    }
    assert_eq!(rows.word(web.url("/found/shadow")), "alive");
}

/// The directories of browsers that are left in a directory.
fn profiles(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("relink-browser-")).collect()
}

/// Crawls a page that never rests in a browser, and sends signals.
#[track_caller]
fn check_signals(signals: &[&str]) {
    let web = TestServer::start_blocking();
    web.page("/", 200, "<script>setInterval(() => fetch('/beat'), 20)</script>");
    web.page("/beat", 200, "");
    let desk = Desk::new();
    let temporary = desk.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let url = web.url("/").to_string();
    let mut command = desk.command(&[CRAWL, QUICK, &[&url, "--render", "always"]].concat());
    command.args(["--timeout", "60s"]).env("TMPDIR", &temporary);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let running = crate::desk::Running::of(command.spawn().unwrap());
    let began = Instant::now();
    while web.hits("/beat") < 3 {
        assert!(began.elapsed() < Duration::from_mins(1), "the page is not at work");
        std::thread::yield_now();
    }
    for name in signals {
        running.signal(name);
    }
    running.finish();
    // A killed process leaves the clean-up to the shell that started the browser.
    while !profiles(&temporary).is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "{signals:?}: a profile is left");
        std::thread::yield_now();
    }
}

#[test]
fn signal_during_rendering_leaves_no_profile() {
    check_signals(&["INT"]);
    check_signals(&["TERM"]);
    check_signals(&["HUP"]);
}

#[test]
fn second_signal_or_kill_during_rendering_leaves_no_profile() {
    check_signals(&["INT", "INT"]);
    check_signals(&["KILL"]);
}
