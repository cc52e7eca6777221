//! Links of malformed and hostile markup documents: nothing panics, spans are
//! valid and in order, and the time is linear in the length.
//!
//! The documents are mutated from seeds by a random number generator with a fixed
//! seed, so failures are reproducible.

use relink_page::{DocumentFormat, ignore_directives, links};

const FORMATS: [DocumentFormat; 4] = [
    DocumentFormat::Markdown,
    DocumentFormat::Rst,
    DocumentFormat::AsciiDoc,
    DocumentFormat::Wikitext,
];

/// Number of mutations per seed.
const MUTATIONS: usize = 150;

/// Length of a document that repeats one fragment, in bytes. Quadratic time would
/// take minutes.
const LONG_LENGTH: usize = 64 * 1024;

/// Asserts that the links of a document in one format are in bounds and in order.
fn check(format: DocumentFormat, bytes: &[u8]) {
    let mut last = 0;
    for link in links(format, bytes).links {
        let span = link.location.span;
        assert!(span.start <= span.end && span.end <= bytes.len(), "{format:?}: out of bounds");
        assert!(last <= span.start, "{format:?}: out of order");
        last = span.end;
    }
    for directive in ignore_directives(format, bytes) {
        assert!(directive.lines.start() <= directive.lines.end());
    }
}

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

/// Valid documents with many constructs: three in Markdown, two in
/// reStructuredText, two in AsciiDoc, one in Wikitext. The tests parse each in
/// every format.
const SEEDS: [&str; 8] = [
    "---\nu: https://a.test\n---\n[a](<x>) ![b](y 't') [c][r] <https://d.test> [[P|q]]\n\n[r]: z\n",
    "!!! note \"a\"\n\n    <Card href={u} to='/x' />\n\nimport A from './a.mdx'\n\n{/* http://a.test */}",
    "> - `http://a.test` {{#include a.rs:1:2}} [^1]\n\n[^1]: <a\n> href=x> <!-- http://b.test -->\n",
    "`a\n <https://a.test/\\_>`_ b_ `c`__ |d|_ ``e`` :doc:`f <g>`\n\n.. _b: x\n.. __: y\n__ z\n\n::\n\n  k",
    ".. |s| image:: a.png\n   :target: b_\n\n.. toctree::\n   :glob:\n\n   a <b>\n\n.. raw:: html\n\n   <a href=x>\n",
    ":u: https://a.test\n:v: {u}/x\n\n{v}[a] link:++b++[c] image:d[link=\"http://e.test\"] <<f,g>> `+h+`\n",
    "[source,subs=+macros]\n----\ninclude::a.rb[]\n----\n////\nhttp://a.test\n////\n++++\n<a href=x>\n++++\n",
    "[[File:a.png|b [https://c.test d]]] {{e|url=https://f.test/{{{1}}}|{{=}}}} <ref name=\"g\">h</ref><gallery>\ni|j\n</gallery><!-- k --><nowiki>l</nowiki>",
];

/// Fragments that are inserted into documents.
const FRAGMENTS: [&str; 30] = [
    "[",
    "]",
    "[[",
    "]]",
    "(",
    ")",
    "<",
    ">",
    "{",
    "}",
    "{{",
    "}}",
    "`",
    "``",
    "\\",
    "|",
    "::",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "_",
    "+",
    "<!--",
    "-->",
    "https://",
    "é",
    "\u{feff}",
    "\0",
    "\u{1f600}",
];

/// Removes, repeats, overwrites or inserts bytes, one to four times.
fn mutate(seed: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(12)).min(bytes.len());
        match rng.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            3 if at < bytes.len() => bytes[at] = u8::try_from(rng.below(256)).unwrap_or(0),
            _ => {
                let fragment = FRAGMENTS[rng.below(FRAGMENTS.len())];
                bytes.splice(at..at, fragment.bytes());
            }
        }
    }
    bytes
}

#[test]
fn mutated_documents_are_parsed() {
    let mut rng = Rng(0x5EED);
    for seed in SEEDS {
        for _ in 0..MUTATIONS {
            let document = mutate(seed, &mut rng);
            for format in FORMATS {
                check(format, &document);
            }
        }
    }
}

#[test]
fn every_prefix_of_a_document_is_parsed() {
    for seed in SEEDS {
        for end in 0..seed.len() {
            for format in FORMATS {
                check(format, &seed.as_bytes()[..end]);
            }
        }
    }
}

/// Fragments that take quadratic time if each of them is searched up to the end of the
/// document.
const REPEATED: [&str; 64] = [
    "[",
    "]",
    "(",
    "<",
    ">",
    "`",
    "``",
    "*",
    "_",
    "\\",
    "![",
    "](",
    "[a](",
    "[a](<",
    "[a]: ",
    "[[",
    "[[a",
    "[[a|",
    "[[[",
    "{",
    "{{",
    "{{{",
    "{{#include ",
    "}}",
    "<!--",
    "<!-- a",
    "-->",
    "{/*",
    "<Card a={",
    "<Card href=\"",
    "<A b='",
    "<nowiki>",
    "<gallery>",
    "<ref ",
    "<pre>",
    "[https://a ",
    "https://a.test/",
    "https://",
    "https://-",
    "http://[",
    "https://{{a",
    "|",
    "a_",
    "a_-",
    "|a|_",
    "`a`",
    "`a <",
    ":a:`",
    ".. ",
    ".. _a: x\n",
    "a::\n\n",
    "- ",
    " - ",
    "link:",
    "link:++",
    "image:",
    "pass:[",
    "<<",
    "<<a,",
    "+",
    "++a",
    "{a}",
    "&amp;",
    "relink:ignore ",
];

#[test]
fn long_documents_of_one_fragment_are_parsed() {
    for fragment in REPEATED {
        let document = fragment.repeat(LONG_LENGTH / fragment.len());
        for format in FORMATS {
            check(format, document.as_bytes());
        }
    }
}

#[test]
fn deep_nesting_is_parsed() {
    // Markers of quotes and lists are not closed; the text `a` follows instead.
    let nested: [(&str, &str); 5] =
        [("> ", "a"), ("- ", "a"), ("{{a|", "}}"), ("[[File:a|", "]]"), ("<div>", "</div>")];
    for (open, close) in nested {
        let depth = 5_000;
        let document = format!("{}https://a.test{}", open.repeat(depth), close.repeat(depth));
        for format in FORMATS {
            check(format, document.as_bytes());
        }
    }
}

#[test]
fn deeply_nested_lists_are_parsed() {
    let mut document = String::new();
    for depth in 0..400 {
        document.push_str(&" ".repeat(2 * depth));
        document.push_str("- [a](x) https://a.test\n");
    }
    for format in FORMATS {
        check(format, document.as_bytes());
    }
}
