//! Test vectors that every interpreter of programs must pass.

use jiff::civil::Date;
use relink_revive::OldPage;
use relink_revive::program::UrlProgram;
use serde::Deserialize;

const VECTORS: &str = include_str!("../../../../fixtures/url-programs/vectors.json");

#[derive(Debug, Deserialize)]
struct Vector {
    name: String,
    program: UrlProgram,
    page: Page,
    /// The expected URL, or nothing if the program does not apply.
    makes: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Page {
    url: String,
    title: Option<String>,
    date: Option<Date>,
}

#[test]
fn every_vector_produces_its_url() {
    let vectors: Vec<Vector> = serde_json::from_str(VECTORS).unwrap();
    assert!(!vectors.is_empty());
    for Vector { name, program, page, makes } in vectors {
        let page = OldPage { url: page.url.parse().unwrap(), title: page.title, date: page.date };
        assert_eq!(program.run(&page).map(String::from), makes, "{name}");
    }
}
