//! Hyperlink targets: names for addresses, and who refers to them.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem;
use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use crate::cut::{ByteAt as _, Cut as _};
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;

/// An address with its names, or with none, for the next anonymous reference.
struct Target {
    names: Vec<String>,
    range: Range<usize>,
    means: String,
}

/// The targets of a document and the references to them.
pub(super) struct Targets {
    /// Whether there may be any; else nobody needs to note references.
    pub(super) may_exist: bool,
    list: Vec<Target>,
    /// Names just before, which stand for the next target.
    chain: Vec<String>,
    referred: HashSet<String>,
    anonymous_references: usize,
}

impl Targets {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let may_exist =
            memmem::find(bytes, b".. _").is_some() || memmem::find(bytes, b"__ ").is_some();
        let (list, chain, referred) = (Vec::new(), Vec::new(), HashSet::new());
        Self { may_exist, list, chain, referred, anonymous_references: 0 }
    }

    /// Notes a reference to a name.
    pub(super) fn refer(&mut self, name: &str) {
        if self.may_exist {
            self.referred.insert(normal(name));
        }
    }

    /// Notes a reference to the next target without a name.
    pub(super) fn refer_to_next(&mut self) {
        self.anonymous_references += 1;
    }

    /// Something stands between the last name and the next target.
    pub(super) fn end_chain(&mut self) {
        self.chain.clear();
    }

    /// Notes every target, those nobody refers to as such.
    pub(super) fn report(self, mentions: &mut LinkCandidates<'_>) {
        let mut anonymous = 0;
        for Target { names, range, means } in self.list {
            let is_used = if names.is_empty() {
                anonymous += 1;
                anonymous <= self.anonymous_references
            } else {
                names.iter().any(|name| self.referred.contains(name))
            };
            let means = DestinationSyntax::Decoded(means);
            if is_used {
                mentions.link(range, LinkKind::Definition, means);
            } else {
                mentions.skip_as(range, LinkKind::Definition, means, SkipReason::Unused);
            }
        }
    }
}

impl RstParser<'_> {
    /// Takes in `_name: address` or `__: address`.
    pub(super) fn named_target(&mut self, rest: Range<usize>, column: usize) {
        let written = self.text.cut(rest.clone());
        if let Some(after) = written.strip_prefix("__:") {
            self.target(rest.end - after.len()..rest.end, column, None);
        } else if let Some((name, length)) = name(written.cut(1..)) {
            let name = normal(name);
            self.target(rest.start + 1 + length..rest.end, column, Some(name));
        } else {
            self.comment(rest, column);
        }
    }

    /// Takes in a target whose address begins in `rest`.
    pub(super) fn target(&mut self, rest: Range<usize>, column: usize, name: Option<String>) {
        let end = self.continued(rest.end, column, |_| true);
        let address = crate::list::trim(self.text, rest.start..end);
        let written = self.text.cut(address.clone());
        if let Some(other) = reference(written) {
            self.targets.refer(other);
        } else if written.is_empty() {
            self.targets.chain.extend(name);
            return;
        } else {
            let mut names = std::mem::take(&mut self.targets.chain);
            let is_anonymous = name.is_none();
            names.extend(name);
            if is_anonymous {
                names.clear();
            }
            let means = meaning(written);
            self.targets.list.push(Target { names, range: address, means });
        }
        self.targets.end_chain();
    }
}

/// The name before the colon, in backquotes or plain, and the length of both.
fn name(written: &str) -> Option<(&str, usize)> {
    if let Some(quoted) = written.strip_prefix('`') {
        let end = quoted.find("`:")?;
        return Some((quoted.cut(..end), end + "``:".len()));
    }
    let bytes = written.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes.byte(at) {
            b'\\' => at += 1,
            b':' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {
                return Some((written.cut(..at), at + 1));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The name a text refers to, if it is `name_` or `` `phrase`_ `` and nothing more.
pub(super) fn reference(written: &str) -> Option<&str> {
    let name = written.strip_suffix('_')?;
    if let Some(phrase) = name.strip_prefix('`') {
        return phrase.strip_suffix('`');
    }
    let is_simple = name.chars().all(|letter| letter.is_alphanumeric() || "-_.+:".contains(letter));
    (is_simple && !name.is_empty() && !name.ends_with('_')).then_some(name)
}

/// What an address means: without white space, and with escapes resolved.
pub(super) fn meaning(written: &str) -> String {
    let mut letters = written.chars();
    let mut means = String::with_capacity(written.len());
    while let Some(letter) = letters.next() {
        let letter = if letter == '\\' { letters.next() } else { Some(letter) };
        means.extend(letter.filter(|letter| !letter.is_whitespace()));
    }
    means
}

/// A name as it is compared: in lower case, white space folded.
fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.extend(word.chars().filter(|letter| *letter != '\\').flat_map(char::to_lowercase));
    }
    normal
}
