//! MDX extensions: components, imports, and comments in braces.
//!
//! A component is an element whose name starts with a capital letter (`<Card
//! href="…">`). MDX is also common in `.md` files, so it is parsed in all Markdown. An
//! attribute value that is an expression is a placeholder.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};
use relink_model::LinkKind;

use super::add_expression;
use super::mdx_expression::ImportedNames;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;
use crate::safe_slice::SafeSlice as _;

/// Maximum number of bytes read in tags, per byte of the text. Without a limit,
/// unclosed tags take quadratic time.
const MAX_READS_PER_BYTE: usize = 4;

/// Maximum length of a tag that is searched for an id.
const MAX_TAG: usize = 1_000;

/// Extensions of components whose source is markup.
const COMPONENTS: [&str; 5] = [".astro", ".jsx", ".tsx", ".vue", ".svelte"];

/// Extensions of documents that MDX can import.
const DOCUMENTS: [&str; 3] = [".mdx", ".md", ".markdown"];

/// Components whose attribute `to` is a selector, not a link.
const PORTALS: [&str; 2] = ["Teleport", "Portal"];

/// Whether the text contains the tag of a component outside of the sorted ranges
/// `code`.
pub(crate) fn has_components_outside(text: &str, code: &[Range<usize>]) -> bool {
    let bytes = text.as_bytes();
    let mut tags =
        memchr_iter(b'<', bytes).filter(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase));
    tags.any(|at| !is_within(at, code))
}

/// Returns the attributes `id` of components outside of the sorted ranges `code`. A component
/// usually sets the `id` of an element of the page to this value.
pub(crate) fn component_ids<'t>(text: &'t str, code: &[Range<usize>]) -> Vec<&'t str> {
    let bytes = text.as_bytes();
    let tags = memchr_iter(b'<', bytes).filter(|at| {
        bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase) && !is_within(*at, code)
    });
    let id = |at: usize| {
        let limit = bytes.len().min(at + MAX_TAG);
        let end = at + memchr(b'>', bytes.slice(at..limit))?;
        let (_, value) = text.slice(at..end).split_once(" id=")?;
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
        value.slice(1..).split(quote).next()
    };
    tags.filter_map(id).collect()
}

/// Whether the text contains the tag of a component.
pub(crate) fn has_components(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase))
}

/// Replaces lines that consist of component tags with white space of the same
/// length. In MDX, such a line does not start an HTML block, so Markdown can
/// follow it directly. MDX has no indented code, so the fence of a code block
/// after such a line may be indented by any number of spaces.
pub(crate) fn blank_component_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if !has_components(&text) {
        return text;
    }
    let mut output = String::with_capacity(text.len());
    let mut is_after_component = false;
    let mut fence: Option<Fence<'_>> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if let Some(open) = fence {
            let is_end = open.is_end(line);
            fence = fence.filter(|_| !is_end);
            push_line(&mut output, line, is_end && open.is_moved);
        } else if is_component_line(content) {
            let blank = |byte| if matches!(byte, b'\n' | b'\r') { byte as char } else { ' ' };
            output.extend(line.bytes().map(blank));
            is_after_component = true;
        } else {
            fence = Fence::of(line, is_after_component);
            push_line(&mut output, line, fence.is_some_and(|fence| fence.is_moved));
            is_after_component &= content.is_empty();
        }
    }
    Cow::Owned(output)
}

/// The opening fence of a code block.
#[derive(Debug, Clone, Copy)]
struct Fence<'t> {
    marks: &'t str,
    /// Number of bytes before the marks.
    indentation: usize,
    /// Whether the indentation is moved to the end of the line, because in CommonMark the
    /// fence would be indented code.
    is_moved: bool,
}

impl<'t> Fence<'t> {
    /// Returns the fence that a line opens, if any.
    fn of(line: &'t str, is_after_component: bool) -> Option<Self> {
        let content = line.trim_start_matches([' ', '\t']);
        let indentation = line.slice(..line.len() - content.len());
        let is_deep = indentation.len() >= 4 || indentation.contains('\t');
        let info = content.trim_start_matches('`');
        let marks = content.slice(..content.len() - info.len());
        (marks.len() >= 3 && !info.contains('`')).then_some(Self {
            marks,
            indentation: indentation.len(),
            is_moved: is_deep && is_after_component,
        })
    }

    /// Whether a line closes the fence. A fence that is indented by four more spaces is a part
    /// of the code, such as an example of MDX.
    fn is_end(self, line: &str) -> bool {
        let content = line.trim();
        let indentation = line.len() - line.trim_start().len();
        content.starts_with(self.marks)
            && content.trim_matches('`').is_empty()
            && indentation < self.indentation + 4
    }
}

/// Appends a line. If `is_moved`, the indentation is written at the end of the line, so that
/// the length of the line does not change.
fn push_line(output: &mut String, line: &str, is_moved: bool) {
    if !is_moved {
        output.push_str(line);
        return;
    }
    let content = line.trim();
    let end = line.slice(line.trim_end_matches(['\r', '\n']).len()..);
    output.push_str(content);
    output.extend(std::iter::repeat_n(' ', line.len() - content.len() - end.len()));
    output.push_str(end);
}

/// Whether a line consists of tags, and the first tag is the tag of a component.
fn is_component_line(line: &str) -> bool {
    let name = line.strip_prefix('<').map(|rest| rest.strip_prefix('/').unwrap_or(rest));
    let is_component = name.is_some_and(|name| {
        let end = name
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.' && letter != '_');
        let after = name.slice(end.unwrap_or(name.len())..).chars().next();
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && after.is_some_and(|after| after.is_whitespace() || matches!(after, '/' | '>'))
    });
    is_component && line.ends_with('>') && {
        let is_text =
            |part: &str| part.split_once('>').is_none_or(|(_, text)| !text.trim().is_empty());
        // A line with `>` in an attribute is not recognized. Such lines are rare.
        !line.split('<').skip(1).any(is_text)
    }
}

/// Adds the destinations of components (`<Card href="…">`), except in the
/// sorted ranges `code`.
pub(crate) fn add_components(
    text: &str,
    code: &[Range<usize>],
    names: &ImportedNames<'_>,
    candidates: &mut LinkCandidates<'_>,
) {
    let bytes = text.as_bytes();
    let mut budget = bytes.len().saturating_mul(MAX_READS_PER_BYTE);
    let mut end = 0;
    for at in memchr_iter(b'<', bytes) {
        let is_component = bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase);
        if at < end || !is_component || is_within(at, code) || budget == 0 {
            continue;
        }
        let mut tag = ComponentTag { text, at: at + 1, names };
        tag.parse(candidates);
        budget = budget.saturating_sub(tag.at - at);
        end = tag.at;
    }
}

/// Whether an offset is in one of the sorted ranges.
fn is_within(at: usize, parts: &[Range<usize>]) -> bool {
    let next = parts.partition_point(|part| part.end <= at);
    parts.get(next).is_some_and(|part| part.start <= at)
}

/// Parser for the tag of a component.
struct ComponentTag<'t, 'n> {
    text: &'t str,
    at: usize,
    names: &'n ImportedNames<'n>,
}

impl<'t> ComponentTag<'t, '_> {
    /// Parses the tag up to its end, and adds the destinations in its attributes.
    fn parse(&mut self, candidates: &mut LinkCandidates<'_>) {
        let component =
            self.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
        let is_portal = PORTALS.contains(&component);
        while self.skip_space() {
            let name = self
                .take_while(|byte| !byte.is_ascii_whitespace() && !b"=/>{}\"'<".contains(&byte));
            // A spread attribute is an expression without a name: `{...props}`.
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
            let Some(value) = self.skip_value() else { return };
            if !is_portal {
                self.add_attribute(name, value, candidates);
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips the bytes that match and returns them.
    fn take_while(&mut self, matches: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.byte().is_some_and(&matches) {
            self.at += 1;
        }
        self.text.slice(start..self.at)
    }

    /// Skips white space. Returns whether there was any; attributes require it.
    fn skip_space(&mut self) -> bool {
        !self.take_while(|byte| byte.is_ascii_whitespace()).is_empty()
    }

    /// Skips a value and returns its range, including quotes or braces.
    fn skip_value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        match self.byte()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                self.take_while(|byte| byte != quote);
            }
            b'{' => self.skip_expression(),
            _ => return None,
        }
        self.byte()?;
        self.at += 1;
        Some(start..self.at)
    }

    /// Skips an expression up to its closing brace.
    fn skip_expression(&mut self) {
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

    /// Adds the value of an attribute if the attribute contains a destination.
    fn add_attribute(&self, name: &str, value: Range<usize>, candidates: &mut LinkCandidates<'_>) {
        let kind = match name {
            "href" | "to" => LinkKind::Hyperlink,
            "src" => LinkKind::Embed,
            _ => return,
        };
        let inside = value.start + 1..value.end - 1;
        let raw = self.text.slice(inside.clone());
        if !self.text.slice(value.clone()).starts_with('{') {
            // A component may build another path from such a path.
            let kind = if is_bare_path(raw) { LinkKind::Value } else { kind };
            candidates.push_link(inside, kind, DestinationSyntax::Html);
        } else if let Some(length) = string_literal_length(raw) {
            candidates.push_link(
                inside.start + 1..inside.start + 1 + length,
                kind,
                DestinationSyntax::Plain,
            );
        } else {
            add_expression(value, kind, self.names, candidates);
        }
    }
}

/// Whether an attribute is a relative path without `./`, such as `template/app.ts`.
fn is_bare_path(value: &str) -> bool {
    let is_scheme = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let has_scheme = value.split_once(':').is_some_and(|(before, _)| is_scheme(before));
    let is_marked = value.starts_with(['/', '.', '#', '?', '~', '@', '{', '$', '&']);
    !is_marked && !has_scheme && !value.is_empty()
}

/// HTML elements with URLs. In upper case, they are elements, too, and not components.
const HTML_NAMES: [&str; 18] = [
    "A",
    "AREA",
    "AUDIO",
    "BASE",
    "BLOCKQUOTE",
    "BODY",
    "EMBED",
    "FORM",
    "FRAME",
    "IFRAME",
    "IMG",
    "INPUT",
    "LINK",
    "OBJECT",
    "Q",
    "SCRIPT",
    "SOURCE",
    "VIDEO",
];

/// Whether the tag that contains an offset is that of a component.
pub(crate) fn is_in_component(html: &str, at: usize) -> bool {
    let tag = html.slice(..at).rsplit('<').next().unwrap_or_default();
    let name = tag.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    name.starts_with(|first: char| first.is_ascii_uppercase()) && !HTML_NAMES.contains(&name)
}

/// Returns the value of a string literal: a backslash before punctuation is removed.
pub(crate) fn unescaped(literal: &str) -> Cow<'_, str> {
    if !literal.contains('\\') {
        return Cow::Borrowed(literal);
    }
    let mut rest = literal.chars().peekable();
    let mut output = String::new();
    while let Some(letter) = rest.next() {
        if letter != '\\' || rest.peek().is_none_or(|next| next.is_alphanumeric()) {
            output.push(letter);
        } else {
            output.extend(rest.next());
        }
    }
    Cow::Owned(output)
}

/// Returns the length of the string if the expression is a string literal without escapes.
fn string_literal_length(expression: &str) -> Option<usize> {
    let quote = expression.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let inside = expression.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\', '$'])).then_some(inside.len())
}

/// Whether a paragraph consists of imports and exports.
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

/// Returns the files imported by a paragraph. Excludes packages and paths
/// without an extension.
pub(crate) fn imports(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let mut files = Vec::new();
    let mut start = paragraph.start;
    for line in text.slice(paragraph).split_inclusive('\n') {
        let is_import = line.starts_with("import ") || line.starts_with('}');
        if let Some(file) = trailing_string(line).filter(|_| is_import)
            && is_relative_file(line.slice(file.clone()))
        {
            files.push(start + file.start..start + file.end);
        }
        start += line.len();
    }
    files
}

/// Returns the Markdown documents that a paragraph imports.
pub(crate) fn imported_documents(paragraph: &str) -> Vec<Cow<'_, str>> {
    imported(paragraph, &DOCUMENTS)
}

/// Returns the components in source code that a paragraph imports.
pub(crate) fn imported_components(paragraph: &str) -> Vec<Cow<'_, str>> {
    imported(paragraph, &COMPONENTS)
}

/// Returns the paths with one of these extensions that a paragraph imports.
fn imported<'p>(paragraph: &'p str, extensions: &[&str]) -> Vec<Cow<'p, str>> {
    if !is_module_code(paragraph) {
        return Vec::new();
    }
    let files = paragraph.lines().filter_map(|line| Some(line.slice(trailing_string(line)?)));
    let files = files.filter(|file| extensions.iter().any(|extension| file.ends_with(extension)));
    files.map(unescaped).collect()
}

/// Returns the range inside the string literal at the end of a line.
pub(super) fn trailing_string(line: &str) -> Option<Range<usize>> {
    let statement = line.trim_end().trim_end_matches(';').trim_end();
    let quote = statement.chars().next_back().filter(|last| matches!(last, '"' | '\''))?;
    let end = statement.len() - 1;
    let start = statement.slice(..end).rfind(quote)? + 1;
    Some(start..end)
}

/// Whether an import path is relative and has a file extension.
pub(super) fn is_relative_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    (path.starts_with("./") || path.starts_with("../"))
        && name.trim_start_matches('.').contains('.')
}

/// Returns the ranges of comments, between `{/*` and `*/}`, in order.
pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(at) = memmem::find(text.as_bytes().slice(from..), b"{/*") {
        let start = from + at;
        let Some(length) = memmem::find(text.as_bytes().slice(start..), b"*/}") else { break };
        from = start + length;
        comments.push(start..from);
    }
    comments
}
