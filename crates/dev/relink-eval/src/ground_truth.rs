//! `relink-eval ground-truth`: builds questions with known answers for `relink-eval
//! alias`, as the authors of FABLE did (§5.1.1).
//!
//! A page has an alias if an archived redirect of the page leads to a live page, and no
//! other page of its directory redirected to the same target. A page that responds with 410
//! has no alias. The aliases are written to `SITE.pairs.jsonl` only. The program under test
//! reads `SITE.queries.jsonl` and `SITE.live.jsonl`, which do not contain aliases.

mod archive;
mod store;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use url::Url;

use crate::error::EvalError;

/// Arguments of `relink-eval ground-truth`.
#[derive(Args)]
pub struct GroundTruthArgs {
    /// The site: a URL with which all its pages start
    #[arg(value_name = "URL")]
    site: Url,
    /// WARC or CDXJ files, or a directory of them
    #[arg(long, value_name = "FILE", required_unless_present = "db")]
    warc: Vec<PathBuf>,
    /// Database of Relink in which pages were checked, and aliases of dead pages were
    /// searched for (`relink revive`)
    #[arg(long, value_name = "FILE", conflicts_with = "warc")]
    db: Option<PathBuf>,
    /// Folder of the output files
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Name of the output files [default: the host]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// A dead page with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AnswerRow {
    old: String,
    new: Option<String>,
    old_title: Option<String>,
    /// `alias` if the page moved, otherwise `none`.
    kind: &'static str,
    /// The evidence: `redirect` (archived redirect) or `gone` (status 410).
    why: &'static str,
}

/// A live page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LiveRow {
    url: String,
    title: Option<String>,
}

/// A dead page without its answer.
#[derive(Debug, Serialize)]
struct QueryRow<'a> {
    old: &'a str,
    old_title: Option<&'a str>,
}

/// Questions and answers of one site.
#[derive(Debug, Default)]
struct GroundTruth {
    answers: Vec<AnswerRow>,
    live: Vec<LiveRow>,
}

impl AnswerRow {
    /// A page that moved, as an archived redirect shows.
    fn moved(old: String, new: String, old_title: Option<String>) -> Self {
        Self { old, new: Some(new), old_title, kind: "alias", why: "redirect" }
    }

    /// A page that was deleted, as its status 410 shows.
    fn gone(old: String, old_title: Option<String>) -> Self {
        Self { old, new: None, old_title, kind: "none", why: "gone" }
    }
}

/// Builds the files of one site and prints the number of rows.
pub fn run(args: &GroundTruthArgs) -> Result<(), EvalError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let truth = match &args.db {
        Some(db) => runtime.block_on(store::read(db, &args.site))?,
        None => archive::read(&runtime, &args.warc, &args.site)?,
    };
    let name = args.name.clone().or_else(|| args.site.host_str().map(str::to_owned));
    truth.write(&args.out, &name.unwrap_or_else(|| "site".to_owned()))?;
    let moved = truth.answers.iter().filter(|row| row.new.is_some()).count();
    let gone = truth.answers.len() - moved;
    let live = truth.live.len();
    writeln!(io::stdout().lock(), "{moved} moved, {gone} gone, {live} live pages")?;
    Ok(())
}

impl GroundTruth {
    /// Writes the answers, the live pages and the questions.
    fn write(&self, folder: &Path, name: &str) -> Result<(), EvalError> {
        fs::create_dir_all(folder).map_err(|error| EvalError::File(folder.to_owned(), error))?;
        let queries = self.answers.iter();
        let queries =
            queries.map(|row| QueryRow { old: &row.old, old_title: row.old_title.as_deref() });
        write_rows(&folder.join(format!("{name}.pairs.jsonl")), self.answers.iter())?;
        write_rows(&folder.join(format!("{name}.live.jsonl")), self.live.iter())?;
        write_rows(&folder.join(format!("{name}.queries.jsonl")), queries)
    }
}

/// Writes a file of JSON lines.
fn write_rows<T: Serialize>(path: &Path, rows: impl Iterator<Item = T>) -> Result<(), EvalError> {
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(&row).map_err(io::Error::from)?;
        text.push('\n');
    }
    fs::write(path, text).map_err(|error| EvalError::File(path.to_owned(), error))
}
