//! `relink fix` in citation templates of Wikipedia: the parameter `url-status` states why an
//! archived copy is needed.

use std::io::Write as _;
use std::process::Stdio;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{CannedResponse, TestServer};

use super::run_fix;
use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// Returns a page of 104 words that start with `subject`, such as `elmaa` and `elmab`.
fn article(subject: &str) -> String {
    let mut words = Vec::new();
    for first in 'a'..='z' {
        for second in 'a'..='d' {
            words.push(format!("{subject}{first}{second}"));
        }
    }
    format!("<title>{subject}</title><h1>{subject}</h1><p>{}</p>", words.join(" "))
}

/// Starts an archive with a copy of `/elm`, made on 2 March 2021.
fn start_archive(web: &TestServer) -> BackgroundServer<MiniArchive> {
    let elm = web.url("/elm").to_string();
    let captures = vec![ArchivedPage::page(&elm, "20210302030405", &article("elm"))];
    BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() })
}

/// Returns wikitext with a citation of `/elm`.
fn citation(web: &TestServer) -> String {
    format!("Elms.<ref>{{{{cite web|url={}|title=Elm}}}}</ref>\n", web.url("/elm"))
}

/// Checks the status that is written for `/elm` if the server responds with `page`.
#[track_caller]
fn check_status(page: &str, expected_status: &str) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    // The page is served at every path, as the placeholder of a hosting provider is.
    web.respond_below("/", CannedResponse::new(200, page));
    let archive = start_archive(&web);
    let text = citation(&web);
    sandbox.write("a.wiki", &text);
    let root = archive.root();
    let output = run_fix(&sandbox, &["a.wiki", "--revive", "--archive", &root, "--apply"]).exits(0);
    let copy = format!("{root}web/20210302030405/{}", web.url("/elm"));
    let parameters = format!(
        "|title=Elm|archive-url={copy}|archive-date=2021-03-02|url-status={expected_status}}}}}"
    );
    let expected = text.replace("|title=Elm}}", &parameters);
    assert_eq!(sandbox.read("a.wiki"), expected, "{}", output.stderr);
}

#[test]
fn citation_of_a_parked_page_is_usurped() {
    check_status(
        "<!doctype html>\n<html>\n<head><title>This domain is for sale</title>\n\
         <script src=\"/js/caf.js\"></script></head>\n<body>\n\
         <div><a href=\"/buy\">This domain may be for sale. Inquire now.</a></div>\n\
         <h1>This domain is for sale</h1>\n<p>Related searches</p>\n<ul><li>Homes for rent</li>\
         <li>Farm equipment</li><li>Cheap flights</li></ul>\n<p>Privacy policy</p>\n\
         </body>\n</html>\n",
        "usurped",
    );
}

#[test]
fn citation_of_a_placeholder_is_unfit() {
    check_status(
        "<!doctype html>\n<html>\n<head><title>Account Suspended</title></head>\n<body>\n\
         <h1>Account Suspended</h1>\n<p>This account has been suspended. Contact your hosting \
         provider for more information.</p>\n</body></html>",
        "unfit",
    );
}

#[test]
fn citation_of_an_error_page_is_dead() {
    check_status("<title>Page not found</title><h1>404</h1><p>Page not found</p>", "dead");
}

#[test]
fn citation_of_a_page_with_other_content_is_deviated_after_a_review() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/elm", 200, &article("elm"));
    let archive = start_archive(&web);
    let text = citation(&web);
    sandbox.write("a.wiki", &text);
    // A link for navigation is not a citation.
    sandbox.write("b.wiki", &format!("[{} elms]\n", web.url("/elm")));
    let check = [&["check", "a.wiki"], NO_DELAYS].concat();
    sandbox.run_at("2021-04-01T00:00:00Z", &check).exits(0);
    web.page("/elm", 200, &article("bicycle"));
    let root = archive.root();
    let args = ["fix", "a.wiki", "b.wiki", "--revive", "--archive", &root, "--apply"];
    let args = [&args[..], NO_DELAYS].concat();
    let output = sandbox.run(&args).exits(0);
    assert!(output.stderr.contains("the page has another text now"), "{}", output.stderr);
    assert_eq!(output.stderr.matches("needs review").count(), 1, "{}", output.stderr);
    assert_eq!(sandbox.read("a.wiki"), text);

    let mut command = sandbox.command(&[&args[..], &["--review"]].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    let output = CommandOutput::new(&child.wait_with_output().unwrap()).exits(0);
    assert!(output.stderr.contains("RL303"), "{}", output.stderr);
    let new = sandbox.read("a.wiki");
    assert!(new.contains("|archive-date=2021-03-02|url-status=deviated}}"), "{new}");
}
