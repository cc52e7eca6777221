//! Sources of metadata records: OAI-PMH providers and files.
//!
//! Implements the port `RecordSource` for OAI-PMH 2.0 on the `Fetch` port, and reads records from
//! OAI-PMH dumps, LOM and Dublin Core files, tables and JSON Lines. Providers are not trusted:
//! document type declarations are rejected, entities are never expanded, and sizes, depth and
//! retries are limited. This crate stores nothing and does not check links.

mod delimited;
mod file;
mod metadata;
mod oai_client;
mod oai_response;
mod provider;
mod well_formed;
mod xml;

pub use file::read_records;
pub use oai_client::{OaiClient, OaiClientSettings};
pub use provider::OaiProvider;
