//! A dead page with the metadata of its archived copy.

use jiff::civil::Date;
use url::Url;

/// A dead page: its URL, and metadata from the last good archived copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldPage {
    /// The dead URL.
    pub url: Url,
    /// The title.
    pub title: Option<String>,
    /// The publication date.
    pub date: Option<Date>,
}

impl OldPage {
    /// Creates a page without metadata.
    pub fn new(url: Url) -> Self {
        Self { url, title: None, date: None }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Sets the publication date.
    #[must_use]
    pub fn with_date(self, date: Date) -> Self {
        Self { date: Some(date), ..self }
    }
}
