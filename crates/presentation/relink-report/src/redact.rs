//! Text without secrets. Rows use this type for all text that comes from a document, a server
//! or a setting.
//!
//! [`Redacted`] can only be created by masking secrets, so a row cannot contain unmasked text.
//! `relink_model` defines what a secret is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::site::Capped;

/// Text without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Redacted<'a>(Cow<'a, str>);

/// Masks the secrets of a URL.
///
/// ```
/// use relink_report::redact;
/// assert_eq!(&*redact("https://ann:secret@example.org/a"), "https://***@example.org/a");
/// assert_eq!(&*redact("https://example.org/@ann"), "https://example.org/@ann");
/// ```
pub fn redact(url: &str) -> Redacted<'_> {
    Redacted(relink_model::redact_url(url))
}

/// Masks the secrets of the URLs in running text.
///
/// Unlike in [`redact()`], white space and brackets end a URL.
pub fn redact_prose(text: &str) -> Redacted<'_> {
    Redacted(relink_model::redact_text(text))
}

impl Redacted<'_> {
    /// Whether a secret was masked.
    pub fn is_changed(&self) -> bool {
        matches!(self.0, Cow::Owned(_))
    }

    /// Returns the masked text.
    pub fn into_owned(self) -> String {
        self.0.into_owned()
    }

    /// Copies borrowed text, so that the value has no lifetime.
    pub fn into_static(self) -> Redacted<'static> {
        Redacted(Cow::Owned(self.0.into_owned()))
    }
}

impl Deref for Redacted<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for Redacted<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // It is unknown whether the text is a URL. Mask it as prose, which does not change text
        // that is already masked.
        Ok(redact_prose(&text).into_static())
    }
}

impl JsonSchema for Redacted<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

// Functions for `serialize_with`, for rows that own unmasked text.

/// Serializes a URL with secrets masked.
pub(crate) fn url<S: Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    redact(url).serialize(serializer)
}

/// Serializes a text with secrets masked.
pub(crate) fn text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    redact_prose(text).serialize(serializer)
}

/// Serializes URLs with secrets masked.
pub(crate) fn urls<S: Serializer>(urls: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(urls.iter().map(|url| redact(url)))
}

/// Serializes texts with secrets masked.
pub(crate) fn texts<S: Serializer>(texts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| redact_prose(text)))
}

/// Serializes an optional text with secrets masked.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn optional_text<S: Serializer>(
    text: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    text.as_deref().map(redact_prose).serialize(serializer)
}

/// Serializes a truncated list of URLs with secrets masked.
pub(crate) fn capped_urls<S: Serializer>(
    urls: &Capped<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let rows = urls.rows.iter().map(|url| redact(url)).collect();
    Capped { rows, total: urls.total }.serialize(serializer)
}
