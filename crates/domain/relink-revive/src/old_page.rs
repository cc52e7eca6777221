//! A page that is gone, as far as it is remembered.

use jiff::civil::Date;
use url::Url;

/// A page that is gone: its address, and what an old copy of it told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldPage {
    /// Where it was.
    pub url: Url,
    /// Its title, from the last good copy.
    pub title: Option<String>,
    /// When it was written, from the last good copy.
    pub date: Option<Date>,
}

impl OldPage {
    /// A page of which only the address is known.
    pub fn new(url: Url) -> Self {
        Self { url, title: None, date: None }
    }

    /// The same page with a title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// The same page with the day it was written.
    #[must_use]
    pub fn dated(self, date: Date) -> Self {
        Self { date: Some(date), ..self }
    }
}
