//! HTML: its links, and what a page shows.
//!
//! One tokenizer serves both. It follows the tokenization rules of the HTML
//! standard but builds no tree: links and text can be read without one, and
//! reading stays linear and nearly free of allocation.

mod attribute_value;
mod links;
mod page;
mod tokenizer;

pub(crate) use links::{Html, each_destination};
pub(crate) use page::read_page;
