//! HTML: its links, and what a page shows.
//!
//! One tokenizer serves both. It follows the tokenization rules of the HTML
//! standard but builds no tree: links and text can be read without one, and
//! reading stays linear and nearly free of allocation.

mod addresses;
mod anchors;
mod app_shell;
mod attribute_value;
mod block_role;
mod blocks;
mod client_redirect;
mod element;
mod links;
mod page;
mod robots;
mod script_builder;
mod script_redirect;
mod service;
mod signs;
mod style;
mod tokenizer;

pub(crate) use anchors::{each_anchor, each_heading};
pub(crate) use blocks::{each_href, read_blocks};
pub(crate) use links::{Html, HtmlParts, each_destination};
pub(crate) use page::read_page;
pub use robots::RobotsMeta;
pub(crate) use robots::read_robots_marks;
