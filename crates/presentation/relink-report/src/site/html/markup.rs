//! HTML markup with escaped text.
//!
//! [`Markup`] is created only by [`element`], [`void`], [`style`] and the conversions below.
//! They escape text and attribute values, and replace control characters. They mask the passwords
//! of text. An attribute contains a URL only if `is_safe_link` finds no password in it. The names of
//! elements and attributes and the style sheet are constants of this crate.

use crate::human::grouped;
use crate::{printable, redact_prose};

/// Well-formed HTML with escaped text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Returns the size in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no markup.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends markup.
    pub(crate) fn push(&mut self, more: impl Into<Self>) {
        self.0.push_str(&more.into().0);
    }

    /// Returns the complete XML document, including the declaration. The escapes of text are
    /// valid in HTML and in XML.
    pub(crate) fn into_xml(self) -> String {
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.0)
    }

    /// Returns the complete page, including the doctype.
    pub(crate) fn into_page(self) -> String {
        format!("<!DOCTYPE html>\n{}\n", self.0)
    }
}

/// Creates an element.
pub(crate) fn element<const N: usize>(
    name: &'static str,
    attributes: [(&'static str, &str); N],
    content: impl Into<Markup>,
) -> Markup {
    let Markup(content) = content.into();
    let mut text = start_tag(name, attributes);
    text.push_str(&content);
    text.push_str("</");
    text.push_str(name);
    text.push('>');
    Markup(text)
}

/// Creates a void element: `meta`, `input`.
pub(crate) fn void<const N: usize>(
    name: &'static str,
    attributes: [(&'static str, &str); N],
) -> Markup {
    Markup(start_tag(name, attributes))
}

/// Creates a `style` element.
pub(crate) fn style(sheet: &'static str) -> Markup {
    Markup(format!("<style>\n{sheet}</style>"))
}

/// Returns a start tag with escaped attribute values.
fn start_tag<const N: usize>(name: &'static str, attributes: [(&'static str, &str); N]) -> String {
    let mut text = format!("<{name}");
    for (attribute, value) in attributes {
        text.push(' ');
        text.push_str(attribute);
        text.push_str("=\"");
        escape_into(&mut text, value);
        text.push('"');
    }
    text.push('>');
    text
}

/// Appends a text with the special characters of HTML escaped.
fn escape_into(escaped: &mut String, text: &str) {
    for character in printable(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
}

/// Escapes text, which may be untrusted.
impl From<&str> for Markup {
    fn from(text: &str) -> Self {
        let mut escaped = String::with_capacity(text.len());
        escape_into(&mut escaped, &redact_prose(text));
        Self(escaped)
    }
}

/// Escapes text, which may be untrusted.
impl From<String> for Markup {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// Formats a number with thousands separators.
impl From<u64> for Markup {
    fn from(number: u64) -> Self {
        Self(grouped(number))
    }
}

/// Concatenates markup.
impl<const N: usize> From<[Self; N]> for Markup {
    fn from(parts: [Self; N]) -> Self {
        parts.into_iter().collect()
    }
}

/// Returns the markup, or empty markup for `None`.
impl From<Option<Self>> for Markup {
    fn from(part: Option<Self>) -> Self {
        part.unwrap_or_default()
    }
}

impl FromIterator<Self> for Markup {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.push(part));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the escaped form of a text.
    #[track_caller]
    fn check_escaped(text: &str, expect: &str) {
        assert_eq!(element("b", [], text).0, format!("<b>{expect}</b>"));
    }

    #[test]
    fn text_is_escaped() {
        check_escaped("<script>&'\"", "&lt;script&gt;&amp;&#39;&quot;");
        check_escaped("a\u{1b}[2J\u{202e}b", "a␛[2J\u{fffd}b");
        check_escaped("see https://ann:secret@example.org/", "see https://***@example.org/");
    }

    #[test]
    fn attributes_are_escaped() {
        let markup = element("a", [("href", "x\" onclick='y'>")], "");
        assert_eq!(markup.0, "<a href=\"x&quot; onclick=&#39;y&#39;&gt;\"></a>");
    }
}
