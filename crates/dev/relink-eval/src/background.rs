//! `relink-eval background`: counts the texts that contain each term.
//!
//! Reads a directory with one subdirectory of texts per language (`en`, `fr`,
//! `pt`, `de`, `es`, `ja`) and prints the table that `relink-change` embeds:
//! the most frequent terms of each language with the number of texts that
//! contain them. The table contains nothing else of the texts.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use relink_change::{BackgroundBuilder, TermSettings, TermVector, TextLanguage};
use relink_page::{DocumentFormat, block_text};

use crate::error::EvalError;

/// Number of English terms in the table.
const ENGLISH_TERMS: usize = 14_000;

/// Number of terms of every other language.
const OTHER_TERMS: usize = 2_700;

/// Arguments of `relink-eval background`.
#[derive(Args)]
pub struct BackgroundArgs {
    /// Directory with one subdirectory of texts per language
    #[arg(value_name = "DIR")]
    texts: PathBuf,
}

/// Counts the terms of every text and prints the table.
pub fn run(args: &BackgroundArgs) -> Result<(), EvalError> {
    let mut builder = BackgroundBuilder::default();
    for directory in entries(&args.texts)? {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let language = TextLanguage::from_tag(&name);
        for path in entries(&directory)? {
            let bytes = fs::read(&path).map_err(|error| EvalError::File(path.clone(), error))?;
            let terms = terms_of(&path, &bytes);
            // Skip a text whose detected language differs from its directory.
            if terms.language() == language {
                builder.add(language, &terms);
            }
        }
    }
    let table = builder.finish(|language| match language {
        TextLanguage::En => ENGLISH_TERMS,
        _ => OTHER_TERMS,
    });
    io::stdout().lock().write_all(table.as_bytes())?;
    Ok(())
}

/// Returns the terms of a text outside boilerplate.
fn terms_of(path: &Path, bytes: &[u8]) -> TermVector {
    let page = block_text(format_of(path), bytes);
    TermVector::from_member("", &page, "", TermSettings::default())
}

/// Returns the format of a file by its extension.
pub(crate) fn format_of(path: &Path) -> DocumentFormat {
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    match extension.as_str() {
        "html" => DocumentFormat::Html,
        "xml" => DocumentFormat::Xml,
        "md" => DocumentFormat::Markdown,
        _ => DocumentFormat::PlainText,
    }
}

/// Returns the entries of a directory, sorted by name.
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let file_error = |error| EvalError::File(directory.to_owned(), error);
    let entries = fs::read_dir(directory).map_err(file_error)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(file_error)?;
    paths.sort();
    Ok(paths)
}
