//! Measures how much a page changed and how well it fits its collection.
//!
//! - [`Signature`] summarizes one version of a page. [`compare`] measures the
//!   change between two signatures, except boilerplate and [`VolatileParts`].
//! - [`confirm`] accepts a change only if a second fetch shows the same change.
//! - [`Measure`] has other measures of change for comparison, among them
//!   reconstructions of the algorithms of Walden's Paths.
//! - [`PageAttributes`] measures how similar two pages are: by text, images, links and
//!   the titles of linked pages.
//! - [`TermVector`] and [`Context`] measure how well a page fits the other pages
//!   of its collection, by the angle of Walden's Paths and by a calibrated score.
//! - [`tf_idf_similarity`] compares the terms of two texts.
//!
//! Walden's Paths, also called *the paper*, is Dalal et al., *Managing
//! Distributed Collections: Evaluating Web Page Changes, Movement, and
//! Replacement* (JCDL 2004).
//!
//! All functions are pure. Nothing is fetched or stored.

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
mod similarity;
mod term_vector;
mod tf_idf;
mod volatile;
mod words;

pub use background::{Background, BackgroundBuilder, ParseBackgroundError};
pub use compare::{BlockChange, Change, compare};
pub use confirm::{Confirmation, confirm};
pub use context::{Collection, Context, Corpus, CorpusBuilder, Fit, Rival};
pub use language::TextLanguage;
pub use level::{Level, LevelThresholds};
pub use measure::{Measure, ParseMeasureError};
pub use paper::{AngleBand, AngleSettings, NounStems, PaperContext};
pub use score::{ContextFlag, ContextScore, HybridScore, ScoreModel};
pub use signature::{
    BlockRole, MAX_EXCERPT_LENGTH, MAX_SIGNATURE_BLOCKS, MAX_SIGNATURE_IMAGES, MAX_SIGNATURE_LINKS,
    MAX_WORDS, Signature, SignatureBlock, SignatureLink, TOP_TERMS,
};
pub use similarity::{
    AttributeSimilarity, PageAttributes, ParseSimilarityWeightsError, SimilarityWeights,
};
pub use term_vector::{TermSettings, TermVector};
pub use tf_idf::tf_idf_similarity;
pub use volatile::VolatileParts;
