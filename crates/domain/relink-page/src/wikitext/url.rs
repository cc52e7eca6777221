//! URLs in MediaWiki markup: in brackets, as template parameters, or bare.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use super::WikitextParser;
use crate::bare_url::http_urls;
use crate::link_sink::{DestinationSyntax, unescape_attribute};
use crate::safe_slice::SafeSlice as _;

/// Schemes other than `http` and `https` that may start an external link.
const OTHER_SCHEMES: [&str; 8] =
    ["mailto:", "ftp://", "ftps://", "news:", "irc://", "ircs://", "tel:", "gemini://"];

/// Templates that stand for a character.
const CHARACTER_TEMPLATES: [(&str, &str); 3] = [("{{!}}", "|"), ("{{=}}", "="), ("{{pipe}}", "|")];

/// Maximum length of a template inside a URL.
const MAX_TEMPLATE: usize = 512;

/// Maximum length of an IPv6 address in brackets.
const MAX_IPV6_LITERAL: usize = 64;

/// Maximum number of white space characters around a parameter value.
const MAX_SPACE: usize = 64;

/// Maximum length of a scheme that is recognized before a colon. A longer one is not `https`.
const MAX_SCHEME: usize = 6;

/// Range of a URL.
struct UrlSpan {
    range: Range<usize>,
    /// Whether the URL contains a template that is not expanded.
    is_placeholder: bool,
}

impl WikitextParser<'_> {
    /// Parses `[url text]`; `start` is the offset after the bracket.
    pub(super) fn parse_external_link(&mut self, start: usize, end: usize) -> Option<usize> {
        let rest = self.text.slice(start..end);
        let host = web_prefix(rest).or_else(|| rest.starts_with("//").then_some("//".len()));
        let other = OTHER_SCHEMES.iter().find(|scheme| {
            rest.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        });
        let prefix = host.or(other.map(|scheme| scheme.len()))?;
        let url = self.scan_url(start, start + prefix, end);
        let is_link = url.range.end > start + prefix && self.closes_in_line(url.range.end);
        if !is_link {
            return None;
        }
        let next = url.range.end;
        self.add_link(url, LinkKind::Hyperlink);
        Some(next)
    }

    /// Parses the URL around the `://` at `colon`. Returns the end of the URL.
    pub(super) fn scan_colon(&mut self, colon: usize, part: Range<usize>) -> Option<usize> {
        let text = self.text;
        if !text.slice(colon..part.end).starts_with("://") {
            return None;
        }
        let before = text.as_bytes().slice(part.start..colon);
        let letters =
            before.iter().rev().take(MAX_SCHEME).take_while(|byte| byte.is_ascii_alphanumeric());
        let start = colon - letters.count();
        let host = start + web_prefix(text.slice(start..part.end))?;
        let is_host = text
            .slice(host..part.end)
            .starts_with(|first: char| first.is_alphanumeric() || matches!(first, '[' | '{'));
        if host != colon + "://".len() || !is_host || text.slice(..start).ends_with('+') {
            return None;
        }
        let url = self.scan_url(start, host, part.end);
        let next = url.range.end;
        if self.is_parameter_value(&url.range, part.end) {
            self.add_link(url, LinkKind::Value);
        } else {
            self.add_bare_url(url);
        }
        Some(next.max(host))
    }

    /// Adds a bare URL without trailing punctuation.
    fn add_bare_url(&mut self, url: UrlSpan) {
        if url.is_placeholder {
            self.add_link(url, LinkKind::BareUrl);
        } else if let Some(range) = http_urls(self.text, url.range).next() {
            self.add_link(UrlSpan { range, is_placeholder: false }, LinkKind::BareUrl);
        }
    }

    /// Whether the URL is the whole value of a template parameter.
    fn is_parameter_value(&self, range: &Range<usize>, end: usize) -> bool {
        let mut bytes_before =
            self.text.as_bytes().slice(..range.start).iter().rev().take(MAX_SPACE);
        let before = bytes_before.find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let after = self.text.as_bytes().slice(range.end..end).iter().take(MAX_SPACE);
        let mut after = after.skip_while(|byte| byte.is_ascii_whitespace());
        let is_ended = match after.next() {
            Some(b'|') => true,
            Some(b'}') => after.next() == Some(&b'}'),
            _ => false,
        };
        self.open_templates > 0 && matches!(before, Some(b'=' | b'|')) && is_ended
    }

    /// Adds a URL; a URL with a template that is not expanded is skipped.
    fn add_link(&mut self, url: UrlSpan, kind: LinkKind) {
        let UrlSpan { range, is_placeholder } = url;
        let text = self.text.slice(range.clone());
        if is_placeholder {
            self.candidates.push_skipped(range, kind, SkipReason::Placeholder);
        } else if text.contains("{{") {
            let mut decoded = unescape_attribute(text).into_owned();
            for (template, character) in CHARACTER_TEMPLATES {
                decoded = decoded.replace(template, character);
            }
            self.candidates.push_link(range, kind, DestinationSyntax::Decoded(decoded));
        } else {
            self.candidates.push_link(range, kind, DestinationSyntax::Html);
        }
    }

    /// Finds the end of the URL that starts at `start` and has its host at
    /// `host`.
    fn scan_url(&self, start: usize, host: usize, end: usize) -> UrlSpan {
        let text = self.text.slice(..end);
        let mut is_placeholder = false;
        let mut at = host;
        // An IPv6 address is in brackets.
        if text.slice(host..).starts_with('[') {
            let mut address = text.slice(host..).bytes().take(MAX_IPV6_LITERAL);
            let closing = address.position(|byte| byte == b']');
            at += closing.map_or(0, |at| at + 1);
        }
        while let Some(character) = text.slice(at..).chars().next() {
            let rest = text.slice(at..);
            if let Some(length) = character_template_length(rest) {
                at += length;
            } else if rest.starts_with("{{") {
                let Some(length) =
                    template_length(rest).filter(|_| self.is_part_of_url(host, at, rest))
                else {
                    break;
                };
                is_placeholder = true;
                at += length;
            } else if self.ends_url(character, rest) {
                break;
            } else {
                at += character.len_utf8();
            }
        }
        UrlSpan { range: start..at, is_placeholder }
    }

    fn ends_url(&self, character: char, rest: &str) -> bool {
        match character {
            '|' => self.pipe_ends_url() || rest.starts_with("||"),
            '}' => self.open_templates > 0 && rest.starts_with("}}"),
            '\'' => rest.starts_with("''"),
            character => {
                character.is_whitespace() || character.is_control() || "[]<>\"".contains(character)
            }
        }
    }

    /// Whether a template is part of the URL before it and not a remark such as
    /// `{{dead link}}`.
    fn is_part_of_url(&self, host: usize, at: usize, template: &str) -> bool {
        let inside = template.slice("{{".len()..);
        let name = inside.split(['}', '|', ':']).next().unwrap_or_default();
        let is_variable = inside.starts_with(['{', '#'])
            || (!name.is_empty() && !name.contains(|character: char| character.is_lowercase()))
            || inside.slice(name.len()..).starts_with(':');
        // The URL before the template is not complete.
        let expects_more =
            at == host || self.text.slice(..at).ends_with(['/', '=', '?', '&', '-', '#', '.']);
        is_variable || expects_more
    }
}

/// Returns the length of `http://` or `https://`.
fn web_prefix(text: &str) -> Option<usize> {
    ["https://", "http://"]
        .into_iter()
        .find(|prefix| {
            text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
        })
        .map(str::len)
}

/// Returns the length of a template that stands for a character.
fn character_template_length(text: &str) -> Option<usize> {
    let (template, _) =
        CHARACTER_TEMPLATES.into_iter().find(|(template, _)| text.starts_with(template))?;
    Some(template.len())
}

/// Returns the length of a template or parameter, including nested templates.
fn template_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().take(MAX_TEMPLATE).enumerate() {
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
