//! No data file, however broken or large, stops its links from being read.
//!
//! Seeds are small documents of every data format; each is changed in many
//! ways by a generator with a fixed start, so that a failure can be repeated.
//! Large documents are few. Read in time that grows with their length they
//! take a moment; with its square, they would not end.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use relink_model::{Link, LinkTarget};
use relink_page::{Column, DocumentFormat, Language, Options, for_each_link, links, links_with};

/// Changes made of each seed.
const ROUNDS: usize = 400;
/// The length of a large document.
const LARGE: usize = 1 << 20;

const FORMATS: [DocumentFormat; 9] = [
    DocumentFormat::Html,
    DocumentFormat::Css,
    DocumentFormat::Xml,
    DocumentFormat::Notebook,
    DocumentFormat::Csv,
    DocumentFormat::Tsv,
    DocumentFormat::Json,
    DocumentFormat::JsonLines,
    DocumentFormat::Source,
];

const LANGUAGES: [Language; 10] = [
    Language::C,
    Language::Rust,
    Language::Php,
    Language::Shell,
    Language::Python,
    Language::Sql,
    Language::Lisp,
    Language::Erlang,
    Language::Ml,
    Language::Markup,
];

/// Well-formed documents, each with several links.
const SEEDS: &[(DocumentFormat, &str)] = &[
    (
        DocumentFormat::Html,
        "<!doctype html><link rel=canonical href=http://a.test/1><meta property=og:image \
         content='http://a.test/2'><style>@import 'http://a.test/3';b{c:url(http://a.test/4)}</style>\
         <p style=\"d:url(&quot;http://a.test/5&quot;)\"><a href='http://a.test/6' \
         data-versionurl='http://a.test/7'>é</a><script type='application/ld+json'>\
         {\"@id\":\"http://a.test/8\"}</script>",
    ),
    (
        DocumentFormat::Html,
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"http://a.test/1\" ADD_DATE=\"1\">A</A>\n\
         <DT><A HREF=\"http://a.test/2\">B</A>\n</DL><p>\n",
    ),
    (
        DocumentFormat::Css,
        "@import \"http://a.test/1\" screen;\n/* é */ a { b: url( http://a.test/2 ), url('http://a.test/3') }\n\
         c { d: image-set(\"http://a.test/4\" 1x, \"http://a.test/5\" type(\"image/avif\")) }\n",
    ),
    (
        DocumentFormat::Xml,
        "<?xml version='1.0'?><?xml-stylesheet href='http://a.test/1'?>\n<urlset xmlns='http://s.test'>\n\
         <url><loc>http://a.test/2</loc><xhtml:link href=\"http://a.test/3\"/></url>\n\
         <url><loc><![CDATA[http://a.test/4]]></loc></url></urlset>",
    ),
    (
        DocumentFormat::Xml,
        "<rss><channel><link>http://a.test/1</link><item><guid>http://a.test/2</guid>\n\
         <enclosure url='http://a.test/3'/><description>&lt;a href=&quot;http://a.test/4&quot;&gt;é \
         http://a.test/5.</description></item></channel></rss>",
    ),
    (
        DocumentFormat::Xml,
        "<feed xml:base='http://b.test/'><link href='http://a.test/1'/><content src='http://a.test/2'/></feed>",
    ),
    (
        DocumentFormat::Xml,
        "<opml><body><outline xmlUrl='http://a.test/1' htmlUrl='http://a.test/2'/></body></opml>",
    ),
    (
        DocumentFormat::Notebook,
        "{\"cells\":[{\"cell_type\":\"markdown\",\"metadata\":{},\"source\":[\"# \\u00e9 \\\"q\\\"\\n\",\
         \"[a](http://a.test/1) <http://a.test/2>\\n\",\"\\n![b](http://a.test/3 \\\"t\\\")\"]},\n\
         {\"source\":\"http://a.test/4\\n\",\"cell_type\":\"markdown\"}],\"nbformat\":4}",
    ),
    (
        DocumentFormat::Csv,
        "name,url\r\n\"é, \"\"x\"\"\",http://a.test/1\r\nB,\"http://a.test/2\"\r\nC, http://a.test/3 \r\n",
    ),
    (DocumentFormat::Csv, "a;b\n1;http://a.test/1\n2;http://a.test/2\n"),
    (DocumentFormat::Tsv, "a\tb\n1\thttp://a.test/1\n2\t\"http://a.test/2\"\n"),
    (
        DocumentFormat::Json,
        "{\"roots\": {\"children\": [{\"name\": \"é\\n\", \"url\": \"http://a.test/1\"},\n\
         {\"uri\": \"http:\\/\\/a.test\\/2\"}]}, \"http://k.test\": \"http://a.test/3\"}",
    ),
    (DocumentFormat::JsonLines, "{\"u\":\"http://a.test/1\"}\n{\"u\":\"http://a.test/2\"}\n"),
    (
        DocumentFormat::Source,
        "// See http://a.test/1.\n/* é <http://a.test/2> */\nint a = \"http://a.test/3\"; // (http://a.test/4)\n",
    ),
];

/// What drives readers through their states.
const PIECES: &[&str] = &[
    "<",
    ">",
    "/",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\u",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ";",
    ":",
    "&",
    "&amp;",
    "&#x",
    "\n",
    "\r",
    "\t",
    "\0",
    "é",
    "\u{1F600}",
    "\u{feff}",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE x [",
    "<!ENTITY a 'b'>",
    "<?",
    "?>",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "\"\"\"",
    "'''",
    "url(",
    "@import",
    "image-set(",
    "style=\"",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "http://b.test",
    "https://",
    "\"cells\":[",
    "\"source\":",
    "=begin\n",
    "--[[",
    "(*",
    "<loc>",
    "</loc>",
];

/// A generator that starts the same every time (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides.max(1) as u64).expect("it is below a usize")
    }
}

/// Changes bytes of a document: cuts, repeats, swaps, pieces put in.
fn change(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.roll(bytes.len() + 1);
    match dice.roll(6) {
        0 => bytes.truncate(at),
        1 => bytes.drain(..at).for_each(drop),
        2 => bytes.insert(at, u8::try_from(dice.roll(256)).expect("a byte")),
        3 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
        4 => {
            let end = at + dice.roll(bytes.len() - at + 1);
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            let piece = PIECES[dice.roll(PIECES.len())];
            bytes.splice(at..at, piece.bytes());
        }
    }
}

/// What holds for the links of any bytes, read as any data format.
#[track_caller]
fn holds(format: DocumentFormat, bytes: &[u8], options: &Options) {
    let found = links_with(format, bytes, options);
    let mut last = 0;
    for link in found.links {
        let span = link.location.span;
        assert!(span.start <= span.end && span.end <= bytes.len(), "{link:?}");
        assert!(last <= span.start, "{format:?}: {link:?} comes too late");
        last = span.start;
    }
    assert!(found.problems.len() <= 100);
}

/// Reads a changed document as every format, in every way there is.
fn read_in_every_way(bytes: &[u8], dice: &mut Dice) {
    for format in FORMATS {
        holds(format, bytes, &Options::default());
    }
    let column = if dice.roll(2) == 0 { Column::Number(1 + dice.roll(3)) } else { "url".into() };
    let options = Options { column: Some(column), ..Options::default() };
    holds(DocumentFormat::Csv, bytes, &options);
    holds(DocumentFormat::Tsv, bytes, &options);
    let language = Some(LANGUAGES[dice.roll(LANGUAGES.len())]);
    holds(DocumentFormat::Source, bytes, &Options { language, ..Options::default() });
    relink_page::is_sitemap_index(bytes);
    DocumentFormat::of_file(None, bytes);
}

#[test]
fn changed_documents_are_read() {
    let mut dice = Dice(0x5EED_0F0A_DA7A_F11E);
    for (_, seed) in SEEDS {
        let mut bytes = seed.as_bytes().to_vec();
        for round in 0..ROUNDS {
            if round % 12 == 0 {
                bytes = seed.as_bytes().to_vec();
            }
            change(&mut bytes, &mut dice);
            read_in_every_way(&bytes, &mut dice);
        }
    }
}

#[test]
fn documents_of_pieces_are_read() {
    let mut dice = Dice(0x00DE_FEC7);
    for _ in 0..3 * ROUNDS {
        let count = dice.roll(40);
        let soup: String = (0..count).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
        read_in_every_way(soup.as_bytes(), &mut dice);
    }
}

#[test]
fn cut_documents_are_read_as_far_as_they_go() {
    for (format, seed) in SEEDS {
        let whole = links(*format, seed.as_bytes()).links;
        for length in 0..seed.len() {
            holds(*format, &seed.as_bytes()[..length], &Options::default());
        }
        // What stands before the last two links cannot hang on how it ends.
        let end = whole[whole.len() - 1].location.span.start;
        let cut = links(*format, &seed.as_bytes()[..end]).links;
        let is_cell = *format == DocumentFormat::Notebook;
        let expect = &whole[..whole.len() - 1];
        assert!(is_cell || targets(&cut).starts_with(&targets(expect)), "{format:?}: {cut:?}");
    }
}

fn targets(links: &[Link]) -> Vec<&LinkTarget> {
    links.iter().map(|link| &link.target).collect()
}

#[test]
fn rewriting_one_link_changes_that_link_alone() {
    for (format, seed) in SEEDS {
        let before = links(*format, seed.as_bytes()).links;
        assert!(before.len() >= 2, "{format:?} has links");
        for (index, link) in before.iter().enumerate() {
            let span = link.location.span;
            let rewrite =
                |text: &str| format!("{}{text}{}", &seed[..span.start], &seed[span.end..]);
            assert_eq!(rewrite(&link.raw), *seed);
            let after = links(*format, rewrite("https://b.test/new/~x?y=1").as_bytes()).links;
            let mut expect = before.clone();
            expect[index].raw = "https://b.test/new/~x?y=1".to_owned();
            let told = |links: &[Link]| -> Vec<(String, String)> {
                links
                    .iter()
                    .map(|link| (link.location.kind.to_string(), link.raw.clone()))
                    .collect()
            };
            assert_eq!(told(&after), told(&expect), "{format:?}");
            assert_eq!(after[index].target.text().trim(), "https://b.test/new/~x?y=1");
        }
    }
}

#[test]
fn large_documents_of_one_mark_are_read_in_one_go() {
    let marks = [
        "<",
        "<a ",
        "<a b='",
        "<a b=\"<",
        "</",
        "<!",
        "<!--",
        "<![CDATA[",
        "<!DOCTYPE x [",
        "<!DOCTYPE '",
        "<?",
        "<?x ",
        "&",
        "&amp;",
        "&#x",
        "<style>",
        "<p style='url(",
        "<p style=\"&quot;",
        "{",
        "[",
        "{\"",
        "\"",
        "\"\"",
        "\\\"",
        "\"\\",
        ",\"",
        ",\"\"\"",
        "\"a\":",
        "/*",
        "/* ",
        "//",
        "/",
        "url(",
        "url('",
        "url({{",
        "@import'",
        "image-set(",
        "(",
        "'",
        "`",
        "#",
        "\"\"\"",
        "'''",
        "=begin\n",
        "--[[",
        "{-",
        "(* ",
        "<#",
        "\r",
        "\n",
        "\t",
        ";",
        "http://",
        "://",
        "\"http://a.test/\\u0026",
        "{\"cells\":[",
        "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"[",
        "]",
        "}",
    ];
    for mark in marks {
        let large = mark.repeat(LARGE / 32 / mark.len());
        for format in FORMATS {
            holds(format, large.as_bytes(), &Options::default());
        }
        let large = mark.repeat(LARGE / 64 / mark.len());
        for language in LANGUAGES {
            let options = Options { language: Some(language), ..Options::default() };
            holds(DocumentFormat::Source, large.as_bytes(), &options);
        }
    }
}

#[test]
fn a_million_links_pass_through_and_none_is_kept() {
    let sitemap = format!("<urlset>{}", "<loc>http://a.b".repeat(1_000_000));
    let mut count = 0_usize;
    for_each_link(DocumentFormat::Xml, sitemap.as_bytes(), &mut |_| count += 1);
    assert_eq!(count, 1_000_000);
}

#[track_caller]
fn many(format: DocumentFormat, before: &str, entry: &str) {
    let document = format!("{before}{}", entry.repeat(20_000));
    let mut count = 0_usize;
    for_each_link(format, document.as_bytes(), &mut |_| count += 1);
    assert_eq!(count, 20_000, "{format:?}");
}

#[test]
fn many_links_of_every_format_are_all_found() {
    many(DocumentFormat::Html, "<DL>", "<DT><A HREF='http://a.test/'>a</A>");
    many(DocumentFormat::Css, "", "a{b:url(http://a.test/)}");
    many(DocumentFormat::Json, "[", "\"http://a.test/\",");
    many(DocumentFormat::JsonLines, "", "{\"u\":\"http://a.test/\"}\n");
    many(DocumentFormat::Csv, "a,b\n", "x,http://a.test/\n");
    many(DocumentFormat::Tsv, "", "x\thttp://a.test/\n");
    many(DocumentFormat::Source, "", "// http://a.test/\n");
    many(
        DocumentFormat::Notebook,
        "{\"cells\":[",
        "{\"cell_type\":\"markdown\",\"source\":\"<http://a.test/>\"},\n",
    );
}

#[test]
fn a_bomb_of_entities_costs_nothing() {
    let mut bomb = String::from("<!DOCTYPE b [<!ENTITY a0 \"http://no.test/\">");
    for level in 1..40 {
        let below = format!("&a{};", level - 1).repeat(20);
        bomb.extend([&format!("<!ENTITY a{level} \""), below.as_str(), "\">"]);
    }
    bomb.push_str(
        "]><urlset><url><loc>&a39;</loc></url><url><loc>http://a.test/</loc></url></urlset>",
    );
    let found = links(DocumentFormat::Xml, bomb.as_bytes());
    let texts: Vec<&str> = found.links.iter().map(|link| link.target.text()).collect();
    assert_eq!(texts, ["&a39;", "http://a.test/"]);
    assert!(matches!(found.links[0].target, LinkTarget::Malformed(..)));
    assert_eq!(found.problems.len(), 1);
}

#[test]
fn depth_is_no_danger() {
    let deep = LARGE / 8;
    let nested = format!("{}\"http://a.test/\"{}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(links(DocumentFormat::Json, nested.as_bytes()).links.len(), 1);
    let nested = format!("{}http://a.test/{}", "<a>".repeat(deep), "</a>".repeat(deep));
    assert_eq!(links(DocumentFormat::Xml, nested.as_bytes()).links.len(), 1);
}
