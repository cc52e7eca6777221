//! MediaWiki's markup.
//!
//! One scan over the text, which keeps count of the templates and links that
//! are open: within them a bar ends an address. Templates are not expanded, so
//! an address with one in it is a placeholder, except for the few that stand
//! for a sign (`{{!}}`, `{{=}}`).

mod address;
mod tag;

use std::ops::Range;

use memchr::{memchr2, memmem};
use relink_model::{LinkKind, SkipReason};

use crate::cut::{ByteAt as _, Cut as _};
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim;
use tag::Tag;

/// How long the name of a page may be, with templates in it.
const LONGEST_NAME: usize = 1024;

/// Namespaces of files, in the languages of the largest wikis.
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

/// MediaWiki's markup.
pub(crate) struct Wikitext;

impl Extractor for Wikitext {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        let mut reader = WikitextParser::new(text);
        reader.scan(0..text.len());
        reader.mentions.report(0, found);
    }
}

/// Goes through a document.
struct WikitextParser<'t> {
    text: &'t str,
    mentions: LinkCandidates<'t>,
    /// How many templates are open.
    templates: usize,
    /// How many links to pages are open.
    links: usize,
    /// Where the next `]` or line end stands, as far as looked for.
    bracket: usize,
    /// Elements whose end was looked for and is not there.
    endless: Vec<&'static str>,
    /// Whether a gallery's lines are being read.
    is_gallery: bool,
}

impl<'t> WikitextParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            mentions: LinkCandidates::new(text),
            templates: 0,
            links: 0,
            bracket: 0,
            endless: Vec::new(),
            is_gallery: false,
        }
    }

    fn scan(&mut self, part: Range<usize>) {
        let bytes = self.text.as_bytes();
        let mut at = part.start;
        while at < part.end {
            let next = match bytes.byte(at) {
                b'<' => self.angle(at, part.end),
                b'[' => self.bracket(at, part.end),
                b'{' | b'}' | b']' => self.brace(at, part.end),
                b':' => self.colon(at, part.clone()),
                _ => None,
            };
            at = next.unwrap_or(at + 1);
        }
    }

    /// Whether a bar ends what is being read.
    fn is_bar_special(&self) -> bool {
        self.templates > 0 || self.links > 0
    }

    /// Counts what opens and closes.
    fn brace(&mut self, at: usize, end: usize) -> Option<usize> {
        let rest = self.text.as_bytes().cut(at..end);
        if rest.starts_with(b"{{") {
            self.templates += 1;
        } else if rest.starts_with(b"}}") {
            self.templates = self.templates.saturating_sub(1);
        } else if rest.starts_with(b"]]") {
            self.links = self.links.saturating_sub(1);
        } else {
            return None;
        }
        Some(at + 2)
    }

    /// Reads a comment, an element without markup, a gallery, or a tag.
    fn angle(&mut self, at: usize, end: usize) -> Option<usize> {
        let rest = self.text.cut(at..end);
        if rest.starts_with("<!--") {
            let length =
                memmem::find(rest.as_bytes(), b"-->").map_or(rest.len(), |length| length + 3);
            self.mentions.pass_over(at..at + length, SkipReason::Comment);
            return Some(at + length);
        }
        let tag = Tag::at(rest)?;
        let inside = at + tag.length;
        if tag.is_empty {
            return Some(inside);
        }
        if let Some(name) = tag::without_markup(tag.name) {
            let closing = self.closing(name, inside, end)?;
            self.mentions.pass_over(inside..closing, SkipReason::Code);
            return Some(closing);
        }
        if tag.name.eq_ignore_ascii_case("gallery") && !self.is_gallery {
            let closing = self.closing("gallery", inside, end)?;
            self.gallery(inside..closing);
            return Some(closing);
        }
        Some(inside)
    }

    /// Where an element ends; looked for in vain but once.
    fn closing(&mut self, name: &'static str, from: usize, end: usize) -> Option<usize> {
        if self.endless.contains(&name) {
            return None;
        }
        let closing = tag::closing(self.text.cut(from..end), name).map(|at| from + at);
        if closing.is_none() {
            self.endless.push(name);
        }
        closing
    }

    /// Reads one file a line, with a caption.
    fn gallery(&mut self, part: Range<usize>) {
        self.is_gallery = true;
        let mut start = part.start;
        for line in self.text.cut(part).split_inclusive('\n') {
            let whole = start..start + line.len();
            start = whole.end;
            let length = line.find(['|', '<', '[', '{']).unwrap_or(line.len());
            let name = trim(self.text, whole.start..whole.start + length);
            let is_name = line.cut(length..).starts_with('|') || length == line.len();
            let rest = if is_name && !name.is_empty() {
                self.mentions.link(name, LinkKind::Embed, DestinationSyntax::Name);
                whole.start + length..whole.end
            } else {
                whole
            };
            self.links += 1;
            self.scan(rest);
            self.links = self.links.saturating_sub(1);
        }
        self.is_gallery = false;
    }

    /// Reads `[[page]]` or `[address text]`.
    fn bracket(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.text.cut(at..end).starts_with("[[") {
            return self.page(at + 2, end);
        }
        self.external(at + 1, end)
    }

    fn page(&mut self, start: usize, end: usize) -> Option<usize> {
        let mut limit = end.min(start + LONGEST_NAME);
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        let window = self.text.cut(start..limit);
        let length = window.find(['|', ']', '[', '\n', '<', '>'])?;
        let name = trim(self.text, start..start + length);
        let after = window.cut(length..);
        let is_ended = after.starts_with('|') || after.starts_with("]]");
        if name.is_empty() || !is_ended {
            return None;
        }
        let written = self.text.cut(name.clone());
        if written.contains("://") || written.starts_with("//") {
            return None;
        }
        let kind = if is_file(written) { LinkKind::Embed } else { LinkKind::Reference };
        self.mentions.link(name, kind, DestinationSyntax::Name);
        self.links += 1;
        Some(start + length)
    }

    /// Whether a bracket closes in this line, at or after `from`.
    fn closes_in_line(&mut self, from: usize) -> bool {
        let bytes = self.text.as_bytes();
        if self.bracket < from {
            let length = memchr2(b']', b'\n', bytes.cut(from..));
            self.bracket = length.map_or(bytes.len(), |length| from + length);
        }
        bytes.get(self.bracket) == Some(&b']')
    }
}

/// Whether the name of a page is that of a file which is shown; a colon before
/// it makes it a link.
fn is_file(name: &str) -> bool {
    name.split_once(':').is_some_and(|(namespace, _)| {
        let namespace = namespace.trim().to_lowercase();
        FILE_NAMESPACES.contains(&namespace.as_str())
    })
}

#[cfg(test)]
mod tests;
