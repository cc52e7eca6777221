//! Links in AsciiDoc. The notation of expected links is described at
//! [`check_format`](crate::properties::check).

use relink_model::LinkTarget;
use relink_model::SkipReason::{self, Code, Comment, Placeholder, Unused};

use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

/// Asserts the links of a document.
#[track_caller]
fn check(asciidoc: &str, expect: &[&str]) {
    check_format(DocumentFormat::AsciiDoc, asciidoc, expect);
}

/// Asserts that the document has no links.
#[track_caller]
fn check_no_links(asciidoc: &str) {
    check(asciidoc, &[]);
}

/// Asserts the source text and the decoded text of the only destination.
#[track_caller]
fn check_destination(asciidoc: &str, raw: &str, decoded: &str) {
    let found = links(DocumentFormat::AsciiDoc, asciidoc.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!((link.raw.as_str(), link.target.text()), (raw, decoded));
}

/// Asserts that `https://a.test` is skipped for `reason` and `https://b.test` is
/// not skipped.
#[track_caller]
fn check_skipped(asciidoc: &str, reason: SkipReason) {
    let found = links(DocumentFormat::AsciiDoc, asciidoc.as_bytes()).links;
    for link in &found {
        match &link.target {
            LinkTarget::Skipped(text, why) => {
                assert_eq!((text.as_str(), *why), ("https://a.test", reason), "{asciidoc}");
            }
            target => assert_eq!(target.text(), "https://b.test", "{asciidoc}"),
        }
    }
    let all = asciidoc.matches("https://").count();
    assert_eq!(found.len(), all, "{asciidoc}");
}

#[test]
fn link_macros_and_bare_urls_are_links() {
    check(
        "See link:a.html[text] and https://a.test/b[more].",
        &["1:10 hyperlink a.html", "1:27 hyperlink https://a.test/b"],
    );
    check(
        "https://a.test, (https://b.test/c_(d)).",
        &["1:1 bare-url https://a.test", "1:18 bare-url https://b.test/c_(d)"],
    );
    check(
        "<https://a.test>|https://b.test|c",
        &["1:2 bare-url https://a.test", "1:18 bare-url https://b.test"],
    );
    check("link:++https://a.test/?b=[c]++[d]", &["1:8 hyperlink https://a.test/?b=[c]"]);
    check("http://[::1]/a[b]", &["1:1 hyperlink http://[::1]/a"]);
    check_no_links("link:a b[c] link: a[b] link:[c] blink:a hyperlink http:// x");
}

#[test]
fn images_audio_and_video_are_embeds() {
    check(
        "image::a b.png[]\n\nSee image:c.png[d] here",
        &["1:8 embed a b.png", "3:11 embed c.png"],
    );
    check("video::a.mp4[] \n\naudio::b.ogg[]", &["1:8 embed a.mp4", "3:8 embed b.ogg"]);
    check_no_links("video::rPQoq7ThGAU[youtube]");
    check(
        "image::a.png[link=https://b.test,c=d]",
        &["1:8 embed a.png", "1:19 hyperlink https://b.test"],
    );
    check(
        "image::a.png[link=\"https://b.test\"]",
        &["1:8 embed a.png", "1:20 hyperlink https://b.test"],
    );
    check_destination(":imagesdir: img/\n\nimage::a.png[]", "a.png", "img/a.png");
    check_destination(":imagesdir: img\n\nimage::/a.png[]", "/a.png", "/a.png");
}

#[test]
fn cross_references_and_includes_are_references() {
    check("<<a>> and <<b.adoc#c,text, more>>", &["1:3 reference a", "1:13 reference b.adoc#c"]);
    check_destination("<<a,b>>", "a", "#a");
    check_destination("xref:a[b]", "a", "#a");
    check_destination("xref:a.adoc#b[c]", "a.adoc#b", "a.adoc#b");
    check("include::a.adoc[]\n", &["1:10 reference a.adoc"]);
    check("----\ninclude::a.rb[tag=b]\n----\n", &["2:10 reference a.rb"]);
    check_no_links("a << b >> c <<\n>> <<>> include:a[]");
}

#[test]
fn attributes_are_substituted_in_destinations() {
    check_destination(":v: 2\n\nlink:a/{v}/b.html[c]", "a/{v}/b.html", "a/2/b.html");
    check_destination(":u: https://a.test\n\n{u}/b[c]", "{u}/b", "https://a.test/b");
    check_destination(":h: a.test\n\nSee https://{h}/b.", "https://{h}/b", "https://a.test/b");
    check_destination(":a: x\n:b: {a}/y\n\nlink:{b}[c]", "{b}", "x/y");
    check_destination("= T\n:v: 2\n\nlink:{v}/b[c]", "{v}/b", "2/b");
    check_destination("= T\nAda Author\n:v: 2\n:w: {v}\n\nlink:{w}/b[c]", "{w}/b", "2/b");
    check_destination("== T\n:v: 2\n\nlink:{v}/b[c]", "{v}/b", "2/b");
    check_destination(":a: x\n:a: y\n\nlink:{A}/z[c]", "{A}/z", "y/z");
}

#[test]
fn destination_that_is_an_attribute_is_reported_at_its_definition() {
    check(":u: https://a.test\n\n{u}[b] {u} link:{u}[]", &["1:5 definition https://a.test"]);
    check(":u: https://a.test\n\n{u}/b[c]", &["3:1 hyperlink {u}/b"]);
    check(":u: https://a.test\n\ntext", &["1:5 definition https://a.test -"]);
    let unused = links(DocumentFormat::AsciiDoc, b":u: https://a.test\n").links;
    assert_eq!(unused[0].target, LinkTarget::Skipped("https://a.test".into(), Unused));
    check(":about: see https://a.test now\n", &["1:13 bare-url https://a.test"]);
}

#[test]
fn undefined_attribute_is_a_placeholder() {
    for text in ["link:{x}/a[b]", "{x}[b]", "https://a.test/{x}[b]", ":x: y\n:x!:\nlink:{x}[b]"] {
        let found = links(DocumentFormat::AsciiDoc, text.as_bytes()).links;
        assert!(matches!(found[0].target, LinkTarget::Skipped(_, Placeholder)), "{text}");
        assert_eq!(found.len(), 1);
    }
    check_no_links("{nbsp}[a] \\{x}[b] {x} y");
}

#[test]
fn nested_attributes_do_not_grow_exponentially() {
    let attributes = (1..40).map(|level| format!(":a{level}: {{a{0}}}{{a{0}}}", level - 1));
    let attributes = attributes.collect::<Vec<_>>().join("\n");
    let bomb = format!(":a0: https://a.test/x\n{attributes}\n\nlink:{{a39}}/x[b]\n");
    assert!(!links(DocumentFormat::AsciiDoc, bomb.as_bytes()).links.is_empty());
}

#[test]
fn urls_in_literal_text_are_skipped() {
    check_skipped("----\nhttps://a.test\n----\nhttps://b.test", Code);
    check_skipped("-----\n----\nhttps://a.test\n-----\nhttps://b.test", Code);
    check_skipped("....\nhttps://a.test\n....\nhttps://b.test", Code);
    check_skipped("```sh\nhttps://a.test\n```\nhttps://b.test", Code);
    check_skipped("[source,sh]\nhttps://a.test\n\nhttps://b.test", Code);
    check_skipped(" https://a.test\n\n * https://b.test", Code);
    check_skipped("`+https://a.test+` https://b.test", Code);
    check_skipped("+++https://a.test+++ https://b.test", Code);
    check_skipped("pass:[https://a.test] https://b.test", Code);
    check_skipped("\\https://a.test \\https://a.test[b] https://b.test", Code);
    check_skipped("[subs=+macros]\n----\nhttps://b.test\n----\n", Code);
    check_skipped("====\nhttps://b.test\n====\n", Code);
}

#[test]
fn urls_in_comments_are_skipped() {
    check_skipped("// https://a.test\nhttps://b.test", Comment);
    check_skipped("////\nhttps://a.test\n\n----\n////\nhttps://b.test", Comment);
    check_skipped("[comment]\nhttps://a.test\n\nhttps://b.test", Comment);
}

#[test]
fn passthrough_block_is_parsed_as_html() {
    check("++++\n<a href='x'>\n++++\n", &["2:10 hyperlink x"]);
}
