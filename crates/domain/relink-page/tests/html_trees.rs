//! The inputs that parsers of HTML are tested with: our links are those that are
//! in the tree.
//!
//! They are those of html5lib, which `./test` takes from its package and puts
//! into the cache, and are no part of this repository. Few of them have an
//! address, so each tag that may have one gets one, and one more tag with an
//! address is put before each of the others in turn. Where we differ by design,
//! `docs/formats.md` says so.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod oracle;

use std::path::PathBuf;

use self::oracle::{PLACES, ours, theirs};

/// Says where the inputs are, if not in the usual place.
const VARIABLE: &str = "RELINK_TEST_TREES";

/// Where `./test` puts them, below the user's cache.
const PLACE: &str = "relink-test/html5lib-1.1/tree-construction";

/// What hides markup in a page, and does not in a drawing.
const HIDING: [&str; 12] = [
    "<script",
    "<style",
    "<title",
    "<textarea",
    "<xmp",
    "<noembed",
    "<noframes",
    "<plaintext",
    "<template",
    "<![cdata",
    "<iframe",
    "<noscript",
];

fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os(VARIABLE) {
        return folder.into();
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    cache.unwrap_or_default().join(PLACE)
}

/// The documents of a file, but for those that are parts of one, or need
/// scripts.
fn documents(file: &str) -> Vec<String> {
    let mut documents = Vec::new();
    for test in format!("\n{file}").split("\n#data\n").skip(1) {
        let (data, rest) = test.split_once("\n#errors").unwrap_or((test, ""));
        let is_part = rest.contains("\n#document-fragment") || rest.contains("\n#script-on");
        if !is_part && !data.is_empty() {
            documents.push(data.to_owned());
        }
    }
    documents
}

/// The document with an address in each tag that may have one.
fn planted(html: &str) -> String {
    let mut planted = String::new();
    let mut rest = html;
    let mut number = 0;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at + 1);
        planted.push_str(before);
        let length = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, after) = tag.split_at(length);
        planted.push_str(name);
        let place = PLACES.iter().find(|(element, _)| name.eq_ignore_ascii_case(element));
        if let Some((element, attribute)) = place.filter(|_| after.starts_with(['>', ' ', '/'])) {
            planted.extend([" ", attribute, "=", element, "-", &number.to_string()]);
            number += 1;
        }
        rest = after;
    }
    planted + rest
}

/// The document, the same with addresses planted, and the same with one more
/// tag before each of its own.
fn variants(html: &str) -> Vec<String> {
    let mut variants = vec![html.to_owned(), planted(html)];
    for (at, _) in html.match_indices('<') {
        variants.push(format!("{}<img src=here>{}", &html[..at], &html[at..]));
    }
    variants.push(format!("{html}<a href=end>"));
    variants
}

/// Whether a document is one of those that we read otherwise by design.
fn is_by_design(html: &str) -> bool {
    let lower = html.to_ascii_lowercase();
    let foreign = [lower.find("<svg"), lower.find("<math")].into_iter().flatten().min();
    let hides = |at: usize| HIDING.iter().any(|hiding| lower[at..].contains(hiding));
    lower.contains("<frameset") || lower.matches("<form").count() > 1 || foreign.is_some_and(hides)
}

#[test]
fn the_inputs_of_parsers_have_the_links_that_their_trees_have() {
    let folder = folder();
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}; `./test` fetches what should be there", folder.display())
    });
    let (mut compared, mut differ) = (0, Vec::new());
    for file in files.map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for html in documents(&text).iter().flat_map(|html| variants(html)) {
            if is_by_design(&html) {
                continue;
            }
            let (ours, theirs) = (ours(&html), theirs(&html));
            compared += theirs.len();
            if ours != theirs {
                let name = file.file_name().unwrap().display();
                differ.push(format!("{name}: ours {ours:?}, theirs {theirs:?}\n{html:?}"));
            }
        }
    }
    assert!(compared > 5_000, "only {compared}");
    assert!(differ.is_empty(), "{} differ of {compared}\n{}", differ.len(), differ.join("\n\n"));
}
