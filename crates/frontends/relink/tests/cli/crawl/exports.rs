//! Exports of the link graph and the sitemap.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::TestServer;

use super::{add_pages, crawl, site};
use crate::sandbox::Sandbox;

/// Starts a site whose URLs contain characters that each export format must escape.
fn site_with_special_characters() -> TestServer {
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

/// Crawls with `--export KIND` and returns the text of the exported `file`.
#[track_caller]
fn crawl_with_export(web: &TestServer, kind: &str, file: &str) -> String {
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    crawl(&sandbox, &[url.as_str(), "--export", kind]).exits(1);
    sandbox.read(file)
}

/// Asserts that the tags of an XML text are balanced, and returns the number of
/// elements with each name.
#[track_caller]
fn count_elements<const N: usize>(xml: &str, names: [&str; N]) -> [usize; N] {
    let mut open_elements: Vec<&str> = Vec::new();
    let mut counts = [0; N];
    for tag in xml.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').unwrap();
        for entity in text.split('&').skip(1).chain(tag.split('&').skip(1)) {
            // Every `&` starts an entity, which ends with a semicolon.
            assert!(entity.contains(';'), "a bare ampersand before `{entity}`");
        }
        if tag.starts_with('?') || tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open_elements.pop(), Some(name), "in {xml}");
            continue;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        if let Some(index) = names.iter().position(|counted| *counted == name) {
            counts[index] += 1;
        }
        if !tag.ends_with('/') {
            open_elements.push(name);
        }
    }
    assert_eq!(open_elements, [""; 0], "every element is closed");
    counts
}

#[test]
fn graphml_export_has_every_target_and_link() {
    let xml = crawl_with_export(&site_with_special_characters(), "graphml", "links.graphml");
    let [graphs, nodes, edges] = count_elements(&xml, ["graph", "node", "edge"]);
    assert_eq!(graphs, 1);
    // Three live pages, the missing page, the moved page, and the page with quotes.
    assert_eq!(nodes, 6, "{xml}");
    assert!(edges >= 6, "{xml}");
    for edge in xml.split("<edge ").skip(1) {
        for attribute in ["source=\"", "target=\""] {
            let id = edge.split_once(attribute).unwrap().1.split_once('"').unwrap().0;
            assert!(xml.contains(&format!("<node id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn csv_export_has_one_line_per_link() {
    let csv = crawl_with_export(&site_with_special_characters(), "csv=graph.csv", "graph.csv");
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').count();
    let rows: Vec<Vec<String>> = lines.map(csv_fields).collect();
    assert!(rows.len() >= 7, "{csv}");
    for row in &rows {
        assert_eq!(row.len(), columns, "{row:?}");
    }
    assert!(rows.iter().any(|row| row.iter().any(|field| field == "part")), "{csv}");
}

/// Splits a line of CSV into fields.
fn csv_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
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
fn sitemap_export_lists_live_pages() {
    let web = site_with_special_characters();
    let xml = crawl_with_export(&web, "sitemap", "sitemap.xml");
    let [sitemaps, urls, locations] = count_elements(&xml, ["urlset", "url", "loc"]);
    assert_eq!(sitemaps, 1);
    assert_eq!(urls, locations);
    assert!(xml.contains(&format!("<loc>{}</loc>", web.url("/b"))), "{xml}");
    for absent in ["/gone", "/old"] {
        assert!(!xml.contains(absent), "{absent} in {xml}");
    }
}

#[test]
fn unwritable_export_is_reported_before_any_request() {
    let web = site_with_special_characters();
    let url = web.url("/");
    let output = crawl(&Sandbox::new(), &[url.as_str(), "--export", "yaml"]).exits(2);
    assert!(output.stderr.contains("expected graphml, csv or sitemap"), "{}", output.stderr);
    assert_eq!(web.requests().len(), 0);
}
