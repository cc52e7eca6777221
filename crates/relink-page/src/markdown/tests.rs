//! Markdown documents and the links in them.

use proptest::prelude::*;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::laws::check as check_format;
use crate::{Format, links};

#[track_caller]
fn check(markdown: &str, expect: &[&str]) {
    check_format(Format::Markdown, markdown, expect);
}

#[track_caller]
fn none(markdown: &str) {
    check(markdown, &[]);
}

/// Checks how the only destination of a document is written, and what it means.
#[track_caller]
fn dest(markdown: &str, raw: &str, meaning: &str) {
    let found = links(Format::Markdown, markdown.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!(link.raw, raw);
    assert_eq!(&markdown[link.place.span.range()], raw);
    assert_eq!(link.target.text(), meaning);
}

#[test]
fn destinations_are_found_however_they_are_written() {
    dest("[a](x)", "x", "x");
    dest("[a](<x>)", "x", "x");
    dest("[a](<x y>)", "x y", "x y");
    dest("[a](<x\\>y>)", r"x\>y", "x>y");
    dest("[a](<>)", "", "");
    dest("[a]()", "", "");
    dest("[a]( \n x \n )", "x", "x");
    dest("[a](x 'title (x)')", "x", "x");
    dest("[a](x \"x\")", "x", "x");
    dest("[a](x\n(x))", "x", "x");
    dest("[a](x(y)z)", "x(y)z", "x(y)z");
    dest("[a](x\\(y)", r"x\(y", "x(y");
    dest("[a](x\\)y)", r"x\)y", "x)y");
    dest(r"[a](x\y)", r"x\y", r"x\y");
    dest("[a](x&amp;y)", "x&amp;y", "x&y");
    dest("[a](x&copy=1)", "x&copy=1", "x&copy=1");
    dest("[a](/ä/%20)", "/ä/%20", "/ä/%20");
    dest("[x](x)", "x", "x");
    dest("[](x)", "x", "x");
    dest("[a](#b)", "#b", "#b");
    dest("![a](x)", "x", "x");
    dest("![](x)", "x", "x");
}

#[test]
fn link_text_may_hold_brackets_and_markup() {
    dest("[a [b] c](x)", "x", "x");
    dest(r"[a\](y](x)", "x", "x");
    dest("[*a*](x)", "x", "x");
    dest("[`](y)`](x)", "x", "x");
    dest("[a\nb](x)", "x", "x");
    dest("[a ](x)", "x", "x");
    dest(r"[a\\](x)", "x", "x");
    dest("[<b title='](y)'>](x)", "x", "x");
    dest("> [a\n> b](\n> x)", "x", "x");
    dest("- [a](x)\n", "x", "x");
    dest("| [a](x) |\n|-|\n", "x", "x");
    dest("# [a](x)", "x", "x");
    dest("[ ] [x](y)", "y", "y");
}

#[test]
fn a_picture_in_a_link_is_two_links() {
    check("[![a](x)](y)", &["1:7 embed x", "1:11 link y"]);
    check("[![a][r]](y)\n\n[r]: z", &["1:11 link y", "3:6 definition z"]);
}

#[test]
fn a_definition_is_reported_once_where_it_stands() {
    check("[a][r] [b][R] [r][] [r]\n\n[r]: <x> 'y'\n", &["3:7 definition x"]);
    check("![r]\n\n[r]:\n   x\n", &["4:4 definition x"]);
    check("[a][\\]]\n\n[\\]]: x", &["3:7 definition x"]);
    check("> [r]\n>\n> [r]:\n> x", &["4:3 definition x"]);
    check("[r]: x\n\n[r]: y\n\n[r]", &["1:6 definition x"]);
}

#[test]
fn a_definition_nobody_refers_to_is_no_link() {
    none("[//]: # (a comment)\n\n[a]: x\n");
    none("[a][b] [c]");
}

#[test]
fn autolinks_and_bare_addresses_are_links() {
    check("<https://a.test/>", &["1:2 autolink https://a.test/"]);
    check("<mailto:a@b.test>", &["1:2 autolink mailto:a@b.test -"]);
    none("<a@b.test>");
    check("See https://a.test/b_c_d.", &["1:5 bare https://a.test/b_c_d"]);
    check("**https://a.test/**", &["1:3 bare https://a.test/"]);
    check("https://a.test/*b*c d", &["1:1 bare https://a.test/*b*c"]);
    check("(https://a.test/x_(y))", &["1:2 bare https://a.test/x_(y)"]);
    check("[https://a.test/]", &["1:2 bare https://a.test/"]);
    check("| https://a.test | b |\n|-|-|\n", &["1:3 bare https://a.test"]);
    check("a\nhttp://b.test\nc", &["2:1 bare http://b.test"]);
    dest("https://a.test/?b&amp;c", "https://a.test/?b&amp;c", "https://a.test/?b&c");
    dest("www.a.test/b.", "www.a.test/b", "http://www.a.test/b");
    none("xwww.a.test");
    check("https://www.a.test", &["1:1 bare https://www.a.test"]);
    check("[www.a.test https://b.test](x)", &["1:29 link x"]);
}

#[test]
fn html_within_markdown_is_read_as_html() {
    check("a <a href='x'>b</a> c", &["1:12 link x"]);
    check("<p>\n<img src=x>\n</p>\n\n[a](y)", &["2:10 embed x", "5:5 link y"]);
    check("> <a\n> href=x>\n", &["2:8 link x"]);
    check("> <div>\n> <a\n>  href=x>\n", &["3:9 link x"]);
    check("- <div\n  title=x><img src=y>\n", &["2:20 embed y"]);
}

#[test]
fn code_comments_and_front_matter_hold_no_links() {
    none("`[a](x)` `https://a.test` ``<a href=x>``");
    none("```\n[a](x) https://a.test\n```");
    none("    [a](x) https://a.test\n");
    none("<!-- [a](x) https://a.test <a href=x> -->");
    none("a <!-- <a href=x> --> b");
    none(r"\[a](x) \<https://> \<a href=x>");
    check("---\nu: https://a.test\n---\n[a](x)", &["4:5 link x"]);
    check("a\n\n---\n[a](x)\n\n---\n", &["4:5 link x"]);
}

#[test]
fn line_ends_of_windows_count_once() {
    check("a\r\n\r\né [a](x)\r\n[b](y)\r\n", &["3:7 link x", "4:5 link y"]);
}

/// Pieces of link text and destinations; the parser says what they mean.
const PIECES: &[&str] = &[
    "[", "]", "(", ")", "<", ">", "\\", "`", "*", "!", "\"", "'", " ", "\n", "a", "&amp;", "&",
    "](", "](x)", "![", "[a]", "\n> ", "<b>", "é", "|", "_", "~~", "](<", ">)",
];

proptest! {
    #[test]
    fn what_is_written_at_the_place_means_the_destination(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..25)
    ) {
        let markdown = format!("[{}](x)", pieces.concat());
        let found = links(Format::Markdown, markdown.as_bytes()).links;
        for link in &found {
            let written = unescaped(&link.raw);
            prop_assert_eq!(written.trim(), link.target.text(), "{}", markdown);
        }
        prop_assert_eq!(found.len(), inline_links(&markdown), "{}", markdown);
    }
}

/// How many inline links the parser sees.
fn inline_links(markdown: &str) -> usize {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    Parser::new_ext(markdown, options)
        .filter(|event| match event {
            Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) => {
                *link_type == LinkType::Inline
            }
            _ => false,
        })
        .count()
}

/// What a destination means by CommonMark's rules for escapes and entities.
fn unescaped(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        if first == '\\' && after.starts_with(|next: char| next.is_ascii_punctuation()) {
            text.push_str(&after[..1]);
            rest = &after[1..];
        } else if let Some(entity) = rest.strip_prefix("&amp;") {
            text.push('&');
            rest = entity;
        } else {
            text.push(first);
            rest = after;
        }
    }
    text
}
