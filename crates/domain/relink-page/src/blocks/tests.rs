//! Blocks of every format. A block is written as a letter for its kind and its text,
//! such as `h Head`; a preceding `-` marks boilerplate. [`format_blocks`] lists the
//! letters.

use super::*;

/// Returns the blocks of a document in the notation of these tests.
fn format_blocks(format: DocumentFormat, source: &str) -> Vec<String> {
    let page = block_text(format, source.as_bytes());
    let blocks = page.blocks.iter().map(|block| {
        let mark = if block.is_boilerplate { "-" } else { "" };
        let kind = match block.kind {
            BlockKind::Title => "T",
            BlockKind::Heading => "h",
            BlockKind::Paragraph => "p",
            BlockKind::ListItem => "l",
            BlockKind::TableCell => "c",
            BlockKind::Code => "x",
            BlockKind::Quote => "q",
            BlockKind::Caption => "f",
        };
        format!("{mark}{kind} {}", page.text_of(block))
    });
    blocks.collect()
}

/// Asserts the blocks of a document in the notation of `format_blocks`.
#[track_caller]
fn check(format: DocumentFormat, source: &str, expect: &[&str]) {
    assert_eq!(format_blocks(format, source), expect);
}

/// Asserts the URLs of the links of a document.
#[track_caller]
fn check_links(format: DocumentFormat, source: &str, expect: &[&str]) {
    let page = block_text(format, source.as_bytes());
    let urls: Vec<_> = page.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(urls, expect);
}

#[test]
fn html_blocks_have_their_kinds() {
    check(
        DocumentFormat::Html,
        "<title>A &amp; B</title><h2>Head</h2>one<p>t<b>w</b>o<br>lines</p><ul><li>i<li>j</ul>\
         <table><caption>cap<tr><th>x<td>y</table><pre>a\n b</pre><blockquote>said</blockquote>",
        &[
            "T A & B",
            "h Head",
            "p one",
            "p two lines",
            "l i",
            "l j",
            "f cap",
            "c x",
            "c y",
            "x a b",
            "q said",
        ],
    );
}

#[test]
fn html_without_visible_text_is_skipped() {
    check(
        DocumentFormat::Html,
        "<script>a</script><style>b</style><!-- c --><template>d</template>\
         <noscript>e</noscript><select><option>f</select><textarea>g</textarea><p>h",
        &["p h"],
    );
}

/// Enough content that boilerplate marks are not removed.
const TEXT: &str = "The owls of the north hunt by day in summer";

#[test]
fn html_boilerplate_is_marked_by_element_role_and_name() {
    for part in [
        "<nav>x</nav>",
        "<header>x</header>",
        "<footer>x</footer>",
        "<aside>x</aside>",
        "<div role=navigation>x</div>",
        "<div class='site-footer wide'>x</div>",
        "<div id=cookie_bar>x</div>",
        "<div hidden>x</div>",
        "<ul class=breadcrumbs><li>x</ul>",
    ] {
        let found = format_blocks(DocumentFormat::Html, &format!("{part}<main><p>{TEXT}</main>"));
        assert!(found[0].starts_with('-') && found[1] == format!("p {TEXT}"), "{part}: {found:?}");
    }
}

#[test]
fn html_content_is_not_boilerplate() {
    check(
        DocumentFormat::Html,
        &format!("<body class=nav><article><header><h1>x</h1></header><p>{TEXT}</article>"),
        &["h x", &format!("p {TEXT}")],
    );
    check(
        DocumentFormat::Html,
        &format!("<div class=shadow>{TEXT}</div>"),
        &[&format!("p {TEXT}")],
    );
}

#[test]
fn html_boilerplate_that_is_never_closed_ends_with_its_parent() {
    let page = format!("<div><nav>x</div><p>{TEXT}");
    check(DocumentFormat::Html, &page, &["-p x", &format!("p {TEXT}")]);
    let page = format!("<nav>x<main><p>{TEXT}</main>");
    check(DocumentFormat::Html, &page, &["-p x", &format!("p {TEXT}")]);
}

#[test]
fn html_page_with_only_boilerplate_is_content() {
    check(DocumentFormat::Html, "<nav>all there is</nav>", &["p all there is"]);
}

#[test]
fn html_links_have_the_index_of_their_block() {
    let page = block_text(
        DocumentFormat::Html,
        b"<p>a<p><a href='/b?c&amp;d'>b</a><a href='javascript:x'>",
    );
    assert_eq!(page.links, [BlockLink { url: "/b?c&d".into(), block: Some(1) }]);
}

#[test]
fn html_containers_are_equal_for_siblings_and_differ_by_name() {
    let page = block_text(DocumentFormat::Html, b"<div id=a><p>x<p>y</div><div id=b><p>z</div>");
    let paths: Vec<_> = page.blocks.iter().map(|block| block.container).collect();
    assert!(paths[0] == paths[1] && paths[1] != paths[2]);
}

#[test]
fn markdown_blocks_have_their_kinds() {
    check(
        DocumentFormat::Markdown,
        "---\ntitle: \"The title\"\ntags: [a]\n---\n# Head\n\nsome *text*\nhere `code`\n\n- i\n- j\n\n\
         > q\n\n    x = 1\n\n|a|b|\n|-|-|\n|c|d|\n\n<div>\n<b>h</b>tml\n</div>\n",
        &[
            "T The title",
            "h Head",
            "p some text here code",
            "l i",
            "l j",
            "q q",
            "x x = 1",
            "c a",
            "c b",
            "c c",
            "c d",
            "p html",
        ],
    );
    check_links(
        DocumentFormat::Markdown,
        "[a](b) <https://c.test> <a href='d'>e</a>",
        &["b", "https://c.test", "d"],
    );
}

#[test]
fn rst_blocks_have_their_kinds() {
    check(
        DocumentFormat::Rst,
        "=====\nTitle\n=====\n\n.. _target:\n\nSee :ref:`the docs <docs>` and `it <http://a.test>`_\n\
         now::\n\n    code here\n\n.. note::\n    A note.\n\n.. comment\n   goes on\n\n* item\n\n\
         .. code-block:: python\n   :linenos:\n\n   x = 1\n\nend",
        &[
            "h Title",
            "p See the docs and it_ now",
            "x code here",
            "p A note.",
            "l item",
            "x x = 1",
            "p end",
        ],
    );
    check_links(DocumentFormat::Rst, "`it <http://a.test>`_", &["http://a.test"]);
}

#[test]
fn plain_text_is_split_at_blank_lines_titles_and_items() {
    check(
        DocumentFormat::PlainText,
        "Title\n=====\none\ntwo\n\n- a\n- b\n  c\n1. d\n\nend",
        &["h Title", "p one two", "l a", "l b c", "l d", "p end"],
    );
    check(DocumentFormat::Csv, "a,b\nc,d\n", &["c a,b", "c c,d"]);
    check(DocumentFormat::AsciiDoc, "== Head\ntext", &["h Head", "p text"]);
}

#[test]
fn xml_blocks_have_their_kinds() {
    check(
        DocumentFormat::Xml,
        "<sect1><title>Head</title><indexterm><primary>no</primary></indexterm>\
         <para>some <literal>te</literal>xt &mdash; here</para>\
         <programlisting><![CDATA[a < b]]></programlisting><itemizedlist><listitem>\
         <para>i</para></listitem></itemizedlist></sect1>",
        &["h Head", "p some te xt — here", "x a < b", "p i"],
    );
    check_links(
        DocumentFormat::Xml,
        "<para><ulink url='http://a.test'/></para>",
        &["http://a.test"],
    );
}

#[test]
fn hostile_pages_stay_bounded() {
    let headings = block_text(DocumentFormat::Html, "<h1>x</h1>".repeat(100_000).as_bytes());
    assert_eq!(headings.blocks.len(), MAX_BLOCKS + 1);
    let words = headings.text().split_whitespace().count();
    assert_eq!(words, 100_000);
    let long = block_text(DocumentFormat::Html, "<p>word ".repeat(4_000_000).as_bytes());
    assert!(
        long.is_truncated && long.text().len() <= MAX_TEXT && long.blocks.len() <= MAX_BLOCKS + 1
    );
    let links = block_text(DocumentFormat::Html, "<a href=x>".repeat(50_000).as_bytes());
    assert!(links.is_truncated && links.links.len() == MAX_LINKS);
    for open in ["<div>", "<nav>", "<pre>", "<template>", "<p", "<a href='"] {
        assert!(block_text(DocumentFormat::Html, open.repeat(50_000).as_bytes()).blocks.len() < 2);
    }
    assert!(block_text(DocumentFormat::Xml, "<para>".repeat(50_000).as_bytes()).blocks.is_empty());
}

#[test]
fn every_block_has_text_and_ranges_are_in_order() {
    for source in ["", " ", "<p> <p>\u{a0}", "<p>a\0b", "é<b>ü</b>&#x10;", "a\r\nb\u{2028}c"] {
        for format in DocumentFormat::ALL {
            let page = block_text(format, source.as_bytes());
            let mut end = 0;
            for block in &page.blocks {
                assert!(block.range.start >= end && !page.text_of(block).is_empty());
                end = block.range.end;
            }
        }
    }
}

#[test]
fn html_blocks_with_id_or_class_have_distinct_containers() {
    let page = block_text(DocumentFormat::Html, b"<p id=clock>x<p class=price>y<p>z<p>w");
    let paths: Vec<_> = page.blocks.iter().map(|block| block.container).collect();
    assert!(paths[0] != paths[1] && paths[1] != paths[2] && paths[2] == paths[3]);
}

#[test]
fn images_outside_boilerplate_are_listed() {
    let html = "<nav><img src=logo.png></nav><p>Owls hunt at night in the forest with silent \
                wings <img src='a.jpg?x=1&amp;y=2'><img src=data:image/png;base64,AA><img></p>";
    let page = block_text(DocumentFormat::Html, html.as_bytes());
    assert_eq!(page.images, ["a.jpg?x=1&y=2"]);
    let many = "<img src=x.png>".repeat(MAX_IMAGES + 1);
    assert_eq!(block_text(DocumentFormat::Html, many.as_bytes()).images.len(), MAX_IMAGES);
}
