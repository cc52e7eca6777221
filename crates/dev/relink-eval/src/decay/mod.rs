//! `relink-eval decay`: computes the exact decay score of every page of a web graph. The score
//! is the probability that a random walk over links ends on a dead page.

mod graph;
mod pagerank;
pub mod walks;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use relink_decay::{
    CsrGraph, Decay, DecayDefinition, DecayProblem, FailureProbabilities, ScoreError, Sigma,
    SolverOptions, Threads, solve,
};
use serde::Serialize;

use self::graph::{read_dead, read_graph};
use crate::error::EvalError;

/// A graph, its dead pages and the definition of decay.
#[derive(Args)]
pub struct ProblemArgs {
    /// Graph in the format of `webgraph`: `BASENAME.graph`, `BASENAME.properties`
    #[arg(long, value_name = "BASENAME")]
    graph: PathBuf,
    /// Dead pages, one number per line
    #[arg(long, value_name = "IDS.txt")]
    dead: PathBuf,
    /// Definition of decay
    #[arg(long, default_value = "plain")]
    definition: DefinitionName,
    /// Probability that a random walk ends at a live page
    #[arg(long, default_value = "0.1", value_parser = parse_sigma)]
    sigma: Sigma,
}

/// Arguments of `relink-eval decay`.
#[derive(Args)]
pub struct DecayEvalArgs {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Maximum error of any score
    #[arg(long, default_value_t = 1e-9, value_name = "NUMBER")]
    error: f64,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "NUMBER")]
    workers: Option<NonZeroUsize>,
    /// Output file with `node,decay`
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Also measure the time of page rank on the same graph
    #[arg(long = "beside-pagerank")]
    measure_pagerank: bool,
}

/// Names of the definitions of decay.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
pub enum DefinitionName {
    /// Random walk over the links of each page
    Plain,
    /// Formal definition, with a link from each page to itself
    SelfLoop,
}

impl From<DefinitionName> for DecayDefinition {
    fn from(name: DefinitionName) -> Self {
        match name {
            DefinitionName::Plain => Self::Plain,
            DefinitionName::SelfLoop => Self::SelfLoop,
        }
    }
}

fn parse_sigma(text: &str) -> Result<Sigma, String> {
    let number: f64 = text.parse().map_err(|_| format!("invalid number: `{text}`"))?;
    Sigma::new(number).map_err(|error: ScoreError| error.to_string())
}

/// Measurements of a solution, printed as JSON.
#[derive(Debug, Serialize)]
struct SolutionReport {
    /// Time to solve the problem, without reading the graph.
    seconds: f64,
    /// Number of times that the solver updated the scores of all pages.
    sweeps: u32,
    edges: usize,
    pages: usize,
    /// Links followed in all sweeps and components.
    followed: u64,
    /// Upper bound of the error of any score.
    error: f64,
    /// Time to read and decompress the graph.
    reading_seconds: f64,
    nanoseconds_per_edge: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagerank: Option<pagerank::PageRankReport>,
}

/// Solves a problem, writes the scores, and prints measurements.
pub fn run(args: &DecayEvalArgs) -> Result<(), EvalError> {
    let start = Instant::now();
    let (graph, failures) = args.problem.read()?;
    let reading_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let problem = DecayProblem { sigma: args.problem.sigma, failures: &failures };
    let threads = args.workers.map_or(Threads::PerCore, Threads::Exactly);
    let options = SolverOptions { tolerance: args.error, threads };
    let solution = solve(&graph, args.problem.definition.into(), &[problem], options);
    let seconds = start.elapsed().as_secs_f64();
    let scores = solution.scores.first().map_or(&[][..], Vec::as_slice);
    write_scores(&args.out, scores).map_err(|error| EvalError::File(args.out.clone(), error))?;
    let report = SolutionReport {
        seconds,
        sweeps: solution.sweeps,
        edges: graph.link_count(),
        pages: scores.len(),
        followed: solution.links_followed,
        error: solution.max_error,
        reading_seconds,
        nanoseconds_per_edge: nanoseconds(seconds, graph.link_count()),
        pagerank: args.measure_pagerank.then(|| pagerank::measure(&graph)),
    };
    print(&report)
}

impl ProblemArgs {
    /// Reads the graph and its dead pages.
    fn read(&self) -> Result<(CsrGraph, FailureProbabilities), EvalError> {
        use relink_decay::Graph as _;
        let graph = read_graph(&self.graph)?;
        let dead = read_dead(&self.dead)?;
        let failures = FailureProbabilities::from_failing_pages(graph.pages(), &dead)
            .map_err(|error| EvalError::Graph(self.dead.clone(), error.to_string()))?;
        Ok((graph, failures))
    }
}

/// Writes a file with the number and the score of each page.
fn write_scores(path: &Path, scores: &[Decay]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "node,decay")?;
    for (node, decay) in scores.iter().enumerate() {
        writeln!(out, "{node},{}", decay.get())?;
    }
    out.flush()
}

/// Prints a line of JSON.
fn print(report: &impl Serialize) -> Result<(), EvalError> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, report).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "three digits matter")]
fn nanoseconds(seconds: f64, edges: usize) -> f64 {
    seconds * 1e9 / edges.max(1) as f64
}
