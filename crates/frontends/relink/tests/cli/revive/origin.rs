//! Hosts that the user named get the headers of the user and may have private addresses. Hosts
//! that only a page or an archive named get no headers and must have public addresses.

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{RecordedRequest, TestServer};

use super::{REVIVE, article};
use crate::sandbox::{NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// A header of the user, which other hosts must not get.
const SECRET_HEADER: &[&str] = &["--header", "X-Secret: canary-7731"];
/// Arguments of a search for all dead pages of the database.
const ALL_DEAD_PAGES: &[&str] = &["--all", "--format", "jsonl"];

/// A page that the user named, with links to dead pages of its own host and of another host, and
/// an archive with the redirects of both pages.
struct LinkedHosts {
    own: TestServer,
    other: TestServer,
    sandbox: Sandbox,
    archive: BackgroundServer<MiniArchive>,
}

impl LinkedHosts {
    /// Starts both hosts. The dead pages have moved to `/trees/white-oak-tree.html`.
    fn new() -> Self {
        let (own, other) = (TestServer::start_blocking(), TestServer::start_blocking());
        for web in [&own, &other] {
            web.page("/trees/white-oak-tree.html", 200, &article("oak"));
        }
        let links = [own.url("/old/white-oak-tree.html"), other.url("/old/white-oak-tree.html")];
        let links = links.map(|url| format!("<a href='{url}'>{url}</a> ")).concat();
        own.page("/", 200, &format!("{}{links}", article("home")));
        let captures = [&own, &other].map(|web| {
            ArchivedPage::redirect(
                web.url("/old/white-oak-tree.html").as_str(),
                "20150102030405",
                301,
                "/trees/white-oak-tree.html",
            )
        });
        let archive =
            BackgroundServer::start(async { MiniArchive::start(captures.into()).await.unwrap() });
        Self { own, other, sandbox: Sandbox::new(), archive }
    }

    /// Runs `check` or `crawl` for the page, which finds the two dead pages.
    fn find_dead_pages(&self, command: &str) {
        let url = self.own.url("/");
        let args = [command, "--db", "relink.db", "--allow-private", url.as_str()];
        self.sandbox.run(&[&args, NO_DELAYS].concat()).exits(1);
    }

    /// Runs `relink revive` with the archive.
    fn revive(&self, args: &[&str]) {
        let root = self.archive.root();
        self.sandbox.run(&[REVIVE, NO_DELAYS, &["--archive", &root], args].concat()).exits(0);
    }
}

/// Returns the requests after the first `count`.
fn requests_after(web: &TestServer, count: usize) -> Vec<RecordedRequest> {
    web.requests().split_off(count)
}

/// Whether a request has the header of the user.
fn has_secret(request: &RecordedRequest) -> bool {
    request.header("x-secret").is_some()
}

#[test]
fn revive_all_withholds_headers_from_hosts_that_only_a_page_named() {
    for command in ["crawl", "check"] {
        let fixture = LinkedHosts::new();
        fixture.find_dead_pages(command);
        let counts_before = [fixture.own.requests().len(), fixture.other.requests().len()];
        fixture.revive(&[SECRET_HEADER, ALL_DEAD_PAGES, &["--allow-private"]].concat());
        let own = requests_after(&fixture.own, counts_before[0]);
        let other = requests_after(&fixture.other, counts_before[1]);
        for requests in [own, other] {
            assert!(requests.iter().any(|request| request.path == "/trees/white-oak-tree.html"));
            // The command line names no host, so that no host gets the header.
            assert!(!requests.iter().any(has_secret), "{command}: {requests:?}");
        }
    }
}

#[test]
fn revive_all_connects_to_no_private_address_that_only_a_page_named() {
    for command in ["crawl", "check"] {
        let fixture = LinkedHosts::new();
        fixture.find_dead_pages(command);
        let own_requests_before = fixture.own.requests().len();
        let other_connections_before = fixture.other.connections();
        fixture.revive(ALL_DEAD_PAGES);
        let own_requests = fixture.own.requests().len();
        assert!(own_requests > own_requests_before, "the user's own host is searched");
        assert_eq!(fixture.other.connections(), other_connections_before, "{command}");
    }
}

#[test]
fn check_revive_withholds_headers_from_hosts_that_only_a_page_named() {
    let fixture = LinkedHosts::new();
    let (url, root) = (fixture.own.url("/"), fixture.archive.root());
    let args = ["--allow-private", "--revive", "--archive", &root, url.as_str()];
    fixture.sandbox.check(&[SECRET_HEADER, &args].concat()).exits(1);
    let other = fixture.other.requests();
    assert!(other.iter().any(|request| request.path == "/trees/white-oak-tree.html"), "{other:?}");
    assert!(!other.iter().any(has_secret), "{other:?}");
}

#[test]
fn revive_of_a_user_supplied_page_sends_headers() {
    let fixture = LinkedHosts::new();
    fixture.find_dead_pages("crawl");
    let count_before = fixture.other.requests().len();
    fixture.revive(
        &[SECRET_HEADER, &[fixture.other.url("/old/white-oak-tree.html").as_str()]].concat(),
    );
    let other = requests_after(&fixture.other, count_before);
    assert!(
        other
            .iter()
            .any(|request| request.path == "/trees/white-oak-tree.html" && has_secret(request)),
        "{other:?}"
    );
}

#[test]
fn revive_gives_rights_to_hosts_in_a_file_of_live_pages() {
    let (own, other, sandbox) =
        (TestServer::start_blocking(), TestServer::start_blocking(), Sandbox::new());
    let names = ["white-oak", "mountain-elm", "silver-fir", "common-ash"];
    let old = names.map(|name| other.url(&format!("/old/{name}.html")));
    let new = names.map(|name| format!("/trees/{name}.html"));
    for (path, name) in new.iter().zip(names) {
        other.page(path, 200, &article(name));
    }
    own.page("/", 200, &old.map(|url| format!("<a href='{url}'>{url}</a> ")).concat());
    let home = own.url("/");
    sandbox.check(&["--allow-private", home.as_str()]).exits(1);
    let args = [REVIVE, NO_DELAYS, SECRET_HEADER, ALL_DEAD_PAGES, &["--archive", "none"]].concat();
    let connections_before = other.connections();
    sandbox.run(&args).exits(0);
    assert_eq!(other.connections(), connections_before, "only a page named the host");
    sandbox.write_urls("live.txt", new.map(|path| other.url(&path)));
    let count_before = other.requests().len();
    sandbox
        .run(&[&args[..], &["--max-result-age", "0", "--live-pages", "live.txt"]].concat())
        .exits(0);
    let requests = requests_after(&other, count_before);
    assert!(requests.iter().any(|request| request.path.starts_with("/trees/")), "{requests:?}");
}

/// The dead page is user-supplied. The target of the redirect is known only from an archive.
#[test]
fn revive_follows_an_archived_redirect_to_another_port_without_rights() {
    let (old, new) = (TestServer::start_blocking(), TestServer::start_blocking());
    new.page("/trees/white-oak-tree.html", 200, &article("oak"));
    let dead = old.url("/old/white-oak-tree.html");
    let moved = new.url("/trees/white-oak-tree.html");
    let captures =
        vec![ArchivedPage::redirect(dead.as_str(), "20150102030405", 301, moved.as_str())];
    let archive = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    let (sandbox, root) = (Sandbox::new(), archive.root());
    let args = [REVIVE, NO_DELAYS, SECRET_HEADER, &["--archive", &root, dead.as_str()]].concat();
    sandbox.run(&args).exits(0);
    assert_eq!(new.connections(), 0);
    sandbox.run(&[&args[..], &["--allow-private", "--max-result-age", "0"]].concat()).exits(0);
    let requests = new.requests();
    assert!(
        requests.iter().any(|request| request.path == "/trees/white-oak-tree.html"),
        "{requests:?}"
    );
    assert!(!requests.iter().any(has_secret), "{requests:?}");
}
