//! A long list of bookmarks is interrupted and resumed.

use std::fmt::Write as _;
use std::sync::mpsc::channel;

use relink_testkit::web::CannedResponse;

use super::{DAY_1, WatchedWeb, html, owl_text};
use crate::sandbox::NO_DELAYS;

/// Number of bookmarks.
const PAGE_COUNT: usize = 6_000;

/// Number of the request after which the run is interrupted.
const INTERRUPT_AT: usize = 1_500;

/// Returns bookmarks in folders of 500.
fn bookmarks(web: &WatchedWeb) -> String {
    let mut text = "<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Mine</TITLE><DL><p>\n".to_owned();
    for page in 0..PAGE_COUNT {
        if page % 500 == 0 {
            // Close the previous folder.
            let end = if page > 0 { "</DL><p>" } else { "" };
            let _ = writeln!(text, "{end}<DT><H3>Folder {}</H3><DL><p>", page / 500);
        }
        let _ =
            writeln!(text, "<DT><A HREF=\"{}\">Page {page}</A>", web.url(&format!("/p/{page}")));
    }
    text.push_str("</DL><p></DL><p>");
    text
}

#[test]
fn six_thousand_bookmarks_are_interrupted_and_resumed() {
    let web = WatchedWeb::new();
    let (sender, receiver) = channel();
    let request_count = std::sync::atomic::AtomicUsize::new(0);
    web.web.respond_below_with("/p/", move |request| {
        let Ok(page) = request.path.trim_start_matches("/p/").parse::<usize>() else {
            return CannedResponse::new(404, "not found");
        };
        if request_count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1 == INTERRUPT_AT {
            let _ = sender.send(());
        }
        CannedResponse::new(200, html(&format!("Page {page}"), &owl_text(page)))
    });
    web.sandbox.write("b.html", &bookmarks(&web));
    let output = web.watch(&["add", "b.html", "--name", "mine"]).exits(0);
    assert!(output.stdout.contains("6,000 members · 13 collections"), "{}", output.stdout);

    let run: Vec<&str> = [&["watch", "--db", "relink.db", "run"], NO_DELAYS].concat();
    let running = web.sandbox.spawn(&run);
    receiver.recv().unwrap();
    running.interrupt();
    let output = running.finish().exits(130);
    assert!(output.stdout.contains("interrupted"), "{}", output.stdout);
    let requests_before = web.web.request_count();
    let stored =
        PAGE_COUNT as u64 - web.json(&["list"])["collections"][0]["unchecked"].as_u64().unwrap();
    assert!(stored > 500, "{stored} results are stored");

    web.sandbox.run(&run).exits(0);
    let list = web.json(&["list"]);
    let count = |name: &str| list["collections"][0][name].as_u64();
    assert_eq!(count("unchecked"), Some(0));
    assert_eq!(count("due"), Some(0));
    assert_eq!(count("changed"), Some(0));
    // Each page needs two fetches. Only requests in flight are repeated.
    let requests = web.web.request_count();
    assert!(
        requests < 2 * PAGE_COUNT + 700,
        "{requests} requests, {requests_before} before the interruption"
    );
    let output = web.run_at(DAY_1, &["mine"]).exits(0);
    assert!(output.stdout.starts_with("No page is due"), "{}", output.stdout);
}
