//! Documents made to break readers of markup: nothing panics, every place is in
//! its bounds and in order, and reading ends in time that grows with the length.
//!
//! Each body is a plain function over bytes, so that a fuzzer can call it too.

use relink_page::{DocumentFormat, ignore_directives, links};

const FORMATS: [DocumentFormat; 4] = [
    DocumentFormat::Markdown,
    DocumentFormat::Rst,
    DocumentFormat::AsciiDoc,
    DocumentFormat::Wikitext,
];

/// How many documents are made out of each seed.
const MUTATIONS: usize = 150;

/// How long a document of one repeated piece is. Time that grew with the square
/// of it would be plain to see.
const LONG: usize = 64 * 1024;

/// Reads a document in one format, and checks what holds for each.
fn read(format: DocumentFormat, bytes: &[u8]) {
    let mut last = 0;
    for link in links(format, bytes).links {
        let span = link.location.span;
        assert!(span.start <= span.end && span.end <= bytes.len(), "{format:?}: out of bounds");
        assert!(last <= span.start, "{format:?}: out of order");
        last = span.end;
    }
    for note in ignore_directives(format, bytes) {
        assert!(note.lines.start() <= note.lines.end());
    }
}

/// A generator of numbers (Marsaglia's xorshift), so that each run is the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).expect("it is below a usize")
    }
}

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

/// What is put into a document to break it.
const BREAKS: [&str; 30] = [
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

fn mutated(seed: &str, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.as_bytes().to_vec();
    for _ in 0..=numbers.next(4) {
        let at = numbers.next(bytes.len() + 1);
        let end = (at + numbers.next(12)).min(bytes.len());
        match numbers.next(5) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            3 if at < bytes.len() => bytes[at] = u8::try_from(numbers.next(256)).unwrap_or(0),
            _ => {
                let piece = BREAKS[numbers.next(BREAKS.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

#[test]
fn broken_documents_are_read() {
    let mut numbers = Numbers(0x5EED);
    for seed in SEEDS {
        for _ in 0..MUTATIONS {
            let document = mutated(seed, &mut numbers);
            for format in FORMATS {
                read(format, &document);
            }
        }
    }
}

#[test]
fn documents_cut_anywhere_are_read() {
    for seed in SEEDS {
        for end in 0..seed.len() {
            for format in FORMATS {
                read(format, &seed.as_bytes()[..end]);
            }
        }
    }
}

/// Pieces that would cost much each time if every one were read to the end.
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
fn long_documents_of_one_piece_are_read() {
    for piece in REPEATED {
        let document = piece.repeat(LONG / piece.len());
        for format in FORMATS {
            read(format, document.as_bytes());
        }
    }
}

#[test]
fn deep_nesting_is_read() {
    let nested: [(&str, &str); 5] =
        [("> ", "a"), ("- ", "a"), ("{{a|", "}}"), ("[[File:a|", "]]"), ("<div>", "</div>")];
    for (open, close) in nested {
        let depth = 5_000;
        let document = format!("{}https://a.test{}", open.repeat(depth), close.repeat(depth));
        for format in FORMATS {
            read(format, document.as_bytes());
        }
    }
}

#[test]
fn lists_that_go_ever_deeper_are_read() {
    let mut document = String::new();
    for depth in 0..400 {
        document.push_str(&" ".repeat(2 * depth));
        document.push_str("- [a](x) https://a.test\n");
    }
    for format in FORMATS {
        read(format, document.as_bytes());
    }
}
