//! What MDX adds to Markdown: components, imports, and comments in braces.
//!
//! Sites are written in MDX under the name of Markdown, too, so nothing here
//! asks which it is. An attribute whose value is an expression has no address
//! yet: it is a placeholder.

use std::ops::Range;

use memchr::{memchr_iter, memmem};
use relink_model::{LinkKind, SkipReason};

use crate::cut::Cut as _;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;

/// How many bytes of tags are read for each byte of the text. Tags that never
/// end would otherwise be read to the end of the text, each of them.
const READS_PER_BYTE: usize = 4;

/// Whether a component's tag stands in the text.
pub(crate) fn has_components(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase))
}

/// Notes the destinations of components (`<Card href="…">`) outside of code,
/// whose parts are in order.
pub(crate) fn components(text: &str, code: &[Range<usize>], mentions: &mut LinkCandidates<'_>) {
    let bytes = text.as_bytes();
    let mut budget = bytes.len().saturating_mul(READS_PER_BYTE);
    let mut end = 0;
    for at in memchr_iter(b'<', bytes) {
        let is_component = bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase);
        if at < end || !is_component || is_within(at, code) || budget == 0 {
            continue;
        }
        let mut tag = Tag { text, at: at + 1 };
        tag.read(mentions);
        budget = budget.saturating_sub(tag.at - at);
        end = tag.at;
    }
}

fn is_within(at: usize, parts: &[Range<usize>]) -> bool {
    let next = parts.partition_point(|part| part.end <= at);
    parts.get(next).is_some_and(|part| part.start <= at)
}

/// A component's tag being read.
struct Tag<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tag<'t> {
    fn read(&mut self, mentions: &mut LinkCandidates<'_>) {
        self.word(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
        while self.skip_space() {
            let name =
                self.word(|byte| !byte.is_ascii_whitespace() && !b"=/>{}\"'<".contains(&byte));
            let is_spread = name.is_empty() && self.byte() == Some(b'{');
            if name.is_empty() && !is_spread {
                return;
            }
            if !is_spread {
                if self.byte() != Some(b'=') {
                    continue;
                }
                self.at += 1;
            }
            let Some(value) = self.value() else { return };
            self.note(name, value, mentions);
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn word(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.byte().is_some_and(&belongs) {
            self.at += 1;
        }
        self.text.cut(start..self.at)
    }

    /// Passes over white space, which must stand before an attribute.
    fn skip_space(&mut self) -> bool {
        !self.word(|byte| byte.is_ascii_whitespace()).is_empty()
    }

    /// Passes over a value, and returns where it stands, with its quotes or braces.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        match self.byte()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                self.word(|byte| byte != quote);
            }
            b'{' => self.expression(),
            _ => return None,
        }
        self.byte()?;
        self.at += 1;
        Some(start..self.at)
    }

    /// Passes over an expression up to the brace that closes it.
    fn expression(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth <= 1 => return,
                b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn note(&self, name: &str, value: Range<usize>, mentions: &mut LinkCandidates<'_>) {
        let kind = match name {
            "href" | "to" => LinkKind::Hyperlink,
            "src" => LinkKind::Embed,
            _ => return,
        };
        let inside = value.start + 1..value.end - 1;
        let written = self.text.cut(inside.clone());
        if !self.text.cut(value.clone()).starts_with('{') {
            mentions.link(inside, kind, DestinationSyntax::Html);
        } else if let Some(length) = literal(written) {
            mentions.link(
                inside.start + 1..inside.start + 1 + length,
                kind,
                DestinationSyntax::Plain,
            );
        } else {
            mentions.skip(value, kind, SkipReason::Placeholder);
        }
    }
}

/// The length of the text if an expression is nothing but a quoted text.
fn literal(expression: &str) -> Option<usize> {
    let quote = expression.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let inside = expression.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\', '$'])).then_some(inside.len())
}

/// Whether a paragraph is made of imports and exports.
pub(crate) fn is_module_code(paragraph: &str) -> bool {
    if let Some(rest) = paragraph.strip_prefix("import ") {
        let is_bare = rest.trim_start().starts_with(['"', '\'']);
        return is_bare || rest.contains(" from \"") || rest.contains(" from '");
    }
    paragraph.strip_prefix("export ").is_some_and(|rest| {
        ["const ", "let ", "var ", "function ", "async ", "class ", "default ", "{", "*"]
            .iter()
            .any(|word| rest.starts_with(word))
    })
}

/// The files that the imports of a paragraph name, as far as a name says which
/// file is meant: not those of packages, and not those without an extension.
pub(crate) fn imports(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let mut files = Vec::new();
    let mut start = paragraph.start;
    for line in text.cut(paragraph).split_inclusive('\n') {
        let is_import = line.starts_with("import ") || line.starts_with('}');
        if let Some(file) = quoted_at_end(line).filter(|_| is_import)
            && is_file(line.cut(file.clone()))
        {
            files.push(start + file.start..start + file.end);
        }
        start += line.len();
    }
    files
}

fn quoted_at_end(line: &str) -> Option<Range<usize>> {
    let statement = line.trim_end().trim_end_matches(';').trim_end();
    let quote = statement.chars().next_back().filter(|last| matches!(last, '"' | '\''))?;
    let end = statement.len() - 1;
    let start = statement.cut(..end).rfind(quote)? + 1;
    Some(start..end)
}

fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    (path.starts_with("./") || path.starts_with("../"))
        && name.trim_start_matches('.').contains('.')
}

/// The parts between `{/*` and `*/}`, in order.
pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(at) = memmem::find(text.as_bytes().cut(from..), b"{/*") {
        let start = from + at;
        let Some(length) = memmem::find(text.as_bytes().cut(start..), b"*/}") else { break };
        from = start + length;
        comments.push(start..from);
    }
    comments
}
