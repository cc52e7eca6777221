//! Parses running text of AsciiDoc: macros (`link:target[text]`), cross-references
//! (`<<anchor>>`), URLs and passthroughs (text without markup, `+text+`).

use std::ops::Range;

use memchr::{memchr, memmem};
use relink_model::{LinkKind, SkipReason};

use super::AsciiDocParser;
use super::attributes::{AttributeValue, reference, starts_with_web_scheme};
use crate::bare_url::http_urls;
use crate::link_sink::DestinationSyntax;
use crate::list::trim_range;
use crate::safe_slice::{ByteAt as _, SafeSlice as _};
use crate::target::scheme;

/// Maximum length of the name of a macro or scheme.
const MAX_NAME: usize = 12;

/// Maximum length of the target of a macro.
const MAX_TARGET: usize = 8 * 1024;

/// Maximum length of an IPv6 address in brackets.
const MAX_IPV6_LITERAL: usize = 64;

/// Predefined attributes for characters, which are never part of a URL.
const CHARACTER_ATTRIBUTES: [&str; 18] = [
    "nbsp", "zwsp", "wj", "apos", "quot", "lsquo", "rsquo", "ldquo", "rdquo", "deg", "plus",
    "brvbar", "vbar", "amp", "lt", "gt", "sp", "empty",
];

/// State of a scan through a range of the text.
struct Scan {
    at: usize,
    end: usize,
    /// Offset of the next `>>`; `usize::MAX` if there is none. `None` before the first search.
    next_closing: Option<usize>,
    /// Remaining number of bytes that searches without a result may scan. Without this
    /// limit, the time would be quadratic.
    budget: usize,
}

impl AsciiDocParser<'_> {
    /// Parses a range of running text.
    pub(super) fn parse_inline(&mut self, part: Range<usize>) {
        let bytes = self.text.as_bytes();
        let budget = 4 * part.len() + MAX_TARGET;
        let mut scan = Scan { at: part.start, end: part.end, next_closing: None, budget };
        let mut at = part.start;
        while at < part.end {
            scan.at = at;
            let next = match bytes.byte(at) {
                b':' => self.parse_macro_or_url(part.start, &mut scan),
                b'<' => self.parse_cross_reference(&mut scan),
                b'+' => Some(self.skip_passthrough(part.start, &mut scan)),
                b'{' => self.parse_attribute_reference(part.start, &scan),
                _ => None,
            };
            at = next.unwrap_or(at + 1);
        }
    }

    /// Parses the macro or URL whose colon is at `scan.at`. The running text starts at
    /// `text_start`. Returns the end of the macro or URL.
    fn parse_macro_or_url(&mut self, text_start: usize, scan: &mut Scan) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let before = bytes.slice(text_start..scan.at);
        let name_length = before
            .iter()
            .rev()
            .take(MAX_NAME)
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let start = scan.at - name_length;
        match self.text.slice(start..scan.at) {
            "http" | "https" | "HTTP" | "HTTPS" => self.parse_url(start, scan),
            "link" => self.parse_macro(start, scan, LinkKind::Hyperlink),
            "xref" => self.parse_macro(start, scan, LinkKind::Reference),
            "image" | "video" | "audio" => self.parse_macro(start, scan, LinkKind::Embed),
            "include" if bytes.slice(scan.at..).starts_with(b"::") => {
                self.parse_macro(start, scan, LinkKind::Reference)
            }
            "pass" | "stem" | "latexmath" | "asciimath" => self.skip_passthrough_macro(scan),
            _ => None,
        }
    }

    /// Whether the construct at `start` is escaped with a backslash.
    fn is_escaped(&self, start: usize) -> bool {
        self.text.slice(..start).ends_with('\\')
    }

    /// Parses a macro with a target: `name:target[…]`.
    fn parse_macro(&mut self, start: usize, scan: &mut Scan, kind: LinkKind) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let colons =
            bytes.slice(scan.at..scan.end).iter().take_while(|byte| **byte == b':').count();
        let is_inline_only = matches!(self.text.slice(start..scan.at), "link" | "xref");
        if colons > 2 || (colons == 2 && is_inline_only) {
            return None;
        }
        let target = scan.at + colons;
        let searched = bytes.slice(target..scan.end.min(target + MAX_TARGET.min(scan.budget)));
        let Some((range, open)) = find_target(searched, !is_inline_only) else {
            scan.budget -= searched.len();
            return None;
        };
        let range = target + range.start..target + range.end;
        if self.is_escaped(start) {
            self.candidates.push_skipped(range, kind, SkipReason::Code);
        } else if !self.is_hosted_video(target + open) {
            self.add_macro_target(range, kind);
        }
        Some(target + open)
    }

    /// Whether the attribute list at `open` makes the target a video id instead
    /// of a file.
    fn is_hosted_video(&self, open: usize) -> bool {
        let after = self.text.slice(open..);
        after.starts_with("[youtube") || after.starts_with("[vimeo")
    }

    /// Adds the target of a macro. A reference without a path is an anchor of
    /// the same document.
    fn add_macro_target(&mut self, range: Range<usize>, kind: LinkKind) {
        let raw = self.text.slice(range.clone());
        if kind == LinkKind::Reference && !raw.contains(['#', '.', '/', '{', ':', '$']) {
            let syntax = DestinationSyntax::Decoded(format!("#{raw}"));
            self.candidates.push_link(range, kind, syntax);
        } else {
            self.add_destination(range, kind);
        }
    }

    /// Adds the target of `<<…>>`: an id, which may contain dots, or a document
    /// with its extension.
    fn add_anchor_target(&mut self, range: Range<usize>) {
        let raw = self.text.slice(range.clone());
        if raw.contains(['#', '/', '{', ':', '$'])
            || std::path::Path::new(raw).extension().is_some_and(|name| name == "adoc")
        {
            self.add_macro_target(range, LinkKind::Reference);
        } else {
            let syntax = DestinationSyntax::Decoded(format!("#{raw}"));
            self.candidates.push_link(range, LinkKind::Reference, syntax);
        }
    }

    /// Adds a destination after attribute substitution.
    pub(super) fn add_destination(&mut self, range: Range<usize>, kind: LinkKind) {
        let raw = self.text.slice(range.clone());
        // If the destination is a single attribute, its definition is reported as the link.
        if let Some(name) = reference(raw)
            && raw.len() == name.len() + "{}".len()
            && self.attributes.mark_used(name, true)
        {
            return;
        }
        let AttributeValue::Known(decoded) = self.attributes.resolve(raw) else {
            self.candidates.push_skipped(range, kind, SkipReason::Placeholder);
            return;
        };
        let decoded = if kind == LinkKind::Embed { self.in_images_dir(decoded) } else { decoded };
        let syntax = if is_resource_id(&decoded, kind) {
            DestinationSyntax::DecodedName(decoded)
        } else {
            DestinationSyntax::Decoded(decoded)
        };
        self.candidates.push_link(range, kind, syntax);
    }

    /// Prepends the `imagesdir` attribute to the path of an image.
    fn in_images_dir(&self, path: String) -> String {
        let is_absolute = path.starts_with('/') || scheme(&path).is_some() || path.contains(':');
        match self.attributes.value("imagesdir").map(|folder| folder.trim_end_matches('/')) {
            Some(folder) if !folder.is_empty() && !is_absolute => format!("{folder}/{path}"),
            _ => path,
        }
    }

    /// Parses `https://…`, with or without `[text]`.
    fn parse_url(&mut self, start: usize, scan: &Scan) -> Option<usize> {
        let host = scan.at + "://".len();
        if !self.text.slice(scan.at..scan.end).starts_with("://") {
            return None;
        }
        // A URL in the attribute list of an image: `image::a.png[link=https://…]`.
        let link_attribute = [("link=\"", '"'), ("link=", ',')]
            .into_iter()
            .find(|(before, _)| self.text.slice(..start).ends_with(before));
        let after = self.text.slice(host..scan.end);
        let starts_host =
            after.starts_with(|first: char| first.is_alphanumeric() || "[{".contains(first));
        if !starts_host {
            return None;
        }
        let ipv6_length = ipv6_literal_length(after);
        let length =
            after.slice(ipv6_length..).find(ends_url).map_or(after.len(), |at| ipv6_length + at);
        let mut end = host + length;
        if let Some((_, terminator)) = link_attribute {
            end = host + self.text.slice(host..end).find(terminator).unwrap_or(length);
        }
        self.add_url(start..end, host, scan.end, link_attribute.is_some())
    }

    /// Adds a URL whose host is at `host`. Returns the end of the URL.
    fn add_url(
        &mut self,
        url: Range<usize>,
        host: usize,
        part_end: usize,
        has_link_attribute: bool,
    ) -> Option<usize> {
        let text = self.text;
        let has_text = has_link_attribute || text.slice(url.end..part_end).starts_with('[');
        let kind = if has_text { LinkKind::Hyperlink } else { LinkKind::BareUrl };
        let range = if has_text {
            url.clone()
        } else if text.slice(host..).starts_with('{') {
            url.start..host + without_punctuation(text.slice(host..url.end))
        } else {
            http_urls(text, url.clone()).next()?
        };
        if url.end <= host {
            return None;
        }
        if self.is_escaped(url.start) {
            self.candidates.push_skipped(range, kind, SkipReason::Code);
        } else {
            self.add_destination(range, kind);
        }
        Some(url.end)
    }

    /// Parses `<<anchor,text>>`.
    fn parse_cross_reference(&mut self, scan: &mut Scan) -> Option<usize> {
        let inside = scan.at + "<<".len();
        let raw = self.text.slice(scan.at..scan.end).strip_prefix("<<")?;
        let anchor = raw.find([',', '<', '>', '\n'])?;
        let range = inside..inside + anchor;
        let is_anchor = !raw.starts_with([' ', '\t', ','])
            && (raw.slice(anchor..).starts_with(">>")
                || raw.slice(anchor..).starts_with(',') && self.is_closed(range.end, scan));
        let range = trim_range(self.text, range);
        if !is_anchor || range.is_empty() {
            return None;
        }
        if self.is_escaped(scan.at) {
            self.candidates.push_skipped(range, LinkKind::Reference, SkipReason::Code);
        } else {
            self.add_anchor_target(range);
        }
        Some(inside + anchor)
    }

    /// Whether `>>` occurs after `from`. Caches the result of the search.
    fn is_closed(&self, from: usize, scan: &mut Scan) -> bool {
        if scan.next_closing.is_none_or(|closing| closing < from) {
            let bytes = self.text.as_bytes().slice(from..scan.end);
            scan.next_closing = Some(memmem::find(bytes, b">>").map_or(usize::MAX, |at| from + at));
        }
        scan.next_closing != Some(usize::MAX)
    }

    /// Skips the passthroughs `+…+`, `++…++` and `+++…+++`. Returns the end.
    fn skip_passthrough(&mut self, from: usize, scan: &mut Scan) -> usize {
        let bytes = self.text.as_bytes().slice(..scan.end);
        let width = bytes.slice(scan.at..).iter().take_while(|byte| **byte == b'+').count();
        let inside = scan.at + width;
        let is_separated = !self.text.slice(from..scan.at).ends_with(char::is_alphanumeric);
        let starts_text = !self.text.slice(inside..scan.end).starts_with(char::is_whitespace);
        if width > 3 || (width == 1 && !(is_separated && starts_text)) {
            return inside;
        }
        let searched = bytes.slice(inside..scan.end.min(inside + scan.budget));
        let Some(length) = memmem::find(searched, b"+++".slice(..width)) else {
            scan.budget -= searched.len();
            return inside;
        };
        if width == 1 && bytes.get(inside + length + 1).is_some_and(u8::is_ascii_alphanumeric) {
            return inside;
        }
        self.candidates.push_skipped_urls(inside..inside + length, SkipReason::Code);
        inside + length + width
    }

    /// Skips the inside of `pass:[…]`. Returns the end.
    fn skip_passthrough_macro(&mut self, scan: &mut Scan) -> Option<usize> {
        let bytes = self.text.as_bytes().slice(..scan.end);
        let name = bytes
            .slice(scan.at + 1..)
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || **byte == b',');
        let open = scan.at + 1 + name.take(MAX_NAME).count();
        if bytes.get(open) != Some(&b'[') {
            return None;
        }
        let searched = bytes.slice(open..scan.end.min(open + scan.budget));
        let Some(length) = memchr(b']', searched) else {
            scan.budget -= searched.len();
            return None;
        };
        self.candidates.push_skipped_urls(open..open + length, SkipReason::Code);
        Some(open + length)
    }

    /// Parses `{name}`, which may be the start of a URL.
    fn parse_attribute_reference(&mut self, from: usize, scan: &Scan) -> Option<usize> {
        let text = self.text;
        let name = reference(text.slice(scan.at..scan.end))?;
        if self.is_escaped(scan.at) {
            return None;
        }
        let after = scan.at + name.len() + "{}".len();
        let is_separated = !text.slice(from..scan.at).ends_with(|before: char| {
            before.is_alphanumeric() || matches!(before, '/' | ':' | '.' | '-' | '_' | '}')
        });
        let rest = text.slice(after..scan.end);
        match self.attributes.value(name) {
            Some(value) if starts_with_web_scheme(value) && is_separated => {
                let length = rest.find(ends_url).unwrap_or(rest.len());
                let url = scan.at..after + length;
                let has_text = text.slice(url.end..scan.end).starts_with('[');
                let tail =
                    if has_text { length } else { without_punctuation(rest.slice(..length)) };
                let kind = if has_text { LinkKind::Hyperlink } else { LinkKind::BareUrl };
                self.add_destination(scan.at..after + tail, kind);
                Some(url.end)
            }
            // `{name}[text]` is a link to an unknown URL.
            None if rest.starts_with('[')
                && is_separated
                && !CHARACTER_ATTRIBUTES.contains(&name) =>
            {
                self.candidates.push_skipped(
                    scan.at..after,
                    LinkKind::Hyperlink,
                    SkipReason::Placeholder,
                );
                Some(after)
            }
            _ => {
                self.attributes.mark_used(name, false);
                Some(after)
            }
        }
    }
}

/// Whether a destination is a resource id of the site generator Antora, such as
/// `module:page.adoc` or `2.0@component:module:image$a.png`, and not a URL.
fn is_resource_id(destination: &str, kind: LinkKind) -> bool {
    let schemes = ["http", "https", "ftp", "file", "data", "mailto", "irc", "tel"];
    let is_url = scheme(destination)
        .is_some_and(|name| schemes.iter().any(|known| name.eq_ignore_ascii_case(known)));
    let is_resource = matches!(kind, LinkKind::Reference | LinkKind::Embed);
    is_resource && !is_url && destination.contains(':')
}

/// Returns the range of the target of a macro and the offset of the `[` after
/// it. The target may be quoted: `++target++`.
fn find_target(searched: &[u8], may_contain_space: bool) -> Option<(Range<usize>, usize)> {
    if let Some(inside) = searched.strip_prefix(b"++") {
        let end = "++".len() + memmem::find(inside, b"++[")?;
        return Some(("++".len()..end, end + "++".len()));
    }
    let ends = |byte: &u8| match byte {
        b'[' | b'\n' => true,
        byte => !may_contain_space && byte.is_ascii_whitespace(),
    };
    let open = searched.iter().position(ends)?;
    let target = searched.slice(..open);
    let is_target = searched.byte(open) == b'['
        && target.first().is_some_and(|first| !matches!(first, b' ' | b'\t' | b':'))
        && target.last().is_some_and(|last| !last.is_ascii_whitespace());
    is_target.then_some((0..open, open))
}

/// Returns the length of an IPv6 address in brackets, or 0.
fn ipv6_literal_length(after: &str) -> usize {
    if !after.starts_with('[') {
        return 0;
    }
    let number = after.bytes().take(MAX_IPV6_LITERAL).position(|byte| byte == b']');
    number.map_or(0, |at| at + 1)
}

/// Whether a character ends a URL. `|` ends a table cell.
fn ends_url(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "[]<>\"`|".contains(character)
}

/// Returns the length of `tail` without trailing punctuation.
fn without_punctuation(tail: &str) -> usize {
    tail.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '*', '_']).len()
}
