//! `relink-eval context`: does each candidate fit its collection?
//!
//! Reads a directory with one file of JSON lines per collection, or labelled
//! files with all collections. Answers go out as JSON lines (`id`, `score`,
//! `flag`). With labels, `--tables` and `--fit` also measure.

mod fit;
mod read;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use relink_change::{
    Background, Collection, Context, Corpus, CorpusBuilder, Fit, Flag, ScoreModel,
};
use serde::Serialize;

use crate::fault::EvalError;
use read::{Page, Role};

/// The score of a page without terms: unknown.
const UNKNOWN: f64 = 0.5;

/// What to answer, and how.
#[derive(Args)]
pub struct ContextArgs {
    /// Directories with a file per collection, or labelled JSON lines
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Print Tables 1 and 2 of the paper, and ours
    #[arg(long)]
    tables: bool,
    /// Fit the score on labelled files, leaving families out, and print a reliability table
    #[arg(long, conflicts_with = "tables")]
    fit: bool,
    /// Count only the collection itself and the general table, as if it were the user's only one
    #[arg(long)]
    alone: bool,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: &'a str,
    score: f64,
    flag: bool,
}

/// A candidate with its fit.
pub(crate) struct Judged<'p> {
    pub(crate) page: &'p Page,
    pub(crate) fit: Option<Fit>,
}

/// Answers every candidate, or measures.
pub fn run(args: &ContextArgs) -> Result<(), EvalError> {
    let mut text = String::new();
    let mut all = Vec::new();
    for path in &args.paths {
        // The collections of one directory are those of one user.
        all.push(read::collections(path)?);
    }
    if args.tables {
        text = tables::print(&all);
    } else {
        let judged: Vec<Judged<'_>> =
            all.iter().flat_map(|collections| judge(collections, args.alone)).collect();
        if args.fit {
            text = fit::print(&judged);
        } else {
            judged.iter().for_each(|judged| text.push_str(&answer(judged)));
        }
    }
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn answer(judged: &Judged<'_>) -> String {
    let score = judged.fit.map(|fit| ScoreModel::default().score(fit));
    let answer = Answer {
        id: &judged.page.id,
        score: score.map_or(UNKNOWN, |score| score.probability()),
        flag: score.is_some_and(|score| score.flag() == Flag::OutOfPlace),
    };
    // A struct of plain values cannot fail to be written.
    serde_json::to_string(&answer).map(|line| line + "\n").unwrap_or_default()
}

/// Compares the candidates of each collection with it.
pub(crate) fn judge(collections: &[Vec<Page>], alone: bool) -> Vec<Judged<'_>> {
    let shared = corpus(collections.iter().flatten());
    let mut judged = Vec::new();
    for pages in collections {
        let own;
        let corpus = if alone {
            own = corpus(pages.iter());
            &own
        } else {
            &shared
        };
        let members = pages.iter().filter(|page| page.role != Role::Candidate);
        let collection = Collection { members: members.map(|page| page.terms.clone()).collect() };
        let context = Context::new(&collection, corpus);
        let candidates = pages.iter().filter(|page| page.role == Role::Candidate);
        judged.extend(candidates.map(|page| Judged { page, fit: context.fit(&page.terms) }));
    }
    judged
}

/// Counts the members of collections; candidates are not known to the user.
fn corpus<'p>(pages: impl Iterator<Item = &'p Page>) -> Corpus<'static> {
    let mut builder = CorpusBuilder::default();
    pages.filter(|page| page.role != Role::Candidate).for_each(|page| builder.add(&page.terms));
    builder.finish(Background::builtin())
}
