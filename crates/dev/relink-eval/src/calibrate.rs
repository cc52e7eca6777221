//! `relink-eval calibrate`: compares confidences with shares of correct answers.
//!
//! The answers come from `--details`. A separate file states which answers are
//! correct, one `URL<TAB>0|1` per line.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;

use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Arguments of `relink-eval calibrate`.
#[derive(Args)]
pub struct CalibrateArgs {
    /// Answers with their confidence, as written by `soft404 --details`
    #[arg(long, value_name = "FILE.jsonl")]
    details: PathBuf,
    /// Correctness of the answers: one `URL<TAB>1` or `URL<TAB>0` per line
    #[arg(long, value_name = "FILE.tsv")]
    right: PathBuf,
}

/// An answer of `relink-eval soft404`.
#[derive(Debug, Deserialize)]
struct Answer {
    url: String,
    verdict: String,
    confidence: f64,
}

/// Number of correct answers with the same verdict and confidence.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    right: u32,
    all: u32,
}

impl Score {
    fn add(&mut self, is_right: bool) {
        self.right += u32::from(is_right);
        self.all += 1;
    }

    /// Returns the expected share of correct answers by Laplace's rule of
    /// succession.
    fn expected_share(self) -> f64 {
        f64::from(self.right + 1) / f64::from(self.all + 2)
    }
}

/// Prints a table by verdict and stated confidence, and the Brier score.
pub fn run(args: &CalibrateArgs) -> Result<(), EvalError> {
    let text = fs::read_to_string(&args.right)
        .map_err(|error| EvalError::File(args.right.clone(), error))?;
    let right: HashMap<String, bool> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(url, flag)| (url.to_owned(), flag.trim() == "1"))
        .collect();
    let mut scores: BTreeMap<(String, String), Score> = BTreeMap::new();
    // The sum of the squared errors of the confidences, and the number of answers.
    let (mut squares, mut all) = (0.0, 0_u32);
    for answer in read_rows::<Answer>(&args.details)? {
        let Some(&is_right) = right.get(&answer.url) else { continue };
        let stated = format!("{:.2}", answer.confidence);
        scores.entry((answer.verdict, stated)).or_default().add(is_right);
        squares += (answer.confidence - f64::from(u8::from(is_right))).powi(2);
        all += 1;
    }
    let mut table = String::from("verdict    stated  right  of  expected\n");
    for ((verdict, stated), score) in scores {
        let line = format!(
            "{verdict:10} {stated:>6} {:>6} {:>3}  {:.2}\n",
            score.right,
            score.all,
            score.expected_share()
        );
        table.push_str(&line);
    }
    let brier = squares / f64::from(all.max(1));
    // Writing to a string cannot fail.
    let _ = writeln!(table, "Brier score {brier:.4} over {all} answers");
    io::stdout().lock().write_all(table.as_bytes())?;
    Ok(())
}
