//! Sources of metadata records.
//!
//! A *record* describes a resource, such as a lesson; its *locations* are URLs of the
//! resource. A *provider* is an organization that publishes records, mostly with the protocol
//! OAI-PMH. To *harvest* a provider is to read its records.
//!
//! A source returns a list of records in pages. Each page has a token for the next page, so
//! that an interrupted harvest can be resumed.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::FetchOutcome;
use thiserror::Error;
use url::Url;

/// A query for a list of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordQuery {
    /// The base URL of the provider.
    pub base_url: Url,
    /// The metadata format, such as `oai_dc`.
    pub metadata_prefix: String,
    /// The OAI-PMH set to harvest; `None` for all records.
    pub set: Option<String>,
    /// The earliest datestamp (time of the last change of a record). The provider defines
    /// whether datestamps are days or seconds.
    pub from: Option<String>,
    /// Names of further XML elements whose text is a location.
    pub location_fields: Vec<String>,
    /// The token of the page; `None` for the first page.
    pub token: Option<String>,
}

/// The meaning of a link of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordLinkRole {
    /// The location of the described resource. A record without a working location is of no use.
    Location,
    /// A related resource.
    Related,
}

/// A link of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordLink {
    /// The role of the link.
    pub role: RecordLinkRole,
    /// The URL as written.
    pub url: String,
}

/// A harvested record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarvestedRecord {
    /// The identifier, unique for the provider.
    pub identifier: String,
    /// The time of the last change, as written by the provider.
    pub datestamp: String,
    /// The OAI-PMH sets that contain the record.
    pub sets: Vec<String>,
    /// Whether the provider has deleted the record.
    pub is_deleted: bool,
    /// The title, if there is one.
    pub title: Option<String>,
    /// The links.
    pub links: Vec<RecordLink>,
    /// The metadata as XML or JSON; empty if the record is deleted.
    pub metadata: String,
}

/// A page of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordPage {
    /// The records.
    pub records: Vec<HarvestedRecord>,
    /// Records that were skipped, with the reason.
    pub problems: Vec<String>,
    /// The token of the next page; `None` on the last page.
    pub next_token: Option<String>,
    /// The time when the token expires.
    pub token_expires_at: Option<Timestamp>,
    /// The number of records in the whole list, if the provider states it.
    pub list_size: Option<u64>,
    /// The time of the response by the clock of the provider.
    pub responded_at: Option<Timestamp>,
}

/// The smallest unit of the datestamps of a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DatestampUnit {
    /// `2026-11-18`.
    #[default]
    Day,
    /// `2026-11-18T09:00:00Z`.
    Second,
}

/// The properties of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryInfo {
    /// The name, as stated by the provider.
    pub name: String,
    /// The unit of datestamps.
    pub unit: DatestampUnit,
    /// Whether the provider reports deleted records permanently.
    pub keeps_deletions: bool,
}

/// An error of a source.
#[derive(Debug, Error)]
pub enum RecordSourceError {
    /// The provider could not be reached.
    #[error("cannot reach `{url}`: {outcome}")]
    Unreachable {
        /// The requested URL.
        url: String,
        /// The outcome of the fetch.
        outcome: FetchOutcome,
    },
    /// The provider is overloaded and requests a pause.
    #[error("`{url}` requests a pause of {seconds} s")]
    Busy {
        /// The requested URL.
        url: String,
        /// The length of the pause.
        seconds: u64,
    },
    /// The provider does not accept the token, usually because it expired.
    #[error("`{url}` does not accept the resumption token")]
    InvalidToken {
        /// The requested URL.
        url: String,
    },
    /// The provider reports an error.
    #[error("`{url}` reports {code}: {message}")]
    Refused {
        /// The requested URL.
        url: String,
        /// The code of the protocol.
        code: String,
        /// The message of the provider.
        message: String,
    },
    /// The response cannot be parsed.
    #[error("invalid XML in `{source_name}`, line {line}, column {column}{}: {reason}", in_record(.record.as_deref()))]
    Malformed {
        /// The URL or file.
        source_name: String,
        /// The line, starting at one.
        line: usize,
        /// The column, starting at one.
        column: usize,
        /// The identifier of the record, if it is known.
        record: Option<String>,
        /// The cause.
        reason: String,
    },
    /// The response exceeds a limit.
    #[error("`{source_name}` exceeds the limit of {limit}")]
    TooLarge {
        /// The URL or file.
        source_name: String,
        /// The limit with its unit.
        limit: String,
    },
}

/// Names the record in an error message.
fn in_record(record: Option<&str>) -> String {
    record.map(|record| format!(", record `{record}`")).unwrap_or_default()
}

/// A source of records.
#[async_trait]
pub trait RecordSource: Send + Sync {
    /// Returns the properties of a provider.
    async fn identify(&self, base_url: &Url) -> Result<RepositoryInfo, RecordSourceError>;

    /// Returns one page. A query that matches no record returns an empty page.
    async fn records(&self, query: &RecordQuery) -> Result<RecordPage, RecordSourceError>;

    /// Parses a file with records. The name and the content of the file select the format.
    fn file_records(
        &self,
        name: &str,
        bytes: &[u8],
        location_fields: &[String],
    ) -> Result<RecordPage, RecordSourceError>;
}
