//! Links in MediaWiki markup. The notation of expected links is described at
//! [`check_format`](crate::properties::check).

use relink_model::LinkTarget;
use relink_model::SkipReason::{self, Code, Comment, Placeholder};

use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

/// Asserts the links of a document.
#[track_caller]
fn check(wikitext: &str, expect: &[&str]) {
    check_format(DocumentFormat::Wikitext, wikitext, expect);
}

/// Asserts that the document has no links.
#[track_caller]
fn check_no_links(wikitext: &str) {
    check(wikitext, &[]);
}

/// Asserts the source text and the decoded text of the only destination.
#[track_caller]
fn check_destination(wikitext: &str, raw: &str, decoded: &str) {
    let found = links(DocumentFormat::Wikitext, wikitext.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!((link.raw.as_str(), link.target.text()), (raw, decoded));
}

/// Asserts that the first URL is skipped for `reason`, and that the second URL is not
/// skipped.
#[track_caller]
fn check_skipped(wikitext: &str, reason: SkipReason) {
    let found = links(DocumentFormat::Wikitext, wikitext.as_bytes()).links;
    let [first, second] = found.as_slice() else {
        panic!("two links, not {found:?}");
    };
    let reason_of = |link: &relink_model::Link| match link.target {
        LinkTarget::Skipped(_, reason) => Some(reason),
        _ => None,
    };
    assert_eq!((reason_of(first), reason_of(second)), (Some(reason), None), "{wikitext}");
    assert_eq!(second.raw, "https://b.test");
}

#[test]
fn urls_in_brackets_and_bare_urls_are_links() {
    check(
        "See [https://a.test/b text] and https://c.test.",
        &["1:6 hyperlink https://a.test/b", "1:33 bare-url https://c.test"],
    );
    check(
        "[https://a.test] [//b.test/c d]",
        &["1:2 hyperlink https://a.test", "1:19 hyperlink //b.test/c"],
    );
    check(
        "[https://a.test''b''] ''https://b.test''",
        &["1:2 hyperlink https://a.test", "1:25 bare-url https://b.test"],
    );
    check("[mailto:a@b.test c]", &["1:2 hyperlink mailto:a@b.test -"]);
    check("[https://a.test b\nc]", &["1:2 bare-url https://a.test"]);
    check(
        "[http://[::1]/a b] (https://a.test/b_(c))",
        &["1:2 hyperlink http://[::1]/a", "1:21 bare-url https://a.test/b_(c)"],
    );
    check_destination(
        "[https://a.test/?b&amp;c d]",
        "https://a.test/?b&amp;c",
        "https://a.test/?b&c",
    );
    check_no_links("git+https://a.test [x y] [] http:// [https:// a]");
}

#[test]
fn pages_are_references_and_files_are_embeds() {
    check(
        "[[Page]], [[Help:A b#c|text]], [[:Category:D]]",
        &["1:3 reference Page", "1:13 reference Help:A b#c", "1:34 reference :Category:D"],
    );
    check(
        "[[File:a b.jpg|thumb|See [[c]] and [https://d.test e]]]",
        &["1:3 embed File:a b.jpg", "1:28 reference c", "1:37 hyperlink https://d.test"],
    );
    check(
        "[[Datei:a.png|link=https://b.test|c]]",
        &["1:3 embed Datei:a.png", "1:20 bare-url https://b.test"],
    );
    check("#REDIRECT [[ A ]]", &["1:14 reference A"]);
    check("[[https://a.test]]", &["1:3 hyperlink https://a.test"]);
    check_no_links("[[a\nb]] [[]] [[a] [[|b]]");
}

#[test]
fn template_parameters_are_values() {
    check(
        "{{cite web|url=https://a.test/b|archive-url= https://c.test/1/http://d.test }}",
        &["1:16 value https://a.test/b", "1:46 value https://c.test/1/http://d.test"],
    );
    check("{{cite\n| url = https://a.test/b.\n| title = c}}", &["2:9 value https://a.test/b."]);
    check(
        "{{a|https://a.test|see https://b.test, c}}",
        &["1:5 value https://a.test", "1:24 bare-url https://b.test"],
    );
    check(
        "{{a|{{b|url=https://a.test}}|url=https://b.test}}",
        &["1:13 value https://a.test", "1:34 value https://b.test"],
    );
    check_destination(
        "{{a|url=https://a.test/?b{{=}}c{{!}}d}}",
        "https://a.test/?b{{=}}c{{!}}d",
        "https://a.test/?b=c|d",
    );
}

#[test]
fn footnotes_tables_and_galleries_have_links() {
    check(
        "a<ref name=\"https://x.test\">{{c|url=https://a.test}}</ref><ref name=b />",
        &["1:37 value https://a.test"],
    );
    check(
        "{|\n| https://a.test || [https://b.test c]\n|}",
        &["2:3 bare-url https://a.test", "2:22 hyperlink https://b.test"],
    );
    check(
        "<gallery mode=packed>\nFile:a.jpg|See https://b.test\n c.png \n</gallery>\nd",
        &["2:1 embed File:a.jpg", "2:16 bare-url https://b.test", "3:2 embed c.png"],
    );
}

#[test]
fn url_with_a_template_is_a_placeholder() {
    check_skipped("[https://a.test/{{{1}}} b] https://b.test", Placeholder);
    check_skipped("https://a.test/{{PAGENAME}} https://b.test", Placeholder);
    check_skipped("https://{{{host}}}/a https://b.test", Placeholder);
    check_skipped("https://a.test?b={{urlencode:c d}} https://b.test", Placeholder);
    check("https://a.test/b{{dead link|date=c}}", &["1:1 bare-url https://a.test/b"]);
    check("[[{{PAGENAME}}/a]]", &["1:3 reference {{PAGENAME}}/a -"]);
}

#[test]
fn urls_outside_of_markup_are_skipped() {
    check_skipped("<nowiki>[https://a.test b]</nowiki> https://b.test", Code);
    check_skipped("<pre>https://a.test</pre> https://b.test", Code);
    check_skipped(
        "<syntaxhighlight lang=sh>https://a.test</SyntaxHighlight > https://b.test",
        Code,
    );
    check_skipped("<source>https://a.test</source> https://b.test", Code);
    check_skipped("<math>https://a.test</math> https://b.test", Code);
    check_skipped("<!-- [[a]] https://a.test --> https://b.test", Comment);
    check("<nowiki/> <nowiki>https://b.test", &["1:19 bare-url https://b.test"]);
    check("<!-- https://a.test", &["1:6 bare-url https://a.test -"]);
}
