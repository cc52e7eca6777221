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
use std::slice;

use clap::Args;
use relink_change::{
    AngleBand, AngleSettings, Background, Collection, Context, ContextFlag, ContextScore, Corpus,
    CorpusBuilder, Fit,
};
use relink_keyphrase::english_nouns;
use serde::Serialize;

use crate::error::EvalError;
use read::{Page, Role};

/// The score of a page without terms: unknown.
const UNKNOWN: f64 = 0.5;

/// Arguments of `relink-eval context`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each one is a flag of the command line")]
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
    #[arg(long, conflicts_with_all = ["tables", "fit", "alone"])]
    angle: bool,
    /// Factor of nouns in the angle of the paper; 1 gives all words the same weight
    #[arg(long, value_name = "N", default_value_t = AngleSettings::default().noun_factor)]
    noun_factor: f64,
    /// Constant that is added to the logarithm of a count in the angle of the paper
    #[arg(long, value_name = "N", default_value_t = AngleSettings::default().scaling)]
    scaling: f64,
    /// Use only the collection itself and the general table, without the other collections
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
pub(crate) struct JudgedCandidate<'p> {
    pub(crate) page: &'p Page,
    pub(crate) fit: Option<Fit>,
}

/// Prints an answer for every candidate, or measurements.
pub fn run(args: &ContextArgs) -> Result<(), EvalError> {
    let mut all = Vec::new();
    for path in &args.paths {
        // The collections of one directory belong to one user.
        all.push(read::collections(path)?);
    }
    let judge_all = || all.iter().flat_map(|collections| judge(collections, args.alone));
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

fn answer(judged: &JudgedCandidate<'_>) -> io::Result<String> {
    let score = judged.fit.map(ContextScore::new);
    let answer = Answer {
        id: &judged.page.id,
        score: score.map_or(UNKNOWN, ContextScore::probability),
        flag: score.is_some_and(|score| score.flag() == ContextFlag::OutOfPlace),
    };
    serde_json::to_string(&answer).map(|line| line + "\n").map_err(io::Error::other)
}

fn angle_answer(page: &Page, degrees: f64, settings: &AngleSettings) -> io::Result<String> {
    let flag = settings.band(degrees) == AngleBand::Away;
    let answer = Answer { id: &page.id, score: -degrees, flag };
    serde_json::to_string(&answer).map(|line| line + "\n").map_err(io::Error::other)
}

/// Judges the candidates of each collection. Unless `alone` is set, also compares
/// them with the other collections.
pub(crate) fn judge(collections: &[Vec<Page>], alone: bool) -> Vec<JudgedCandidate<'_>> {
    if alone {
        return collections.iter().flat_map(|pages| judge_among(slice::from_ref(pages))).collect();
    }
    judge_among(collections)
}

fn judge_among(collections: &[Vec<Page>]) -> Vec<JudgedCandidate<'_>> {
    let corpus = corpus(collections.iter().flatten());
    let context = |pages: &Vec<Page>| {
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
