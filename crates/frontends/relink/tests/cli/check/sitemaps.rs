//! Indexes of sitemaps: what they list is read, too.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{Desk, Said};
use crate::maps::{index, packed, urlset, xml};

fn url(web: &TestServer, path: &str) -> String {
    web.url(path).to_string()
}

/// A site with an index of two sitemaps, one of them packed.
fn site() -> TestServer {
    let web = TestServer::start_blocking();
    web.answer("/index.xml", xml(index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")])));
    web.answer("/one.xml", xml(urlset(&[url(&web, "/a"), url(&web, "/gone")])));
    let second = packed(&urlset(&[url(&web, "/b")]));
    web.answer(
        "/two.xml.gz",
        CannedResponse::new(200, second).header("Content-Type", "application/gzip"),
    );
    web.page("/a", 200, "").page("/b", 200, "");
    web
}

#[test]
fn the_sitemaps_of_an_index_on_the_web_are_read() {
    let web = site();
    let given = url(&web, "/index.xml");
    let rows = Desk::new().check(&[&given]).exits(1).rows();
    assert_eq!(rows.word(url(&web, "/a")), "alive");
    assert_eq!(rows.word(url(&web, "/b")), "alive");
    assert_eq!(rows.word(url(&web, "/gone")), "dead RL101");
    assert_eq!(rows.of(url(&web, "/gone"))["places"][0]["path"], url(&web, "/one.xml").as_str());
    assert_eq!(rows.word(url(&web, "/two.xml.gz")), "alive");
    assert_eq!(["/index.xml", "/one.xml", "/two.xml.gz"].map(|path| web.hits(path)), [1, 1, 1]);
}

#[test]
fn the_sitemaps_of_an_index_on_the_disk_are_read() {
    let web = site();
    let desk = Desk::new();
    desk.write("map.xml", &index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]));
    let rows = desk.check(&["map.xml"]).exits(1).rows();
    assert_eq!(rows.urls().len(), 5);
    assert_eq!(rows.word(url(&web, "/b")), "alive");
    assert_eq!(web.hits("/one.xml"), 1);
}

#[test]
fn a_packed_sitemap_on_the_web_is_read() {
    let web = site();
    let given = url(&web, "/two.xml.gz");
    let rows = Desk::new().check(&[&given]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b"), given.clone()]);
}

#[test]
fn nothing_is_asked_offline_or_if_it_is_excluded() {
    let web = site();
    let desk = Desk::new();
    desk.write("map.xml", &index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]));
    desk.check(&["--offline", "map.xml"]).exits(0);
    assert_eq!(web.hits("/one.xml"), 0);
    let rows = desk.check(&["--exclude", "one.xml", "map.xml"]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b"), url(&web, "/two.xml.gz")]);
    assert_eq!(web.hits("/one.xml"), 0);
}

#[test]
fn what_is_included_are_pages_and_not_their_sitemaps() {
    let web = site();
    let given = url(&web, "/index.xml");
    let rows = Desk::new().check(&["--include", "/b$", &given]).exits(0).rows();
    assert_eq!(rows.urls(), [url(&web, "/b")]);
}

#[test]
fn indexes_that_list_each_other_come_to_an_end() {
    let web = TestServer::start_blocking();
    web.answer("/index.xml", xml(index(&[url(&web, "/index.xml"), url(&web, "/other.xml")])));
    web.answer("/other.xml", xml(index(&[url(&web, "/index.xml"), url(&web, "/other.xml")])));
    Desk::new().check(&[&url(&web, "/index.xml")]).exits(0);
    assert_eq!((web.hits("/index.xml"), web.hits("/other.xml")), (1, 1));
}

#[test]
fn indexes_of_indexes_are_read_so_far_and_no_further() {
    let web = TestServer::start_blocking();
    for n in 0..6 {
        web.answer(&format!("/{n}.xml"), xml(index(&[url(&web, &format!("/{}.xml", n + 1))])));
    }
    let rows = Desk::new().check(&[&url(&web, "/0.xml")]).exits(0).rows();
    // The last is asked as any link is, and not read.
    assert_eq!(rows.urls().len(), 5);
}

#[test]
fn a_host_that_wants_fewer_visits_gets_them() {
    let web = TestServer::start_blocking();
    let maps = ["/one.xml", "/two.xml"].map(|path| url(&web, path));
    let other = site();
    web.answer("/one.xml", CannedResponse::new(429, "").header("Retry-After", "3600"));
    let desk = Desk::new();
    desk.write("map.xml", &index(&[maps[0].clone(), maps[1].clone(), url(&other, "/two.xml.gz")]));
    let said = desk.check(&["map.xml"]).exits(0);
    let told = format!("problem: {}: it is not read: its host wants fewer visits", maps[1]);
    assert!(said.stderr.contains(&told), "{}", said.stderr);
    assert_eq!(said.rows().word(url(&other, "/b")), "alive");
}

#[test]
fn a_page_does_not_lead_to_sitemaps_in_private() {
    let (web, inside) = (TestServer::start_blocking(), site());
    web.answer("/index.xml", xml(index(&[url(&inside, "/one.xml")])));
    Desk::new().check(&[&url(&web, "/index.xml")]).exits(0);
    assert_eq!(inside.hits("/one.xml"), 0);
}

#[test]
fn what_servers_say_instead_of_a_sitemap_holds_no_links() {
    let web = TestServer::start_blocking();
    let paths = ["/text.xml", "/forbidden.xml", "/broken.xml"];
    let stray = url(&web, "/stray");
    let refused = |status: u16, kind: &str, body: String| {
        CannedResponse::new(status, body).header("Content-Type", kind)
    };
    web.answer(paths[0], refused(404, "text/plain", format!("see {stray}")));
    web.answer(paths[1], refused(403, "application/xml", urlset(std::slice::from_ref(&stray))));
    web.answer(paths[2], refused(500, "application/json", format!("{{\"help\":\"{stray}\"}}")));
    let maps = paths.map(|path| url(&web, path));
    let desk = Desk::new();
    desk.write("map.xml", &index(&maps));
    let mut listed = maps.to_vec();
    listed.sort();
    assert_eq!(desk.check(&["map.xml"]).exits(1).rows().urls(), listed);
    let given: Vec<&str> = maps.iter().map(String::as_str).collect();
    assert_eq!(desk.check(&given).exits(1).rows().urls(), listed);
    assert_eq!(web.hits("/stray"), 0);
}

#[test]
fn a_sitemap_that_lists_too_much_is_read_so_far_and_no_further() {
    let web = TestServer::start_blocking();
    let pages: Vec<String> = (0..50_002).map(|n| url(&web, &format!("/{n}"))).collect();
    web.answer("/sitemap.xml", xml(urlset(&pages)));
    web.below("/", CannedResponse::new(200, ""));
    let given = url(&web, "/sitemap.xml");
    let said = Desk::new().check(&["--include", "/5000.$", &given]).exits(0);
    assert_eq!(said.rows().urls().len(), 0);
    let said = Desk::new().check(&["--include", "/4999[89]$", &given]).exits(0);
    assert_eq!(said.rows().urls(), pages[49_998..50_000]);
    let told = format!("problem: {given}:1: 50000 links of a sitemap are read, and 2 are not");
    assert!(said.stderr.contains(&told), "{}", said.stderr);
}

#[test]
fn an_index_is_known_by_its_first_bytes_and_its_sitemaps_are_asked_once() {
    let web = site();
    let listed = index(&[url(&web, "/one.xml"), url(&web, "/two.xml.gz")]);
    let desk = Desk::new();
    let rows = desk.check_stdin(&listed, &["--max-age", "0s", "-"]).exits(1).rows();
    assert_eq!(rows.urls().len(), 5);
    assert_eq!((web.hits("/one.xml"), web.hits("/two.xml.gz")), (1, 1));
    desk.write("listed", &listed);
    desk.check(&["--max-age", "0s", "listed"]).exits(1);
    assert_eq!((web.hits("/one.xml"), web.hits("/two.xml.gz")), (2, 2));
}

#[cfg(unix)]
#[test]
fn a_pipe_among_the_inputs_is_read_once() {
    let desk = Desk::new();
    let program = env!("CARGO_BIN_EXE_relink");
    let script = format!("echo 'http:///' | {program} check --db relink.db --offline /dev/fd/0");
    let mut shell = desk.tame(std::process::Command::new("sh"), &["-c", &script]);
    let said = Said::of(&shell.output().unwrap()).exits(1);
    assert!(said.stdout.contains("RL602"), "{}", said.stdout);
}

#[test]
fn check_of_nested_sitemap_indexes_reports_what_was_cut() {
    let web = TestServer::start_blocking();
    for n in 0..10 {
        web.answer(&format!("/i{n}.xml"), xml(index(&[url(&web, &format!("/i{}.xml", n + 1))])));
    }
    let said = Desk::new().check(&[&url(&web, "/i0.xml")]);
    let expect = "1 sitemaps are not read: more than 3 indexes lead to them";
    assert!(said.stderr.contains(expect), "{}", said.stderr);
}
