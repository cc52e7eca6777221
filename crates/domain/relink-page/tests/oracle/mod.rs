//! The links of a page, as we find them and as a browser's parser does.

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use relink_model::{LinkTarget, SkipReason};
use relink_page::{DocumentFormat, links};

/// The places that are compared.
pub const PLACES: [(&str, &str); 9] = [
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

/// The addresses we find, those in code and comments aside.
pub fn ours(html: &str) -> BTreeSet<String> {
    use SkipReason::{Code, Comment};
    let mut ours = BTreeSet::new();
    for link in links(DocumentFormat::Html, html.as_bytes()).links {
        assert_eq!(html[link.location.span.range()], link.raw);
        if !matches!(link.target, LinkTarget::Skipped(_, Code | Comment)) {
            ours.insert(link.target.text().to_owned());
        }
    }
    ours
}

/// The addresses in the tree that a browser without scripts would build.
pub fn theirs(html: &str) -> BTreeSet<String> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let tree = parse_document(RcDom::default(), options).one(html);
    let mut theirs = BTreeSet::new();
    let mut open: Vec<Handle> = vec![tree.document.clone()];
    while let Some(node) = open.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            for attribute in attrs.borrow().iter() {
                if PLACES.contains(&(&*name.local, &*attribute.name.local)) {
                    theirs.insert(trimmed(&attribute.value).to_owned());
                }
            }
        }
        // What a template holds is apart from its children, and in no page.
        open.extend(node.children.borrow().iter().cloned());
    }
    theirs
}

/// White space and control characters around an address do not count.
fn trimmed(value: &str) -> &str {
    value.trim_matches(|character: char| character.is_whitespace() || character.is_ascii_control())
}
