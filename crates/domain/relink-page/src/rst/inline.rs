//! Inline markup: references, roles, literals and bare URLs.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};
use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use super::directive::{explicit_target, in_angle_brackets};
use super::target::{decode_url, reference_name};
use crate::bare_url::http_urls;
use crate::link_sink::DestinationSyntax;
use crate::safe_slice::SafeSlice as _;

/// Maximum length of the name of a role or simple reference.
const MAX_NAME: usize = 128;

/// Roles whose content is not parsed as text.
const CODE_ROLES: [&str; 8] =
    ["code", "literal", "math", "samp", "command", "file", "kbd", "raw-html"];

/// The suffix after text in backquotes.
enum Suffix {
    None,
    /// `_`: a reference to the target with this name.
    Reference,
    /// `__`: a reference to the next target without a name.
    Anonymous,
    /// A role; holds the length of the suffix.
    Role(usize),
}

impl RstParser<'_> {
    /// Parses a range of running text.
    pub(super) fn parse_inline(&mut self, part: Range<usize>) {
        let mut at = part.start;
        while let Some(backquote) = self.find_backquote(at..part.end) {
            self.parse_plain(at..backquote);
            let after = self.text.slice(backquote..part.end);
            at = backquote + 1;
            if after.starts_with("``") {
                let inside = backquote + "``".len();
                let bytes = self.text.as_bytes().slice(inside..part.end);
                let length = memmem::find(bytes, b"``");
                at = length.map_or(inside, |length| inside + length + "``".len());
                self.candidates.push_skipped_urls(inside..at, SkipReason::Code);
            } else if !after.slice(1..).starts_with(char::is_whitespace)
                && let Some(close) = self.find_backquote(backquote + 1..part.end)
            {
                at = self.parse_interpreted_text(backquote + 1..close, part.end);
            }
        }
        self.parse_plain(at..part.end);
    }

    /// Returns the next backquote that is not escaped.
    fn find_backquote(&self, part: Range<usize>) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut from = part.start;
        loop {
            let backquote = from + memchr(b'`', bytes.get(from..part.end)?)?;
            let escapes =
                bytes.slice(part.start..backquote).iter().rev().take_while(|byte| **byte == b'\\');
            if escapes.count() % 2 == 0 {
                return Some(backquote);
            }
            from = backquote + 1;
        }
    }

    /// Parses text in backquotes and returns the end of the construct.
    fn parse_interpreted_text(&mut self, inside: Range<usize>, end: usize) -> usize {
        let after = inside.end + 1;
        let suffix = parse_suffix(self.text.slice(after..end));
        if let Some(role) = self.role_before(inside.start - 1) {
            self.add_role(role, inside);
            return after;
        }
        match suffix {
            Suffix::None => self.candidates.push_skipped_urls(inside, SkipReason::Code),
            Suffix::Role(length) => {
                self.add_role(after + 1..after + length - 1, inside);
                return after + length;
            }
            Suffix::Reference | Suffix::Anonymous => {
                self.add_reference(inside, matches!(suffix, Suffix::Anonymous));
                return after + 1;
            }
        }
        after
    }

    /// Returns the name of the role in `` :name:`…` ``, whose backquote is at
    /// `backquote`.
    fn role_before(&self, backquote: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes().slice(..backquote);
        let before_colon = bytes.strip_suffix(b":")?;
        let length = before_colon
            .iter()
            .rev()
            .take(MAX_NAME)
            .take_while(|byte| is_role_byte(**byte))
            .count();
        let name = before_colon.len() - length..before_colon.len();
        let inside = self.text.slice(name.clone()).strip_prefix(':')?;
        (!inside.is_empty()).then_some(name.start + 1..name.end)
    }

    /// Adds the URL or the name in `` `text <url>`_ ``, or the name in `` `name`_ ``.
    fn add_reference(&mut self, inside: Range<usize>, is_anonymous: bool) {
        if let Some(cell) = table_cell(self.text, inside.clone()) {
            if let Some(url) = in_angle_brackets(&cell, 0..cell.len()) {
                let url = decode_url(cell.slice(url));
                let syntax = DestinationSyntax::Decoded(url);
                self.candidates.push_link(inside, LinkKind::Hyperlink, syntax);
            }
            return;
        }
        match in_angle_brackets(self.text, inside.clone()) {
            Some(url) => match reference_name(self.text.slice(url.clone())) {
                Some(name) => self.targets.add_reference(name),
                None => self.add_url(url, LinkKind::Hyperlink),
            },
            None if is_anonymous => self.targets.add_anonymous_reference(),
            None => self.targets.add_reference(self.text.slice(inside)),
        }
    }

    /// Adds the content of `` :role:`…` ``, which may be `text <target>`.
    fn add_role(&mut self, role: Range<usize>, inside: Range<usize>) {
        let target = explicit_target(self.text, inside.clone()).unwrap_or(inside.clone());
        let raw = self.text.slice(target.clone());
        // In Sphinx, `!` means that the text is not a link.
        if raw.is_empty() || raw.starts_with('!') {
            return;
        }
        let role = self.text.slice(role);
        match role.rsplit(':').next().unwrap_or_default() {
            // A page or label of another project.
            "doc" | "ref" | "numref" if role.starts_with("external") => {}
            "doc" => {
                self.candidates.push_link(target, LinkKind::Reference, DestinationSyntax::Name);
            }
            "ref" | "numref" => {
                let syntax = DestinationSyntax::Decoded(format!("#{}", decode_url(raw)));
                self.candidates.push_link(target, LinkKind::Reference, syntax);
            }
            "download" => self.add_url(target, LinkKind::Reference),
            role if CODE_ROLES.contains(&role) => {
                self.candidates.push_skipped_urls(inside, SkipReason::Code);
            }
            _ => self.add_bare_urls(inside),
        }
    }

    /// Parses text without backquotes.
    fn parse_plain(&mut self, part: Range<usize>) {
        self.add_bare_urls(part.clone());
        if self.targets.may_exist {
            self.add_simple_references(part);
        }
    }

    fn add_bare_urls(&mut self, part: Range<usize>) {
        let text = self.text;
        for range in http_urls(text, part) {
            let raw = text.slice(range.clone());
            if text.slice(..range.start).ends_with('\\') {
                self.candidates.push_skipped(range, LinkKind::BareUrl, SkipReason::Code);
            } else if raw.contains('\\') {
                let syntax = DestinationSyntax::Decoded(decode_url(raw));
                self.candidates.push_link(range, LinkKind::BareUrl, syntax);
            } else {
                self.candidates.push_link(range, LinkKind::BareUrl, DestinationSyntax::Plain);
            }
        }
    }

    /// Records references of one word: `name_`, `name__` and `|name|_`.
    fn add_simple_references(&mut self, part: Range<usize>) {
        let text = self.text;
        let mut end = part.start;
        for offset in memchr_iter(b'_', text.as_bytes().slice(part.clone())) {
            let at = part.start + offset;
            let after = text.slice(at + 1..part.end);
            let is_anonymous = after.starts_with('_');
            let rest = after.slice(usize::from(is_anonymous)..);
            // An underscore inside of a word does not end a reference.
            let ends_word = !rest.starts_with(is_word_character);
            if at < end || !ends_word {
                continue;
            }
            let Some(name) = word_before(text, part.start..at) else { continue };
            end = at + 1 + usize::from(is_anonymous);
            if is_anonymous {
                self.targets.add_anonymous_reference();
            } else {
                self.targets.add_reference(name);
            }
        }
    }
}

/// Returns a text that spans several lines of the cell of a table, without the other columns;
/// `None` if it is not in a table.
fn table_cell(text: &str, inside: Range<usize>) -> Option<String> {
    let (first, rest) = text.slice(inside.clone()).split_once('\n')?;
    let before = text.slice(..inside.start);
    let line = before.slice(before.rfind('\n').map_or(0, |at| at + 1)..);
    if !line.trim_start().starts_with('|') || !first.contains('|') {
        return None;
    }
    let column = line.slice(..line.rfind('|')? + 1).chars().count();
    let mut cell = first.split('|').next()?.trim_end().to_owned();
    for line in rest.lines() {
        let part: String = line.chars().skip(column).take_while(|letter| *letter != '|').collect();
        cell.push_str(part.trim());
    }
    Some(cell)
}

/// Returns the suffix at the start of the text after the closing backquote.
fn parse_suffix(after: &str) -> Suffix {
    if let Some(rest) = after.strip_prefix("__")
        && !rest.starts_with(is_word_character)
    {
        return Suffix::Anonymous;
    }
    if let Some(rest) = after.strip_prefix('_')
        && !rest.starts_with(is_word_character)
    {
        return Suffix::Reference;
    }
    let Some(rest) = after.strip_prefix(':') else { return Suffix::None };
    let length = rest.bytes().take(MAX_NAME).take_while(|byte| is_role_byte(*byte)).count();
    let name = rest.slice(..length);
    if name.len() > 1 && name.ends_with(':') { Suffix::Role(length + 1) } else { Suffix::None }
}

fn is_role_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":-_.+".contains(&byte)
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric()
}

/// Returns the word or `|substitution|` at the end of `part`.
fn word_before(text: &str, part: Range<usize>) -> Option<&str> {
    let raw = text.slice(part);
    let mut from = raw.len().saturating_sub(MAX_NAME);
    while !raw.is_char_boundary(from) {
        from += 1;
    }
    let tail = raw.slice(from..);
    if let Some(inside) = tail.strip_suffix('|') {
        return Some(inside.slice(inside.rfind('|')? + 1..));
    }
    let belongs = |character: char| character.is_alphanumeric() || "-_.+:".contains(character);
    let name = tail.slice(tail.trim_end_matches(belongs).len()..);
    let name = name.trim_start_matches(|character: char| !character.is_alphanumeric());
    name.ends_with(is_word_character).then_some(name)
}
