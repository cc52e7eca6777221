//! `relink-eval alias-halves`: evaluates learned URL programs.
//!
//! A *program* computes the new URL of a page from its old URL and title. Programs are
//! learned from a random half of the moved pages of each directory and tested on the
//! other half. The input may hold the results of FABLE, the published method for the same
//! task; they are counted for comparison. Nothing is fetched, so it is not checked whether
//! predicted URLs are alive.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use relink_revive::program::{Example, Prediction, ProgramIndex};
use relink_revive::{Directory, OldPage};
use serde::Deserialize;
use url::Url;

use crate::error::EvalError;
use crate::json_lines::read_rows;
use crate::random::SeededRandom;

/// Arguments of `relink-eval alias-halves`.
#[derive(Args)]
pub struct AliasHalvesArgs {
    /// Moved and deleted pages, one JSON object per line: `old`, `new`,
    /// `old_title`, `fable`
    #[arg(value_name = "FILE.jsonl")]
    pairs: PathBuf,
    /// Live pages, one JSON object with `url` per line; predictions of other
    /// URLs are dropped
    #[arg(long, value_name = "FILE.jsonl")]
    live: Option<PathBuf>,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Also print each tested page: outcome, old URL, predicted URL, new URL
    #[arg(long)]
    details: bool,
}

/// A live page.
#[derive(Debug, Deserialize)]
struct Live {
    url: String,
}

/// A line of the input file.
#[derive(Debug, Deserialize)]
struct Row {
    old: String,
    new: Option<String>,
    #[serde(default)]
    old_title: Option<String>,
    #[serde(default)]
    fable: Option<FableResult>,
}

/// The result of FABLE for a page.
#[derive(Debug, Deserialize)]
struct FableResult {
    #[serde(default)]
    found: bool,
    #[serde(default)]
    correct: bool,
    #[serde(default)]
    inference: Option<String>,
}

/// A page with parsed URLs.
struct Page {
    old: OldPage,
    new: Option<Url>,
    fable: Option<FableResult>,
}

/// Number of pages by the result of their prediction.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    correct: usize,
    wrong: usize,
    /// Pages without a prediction.
    missing: usize,
}

impl Tally {
    /// Counts a page that moved to `truth`.
    fn add(&mut self, truth: &Url, predicted: Option<&str>) {
        match predicted {
            None => self.missing += 1,
            Some(url) if normalize(url) == normalize(truth.as_str()) => self.correct += 1,
            Some(_) => self.wrong += 1,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "shares are shown with one decimal")]
    fn to_line(self, name: &str) -> String {
        let all = self.correct + self.wrong + self.missing;
        let share = |count: usize| 100.0 * count as f64 / all.max(1) as f64;
        let [correct, wrong, missing] = [self.correct, self.wrong, self.missing].map(share);
        format!(
            "{name:28} {correct:5.1} % correct {wrong:5.1} % wrong {missing:5.1} % missing of {all}\n"
        )
    }
}

/// Returns a URL without fragment, final slash, `www.`, default port and case. Two URLs with the
/// same result count as the same page.
fn normalize(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default().trim_end_matches('/').to_lowercase();
    let url = url.replace("https://", "http://").replace("://www.", "://");
    url.replace(":80/", "/").replace(":443/", "/")
}

/// The learned programs, and the URLs that are alive.
struct Predictor {
    index: ProgramIndex,
    live: Option<HashSet<String>>,
}

impl Predictor {
    /// Returns the predictions for a page, most likely first.
    fn predict(&self, page: &OldPage) -> Vec<Prediction<'_>> {
        let mut predictions = self.index.predict(page);
        if let Some(live) = &self.live {
            predictions.retain(|prediction| live.contains(&normalize(prediction.url.as_str())));
        }
        predictions
    }
}

/// Learns from one half, tests on the other half and prints the results.
pub fn run(args: &AliasHalvesArgs) -> Result<(), EvalError> {
    let rows: Vec<Row> = read_rows(&args.pairs)?;
    let pages: Vec<Page> = rows.into_iter().filter_map(Row::into_page).collect();
    let live: Option<Vec<Live>> = args.live.as_ref().map(|path| read_rows(path)).transpose()?;
    let live = live.map(|live| live.iter().map(|page| normalize(&page.url)).collect());
    let (training, tested) = halves(&pages, args.seed);
    let examples: Vec<Example> = training
        .iter()
        .filter_map(|page| {
            Some(Example { old: page.old.clone(), new: page.new.clone()?, is_certain: true })
        })
        .collect();
    let predictor = Predictor { index: ProgramIndex::learn(&examples), live };
    let mut report = Report::default();
    for (page, siblings) in &tested {
        report.add(&predictor, page, *siblings);
    }
    for (page, _) in &tested {
        report.add_wrong_predictions(&predictor, page);
    }
    for page in pages.iter().filter(|page| page.new.is_none()) {
        report.add_wrong_predictions(&predictor, page);
        report.deleted += 1;
        report.deleted_with_prediction += usize::from(!predictor.predict(&page.old).is_empty());
    }
    let details = if args.details { report.details.concat() } else { String::new() };
    io::stdout().lock().write_all((details + &report.table()).as_bytes())?;
    Ok(())
}

impl Row {
    /// Returns the page, if its URLs are valid.
    fn into_page(self) -> Option<Page> {
        let mut old = OldPage::new(self.old.parse().ok()?);
        old.title = self.old_title;
        let new = self.new.map(|new| new.parse()).transpose().ok()?;
        Some(Page { old, new, fable: self.fable })
    }
}

/// Splits the moved pages into training pages and tested pages. Each tested page is returned
/// with the number of training pages of its directory.
fn halves(pages: &[Page], seed: u64) -> (Vec<&Page>, Vec<(&Page, usize)>) {
    let mut groups: BTreeMap<Directory, Vec<&Page>> = BTreeMap::new();
    for page in pages.iter().filter(|page| page.new.is_some()) {
        groups.entry(Directory::from_url(&page.old.url)).or_default().push(page);
    }
    let mut rng = SeededRandom::new(seed);
    let (mut training, mut tested) = (Vec::new(), Vec::new());
    for mut group in groups.into_values() {
        rng.shuffle(&mut group);
        // If the number is odd, the remaining page is added to a random half.
        let half =
            group.len() / 2 + usize::from(group.len() % 2 == 1 && rng.next().is_multiple_of(2));
        tested.extend(group[half..].iter().map(|page| (*page, half)));
        training.extend(&group[..half]);
    }
    (training, tested)
}

/// Results of the evaluation.
#[derive(Default)]
struct Report {
    /// Pages with *siblings*: training pages in their own directory.
    with_siblings: Tally,
    all: Tally,
    /// Counts a page as correct if any of its predictions is correct.
    any_prediction: Tally,
    /// FABLE's result by all its methods.
    fable: Tally,
    /// FABLE's result by its learned programs alone.
    fable_inference: Tally,
    /// Results by the confidence of the best prediction, in tenths: 9 is a confidence of 90 to
    /// 99 %.
    by_confidence: BTreeMap<u8, Tally>,
    /// Number of wrong predictions.
    wrong: usize,
    /// Number of wrong predictions that are URLs of live pages.
    wrong_but_alive: usize,
    deleted: usize,
    deleted_with_prediction: usize,
    details: Vec<String>,
}

impl Report {
    /// Counts the predictions for a tested page. `siblings` is the number of training pages in
    /// its directory.
    fn add(&mut self, predictor: &Predictor, page: &Page, siblings: usize) {
        let Some(truth) = &page.new else { return };
        let predictions = predictor.predict(&page.old);
        let best = predictions.first();
        let predicted = best.map(|prediction| prediction.url.as_str());
        self.all.add(truth, predicted);
        let is_correct = |url: &&str| normalize(url) == normalize(truth.as_str());
        let mut any = predictions.iter().map(|prediction| prediction.url.as_str());
        self.any_prediction.add(truth, any.find(is_correct).or(predicted));
        if siblings > 0 {
            self.with_siblings.add(truth, predicted);
            self.add_fable(page, truth);
        }
        if let Some(best) = best {
            let tenth = best.confidence().as_percent() / 10;
            self.by_confidence.entry(tenth).or_default().add(truth, predicted);
        }
        let outcome = match predicted {
            None => "missing",
            Some(url) if is_correct(&url) => "correct",
            Some(_) => "wrong",
        };
        let old = &page.old.url;
        self.details.push(format!("{outcome}\t{old}\t{}\t{truth}\n", predicted.unwrap_or("-")));
    }

    /// Counts the wrong predictions for a page, and which of them are live URLs.
    fn add_wrong_predictions(&mut self, predictor: &Predictor, page: &Page) {
        let Some(live) = &predictor.live else { return };
        let truth = page.new.as_ref().map(|new| normalize(new.as_str()));
        for prediction in predictor.index.predict(&page.old) {
            let predicted = normalize(prediction.url.as_str());
            if Some(&predicted) != truth.as_ref() {
                self.wrong += 1;
                self.wrong_but_alive += usize::from(live.contains(&predicted));
            }
        }
    }

    /// Counts the result of FABLE for a page.
    fn add_fable(&mut self, page: &Page, truth: &Url) {
        let Some(fable) = &page.fable else { return };
        match (fable.found, fable.correct) {
            (true, true) => self.fable.correct += 1,
            (true, false) => self.fable.wrong += 1,
            (false, _) => self.fable.missing += 1,
        }
        self.fable_inference.add(truth, fable.inference.as_deref());
    }

    fn table(&self) -> String {
        let mut text = self.with_siblings.to_line("with siblings: relink");
        text.push_str(&self.fable.to_line("  FABLE, all methods"));
        text.push_str(&self.fable_inference.to_line("  FABLE, inference only"));
        text.push_str(&self.all.to_line("all tested pages: relink"));
        text.push_str(&self.any_prediction.to_line("  any of its predictions"));
        for (tenth, tally) in &self.by_confidence {
            text.push_str(&tally.to_line(&format!("  confidence 0.{tenth}")));
        }
        let Self { deleted_with_prediction, deleted, wrong, wrong_but_alive, .. } = self;
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "deleted pages with prediction {deleted_with_prediction} of {deleted}");
        if *wrong > 0 {
            let _ = writeln!(text, "wrong predictions alive       {wrong_but_alive} of {wrong}");
        }
        text
    }
}
