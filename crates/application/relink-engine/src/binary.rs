//! Documents that may not be text.
//!
//! Every command reads the same documents. One with NUL bytes can be a list of
//! links all the same, so it is read, and the doubt is reported.

use relink_page::{DocumentFormat, is_binary};

/// What is reported of a document that may not be text. Where the user named
/// the format, there is no doubt.
pub(crate) fn binary_problem(named: Option<DocumentFormat>, head: &[u8]) -> Option<&'static str> {
    let is_doubtful = named.is_none() && is_binary(head);
    is_doubtful.then_some("it may not be text: it has NUL bytes or is a PDF; it is read as text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_problem_of_text_or_a_named_format_is_none() {
        assert_eq!(binary_problem(None, b"https://a.test/\n"), None);
        assert_eq!(binary_problem(Some(DocumentFormat::UrlList), b"a\0b"), None);
        assert!(binary_problem(None, b"a\0b").is_some());
    }
}
