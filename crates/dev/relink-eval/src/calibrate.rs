//! `relink-eval calibrate`: is a confidence of 0.9 right nine times in ten?
//!
//! The answers come from `--details`; which of them are right comes from
//! whoever holds the truth, one `URL<TAB>0|1` a line.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;

use crate::error::EvalError;

/// What to compare.
#[derive(Args)]
pub struct CalibrateArgs {
    /// Answers with their confidence, as `soft404 --details` writes them
    #[arg(long, value_name = "FILE.jsonl")]
    details: PathBuf,
    /// Which answers are right: `URL<TAB>1` or `URL<TAB>0` a line
    #[arg(long, value_name = "FILE.tsv")]
    right: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Answer {
    url: String,
    verdict: String,
    confidence: f64,
}

/// How often answers of one kind were right.
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

    /// The share that is right, drawn towards one half where there were few
    /// (Laplace's rule of succession).
    fn expected(self) -> f64 {
        f64::from(self.right + 1) / f64::from(self.all + 2)
    }
}

/// Prints a table by word and stated confidence, and the Brier score.
pub fn run(args: &CalibrateArgs) -> Result<(), EvalError> {
    let read = |path: &PathBuf| {
        fs::read_to_string(path).map_err(|error| EvalError::File(path.clone(), error))
    };
    let right: HashMap<String, bool> = read(&args.right)?
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(url, sign)| (url.to_owned(), sign.trim() == "1"))
        .collect();
    let mut scores: BTreeMap<(String, String), Score> = BTreeMap::new();
    let (mut squares, mut all) = (0.0, 0_u32);
    for (at, line) in read(&args.details)?.lines().enumerate() {
        let answer: Answer =
            serde_json::from_str(line).map_err(|error| EvalError::Line(at + 1, error))?;
        let Some(&is_right) = right.get(&answer.url) else { continue };
        let stated = format!("{:.2}", answer.confidence);
        scores.entry((answer.verdict, stated)).or_default().add(is_right);
        squares += (answer.confidence - f64::from(u8::from(is_right))).powi(2);
        all += 1;
    }
    let mut table = String::from("word       stated  right  of  expected\n");
    for ((word, stated), score) in scores {
        let line = format!(
            "{word:10} {stated:>6} {:>6} {:>3}  {:.2}\n",
            score.right,
            score.all,
            score.expected()
        );
        table.push_str(&line);
    }
    let brier = squares / f64::from(all.max(1));
    // Writing to a string cannot fail.
    let _ = writeln!(table, "Brier score {brier:.4} over {all} answers");
    io::stdout().lock().write_all(table.as_bytes())?;
    Ok(())
}
