//! `relink-eval phrases`: counts the texts that contain each English word and phrase.
//!
//! Reads a directory of English texts and prints the table that `relink-keyphrase`
//! embeds: the most frequent words and phrases with the number of texts that contain
//! them. The table contains nothing else of the texts.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use relink_change::TextLanguage;
use relink_keyphrase::{KeyphraseSettings, PhraseTableBuilder, candidate_phrases};
use relink_page::block_text;

use crate::background::{entries, format_of};
use crate::error::EvalError;

/// Number of words in the table.
const WORDS: usize = 12_000;

/// Number of longer phrases in the table.
const PHRASES: usize = 10_000;

/// Minimum number of texts that contain a word or phrase.
const MIN_TEXTS: u32 = 3;

/// Arguments of `relink-eval phrases`.
#[derive(Args)]
pub struct PhraseArgs {
    /// Directory of English texts: HTML, XML, Markdown or plain text
    #[arg(value_name = "DIR")]
    texts: PathBuf,
}

/// Counts the phrases of every text and prints the table.
pub fn run(args: &PhraseArgs) -> Result<(), EvalError> {
    let mut builder = PhraseTableBuilder::default();
    for path in entries(&args.texts)? {
        let bytes = fs::read(&path).map_err(|error| EvalError::File(path.clone(), error))?;
        let page = block_text(format_of(&path), &bytes);
        if TextLanguage::detect(page.text()) == TextLanguage::En {
            builder.add(&candidate_phrases(&page, "", &KeyphraseSettings::default()));
        }
    }
    io::stdout().lock().write_all(builder.finish(WORDS, PHRASES, MIN_TEXTS).as_bytes())?;
    Ok(())
}
