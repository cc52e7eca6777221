//! Windows of any size yield the same links as the whole document.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{Column, Extraction, ignore_directives, links_with};

const INCREMENTAL: [DocumentFormat; 8] = [
    DocumentFormat::Html,
    DocumentFormat::Xml,
    DocumentFormat::Csv,
    DocumentFormat::Tsv,
    DocumentFormat::Json,
    DocumentFormat::JsonLines,
    DocumentFormat::UrlList,
    DocumentFormat::PlainText,
];

/// Extracts a document in windows. Returns the links, the offsets of ignored
/// links, and the lines of new directives.
fn in_windows(
    format: DocumentFormat,
    options: &Options,
    size: usize,
    bytes: &[u8],
) -> (Extraction, BTreeSet<usize>, Vec<u32>) {
    let mut all = Extraction::default();
    let (mut ignored, mut new) = (BTreeSet::new(), Vec::new());
    let mut windows = WindowedExtractor::new(format, options, size, bytes);
    while windows.next_window() {
        let directives = windows.directives().to_vec();
        new.extend(windows.new_directives().iter().map(|directive| *directive.lines.start()));
        let info = windows.for_each_link(&mut |link| {
            if directives.iter().any(|directive| directive.covers(link.location.line)) {
                ignored.insert(link.location.span.start);
            }
            all.links.push(link);
        });
        all.base = all.base.or(info.base);
        all.problems.extend(info.problems);
    }
    (all, ignored, new)
}

/// Asserts that a document in windows of several sizes has the same links, problems and ignore
/// directives as the whole document.
#[track_caller]
fn check_with(format: DocumentFormat, options: &Options, document: &str) {
    let bytes = document.as_bytes();
    let whole = links_with(format, bytes, options);
    let directives = ignore_directives(format, bytes);
    let ignored: BTreeSet<usize> = whole
        .links
        .iter()
        .filter(|link| directives.iter().any(|directive| directive.covers(link.location.line)))
        .map(|link| link.location.span.start)
        .collect();
    let longest = document.lines().map(str::len).max().unwrap_or(0);
    for size in [4, 5, 7, 16, 33, 64, 200] {
        let (windowed, windowed_ignored, new) = in_windows(format, options, size, bytes);
        assert_eq!(windowed, whole, "{format} in windows of {size}: {document:?}");
        // A directive is found only if its line fits into a window.
        if longest + 2 < size {
            assert_eq!(
                windowed_ignored, ignored,
                "{format} directives in windows of {size}: {document:?}"
            );
            let starts: Vec<u32> =
                directives.iter().map(|directive| *directive.lines.start()).collect();
            assert_eq!(new, starts, "{format} directives in windows of {size}: {document:?}");
        }
    }
}

/// Calls [`check_with`] with default options.
#[track_caller]
fn check(format: DocumentFormat, document: &str) {
    check_with(format, &Options::default(), document);
}

#[test]
fn sitemap_in_windows_has_the_same_links() {
    let urls = "<url><loc> https://a.test/é?a&amp;b </loc></url>\n <url><loc>no</loc></url>";
    let sitemap = format!(
        "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE urlset [<!ENTITY x 'y'>]>\n<urlset>{}</urlset>",
        urls.repeat(9)
    );
    check(DocumentFormat::Xml, &sitemap);
}

#[test]
fn feed_and_outline_in_windows_have_the_same_links() {
    let items = "<item><link>/x</link><guid isPermaLink='false'>https://a.test</guid>\n\
                 <description><![CDATA[see <a href='https://b.test/'>\n]]></description>\
                 <!-- https://c.test\n --><enclosure url=\"d.mp3\"/></item>";
    check(
        DocumentFormat::Xml,
        &format!("<rss xml:base='https://e.test/'>{}</rss>", items.repeat(5)),
    );
    let outlines = "<outline xmlUrl='a'\n htmlUrl='b'/>".repeat(20);
    check(DocumentFormat::Xml, &format!("<opml><body>{outlines}</body></opml>"));
}

#[test]
fn bookmarks_in_windows_have_the_same_links() {
    let marks = "<DT><A HREF=\"https://a.test/?b&amp;c\" ICON=\"data:x\">A</A>\n\
                 <script type='application/ld+json'>{\"x\":\"https://b.test\"}</script>\
                 <script src=s>'https://c.test'</script>\n\
                 <template><a href=no></template><!-- https://d.test --><style>a{b:url(e)}</style>";
    check(
        DocumentFormat::Html,
        &format!("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<base href=b>{}", marks.repeat(4)),
    );
}

#[test]
fn table_with_line_ends_in_windows_has_the_same_links() {
    let rows = "\"a\r\nb\",https://a.test/\r\n\"x\"\"y\",\"https://b.test/,\n\"\r\"open,c\n";
    let table = format!("name,site\n{}", rows.repeat(9));
    check(DocumentFormat::Csv, &table);
    check(DocumentFormat::Tsv, &table.replace(',', "\t"));
    for column in ["site", "2", "3", "none"] {
        let options = Options { column: Some(Column::from(column)), ..Options::default() };
        check_with(DocumentFormat::Csv, &options, &table);
    }
}

#[test]
fn json_lists_and_text_in_windows_have_the_same_links() {
    let lines =
        "{\"a\":\"https://a.test/\",\"b\" :1}\n\"https:\\/\\/b.test\"\n12\nhttps://x // c\n";
    check(DocumentFormat::JsonLines, &lines.repeat(9));
    check(DocumentFormat::Json, &lines.repeat(9).replace('\n', " /* http://c.test */\n"));
    check(DocumentFormat::UrlList, &"https://a.test/ \r\n# no\n\nwhat\n".repeat(9));
    check(DocumentFormat::PlainText, &"See (https://a.test/é), or\nhttp://b.test.\n".repeat(9));
}

#[test]
fn directives_apply_to_the_next_window() {
    let list = "# relink:ignore\n\n\n\nhttps://a.test/\nhttps://b.test/\n".repeat(12);
    check(DocumentFormat::UrlList, &list);
    let marks = "<a href=a> <!-- relink:ignore RL101 -->\n<!-- relink:ignore -->\n\n<a\nhref=b>\n";
    check(DocumentFormat::Html, &marks.repeat(9));
}

#[test]
fn markdown_is_a_single_window() {
    check(DocumentFormat::Markdown, &"[a] [b](c)\n".repeat(40).replace("[b]", "\n[a]: d\n[b]"));
}

#[test]
fn other_encodings_in_windows_have_the_same_links() {
    let utf16: Vec<u8> =
        "\u{feff}é\nhttps://a.test/".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let options = Options::default();
    let whole = links_with(DocumentFormat::PlainText, &utf16, &options);
    assert_eq!(in_windows(DocumentFormat::PlainText, &options, 4, &utf16).0, whole);
    let latin_1 = b"https://a.test/\xE9\nb\n".repeat(9);
    let whole = links_with(DocumentFormat::UrlList, &latin_1, &options);
    assert_eq!(in_windows(DocumentFormat::UrlList, &options, 40, &latin_1).0, whole);
}

#[test]
fn read_error_ends_the_document() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let options = Options::default();
    let reader = (&b"https://a.test\nhttps://b.te"[..]).chain(Broken);
    let mut windows = WindowedExtractor::new(DocumentFormat::UrlList, &options, 8, reader);
    let mut links = 0;
    while windows.next_window() {
        windows.for_each_link(&mut |_| links += 1);
    }
    assert_eq!(links, 2);
    assert_eq!(
        windows.into_error().map(|error| error.kind()),
        Some(io::ErrorKind::ConnectionReset)
    );
}

const FRAGMENTS: &[&str] = &[
    "<",
    ">",
    "/>",
    "</",
    "<a href=",
    "<loc>",
    "</loc>",
    "<url>",
    "<urlset>",
    "<rss>",
    "<link>",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<?xml-stylesheet href=",
    "<!DOCTYPE x [",
    "<!ENTITY",
    "]",
    "[",
    "{",
    "}",
    "\"",
    "\"\"",
    "'",
    ":",
    "/",
    "//",
    "/*",
    "*/",
    "\\",
    "\n",
    "\r",
    "\r\n",
    " ",
    ",",
    "\t",
    ";",
    "=",
    "#",
    "+",
    "https://a.test/x",
    "http://b.test",
    "é",
    "\u{feff}",
    "&amp;",
    "<script>",
    "<script type=application/ld+json>",
    "</script>",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
    "<template>",
    "</template>",
    "<plaintext>",
    "<base href=c>",
    "url(d)",
    "x",
    "12",
    ".",
    "<!",
    "<!-",
    "</a>",
    "\n\n",
    "name,site\n",
];

proptest! {
    #[test]
    fn windows_of_any_size_match_the_whole_document(
        fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60),
        format in prop::sample::select(&INCREMENTAL[..]),
        size in 4_usize..40,
        column in prop::option::of(prop::sample::select(&["site", "1", "2"][..])),
    ) {
        let document = fragments.concat();
        let options = Options { column: column.map(Column::from), ..Options::default() };
        let whole = links_with(format, document.as_bytes(), &options);
        let (windowed, ..) = in_windows(format, &options, size, document.as_bytes());
        prop_assert_eq!(windowed, whole, "{} in windows of {}: {:?}", format, size, document);
    }
}
