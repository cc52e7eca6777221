//! Admonitions with indented content, as in MkDocs.
//!
//! In CommonMark, indented text after a blank line is code. If the marker of an
//! admonition (`!!! note`, `??? note`, `=== "Tab"`) is replaced with a list item marker
//! of the same length, the indented text is regular Markdown, and offsets do not change.
//! Colon fences (`:::note`) need no replacement.

use std::borrow::Cow;

use memchr::memmem;

use crate::safe_slice::SafeSlice as _;

/// Admonition markers and their replacements, equal in length. In a longer marker, `x` is text,
/// so that the content of the list item starts at the fourth column, like the indented text.
const MARKERS: [(&str, &str); 4] =
    [("!!! ", "-   "), ("??? ", "-   "), ("???+ ", "-   x"), ("=== \"", "-   x")];

/// Replaces admonition markers with list item markers.
pub(crate) fn admonitions_to_lists(text: &str) -> Cow<'_, str> {
    if MARKERS.iter().all(|(marker, _)| memmem::find(text.as_bytes(), marker.as_bytes()).is_none())
    {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        output.push_str(line.slice(..line.len() - content.len()));
        match list_marker_for(content) {
            Some(item) => {
                output.push_str(item);
                output.push_str(content.slice(item.len()..));
            }
            None => output.push_str(content),
        }
    }
    Cow::Owned(output)
}

/// Returns the replacement of the admonition marker at the start of a line.
fn list_marker_for(line: &str) -> Option<&'static str> {
    let (marker, item) = MARKERS.into_iter().find(|(marker, _)| line.starts_with(marker))?;
    let has_name = line.slice(marker.len()..).starts_with(|first: char| first.is_alphanumeric());
    has_name.then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacement_has_the_length_of_the_marker() {
        for (marker, item) in MARKERS {
            assert_eq!(marker.len(), item.len());
        }
    }

    #[test]
    fn only_markers_with_a_name_are_replaced() {
        let text = "!!! note\n\n    a\n!!! \n  ???+ tip é\n=== \"Tab\"\n===\n";
        assert_eq!(
            admonitions_to_lists(text),
            "-   note\n\n    a\n!!! \n  -   xtip é\n-   xTab\"\n===\n"
        );
        assert!(matches!(admonitions_to_lists("# a\n"), Cow::Borrowed(_)));
    }
}
