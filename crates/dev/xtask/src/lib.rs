//! Automation for people who work on Relink.
//!
//! The rules of `ARCHITECTURE.md` are functions here that return what breaks
//! them, so that the command line and the test suite ask the same question.
//! Nothing here is part of the product.

pub mod bench;
pub mod check;
pub mod contracts;
pub mod crawl_real;
pub mod docs;
pub mod error;
pub mod fuzz;
pub mod kills;
pub mod layers;
pub mod lexer;
pub mod numbers;
pub mod sources;
pub mod tidy;
pub mod workspace;

pub use error::XtaskError;
pub use workspace::Workspace;
