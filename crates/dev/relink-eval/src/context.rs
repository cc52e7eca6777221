//! `relink-eval context`: judges whether candidates fit their collection.
//!
//! A candidate is a page that could replace a dead member of the collection.
//!
//! Reads a directory with one file of JSON lines per collection, or labeled
//! files with all collections. Prints JSON lines (`id`, `score`, `flag`). With
//! labels, `--tables` and `--fit` print measurements instead.

mod fit;
mod read;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use relink_change::{
    AngleBand, AngleSettings, Background, Collection, Context, ContextFlag, ContextScore, Corpus,
    CorpusBuilder, Fit,
};
use relink_keyphrase::english_nouns;
use serde::Serialize;

use crate::error::EvalError;
use crate::random::SeededRandom;
use read::{Page, Role};

/// Seed of the division into users.
const SEED: u64 = 17;

/// The score of a page without terms: unknown.
const UNKNOWN: f64 = 0.5;

/// Arguments of `relink-eval context`.
#[derive(Args)]
pub struct ContextArgs {
    /// Directories with a file per collection, or labeled JSON lines
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Print Tables 1 and 2 of the paper, and the same tables for this data
    #[arg(long)]
    tables: bool,
    /// Fit the score on labeled files, leaving families out, and print a reliability table
    #[arg(long, conflicts_with = "tables")]
    fit: bool,
    /// Judge by the angle of the paper instead of the score: a higher value is a larger
    /// move away from the context
    #[arg(long, conflicts_with_all = ["tables", "fit", "own"])]
    angle: bool,
    /// Factor of nouns in the angle of the paper; 1 gives all words the same weight
    #[arg(long, value_name = "N", default_value_t = AngleSettings::default().noun_factor)]
    noun_factor: f64,
    /// Constant that is added to the logarithm of a count in the angle of the paper
    #[arg(long, value_name = "N", default_value_t = AngleSettings::default().scaling)]
    scaling: f64,
    /// Number of collections of each user: the collections are divided into groups of this
    /// size at random. 1 judges each collection without the others. Several values are
    /// evaluated one after the other [default: all collections of a path]
    #[arg(long, value_name = "N")]
    own: Vec<usize>,
}

/// A line of output.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: &'a str,
    score: f64,
    /// Whether the candidate does not fit its collection.
    flag: bool,
}

/// A candidate with its fit.
pub(crate) struct JudgedCandidate<'p> {
    pub(crate) page: &'p Page,
    pub(crate) fit: Option<Fit>,
}

/// Prints an answer for every candidate, or measurements.
pub fn run(args: &ContextArgs) -> Result<(), EvalError> {
    // For each path, its collections; each collection is a list of pages.
    let mut all = Vec::new();
    for path in &args.paths {
        // The collections of one directory belong to one user.
        all.push(read::collections(path)?);
    }
    let judge_all = || all.iter().flat_map(|collections| judge_users(collections, &args.own));
    let angle = AngleSettings {
        scaling: args.scaling,
        noun_factor: args.noun_factor,
        nouns: english_nouns(),
        ..AngleSettings::default()
    };
    let text = if args.tables {
        tables::report(&all, &angle)
    } else if args.angle {
        let moved = all.iter().flatten().flat_map(|pages| tables::moves(pages, &angle));
        moved
            .map(|(page, degrees)| angle_answer(page, degrees, &angle))
            .collect::<io::Result<_>>()?
    } else if args.fit {
        fit::report(&judge_all().collect::<Vec<_>>())
    } else {
        judge_all().map(|candidate| answer(&candidate)).collect::<io::Result<String>>()?
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Returns the line for a candidate, by its context score.
fn answer(judged: &JudgedCandidate<'_>) -> io::Result<String> {
    let score = judged.fit.map(ContextScore::new);
    let answer = Answer {
        id: &judged.page.id,
        score: score.map_or(UNKNOWN, ContextScore::probability),
        flag: score.is_some_and(|score| score.flag() == ContextFlag::OutOfPlace),
    };
    serde_json::to_string(&answer).map(|line| line + "\n").map_err(io::Error::other)
}

/// Returns the line for a candidate that moved toward the context by `degrees`.
fn angle_answer(page: &Page, degrees: f64, settings: &AngleSettings) -> io::Result<String> {
    let flag = settings.band(degrees) == AngleBand::Away;
    let answer = Answer { id: &page.id, score: -degrees, flag };
    serde_json::to_string(&answer).map(|line| line + "\n").map_err(io::Error::other)
}

/// Judges the candidates of each collection, once for each number of collections of a
/// user. If there are no numbers, all collections belong to one user.
fn judge_users<'p>(collections: &'p [Vec<Page>], sizes: &[usize]) -> Vec<JudgedCandidate<'p>> {
    let mut order: Vec<&Vec<Page>> = collections.iter().collect();
    if sizes.is_empty() {
        return judge(&order);
    }
    let mut random = SeededRandom::new(SEED);
    let mut judged = Vec::new();
    for size in sizes {
        random.shuffle(&mut order);
        judged.extend(order.chunks((*size).max(1)).flat_map(judge));
    }
    judged
}

/// Judges the candidates of the collections of one user.
pub(crate) fn judge<'p>(collections: &[&'p Vec<Page>]) -> Vec<JudgedCandidate<'p>> {
    let corpus = corpus(collections.iter().copied().flatten());
    let context = |pages: &&Vec<Page>| {
        let members = pages.iter().filter(|page| page.role != Role::Candidate);
        let members = members.map(|page| page.terms.clone()).collect();
        Context::new(&Collection { members }, &corpus)
    };
    let contexts: Vec<Context<'_>> = collections.iter().map(context).collect();
    let mut judged = Vec::new();
    for (at, pages) in collections.iter().enumerate() {
        let others = || contexts.iter().enumerate().filter(|(other, _)| *other != at);
        for page in pages.iter().filter(|page| page.role == Role::Candidate) {
            let others = others().map(|(_, context)| context);
            judged.push(JudgedCandidate {
                page,
                fit: contexts[at].fit_with_others(&page.terms, others),
            });
        }
    }
    judged
}

/// Counts the terms of all members. Candidates do not belong to the corpus.
fn corpus<'p>(pages: impl Iterator<Item = &'p Page>) -> Corpus<'static> {
    let mut builder = CorpusBuilder::default();
    pages.filter(|page| page.role != Role::Candidate).for_each(|page| builder.add(&page.terms));
    builder.finish(Background::builtin())
}
