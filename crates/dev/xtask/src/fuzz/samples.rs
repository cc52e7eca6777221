//! Small examples of every format, and its keywords.

use relink_page::DocumentFormat;

/// Documents of a format, and its keywords.
pub struct Samples {
    /// Documents to mutate.
    pub documents: &'static [&'static [u8]],
    /// Words to insert.
    pub keywords: &'static [&'static str],
}

/// Returns the samples of a format.
pub fn samples_of(format: DocumentFormat) -> Samples {
    let (documents, keywords): (&[&[u8]], &[&str]) = match format {
        DocumentFormat::Markdown => (&MARKDOWN, &MARKUP_WORDS),
        DocumentFormat::Html => (&HTML, &HTML_WORDS),
        DocumentFormat::Rst => (&RST, &MARKUP_WORDS),
        DocumentFormat::AsciiDoc => (&ASCIIDOC, &MARKUP_WORDS),
        DocumentFormat::Wikitext => (&WIKITEXT, &MARKUP_WORDS),
        DocumentFormat::Css => (&CSS, &CSS_WORDS),
        DocumentFormat::Xml => (&XML, &HTML_WORDS),
        DocumentFormat::Notebook => (&NOTEBOOK, &JSON_WORDS),
        DocumentFormat::Csv | DocumentFormat::Tsv => (&TABLES, &TABLE_WORDS),
        DocumentFormat::Json | DocumentFormat::JsonLines => (&JSON, &JSON_WORDS),
        DocumentFormat::UrlList | DocumentFormat::PlainText => (&LISTS, &MARKUP_WORDS),
        DocumentFormat::Source => (&SOURCES, &MARKUP_WORDS),
    };
    Samples { documents, keywords }
}

const MARKDOWN: [&[u8]; 4] = [
    b"---\ntitle: x\n---\n# A *title* {#own}\n\n[a](https://a.test/b_(c) \"t\") ![i](i.png) <https://b.test>\n\n[r]: <../x.md#y> 'z'\n[see][r], [r], [[Page|text]] `[no](n)`\n",
    b"> [!NOTE]\n> - [ ] [x](y)\n>   1. www.a.test\n\n| a | b |\n|--|--|\n| [c](d) | https://e.test/f |\n\n```rust\n[no](x)\n```\n<!-- relink:ignore until=2026-01-02 RL101 -->\n[i](j)\n",
    b"import X from './x.mdx'\n\n<a href=\"/q?a=1&amp;b=2\">t</a> [^1]\n\n[^1]: [n](m \"u\")\n\n{{#include ../a.rs:2:3}} !!! note\n    [z](w)\n",
    "[é](h%C3%A9.md#木) [🌳](<a b>) \\[n](o) [p]( q\n)\n<https://é.test/ü> a@b.test\n".as_bytes(),
];

const HTML: [&[u8]; 4] = [
    b"<!DOCTYPE html><html lang=de><head><meta charset=utf-8><base href='/b/'><title>T &amp; t</title><link rel=canonical href=https://a.test/c><meta http-equiv=refresh content='0; url=/n'></head><body><h1 id=a>H</h1><a href=\"x?y=1&copy=2#z\">l</a><img srcset='a.png 1x, b.png 2x' src=c.png></body></html>",
    b"<style>@import 'a.css';p{background:url(b.png)}</style><p style=\"background:url('c')\"><script>location.href='/d';/*</p>*/</script><iframe srcdoc=\"<a href=e>\"><template><a name=f></template><svg><a xlink:href=g /></svg>",
    b"<meta name=robots content=nofollow><a rel=nofollow href=//h.test:99>x<!-- <a href=i> --><textarea><a href=j></textarea><form action=k><object data=l><video poster=m><source src=n></video><a ping='o p' href='javascript:q'>",
    b"<table><td background=a><input type=password><noscript><img src=b></noscript><![CDATA[<a href=c>]]></td></table><plaintext><a href=d>",
];

const RST: [&[u8]; 2] = [
    b"Title\n=====\n\n.. _own: https://a.test/x_y\n\n`text <https://b.test>`__ and own_ and `two words`_, |sub|_ :ref:`l <m>` :doc:`n`\n\n.. |sub| image:: i.png\n   :target: t_\n.. _two words: ../p.html\n__ https://c.test\n",
    b".. include:: a.rst\n.. figure:: f.png\n   :target: `u <v>`_\n\n.. code::\n\n   https://no.test\n\n* https://d.test/(e)\n\n+---+\n| x |\n+---+\n\n.. [1] https://g.test\n",
];

const ASCIIDOC: [&[u8]; 2] = [
    b"= Title\n:url: https://a.test\n:toc:\n\n{url}/b[c] link:d.html[e,window=_blank] xref:f.adoc#g[h] <<i,j>> https://k.test[l] image::m.png[n,link=o]\n\n[[p]]\n== Q\n\n----\nhttps://no.test\n----\n",
    b"include::a.adoc[tag=b]\n\n* +https://c.test+ `link:d[]` \\https://e.test\n\n|===\n|link:++f g++[] |video::h.mp4[]\n|===\n// https://i.test\nifdef::j[]\nmailto:a@b.test[]\nendif::[]\n",
];

const WIKITEXT: [&[u8]; 2] = [
    b"== H ==\n[[Page#s|t]] [https://a.test b] [[File:c.png|link=d]] {{cite web|url=https://e.test|title=f}} <ref name=g>[//h.test]</ref> <nowiki>[[no]]</nowiki>\n",
    b"{| class=x\n|-\n| [[:Category:I]] || https://j.test/(k).\n|}\n<!-- [[l]] --> <gallery>m.png|[[n]]</gallery> #REDIRECT [[o]] ISBN 1 RFC 2 [mailto:p@q.test r]\n",
];

const CSS: [&[u8]; 2] = [
    b"@charset \"utf-8\";@import url(a.css) screen;p{background:url( 'b\\2e png' )}/* url(c) */@font-face{src:url(d.woff2)format('x'),url(\"e\")}",
    b"@namespace x url(f);.g{content:\"url(h)\";background-image:image-set('i' 1x,url(j) 2x)}@media(k){.l{cursor:url(m\\\nn)}}<!-- -->",
];

const XML: [&[u8]; 3] = [
    b"<?xml version=\"1.0\" encoding=\"utf-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://a.test/?a=1&amp;b</loc><lastmod>2026-01-02</lastmod></url></urlset>",
    b"<rss><channel><link>https://b.test</link><item><guid isPermaLink='true'>c</guid><enclosure url=\"d\"/><description><![CDATA[<a href=e>]]></description></item></channel></rss>",
    b"<!DOCTYPE x [<!ENTITY y \"z\">]><feed xml:base='/f/'><entry><link rel=self href='g&#x2f;h'/><content type=html>&lt;a href=i&gt;</content></entry><opml><outline xmlUrl=j /></opml><sitemapindex><sitemap><loc>k.xml.gz</loc></sitemap></sitemapindex></feed>",
];

const NOTEBOOK: [&[u8]; 2] = [
    b"{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"[a](b)\\n\",\"<https://c.test>\"]},{\"cell_type\":\"code\",\"source\":\"# https://d.test\",\"outputs\":[{\"data\":{\"text/html\":[\"<a href=e>\"]}}]}],\"metadata\":{},\"nbformat\":4}",
    b"{\"worksheets\":[{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"\\u005ba](b)\\ud83c\\udf33\"}]}]}",
];

const TABLES: [&[u8]; 3] = [
    b"name,url\nA,https://a.test\n\"B \"\"q\"\"\",\"https://b.test/x,y\nz\"\n",
    b"a\tb\nhttps://c.test\t\"d\ne\"\n\tf\n",
    b"\xef\xbb\xbfa;b;c\r\n1;www.d.test;\r\n;;\"",
];

const JSON: [&[u8]; 3] = [
    b"{\"a\":[\"https://a.test\\/b\",{\"url\":\"c\",\"d\":1.5e3}],\"e\":null,\"f\":\"\\u0068ttps://g.test\"}\n",
    b"{\"roots\":{\"bookmark_bar\":{\"children\":[{\"type\":\"url\",\"url\":\"https://h.test\"}]}}}\n{\"i\":\"\\ud83c\\udf33 https://j.test\"}\n",
    b"[\n[[[true,\"http://k.test/?l=\\\"m\\\"\"]]],-0]\n\"n",
];

const LISTS: [&[u8]; 3] = [
    b"# list\nhttps://a.test/b?c#d\nhttp://user:pw@e.test:81/%zz\n\nwww.f.test,\n",
    b"See https://g.test/h_(i). (https://j.test/k), <http://l.test>; 'https://m.test/n' ftp://o.test mailto:p@q.test r@s.test.\n",
    "https://é.test/木?ü=ß#İ\r\nhttp://[::1]:99/\r//x.test\\y\u{2028}http://1.2.3.4/\n".as_bytes(),
];

const SOURCES: [&[u8]; 3] = [
    b"/// See [a](https://a.test).\nfn f() { let s = r#\"https://b.test\"#; } // https://c.test\n/* /* https://d.test */ */\n",
    b"#!/usr/bin/env python3\n\"\"\"Docs: https://e.test\n\"\"\"\nx = '#' # https://f.test\n",
    b"<?php // https://g.test ?>\n-- https://h.test\n; https://i.test\n% https://j.test\n<!-- https://k.test -->\n",
];

const MARKUP_WORDS: [&str; 36] = [
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "`",
    "```",
    "\\",
    "!",
    "[[",
    "]]",
    "{{",
    "}}",
    "<<",
    ">>",
    "::",
    ".. ",
    "`_",
    "__",
    "_: ",
    "://",
    "https://",
    "http://",
    "www.",
    "//",
    "#",
    "|",
    "\n",
    "\r\n",
    "    ",
    "\t",
    "<!--",
    "-->",
    "link:",
    "relink:ignore",
];

const HTML_WORDS: [&str; 36] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "&",
    "&amp;",
    "&#x110000;",
    "&#0",
    ";",
    "=",
    "'",
    "\"",
    " href=",
    " src=",
    " srcset=",
    " style=",
    "<a ",
    "<script>",
    "</script",
    "<style>",
    "<base href=",
    "<template>",
    "<svg>",
    "<title>",
    "<loc>",
    "url(",
    ",",
    "\u{0}",
    "\r",
    "<plaintext>",
];

const CSS_WORDS: [&str; 18] = [
    "url(",
    ")",
    "@import",
    "'",
    "\"",
    "\\",
    "\\00002f",
    "/*",
    "*/",
    "{",
    "}",
    ";",
    "<!--",
    "-->",
    "image-set(",
    "\n",
    "src(",
    "U+",
];

const JSON_WORDS: [&str; 20] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u",
    "\\ud83c",
    "\\udf33",
    "null",
    "true",
    "1e9",
    "\"cells\":",
    "\"source\":",
    "\"url\":",
    "\n",
    "https://",
    "\\\"",
];

const TABLE_WORDS: [&str; 12] =
    ["\"", "\"\"", ",", ";", "\t", "|", "\n", "\r\n", "\r", "https://", "sep=;", "url"];
