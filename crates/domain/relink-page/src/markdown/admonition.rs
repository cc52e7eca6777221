//! Admonitions whose content is indented, as MkDocs writes them.
//!
//! To CommonMark, what stands indented after a blank line is code. With the
//! mark of an admonition (`!!! note`, `??? note`, `=== "Tab"`) read as that of a
//! list item of the same width, its content is Markdown as usual, and every
//! place stays where it is. Fences of colons (`:::note`) need no help.

use std::borrow::Cow;

use memchr::memmem;

use crate::cut::Cut as _;

/// The marks, and what stands for each; all of one width.
const MARKS: [(&str, &str); 4] =
    [("!!! ", "-   "), ("??? ", "-   "), ("???+ ", "-   x"), ("=== \"", "-   x")];

/// The text with the marks of admonitions as those of list items.
pub(crate) fn as_lists(text: &str) -> Cow<'_, str> {
    if MARKS.iter().all(|(mark, _)| memmem::find(text.as_bytes(), mark.as_bytes()).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut lists = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        lists.push_str(line.cut(..line.len() - content.len()));
        match stand_in(content) {
            Some(item) => {
                lists.push_str(item);
                lists.push_str(content.cut(item.len()..));
            }
            None => lists.push_str(content),
        }
    }
    Cow::Owned(lists)
}

fn stand_in(line: &str) -> Option<&'static str> {
    let (mark, item) = MARKS.into_iter().find(|(mark, _)| line.starts_with(mark))?;
    let names_something = line.cut(mark.len()..).starts_with(|first: char| first.is_alphanumeric());
    names_something.then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_as_wide_as_what_stands_for_it() {
        for (mark, item) in MARKS {
            assert_eq!(mark.len(), item.len());
        }
    }

    #[test]
    fn only_marks_that_name_something_are_replaced() {
        let text = "!!! note\n\n    a\n!!! \n  ???+ tip é\n=== \"Tab\"\n===\n";
        assert_eq!(as_lists(text), "-   note\n\n    a\n!!! \n  -   xtip é\n-   xTab\"\n===\n");
        assert!(matches!(as_lists("# a\n"), Cow::Borrowed(_)));
    }
}
