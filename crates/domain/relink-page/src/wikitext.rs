//! MediaWiki markup.
//!
//! The text is read once. Open templates and links are counted, because `|` ends a URL
//! inside of a template or link. Templates are not expanded: a URL that contains a
//! template is a placeholder, except for templates that stand for a character
//! (`{{!}}`, `{{=}}`).

mod tag;
mod url;

use std::ops::Range;

use memchr::{memchr2, memmem};
use relink_model::{LinkKind, SkipReason};

use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim_range;
use crate::safe_slice::{ByteAt as _, SafeSlice as _};
use tag::Tag;

/// Maximum length of a page name in bytes.
const MAX_NAME: usize = 1024;

/// File namespaces in the languages of the largest wikis.
const FILE_NAMESPACES: [&str; 14] = [
    "file",
    "image",
    "media",
    "datei",
    "bild",
    "fichier",
    "archivo",
    "imagen",
    "ficheiro",
    "immagine",
    "bestand",
    "plik",
    "файл",
    "ファイル",
];

/// Link extractor for MediaWiki markup.
pub(crate) struct Wikitext;

impl Extractor for Wikitext {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let mut parser = WikitextParser::new(text);
        parser.scan(0..text.len());
        parser.candidates.report(0, sink);
    }
}

/// Parses a document in one pass.
struct WikitextParser<'t> {
    text: &'t str,
    candidates: LinkCandidates<'t>,
    /// Number of open templates.
    open_templates: usize,
    /// Number of open wiki links.
    open_links: usize,
    /// Offset of the next `]` or line end, cached.
    next_bracket: usize,
    /// Elements for which no end tag was found. The search is not repeated.
    unclosed_elements: Vec<&'static str>,
    /// Whether the lines of a gallery are being parsed.
    is_gallery: bool,
}

impl<'t> WikitextParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            candidates: LinkCandidates::new(text),
            open_templates: 0,
            open_links: 0,
            next_bracket: 0,
            unclosed_elements: Vec::new(),
            is_gallery: false,
        }
    }

    /// Parses a range of the text.
    fn scan(&mut self, part: Range<usize>) {
        let bytes = self.text.as_bytes();
        let mut at = part.start;
        while at < part.end {
            let next = match bytes.byte(at) {
                b'<' => self.scan_tag(at, part.end),
                b'[' => self.scan_bracket(at, part.end),
                b'{' | b'}' | b']' => self.scan_brace(at, part.end),
                b':' => self.scan_colon(at, part.clone()),
                _ => None,
            };
            at = next.unwrap_or(at + 1);
        }
    }

    /// Whether `|` ends a URL at the current position.
    fn pipe_ends_url(&self) -> bool {
        self.open_templates > 0 || self.open_links > 0
    }

    /// Counts opening and closing delimiters of templates and wiki links. Returns the offset
    /// after the delimiter.
    fn scan_brace(&mut self, at: usize, end: usize) -> Option<usize> {
        let rest = self.text.as_bytes().slice(at..end);
        if rest.starts_with(b"{{") {
            self.open_templates += 1;
        } else if rest.starts_with(b"}}") {
            self.open_templates = self.open_templates.saturating_sub(1);
        } else if rest.starts_with(b"]]") {
            self.open_links = self.open_links.saturating_sub(1);
        } else {
            return None;
        }
        Some(at + 2)
    }

    /// Parses a comment, a gallery, a tag, or an element whose content is not markup, such as
    /// `nowiki`. Returns the end of the construct.
    fn scan_tag(&mut self, at: usize, end: usize) -> Option<usize> {
        let rest = self.text.slice(at..end);
        if rest.starts_with("<!--") {
            let length =
                memmem::find(rest.as_bytes(), b"-->").map_or(rest.len(), |length| length + 3);
            self.candidates.push_skipped_urls(at..at + length, SkipReason::Comment);
            return Some(at + length);
        }
        let tag = Tag::at(rest)?;
        let inside = at + tag.length;
        if tag.has_no_content {
            return Some(inside);
        }
        if let Some(name) = tag::without_markup(tag.name) {
            let closing = self.find_closing(name, inside, end)?;
            self.candidates.push_skipped_urls(inside..closing, SkipReason::Code);
            return Some(closing);
        }
        if tag.name.eq_ignore_ascii_case("gallery") && !self.is_gallery {
            let closing = self.find_closing("gallery", inside, end)?;
            self.parse_gallery(inside..closing);
            return Some(closing);
        }
        Some(inside)
    }

    /// Returns the offset of the end tag of an element. A failed search is not
    /// repeated.
    fn find_closing(&mut self, name: &'static str, from: usize, end: usize) -> Option<usize> {
        if self.unclosed_elements.contains(&name) {
            return None;
        }
        let closing = tag::find_end_tag(self.text.slice(from..end), name).map(|at| from + at);
        if closing.is_none() {
            self.unclosed_elements.push(name);
        }
        closing
    }

    /// Parses a gallery: one file per line, with a caption.
    fn parse_gallery(&mut self, part: Range<usize>) {
        self.is_gallery = true;
        let mut start = part.start;
        for line in self.text.slice(part).split_inclusive('\n') {
            let line_range = start..start + line.len();
            start = line_range.end;
            let length = line.find(['|', '<', '[', '{']).unwrap_or(line.len());
            let name = trim_range(self.text, line_range.start..line_range.start + length);
            let is_name = line.slice(length..).starts_with('|') || length == line.len();
            let rest = if is_name && !name.is_empty() {
                self.candidates.push_link(name, LinkKind::Embed, DestinationSyntax::Name);
                line_range.start + length..line_range.end
            } else {
                line_range
            };
            // As in a link, `|` ends a URL in the caption.
            self.open_links += 1;
            self.scan(rest);
            self.open_links = self.open_links.saturating_sub(1);
        }
        self.is_gallery = false;
    }

    /// Parses `[[page]]` or `[url text]`.
    fn scan_bracket(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.text.slice(at..end).starts_with("[[") {
            return self.parse_wiki_link(at + 2, end);
        }
        self.parse_external_link(at + 1, end)
    }

    /// Parses a wiki link; `start` is the offset after `[[`. Returns the end of
    /// the page name.
    fn parse_wiki_link(&mut self, start: usize, end: usize) -> Option<usize> {
        let mut limit = end.min(start + MAX_NAME);
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        let window = self.text.slice(start..limit);
        let length = window.find(['|', ']', '[', '\n', '<', '>'])?;
        let name = trim_range(self.text, start..start + length);
        let after = window.slice(length..);
        let is_ended = after.starts_with('|') || after.starts_with("]]");
        if name.is_empty() || !is_ended {
            return None;
        }
        let raw = self.text.slice(name.clone());
        if raw.contains("://") || raw.starts_with("//") {
            return None;
        }
        let kind = if is_file(raw) { LinkKind::Embed } else { LinkKind::Reference };
        self.candidates.push_link(name, kind, DestinationSyntax::Name);
        self.open_links += 1;
        Some(start + length)
    }

    /// Whether a `]` follows on the same line, at or after `from`.
    fn closes_in_line(&mut self, from: usize) -> bool {
        let bytes = self.text.as_bytes();
        if self.next_bracket < from {
            let length = memchr2(b']', b'\n', bytes.slice(from..));
            self.next_bracket = length.map_or(bytes.len(), |length| from + length);
        }
        bytes.get(self.next_bracket) == Some(&b']')
    }
}

/// Whether a page name refers to an embedded file, as `File:a.png` does. A name with a
/// leading colon, `:File:a.png`, is a plain link.
fn is_file(name: &str) -> bool {
    name.split_once(':').is_some_and(|(namespace, _)| {
        let namespace = namespace.trim().to_lowercase();
        FILE_NAMESPACES.contains(&namespace.as_str())
    })
}

#[cfg(test)]
mod tests;
