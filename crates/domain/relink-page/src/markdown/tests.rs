//! Links in Markdown. The notation of expected links is described at
//! [`check_format`](crate::properties::check).

use proptest::prelude::*;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use relink_model::{Link, LinkTarget, SkipReason};

use crate::properties::check as check_format;
use crate::safe_slice::SafeSlice as _;
use crate::{DocumentFormat, links};

/// Asserts the links of a document.
#[track_caller]
fn check(markdown: &str, expect: &[&str]) {
    check_format(DocumentFormat::Markdown, markdown, expect);
}

/// Asserts that the document has no links.
#[track_caller]
fn check_no_links(markdown: &str) {
    check(markdown, &[]);
}

/// Asserts the source text, the span and the decoded text of the only destination.
#[track_caller]
fn check_destination(markdown: &str, raw: &str, decoded: &str) {
    let found = links(DocumentFormat::Markdown, markdown.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!(link.raw, raw);
    assert_eq!(markdown.slice(link.location.span.range()), raw);
    assert_eq!(link.target.text(), decoded);
}

#[test]
fn destinations_in_every_syntax_are_found() {
    check_destination("[a](x)", "x", "x");
    check_destination("[a](<x>)", "x", "x");
    check_destination("[a](<x y>)", "x y", "x y");
    check_destination("[a](<x\\>y>)", r"x\>y", "x>y");
    check_destination("[a](<>)", "", "");
    check_destination("[a]()", "", "");
    check_destination("[a]( \n x \n )", "x", "x");
    check_destination("[a](x 'title (x)')", "x", "x");
    check_destination("[a](x \"x\")", "x", "x");
    check_destination("[a](x\n(x))", "x", "x");
    check_destination("[a](x(y)z)", "x(y)z", "x(y)z");
    check_destination("[a](x\\(y)", r"x\(y", "x(y");
    check_destination("[a](x\\)y)", r"x\)y", "x)y");
    check_destination(r"[a](x\y)", r"x\y", r"x\y");
    check_destination("[a](x&amp;y)", "x&amp;y", "x&y");
    check_destination("[a](x&copy=1)", "x&copy=1", "x&copy=1");
    check_destination("[a](/ä/%20)", "/ä/%20", "/ä/%20");
    check_destination("[x](x)", "x", "x");
    check_destination("[](x)", "x", "x");
    check_destination("[a](#b)", "#b", "#b");
    check_destination("![a](x)", "x", "x");
    check_destination("![](x)", "x", "x");
}

#[test]
fn link_text_may_contain_brackets_and_markup() {
    check_destination("[a [b] c](x)", "x", "x");
    check_destination(r"[a\](y](x)", "x", "x");
    check_destination("[*a*](x)", "x", "x");
    check_destination("[`](y)`](x)", "x", "x");
    check_destination("[a\nb](x)", "x", "x");
    check_destination("[a ](x)", "x", "x");
    check_destination(r"[a\\](x)", "x", "x");
    check_destination("[<b title='](y)'>](x)", "x", "x");
    check_destination("> [a\n> b](\n> x)", "x", "x");
    check_destination("- [a](x)\n", "x", "x");
    check_destination("| [a](x) |\n|-|\n", "x", "x");
    check_destination("# [a](x)", "x", "x");
    check_destination("[ ] [x](y)", "y", "y");
}

#[test]
fn image_inside_a_link_is_two_links() {
    check("[![a](x)](y)", &["1:7 embed x", "1:11 hyperlink y"]);
    check("[![a][r]](y)\n\n[r]: z", &["1:11 hyperlink y", "3:6 definition z"]);
}

#[test]
fn definition_is_reported_once() {
    check("[a][r] [b][R] [r][] [r]\n\n[r]: <x> 'y'\n", &["3:7 definition x"]);
    check("![r]\n\n[r]:\n   x\n", &["4:4 definition x"]);
    check("[a][\\]]\n\n[\\]]: x", &["3:7 definition x"]);
    check("> [r]\n>\n> [r]:\n> x", &["4:3 definition x"]);
    check("[r]: x\n\n[r]: y\n\n[r]", &["1:6 definition x", "3:6 definition y -"]);
    check(
        "[![r]](y) [s]\n\n[s]: <a b>\n[r]: z",
        &["1:8 hyperlink y", "3:7 definition a b", "4:6 definition z"],
    );
}

#[test]
fn duplicate_definition_is_skipped() {
    // The first definition is on line 3, `text` starts on line 4.
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
fn duplicate_definition_is_decoded() {
    let found =
        links(DocumentFormat::Markdown, b"[r]\n\n[r]: a\n[r]: x\\&amp;&amp;&copy=1&#65;\\y").links;
    let expect = LinkTarget::Skipped("x&amp;&&copy=1A\\y".into(), SkipReason::Unused);
    assert_eq!(found[1].target, expect);
}

#[test]
fn unused_definition_is_skipped() {
    check("[//]: # (a comment)\n\n[a]: x\n", &["1:7 definition # -", "3:6 definition x -"]);
    check("[a]\n\n[b]: <x\\>y>\n\n[a]: z\n", &["3:7 definition x\\>y -", "5:6 definition z"]);
    let unused = links(DocumentFormat::Markdown, b"[b]: <x\\>y>").links;
    assert_eq!(unused[0].target, LinkTarget::Skipped("x>y".into(), SkipReason::Unused));
    check_no_links("[a][b] [c]");
}

#[test]
fn autolinks_and_bare_urls_are_links() {
    check("<https://a.test/>", &["1:2 autolink https://a.test/"]);
    check("<mailto:a@b.test>", &["1:2 autolink mailto:a@b.test -"]);
    check("<a@b.test>", &["1:2 autolink a@b.test -"]);
    check("See https://a.test/b_c_d.", &["1:5 bare-url https://a.test/b_c_d"]);
    check("**https://a.test/**", &["1:3 bare-url https://a.test/"]);
    check("https://a.test/*b*c d", &["1:1 bare-url https://a.test/*b*c"]);
    check("(https://a.test/x_(y))", &["1:2 bare-url https://a.test/x_(y)"]);
    check("[https://a.test/]", &["1:2 bare-url https://a.test/"]);
    check("| https://a.test | b |\n|-|-|\n", &["1:3 bare-url https://a.test"]);
    check("a\nhttp://b.test\nc", &["2:1 bare-url http://b.test"]);
    check_destination("https://a.test/?b&amp;c", "https://a.test/?b&amp;c", "https://a.test/?b&c");
    check_destination("www.a.test/b.", "www.a.test/b", "http://www.a.test/b");
    check_no_links("xwww.a.test");
    check("https://www.a.test", &["1:1 bare-url https://www.a.test"]);
    check("[www.a.test https://b.test](x)", &["1:29 hyperlink x"]);
}

#[test]
fn embedded_html_is_parsed() {
    check("a <a href='x'>b</a> c", &["1:12 hyperlink x"]);
    check("<p>\n<img src=x>\n</p>\n\n[a](y)", &["2:10 embed x", "5:5 hyperlink y"]);
    check("> <a\n> href=x>\n", &["2:8 hyperlink x"]);
    check("> <div>\n> <a\n>  href=x>\n", &["3:9 hyperlink x"]);
    check("- <div\n  title=x><img src=y>\n", &["2:20 embed y"]);
}

#[test]
fn urls_in_code_and_comments_are_skipped() {
    check("`[a](x)` `https://a.test` ``<a href=x>``", &["1:11 bare-url https://a.test -"]);
    check("```\n[a](x) https://a.test\n```", &["2:8 bare-url https://a.test -"]);
    check("    [a](x) https://a.test\n", &["1:12 bare-url https://a.test -"]);
    check("<!-- [a](x) https://a.test <a href=x> -->", &["1:13 bare-url https://a.test -"]);
    check(
        "a <!-- https://a.test --> https://b.test",
        &["1:8 bare-url https://a.test -", "1:27 bare-url https://b.test"],
    );
    check("> <!--\n> https://a.test\n> -->\n", &["2:3 bare-url https://a.test -"]);
    check_no_links(r"\[a](x) \<https://> \<a href=x>");
    let code = links(DocumentFormat::Markdown, b"`https://a.test`").links;
    assert_eq!(code[0].target, LinkTarget::Skipped("https://a.test".into(), SkipReason::Code));
    let comment = links(DocumentFormat::Markdown, b"<!-- https://a.test -->").links;
    let expect = LinkTarget::Skipped("https://a.test".into(), SkipReason::Comment);
    assert_eq!(comment[0].target, expect);
}

#[test]
fn urls_in_front_matter_are_values() {
    check("---\nu: https://a.test\n---\n[a](x)", &["2:4 value https://a.test", "4:5 hyperlink x"]);
    check(
        "+++\nu = \"https://a.test/b\"\n# http://c.test\n+++\n",
        &["2:6 value https://a.test/b", "3:3 bare-url http://c.test -"],
    );
    check("a\n\n---\n[a](x)\n\n---\n", &["4:5 hyperlink x"]);
}

#[test]
fn wiki_links_are_references() {
    check("See [[Page]] and [[A b#c|text]].", &["1:7 reference Page", "1:20 reference A b#c"]);
    check("![[a.png]] [[[b]]]", &["1:4 reference a.png", "1:15 reference b"]);
    check("| [[a\\|b]] |\n|-|\n", &["1:5 reference a"]);
    check("[[2024-05-06]] [[Help:Me]]", &["1:3 reference 2024-05-06", "1:18 reference Help:Me"]);
    check("[[a]]\n\n[a]: x", &["3:6 definition x"]);
    check("[[a]](x)", &["1:7 hyperlink x"]);
    check_no_links("[[1]] [[1, 2], [3, 4]] [[ -f x ]] [[]] `[[a]]` [[a\nb]]");
    check("[[https://a.test]]", &["1:3 bare-url https://a.test"]);
}

#[test]
fn includes_are_references_even_in_code() {
    check("{{#include ../a.md}}", &["1:12 reference ../a.md"]);
    check("```rust\n{{#rustdoc_include a.rs:2:9}}\n```\n", &["2:20 reference a.rs"]);
    check("{{#playground a.rs editable}}", &["1:15 reference a.rs"]);
    check_no_links("\\{{#include a.md}} {{#title x}} {{#include }} {{#include a.md");
}

#[test]
fn admonition_content_is_markdown() {
    check(
        "!!! note \"A\"\n\n    [a](x)\n\n    ??? tip\n\n        [b](y)\n",
        &["3:9 hyperlink x", "7:13 hyperlink y"],
    );
    check(
        "=== \"Tab\"\n\n    [a](x)\n\n        https://a.test\n",
        &["3:9 hyperlink x", "5:9 bare-url https://a.test -"],
    );
    check(":::note\n[a](x)\n:::\n", &["2:5 hyperlink x"]);
    check("> [!NOTE]\n> [a](x)\n", &["2:7 hyperlink x"]);
}

#[test]
fn attribute_lists_are_not_part_of_a_url() {
    check(
        "https://a.test/b{: .c} [d](e){:target=_blank}",
        &["1:1 bare-url https://a.test/b", "1:28 hyperlink e"],
    );
    check("# [a](x) {#id}\n\nwww.b.test{#c}\n", &["1:7 hyperlink x", "3:1 bare-url www.b.test"]);
}

#[test]
fn footnotes_have_links() {
    check(
        "a[^1]\n\n[^1]: https://a.test and [b](x)\n",
        &["3:7 bare-url https://a.test", "3:30 hyperlink x"],
    );
}

#[test]
fn components_have_links_and_expressions_are_placeholders() {
    check("<Card href=\"/a?b&amp;c\" />", &["1:13 hyperlink /a?b&amp;c"]);
    check("<Card\n  style={{ a: 'b' }}\n  href='x'\n>\ny\n</Card>", &["3:9 value x"]);
    check(
        "a <Link to={'/x'}>b</Link> <Icon src={icon} />",
        &["1:14 hyperlink /x", "1:38 embed {icon} -"],
    );
    check("<a href={url}>b</a>", &["1:9 hyperlink {url} -"]);
    check_no_links("`<Card href='x'>` <Card {...a} title='href'> <Card href=");
    check_no_links("```\n<Card href='x' />\n```\n<!-- <Card href='x' /> -->\n");
}

#[test]
fn imports_are_references_and_module_code_is_skipped() {
    check(
        "import A from './a.mdx';\nimport {\n  B,\n} from \"../b.js\"\n\n# A",
        &["1:16 reference ./a.mdx", "4:9 reference ../b.js"],
    );
    check(
        "import A from '@site/a.mdx'\n\nexport const u = 'https://a.test'\n",
        &["3:19 bare-url https://a.test -"],
    );
    check("import duties, see https://a.test", &["1:20 bare-url https://a.test"]);
    check(
        "{/* https://a.test [b](x) */} https://c.test",
        &["1:5 bare-url https://a.test -", "1:24 hyperlink x -", "1:31 bare-url https://c.test"],
    );
}

#[test]
fn expression_with_a_path_is_a_link_and_an_imported_name_is_code() {
    let text = "import logo from './logo.png';\n\n<Image src={logo} />\n\n\
        <Image src={require('@site/static/a.png').default} />\n\n<Image src={other} />\n";
    let found = links(DocumentFormat::Markdown, text.as_bytes()).links;
    let targets: Vec<_> = found.iter().map(|link| link.target.clone()).collect();
    let skipped = |text: &str, reason| LinkTarget::Skipped(text.to_owned(), reason);
    assert!(targets.contains(&skipped("{logo}", SkipReason::Code)), "{targets:?}");
    assert!(targets.contains(&skipped("{other}", SkipReason::Placeholder)), "{targets:?}");
    assert!(targets.iter().any(|target| target.text() == "@site/static/a.png"), "{targets:?}");
}

#[test]
fn link_in_a_comment_of_myst_is_skipped() {
    let found = links(DocumentFormat::Markdown, b"% ![draft](draft.png)\n\n[a](a.md)\n").links;
    let [draft, _] = found.as_slice() else { panic!("two links, not {found:?}") };
    assert!(matches!(draft.target, LinkTarget::Skipped(_, SkipReason::Comment)), "{draft:?}");
}

#[test]
fn crlf_counts_as_one_line_end() {
    check("a\r\n\r\né [a](x)\r\n[b](y)\r\n", &["3:7 hyperlink x", "4:5 hyperlink y"]);
}

/// Fragments of link text and destinations.
const FRAGMENTS: &[&str] = &[
    "[", "]", "(", ")", "<", ">", "\\", "`", "*", "!", "\"", "'", " ", "\n", "a", "&amp;", "&",
    "](", "](x)", "![", "[a]", "\n> ", "<b>", "é", "|", "_", "~~", "](<", ">)",
];

proptest! {
    #[test]
    fn text_at_each_span_decodes_to_the_destination(
        fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..25)
    ) {
        let markdown = format!("[{}](x)", fragments.concat());
        let found = links(DocumentFormat::Markdown, markdown.as_bytes()).links;
        let is_page = |link: &&Link| markdown.slice(..link.location.span.start).ends_with("[[");
        for link in &found {
            let (raw, decoded) = (link.raw.trim(), unescaped(&link.raw));
            let target = link.target.text();
            // Page names are not decoded.
            let is_name = is_page(&link) && raw == target;
            prop_assert!(is_name || decoded.trim() == target, "{} {}", markdown, target);
        }
        let others = found.len() - found.iter().filter(is_page).count();
        prop_assert_eq!(others, inline_links(&markdown), "{}", markdown);
    }
}

/// Counts the inline links that the parser reports, except in image
/// descriptions.
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

/// Decodes escapes and entities of a destination, following CommonMark.
fn unescaped(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let after = rest.slice(first.len_utf8()..);
        if first == '\\' && after.starts_with(|next: char| next.is_ascii_punctuation()) {
            text.push_str(after.slice(..1));
            rest = after.slice(1..);
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

#[test]
fn links_in_fenced_code_of_an_html_block_are_skipped() {
    check(
        "<details>\n```html\n<a href=\"/about/\">x</a>\n```\n<a href=\"/b/\">y</a>\n</details>\n",
        &["3:10 hyperlink /about/ -", "5:10 hyperlink /b/"],
    );
}

#[test]
fn anchors_in_the_list_of_contributors_are_ignored() {
    let text = "<!-- ALL-CONTRIBUTORS-LIST:START -->\n<a href=\"#code-ada\">x</a>\n\
                <a href=\"https://a.test\">y</a>\n<!-- ALL-CONTRIBUTORS-LIST:END -->\n\n\
                <a href=\"#part\">z</a>\n";
    let found = links(DocumentFormat::Markdown, text.as_bytes()).links;
    let is_ignored =
        |link: &Link| matches!(link.target, LinkTarget::Skipped(_, SkipReason::Ignored));
    assert_eq!(found.iter().map(is_ignored).collect::<Vec<_>>(), [true, false, false]);
}
