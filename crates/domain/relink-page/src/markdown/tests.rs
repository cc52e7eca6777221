//! Markdown documents and the links in them.

use proptest::prelude::*;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use relink_model::{Link, LinkTarget, SkipReason};

use crate::cut::Cut as _;
use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

#[track_caller]
fn check(markdown: &str, expect: &[&str]) {
    check_format(DocumentFormat::Markdown, markdown, expect);
}

#[track_caller]
fn none(markdown: &str) {
    check(markdown, &[]);
}

/// Checks how the only destination of a document is written, and what it means.
#[track_caller]
fn dest(markdown: &str, raw: &str, meaning: &str) {
    let found = links(DocumentFormat::Markdown, markdown.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!(link.raw, raw);
    assert_eq!(markdown.cut(link.location.span.range()), raw);
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
    check("[r]: x\n\n[r]: y\n\n[r]", &["1:6 definition x", "3:6 definition y -"]);
    check(
        "[![r]](y) [s]\n\n[s]: <a b>\n[r]: z",
        &["1:8 link y", "3:7 definition a b", "4:6 definition z"],
    );
}

#[test]
fn a_definition_whose_label_is_taken_is_told_as_skipped() {
    let again = |text: &str, expect: &[&str]| check(&format!("[r]\n\n[r]: a\n{text}"), expect);
    again("[R]: <b c> 'd'\n", &["3:6 definition a", "4:7 definition b c -"]);
    again("[r]:\n   b\n", &["3:6 definition a", "5:4 definition b -"]);
    again("\n> [r]: b\n> c", &["3:6 definition a", "5:8 definition b -"]);
    again("\n- [r]: b\n", &["3:6 definition a", "5:8 definition b -"]);
    again("\nx\n[r]: b\n", &["3:6 definition a"]);
    again("\n    [r]: b\n", &["3:6 definition a"]);
    again("\n```\n[r]: b\n```\n", &["3:6 definition a"]);
    again("\n<!--\n[r]: b\n-->\n", &["3:6 definition a"]);
    again("\n[r]: b 'c' d\n", &["3:6 definition a"]);
    again("\n[^r]: b\n[^r]: c\n", &["3:6 definition a"]);
    again("\n- [x]: b\n", &["3:6 definition a", "5:8 definition b -"]);
    check("[r]: a 'b\n[r]: c'\n\n[r]", &["1:6 definition a"]);
}

#[test]
fn what_a_repeated_definition_means_is_told_as_it_reads() {
    let found =
        links(DocumentFormat::Markdown, b"[r]\n\n[r]: a\n[r]: x\\&amp;&amp;&copy=1&#65;\\y").links;
    let expect = LinkTarget::Skipped("x&amp;&&copy=1A\\y".into(), SkipReason::Unused);
    assert_eq!(found[1].target, expect);
}

#[test]
fn a_definition_nobody_refers_to_is_told_as_skipped() {
    check("[//]: # (a comment)\n\n[a]: x\n", &["1:7 definition # -", "3:6 definition x -"]);
    check("[a]\n\n[b]: <x\\>y>\n\n[a]: z\n", &["3:7 definition x\\>y -", "5:6 definition z"]);
    let unused = links(DocumentFormat::Markdown, b"[b]: <x\\>y>").links;
    assert_eq!(unused[0].target, LinkTarget::Skipped("x>y".into(), SkipReason::Unused));
    none("[a][b] [c]");
}

#[test]
fn autolinks_and_bare_addresses_are_links() {
    check("<https://a.test/>", &["1:2 autolink https://a.test/"]);
    check("<mailto:a@b.test>", &["1:2 autolink mailto:a@b.test -"]);
    check("<a@b.test>", &["1:2 autolink a@b.test -"]);
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
fn addresses_in_code_and_comments_are_told_as_skipped() {
    check("`[a](x)` `https://a.test` ``<a href=x>``", &["1:11 bare https://a.test -"]);
    check("```\n[a](x) https://a.test\n```", &["2:8 bare https://a.test -"]);
    check("    [a](x) https://a.test\n", &["1:12 bare https://a.test -"]);
    check("<!-- [a](x) https://a.test <a href=x> -->", &["1:13 bare https://a.test -"]);
    check(
        "a <!-- https://a.test --> https://b.test",
        &["1:8 bare https://a.test -", "1:27 bare https://b.test"],
    );
    check("> <!--\n> https://a.test\n> -->\n", &["2:3 bare https://a.test -"]);
    none(r"\[a](x) \<https://> \<a href=x>");
    let code = links(DocumentFormat::Markdown, b"`https://a.test`").links;
    assert_eq!(code[0].target, LinkTarget::Skipped("https://a.test".into(), SkipReason::Code));
    let comment = links(DocumentFormat::Markdown, b"<!-- https://a.test -->").links;
    let expect = LinkTarget::Skipped("https://a.test".into(), SkipReason::Comment);
    assert_eq!(comment[0].target, expect);
}

#[test]
fn front_matter_holds_values() {
    check("---\nu: https://a.test\n---\n[a](x)", &["2:4 value https://a.test", "4:5 link x"]);
    check(
        "+++\nu = \"https://a.test/b\"\n# http://c.test\n+++\n",
        &["2:6 value https://a.test/b", "3:3 bare http://c.test -"],
    );
    check("a\n\n---\n[a](x)\n\n---\n", &["4:5 link x"]);
}

#[test]
fn pages_in_double_brackets_are_references() {
    check("See [[Page]] and [[A b#c|text]].", &["1:7 reference Page", "1:20 reference A b#c"]);
    check("![[a.png]] [[[b]]]", &["1:4 reference a.png", "1:15 reference b"]);
    check("| [[a\\|b]] |\n|-|\n", &["1:5 reference a"]);
    check("[[2024-05-06]] [[Help:Me]]", &["1:3 reference 2024-05-06", "1:18 reference Help:Me"]);
    check("[[a]]\n\n[a]: x", &["3:6 definition x"]);
    check("[[a]](x)", &["1:7 link x"]);
    none("[[1]] [[1, 2], [3, 4]] [[ -f x ]] [[]] `[[a]]` [[a\nb]]");
    check("[[https://a.test]]", &["1:3 bare https://a.test"]);
}

#[test]
fn included_files_are_references_even_in_code() {
    check("{{#include ../a.md}}", &["1:12 reference ../a.md"]);
    check("```rust\n{{#rustdoc_include a.rs:2:9}}\n```\n", &["2:20 reference a.rs"]);
    check("{{#playground a.rs editable}}", &["1:15 reference a.rs"]);
    none("\\{{#include a.md}} {{#title x}} {{#include }} {{#include a.md");
}

#[test]
fn what_stands_in_an_admonition_is_markdown() {
    check(
        "!!! note \"A\"\n\n    [a](x)\n\n    ??? tip\n\n        [b](y)\n",
        &["3:9 link x", "7:13 link y"],
    );
    check(
        "=== \"Tab\"\n\n    [a](x)\n\n        https://a.test\n",
        &["3:9 link x", "5:9 bare https://a.test -"],
    );
    check(":::note\n[a](x)\n:::\n", &["2:5 link x"]);
    check("> [!NOTE]\n> [a](x)\n", &["2:7 link x"]);
}

#[test]
fn attribute_lists_are_no_part_of_an_address() {
    check(
        "https://a.test/b{: .c} [d](e){:target=_blank}",
        &["1:1 bare https://a.test/b", "1:28 link e"],
    );
    check("# [a](x) {#id}\n\nwww.b.test{#c}\n", &["1:7 link x", "3:1 bare www.b.test"]);
}

#[test]
fn footnotes_hold_links() {
    check(
        "a[^1]\n\n[^1]: https://a.test and [b](x)\n",
        &["3:7 bare https://a.test", "3:30 link x"],
    );
}

#[test]
fn components_hold_links_and_expressions_are_placeholders() {
    check("<Card href=\"/a?b&amp;c\" />", &["1:13 link /a?b&amp;c"]);
    check("<Card\n  style={{ a: 'b' }}\n  href='x'\n>\ny\n</Card>", &["3:9 link x"]);
    check(
        "a <Link to={'/x'}>b</Link> <Icon src={icon} />",
        &["1:14 link /x", "1:38 embed {icon} -"],
    );
    check("<a href={url}>b</a>", &["1:9 link {url} -"]);
    none("`<Card href='x'>` <Card {...a} title='href'> <Card href=");
    none("```\n<Card href='x' />\n```\n<!-- <Card href='x' /> -->\n");
}

#[test]
fn imports_name_files_and_module_code_holds_no_links() {
    check(
        "import A from './a.mdx';\nimport {\n  B,\n} from \"../b.js\"\n\n# A",
        &["1:16 reference ./a.mdx", "4:9 reference ../b.js"],
    );
    check(
        "import A from '@site/a.mdx'\n\nexport const u = 'https://a.test'\n",
        &["3:19 bare https://a.test -"],
    );
    check("import duties, see https://a.test", &["1:20 bare https://a.test"]);
    check(
        "{/* https://a.test [b](x) */} https://c.test",
        &["1:5 bare https://a.test -", "1:24 link x -", "1:31 bare https://c.test"],
    );
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
        let found = links(DocumentFormat::Markdown, markdown.as_bytes()).links;
        let is_page = |link: &&Link| markdown.cut(..link.location.span.start).ends_with("[[");
        for link in &found {
            let (raw, written) = (link.raw.trim(), unescaped(&link.raw));
            let target = link.target.text();
            // The name of a page is taken to the letter.
            let is_name = is_page(&link) && raw == target;
            prop_assert!(is_name || written.trim() == target, "{} {}", markdown, target);
        }
        let others = found.len() - found.iter().filter(is_page).count();
        prop_assert_eq!(others, inline_links(&markdown), "{}", markdown);
    }
}

/// How many inline links the parser sees, those in the description of an image
/// left out.
fn inline_links(markdown: &str) -> usize {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    let (mut links, mut images) = (0, 0_usize);
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Link { link_type, .. }) => {
                links += usize::from(images == 0 && link_type == LinkType::Inline);
            }
            Event::Start(Tag::Image { link_type, .. }) => {
                links += usize::from(images == 0 && link_type == LinkType::Inline);
                images += 1;
            }
            Event::End(TagEnd::Image) => images -= 1,
            _ => {}
        }
    }
    links
}

/// What a destination means by CommonMark's rules for escapes and entities.
fn unescaped(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let after = rest.cut(first.len_utf8()..);
        if first == '\\' && after.starts_with(|next: char| next.is_ascii_punctuation()) {
            text.push_str(after.cut(..1));
            rest = after.cut(1..);
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
