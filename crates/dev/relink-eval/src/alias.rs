//! `relink-eval alias`: finds the aliases of dead pages: the live pages to which they moved.
//!
//! Reads three files for each site in a folder. Each file has one JSON object per line:
//!
//! - `SITE.queries.jsonl`: the dead pages, with `old` (URL) and `old_title`;
//! - `SITE.live.jsonl`: the live pages, with `url` and `title`;
//! - `SITE.known.jsonl`: the known aliases, with `old` and `new` (URLs).
//!
//! Prints one answer per dead page. Prints the elapsed times to standard error.

mod timing;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use relink_model::Confidence;
use relink_revive::matching::{Baseline, KnownAlias, MatchResult, PageInfo, SiteMatcher};
use serde::{Deserialize, Serialize};

use self::timing::Timing;
use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Suffix of the files with dead pages.
const QUERIES: &str = ".queries.jsonl";

/// Confidence of the answers of a baseline: high enough for a suggestion, too low for rewriting
/// a link without review.
const BASELINE_CONFIDENCE: Confidence = Confidence::from_percent(90);

/// Arguments of `relink-eval alias`.
#[derive(Args)]
pub struct AliasArgs {
    /// Folder with `SITE.queries.jsonl`, `SITE.live.jsonl`, `SITE.known.jsonl`
    #[arg(value_name = "QUERY_DIR")]
    folder: PathBuf,
    /// Matching method
    #[arg(long, value_enum, default_value_t = Method::Default)]
    method: Method,
}

/// Matching methods: the default of `relink`, and baselines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    Default,
    SameSlug,
    Title,
    TopCluster,
    TwoOfThree,
    ContentHash,
    SimilarCt,
}

impl Method {
    /// Returns the baseline, or `None` for the default method.
    fn baseline(self) -> Option<Baseline> {
        match self {
            Self::Default => None,
            Self::SameSlug => Some(Baseline::SameSlug),
            Self::Title => Some(Baseline::Title),
            Self::TopCluster => Some(Baseline::TopCluster),
            Self::TwoOfThree => Some(Baseline::TwoOfThree),
            Self::ContentHash => Some(Baseline::ContentHash),
            Self::SimilarCt => Some(Baseline::SimilarText),
        }
    }
}

/// A dead page.
#[derive(Debug, Deserialize)]
struct Query {
    old: String,
    #[serde(default)]
    old_title: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

/// A live page.
#[derive(Debug, Deserialize)]
struct Live {
    url: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

/// A known alias.
#[derive(Debug, Deserialize)]
struct Known {
    old: String,
    new: String,
}

/// A line of output.
#[derive(Debug, Serialize)]
struct Line<'a> {
    site: &'a str,
    old: &'a str,
    new: Option<&'a str>,
    confidence: Option<Confidence>,
    reason: String,
}

/// The input files of a site.
struct Site {
    name: String,
    queries: Vec<Query>,
    live: Vec<Live>,
    known: Vec<Known>,
}

/// Matches the dead pages of every site in the folder.
pub fn run(args: &AliasArgs) -> Result<(), EvalError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut timing = Timing::default();
    for name in sites(&args.folder)? {
        let site = Site::read(&args.folder, name)?;
        let answers = site.answers(args.method, &mut timing);
        for line in &answers {
            serde_json::to_writer(&mut out, line).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    timing.report();
    Ok(())
}

/// Returns the names of the sites in a folder, sorted.
fn sites(folder: &Path) -> Result<Vec<String>, EvalError> {
    let error = |error| EvalError::File(folder.to_owned(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        if let Some(site) = name.to_string_lossy().strip_suffix(QUERIES) {
            names.push(site.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

impl Site {
    /// Reads the files of a site. Without a file of known aliases, there are none.
    fn read(folder: &Path, name: String) -> Result<Self, EvalError> {
        let path = |kind: &str| folder.join(format!("{name}.{kind}.jsonl"));
        let known = path("known");
        let known = if known.exists() { read_rows(&known)? } else { Vec::new() };
        Ok(Self {
            queries: read_rows(&path("queries"))?,
            live: read_rows(&path("live"))?,
            known,
            name,
        })
    }

    /// Returns one line for each dead page.
    fn answers(&self, method: Method, timing: &mut Timing) -> Vec<Line<'_>> {
        let dead: Vec<PageInfo> = self.queries.iter().map(Query::page).collect();
        let live: Vec<PageInfo> = self.live.iter().map(Live::page).collect();
        match method.baseline() {
            None => self.match_pages(&dead, &live, timing),
            Some(baseline) => self.apply_baseline(baseline, &dead, &live, timing),
        }
    }

    /// Matches the dead pages with the shipped model.
    fn match_pages<'a>(
        &'a self,
        dead: &[PageInfo<'a>],
        live: &[PageInfo],
        timing: &mut Timing,
    ) -> Vec<Line<'a>> {
        let known: Vec<KnownAlias> =
            self.known.iter().map(|pair| KnownAlias { old: &pair.old, new: &pair.new }).collect();
        let start = Instant::now();
        let matcher = SiteMatcher::new(dead, live, &known);
        timing.record_site(start.elapsed());
        let answer = |(at, page): (usize, &PageInfo<'a>)| {
            let start = Instant::now();
            let result = matcher.match_page(at);
            timing.record_page(start.elapsed());
            self.result_line(page, &result)
        };
        dead.iter().enumerate().map(answer).collect()
    }

    /// Matches the dead pages with a baseline.
    fn apply_baseline<'a>(
        &'a self,
        baseline: Baseline,
        dead: &[PageInfo<'a>],
        live: &[PageInfo],
        timing: &mut Timing,
    ) -> Vec<Line<'a>> {
        let start = Instant::now();
        let aliases = baseline.find_aliases(dead, live);
        timing.record_site(start.elapsed());
        let to_line = |(page, alias): (&PageInfo<'a>, Option<usize>)| {
            let reason = if alias.is_some() { "method" } else { "no-match" };
            self.line(page, alias, alias.map(|_| BASELINE_CONFIDENCE), reason.to_owned())
        };
        dead.iter().zip(aliases).map(to_line).collect()
    }

    /// Returns the answer for a dead page that was matched with the shipped model.
    fn result_line<'a>(&'a self, page: &PageInfo<'a>, result: &MatchResult) -> Line<'a> {
        match result {
            MatchResult::Nothing(reason) => self.line(page, None, None, reason.code().to_owned()),
            MatchResult::Alias(found) => {
                let evidence: Vec<&str> = found.evidence.iter().map(|item| item.code()).collect();
                self.line(page, Some(found.live), Some(found.confidence), evidence.join(" "))
            }
        }
    }

    /// Returns the answer for a dead page. `live` is the position of its alias, if there is one.
    fn line<'a>(
        &'a self,
        page: &PageInfo<'a>,
        live: Option<usize>,
        confidence: Option<Confidence>,
        reason: String,
    ) -> Line<'a> {
        let new = live.map(|position| self.live[position].url.as_str());
        Line { site: &self.name, old: page.url, new, confidence, reason }
    }
}

impl Query {
    fn page(&self) -> PageInfo<'_> {
        PageInfo { url: &self.old, title: self.old_title.as_deref(), text: self.text.as_deref() }
    }
}

impl Live {
    fn page(&self) -> PageInfo<'_> {
        PageInfo { url: &self.url, title: self.title.as_deref(), text: self.text.as_deref() }
    }
}
