//! Search engines, on the web ([`WebSearch`]).

mod clean;
mod key;
mod reading;
mod settings;
mod template;
mod web;
mod wording;

pub use key::{KeyPlace, KeyRule};
pub use reading::{AnswerShape, TextKind};
pub use settings::{SiteRule, WebSearchSettings};
pub use template::{SearchTemplate, SearchTemplateError};
pub use web::WebSearch;
