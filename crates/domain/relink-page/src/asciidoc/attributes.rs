//! Attributes: values with names, to be used in the text as `{name}`.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memchr;
use relink_model::{LinkKind, SkipReason};

use super::AsciiDocParser;
use crate::cut::Cut as _;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::DestinationSyntax;
use crate::list::trim;

/// How long the value of an attribute may grow.
const LONGEST_VALUE: usize = 8 * 1024;

/// How many bytes destinations may grow by for each byte of the document.
/// Attributes made of attributes would otherwise fill the memory.
const GROWTH_PER_BYTE: usize = 4;

/// A line that defines an attribute, or takes its definition back.
pub(super) struct Definition<'l> {
    name: &'l str,
    /// Where the value stands in the line.
    value: Option<Range<usize>>,
}

/// An address that an attribute stands for.
struct Address {
    range: Range<usize>,
    means: String,
    /// Whether the attribute is a destination of its own somewhere.
    is_destination: bool,
    /// Whether the attribute is used at all.
    is_used: bool,
}

/// An attribute as defined so far.
struct Attribute {
    value: String,
    /// Which of the addresses it is, if it is one.
    address: Option<usize>,
}

/// The attributes of a document.
pub(super) struct Attributes {
    current: HashMap<String, Attribute>,
    addresses: Vec<Address>,
    budget: usize,
}

/// What a text with attributes in it means.
pub(super) enum AttributeValue {
    Known(String),
    /// Something in it is not known here.
    Unknown,
}

impl Attributes {
    pub(super) fn new(length: usize) -> Self {
        let budget = length.saturating_mul(GROWTH_PER_BYTE).saturating_add(LONGEST_VALUE);
        Self { current: HashMap::new(), addresses: Vec::new(), budget }
    }

    /// The value of an attribute.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.current.get(&name.to_ascii_lowercase()).map(|attribute| attribute.value.as_str())
    }

    /// Notes that an attribute is used, perhaps as a destination of its own;
    /// says whether it stands for an address that is told elsewhere.
    pub(super) fn refer(&mut self, name: &str, is_destination: bool) -> bool {
        let attribute = self.current.get(&name.to_ascii_lowercase());
        let Some(address) = attribute.and_then(|attribute| attribute.address) else {
            return false;
        };
        let Some(address) = self.addresses.get_mut(address) else { return false };
        address.is_used = true;
        address.is_destination |= is_destination;
        true
    }

    /// The text with its attributes replaced by what they stand for.
    pub(super) fn resolve(&mut self, text: &str) -> AttributeValue {
        let (mut means, mut rest) = (String::new(), text);
        while let Some(open) = memchr(b'{', rest.as_bytes()) {
            means.push_str(rest.cut(..open));
            rest = rest.cut(open..);
            let Some(name) = reference(rest) else {
                means.push('{');
                rest = rest.cut(1..);
                continue;
            };
            rest = rest.cut(name.len() + "{}".len()..);
            self.refer(name, false);
            match self.current.get(&name.to_ascii_lowercase()) {
                Some(attribute) if means.len() + attribute.value.len() <= LONGEST_VALUE => {
                    means.push_str(&attribute.value);
                }
                _ => return AttributeValue::Unknown,
            }
        }
        means.push_str(rest);
        let growth = means.len().saturating_sub(text.len());
        if growth > self.budget {
            return AttributeValue::Unknown;
        }
        self.budget -= growth;
        AttributeValue::Known(means)
    }

    /// Notes the addresses that attributes stand for. Those that are only a part
    /// of destinations are told there.
    pub(super) fn report(self, mentions: &mut LinkCandidates<'_>) {
        for Address { range, means, is_destination, is_used } in self.addresses {
            let means = DestinationSyntax::Decoded(means);
            if is_destination {
                mentions.link(range, LinkKind::Definition, means);
            } else if !is_used {
                mentions.skip_as(range, LinkKind::Definition, means, SkipReason::Unused);
            }
        }
    }
}

impl AsciiDocParser<'_> {
    /// Takes in a definition whose line begins at `start`.
    pub(super) fn attribute(&mut self, definition: &Definition<'_>, start: usize) {
        let name = definition.name.to_ascii_lowercase();
        let Some(value) = definition.value.clone() else {
            self.attributes.current.remove(&name);
            return;
        };
        let range = trim(self.text, start + value.start..start + value.end);
        let written = self.text.cut(range.clone());
        let value = match self.attributes.resolve(written) {
            AttributeValue::Known(value) => value,
            AttributeValue::Unknown => {
                self.attributes.current.remove(&name);
                return;
            }
        };
        let is_address = is_web(&value) && !value.contains(char::is_whitespace);
        let address = is_address.then(|| {
            let means = value.clone();
            let address =
                Address { range: range.clone(), means, is_destination: false, is_used: false };
            self.attributes.addresses.push(address);
            self.attributes.addresses.len() - 1
        });
        if !is_address {
            self.inline(range);
        }
        self.attributes.current.insert(name, Attribute { value, address });
    }
}

/// Whether a text begins as an address of the web does.
pub(super) fn is_web(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// The attribute that a line defines: `:name: value`, `:name!:`, `:!name:`.
pub(super) fn definition(line: &str) -> Option<Definition<'_>> {
    let inside = line.strip_prefix(':')?;
    let (name, value) = inside.split_once(':')?;
    let is_taken_back = name.starts_with('!') || name.ends_with('!');
    let name = name.trim_matches('!');
    let is_apart = value.is_empty() || value.starts_with([' ', '\t']);
    let start = line.len() - value.len();
    (is_name(name) && is_apart)
        .then(|| Definition { name, value: (!is_taken_back).then_some(start..line.len()) })
}

/// The name in `{name}`, with which the text begins.
pub(super) fn reference(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let length = inside.bytes().take_while(|byte| is_name_byte(*byte)).count();
    let name = inside.cut(..length);
    (is_name(name) && inside.cut(length..).starts_with('}')).then_some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
