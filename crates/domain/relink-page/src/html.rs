//! HTML: links, anchors, text blocks and page digests.
//!
//! All modules use one tokenizer, which follows the tokenization rules of the HTML
//! standard. No tree is built, so parsing takes linear time and allocates little.

mod anchors;
mod app_shell;
mod attribute_value;
mod block_role;
mod blocks;
mod client_redirect;
mod element;
mod flag_detector;
mod functions;
mod inline_script;
mod links;
mod main_text;
mod page_digester;
mod query_links;
mod robots;
mod script_redirect;
mod services;
mod style;
mod tokenizer;
mod url_attributes;
mod visible_text;

pub(crate) use anchors::{for_each_anchor, for_each_heading};
pub(crate) use blocks::{for_each_href, read_blocks};
pub(crate) use functions::read_functions;
pub(crate) use links::{Html, IncrementalHtml, for_each_destination};
pub(crate) use page_digester::digest_html;
pub use robots::RobotsMeta;
pub(crate) use robots::read_robots_meta;
pub(crate) use visible_text::visible_text;
