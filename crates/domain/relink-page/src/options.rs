//! Options for link extraction.

use std::fmt;

use crate::source::Language;

/// Options for formats that need more than the document itself.
///
/// ```
/// use relink_page::{Column, DocumentFormat, Options, links_with};
/// let options = Options { column: Some(Column::from("site")), ..Options::default() };
/// let table = b"name,site\nA,https://a.test/\nB,oops\n";
/// let found = links_with(DocumentFormat::Csv, table, &options);
/// assert_eq!(found.links.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The column of a table that contains the URLs. If `None`, every cell that is a URL
    /// is a link.
    pub column: Option<Column>,
    /// The language family of source code. If `None`, it is detected from the content.
    pub language: Option<Language>,
}

impl Options {
    /// Derives options from a file name.
    pub fn from_file_name(name: &str) -> Self {
        Self { language: Language::from_file_name(name), ..Self::default() }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By number, from 1.
    Number(usize),
    /// By its name in the first row.
    Named(String),
}

impl From<&str> for Column {
    /// Parses a positive integer as a column number and any other text as a
    /// name.
    fn from(text: &str) -> Self {
        match text.trim().parse() {
            Ok(number) if number > 0 => Self::Number(number),
            _ => Self::Named(text.to_owned()),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_is_a_number_or_a_name() {
        assert_eq!(Column::from("3"), Column::Number(3));
        assert_eq!(Column::from("0"), Column::Named("0".into()));
        assert_eq!(Column::from("URL"), Column::Named("URL".into()));
        assert_eq!(Column::from("URL").to_string(), "URL");
    }
}
