//! Documents that may not be text.
//!
//! All commands read the same documents. A document with NUL bytes may still be
//! a list of links, so it is read and a problem is reported.

use relink_page::{DocumentFormat, is_binary};

/// Returns the problem to report for a document that may not be text; `None` if
/// the user specified its format.
pub fn binary_problem(format: Option<DocumentFormat>, head: &[u8]) -> Option<&'static str> {
    let may_be_binary = format.is_none() && is_binary(head);
    may_be_binary.then_some("may not be text (NUL bytes or a PDF header); read as text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_problem_requires_nul_bytes_and_an_unspecified_format() {
        assert_eq!(binary_problem(None, b"https://a.test/\n"), None);
        assert_eq!(binary_problem(Some(DocumentFormat::UrlList), b"a\0b"), None);
        assert!(binary_problem(None, b"a\0b").is_some());
    }
}
