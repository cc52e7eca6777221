//! Rules of CommonMark 0.31.2 about destinations.
//!
//! Each row is a text and its rendered destinations, as `raw` or, if the decoded text
//! differs, `raw => decoded`. The span of each destination is also tested. The numbers
//! of sections are those of the specification.

use relink_model::{LinkKind, LinkTarget, SkipReason};

use crate::safe_slice::SafeSlice as _;
use crate::{DocumentFormat, links};

/// A text and its rendered destinations.
type Row = (&'static str, &'static [&'static str]);

/// Asserts the rendered destinations of each text.
#[track_caller]
fn check(rows: &[Row]) {
    for (markdown, expect) in rows {
        // The empty first line prevents `---` from starting front matter.
        let document = format!("\n{markdown}");
        let mut actual = Vec::new();
        for link in links(DocumentFormat::Markdown, document.as_bytes()).links {
            assert_eq!(document.slice(link.location.span.range()), link.raw);
            if is_rendered(&link) {
                let decoded = link.target.text();
                let differs = decoded != link.raw;
                actual.push(if differs { format!("{} => {decoded}", link.raw) } else { link.raw });
            }
        }
        assert_eq!(actual, *expect, "{markdown}");
    }
}

/// Whether CommonMark renders the link. Bare URLs and wiki links are
/// extensions; code, comments and unused definitions are not rendered.
fn is_rendered(link: &relink_model::Link) -> bool {
    use SkipReason::{Code, Comment, Unused};
    let is_skipped = matches!(link.target, LinkTarget::Skipped(_, Code | Comment | Unused));
    !is_skipped && !matches!(link.location.kind, LinkKind::BareUrl | LinkKind::Reference)
}

#[test]
fn section_2_tabs_escapes_and_entities() {
    check(&[
        ("[a](/b\\*c \"d\\*e\")", &["/b\\*c => /b*c"]),
        ("[a]\n\n[a]: /b\\*c \"d\"", &["/b\\*c => /b*c"]),
        ("<https://a.test?b=\\*>", &["https://a.test?b=\\*"]),
        ("<a href=\"/b\\)c\">", &["/b\\)c"]),
        ("[a](/f&ouml;&ouml; \"f&ouml;\")", &["/f&ouml;&ouml; => /föö"]),
        ("[a]\n\n[a]: /&auml;", &["/&auml; => /ä"]),
        ("<a href=\"&ouml;.html\">", &["&ouml;.html => ö.html"]),
        ("[a](b &quot;c&quot;)", &[]),
        ("\\[a](b) \\![c](d)", &["d"]),
        ("`[a](b)` ``<https://c.test>``", &[]),
    ]);
}

#[test]
fn section_4_blocks() {
    check(&[
        ("    [a](b)", &[]),
        ("```\n[a](b)\n```", &[]),
        ("~~~ x\n[a](b)\n~~~", &[]),
        ("# [a](b) #", &["b"]),
        ("[a](b)\n===", &["b"]),
        ("<div>\n[a](b)\n</div>", &[]),
        ("<div>\n\n[a](b)\n\n</div>", &["b"]),
        ("<pre>\n[a](b)\n</pre>", &[]),
        ("<script>\n[a](b)\n</script>", &[]),
        ("<!-- [a](b) -->", &[]),
        ("<a href=\"b\">\n*c*\n</a>", &["b"]),
    ]);
}

#[test]
fn section_4_7_definitions() {
    check(&[
        ("[a]: /b 'c'\n\n[a]", &["/b"]),
        ("   [a]: \n      /b  \n           'c d'  \n\n[a]", &["/b"]),
        ("[a*\\]]: x_(y) 'it is (not) a link'\n\n[a*\\]]", &["x_(y)"]),
        ("[a b]:\n<x y>\n'c'\n\n[A\tB]", &["x y"]),
        ("[a]: /b '\nc\nd\n'\n\n[a]", &["/b"]),
        ("[a]: /b 'c\n\nd'\n\n[a]", &[]),
        ("[a]:\n/b\n\n[a]", &["/b"]),
        ("[a]:\n\n[a]", &[]),
        ("[a]: <>\n\n[a]", &[""]),
        ("[a]: <b>(c)\n\n[a]", &[]),
        ("[a]\n\n[a]: b\n[a]: c", &["b"]),
        ("[ÄÖ]: /b\n\n[äö]", &["/b"]),
        ("[a]: /b \"c\" d\n\n[a]", &[]),
        ("    [a]: /b\n\n[a]", &[]),
        ("```\n[a]: /b\n```\n\n[a]", &[]),
        ("A\n[a]: /b\n\n[a]", &[]),
        ("# [a]\n[a]: /b\n> c", &["/b"]),
        ("[a]: /b\n===\n[a]", &["/b"]),
        ("[a]: /b 'c'\n[d]: /e\n  'f'\n[g]: /h\n\n[a] [d] [g]", &["/b", "/e", "/h"]),
        ("[a]\n\n> [a]: /b", &["/b"]),
        ("- [a]: /b\n\n[a]", &["/b"]),
    ]);
}

#[test]
fn section_6_3_destinations_of_links() {
    check(&[
        ("[a](/b \"c\")", &["/b"]),
        ("[a](/b)", &["/b"]),
        ("[](./b.md)", &["./b.md"]),
        ("[a]()", &[""]),
        ("[a](<>)", &[""]),
        ("[a](/b c)", &[]),
        ("[a](</b c>)", &["/b c"]),
        ("[a](b\nc)", &[]),
        ("[a](<b\nc>)", &[]),
        ("[a](<b)c>)", &["b)c"]),
        ("[a](<b\\>)", &[]),
        ("[a](<b)c\n[a](<b)c>\n[a](<b>c)", &[]),
        ("[a](\\(b\\))", &["\\(b\\) => (b)"]),
        ("[a](b(c(d)))", &["b(c(d))"]),
        ("[a](b(c)", &[]),
        ("[a](b\\(c\\(d)", &["b\\(c\\(d => b(c(d"]),
        ("[a](<b(c(d)>)", &["b(c(d)"]),
        ("[a](b\\)\\:)", &["b\\)\\: => b):"]),
        (
            "[a](#b) [c](https://d.test#e) [f](https://g.test?h=3#i)",
            &["#b", "https://d.test#e", "https://g.test?h=3#i"],
        ),
        ("[a](b\\c)", &["b\\c"]),
        ("[a](b%20c&auml;)", &["b%20c&auml; => b%20cä"]),
        ("[a](\"b\")", &["\"b\""]),
        ("[a](/b 'c') [d](/e (f))", &["/b", "/e"]),
        ("[a](/b \"c \\\"&quot;\")", &["/b"]),
        ("[a](/b \"c \"and\" d\")", &[]),
        ("[a](/b 'c \"and\" d')", &["/b"]),
        ("[a](   /b\n  \"c\"  )", &["/b"]),
        ("[a] (/b)", &[]),
    ]);
}

#[test]
fn section_6_3_texts_of_links() {
    check(&[
        ("[a [b [c]]](/d)", &["/d"]),
        ("[a] b](/c)", &[]),
        ("[a [b](/c)", &["/c"]),
        ("[a \\[b](/c)", &["/c"]),
        ("[a *b **c** `d`*](/e)", &["/e"]),
        ("[![a](b.jpg)](/c)", &["b.jpg", "/c"]),
        ("[a [b](/c)](/d)", &["/c"]),
        ("[a *[b [c](/d)](/e)*](/f)", &["/d"]),
        ("![[[a](b)](c)](d)", &["d"]),
        ("*[a*](/b)", &["/b"]),
        ("[a *b](c*)", &["c*"]),
        ("[a <b c=\"](d)\">", &[]),
        ("[a`](/b)`", &[]),
        ("[a<https://b.test/?c=](d)>", &["https://b.test/?c=](d)"]),
    ]);
}

#[test]
fn section_6_3_references() {
    check(&[
        ("[a][b]\n\n[b]: /c", &["/c"]),
        ("[a [b [c]]][d]\n\n[d]: /e", &["/e"]),
        ("[![a](b.jpg)][c]\n\n[c]: /d", &["b.jpg", "/d"]),
        ("[a [b](/c)][d]\n\n[d]: /e", &["/c", "/e"]),
        ("[a][B]\n\n[b]: /c", &["/c"]),
        ("[ẞ]\n\n[SS]: /a", &["/a"]),
        ("[a] [b]\n\n[b]: /c", &["/c"]),
        ("[a][b\\!]\n\n[b!]: /c", &[]),
        ("[a][b[]\n\n[b[]: /c", &[]),
        ("[a][b\\[]\n\n[b\\[]: /c", &["/c"]),
        ("[a\\\\]: /b\n\n[a\\\\]", &["/b"]),
        ("[]\n\n[]: /a", &[]),
        ("[a][]\n\n[a]: /b", &["/b"]),
        ("[*a* b][]\n\n[*a* b]: /c", &["/c"]),
        ("[a]\n[]\n\n[a]: /b", &["/b"]),
        ("[[a b]]\n\n[a b]: /c", &["/c"]),
        ("[[a [b]\n\n[b]: /c", &["/c"]),
        ("\\[a]\n\n[a]: /b", &[]),
        ("*[a*]\n\n[a*]: /b", &["/b"]),
        ("[a](b c)\n\n[a]: /d", &["/d"]),
        ("[a]()\n\n[a]: /b", &[""]),
        ("[a][b][c]\n\n[c]: /d", &["/d"]),
        ("[a][b][c]\n\n[c]: /d\n[b]: /e", &["/d", "/e"]),
    ]);
}

#[test]
fn section_6_4_images() {
    check(&[
        ("![a](/b \"c\")", &["/b"]),
        ("![a *b*]\n\n[a *b*]: c.jpg", &["c.jpg"]),
        ("![a ![b](/c)](/d)", &["/d"]),
        ("![a [b](/c)](/d)", &["/d"]),
        ("![a <https://b.test>](/c)", &["/c"]),
        ("![a](   /b  \"c\"   )", &["/b"]),
        ("![a](<b>)", &["b"]),
        ("![](/a)", &["/a"]),
        ("![a][b]\n\n[B]: /c", &["/c"]),
        ("![a][]\n\n[a]: /b", &["/b"]),
        ("!\\[a]\n\n[a]: /b", &[]),
        ("\\![a]\n\n[a]: /b", &["/b"]),
    ]);
}

#[test]
fn section_6_5_and_6_6_autolinks_and_html() {
    check(&[
        ("<https://a.test/b?c=d&e=f>", &["https://a.test/b?c=d&e=f"]),
        ("<irc://a.test:6697/b>", &["irc://a.test:6697/b"]),
        ("<MAILTO:A@B.TEST>", &["MAILTO:A@B.TEST"]),
        ("<made-up-scheme:a,b>", &["made-up-scheme:a,b"]),
        ("<../a> <>", &[]),
        ("<https://a.test/b c>", &[]),
        ("<https://a.test/\\[\\>", &["https://a.test/\\[\\"]),
        ("<a.b+c@d.test>", &["a.b+c@d.test => mailto:a.b+c@d.test"]),
        ("<a\\+b@c.test>", &[]),
        ("< https://a.test >", &[]),
        ("<m:abc> <a.b.c>", &[]),
        ("<a href='b' c>d</a>", &["b"]),
        ("a <!-- <a href='b'> --> c", &[]),
        ("<a href=\"b\"c=d>", &[]),
        ("<a href='b'\nc>", &["b"]),
        ("</a href=\"b\">", &[]),
    ]);
}
