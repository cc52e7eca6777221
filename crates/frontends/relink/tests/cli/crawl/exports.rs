//! The link graph and the sitemap that other programs read.

use relink_testkit::web::TestServer;

use super::{add_pages, crawl, site};
use crate::desk::Desk;

/// A site whose names need escaping wherever they are written.
fn awkward_site() -> TestServer {
    let web = site(
        "
        / /a?x=1&y=2 /b /gone /old
        /a /b#part
        /b /a?x=1&y=2
    ",
    );
    web.redirect("/old", 301, "/b");
    add_pages(&web, "/b /a?x=1&y=2,\"3\"");
    web
}

#[track_caller]
fn exported(web: &TestServer, kind: &str, file: &str) -> String {
    let (desk, url) = (Desk::new(), web.url("/"));
    crawl(&desk, &[url.as_str(), "--export", kind]).exits(1);
    desk.read(file)
}

/// Claims that a text is XML as far as its tags go, and returns how often each
/// of these elements occurs.
#[track_caller]
fn elements<const N: usize>(xml: &str, names: [&str; N]) -> [usize; N] {
    let mut open: Vec<&str> = Vec::new();
    let mut counts = [0; N];
    for tag in xml.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').unwrap();
        for entity in text.split('&').skip(1).chain(tag.split('&').skip(1)) {
            assert!(entity.contains(';'), "a bare ampersand before `{entity}`");
        }
        if tag.starts_with('?') || tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "in {xml}");
            continue;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        if let Some(at) = names.iter().position(|wanted| *wanted == name) {
            counts[at] += 1;
        }
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "all is closed");
    counts
}

#[test]
fn graphml_has_every_target_and_every_link() {
    let xml = exported(&awkward_site(), "graphml", "links.graphml");
    let [graphs, nodes, edges] = elements(&xml, ["graph", "node", "edge"]);
    assert_eq!(graphs, 1);
    // The pages, the missing one, the one that moved, the awkward one.
    assert_eq!(nodes, 6, "{xml}");
    assert!(edges >= 6, "{xml}");
    for id in xml.split("<edge ").skip(1) {
        for end in ["source=\"", "target=\""] {
            let id = id.split_once(end).unwrap().1.split_once('"').unwrap().0;
            assert!(xml.contains(&format!("<node id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn csv_has_a_line_for_each_link() {
    let csv = exported(&awkward_site(), "csv=graph.csv", "graph.csv");
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').count();
    let rows: Vec<Vec<String>> = lines.map(fields).collect();
    assert!(rows.len() >= 7, "{csv}");
    for row in &rows {
        assert_eq!(row.len(), columns, "{row:?}");
    }
    assert!(rows.iter().any(|row| row.iter().any(|field| field == "part")), "{csv}");
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

#[test]
fn a_sitemap_names_the_pages_that_are_there() {
    let web = awkward_site();
    let xml = exported(&web, "sitemap", "sitemap.xml");
    let [sets, urls, places] = elements(&xml, ["urlset", "url", "loc"]);
    assert_eq!((sets, urls), (1, places));
    assert!(xml.contains(&format!("<loc>{}</loc>", web.url("/b"))), "{xml}");
    for absent in ["/gone", "/old"] {
        assert!(!xml.contains(absent), "{absent} in {xml}");
    }
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_asked() {
    let web = awkward_site();
    let url = web.url("/");
    let said = crawl(&Desk::new(), &[url.as_str(), "--export", "yaml"]).exits(2);
    assert!(said.stderr.contains("graphml, csv and sitemap can"), "{}", said.stderr);
    assert_eq!(web.requests().len(), 0);
}
