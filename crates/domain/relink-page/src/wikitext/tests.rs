//! MediaWiki's markup and the links in it.

use relink_model::LinkTarget;
use relink_model::SkipReason::{self, Code, Comment, Placeholder};

use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

#[track_caller]
fn check(wikitext: &str, expect: &[&str]) {
    check_format(DocumentFormat::Wikitext, wikitext, expect);
}

#[track_caller]
fn none(wikitext: &str) {
    check(wikitext, &[]);
}

/// Checks how the only destination of a document is written, and what it means.
#[track_caller]
fn dest(wikitext: &str, raw: &str, meaning: &str) {
    let found = links(DocumentFormat::Wikitext, wikitext.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!((link.raw.as_str(), link.target.text()), (raw, meaning));
}

/// Checks that the first address is passed over for a reason, and the second is not.
#[track_caller]
fn skipped(wikitext: &str, reason: SkipReason) {
    let found = links(DocumentFormat::Wikitext, wikitext.as_bytes()).links;
    let [first, second] = found.as_slice() else {
        panic!("two links, not {found:?}");
    };
    let why = |link: &relink_model::Link| match link.target {
        LinkTarget::Skipped(_, why) => Some(why),
        _ => None,
    };
    assert_eq!((why(first), why(second)), (Some(reason), None), "{wikitext}");
    assert_eq!(second.raw, "https://b.test");
}

#[test]
fn addresses_stand_in_brackets_or_bare() {
    check(
        "See [https://a.test/b text] and https://c.test.",
        &["1:6 link https://a.test/b", "1:33 bare https://c.test"],
    );
    check("[https://a.test] [//b.test/c d]", &["1:2 link https://a.test", "1:19 link //b.test/c"]);
    check(
        "[https://a.test''b''] ''https://b.test''",
        &["1:2 link https://a.test", "1:25 bare https://b.test"],
    );
    check("[mailto:a@b.test c]", &["1:2 link mailto:a@b.test -"]);
    check("[https://a.test b\nc]", &["1:2 bare https://a.test"]);
    check(
        "[http://[::1]/a b] (https://a.test/b_(c))",
        &["1:2 link http://[::1]/a", "1:21 bare https://a.test/b_(c)"],
    );
    dest("[https://a.test/?b&amp;c d]", "https://a.test/?b&amp;c", "https://a.test/?b&c");
    none("git+https://a.test [x y] [] http:// [https:// a]");
}

#[test]
fn pages_are_references_and_files_are_shown() {
    check(
        "[[Page]], [[Help:A b#c|text]], [[:Category:D]]",
        &["1:3 reference Page", "1:13 reference Help:A b#c", "1:34 reference :Category:D"],
    );
    check(
        "[[File:a b.jpg|thumb|See [[c]] and [https://d.test e]]]",
        &["1:3 embed File:a b.jpg", "1:28 reference c", "1:37 link https://d.test"],
    );
    check(
        "[[Datei:a.png|link=https://b.test|c]]",
        &["1:3 embed Datei:a.png", "1:20 bare https://b.test"],
    );
    check("#REDIRECT [[ A ]]", &["1:14 reference A"]);
    check("[[https://a.test]]", &["1:3 link https://a.test"]);
    none("[[a\nb]] [[]] [[a] [[|b]]");
}

#[test]
fn parameters_of_templates_are_values() {
    check(
        "{{cite web|url=https://a.test/b|archive-url= https://c.test/1/http://d.test }}",
        &["1:16 value https://a.test/b", "1:46 value https://c.test/1/http://d.test"],
    );
    check("{{cite\n| url = https://a.test/b.\n| title = c}}", &["2:9 value https://a.test/b."]);
    check(
        "{{a|https://a.test|see https://b.test, c}}",
        &["1:5 value https://a.test", "1:24 bare https://b.test"],
    );
    check(
        "{{a|{{b|url=https://a.test}}|url=https://b.test}}",
        &["1:13 value https://a.test", "1:34 value https://b.test"],
    );
    dest(
        "{{a|url=https://a.test/?b{{=}}c{{!}}d}}",
        "https://a.test/?b{{=}}c{{!}}d",
        "https://a.test/?b=c|d",
    );
}

#[test]
fn references_tables_and_galleries_hold_links() {
    check(
        "a<ref name=\"https://x.test\">{{c|url=https://a.test}}</ref><ref name=b />",
        &["1:37 value https://a.test"],
    );
    check(
        "{|\n| https://a.test || [https://b.test c]\n|}",
        &["2:3 bare https://a.test", "2:22 link https://b.test"],
    );
    check(
        "<gallery mode=packed>\nFile:a.jpg|See https://b.test\n c.png \n</gallery>\nd",
        &["2:1 embed File:a.jpg", "2:16 bare https://b.test", "3:2 embed c.png"],
    );
}

#[test]
fn templates_within_an_address_are_placeholders() {
    skipped("[https://a.test/{{{1}}} b] https://b.test", Placeholder);
    skipped("https://a.test/{{PAGENAME}} https://b.test", Placeholder);
    skipped("https://{{{host}}}/a https://b.test", Placeholder);
    skipped("https://a.test?b={{urlencode:c d}} https://b.test", Placeholder);
    check("https://a.test/b{{dead link|date=c}}", &["1:1 bare https://a.test/b"]);
    check("[[{{PAGENAME}}/a]]", &["1:3 reference {{PAGENAME}}/a -"]);
}

#[test]
fn what_is_not_read_as_markup_is_told_as_skipped() {
    skipped("<nowiki>[https://a.test b]</nowiki> https://b.test", Code);
    skipped("<pre>https://a.test</pre> https://b.test", Code);
    skipped("<syntaxhighlight lang=sh>https://a.test</SyntaxHighlight > https://b.test", Code);
    skipped("<source>https://a.test</source> https://b.test", Code);
    skipped("<math>https://a.test</math> https://b.test", Code);
    skipped("<!-- [[a]] https://a.test --> https://b.test", Comment);
    check("<nowiki/> <nowiki>https://b.test", &["1:19 bare https://b.test"]);
    check("<!-- https://a.test", &["1:6 bare https://a.test -"]);
}
