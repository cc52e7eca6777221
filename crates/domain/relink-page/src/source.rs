//! Source code: URLs in comments.
//!
//! Comments and docstrings are plain text. URLs in code, including string
//! literals, are reported as skipped. Each language family has approximate syntax
//! rules; a literal that requires a full parser may be misread.

mod language;
mod syntax;

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

pub use self::language::Language;
use self::syntax::{SourcePart, SourceParts};
use crate::bare_url::http_urls;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};

/// Link extractor for source code.
pub(crate) struct Source(pub(crate) Option<Language>);

impl Extractor for Source {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let language = self.0.unwrap_or_else(|| Language::detect(text));
        for (range, kind) in SourceParts::new(text, language.syntax()) {
            report_urls(text, range, kind, sink);
        }
    }
}

/// Reports the URLs of a comment as links, and the URLs of code as skipped.
fn report_urls(text: &str, range: Range<usize>, kind: SourcePart, sink: &mut LinkSink<'_>) {
    for url in http_urls(text, range) {
        match kind {
            SourcePart::Comment => {
                sink.report_link(url, LinkKind::BareUrl, DestinationSyntax::Plain);
            }
            SourcePart::Code => sink.report_skipped(url, LinkKind::BareUrl, SkipReason::Code),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DocumentFormat, Language, Options, links_with};

    /// Asserts the URLs of a source file; ` -` marks skipped URLs.
    #[track_caller]
    fn check(name: &str, source: &str, expect: &[&str]) {
        let options = Options::from_file_name(name);
        assert!(options.language.is_some(), "{name}");
        let found = links_with(DocumentFormat::Source, source.as_bytes(), &options).links;
        let actual: Vec<String> = found
            .iter()
            .map(|link| {
                let is_link = matches!(link.target, relink_model::LinkTarget::Web(_));
                format!("{}{}", link.raw, if is_link { "" } else { " -" })
            })
            .collect();
        assert_eq!(actual, expect, "{source}");
    }

    #[test]
    fn c_family_comments_are_text_and_strings_are_code() {
        check(
            "a.c",
            "int a; // http://a.test.\n/* http://b.test/*/ \"http://c.test\"",
            &["http://a.test", "http://b.test/", "http://c.test -"],
        );
        check(
            "a.js",
            "x = '// http://a.test' + \"\\\"//http://b.test\"; // http://c.test",
            &["http://a.test -", "http://b.test -", "http://c.test"],
        );
        check(
            "a.go",
            "x := `// http://a.test\n// http://b.test`\n// http://c.test",
            &["http://a.test -", "http://b.test -", "http://c.test"],
        );
        check("a.java", "class A { String s = \"oops\n// http://a.test", &["http://a.test"]);
        check(
            "a.kt",
            "url = http://a.test // http://b.test",
            &["http://a.test -", "http://b.test"],
        );
    }

    #[test]
    fn rust_has_lifetimes_and_nested_comments() {
        check("a.rs", "fn f<'a>(c: &'a u8) { '\"' } // http://a.test\n", &["http://a.test"]);
        check(
            "a.rs",
            "/* /* */ http://a.test */ \"\n// http://b.test\" /// <http://c.test>",
            &["http://a.test", "http://b.test -", "http://c.test"],
        );
    }

    #[test]
    fn hash_comments_are_text() {
        check(
            "a.sh",
            "#!/bin/sh\n# http://a.test\ncurl 'http://b.test#x' ${#x} # http://c.test",
            &["http://a.test", "http://b.test#x -", "http://c.test"],
        );
        check(
            "a.rb",
            "=begin\nhttp://a.test\n=end\nx = 'http://b.test' # http://c.test\n",
            &["http://a.test", "http://b.test -", "http://c.test"],
        );
        check(
            "a.ps1",
            "<# http://a.test #> 'http://b.test'",
            &["http://a.test", "http://b.test -"],
        );
        check("Makefile", "all: # http://a.test\n", &["http://a.test"]);
    }

    #[test]
    fn docstrings_are_text_and_other_strings_are_code() {
        check(
            "a.py",
            "r'''Module, see http://a.test.'''\ndef f():\n    \"\"\"See\n    # http://b.test\n    \
             \"\"\"\n    x = \"\"\"http://c.test\"\"\"  # http://d.test\n    y = '# http://e.test'\n",
            &[
                "http://a.test",
                "http://b.test",
                "http://c.test -",
                "http://d.test",
                "http://e.test -",
            ],
        );
    }

    #[test]
    fn comments_of_other_families_are_text() {
        check(
            "a.sql",
            "select 'http://a.test' -- http://b.test\n/* http://c.test */",
            &["http://a.test -", "http://b.test", "http://c.test"],
        );
        check(
            "a.lua",
            "--[[ http://a.test\n]] x = 'http://b.test'",
            &["http://a.test", "http://b.test -"],
        );
        check(
            "a.hs",
            "{- http://a.test -} x = \"http://b.test\" -- http://c.test",
            &["http://a.test", "http://b.test -", "http://c.test"],
        );
        check(
            "a.el",
            ";; http://a.test\n(x \"http://b.test\n; http://c.test\")",
            &["http://a.test", "http://b.test -", "http://c.test -"],
        );
        check(
            "a.erl",
            "% http://a.test\nx(\"http://b.test\").",
            &["http://a.test", "http://b.test -"],
        );
        check(
            "a.vue",
            "<!-- http://a.test --><a href='http://b.test'>// http://c.test",
            &["http://a.test", "http://b.test -", "http://c.test"],
        );
        check(
            "a.php",
            "# http://a.test\n// http://b.test\necho 'http://c.test';",
            &["http://a.test", "http://b.test", "http://c.test -"],
        );
        check(
            "a.ml",
            "(* http://a.test *) let x = \"http://b.test\"",
            &["http://a.test", "http://b.test -"],
        );
    }

    /// Asserts the language that is detected by content.
    #[track_caller]
    fn check_detected(source: &str, expect: Language) {
        assert_eq!(Language::detect(source), expect, "{source}");
    }

    #[test]
    fn detect_uses_the_content() {
        check_detected("#!/usr/bin/env python3\nx = 1\n", Language::Python);
        check_detected("#!/bin/sh\necho\n", Language::Shell);
        check_detected("#include <stdio.h>\n// x\nint main() {\n}\n", Language::C);
        check_detected("use std::fmt;\n\n/// Says it.\npub fn f() {}\n", Language::Rust);
        check_detected("import os\n\ndef f(x):\n    return x\n", Language::Python);
        check_detected("# x\n# y\nfoo = 1\n", Language::Shell);
        check_detected("-- x\nselect 1;\n", Language::Sql);
        check_detected(";; x\n(defun f ())\n", Language::Lisp);
        check_detected("", Language::C);
    }
}
