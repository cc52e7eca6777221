//! The addresses of a `style` attribute.
//!
//! Its CSS may be written with character references, most often for quotes.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::css::{CssItem, Scanner};
use crate::cut::Cut as _;
use crate::link_sink::DestinationSyntax;
use crate::resolved::UnescapedText;

/// Hands every address of the CSS at `value` to `each`.
pub(super) fn each_address(
    html: &str,
    value: Range<usize>,
    each: &mut dyn FnMut(Range<usize>, DestinationSyntax),
) {
    let written = html.as_bytes().cut(value.clone());
    // Nearly no style has an address.
    if memmem::find(written, b"(").is_none() {
        return;
    }
    if memchr(b'&', written).is_none() {
        for piece in Scanner::new(html, value) {
            if let CssItem::Address(range, notation) = piece {
                each(range, notation);
            }
        }
        return;
    }
    let resolved = resolve(html, value);
    let css = resolved.text();
    for piece in Scanner::new(css, 0..css.len()) {
        if let CssItem::Address(range, notation) = piece {
            let means = match notation {
                DestinationSyntax::Decoded(means) => means,
                _ => css.cut(range.clone()).to_owned(),
            };
            each(resolved.written(range), DestinationSyntax::Decoded(means));
        }
    }
}

/// The value with its character references resolved, one by one.
fn resolve(html: &str, value: Range<usize>) -> UnescapedText {
    let mut resolved = UnescapedText::default();
    let mut at = value.start;
    while let Some(next) = memchr(b'&', html.as_bytes().cut(at..value.end)) {
        let start = at + next;
        let end = reference_end(html, start, value.end);
        resolved.push_plain(html, at..start);
        resolved.push_escape(start..end, &htmlize::unescape_attribute(html.cut(start..end)));
        at = end;
    }
    resolved.push_plain(html, at..value.end);
    resolved
}

/// Where what may be a character reference ends, with its semicolon.
fn reference_end(html: &str, start: usize, end: usize) -> usize {
    let rest = html.as_bytes().cut(start + 1..end);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    let semicolon = usize::from(rest.get(length) == Some(&b';'));
    start + 1 + length + semicolon
}
