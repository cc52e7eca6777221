//! The URLs of a `style` attribute.
//!
//! The CSS in the attribute may contain character references, most often for quotes.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::css::{CssItem, CssScanner};
use crate::link_sink::DestinationSyntax;
use crate::safe_slice::SafeSlice as _;
use crate::unescaped_text::UnescapedText;

/// Calls `each` with the range of every URL of the CSS at `value`.
pub(super) fn for_each_url(
    html: &str,
    value: Range<usize>,
    each: &mut dyn FnMut(Range<usize>, DestinationSyntax),
) {
    let written = html.as_bytes().slice(value.clone());
    // Almost no style contains a URL.
    if memmem::find(written, b"(").is_none() {
        return;
    }
    if memchr(b'&', written).is_none() {
        for item in CssScanner::new(html, value) {
            if let CssItem::Url(range, syntax) = item {
                each(range, syntax);
            }
        }
        return;
    }
    let unescaped = unescape(html, value);
    let css = unescaped.text();
    for item in CssScanner::new(css, 0..css.len()) {
        if let CssItem::Url(range, syntax) = item {
            let url = match syntax {
                DestinationSyntax::Decoded(url) => url,
                _ => css.slice(range.clone()).to_owned(),
            };
            each(unescaped.source_range(range), DestinationSyntax::Decoded(url));
        }
    }
}

/// Resolves the character references of a value, and records their source ranges.
fn unescape(html: &str, value: Range<usize>) -> UnescapedText {
    let mut unescaped = UnescapedText::default();
    let mut at = value.start;
    while let Some(next) = memchr(b'&', html.as_bytes().slice(at..value.end)) {
        let start = at + next;
        let end = reference_end(html, start, value.end);
        unescaped.push_plain(html, at..start);
        unescaped.push_escape(start..end, &htmlize::unescape_attribute(html.slice(start..end)));
        at = end;
    }
    unescaped.push_plain(html, at..value.end);
    unescaped
}

/// Returns the end of a possible character reference, including its semicolon.
fn reference_end(html: &str, start: usize, end: usize) -> usize {
    let rest = html.as_bytes().slice(start + 1..end);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    let semicolon = usize::from(rest.get(length) == Some(&b';'));
    start + 1 + length + semicolon
}
