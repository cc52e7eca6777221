//! The URLs of a page as found by Relink and by `html5ever`.

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use relink_model::{LinkTarget, SkipReason};
use relink_page::{DocumentFormat, links};

/// Elements and attributes that are compared.
pub const URL_ATTRIBUTES: [(&str, &str); 9] = [
    ("a", "href"),
    ("area", "href"),
    ("link", "href"),
    ("img", "src"),
    ("iframe", "src"),
    ("form", "action"),
    ("source", "src"),
    ("video", "src"),
    ("video", "poster"),
];

/// Returns the URLs that Relink finds, except those in code and comments.
pub fn our_urls(html: &str) -> BTreeSet<String> {
    use SkipReason::{Code, Comment};
    let mut urls = BTreeSet::new();
    for link in links(DocumentFormat::Html, html.as_bytes()).links {
        assert_eq!(html[link.location.span.range()], link.raw);
        if !matches!(link.target, LinkTarget::Skipped(_, Code | Comment)) {
            urls.insert(link.target.text().to_owned());
        }
    }
    urls
}

/// Returns the URLs in the tree that a browser without scripts builds.
pub fn html5ever_urls(html: &str) -> BTreeSet<String> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let tree = parse_document(RcDom::default(), options).one(html);
    let mut urls = BTreeSet::new();
    let mut unvisited: Vec<Handle> = vec![tree.document.clone()];
    while let Some(node) = unvisited.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            for attribute in attrs.borrow().iter() {
                if URL_ATTRIBUTES.contains(&(&*name.local, &*attribute.name.local)) {
                    urls.insert(trim_url(&attribute.value).to_owned());
                }
            }
        }
        // The content of a template is not among its children, so it is
        // excluded.
        unvisited.extend(node.children.borrow().iter().cloned());
    }
    urls
}

/// Removes white space and control characters around a URL.
fn trim_url(value: &str) -> &str {
    value.trim_matches(|character: char| character.is_whitespace() || character.is_ascii_control())
}
