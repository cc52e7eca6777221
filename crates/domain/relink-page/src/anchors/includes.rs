//! Syntax of Markdown that includes other files.
//!
//! The headings of those files are anchors of the including document. This
//! module only detects an include; it does not read the file.

use std::ops::Range;

use memchr::memmem;

use crate::safe_slice::SafeSlice as _;

/// Prefixes of syntax that includes other files.
const INCLUDES: [&str; 6] = ["{{#include", "{% include", "{%- include", "--8<--", SHORTCODE, "{!"];
/// Prefix of a Hugo shortcode. A custom shortcode can generate any heading.
const SHORTCODE: &str = "{{<";
/// Shortcodes embedded in Hugo. None of them generates a heading.
/// See <https://gohugo.io/shortcodes/>.
const EMBEDDED_SHORTCODES: [&str; 15] = [
    "comment",
    "details",
    "figure",
    "gist",
    "highlight",
    "instagram",
    "param",
    "qr",
    "ref",
    "relref",
    "tweet",
    "twitter",
    "vimeo",
    "x",
    "youtube",
];

/// Whether the text has an include outside the sorted ranges `code`.
pub(super) fn has_include(text: &str, code: &[Range<usize>]) -> bool {
    INCLUDES.iter().any(|include| {
        memmem::find_iter(text.as_bytes(), include).any(|at| {
            let is_embedded_shortcode =
                *include == SHORTCODE && is_embedded(text.slice(at + include.len()..));
            !is_within(at, code) && !is_embedded_shortcode
        })
    })
}

/// Whether the shortcode with this name and arguments is embedded in Hugo.
fn is_embedded(shortcode: &str) -> bool {
    // `{{< /name >}}` closes a shortcode, `{{</* name */>}}` shows its source.
    let name = shortcode.trim_start().trim_start_matches('/');
    let length =
        name.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
    let name = name.slice(..length.unwrap_or(name.len()));
    name.is_empty() || EMBEDDED_SHORTCODES.contains(&name)
}

fn is_within(at: usize, parts: &[Range<usize>]) -> bool {
    let next = parts.partition_point(|part| part.end <= at);
    parts.get(next).is_some_and(|part| part.start <= at)
}

/// Whether the text contains the pattern.
pub(super) fn contains(text: &str, pattern: &str) -> bool {
    memmem::find(text.as_bytes(), pattern.as_bytes()).is_some()
}
