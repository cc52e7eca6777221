//! Automation for developers of Relink. Not part of the product.
//!
//! The rules of `ARCHITECTURE.md` and `CONTRIBUTING.md` are functions that
//! return violations. The command line and the test suite call the same
//! functions.

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
pub mod simulate_queue;
pub mod sources;
pub mod tidy;
pub mod truth;
pub mod vocabulary;
pub mod workers;
pub mod workspace;

pub use error::XtaskError;
pub use workspace::Workspace;
