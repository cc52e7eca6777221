//! Hyperlink targets (`.. _name: url`) and references to targets (`name_`).

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem;
use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;
use crate::safe_slice::{ByteAt as _, SafeSlice as _};

/// A URL and its names. A target without a name belongs to an anonymous reference.
struct Target {
    names: Vec<String>,
    range: Range<usize>,
    url: String,
}

/// The hyperlink targets and references of a document.
pub(super) struct Targets {
    /// Whether the document may contain targets. If not, references are not
    /// recorded.
    pub(super) may_exist: bool,
    list: Vec<Target>,
    /// Names of the preceding targets without a URL, which share the next URL.
    pending_names: Vec<String>,
    referenced_names: HashSet<String>,
    anonymous_references: usize,
}

impl Targets {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let may_exist =
            memmem::find(bytes, b".. _").is_some() || memmem::find(bytes, b"__ ").is_some();
        Self {
            may_exist,
            list: Vec::new(),
            pending_names: Vec::new(),
            referenced_names: HashSet::new(),
            anonymous_references: 0,
        }
    }

    /// Records a reference to a name.
    pub(super) fn add_reference(&mut self, name: &str) {
        if self.may_exist {
            self.referenced_names.insert(normalize_name(name));
        }
    }

    /// Records a reference to the next anonymous target.
    pub(super) fn add_anonymous_reference(&mut self) {
        self.anonymous_references += 1;
    }

    /// Clears the names without a URL, because text precedes the next target.
    pub(super) fn clear_pending_names(&mut self) {
        self.pending_names.clear();
    }

    /// Adds all targets as candidates. Unused targets are skipped.
    pub(super) fn report(self, candidates: &mut LinkCandidates<'_>) {
        let mut anonymous = 0;
        for Target { names, range, url } in self.list {
            let is_used = if names.is_empty() {
                anonymous += 1;
                anonymous <= self.anonymous_references
            } else {
                names.iter().any(|name| self.referenced_names.contains(name))
            };
            let syntax = DestinationSyntax::Decoded(url);
            if is_used {
                candidates.push_link(range, LinkKind::Definition, syntax);
            } else {
                candidates.push_skipped_as(range, LinkKind::Definition, syntax, SkipReason::Unused);
            }
        }
    }
}

impl RstParser<'_> {
    /// Parses `_name: url` or `__: url`.
    pub(super) fn parse_named_target(&mut self, rest: Range<usize>, column: usize) {
        let raw = self.text.slice(rest.clone());
        if let Some(after) = raw.strip_prefix("__:") {
            self.parse_target(rest.end - after.len()..rest.end, column, None);
        } else if let Some((name, length)) = parse_name(raw.slice(1..)) {
            let name = normalize_name(name);
            self.parse_target(rest.start + 1 + length..rest.end, column, Some(name));
        } else {
            self.skip_comment(rest, column);
        }
    }

    /// Parses a target whose URL starts in `rest`.
    pub(super) fn parse_target(&mut self, rest: Range<usize>, column: usize, name: Option<String>) {
        let end = self.continuation_end(rest.end, column, |_| true);
        let range = crate::list::trim_range(self.text, rest.start..end);
        let raw = self.text.slice(range.clone());
        if let Some(other) = reference_name(raw) {
            self.targets.add_reference(other);
        } else if raw.is_empty() {
            self.targets.pending_names.extend(name);
            return;
        } else {
            let mut names = std::mem::take(&mut self.targets.pending_names);
            let is_anonymous = name.is_none();
            names.extend(name);
            // Names before an anonymous target do not apply to its URL.
            if is_anonymous {
                names.clear();
            }
            self.targets.list.push(Target { names, range, url: decode_url(raw) });
        }
        self.targets.clear_pending_names();
    }
}

/// Parses the name before the colon, which may be in backquotes. Returns the
/// name and the length including the colon.
fn parse_name(raw: &str) -> Option<(&str, usize)> {
    if let Some(quoted) = raw.strip_prefix('`') {
        let end = quoted.find("`:")?;
        return Some((quoted.slice(..end), end + "``:".len()));
    }
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes.byte(at) {
            b'\\' => at += 1,
            b':' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {
                return Some((raw.slice(..at), at + 1));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the referenced name if the text is only `name_` or `` `phrase`_ ``.
pub(super) fn reference_name(raw: &str) -> Option<&str> {
    let name = raw.strip_suffix('_')?;
    if let Some(phrase) = name.strip_prefix('`') {
        return phrase.strip_suffix('`');
    }
    let is_simple =
        name.chars().all(|character| character.is_alphanumeric() || "-_.+: ".contains(character));
    (is_simple && !name.is_empty() && !name.ends_with('_')).then_some(name)
}

/// Decodes a URL: removes white space and resolves escapes.
pub(super) fn decode_url(raw: &str) -> String {
    let mut characters = raw.chars();
    let mut decoded = String::with_capacity(raw.len());
    while let Some(character) = characters.next() {
        let character = if character == '\\' { characters.next() } else { Some(character) };
        decoded.extend(character.filter(|character| !character.is_whitespace()));
    }
    decoded
}

/// Normalizes a name for comparison: lower case, single spaces.
fn normalize_name(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.extend(
            word.chars().filter(|character| *character != '\\').flat_map(char::to_lowercase),
        );
    }
    normal
}
