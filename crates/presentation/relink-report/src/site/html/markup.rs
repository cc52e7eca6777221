//! Markup that strangers' text cannot break out of.
//!
//! The only way in is through [`element`] and the conversions below, and all of
//! them escape. Names of elements and attributes are literals of this program;
//! passwords are masked and control characters shown as pictures on the way.

use crate::human::grouped;
use crate::{printable, redact_prose};

/// A piece of a page, well formed and harmless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Markup(String);

impl Markup {
    /// How many bytes it takes.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing in it.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds more at the end.
    pub(super) fn push(&mut self, more: impl Into<Self>) {
        self.0.push_str(&more.into().0);
    }

    /// The finished text, after the line that makes browsers keep to the
    /// standard.
    pub(super) fn into_page(self) -> String {
        format!("<!DOCTYPE html>\n{}\n", self.0)
    }
}

/// An element with everything in it.
pub(super) fn element<const N: usize>(
    name: &'static str,
    attributes: [(&'static str, &str); N],
    content: impl Into<Markup>,
) -> Markup {
    let Markup(content) = content.into();
    let mut text = opened(name, attributes);
    text.push_str(&content);
    text.push_str("</");
    text.push_str(name);
    text.push('>');
    Markup(text)
}

/// An element that holds nothing and is not closed: `meta`, `input`.
pub(super) fn void<const N: usize>(
    name: &'static str,
    attributes: [(&'static str, &str); N],
) -> Markup {
    Markup(opened(name, attributes))
}

/// A style sheet of this program.
pub(super) fn style(sheet: &'static str) -> Markup {
    Markup(format!("<style>\n{sheet}</style>"))
}

fn opened<const N: usize>(name: &'static str, attributes: [(&'static str, &str); N]) -> String {
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

/// Text, whoever wrote it.
impl From<&str> for Markup {
    fn from(text: &str) -> Self {
        let mut escaped = String::with_capacity(text.len());
        escape_into(&mut escaped, &redact_prose(text));
        Self(escaped)
    }
}

/// Text, whoever wrote it.
impl From<String> for Markup {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// A number with its thousands set apart.
impl From<u64> for Markup {
    fn from(number: u64) -> Self {
        Self(grouped(number))
    }
}

/// One after the other.
impl<const N: usize> From<[Self; N]> for Markup {
    fn from(parts: [Self; N]) -> Self {
        parts.into_iter().collect()
    }
}

/// What there is, or nothing.
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

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(element("b", [], text).0, format!("<b>{expect}</b>"));
    }

    #[test]
    fn text_is_escaped() {
        check("<script>&'\"", "&lt;script&gt;&amp;&#39;&quot;");
        check("a\u{1b}[2J\u{202e}b", "a␛[2J\u{fffd}b");
        check("see https://ann:secret@example.org/", "see https://***@example.org/");
    }

    #[test]
    fn attributes_are_escaped() {
        let markup = element("a", [("href", "x\" onclick='y'>")], "");
        assert_eq!(markup.0, "<a href=\"x&quot; onclick=&#39;y&#39;&gt;\"></a>");
    }
}
