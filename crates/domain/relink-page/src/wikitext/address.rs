//! Addresses: in brackets, as the value of a template's parameter, or bare.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use super::WikitextParser;
use crate::bare::http_addresses;
use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, unescaped};

/// Schemes that may stand in brackets, besides those of the web.
const OTHER_SCHEMES: [&str; 8] =
    ["mailto:", "ftp://", "ftps://", "news:", "irc://", "ircs://", "tel:", "gemini://"];

/// Templates that stand for one sign.
const SIGNS: [(&str, &str); 3] = [("{{!}}", "|"), ("{{=}}", "="), ("{{pipe}}", "|")];

/// How far a template within an address goes at most.
const LONGEST_TEMPLATE: usize = 512;

/// An address as far as it is written.
struct Written {
    range: Range<usize>,
    /// Whether it holds a template that is not known.
    is_placeholder: bool,
}

impl WikitextParser<'_> {
    /// Reads `[address text]`, whose bracket stands before `start`.
    pub(super) fn external(&mut self, start: usize, end: usize) -> Option<usize> {
        let rest = self.text.cut(start..end);
        let host = web_prefix(rest).or_else(|| rest.starts_with("//").then_some("//".len()));
        let other = OTHER_SCHEMES.iter().find(|scheme| {
            rest.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        });
        let prefix = host.or(other.map(|scheme| scheme.len()))?;
        let written = self.written(start, start + prefix, end);
        let is_link = written.range.end > start + prefix && self.closes_in_line(written.range.end);
        if !is_link {
            return None;
        }
        let next = written.range.end;
        self.note(written, LinkKind::Hyperlink);
        Some(next)
    }

    /// Reads the address around the `://` at `colon`.
    pub(super) fn colon(&mut self, colon: usize, part: Range<usize>) -> Option<usize> {
        let text = self.text;
        if !text.cut(colon..part.end).starts_with("://") {
            return None;
        }
        let before = text.as_bytes().cut(part.start..colon);
        let letters = before.iter().rev().take(6).take_while(|byte| byte.is_ascii_alphanumeric());
        let start = colon - letters.count();
        let host = start + web_prefix(text.cut(start..part.end))?;
        let is_host = text
            .cut(host..part.end)
            .starts_with(|first: char| first.is_alphanumeric() || matches!(first, '[' | '{'));
        if host != colon + "://".len() || !is_host || text.cut(..start).ends_with('+') {
            return None;
        }
        let written = self.written(start, host, part.end);
        let next = written.range.end;
        if self.is_value(&written.range, part.end) {
            self.note(written, LinkKind::Value);
        } else {
            self.bare(written);
        }
        Some(next.max(host))
    }

    fn bare(&mut self, written: Written) {
        if written.is_placeholder {
            self.note(written, LinkKind::BareUrl);
        } else if let Some(range) = http_addresses(self.text, written.range).next() {
            self.note(Written { range, is_placeholder: false }, LinkKind::BareUrl);
        }
    }

    /// Whether an address is all that a template's parameter holds.
    fn is_value(&self, range: &Range<usize>, end: usize) -> bool {
        let before = self.text.as_bytes().cut(..range.start).iter().rev();
        let before = before.take(64).find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let after = self.text.as_bytes().cut(range.end..end).iter().take(64);
        let mut after = after.skip_while(|byte| byte.is_ascii_whitespace());
        let is_ended = match after.next() {
            Some(b'|') => true,
            Some(b'}') => after.next() == Some(&b'}'),
            _ => false,
        };
        self.templates > 0 && matches!(before, Some(b'=' | b'|')) && is_ended
    }

    fn note(&mut self, written: Written, kind: LinkKind) {
        let Written { range, is_placeholder } = written;
        let text = self.text.cut(range.clone());
        if is_placeholder {
            self.mentions.skip(range, kind, SkipReason::Placeholder);
        } else if text.contains("{{") {
            let means =
                SIGNS.iter().fold(unescaped(text).into_owned(), |text, (template, sign)| {
                    text.replace(template, sign)
                });
            self.mentions.link(range, kind, DestinationSyntax::Decoded(means));
        } else {
            self.mentions.link(range, kind, DestinationSyntax::Html);
        }
    }

    /// How far the address goes that begins at `start` and whose host is at `host`.
    fn written(&self, start: usize, host: usize, end: usize) -> Written {
        let text = self.text.cut(..end);
        let mut is_placeholder = false;
        let mut at = host;
        // An address by number has brackets of its own.
        if text.cut(host..).starts_with('[') {
            let number = text.cut(host..).bytes().take(64).position(|byte| byte == b']');
            at += number.map_or(0, |length| length + 1);
        }
        while let Some(letter) = text.cut(at..).chars().next() {
            let rest = text.cut(at..);
            if let Some(length) = sign(rest) {
                at += length;
            } else if rest.starts_with("{{") {
                let Some(length) = template(rest).filter(|_| self.belongs(host, at, rest)) else {
                    break;
                };
                is_placeholder = true;
                at += length;
            } else if self.ends(letter, rest) {
                break;
            } else {
                at += letter.len_utf8();
            }
        }
        Written { range: start..at, is_placeholder }
    }

    fn ends(&self, letter: char, rest: &str) -> bool {
        match letter {
            '|' => self.is_bar_special() || rest.starts_with("||"),
            '}' => self.templates > 0 && rest.starts_with("}}"),
            '\'' => rest.starts_with("''"),
            letter => letter.is_whitespace() || letter.is_control() || "[]<>\"".contains(letter),
        }
    }

    /// Whether a template is a part of the address before it, and not a remark
    /// on it such as `{{dead link}}`.
    fn belongs(&self, host: usize, at: usize, template: &str) -> bool {
        let inside = template.cut("{{".len()..);
        let name = inside.split(['}', '|', ':']).next().unwrap_or_default();
        let is_variable = inside.starts_with(['{', '#'])
            || (!name.is_empty() && !name.contains(|letter: char| letter.is_lowercase()))
            || inside.cut(name.len()..).starts_with(':');
        let is_open =
            at == host || self.text.cut(..at).ends_with(['/', '=', '?', '&', '-', '#', '.']);
        is_variable || is_open
    }
}

/// The length of `http://` or `https://`.
fn web_prefix(text: &str) -> Option<usize> {
    ["https://", "http://"]
        .into_iter()
        .find(|prefix| {
            text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
        })
        .map(str::len)
}

/// The length of a template that stands for a sign.
fn sign(text: &str) -> Option<usize> {
    let (template, _) = SIGNS.into_iter().find(|(template, _)| text.starts_with(template))?;
    Some(template.len())
}

/// The length of a template or parameter, with what is nested in it.
fn template(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().take(LONGEST_TEMPLATE).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}
