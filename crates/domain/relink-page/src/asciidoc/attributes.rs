//! Document attributes: `:name: value`, referenced as `{name}`.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memchr;
use relink_model::{LinkKind, SkipReason};

use super::AsciiDocParser;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;

/// Maximum length of an attribute value in bytes.
const MAX_VALUE: usize = 8 * 1024;

/// Number of bytes that substitution may add to destinations, per byte of the document.
/// Without a limit, nested attributes would grow exponentially.
const GROWTH_PER_BYTE: usize = 4;

/// A line that sets or unsets an attribute.
pub(super) struct Definition<'l> {
    name: &'l str,
    /// Range of the value in the line; `None` if the line unsets the attribute.
    value: Option<Range<usize>>,
}

/// An attribute definition whose value is a URL.
struct UrlAttribute {
    range: Range<usize>,
    url: String,
    /// Whether a destination consists of this attribute alone.
    is_destination: bool,
    /// Whether the document references the attribute.
    is_used: bool,
}

/// The current value of an attribute.
struct Attribute {
    value: String,
    /// Index into `Attributes::urls` if the value is a URL.
    url_index: Option<usize>,
}

/// The attributes of a document.
pub(super) struct Attributes {
    current: HashMap<String, Attribute>,
    urls: Vec<UrlAttribute>,
    /// Number of bytes that further substitutions may add to destinations.
    growth_budget: usize,
}

/// Text after attribute substitution.
pub(super) enum AttributeValue {
    Known(String),
    /// The text references an undefined attribute, or is too long.
    Unknown,
}

impl Attributes {
    pub(super) fn new(length: usize) -> Self {
        let growth_budget = length.saturating_mul(GROWTH_PER_BYTE).saturating_add(MAX_VALUE);
        Self { current: HashMap::new(), urls: Vec::new(), growth_budget }
    }

    /// Returns the value of an attribute.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.current.get(&name.to_ascii_lowercase()).map(|attribute| attribute.value.as_str())
    }

    /// Records a reference to an attribute. `is_destination` means that a
    /// destination consists of the attribute alone. Returns whether the link is
    /// reported at the definition.
    pub(super) fn mark_used(&mut self, name: &str, is_destination: bool) -> bool {
        let attribute = self.current.get(&name.to_ascii_lowercase());
        let Some(index) = attribute.and_then(|attribute| attribute.url_index) else {
            return false;
        };
        let Some(url) = self.urls.get_mut(index) else { return false };
        url.is_used = true;
        url.is_destination |= is_destination;
        true
    }

    /// Substitutes the attributes of a text.
    pub(super) fn resolve(&mut self, text: &str) -> AttributeValue {
        let (mut output, mut rest) = (String::new(), text);
        while let Some(open) = memchr(b'{', rest.as_bytes()) {
            output.push_str(rest.slice(..open));
            rest = rest.slice(open..);
            let Some(name) = reference(rest) else {
                output.push('{');
                rest = rest.slice(1..);
                continue;
            };
            rest = rest.slice(name.len() + "{}".len()..);
            self.mark_used(name, false);
            match self.current.get(&name.to_ascii_lowercase()) {
                Some(attribute) if output.len() + attribute.value.len() <= MAX_VALUE => {
                    output.push_str(&attribute.value);
                }
                _ => return AttributeValue::Unknown,
            }
        }
        output.push_str(rest);
        let growth = output.len().saturating_sub(text.len());
        if growth > self.growth_budget {
            return AttributeValue::Unknown;
        }
        self.growth_budget -= growth;
        AttributeValue::Known(output)
    }

    /// Adds the URLs of attributes that are a whole destination as links, and the URLs
    /// of attributes that are never referenced as skipped. Other URLs are part of a
    /// longer destination, which is a link itself.
    pub(super) fn report(self, candidates: &mut LinkCandidates<'_>) {
        for UrlAttribute { range, url, is_destination, is_used } in self.urls {
            let syntax = DestinationSyntax::Decoded(url);
            if is_destination {
                candidates.push_link(range, LinkKind::Definition, syntax);
            } else if !is_used {
                candidates.push_skipped_as(range, LinkKind::Definition, syntax, SkipReason::Unused);
            }
        }
    }
}

impl AsciiDocParser<'_> {
    /// Sets or unsets an attribute. The line of the definition starts at
    /// `start`.
    pub(super) fn define_attribute(&mut self, definition: &Definition<'_>, start: usize) {
        let name = definition.name.to_ascii_lowercase();
        let Some(value) = definition.value.clone() else {
            self.attributes.current.remove(&name);
            return;
        };
        let range = trim_range(self.text, start + value.start..start + value.end);
        let raw = self.text.slice(range.clone());
        let value = match self.attributes.resolve(raw) {
            AttributeValue::Known(value) => value,
            AttributeValue::Unknown => {
                self.attributes.current.remove(&name);
                return;
            }
        };
        let is_url = starts_with_web_scheme(&value) && !value.contains(char::is_whitespace);
        let url_index = is_url.then(|| {
            self.attributes.urls.push(UrlAttribute {
                range: range.clone(),
                url: value.clone(),
                is_destination: false,
                is_used: false,
            });
            self.attributes.urls.len() - 1
        });
        if !is_url {
            self.parse_inline(range);
        }
        self.attributes.current.insert(name, Attribute { value, url_index });
    }
}

/// Whether a text starts with `http://` or `https://`.
pub(super) fn starts_with_web_scheme(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Parses an attribute definition: `:name: value`, `:name!:` or `:!name:`.
pub(super) fn parse_definition(line: &str) -> Option<Definition<'_>> {
    let inside = line.strip_prefix(':')?;
    let (name, value) = inside.split_once(':')?;
    let is_unset = name.starts_with('!') || name.ends_with('!');
    let name = name.trim_matches('!');
    let is_separated = value.is_empty() || value.starts_with([' ', '\t']);
    let start = line.len() - value.len();
    (is_name(name) && is_separated)
        .then(|| Definition { name, value: (!is_unset).then_some(start..line.len()) })
}

/// Returns the name if the text starts with `{name}`.
pub(super) fn reference(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let length = inside.bytes().take_while(|byte| is_name_byte(*byte)).count();
    let name = inside.slice(..length);
    (is_name(name) && inside.slice(length..).starts_with('}')).then_some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
