//! Selects the words that find a page, or pages like it, in a search engine.
//!
//! - [`page_keyphrases`] extracts the keyphrases of a page (Walden's Paths: Dalal et
//!   al., *Managing Distributed Collections*, JCDL 2004, section 5). English text is
//!   tagged by parts of speech; other languages use rules.
//! - [`lexical_signature`] selects five rare words (Phelps and Wilensky 2000).
//! - [`QueryPlan`] adds or drops phrases depending on the number of results.
//! - [`DocumentFrequencies`] states how rare a phrase is: by the built-in table, or
//!   by the result counts of a search engine.
//! - [`english_nouns`] are the nouns that weigh more in the context of a collection.
//!
//! All functions are pure. Queries are sent by the caller.

#![warn(clippy::indexing_slicing)]

mod candidates;
mod document_frequencies;
mod function_words;
mod keyphrase;
mod lexical_signature;
mod nouns;
mod patterns;
mod phrase_table;
mod query_plan;
mod tagger;
mod tokens;
mod word_runs;

pub use candidates::{KeyphraseSettings, PhraseCount, candidate_phrases};
pub use document_frequencies::DocumentFrequencies;
pub use keyphrase::{
    Keyphrase, KeyphraseSource, Keyphrases, file_name_words, keyphrases, page_keyphrases,
};
pub use lexical_signature::{SIGNATURE_WORDS, lexical_signature};
pub use nouns::english_nouns;
pub use phrase_table::{ParsePhraseTableError, PhraseTable, PhraseTableBuilder};
pub use query_plan::{PlanLimits, QueryPlan, SearchGoal, title_query};
