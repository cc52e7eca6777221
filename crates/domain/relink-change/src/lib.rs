//! How much did a page change, and does it still fit its collection?
//!
//! - [`Signature`]: what is kept of a version; [`compare`] measures the change
//!   between two of them, outside boilerplate and [`Volatile`] parts;
//! - [`confirm`]: a change counts only if a second fetch agrees;
//! - [`Measure`]: other measures of change, among them reconstructions of the
//!   algorithms of Walden's Paths, for comparison;
//! - [`TermVector`], [`Context`]: how well a page fits the other pages of its
//!   collection, by the angle of Walden's Paths and by a calibrated score.
//!
//! The paper is Dalal et al., *Managing Distributed Collections: Evaluating
//! Web Page Changes, Movement, and Replacement* (JCDL 2004).
//!
//! Everything here is pure: signatures come in, values go out. Nothing is
//! fetched or stored.

#![warn(clippy::indexing_slicing)]

mod align;
mod background;
mod compare;
mod confirm;
mod context;
mod language;
mod level;
mod matching;
mod measure;
mod paper;
mod ratio;
mod score;
mod signature;
mod term_vector;
mod volatile;
mod words;

pub use background::{Background, BackgroundBuilder, ParseBackgroundError};
pub use compare::{BlockChange, Change, compare};
pub use confirm::{Confirmation, confirm};
pub use context::{Collection, Context, Corpus, CorpusBuilder, Fit};
pub use language::TextLanguage;
pub use level::{Level, LevelThresholds};
pub use measure::{Measure, ParseMeasureError};
pub use paper::{AngleBand, AngleSettings, PaperContext};
pub use score::{ContextScore, Flag, HybridScore, ScoreModel};
pub use signature::{
    BlockRole, EXCERPT_LENGTH, MAX_SIGNATURE_BLOCKS, MAX_SIGNATURE_LINKS, MAX_WORDS, Signature,
    SignatureBlock, SignatureLink, TOP_TERMS,
};
pub use term_vector::{TermSettings, TermVector};
pub use volatile::Volatile;
