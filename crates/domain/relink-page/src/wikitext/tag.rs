//! Tags in wikitext: HTML and extension tags.

use memchr::memmem;

use crate::safe_slice::SafeSlice as _;

/// Elements whose content is not parsed as markup.
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
    /// Length of the tag in bytes.
    pub(super) length: usize,
    /// Whether it is an end tag or self-closing.
    pub(super) has_no_content: bool,
}

impl<'t> Tag<'t> {
    /// Parses the tag at the start of the text.
    pub(super) fn at(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('<')?;
        let name = inside.strip_prefix('/').unwrap_or(inside);
        let name_length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let after = name.slice(name_length..);
        let is_tag = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && after.starts_with(|next: char| next.is_whitespace() || matches!(next, '>' | '/'));
        if !is_tag {
            return None;
        }
        let end = after.find(['>', '<']).filter(|end| after.slice(*end..).starts_with('>'))?;
        let has_no_content = inside.starts_with('/') || after.slice(..end).ends_with('/');
        let length = text.len() - after.len() + end + 1;
        Some(Self { name: name.slice(..name_length), length, has_no_content })
    }
}

/// Returns the element with this name if its content is not parsed as markup.
pub(super) fn without_markup(name: &str) -> Option<&'static str> {
    WITHOUT_MARKUP.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the offset of the end tag of an element.
pub(super) fn find_end_tag(text: &str, name: &str) -> Option<usize> {
    memmem::find_iter(text.as_bytes(), b"</").find(|at| {
        let after = text.as_bytes().slice(at + "</".len()..);
        after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && !after.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
    })
}
