//! Search engines: on the web ([`WebSearch`]) and on the disk (`LocalIndex`,
//! with the feature `search`).

mod clean;
mod key;
#[cfg(feature = "search")]
mod local;
mod reading;
mod settings;
mod template;
mod web;
mod wording;

pub use key::{KeyPlace, KeyRule};
#[cfg(feature = "search")]
pub use local::{IndexedPage, LocalIndex};
pub use reading::{AnswerShape, TextKind};
pub use settings::{SiteRule, WebSearchSettings};
pub use template::{SearchTemplate, SearchTemplateError};
pub use web::WebSearch;
