//! Tags of wikitext: HTML's, and those of extensions.

use memchr::memmem;

use crate::cut::Cut as _;

/// Elements whose content is not read as markup.
const WITHOUT_MARKUP: [&str; 12] = [
    "nowiki",
    "pre",
    "syntaxhighlight",
    "source",
    "math",
    "chem",
    "ce",
    "score",
    "timeline",
    "templatedata",
    "graph",
    "mapframe",
];

/// A start or end tag.
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    /// How long the whole tag is.
    pub(super) length: usize,
    /// Whether it is an end tag, or closes itself.
    pub(super) is_empty: bool,
}

impl<'t> Tag<'t> {
    /// The tag that the text begins with.
    pub(super) fn at(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('<')?;
        let name = inside.strip_prefix('/').unwrap_or(inside);
        let name_length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let after = name.cut(name_length..);
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && after.starts_with(|next: char| next.is_whitespace() || matches!(next, '>' | '/'));
        if !begins {
            return None;
        }
        let end = after.find(['>', '<']).filter(|end| after.cut(*end..).starts_with('>'))?;
        let is_empty = inside.starts_with('/') || after.cut(..end).ends_with('/');
        let length = text.len() - after.len() + end + 1;
        Some(Self { name: name.cut(..name_length), length, is_empty })
    }
}

/// The element of this name, if its content is not read as markup.
pub(super) fn without_markup(name: &str) -> Option<&'static str> {
    WITHOUT_MARKUP.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// Where the end tag of an element begins.
pub(super) fn closing(text: &str, name: &str) -> Option<usize> {
    memmem::find_iter(text.as_bytes(), b"</").find(|at| {
        let after = text.as_bytes().cut(at + "</".len()..);
        after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && !after.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
    })
}
