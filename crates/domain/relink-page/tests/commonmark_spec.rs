//! Compares the destinations that Relink finds with the reference rendering of the 652
//! examples of the CommonMark specification (0.31), and checks the spans of the
//! destinations.
//!
//! The examples are not part of this repository for license reasons. They are
//! read from the tests of the `pulldown-cmark` package, which has `"` for
//! `&quot;` in the text of the renderings.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{Parser, html};
use relink_model::{Link, LinkKind, LinkTarget, SkipReason};
use relink_page::{DocumentFormat, links};
use serde_json::Value;

/// Number of examples in the specification.
const EXAMPLES: usize = 652;

/// The package that contains the examples.
const PACKAGE: &str = "pulldown-cmark";
/// The file of the package that contains the examples.
const EXAMPLES_FILE: &str = "tests/suite/spec.rs";

/// A replacement for any destination.
const REPLACEMENT: &str = "https://relink.test/other";

/// An example of the specification.
struct Example {
    number: usize,
    markdown: String,
    html: String,
}

/// Reads the examples. In the file, each example is a pair of raw string literals.
fn examples() -> Vec<Example> {
    let file = package_directory().join(EXAMPLES_FILE);
    let source = fs::read_to_string(&file).expect("the package contains the examples");
    let mut literals = source.split("r##\"").skip(1).map(|rest| {
        let (literal, _) = rest.split_once("\"##").expect("a literal ends");
        literal.to_owned()
    });
    let mut examples = Vec::new();
    while let (Some(markdown), Some(html)) = (literals.next(), literals.next()) {
        examples.push(Example { number: examples.len() + 1, markdown, html });
    }
    examples
}

/// Returns the directory of the package version that this crate is built with.
fn package_directory() -> PathBuf {
    let output =
        run(env!("CARGO"), &["metadata", "--format-version=1", "--filter-platform", &host()]);
    let metadata: Value = serde_json::from_str(&output).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    let package = packages.iter().find(|package| package["name"] == PACKAGE);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let directory = manifest.and_then(|manifest| Path::new(manifest).parent());
    directory.expect("we depend on the package").to_owned()
}

/// Returns the host platform, so that `cargo metadata` does not need packages for
/// other platforms.
fn host() -> String {
    let output = run("rustc", &["-vV"]);
    let host = output.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("the compiler names its host").to_owned()
}

/// Runs a program and returns its output.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the toolchain runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// Returns the links that a CommonMark rendering has. Bare URLs and wiki links
/// are extensions. Links in code, in comments and in unused definitions are not
/// rendered.
fn rendered_links(format: DocumentFormat, text: &str) -> Vec<Link> {
    use SkipReason::{Code, Comment, Unused};
    let mut links = links(format, text.as_bytes()).links;
    links.retain(|link| {
        let is_skipped = matches!(link.target, LinkTarget::Skipped(_, Code | Comment | Unused));
        !is_skipped && !matches!(link.location.kind, LinkKind::BareUrl | LinkKind::Reference)
    });
    links
}

fn destinations(links: &[Link]) -> BTreeSet<String> {
    links.iter().map(|link| as_rendered(link.target.text())).collect()
}

/// Escapes a destination as the reference rendering does.
fn as_rendered(destination: &str) -> String {
    let mut escaped = String::new();
    for byte in destination.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,#%".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    escaped
}

/// Returns the Markdown of an example after an empty line. Without this line, a thematic
/// break at the start would be read as front matter.
fn document(example: &Example) -> String {
    format!("\n{}", example.markdown)
}

#[test]
fn all_examples_are_found() {
    assert_eq!(examples().len(), EXAMPLES);
}

#[test]
fn destinations_match_the_reference_rendering() {
    let mut errors = Vec::new();
    for example in examples() {
        let ours = destinations(&rendered_links(DocumentFormat::Markdown, &document(&example)));
        let theirs = destinations(&rendered_links(DocumentFormat::Html, &example.html));
        if ours != theirs {
            errors
                .push(format!("{}: {ours:?} for {theirs:?}\n{}", example.number, example.markdown));
        }
    }
    assert!(errors.is_empty(), "{} differ\n{}", errors.len(), errors.join("\n"));
}

/// Replaces the span of each link. Only this link must change in the rendering.
#[test]
fn link_spans_are_exact() {
    let mut errors = Vec::new();
    let mut spans = 0;
    for example in examples() {
        let document = document(&example);
        let before = destinations(&rendered_links(DocumentFormat::Html, &example.html));
        for link in rendered_links(DocumentFormat::Markdown, &document) {
            spans += 1;
            assert_eq!(document[link.location.span.range()], link.raw, "{}", example.number);
            let mut changed = document.clone();
            changed.replace_range(link.location.span.range(), REPLACEMENT);
            let after = destinations(&rendered_links(DocumentFormat::Html, &render_html(&changed)));
            if !is_one_change(&before, &after, &as_rendered(link.target.text())) {
                errors.push(format!("{}: {link:?}\n{before:?}\n{after:?}", example.number));
            }
        }
    }
    assert!(spans > 150, "only {spans} spans");
    assert!(errors.is_empty(), "{} of {spans}\n{}", errors.len(), errors.join("\n"));
}

fn render_html(markdown: &str) -> String {
    let mut output = String::new();
    html::push_html(&mut output, Parser::new(markdown));
    output
}

/// Whether only the old destination was replaced. The old destination may remain in
/// `after` if it occurs more than once.
fn is_one_change(before: &BTreeSet<String>, after: &BTreeSet<String>, old: &str) -> bool {
    let is_known =
        |destination: &String| destination == REPLACEMENT || before.contains(destination);
    let is_retained = |destination: &String| destination == old || after.contains(destination);
    after.contains(REPLACEMENT) && after.iter().all(is_known) && before.iter().all(is_retained)
}
