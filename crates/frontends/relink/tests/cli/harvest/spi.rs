//! The publishing interface (SPI) of `relink serve`: providers submit, update and delete records
//! over HTTP.

use super::server::{Response, Server, TOKEN};
use super::{Provider, REFUSING_ADDRESS, WEB_ADDRESS};
use crate::sandbox::NO_DELAYS;

/// The harvested provider, and in the same database the provider `school`, which submits its
/// records.
struct Publisher {
    provider: Provider,
}

impl Publisher {
    /// Adds the provider `school`. The page `/new` works, `/gone` is broken.
    fn new() -> Self {
        let provider = Provider::new();
        let add =
            ["add", "school", "--spi", "--contact", "repo@example.org", "--notify", "rss,mail"];
        provider.harvest(&add).exits(0);
        provider.web.host("a.test").page("/new", 200, "<title>New</title><p>A new lesson");
        provider.remove_page("a.test", "/gone");
        Self { provider }
    }

    /// Starts the server, which sends requests for targets to `address`.
    fn serve(&self, address: &str) -> Server {
        let resolve = format!("a.test:{}:{address}", self.provider.web.port());
        let flags = ["--spi", "--oai", "--allow-private", "--resolve", &resolve];
        Server::start(&self.provider, &[&flags[..], NO_DELAYS].concat())
    }

    /// Returns a LOM record with these locations on `a.test`.
    fn lom(&self, paths: &[&str]) -> String {
        let host = self.provider.web.host("a.test");
        let location = |path: &&str| format!("<location>{}</location>", host.url(path));
        let locations: String = paths.iter().map(location).collect();
        format!(
            "<lom xmlns=\"http://ltsc.ieee.org/xsd/LOM\"><general><identifier><entry>urn:lesson:1\
             </entry></identifier><title><string>Lesson</string></title></general><technical>\
             {locations}</technical></lom>"
        )
    }
}

/// The content type of records.
const XML: &str = "Content-Type: application/xml";

/// Sends a request with the token of the publishing interface.
fn authorized_request(server: &Server, method: &str, path: &str, body: &str) -> Response {
    let token = format!("Authorization: Bearer {TOKEN}");
    server.request(method, path, &[&token, XML], body)
}

/// Checks the status of a response, and that its body contains `content`.
#[track_caller]
fn check(response: &Response, status: u16, content: &str) {
    assert_eq!(response.status, status, "{response:?}");
    assert!(response.body.contains(content), "{response:?}");
}

/// The path of the submitted record in the publishing interface.
const RECORD_PATH: &str = "/spi/school/urn:lesson:1";
/// The path of the submitted record in the OAI-PMH interface.
const PUBLISHED_RECORD: &str = "/oai?verb=GetRecord&metadataPrefix=oai_lom&identifier=urn:lesson:1";

#[test]
fn record_is_submitted_updated_and_deleted() {
    let publisher = Publisher::new();
    let server = publisher.serve(WEB_ADDRESS);
    let service = authorized_request(&server, "GET", "/spi", "");
    check(&service, 200, "<collection href=\"/spi/school\">");
    assert!(!service.body.contains("/spi/lre"), "{service:?}");

    let created =
        authorized_request(&server, "POST", "/spi/school", &publisher.lom(&["/new", "/gone"]));
    check(&created, 201, "term=\"visible\"");
    assert!(created.head.contains(&format!("location: {RECORD_PATH}")), "{created:?}");
    assert!(
        created.body.contains("/gone: ") && created.body.contains("broken http"),
        "{created:?}"
    );
    let record = server.request("GET", PUBLISHED_RECORD, &[], "").body;
    assert!(record.contains("/new</location>") && !record.contains("/gone"), "{record}");
    check(&authorized_request(&server, "GET", RECORD_PATH, ""), 200, "left out http");
    let duplicate = authorized_request(&server, "POST", "/spi/school", &publisher.lom(&["/new"]));
    check(&duplicate, 409, "update it with PUT");

    let updated = authorized_request(&server, "PUT", RECORD_PATH, &publisher.lom(&["/gone"]));
    check(&updated, 200, "term=\"held-back\"");
    check(&server.request("GET", PUBLISHED_RECORD, &[], ""), 200, "status=\"deleted\"");
    let updated = authorized_request(&server, "PUT", RECORD_PATH, &publisher.lom(&["/new"]));
    check(&updated, 200, "term=\"visible\"");

    check(&authorized_request(&server, "DELETE", RECORD_PATH, ""), 204, "");
    check(&authorized_request(&server, "DELETE", RECORD_PATH, ""), 404, "no such record");
    check(&server.request("GET", PUBLISHED_RECORD, &[], ""), 200, "status=\"deleted\"");
    server.stop();
    let mail = publisher.provider.harvest(&["mail"]).exits(0).stdout;
    assert!(mail.contains("To: repo@example.org") && mail.contains("/gone"), "{mail}");
}

#[test]
fn requests_without_a_valid_token_change_nothing() {
    let publisher = Publisher::new();
    let server = publisher.serve(WEB_ADDRESS);
    let record = publisher.lom(&["/new"]);
    let headers =
        ["X-None: 1", "Authorization: Bearer wrong-token-wrong", "Authorization: Bearer "];
    for header in headers {
        let refused = server.request("POST", "/spi/school", &[header, XML], &record);
        check(&refused, 401, "a valid token is required");
        assert!(refused.head.contains("www-authenticate: Bearer"), "{refused:?}");
    }
    // Browsers send this request to find out whether a page of another origin may send the
    // token.
    let preflight = server.request("OPTIONS", "/spi/school", &["Origin: http://evil.test"], "");
    assert_eq!(preflight.status, 401);
    assert!(!preflight.head.contains("access-control"), "{preflight:?}");
    let harvested = authorized_request(&server, "POST", "/spi/lre", &record);
    check(&harvested, 403, "are harvested");
    check(&authorized_request(&server, "POST", "/spi/none", &record), 404, "no such provider");
    check(&authorized_request(&server, "GET", RECORD_PATH, ""), 404, "no such record");
}

#[test]
fn invalid_submissions_are_refused_with_a_reason() {
    let publisher = Publisher::new();
    let server = publisher.serve(WEB_ADDRESS);
    let post = |body: &str| authorized_request(&server, "POST", "/spi/school", body);
    check(&post("<lom><general></lom>"), 422, "line 1, column");
    check(&post("<lom><general/></lom>"), 422, "no LOM or Dublin Core record");
    check(&post("<lom><x:y>http://a.test/</x:y></lom>"), 422, "no LOM or Dublin Core record");
    let undeclared =
        "<lom><general><identifier><entry>1</entry></identifier></general><x:y/></lom>";
    check(&post(undeclared), 422, "the prefix of `x:y` is not declared");
    check(&post("id,url\n1,http://a.test/\n"), 422, "not XML");
    check(&post("<!DOCTYPE x [<!ENTITY a \"b\">]><lom>&a;</lom>"), 422, "document type");
    let two_records = format!("<x>{0}{0}</x>", publisher.lom(&["/new"]));
    check(&post(&two_records), 422, "one record at a time");
    let paths: Vec<String> = (0..101).map(|number| format!("/{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    check(&post(&publisher.lom(&paths)), 422, "more than 100 links");
    check(&post(&"x".repeat((1 << 20) + 1)), 413, "too large");
    let token = format!("Authorization: Bearer {TOKEN}");
    let form = "Content-Type: application/x-www-form-urlencoded";
    let refused = server.request("POST", "/spi/school", &[&token, form], "a=b");
    check(&refused, 415, "application/xml");
    check(&authorized_request(&server, "PUT", "/spi/school", ""), 405, "use POST");
}

#[test]
fn unchecked_submission_waits_for_the_next_run() {
    let publisher = Publisher::new();
    // No target responds, so the local network may be faulty.
    let server = publisher.serve(REFUSING_ADDRESS);
    let accepted = authorized_request(&server, "POST", "/spi/school", &publisher.lom(&["/new"]));
    check(&accepted, 202, "term=\"pending\"");
    check(&server.request("GET", PUBLISHED_RECORD, &[], ""), 200, "status=\"deleted\"");
    // The server is killed before it can check the record again.
    server.stop();
    publisher.provider.harvest_on_day(10, &["run", "school"]).exits(0);
    assert_eq!(publisher.provider.exported_record("urn:lesson:1")["state"], "visible");
}

#[test]
fn server_needs_a_token_of_sufficient_length() {
    let sandbox = crate::sandbox::Sandbox::new();
    let refused = sandbox.run(&["serve", "--spi"]).exits(2);
    assert!(refused.stderr.contains("`--spi` needs a token"), "{}", refused.stderr);
    sandbox.write("tokens", "short\n");
    let refused = sandbox.run(&["serve", "--spi", "--spi-token-file", "tokens"]).exits(2);
    assert!(refused.stderr.contains("fewer than 16 characters"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("short\n"), "{}", refused.stderr);
    sandbox.run(&["serve"]).exits(2);
}
