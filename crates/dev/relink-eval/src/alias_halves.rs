//! `relink-eval alias-halves`: how well are new addresses made from examples?
//!
//! Half of the moved pages of each directory are shown with their new address,
//! chance decides which; programs are learned from them and asked about the
//! other half. The answers of FABLE that the file holds are counted beside.
//! Nothing is fetched, so answers are not checked for being alive.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use relink_revive::program::{Example, Prediction, ProgramIndex};
use relink_revive::{Directory, OldPage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::error::EvalError;

/// What to learn from and to answer.
#[derive(Args)]
pub struct AliasHalvesArgs {
    /// Moved and deleted pages, one JSON object a line: `old`, `new`,
    /// `old_title`, `fable`
    #[arg(value_name = "FILE.jsonl")]
    pairs: PathBuf,
    /// Pages that are alive, one JSON object a line with `url`: only these are
    /// answers then
    #[arg(long, value_name = "FILE.jsonl")]
    live: Option<PathBuf>,
    /// Where chance comes from
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Also print each page asked about: outcome, old, answer, truth
    #[arg(long)]
    details: bool,
}

/// A page that is alive.
#[derive(Debug, Deserialize)]
struct Live {
    url: String,
}

/// One page of the file.
#[derive(Debug, Deserialize)]
struct Row {
    old: String,
    new: Option<String>,
    #[serde(default)]
    old_title: Option<String>,
    #[serde(default)]
    fable: Option<Fable>,
}

/// What FABLE found for it.
#[derive(Debug, Deserialize)]
struct Fable {
    #[serde(default)]
    found: bool,
    #[serde(default)]
    correct: bool,
    #[serde(default)]
    inference: Option<String>,
}

/// A page with its addresses read.
struct Page {
    old: OldPage,
    new: Option<Url>,
    fable: Option<Fable>,
}

/// Answers counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    right: usize,
    wrong: usize,
    silent: usize,
}

impl Tally {
    fn add(&mut self, truth: &Url, answer: Option<&str>) {
        match answer {
            None => self.silent += 1,
            Some(answer) if norm(answer) == norm(truth.as_str()) => self.right += 1,
            Some(_) => self.wrong += 1,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "shares are shown with one decimal")]
    fn line(self, name: &str) -> String {
        let all = self.right + self.wrong + self.silent;
        let share = |count: usize| 100.0 * count as f64 / all.max(1) as f64;
        let [right, wrong, silent] = [self.right, self.wrong, self.silent].map(share);
        format!(
            "{name:28} {right:5.1} % right {wrong:5.1} % wrong {silent:5.1} % unanswered of {all}\n"
        )
    }
}

/// Two addresses that differ in no more than this lead to one page.
fn norm(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default().trim_end_matches('/').to_lowercase();
    let url = url.replace("https://", "http://").replace("://www.", "://");
    url.replace(":80/", "/").replace(":443/", "/")
}

/// What was learned, and which answers count.
struct Answerer {
    book: ProgramIndex,
    live: Option<HashSet<String>>,
}

impl Answerer {
    /// The answers for a page, the likeliest first.
    fn answers(&self, page: &OldPage) -> Vec<Prediction<'_>> {
        let mut answers = self.book.predict(page);
        if let Some(live) = &self.live {
            answers.retain(|answer| live.contains(&norm(answer.url.as_str())));
        }
        answers
    }
}

/// Learns from one half, answers the other and prints what came of it.
pub fn run(args: &AliasHalvesArgs) -> Result<(), EvalError> {
    let rows: Vec<Row> = read(&args.pairs)?;
    let pages: Vec<Page> = rows.into_iter().filter_map(Row::into_page).collect();
    let live: Option<Vec<Live>> = args.live.as_ref().map(read).transpose()?;
    let live = live.map(|live| live.iter().map(|page| norm(&page.url)).collect());
    let (shown, asked) = halves(&pages, args.seed);
    let examples: Vec<Example> = shown
        .iter()
        .filter_map(|page| {
            Some(Example { old: page.old.clone(), new: page.new.clone()?, is_sure: true })
        })
        .collect();
    let answerer = Answerer { book: ProgramIndex::learn(&examples), live };
    let mut report = Report::default();
    for (page, siblings) in &asked {
        report.add(&answerer, page, *siblings);
    }
    for (page, _) in &asked {
        report.add_chance(&answerer, page);
    }
    for page in pages.iter().filter(|page| page.new.is_none()) {
        report.add_chance(&answerer, page);
        report.deleted += 1;
        report.false_answers += usize::from(!answerer.answers(&page.old).is_empty());
    }
    let details = if args.details { report.details.concat() } else { String::new() };
    io::stdout().lock().write_all((details + &report.table()).as_bytes())?;
    Ok(())
}

fn read<T: DeserializeOwned>(path: &PathBuf) -> Result<Vec<T>, EvalError> {
    let text = fs::read_to_string(path).map_err(|error| EvalError::File(path.clone(), error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| EvalError::Line(at + 1, error))
        })
        .collect()
}

impl Row {
    /// The page, if its addresses can be read at all.
    fn into_page(self) -> Option<Page> {
        let mut old = OldPage::new(self.old.parse().ok()?);
        old.title = self.old_title;
        let new = self.new.map(|new| new.parse()).transpose().ok()?;
        Some(Page { old, new, fable: self.fable })
    }
}

/// The moved pages shown, and those asked about with the number shown of their
/// directory.
fn halves(pages: &[Page], seed: u64) -> (Vec<&Page>, Vec<(&Page, usize)>) {
    let mut groups: BTreeMap<Directory, Vec<&Page>> = BTreeMap::new();
    for page in pages.iter().filter(|page| page.new.is_some()) {
        groups.entry(Directory::of(&page.old.url)).or_default().push(page);
    }
    let mut chance = Rng(seed);
    let (mut shown, mut asked) = (Vec::new(), Vec::new());
    for mut group in groups.into_values() {
        chance.shuffle(&mut group);
        // The odd page, and one that is alone, falls to either half.
        let half =
            group.len() / 2 + usize::from(group.len() % 2 == 1 && chance.next().is_multiple_of(2));
        asked.extend(group[half..].iter().map(|page| (*page, half)));
        shown.extend(&group[..half]);
    }
    (shown, asked)
}

/// What came of it.
#[derive(Default)]
struct Report {
    own: Tally,
    all: Tally,
    reachable: Tally,
    fable: Tally,
    inferred: Tally,
    by_confidence: BTreeMap<u8, Tally>,
    made_wrongly: usize,
    alive_by_chance: usize,
    deleted: usize,
    false_answers: usize,
    details: Vec<String>,
}

impl Report {
    fn add(&mut self, answerer: &Answerer, page: &Page, siblings: usize) {
        let Some(truth) = &page.new else { return };
        let predictions = answerer.answers(&page.old);
        let best = predictions.first();
        let answer = best.map(|prediction| prediction.url.as_str());
        self.all.add(truth, answer);
        let is_right = |url: &&str| norm(url) == norm(truth.as_str());
        let mut any = predictions.iter().map(|prediction| prediction.url.as_str());
        self.reachable.add(truth, any.find(is_right).or(answer));
        if siblings > 0 {
            self.own.add(truth, answer);
            self.add_fable(page, truth);
        }
        if let Some(best) = best {
            let tenth = best.confidence().as_percent() / 10;
            self.by_confidence.entry(tenth).or_default().add(truth, answer);
        }
        let outcome = match answer {
            None => "silent",
            Some(answer) if is_right(&answer) => "right",
            Some(_) => "wrong",
        };
        let old = &page.old.url;
        self.details.push(format!("{outcome}\t{old}\t{}\t{truth}\n", answer.unwrap_or("-")));
    }

    /// Counts addresses made wrongly, and those of them that are alive.
    fn add_chance(&mut self, answerer: &Answerer, page: &Page) {
        let Some(live) = &answerer.live else { return };
        let truth = page.new.as_ref().map(|new| norm(new.as_str()));
        for prediction in answerer.book.predict(&page.old) {
            let made = norm(prediction.url.as_str());
            if Some(&made) != truth.as_ref() {
                self.made_wrongly += 1;
                self.alive_by_chance += usize::from(live.contains(&made));
            }
        }
    }

    fn add_fable(&mut self, page: &Page, truth: &Url) {
        let Some(fable) = &page.fable else { return };
        match (fable.found, fable.correct) {
            (true, true) => self.fable.right += 1,
            (true, false) => self.fable.wrong += 1,
            (false, _) => self.fable.silent += 1,
        }
        self.inferred.add(truth, fable.inference.as_deref());
    }

    fn table(&self) -> String {
        let mut text = self.own.line("shown siblings: relink");
        text.push_str(&self.fable.line("  FABLE, all its methods"));
        text.push_str(&self.inferred.line("  FABLE, inference alone"));
        text.push_str(&self.all.line("all asked: relink"));
        text.push_str(&self.reachable.line("  any of its answers"));
        for (tenth, tally) in &self.by_confidence {
            text.push_str(&tally.line(&format!("  confidence 0.{tenth}")));
        }
        let Self { false_answers, deleted, made_wrongly, alive_by_chance, .. } = self;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "deleted pages answered       {false_answers} of {deleted}");
        if *made_wrongly > 0 {
            let line = format!("made wrongly, yet alive      {alive_by_chance} of {made_wrongly}");
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

/// `SplitMix64`: the same seed gives the same halves everywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let bound = u64::try_from(last + 1).unwrap_or(u64::MAX);
            let other = usize::try_from(self.next() % bound).unwrap_or(last);
            things.swap(last, other);
        }
    }
}
