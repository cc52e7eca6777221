//! Search engines: remote ([`WebSearch`]) and local (`LocalIndex`, feature
//! `search`).

mod key;
#[cfg(feature = "search")]
mod local;
mod query_text;
mod response;
mod sanitize;
mod settings;
mod template;
mod web;

pub use key::{ApiKeyConfig, ApiKeyPlacement};
#[cfg(feature = "search")]
pub use local::{IndexedPage, LocalIndex};
pub use response::{ResponseMapping, TextKind};
pub use settings::{SiteFilter, WebSearchSettings};
pub use template::{SearchTemplate, SearchTemplateError};
pub use web::WebSearch;
