//! Who named a page decides what a search for it may do: only hosts that the
//! user named get the user's headers or may be at a private address.

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{RecordedRequest, TestServer};

use super::{REVIVE, article};
use crate::desk::{Desk, QUICK};
use crate::servers::Beside;

const HEADER: &[&str] = &["--header", "X-Secret: canary-7731"];
const ALL: &[&str] = &["--all", "--format", "jsonl"];

/// A page of the user that links to dead pages of its own host and of another
/// one, and an archive that knows where both moved.
struct Linked {
    own: TestServer,
    other: TestServer,
    desk: Desk,
    archive: Beside<MiniArchive>,
}

impl Linked {
    fn new() -> Self {
        let (own, other) = (TestServer::start_blocking(), TestServer::start_blocking());
        for web in [&own, &other] {
            web.page("/trees/white-oak-tree.html", 200, &article("oak"));
        }
        let links = [own.url("/old/white-oak-tree.html"), other.url("/old/white-oak-tree.html")];
        let links = links.map(|url| format!("<a href='{url}'>{url}</a> ")).concat();
        own.page("/", 200, &format!("{}{links}", article("home")));
        let kept = [&own, &other].map(|web| {
            ArchivedPage::redirect(
                web.url("/old/white-oak-tree.html").as_str(),
                "20150102030405",
                301,
                "/trees/white-oak-tree.html",
            )
        });
        let archive = Beside::start(async { MiniArchive::start(kept.into()).await.unwrap() });
        Self { own, other, desk: Desk::new(), archive }
    }

    /// Checks or crawls the page; links to the other host are checked, too.
    fn find_dead_pages(&self, command: &str) {
        let url = self.own.url("/");
        let args = [command, "--db", "relink.db", "--allow-private", url.as_str()];
        self.desk.run(&[&args, QUICK].concat()).exits(1);
    }

    fn revive(&self, args: &[&str]) {
        let root = self.archive.root();
        self.desk.run(&[REVIVE, QUICK, &["--archive", &root], args].concat()).exits(0);
    }
}

/// The requests that came after the first `before`.
fn later(web: &TestServer, before: usize) -> Vec<RecordedRequest> {
    web.requests().split_off(before)
}

fn has_secret(seen: &RecordedRequest) -> bool {
    seen.header("x-secret").is_some()
}

#[test]
fn revive_all_withholds_headers_from_hosts_that_only_a_page_named() {
    for command in ["crawl", "check"] {
        let scene = Linked::new();
        scene.find_dead_pages(command);
        let before = [scene.own.requests().len(), scene.other.requests().len()];
        scene.revive(&[HEADER, ALL, &["--allow-private"]].concat());
        let own = later(&scene.own, before[0]);
        let other = later(&scene.other, before[1]);
        for found in [own, other] {
            assert!(found.iter().any(|seen| seen.path == "/trees/white-oak-tree.html"));
            // This command line names no host.
            assert!(!found.iter().any(has_secret), "{command}: {found:?}");
        }
    }
}

#[test]
fn revive_all_connects_to_no_private_address_that_only_a_page_named() {
    for command in ["crawl", "check"] {
        let scene = Linked::new();
        scene.find_dead_pages(command);
        let before = (scene.own.requests().len(), scene.other.connections());
        scene.revive(ALL);
        assert!(scene.own.requests().len() > before.0, "the user's own host is searched");
        assert_eq!(scene.other.connections(), before.1, "{command}");
    }
}

#[test]
fn check_revive_withholds_headers_from_hosts_that_only_a_page_named() {
    let scene = Linked::new();
    let (url, root) = (scene.own.url("/"), scene.archive.root());
    let args = ["--allow-private", "--revive", "--archive", &root, url.as_str()];
    scene.desk.check(&[HEADER, &args].concat()).exits(1);
    let other = scene.other.requests();
    assert!(other.iter().any(|seen| seen.path == "/trees/white-oak-tree.html"), "{other:?}");
    assert!(!other.iter().any(has_secret), "{other:?}");
}

#[test]
fn revive_of_a_named_page_reaches_its_host_with_headers() {
    let scene = Linked::new();
    scene.find_dead_pages("crawl");
    let before = scene.other.requests().len();
    scene.revive(&[HEADER, &[scene.other.url("/old/white-oak-tree.html").as_str()]].concat());
    let other = later(&scene.other, before);
    assert!(
        other.iter().any(|seen| seen.path == "/trees/white-oak-tree.html" && has_secret(seen)),
        "{other:?}"
    );
}

#[test]
fn revive_gives_rights_to_pages_of_a_live_file() {
    let (own, other, desk) =
        (TestServer::start_blocking(), TestServer::start_blocking(), Desk::new());
    let names = ["white-oak", "mountain-elm", "silver-fir", "common-ash"];
    let old = names.map(|name| other.url(&format!("/old/{name}.html")));
    let new = names.map(|name| format!("/trees/{name}.html"));
    for (path, name) in new.iter().zip(names) {
        other.page(path, 200, &article(name));
    }
    own.page("/", 200, &old.map(|url| format!("<a href='{url}'>{url}</a> ")).concat());
    let home = own.url("/");
    desk.check(&["--allow-private", home.as_str()]).exits(1);
    let args = [REVIVE, QUICK, HEADER, ALL, &["--archive", "none"]].concat();
    let before = other.connections();
    desk.run(&args).exits(0);
    assert_eq!(other.connections(), before, "only a page named the host");
    desk.list("live.txt", new.map(|path| other.url(&path)));
    let before = other.requests().len();
    desk.run(&[&args[..], &["--answer-age", "0", "--live", "live.txt"]].concat()).exits(0);
    let found = later(&other, before);
    assert!(found.iter().any(|seen| seen.path.starts_with("/trees/")), "{found:?}");
}

/// The user named the dead page, an archive named where it led.
#[test]
fn revive_follows_an_archived_redirect_to_another_port_without_rights() {
    let (old, new) = (TestServer::start_blocking(), TestServer::start_blocking());
    new.page("/trees/white-oak-tree.html", 200, &article("oak"));
    let (dead, moved) =
        (old.url("/old/white-oak-tree.html"), new.url("/trees/white-oak-tree.html"));
    let kept = vec![ArchivedPage::redirect(dead.as_str(), "20150102030405", 301, moved.as_str())];
    let archive = Beside::start(async { MiniArchive::start(kept).await.unwrap() });
    let (desk, root) = (Desk::new(), archive.root());
    let args = [REVIVE, QUICK, HEADER, &["--archive", &root, dead.as_str()]].concat();
    desk.run(&args).exits(0);
    assert_eq!(new.connections(), 0);
    desk.run(&[&args[..], &["--allow-private", "--answer-age", "0"]].concat()).exits(0);
    let seen = new.requests();
    assert!(seen.iter().any(|seen| seen.path == "/trees/white-oak-tree.html"), "{seen:?}");
    assert!(!seen.iter().any(has_secret), "{seen:?}");
}
