//! Search engines: on the web ([`WebSearch`]) and on the disk (`LocalIndex`,
//! with the feature `search`).

mod key;
#[cfg(feature = "search")]
mod local;
mod query_text;
mod reading;
mod sanitize;
mod settings;
mod template;
mod web;

pub use key::{ApiKeyConfig, KeyPlace};
#[cfg(feature = "search")]
pub use local::{IndexedPage, LocalIndex};
pub use reading::{ResponseMapping, TextKind};
pub use settings::{SiteFilter, WebSearchSettings};
pub use template::{SearchTemplate, SearchTemplateError};
pub use web::WebSearch;
