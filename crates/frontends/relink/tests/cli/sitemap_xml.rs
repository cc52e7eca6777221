//! Builds sitemaps and sitemap indexes.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use relink_testkit::web::CannedResponse;

/// Creates an XML response.
pub fn xml(body: impl Into<Vec<u8>>) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", "application/xml")
}

/// Returns a sitemap of pages.
pub fn urlset(urls: &[String]) -> String {
    let element = |url: &String| format!("<url><loc>{url}</loc></url>");
    let elements: String = urls.iter().map(element).collect();
    format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         {elements}</urlset>"
    )
}

/// Returns a sitemap index: a list of sitemaps.
pub fn index(urls: &[String]) -> String {
    let element = |url: &String| format!("<sitemap><loc>{url}</loc></sitemap>");
    let elements: String = urls.iter().map(element).collect();
    format!(
        "<?xml version=\"1.0\"?><sitemapindex \
         xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{elements}</sitemapindex>"
    )
}

/// Compresses a text.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
