//! Macros, cross-references, addresses and passthroughs in running text.

use std::ops::Range;

use memchr::{memchr, memmem};
use relink_model::{LinkKind, SkipReason};

use super::AsciiDocParser;
use super::attributes::{AttributeValue, is_web, reference};
use crate::bare::http_addresses;
use crate::cut::{ByteAt as _, Cut as _};
use crate::link_sink::DestinationSyntax;
use crate::list::trim;
use crate::target::scheme;

/// How far back the name of a macro or a scheme is looked for.
const LONGEST_NAME: usize = 12;

/// How far a macro's target goes at most.
const LONGEST_TARGET: usize = 8 * 1024;

/// How long a host's number in brackets may be.
const LONGEST_NUMBER: usize = 64;

/// Attributes that stand for a sign, and for no part of an address.
const SIGNS: [&str; 18] = [
    "nbsp", "zwsp", "wj", "apos", "quot", "lsquo", "rsquo", "ldquo", "rdquo", "deg", "plus",
    "brvbar", "vbar", "amp", "lt", "gt", "sp", "empty",
];

/// A scan through one part of the text.
struct Scan {
    at: usize,
    end: usize,
    /// Where the next `>>` stands, as far as looked for.
    closing: Option<usize>,
    /// How many bytes may still be looked at ahead in vain.
    budget: usize,
}

impl AsciiDocParser<'_> {
    /// Reads a part of running text.
    pub(super) fn inline(&mut self, part: Range<usize>) {
        let bytes = self.text.as_bytes();
        let budget = 4 * part.len() + LONGEST_TARGET;
        let mut scan = Scan { at: part.start, end: part.end, closing: None, budget };
        let mut at = part.start;
        while at < part.end {
            scan.at = at;
            let next = match bytes.byte(at) {
                b':' => self.colon(part.start, &mut scan),
                b'<' => self.cross_reference(&mut scan),
                b'+' => Some(self.passthrough(part.start, &mut scan)),
                b'{' => self.attribute_reference(part.start, &scan),
                _ => None,
            };
            at = next.unwrap_or(at + 1);
        }
    }

    /// Reads the macro or the address whose colon is here; says where it ends.
    fn colon(&mut self, from: usize, scan: &mut Scan) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let before = bytes.cut(from..scan.at);
        let length = before
            .iter()
            .rev()
            .take(LONGEST_NAME)
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let start = scan.at - length;
        match self.text.cut(start..scan.at) {
            "http" | "https" | "HTTP" | "HTTPS" => self.address(start, scan),
            "link" => self.target_of(start, scan, LinkKind::Hyperlink),
            "xref" => self.target_of(start, scan, LinkKind::Reference),
            "image" | "video" | "audio" => self.target_of(start, scan, LinkKind::Embed),
            "include" if bytes.cut(scan.at..).starts_with(b"::") => {
                self.target_of(start, scan, LinkKind::Reference)
            }
            "pass" | "stem" | "latexmath" | "asciimath" => self.unread(scan),
            _ => None,
        }
    }

    /// Whether what begins at `start` is escaped.
    fn is_escaped(&self, start: usize) -> bool {
        self.text.cut(..start).ends_with('\\')
    }

    /// Reads the target of a macro, `name:target[…]`.
    fn target_of(&mut self, start: usize, scan: &mut Scan, kind: LinkKind) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let colons = bytes.cut(scan.at..scan.end).iter().take_while(|byte| **byte == b':').count();
        let is_inline_only = matches!(self.text.cut(start..scan.at), "link" | "xref");
        if colons > 2 || (colons == 2 && is_inline_only) {
            return None;
        }
        let target = scan.at + colons;
        let window = bytes.cut(target..scan.end.min(target + LONGEST_TARGET.min(scan.budget)));
        let Some((range, open)) = target_in(window, !is_inline_only) else {
            scan.budget -= window.len();
            return None;
        };
        let range = target + range.start..target + range.end;
        if self.is_escaped(start) {
            self.mentions.skip(range, kind, SkipReason::Code);
        } else if !self.is_film_of_a_service(target + open) {
            self.macro_target(range, kind);
        }
        Some(target + open)
    }

    /// Whether the attributes at `open` say that the target is no file but a
    /// film's number.
    fn is_film_of_a_service(&self, open: usize) -> bool {
        let after = self.text.cut(open..);
        after.starts_with("[youtube") || after.starts_with("[vimeo")
    }

    fn macro_target(&mut self, range: Range<usize>, kind: LinkKind) {
        let written = self.text.cut(range.clone());
        if kind == LinkKind::Reference && !written.contains(['#', '.', '/', '{', ':', '$']) {
            let means = DestinationSyntax::Decoded(format!("#{written}"));
            self.mentions.link(range, kind, means);
        } else {
            self.destination(range, kind);
        }
    }

    /// Notes a destination with its attributes resolved.
    pub(super) fn destination(&mut self, range: Range<usize>, kind: LinkKind) {
        let written = self.text.cut(range.clone());
        if let Some(name) = reference(written)
            && written.len() == name.len() + "{}".len()
            && self.attributes.refer(name, true)
        {
            return;
        }
        let AttributeValue::Known(means) = self.attributes.resolve(written) else {
            self.mentions.skip(range, kind, SkipReason::Placeholder);
            return;
        };
        let means = if kind == LinkKind::Embed { self.in_images_folder(means) } else { means };
        self.mentions.link(range, kind, DestinationSyntax::Decoded(means));
    }

    /// A picture's path from the folder that the document names for pictures.
    fn in_images_folder(&self, path: String) -> String {
        let is_absolute = path.starts_with('/') || scheme(&path).is_some();
        match self.attributes.value("imagesdir").map(|folder| folder.trim_end_matches('/')) {
            Some(folder) if !folder.is_empty() && !is_absolute => format!("{folder}/{path}"),
            _ => path,
        }
    }

    /// Reads `https://…`, with or without `[text]` after it.
    fn address(&mut self, start: usize, scan: &Scan) -> Option<usize> {
        let host = scan.at + "://".len();
        if !self.text.cut(scan.at..scan.end).starts_with("://") {
            return None;
        }
        let is_attribute = [("link=\"", '"'), ("link=", ',')]
            .into_iter()
            .find(|(before, _)| self.text.cut(..start).ends_with(before));
        let after = self.text.cut(host..scan.end);
        let begins =
            after.starts_with(|first: char| first.is_alphanumeric() || "[{".contains(first));
        if !begins {
            return None;
        }
        let number = number_in_brackets(after);
        let length = after.cut(number..).find(ends_address).map_or(after.len(), |at| number + at);
        let mut end = host + length;
        if let Some((_, sign)) = is_attribute {
            end = host + self.text.cut(host..end).find(sign).unwrap_or(length);
        }
        self.found_address(start..end, host, scan.end, is_attribute.is_some())
    }

    fn found_address(
        &mut self,
        whole: Range<usize>,
        host: usize,
        part_end: usize,
        is_link: bool,
    ) -> Option<usize> {
        let text = self.text;
        let has_end = is_link || text.cut(whole.end..part_end).starts_with('[');
        let kind = if has_end { LinkKind::Hyperlink } else { LinkKind::BareUrl };
        let range = if has_end {
            whole.clone()
        } else if text.cut(host..).starts_with('{') {
            whole.start..host + sentence_end(text.cut(host..whole.end))
        } else {
            http_addresses(text, whole.clone()).next()?
        };
        if whole.end <= host {
            return None;
        }
        if self.is_escaped(whole.start) {
            self.mentions.skip(range, kind, SkipReason::Code);
        } else {
            self.destination(range, kind);
        }
        Some(whole.end)
    }

    /// Reads `<<anchor,text>>`.
    fn cross_reference(&mut self, scan: &mut Scan) -> Option<usize> {
        let inside = scan.at + "<<".len();
        let written = self.text.cut(scan.at..scan.end).strip_prefix("<<")?;
        let anchor = written.find([',', '<', '>', '\n'])?;
        let range = inside..inside + anchor;
        let is_anchor = !written.starts_with([' ', '\t', ','])
            && (written.cut(anchor..).starts_with(">>")
                || written.cut(anchor..).starts_with(',') && self.is_closed(range.end, scan));
        let range = trim(self.text, range);
        if !is_anchor || range.is_empty() {
            return None;
        }
        if self.is_escaped(scan.at) {
            self.mentions.skip(range, LinkKind::Reference, SkipReason::Code);
        } else {
            self.macro_target(range, LinkKind::Reference);
        }
        Some(inside + anchor)
    }

    /// Whether `>>` comes after `from`. Looked for once, however often asked.
    fn is_closed(&self, from: usize, scan: &mut Scan) -> bool {
        if scan.closing.is_none_or(|closing| closing < from) {
            let bytes = self.text.as_bytes().cut(from..scan.end);
            scan.closing = Some(memmem::find(bytes, b">>").map_or(usize::MAX, |at| from + at));
        }
        scan.closing != Some(usize::MAX)
    }

    /// Passes over `+…+`, `++…++` and `+++…+++`.
    fn passthrough(&mut self, from: usize, scan: &mut Scan) -> usize {
        let bytes = self.text.as_bytes().cut(..scan.end);
        let width = bytes.cut(scan.at..).iter().take_while(|byte| **byte == b'+').count();
        let inside = scan.at + width;
        let is_apart = !self.text.cut(from..scan.at).ends_with(char::is_alphanumeric);
        let begins = !self.text.cut(inside..scan.end).starts_with(char::is_whitespace);
        if width > 3 || (width == 1 && !(is_apart && begins)) {
            return inside;
        }
        let window = bytes.cut(inside..scan.end.min(inside + scan.budget));
        let Some(length) = memmem::find(window, b"+++".cut(..width)) else {
            scan.budget -= window.len();
            return inside;
        };
        if width == 1 && bytes.get(inside + length + 1).is_some_and(u8::is_ascii_alphanumeric) {
            return inside;
        }
        self.mentions.pass_over(inside..inside + length, SkipReason::Code);
        inside + length + width
    }

    /// Passes over the inside of `pass:[…]`.
    fn unread(&mut self, scan: &mut Scan) -> Option<usize> {
        let bytes = self.text.as_bytes().cut(..scan.end);
        let name = bytes
            .cut(scan.at + 1..)
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || **byte == b',');
        let open = scan.at + 1 + name.take(LONGEST_NAME).count();
        if bytes.get(open) != Some(&b'[') {
            return None;
        }
        let window = bytes.cut(open..scan.end.min(open + scan.budget));
        let Some(length) = memchr(b']', window) else {
            scan.budget -= window.len();
            return None;
        };
        self.mentions.pass_over(open..open + length, SkipReason::Code);
        Some(open + length)
    }

    /// Reads `{name}` where an address begins with it.
    fn attribute_reference(&mut self, from: usize, scan: &Scan) -> Option<usize> {
        let text = self.text;
        let name = reference(text.cut(scan.at..scan.end))?;
        if self.is_escaped(scan.at) {
            return None;
        }
        let after = scan.at + name.len() + "{}".len();
        let is_apart = !text.cut(from..scan.at).ends_with(|before: char| {
            before.is_alphanumeric() || matches!(before, '/' | ':' | '.' | '-' | '_' | '}')
        });
        let rest = text.cut(after..scan.end);
        match self.attributes.value(name) {
            Some(value) if is_web(value) && is_apart => {
                let length = rest.find(ends_address).unwrap_or(rest.len());
                let whole = scan.at..after + length;
                let has_text = text.cut(whole.end..scan.end).starts_with('[');
                let tail = if has_text { length } else { sentence_end(rest.cut(..length)) };
                let kind = if has_text { LinkKind::Hyperlink } else { LinkKind::BareUrl };
                self.destination(scan.at..after + tail, kind);
                Some(whole.end)
            }
            None if rest.starts_with('[') && is_apart && !SIGNS.contains(&name) => {
                self.mentions.skip(scan.at..after, LinkKind::Hyperlink, SkipReason::Placeholder);
                Some(after)
            }
            _ => {
                self.attributes.refer(name, false);
                Some(after)
            }
        }
    }
}

/// Where a macro's target stands, and where the bracket after it is; the target
/// may be quoted, `++target++`.
fn target_in(window: &[u8], may_hold_space: bool) -> Option<(Range<usize>, usize)> {
    if let Some(inside) = window.strip_prefix(b"++") {
        let end = "++".len() + memmem::find(inside, b"++[")?;
        return Some(("++".len()..end, end + "++".len()));
    }
    let ends = |byte: &u8| match byte {
        b'[' | b'\n' => true,
        byte => !may_hold_space && byte.is_ascii_whitespace(),
    };
    let open = window.iter().position(ends)?;
    let target = window.cut(..open);
    let is_target = window.byte(open) == b'['
        && target.first().is_some_and(|first| !matches!(first, b' ' | b'\t' | b':'))
        && target.last().is_some_and(|last| !last.is_ascii_whitespace());
    is_target.then_some((0..open, open))
}

/// The length of a host that is a number in brackets, `[::1]`.
fn number_in_brackets(after: &str) -> usize {
    if !after.starts_with('[') {
        return 0;
    }
    let number = after.bytes().take(LONGEST_NUMBER).position(|byte| byte == b']');
    number.map_or(0, |at| at + 1)
}

/// Characters that end an address; a bar ends a table's cell.
fn ends_address(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || "[]<>\"`|".contains(letter)
}

/// The length without the punctuation of the sentence around it.
fn sentence_end(tail: &str) -> usize {
    tail.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '*', '_']).len()
}
