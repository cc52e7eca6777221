//! Sitemaps, and sitemap indexes: lists of sitemaps.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CommandOutput, Sandbox};
use crate::sitemap_xml::{gzip, index, urlset, xml};

/// Returns a URL as text.
fn url(web: &TestServer, path: &str) -> String {
    web.url(path).to_string()
}

/// Starts a site with an index of two sitemaps, one of them compressed. The sitemaps list the
/// live pages `/a` and `/b` and the missing page `/gone`.
fn site() -> TestServer {
    let web = TestServer::start_blocking();
    web.respond("/index.xml", xml(index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")])));
    web.respond("/one.xml", xml(urlset(&[url(&web, "/a"), url(&web, "/gone")])));
    let second = gzip(&urlset(&[url(&web, "/b")]));
    web.respond(
        "/two.xml.gz",
        CannedResponse::new(200, second).with_header("Content-Type", "application/gzip"),
    );
    web.page("/a", 200, "").page("/b", 200, "");
    web
}

#[test]
fn sitemaps_of_a_remote_index_are_read() {
    let web = site();
    let input = url(&web, "/index.xml");
    let rows = Sandbox::new().check(&[&input]).exits(1).rows();
    assert_eq!(rows.verdict(url(&web, "/a")), "alive");
    assert_eq!(rows.verdict(url(&web, "/b")), "alive");
    assert_eq!(rows.verdict(url(&web, "/gone")), "dead RL101");
    assert_eq!(
        rows.row(url(&web, "/gone"))["locations"][0]["path"],
        url(&web, "/one.xml").as_str()
    );
    assert_eq!(rows.verdict(url(&web, "/two.xml.gz")), "alive");
    assert_eq!(["/index.xml", "/one.xml", "/two.xml.gz"].map(|path| web.hits(path)), [1, 1, 1]);
}

#[test]
fn sitemaps_of_a_local_index_are_read() {
    let web = site();
    let sandbox = Sandbox::new();
    sandbox.write("map.xml", &index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]));
    let rows = sandbox.check(&["map.xml"]).exits(1).rows();
    // Three pages and two sitemaps.
    assert_eq!(rows.urls().len(), 5);
    assert_eq!(rows.verdict(url(&web, "/b")), "alive");
    assert_eq!(web.hits("/one.xml"), 1);
}

#[test]
fn compressed_remote_sitemap_is_read() {
    let web = site();
    let input = url(&web, "/two.xml.gz");
    let rows = Sandbox::new().check(&[&input]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b"), input.clone()]);
}

#[test]
fn sitemaps_are_not_requested_offline_or_if_excluded() {
    let web = site();
    let sandbox = Sandbox::new();
    sandbox.write("map.xml", &index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]));
    sandbox.check(&["--offline", "map.xml"]).exits(0);
    assert_eq!(web.hits("/one.xml"), 0);
    let rows = sandbox.check(&["--exclude", "one.xml", "map.xml"]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b"), url(&web, "/two.xml.gz")]);
    assert_eq!(web.hits("/one.xml"), 0);
}

#[test]
fn include_patterns_apply_to_pages_not_sitemaps() {
    let web = site();
    let input = url(&web, "/index.xml");
    let rows = Sandbox::new().check(&["--include", "/b$", &input]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b")]);
}

#[test]
fn sitemap_index_cycle_ends() {
    let web = TestServer::start_blocking();
    web.respond("/index.xml", xml(index(&[url(&web, "/index.xml"), url(&web, "/other.xml")])));
    web.respond("/other.xml", xml(index(&[url(&web, "/index.xml"), url(&web, "/other.xml")])));
    Sandbox::new().check(&[&url(&web, "/index.xml")]).exits(0);
    assert_eq!(web.hits("/index.xml"), 1);
    assert_eq!(web.hits("/other.xml"), 1);
}

#[test]
fn nested_sitemap_indexes_are_limited_in_depth() {
    let web = TestServer::start_blocking();
    // Each index lists the next one: `/0.xml` lists `/1.xml`.
    for number in 0..6 {
        let next = url(&web, &format!("/{}.xml", number + 1));
        web.respond(&format!("/{number}.xml"), xml(index(&[next])));
    }
    let rows = Sandbox::new().check(&[&url(&web, "/0.xml")]).exits(0).rows();
    // `/1.xml` to `/4.xml` are read. `/5.xml` is checked as a link, but not read.
    assert_eq!(rows.urls().len(), 5);
}

#[test]
fn sitemap_host_with_retry_after_gets_fewer_requests() {
    let web = TestServer::start_blocking();
    let maps = ["/one.xml", "/two.xml"].map(|path| url(&web, path));
    let other = site();
    web.respond("/one.xml", CannedResponse::new(429, "").with_header("Retry-After", "3600"));
    // As a link, the second sitemap may be requested before the response of the first one.
    web.page("/two.xml", 200, "");
    let sandbox = Sandbox::new();
    sandbox
        .write("map.xml", &index(&[maps[0].clone(), maps[1].clone(), url(&other, "/two.xml.gz")]));
    let result = sandbox.check(&["map.xml"]).exits(0);
    let text = format!("warning: {}: not read: the host limits the request rate", maps[1]);
    assert!(result.stderr.contains(&text), "{}", result.stderr);
    assert_eq!(result.rows().verdict(url(&other, "/b")), "alive");
}

#[test]
fn sitemaps_at_private_addresses_are_not_requested() {
    let (web, private) = (TestServer::start_blocking(), site());
    web.respond("/index.xml", xml(index(&[url(&private, "/one.xml")])));
    Sandbox::new().check(&[&url(&web, "/index.xml")]).exits(0);
    assert_eq!(private.hits("/one.xml"), 0);
}

#[test]
fn error_page_instead_of_a_sitemap_has_no_links() {
    let web = TestServer::start_blocking();
    let paths = ["/text.xml", "/forbidden.xml", "/broken.xml"];
    let linked = url(&web, "/linked");
    let error_page = |status: u16, content_type: &str, body: String| {
        CannedResponse::new(status, body).with_header("Content-Type", content_type)
    };
    let sitemap = urlset(std::slice::from_ref(&linked));
    web.respond(paths[0], error_page(404, "text/plain", format!("see {linked}")));
    web.respond(paths[1], error_page(403, "application/xml", sitemap));
    let json = format!("{{\"help\":\"{linked}\"}}");
    web.respond(paths[2], error_page(500, "application/json", json));
    let maps = paths.map(|path| url(&web, path));
    let sandbox = Sandbox::new();
    sandbox.write("map.xml", &index(&maps));
    let mut listed = maps.to_vec();
    listed.sort();
    assert_eq!(sandbox.check(&["map.xml"]).exits(1).rows().urls(), listed);
    let inputs: Vec<&str> = maps.iter().map(String::as_str).collect();
    assert_eq!(sandbox.check(&inputs).exits(1).rows().urls(), listed);
    assert_eq!(web.hits("/linked"), 0);
}

#[test]
fn sitemap_with_too_many_urls_is_truncated() {
    let web = TestServer::start_blocking();
    let pages: Vec<String> = (0..50_002).map(|n| url(&web, &format!("/{n}"))).collect();
    web.respond("/sitemap.xml", xml(urlset(&pages)));
    web.respond_below("/", CannedResponse::new(200, ""));
    let input = url(&web, "/sitemap.xml");
    let result = Sandbox::new().check(&["--include", "/5000.$", &input]).exits(0);
    assert_eq!(result.rows().urls().len(), 0);
    let result = Sandbox::new().check(&["--include", "/4999[89]$", &input]).exits(0);
    assert_eq!(result.rows().urls(), pages[49_998..50_000]);
    let text = format!(
        "warning: {input}:1: only the first 50000 links of the sitemap are read; 2 are skipped"
    );
    assert!(result.stderr.contains(&text), "{}", result.stderr);
}

#[test]
fn sitemap_index_is_detected_by_content_and_read_once() {
    let web = site();
    let text = index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]);
    let sandbox = Sandbox::new();
    let rows = sandbox.check_stdin(&text, &["--max-cache-age", "0s", "-"]).exits(1).rows();
    assert_eq!(rows.urls().len(), 5);
    assert_eq!(web.hits("/one.xml"), 1);
    assert_eq!(web.hits("/two.xml.gz"), 1);
    sandbox.write("listed", &text);
    sandbox.check(&["--max-cache-age", "0s", "listed"]).exits(1);
    assert_eq!(web.hits("/one.xml"), 2);
    assert_eq!(web.hits("/two.xml.gz"), 2);
}

#[cfg(unix)]
#[test]
fn pipe_among_the_inputs_is_read_once() {
    let sandbox = Sandbox::new();
    let program = env!("CARGO_BIN_EXE_relink");
    let script = format!("echo 'http:///' | {program} check --db relink.db --offline /dev/fd/0");
    let mut shell = sandbox.isolated(std::process::Command::new("sh"), &["-c", &script]);
    let result = CommandOutput::new(&shell.output().unwrap()).exits(1);
    assert!(result.stdout.contains("RL602"), "{}", result.stdout);
}

#[test]
fn check_of_nested_sitemap_indexes_reports_the_limit() {
    let web = TestServer::start_blocking();
    // Each index lists the next one: `/i0.xml` lists `/i1.xml`.
    for number in 0..10 {
        let next = url(&web, &format!("/i{}.xml", number + 1));
        web.respond(&format!("/i{number}.xml"), xml(index(&[next])));
    }
    let result = Sandbox::new().check(&[&url(&web, "/i0.xml")]);
    let expected = "1 sitemaps are skipped: they are nested in more than 3 sitemap indexes";
    assert!(result.stderr.contains(expected), "{}", result.stderr);
}
