//! What a caller may say about a document beyond its format.

use std::fmt;

use crate::source::Language;

/// How a document is to be read, where its format leaves that open.
///
/// ```
/// use relink_page::{Column, Format, Options, links_with};
/// let options = Options { column: Some(Column::from("site")), ..Options::default() };
/// let table = b"name,site\nA,https://a.test/\nB,oops\n";
/// let found = links_with(Format::Csv, table, &options);
/// assert_eq!(found.links.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The column of a table that holds the addresses. Without one, every
    /// cell that is an address counts.
    pub column: Option<Column>,
    /// The language of program source. Without one, the content tells.
    pub language: Option<Language>,
}

impl Options {
    /// What a file's name tells.
    pub fn of_name(name: &str) -> Self {
        Self { language: Language::of_name(name), ..Self::default() }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its place, from 1.
    Number(usize),
    /// By its name in the first row.
    Named(String),
}

impl From<&str> for Column {
    /// A whole number from 1 is a place, anything else a name.
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
    fn a_column_is_a_place_or_a_name() {
        assert_eq!(Column::from("3"), Column::Number(3));
        assert_eq!(Column::from("0"), Column::Named("0".into()));
        assert_eq!(Column::from("URL"), Column::Named("URL".into()));
        assert_eq!(Column::from("URL").to_string(), "URL");
    }
}
