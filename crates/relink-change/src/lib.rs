//! How much did a page change, and does it still fit its collection?
//!
//! - [`Signature`]: what is kept of a version; [`compare`] measures the change
//!   between two of them, outside boilerplate and [`Volatile`] parts;
//! - [`confirm`]: a change counts only if a second fetch agrees;
//! - [`Measure`]: other measures of change, among them reconstructions of the
//!   algorithms of Walden's Paths, for comparison;
//!
//! The paper is Dalal et al., *Managing Distributed Collections: Evaluating
//! Web Page Changes, Movement, and Replacement* (JCDL 2004).
//!
//! Everything here is pure: signatures come in, values go out. Nothing is
//! fetched or stored.

mod align;
mod compare;
mod confirm;
mod level;
mod matching;
mod measure;
mod ratio;
mod signature;
mod volatile;
mod words;

pub use compare::{BlockChange, Change, compare};
pub use confirm::{Confirmation, confirm};
pub use level::{Level, LevelThresholds};
pub use measure::{Measure, ParseMeasureError};
pub use signature::{
    BlockRole, EXCERPT_LENGTH, MAX_SIGNATURE_BLOCKS, MAX_SIGNATURE_LINKS, MAX_WORDS, Signature,
    SignatureBlock, SignatureLink, TOP_TERMS,
};
pub use volatile::Volatile;
