//! The 652 examples of the CommonMark specification (0.31): our destinations
//! are those of the reference rendering, each at its exact place.
//!
//! The examples are not ours to copy. The package of `pulldown-cmark` carries
//! them among its tests, with `"` for `&quot;` in the text of the renderings, and
//! they are read from there.

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

/// How many examples the specification has.
const EXAMPLES: usize = 652;

/// The package whose tests carry the examples, and where.
const PACKAGE: &str = "pulldown-cmark";
const EXAMPLES_FILE: &str = "tests/suite/spec.rs";

/// What is put in place of a destination. It can stand wherever one can.
const OTHER: &str = "https://relink.test/other";

struct Example {
    number: usize,
    markdown: String,
    html: String,
}

fn examples() -> Vec<Example> {
    let file = package_folder().join(EXAMPLES_FILE);
    let source = fs::read_to_string(&file).expect("the package carries the examples");
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

/// Where the package lies that this crate is built with.
fn package_folder() -> PathBuf {
    let told =
        run(env!("CARGO"), &["metadata", "--format-version=1", "--filter-platform", &host()]);
    let metadata: Value = serde_json::from_str(&told).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    let package = packages.iter().find(|package| package["name"] == PACKAGE);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    folder.expect("we depend on the package").to_owned()
}

/// The platform of this machine, so that packages for others are not asked for.
fn host() -> String {
    let told = run("rustc", &["-vV"]);
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("the compiler names its host").to_owned()
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the toolchain runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the toolchain speaks UTF-8")
}

/// The links a rendering of CommonMark has. Bare addresses and pages in
/// brackets are dialects; what is in code, in comments, or not referred to is
/// not rendered as a link.
fn rendered(format: DocumentFormat, text: &str) -> Vec<Link> {
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

/// A destination with the escapes that the reference rendering writes.
fn as_rendered(destination: &str) -> String {
    let mut written = String::new();
    for byte in destination.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,#%".contains(&byte) {
            written.push(char::from(byte));
        } else {
            write!(written, "%{byte:02X}").expect("a string takes all");
        }
    }
    written
}

/// The line before keeps a rule from being taken for front matter.
fn document(example: &Example) -> String {
    format!("\n{}", example.markdown)
}

#[test]
fn every_example_is_there() {
    assert_eq!(examples().len(), EXAMPLES);
}

#[test]
fn destinations_are_those_of_the_reference_rendering() {
    let mut errors = Vec::new();
    for example in examples() {
        let ours = destinations(&rendered(DocumentFormat::Markdown, &document(&example)));
        let theirs = destinations(&rendered(DocumentFormat::Html, &example.html));
        if ours != theirs {
            errors
                .push(format!("{}: {ours:?} for {theirs:?}\n{}", example.number, example.markdown));
        }
    }
    assert!(errors.is_empty(), "{} differ\n{}", errors.len(), errors.join("\n"));
}

/// Another address at the place of one changes that one and nothing else.
#[test]
fn every_place_is_exact() {
    let mut errors = Vec::new();
    let mut places = 0;
    for example in examples() {
        let document = document(&example);
        let before = destinations(&rendered(DocumentFormat::Html, &example.html));
        for link in rendered(DocumentFormat::Markdown, &document) {
            places += 1;
            assert_eq!(document[link.location.span.range()], link.raw, "{}", example.number);
            let mut changed = document.clone();
            changed.replace_range(link.location.span.range(), OTHER);
            let after = destinations(&rendered(DocumentFormat::Html, &rendering(&changed)));
            if !is_one_change(&before, &after, &as_rendered(link.target.text())) {
                errors.push(format!("{}: {link:?}\n{before:?}\n{after:?}", example.number));
            }
        }
    }
    assert!(places > 150, "only {places} places");
    assert!(errors.is_empty(), "{} of {places}\n{}", errors.len(), errors.join("\n"));
}

fn rendering(markdown: &str) -> String {
    let mut rendering = String::new();
    html::push_html(&mut rendering, Parser::new(markdown));
    rendering
}

/// The old destination may remain, for it may stand at another place too.
fn is_one_change(before: &BTreeSet<String>, after: &BTreeSet<String>, old: &str) -> bool {
    let is_known = |destination: &String| destination == OTHER || before.contains(destination);
    let is_kept = |destination: &String| destination == old || after.contains(destination);
    after.contains(OTHER) && after.iter().all(is_known) && before.iter().all(is_kept)
}
