//! Links of malformed, hostile and large data files: nothing panics, and spans
//! are valid and in order.
//!
//! The documents are mutated from seeds by a random number generator with a
//! fixed seed, so failures are reproducible. A few large documents show that the
//! time is linear in the length: quadratic time would take minutes.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use relink_model::{Link, LinkTarget};
use relink_page::{Column, DocumentFormat, Language, Options, for_each_link, links, links_with};

/// Number of mutations per seed.
const ROUNDS: usize = 400;
/// Base length of large documents, in bytes.
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

/// Fragments that reach all states of the parsers.
const FRAGMENTS: &[&str] = &[
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

/// A random number generator (Marsaglia's xorshift).
struct Rng(u64);

impl Rng {
    /// Returns a number from 0 to `limit - 1`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("the result is below a usize")
    }
}

/// Removes, repeats, changes or inserts bytes of a document.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(bytes.len() + 1);
    match rng.below(6) {
        0 => bytes.truncate(at),
        1 => bytes.drain(..at).for_each(drop),
        2 => bytes.insert(at, u8::try_from(rng.below(256)).expect("a byte")),
        3 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        4 => {
            let end = at + rng.below(bytes.len() - at + 1);
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part);
        }
        _ => {
            let fragment = FRAGMENTS[rng.below(FRAGMENTS.len())];
            bytes.splice(at..at, fragment.bytes());
        }
    }
}

/// Asserts that the links of any bytes are in bounds and in order.
#[track_caller]
fn check_links(format: DocumentFormat, bytes: &[u8], options: &Options) {
    let found = links_with(format, bytes, options);
    let mut last = 0;
    for link in found.links {
        let span = link.location.span;
        assert!(span.start <= span.end && span.end <= bytes.len(), "{link:?}");
        assert!(last <= span.start, "{format:?}: {link:?} is out of order");
        last = span.start;
    }
    assert!(found.problems.len() <= 100);
}

/// Parses a document as every format and with random options.
fn check_all_formats(bytes: &[u8], rng: &mut Rng) {
    for format in FORMATS {
        check_links(format, bytes, &Options::default());
    }
    let column = if rng.below(2) == 0 { Column::Number(1 + rng.below(3)) } else { "url".into() };
    let options = Options { column: Some(column), ..Options::default() };
    check_links(DocumentFormat::Csv, bytes, &options);
    check_links(DocumentFormat::Tsv, bytes, &options);
    let language = Some(LANGUAGES[rng.below(LANGUAGES.len())]);
    check_links(DocumentFormat::Source, bytes, &Options { language, ..Options::default() });
    relink_page::is_sitemap_index(bytes);
    DocumentFormat::from_file(None, bytes);
}

#[test]
fn mutated_documents_are_parsed() {
    let mut rng = Rng(0x5EED_0F0A_DA7A_F11E);
    for (_, seed) in SEEDS {
        let mut bytes = seed.as_bytes().to_vec();
        for round in 0..ROUNDS {
            // Start again from the seed after twelve mutations.
            if round % 12 == 0 {
                bytes = seed.as_bytes().to_vec();
            }
            mutate(&mut bytes, &mut rng);
            check_all_formats(&bytes, &mut rng);
        }
    }
}

#[test]
fn random_fragments_are_parsed() {
    let mut rng = Rng(0x00DE_FEC7);
    for _ in 0..3 * ROUNDS {
        let count = rng.below(40);
        let document: String = (0..count).map(|_| FRAGMENTS[rng.below(FRAGMENTS.len())]).collect();
        check_all_formats(document.as_bytes(), &mut rng);
    }
}

#[test]
fn truncated_documents_yield_the_links_before_the_end() {
    for (format, seed) in SEEDS {
        let whole = links(*format, seed.as_bytes()).links;
        for length in 0..seed.len() {
            check_links(*format, &seed.as_bytes()[..length], &Options::default());
        }
        // The links before the last one do not depend on the end of the
        // document.
        let end = whole[whole.len() - 1].location.span.start;
        let truncated = links(*format, &seed.as_bytes()[..end]).links;
        // In a notebook, the kind of a cell may be at its end.
        let is_cell = *format == DocumentFormat::Notebook;
        let expect = &whole[..whole.len() - 1];
        assert!(
            is_cell || targets(&truncated).starts_with(&targets(expect)),
            "{format:?}: {truncated:?}"
        );
    }
}

fn targets(links: &[Link]) -> Vec<&LinkTarget> {
    links.iter().map(|link| &link.target).collect()
}

#[test]
fn rewriting_one_link_changes_only_that_link() {
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
            let kinds_and_texts = |links: &[Link]| -> Vec<(String, String)> {
                links
                    .iter()
                    .map(|link| (link.location.kind.to_string(), link.raw.clone()))
                    .collect()
            };
            assert_eq!(kinds_and_texts(&after), kinds_and_texts(&expect), "{format:?}");
            assert_eq!(after[index].target.text().trim(), "https://b.test/new/~x?y=1");
        }
    }
}

#[test]
fn large_documents_of_one_fragment_are_parsed_in_linear_time() {
    let fragments = [
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
    for fragment in fragments {
        let large = fragment.repeat(LARGE / 32 / fragment.len());
        for format in FORMATS {
            check_links(format, large.as_bytes(), &Options::default());
        }
        let large = fragment.repeat(LARGE / 64 / fragment.len());
        for language in LANGUAGES {
            let options = Options { language: Some(language), ..Options::default() };
            check_links(DocumentFormat::Source, large.as_bytes(), &options);
        }
    }
}

#[test]
fn for_each_link_streams_a_million_links() {
    let sitemap = format!("<urlset>{}", "<loc>http://a.b".repeat(1_000_000));
    let mut count = 0_usize;
    for_each_link(DocumentFormat::Xml, sitemap.as_bytes(), &mut |_| count += 1);
    assert_eq!(count, 1_000_000);
}

/// Asserts the number of links of a document with 20,000 entries, each with one link.
#[track_caller]
fn check_many(format: DocumentFormat, before: &str, entry: &str) {
    let document = format!("{before}{}", entry.repeat(20_000));
    let mut count = 0_usize;
    for_each_link(format, document.as_bytes(), &mut |_| count += 1);
    assert_eq!(count, 20_000, "{format:?}");
}

#[test]
fn many_links_of_every_format_are_all_found() {
    check_many(DocumentFormat::Html, "<DL>", "<DT><A HREF='http://a.test/'>a</A>");
    check_many(DocumentFormat::Css, "", "a{b:url(http://a.test/)}");
    check_many(DocumentFormat::Json, "[", "\"http://a.test/\",");
    check_many(DocumentFormat::JsonLines, "", "{\"u\":\"http://a.test/\"}\n");
    check_many(DocumentFormat::Csv, "a,b\n", "x,http://a.test/\n");
    check_many(DocumentFormat::Tsv, "", "x\thttp://a.test/\n");
    check_many(DocumentFormat::Source, "", "// http://a.test/\n");
    check_many(
        DocumentFormat::Notebook,
        "{\"cells\":[",
        "{\"cell_type\":\"markdown\",\"source\":\"<http://a.test/>\"},\n",
    );
}

#[test]
fn entity_expansion_bomb_is_not_expanded() {
    let mut document = String::from("<!DOCTYPE b [<!ENTITY a0 \"http://no.test/\">");
    for level in 1..40 {
        let references = format!("&a{};", level - 1).repeat(20);
        document.extend([&format!("<!ENTITY a{level} \""), references.as_str(), "\">"]);
    }
    document.push_str(
        "]><urlset><url><loc>&a39;</loc></url><url><loc>http://a.test/</loc></url></urlset>",
    );
    let found = links(DocumentFormat::Xml, document.as_bytes());
    let texts: Vec<&str> = found.links.iter().map(|link| link.target.text()).collect();
    assert_eq!(texts, ["&a39;", "http://a.test/"]);
    assert!(matches!(found.links[0].target, LinkTarget::Malformed(..)));
    assert_eq!(found.problems.len(), 1);
}

#[test]
fn deep_nesting_is_parsed() {
    let deep = LARGE / 8;
    let nested = format!("{}\"http://a.test/\"{}", "[".repeat(deep), "]".repeat(deep));
    assert_eq!(links(DocumentFormat::Json, nested.as_bytes()).links.len(), 1);
    let nested = format!("{}http://a.test/{}", "<a>".repeat(deep), "</a>".repeat(deep));
    assert_eq!(links(DocumentFormat::Xml, nested.as_bytes()).links.len(), 1);
}
