//! `review.html` and an exported path in headless Chromium, opened from disk.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use relink_render::find_browser;

use super::{DAY_1, DAY_5, WatchedWeb, html, owl_text};

/// Flags of a browser that stores nothing and has no sandbox, which root cannot use.
const FLAGS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--proxy-bypass-list=<-loopback>",
    "--enable-logging=stderr",
    "--virtual-time-budget=2000",
    "--dump-dom",
];

/// Hosts to which the browser itself sends requests. No flag disables these requests.
const BROWSER_HOSTS: [&str; 2] = [".google.com", ".googleapis.com"];

/// The result of opening a page in a browser.
struct OpenedPage {
    /// The document after scripts could run.
    document: String,
    /// Messages of the console: errors, and violations of the content security policy.
    console: Vec<String>,
    /// Requests to servers.
    requests: Vec<String>,
}

/// Opens a file. All requests, also to this machine, go through a proxy that records and
/// refuses them.
fn open_in_browser(file: &Path) -> OpenedPage {
    let (port, requests) = recording_proxy();
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(find_browser(None).unwrap())
        .args(FLAGS)
        .arg(format!("--proxy-server=http://127.0.0.1:{port}"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let is_of_browser = |request: &String| {
        BROWSER_HOSTS.iter().any(|host| {
            request.contains(&format!("{host}:")) || request.contains(&format!("{host}/"))
        })
    };
    OpenedPage {
        document: String::from_utf8_lossy(&output.stdout).into_owned(),
        console: log.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect(),
        requests: requests.try_iter().filter(|request| !is_of_browser(request)).collect(),
    }
}

/// Starts a proxy that refuses every request and sends its first line to the receiver.
fn recording_proxy() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    // The thread ends with the test process.
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { continue };
            let mut line = String::new();
            let is_read = BufReader::new(&connection).read_line(&mut line).is_ok();
            // Ignore a connection without a request: the browser opened it in advance.
            if is_read && !line.is_empty() && sender.send(line).is_err() {
                return;
            }
            let refusal = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n";
            // Ignore the error: the browser may have closed the connection.
            let _ = connection.write_all(refusal);
        }
    });
    (port, receiver)
}

/// Asserts that a page contains `expect` and, opened in a browser, runs no script, sends no request
/// and prints no message.
#[track_caller]
fn check_silent(file: &Path, expect: &str) {
    let page = open_in_browser(file);
    assert!(page.document.contains(expect), "`{expect}` not in {}", page.document);
    assert_eq!(page.console, [""; 0], "{}", file.display());
    assert_eq!(page.requests, [""; 0], "{}", file.display());
    assert!(!page.document.contains("data-ran"), "{}", page.document);
}

/// Returns a text that would run a script, send a request or load a style if it were
/// not escaped. The script sets the attribute `data-ran`. The text does not contain this name, so
/// that a page with the escaped text does not contain it either. `canary` is a URL that must not be
/// requested.
fn hostile_text(canary: &str, number: usize) -> String {
    let script = "document.documentElement.setAttribute('data-'+'ran','1')";
    let texts = [
        format!("</title><script>{script}</script>"),
        format!("\"><img src={canary} onerror=\"{script}\">"),
        format!("</style></pre><svg onload=\"{script}\"><iframe src={canary}></iframe>"),
        format!("<link rel=stylesheet href={canary}><base href={canary}>"),
        format!("' onmouseover='{script}' autofocus onfocus='{script}"),
        format!("<!--<script>{script}<meta http-equiv=refresh content=\"0;url={canary}\">"),
    ];
    texts[number % texts.len()].clone()
}

/// Escapes a text for an HTML page, so that readers see it as it is.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Returns a checked collection whose titles, annotations, texts and links are hostile.
fn hostile_collection() -> WatchedWeb {
    let web = WatchedWeb::new();
    let canary = web.url("/canary");
    let mut bookmarks = String::from("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>");
    for number in 0..6 {
        let text = escaped(&hostile_text(&canary, number));
        web.page(&format!("/p{number}"), &text, &format!("{}<p>{text}</p>", owl_text(number)));
        let url = web.url(&format!("/p{number}"));
        let _ = write!(bookmarks, "<DT><A HREF=\"{url}\">{text}</A><DD>note {text}");
    }
    web.sandbox.write("b.html", &format!("{bookmarks}</DL>"));
    let description = hostile_text(&canary, 0);
    let add = ["add", "b.html", "--name", "b", "--keep-text", "--description", &description];
    web.watch(&add).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    for number in 0..4 {
        let text = escaped(&hostile_text(&canary, number + 1));
        let link = "<p><a href=\"javascript:document.documentElement.setAttribute('data-'+'ran',1)\">x</a>";
        let page = format!("<p>Other words, other birds.</p><p>{text}</p>{link}");
        web.web.respond(
            &format!("/p{number}"),
            relink_testkit::web::CannedResponse::new(200, html(&text, &page)),
        );
    }
    web.web.page("/p5", 410, "gone");
    web.run_at(DAY_5, &[]).exits(0);
    web
}

#[test]
fn hostile_review_and_path_run_no_script_and_send_no_request() {
    let web = hostile_collection();
    web.watch(&["diff", "b", "-o", "review.html"]).exits(0);
    check_silent(&web.sandbox.path("review.html"), "Review of b");
    web.watch(&["export", "b", "-o", "site"]).exits(0);
    for (file, expect) in [
        ("site/index.html", "stop-006.html"),
        ("site/stop-001.html", "Contents"),
        ("site/stop-003.html", "Previous:"),
        ("site/stop-006.html", "No archived copy is known."),
    ] {
        check_silent(&web.sandbox.path(file), expect);
    }
    assert_eq!(web.web.hits("/canary"), 0);
}

#[test]
fn unsafe_page_runs_scripts_and_sends_requests_in_this_browser() {
    let web = WatchedWeb::new();
    let script = "document.documentElement.setAttribute('data-ran', 1); console.error('seen')";
    let page = format!("<p>Owl<img src=\"{}\"><script>{script}</script>", web.url("/canary"));
    web.sandbox.write("page.html", &page);
    let page = open_in_browser(&web.sandbox.path("page.html"));
    assert!(page.document.contains("data-ran"), "{}", page.document);
    assert!(page.console.iter().any(|line| line.contains("seen")), "{:?}", page.console);
    assert!(page.requests.iter().any(|line| line.contains("/canary")), "{:?}", page.requests);
}
