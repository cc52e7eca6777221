//! Inline markup: references, roles, literals, and addresses as they stand.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};
use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use super::directive::pointed;
use super::target::{meaning, reference};
use crate::bare::http_addresses;
use crate::cut::Cut as _;
use crate::link_sink::DestinationSyntax;

/// How far back the name of a role or a simple reference is looked for.
const LONGEST_NAME: usize = 128;

/// Roles whose content is not read as text.
const CODE_ROLES: [&str; 8] =
    ["code", "literal", "math", "samp", "command", "file", "kbd", "raw-html"];

/// What follows a text in backquotes.
enum Suffix {
    None,
    Reference,
    Anonymous,
    Role(usize),
}

impl RstParser<'_> {
    /// Reads a part of running text.
    pub(super) fn inline(&mut self, part: Range<usize>) {
        let mut at = part.start;
        while let Some(tick) = self.find_tick(at..part.end) {
            self.plain(at..tick);
            let after = self.text.cut(tick..part.end);
            at = tick + 1;
            if after.starts_with("``") {
                let inside = tick + "``".len();
                let bytes = self.text.as_bytes().cut(inside..part.end);
                let length = memmem::find(bytes, b"``");
                at = length.map_or(inside, |length| inside + length + "``".len());
                self.mentions.pass_over(inside..at, SkipReason::Code);
            } else if !after.cut(1..).starts_with(char::is_whitespace)
                && let Some(close) = self.find_tick(tick + 1..part.end)
            {
                at = self.interpreted(tick + 1..close, part.end);
            }
        }
        self.plain(at..part.end);
    }

    /// The next backquote that is not escaped.
    fn find_tick(&self, part: Range<usize>) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut from = part.start;
        loop {
            let tick = from + memchr(b'`', bytes.get(from..part.end)?)?;
            let escapes =
                bytes.cut(part.start..tick).iter().rev().take_while(|byte| **byte == b'\\');
            if escapes.count() % 2 == 0 {
                return Some(tick);
            }
            from = tick + 1;
        }
    }

    /// Takes in a text in backquotes; returns where what belongs to it ends.
    fn interpreted(&mut self, inside: Range<usize>, end: usize) -> usize {
        let after = inside.end + 1;
        let suffix = suffix(self.text.cut(after..end));
        if let Some(role) = self.role_before(inside.start - 1) {
            self.role(role, inside);
            return after;
        }
        match suffix {
            Suffix::None => self.mentions.pass_over(inside, SkipReason::Code),
            Suffix::Role(length) => {
                self.role(after + 1..after + length - 1, inside);
                return after + length;
            }
            Suffix::Reference | Suffix::Anonymous => {
                self.reference(inside, matches!(suffix, Suffix::Anonymous));
                return after + 1;
            }
        }
        after
    }

    /// The name of the role in `` :name:`…` ``, whose backquote is at `tick`.
    fn role_before(&self, tick: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes().cut(..tick);
        let colon = bytes.strip_suffix(b":")?;
        let length =
            colon.iter().rev().take(LONGEST_NAME).take_while(|byte| is_role_byte(**byte)).count();
        let name = colon.len() - length..colon.len();
        let inside = self.text.cut(name.clone()).strip_prefix(':')?;
        (!inside.is_empty()).then_some(name.start + 1..name.end)
    }

    fn reference(&mut self, inside: Range<usize>, is_anonymous: bool) {
        match pointed(self.text, inside.clone()) {
            Some(address) => match reference(self.text.cut(address.clone())) {
                Some(name) => self.targets.refer(name),
                None => self.address(address, LinkKind::Hyperlink),
            },
            None if is_anonymous => self.targets.refer_to_next(),
            None => self.targets.refer(self.text.cut(inside)),
        }
    }

    fn role(&mut self, role: Range<usize>, inside: Range<usize>) {
        let target = pointed(self.text, inside.clone()).unwrap_or(inside.clone());
        let written = self.text.cut(target.clone());
        if written.is_empty() || written.starts_with('!') {
            return;
        }
        match self.text.cut(role).rsplit(':').next().unwrap_or_default() {
            "doc" => self.mentions.link(target, LinkKind::Reference, DestinationSyntax::Name),
            "ref" | "numref" => {
                let means = DestinationSyntax::Decoded(format!("#{}", meaning(written)));
                self.mentions.link(target, LinkKind::Reference, means);
            }
            "download" => self.address(target, LinkKind::Reference),
            role if CODE_ROLES.contains(&role) => {
                self.mentions.pass_over(inside, SkipReason::Code);
            }
            _ => self.addresses(inside),
        }
    }

    /// Reads text without backquotes.
    fn plain(&mut self, part: Range<usize>) {
        self.addresses(part.clone());
        if self.targets.may_exist {
            self.simple_references(part);
        }
    }

    fn addresses(&mut self, part: Range<usize>) {
        let text = self.text;
        for range in http_addresses(text, part) {
            let written = text.cut(range.clone());
            if text.cut(..range.start).ends_with('\\') {
                self.mentions.skip(range, LinkKind::BareUrl, SkipReason::Code);
            } else if written.contains('\\') {
                let means = DestinationSyntax::Decoded(meaning(written));
                self.mentions.link(range, LinkKind::BareUrl, means);
            } else {
                self.mentions.link(range, LinkKind::BareUrl, DestinationSyntax::Plain);
            }
        }
    }

    /// Notes references of one word: `name_`, `name__` and `|name|_`.
    fn simple_references(&mut self, part: Range<usize>) {
        let text = self.text;
        let mut end = part.start;
        for at in memchr_iter(b'_', text.as_bytes().cut(part.clone())) {
            let at = part.start + at;
            let after = text.cut(at + 1..part.end);
            let is_anonymous = after.starts_with('_');
            let is_last = !after.cut(usize::from(is_anonymous)..).starts_with(is_word);
            if at < end || !is_last {
                continue;
            }
            let Some(name) = word_before(text, part.start..at) else { continue };
            end = at + 1 + usize::from(is_anonymous);
            if is_anonymous {
                self.targets.refer_to_next();
            } else {
                self.targets.refer(name);
            }
        }
    }
}

fn suffix(after: &str) -> Suffix {
    if let Some(rest) = after.strip_prefix("__")
        && !rest.starts_with(is_word)
    {
        return Suffix::Anonymous;
    }
    if let Some(rest) = after.strip_prefix('_')
        && !rest.starts_with(is_word)
    {
        return Suffix::Reference;
    }
    let Some(rest) = after.strip_prefix(':') else { return Suffix::None };
    let length = rest.bytes().take(LONGEST_NAME).take_while(|byte| is_role_byte(*byte)).count();
    let name = rest.cut(..length);
    if name.len() > 1 && name.ends_with(':') { Suffix::Role(length + 1) } else { Suffix::None }
}

fn is_role_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":-_.+".contains(&byte)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric()
}

/// The word or `|substitution|` that ends where `part` does.
fn word_before(text: &str, part: Range<usize>) -> Option<&str> {
    let written = text.cut(part);
    let mut from = written.len().saturating_sub(LONGEST_NAME);
    while !written.is_char_boundary(from) {
        from += 1;
    }
    let near = written.cut(from..);
    if let Some(inside) = near.strip_suffix('|') {
        return Some(inside.cut(inside.rfind('|')? + 1..));
    }
    let belongs = |letter: char| letter.is_alphanumeric() || "-_.+:".contains(letter);
    let name = near.cut(near.trim_end_matches(belongs).len()..);
    let name = name.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    name.ends_with(is_word).then_some(name)
}
