//! A property on which repairs depend: if a destination is replaced at its span, only
//! this destination changes.

use proptest::prelude::*;
use relink_model::LinkKind;

use crate::{DocumentFormat, links};

/// Constructs of each format. Each `@` is replaced with a URL, each `$` with
/// a number unique to the construct.
const CONSTRUCTS: &[(DocumentFormat, &[&str])] = &[
    (DocumentFormat::PlainText, &["see @ now", "(@)"]),
    (DocumentFormat::UrlList, &["@", "# a"]),
    (
        DocumentFormat::Html,
        &["<a href=\"@\">b</a>", "<img src='@'>", "<a href=file$.html>", "<img srcset='@ 2x'>"],
    ),
    (
        DocumentFormat::Markdown,
        &[
            "[a](@)",
            "![a](<@> 't')",
            "[![a](@)](@)",
            "<@>",
            "see @ now",
            "[a][r$]\n\n[r$]: @ 't'",
            "[u$]: @",
            "<a href=\"@\">b</a>",
            "<div>\n<a href=\"@\">b</a>\n</div>",
            "> [a](@)",
            "a[^n$]\n\n[^n$]: see @ now",
            "`@` b",
            "```\n@\n```",
            "<!-- @ -->",
            "[[page$]]",
            "[[page$|text]]",
            "{{#include file$.md}}",
            "<Card href=\"@\" />",
            "!!! note\n\n    [a](@)",
            "| @ |\n|---|\n| [a](@) |",
        ],
    ),
    (
        DocumentFormat::Rst,
        &[
            "`a$ <@>`_ b",
            "`a$ <@>`__ b",
            "see @ now",
            "a$_ b\n\n.. _a$: @",
            "`b`__\n\n.. __: @",
            ".. _u$: @",
            ".. image:: @",
            ".. figure:: file$.png\n   :target: @\n\n   see @ now",
            ".. |s$| image:: @",
            ".. include:: file$.rst",
            ":doc:`page$` :ref:`a <label$>`",
            ".. note:: see @ now",
            ".. a comment on @",
            "b::\n\n   @",
            ".. code-block:: sh\n\n   @",
            "``@``",
            ".. toctree::\n\n   page$\n   a <page$b>",
        ],
    ),
    (
        DocumentFormat::AsciiDoc,
        &[
            "link:@[a]",
            "link:file$.html[a]",
            "see @[a] now",
            "see @ now",
            "xref:page$.adoc[a]",
            "<<anchor$,b>>",
            "image::@[]",
            "image::file$.png[a,link=@]",
            "include::file$.adoc[]",
            ":url$: @\n\n{url$}[a]",
            ":url$: @",
            "----\n@\n----",
            "// @",
            "`+@+`",
        ],
    ),
    (
        DocumentFormat::Wikitext,
        &[
            "[@ a]",
            "see @ now",
            "{{cite web|url=@|archive-url=@}}",
            "a<ref>@</ref>",
            "[[Page $|a]]",
            "[[File:a$.png|thumb|b @ c]]",
            "<gallery>\nFile:g$.png|@\n</gallery>",
            "<nowiki>@</nowiki>",
            "<!-- @ -->",
            "{|\n| @ || [@ a]\n|}",
        ],
    ),
    (
        DocumentFormat::Html,
        &[
            "<link rel=canonical href=@>",
            "<meta property='og:image' content='@'>",
            "<style>a{b:url(@)} /* @ */</style>",
            "<p style=\"a:url('@')\">",
            "<script type='application/ld+json'>{\"id\": \"@\"}</script>",
            "<script>get('@')</script>",
            "<!-- @ -->",
        ],
    ),
    (
        DocumentFormat::Css,
        &["a{b:url(@)}", "a{b:url( '@' )}", "a{b:image-set('@' 1x, url(@) 2x)}", "/* @ */"],
    ),
    (
        DocumentFormat::Xml,
        &[
            "<loc> @ </loc>",
            "<a href='@'/>",
            "<b>see @ now</b>",
            "<b><![CDATA[@]]></b>",
            "<outline text='$' xmlUrl=\"@\"/>",
            "<!-- @ -->",
        ],
    ),
    (
        DocumentFormat::Notebook,
        &[
            r#"{"cells":[{"cell_type":"markdown","source":["[\u00e9](@)\n","see @ now"]}]}"#,
            r#"{"cells":[{"source":"<@>\n","cell_type":"markdown"}]}"#,
            r#"{"cells":[{"cell_type":"code","source":["get(\"@\")\n"]}]}"#,
        ],
    ),
    (DocumentFormat::Csv, &["a,@", "\"@\",$", "\"b, \"\"c\"\"\",@,@"]),
    (DocumentFormat::Tsv, &["a\t@", "\"@\"\t$"]),
    (DocumentFormat::Json, &["{\"a$\": \"@\"}", "[\" @ \", 1]", "// @"]),
    (DocumentFormat::JsonLines, &["{\"a$\":[\"@\",\"@\"]}"]),
    (DocumentFormat::Source, &["// see @ now", "/* (@) */", "a = \"@\";"]),
];

const URLS: [&str; 4] =
    ["https://a.test/x", "http://b.test/y?q=1&p=2", "https://c.test/z#top", "http://d.test:81"];

/// Builds a document. Each pick selects a construct and the URL in it.
fn document(constructs: &[&str], picks: &[(prop::sample::Index, prop::sample::Index)]) -> String {
    let mut document = String::new();
    for (number, (construct, url)) in picks.iter().enumerate() {
        let construct = constructs[construct.index(constructs.len())];
        let construct = construct.replace('$', &number.to_string());
        document.push_str(&construct.replace('@', URLS[url.index(URLS.len())]));
        document.push_str("\n\n");
    }
    document
}

/// Returns the destinations with their kinds.
fn destinations(format: DocumentFormat, document: &str) -> Vec<(LinkKind, String)> {
    links(format, document.as_bytes())
        .links
        .into_iter()
        .map(|link| (link.location.kind, link.raw))
        .collect()
}

/// Returns a replacement for a destination.
fn repair(raw: &str) -> String {
    if raw.contains("://") { "https://new.test/other".to_owned() } else { format!("{raw}2") }
}

proptest! {
    #[test]
    fn rewriting_a_destination_changes_nothing_else(
        picks in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..7)
    ) {
        for (format, constructs) in CONSTRUCTS {
            let document = document(constructs, &picks);
            let before = destinations(*format, &document);
            for (at, link) in links(*format, document.as_bytes()).links.iter().enumerate() {
                let mut changed = document.clone();
                changed.replace_range(link.location.span.range(), &repair(&link.raw));
                let mut expect = before.clone();
                expect[at].1 = repair(&link.raw);
                prop_assert_eq!(destinations(*format, &changed), expect, "{}", document);
            }
        }
    }

    #[test]
    fn every_construct_yields_its_links(number in 0..100_usize) {
        for (format, constructs) in CONSTRUCTS {
            for construct in *constructs {
                let text = construct.replace('$', &number.to_string()).replace('@', URLS[0]);
                let found = destinations(*format, &text);
                let urls = found.iter().filter(|(_, raw)| raw == URLS[0]).count();
                prop_assert_eq!(urls, construct.matches('@').count(), "{}", text);
            }
        }
    }
}
