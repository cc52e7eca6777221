//! Pages built by scripts, rendered in a real browser.

use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use super::{CRAWL, add_pages, crawl, crawl_human};
use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// An application whose pages are empty without scripts.
const EMPTY_PAGE: &str = "<!doctype html><html><head><title>App</title></head><body>\
    <div id=\"root\"></div><script src=\"/app.js\"></script></body></html>";

/// The script that builds the pages of the application.
const PAGE_SCRIPT: &str = "
    const root = document.getElementById('root');
    const page = location.pathname;
    const links = page === '/' ? ['/views/one', '/views/two'] : ['/'];
    root.innerHTML = '<h1>View ' + page + '</h1><p>Built by a script, like all pages of this site, and '
        + 'long enough to be judged as a distinct page: ' + page.repeat(9) + '</p>'
        + links.map(link => '<a href=\"' + link + '\">' + link + '</a>').join(' ');
";

/// Creates the response of a script.
fn script(text: &str) -> CannedResponse {
    CannedResponse::new(200, text).with_header("Content-Type", "text/javascript")
}

/// A site whose home page links to two views by a script.
fn application() -> TestServer {
    let web = TestServer::start_blocking();
    web.page("/", 200, EMPTY_PAGE).page("/views/one", 200, EMPTY_PAGE).page(
        "/views/two",
        200,
        EMPTY_PAGE,
    );
    web.respond("/app.js", script(PAGE_SCRIPT));
    web
}

#[test]
fn links_created_by_scripts_are_found_in_a_browser() {
    let web = application();
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str(), "--timeout", "30s"]).rows();
    for path in ["/views/one", "/views/two"] {
        let row = rows.row(web.url(path));
        assert_eq!(row["status"], 200, "{row}");
        assert_eq!(row["depth"], 1, "{row}");
    }
}

#[test]
fn links_created_by_scripts_are_not_found_without_rendering() {
    let web = application();
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str(), "--render", "never"]).exits(0);
    assert_eq!(web.hits("/views/one"), 0);
    assert_eq!(web.hits("/"), 1);
}

/// Returns a page whose script sends requests to a private server (the canary), downloads a
/// file, opens dialogs and never ends.
fn hostile_page(canary: &TestServer) -> String {
    format!(
        "<!doctype html><html><head><title>App</title></head><body><div id=root></div><script>
         fetch('{}').catch(() => 0);
         new Image().src = '{}';
         const link = document.createElement('a');
         link.href = '/big.zip'; link.download = 'big.zip'; document.body.append(link); link.click();
         document.getElementById('root').innerHTML = '<a href=/after>next</a>';
         alert('stop'); confirm('stop?'); prompt('stop!');
         onbeforeunload = () => 'stay';
         while (true) {{}}
         </script></body></html>",
        canary.url("/secret"),
        canary.url("/picture")
    )
}

#[test]
fn hostile_page_reaches_no_private_server_and_writes_no_file() {
    let (web, canary) = (TestServer::start_blocking(), TestServer::start_blocking());
    web.page("/bad", 200, &hostile_page(&canary));
    add_pages(&web, "/ /bad /good\n/good");
    web.respond(
        "/big.zip",
        CannedResponse::new(200, vec![0; 1 << 20])
            .with_header("Content-Type", "application/zip")
            .with_header("Content-Disposition", "attachment"),
    );
    let (sandbox, url, started) = (Sandbox::new(), web.url("/"), Instant::now());
    let args = [url.as_str(), "--render", "always", "--timeout", "4s"];
    let rows = crawl(&sandbox, &args).rows();
    assert_eq!(rows.verdict(web.url("/good")), "alive");
    assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    assert_eq!(canary.requests().len(), 0, "{:?}", canary.requests());
    let entries: Vec<_> = std::fs::read_dir(sandbox.path("")).unwrap().flatten().collect();
    let names: Vec<_> = entries.iter().map(std::fs::DirEntry::file_name).collect();
    assert!(names.iter().all(|name| name.to_string_lossy().starts_with("relink.db")), "{names:?}");
}

/// Crawls as on a machine without a browser.
fn crawl_without_browser(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let mut command = sandbox.command(&[CRAWL, NO_DELAYS, args].concat());
    CommandOutput::new(&command.env("RELINK_BROWSER", "/nonexistent").output().unwrap())
}

#[test]
fn render_always_without_a_browser_is_a_usage_error() {
    let web = application();
    let url = web.url("/");
    let result = crawl_without_browser(&Sandbox::new(), &[url.as_str(), "--render", "always"]);
    result.fails(2, &["RELINK_BROWSER", "apt install chromium"]);
    assert_eq!(web.requests().len(), 0);
}

#[test]
fn render_auto_without_a_browser_reports_unread_pages() {
    let web = application();
    let url = web.url("/");
    let result = crawl_without_browser(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert!(
        result.stdout.contains("1 page built by scripts could not be rendered"),
        "{}",
        result.stdout
    );
    assert!(result.stdout.contains("hint: install Chromium"), "{}", result.stdout);
}

#[test]
fn ordinary_pages_need_no_browser() {
    let web = TestServer::start_blocking();
    add_pages(&web, "/ /a\n/a");
    let url = web.url("/");
    let result = crawl_without_browser(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert!(!result.stdout.contains("browser"), "{}", result.stdout);
    crawl_human(&Sandbox::new(), &[url.as_str(), "--render", "never"]).exits(0);
}

/// Each page is filled by a short inline script, which adds a link.
#[test]
fn pages_filled_by_inline_scripts_are_built_in_a_browser() {
    // Pages without content: each is filled by a script.
    let shells = [
        "<div id=app></div>",
        "<h1>App</h1><div id=app>Loading</div>",
        "<app-root>Loading...</app-root>",
        "<header><h1>Our lanterns</h1><p>Made of brass and of tin since 1952, sent to every \
         country within three days, and mended for free.</p></header>\
         <main id=app><div class=spinner></div></main><footer>© 2026 Example Ltd.</footer>",
    ];
    let web = TestServer::start_blocking();
    // The path of the home page and its links, in the notation of `add_pages`.
    let mut home_page = vec!["/".to_owned()];
    let shadow_script = "<script>customElements.define('x-list',class extends HTMLElement{\
        connectedCallback(){this.attachShadow({mode:'open'}).innerHTML=\
        '<a href=\"/found/shadow\">link</a>'}})</script>";
    web.page(
        "/shadow",
        200,
        &format!("<!doctype html><h1>List</h1><x-list></x-list>{shadow_script}"),
    );
    add_pages(&web, "/found/shadow");
    home_page.push("/shadow".to_owned());
    for (number, shell) in shells.iter().enumerate() {
        let script = format!(
            "<script>document.querySelector('#app,app-root').innerHTML=\
             '<a href=\"/found/{number}\">link</a>'</script>"
        );
        web.page(&format!("/s/{number}"), 200, &format!("<!doctype html>{shell}{script}"));
        home_page.push(format!("/s/{number}"));
        add_pages(&web, &format!("/found/{number}"));
    }
    add_pages(&web, &home_page.join(" "));
    let rows = crawl(&Sandbox::new(), &[web.url("/").as_str(), "--timeout", "30s"]).exits(0).rows();
    for number in 0..shells.len() {
        assert_eq!(rows.verdict(web.url(&format!("/found/{number}"))), "alive");
    }
    assert_eq!(rows.verdict(web.url("/found/shadow")), "alive");
}

/// Returns the names of the browser profiles in a directory.
fn profiles_in(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("relink-browser-")).collect()
}

/// Sends signals while a page that never becomes idle is rendered, and asserts that
/// the browser profile is removed.
#[track_caller]
fn check_signals(signals: &[&str]) {
    let web = TestServer::start_blocking();
    web.page("/", 200, "<script>setInterval(() => fetch('/beat'), 20)</script>");
    web.page("/beat", 200, "");
    let sandbox = Sandbox::new();
    let temporary = sandbox.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let url = web.url("/").to_string();
    let mut command = sandbox.command(&[CRAWL, NO_DELAYS, &[&url, "--render", "always"]].concat());
    command.args(["--timeout", "60s"]).env("TMPDIR", &temporary);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let running = crate::sandbox::Running::new(command.spawn().unwrap());
    let started = Instant::now();
    while web.hits("/beat") < 3 {
        assert!(started.elapsed() < Duration::from_mins(1), "the script does not run");
        std::thread::yield_now();
    }
    for name in signals {
        running.signal(name);
    }
    running.finish();
    // After a kill, the shell that started the browser removes the profile.
    while !profiles_in(&temporary).is_empty() {
        assert!(started.elapsed() < Duration::from_mins(1), "{signals:?}: a profile is left");
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
