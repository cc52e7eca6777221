//! Compares the links that Relink finds with the links that html5ever finds, on the test
//! inputs of html5lib.
//!
//! The inputs are not part of this repository: `./test` extracts them from the
//! html5lib package into the cache directory. Few of them contain a URL, so the
//! test adds a URL to each tag that may have one, and inserts a tag with a URL
//! before each other tag in turn. `docs/formats.md` lists the intended
//! differences.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

mod oracle;

use std::path::PathBuf;

use self::oracle::{URL_ATTRIBUTES, html5ever_urls, our_urls};

/// Environment variable that overrides the directory of the inputs.
const DIRECTORY_VARIABLE: &str = "RELINK_TEST_TREES";

/// Directory of the inputs below the user's cache directory.
const CACHE_SUBDIRECTORY: &str = "relink-test/html5lib-1.1/tree-construction";

/// Start tags whose content is not markup in HTML, but is in SVG and `MathML`.
const TEXT_TAGS: [&str; 12] = [
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

/// Returns the directory of the inputs.
fn directory() -> PathBuf {
    if let Some(directory) = std::env::var_os(DIRECTORY_VARIABLE) {
        return directory.into();
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    cache.unwrap_or_default().join(CACHE_SUBDIRECTORY)
}

/// Returns the documents of a test file, except fragments of documents and documents that
/// need scripts. A test begins with `#data`, which precedes its document.
fn documents(file: &str) -> Vec<String> {
    let mut documents = Vec::new();
    for test in format!("\n{file}").split("\n#data\n").skip(1) {
        let (data, rest) = test.split_once("\n#errors").unwrap_or((test, ""));
        let is_excluded = rest.contains("\n#document-fragment") || rest.contains("\n#script-on");
        if !is_excluded && !data.is_empty() {
            documents.push(data.to_owned());
        }
    }
    documents
}

/// Adds a URL to each tag that may have one.
fn with_urls(html: &str) -> String {
    let mut output = String::new();
    let mut rest = html;
    let mut number = 0;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at + 1);
        output.push_str(before);
        let length = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, after) = tag.split_at(length);
        output.push_str(name);
        let url_attribute =
            URL_ATTRIBUTES.iter().find(|(element, _)| name.eq_ignore_ascii_case(element));
        if let Some((element, attribute)) =
            url_attribute.filter(|_| after.starts_with(['>', ' ', '/']))
        {
            output.extend([" ", attribute, "=", element, "-", &number.to_string()]);
            number += 1;
        }
        rest = after;
    }
    output + rest
}

/// Returns the document, the document with URLs added, and copies of the document with an
/// additional tag before one of its tags or at its end.
fn variants(html: &str) -> Vec<String> {
    let mut variants = vec![html.to_owned(), with_urls(html)];
    for (at, _) in html.match_indices('<') {
        variants.push(format!("{}<img src=here>{}", &html[..at], &html[at..]));
    }
    variants.push(format!("{html}<a href=end>"));
    variants
}

/// Whether the results are intended to differ for a document.
fn has_intended_difference(html: &str) -> bool {
    let lower = html.to_ascii_lowercase();
    let foreign = [lower.find("<svg"), lower.find("<math")].into_iter().flatten().min();
    let contains_text_tag = |at: usize| TEXT_TAGS.iter().any(|tag| lower[at..].contains(tag));
    lower.contains("<frameset")
        || lower.matches("<form").count() > 1
        || foreign.is_some_and(contains_text_tag)
}

#[test]
fn links_of_html5lib_inputs_match_html5ever() {
    let directory = directory();
    let files = std::fs::read_dir(&directory).unwrap_or_else(|error| {
        panic!("cannot read {}: {error}; run `./test` to fetch the inputs", directory.display())
    });
    let (mut compared_urls, mut differences) = (0, Vec::new());
    for file in files.map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "dat") {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for html in documents(&text).iter().flat_map(|html| variants(html)) {
            if has_intended_difference(&html) {
                continue;
            }
            let (ours, theirs) = (our_urls(&html), html5ever_urls(&html));
            compared_urls += theirs.len();
            if ours != theirs {
                let name = file.file_name().unwrap().display();
                differences.push(format!("{name}: ours {ours:?}, theirs {theirs:?}\n{html:?}"));
            }
        }
    }
    assert!(compared_urls > 5_000, "only {compared_urls}");
    assert!(
        differences.is_empty(),
        "{} differences in {compared_urls} URLs\n{}",
        differences.len(),
        differences.join("\n\n")
    );
}
