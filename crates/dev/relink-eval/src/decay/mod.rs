//! `relink-eval decay`: the exact score of every page of a web graph.

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

/// Which graph, and which question about it.
#[derive(Args)]
pub struct Question {
    /// A graph in the format of `webgraph`: `BASENAME.graph`, `BASENAME.properties`
    #[arg(long, value_name = "BASENAME")]
    graph: PathBuf,
    /// The dead pages, one number a line
    #[arg(long, value_name = "IDS.txt")]
    dead: PathBuf,
    /// Which definition of the paper
    #[arg(long, default_value = "plain")]
    form: FormName,
    /// How likely a surfer is content with a living page
    #[arg(long, default_value = "0.1", value_parser = sigma)]
    sigma: Sigma,
}

/// What to solve.
#[derive(Args)]
pub struct DecayArgs {
    #[command(flatten)]
    question: Question,
    /// The largest error of any score
    #[arg(long, default_value_t = 1e-9, value_name = "NUMBER")]
    error: f64,
    /// How many threads; as many as there are cores unless said
    #[arg(long, value_name = "NUMBER")]
    workers: Option<NonZeroUsize>,
    /// Where to write `node,decay`
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Also time sweeps of page rank over the same graph
    #[arg(long)]
    beside_pagerank: bool,
}

/// The names of the forms.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
pub enum FormName {
    /// The surfer's process
    Plain,
    /// The formal definition, with a link from each page to itself
    SelfLoop,
}

impl From<FormName> for DecayDefinition {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Plain => Self::Plain,
            FormName::SelfLoop => Self::SelfLoop,
        }
    }
}

fn sigma(text: &str) -> Result<Sigma, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    Sigma::new(number).map_err(|error: ScoreError| error.to_string())
}

/// What it took.
#[derive(Debug, Serialize)]
struct Account {
    /// From the table of links to the scores.
    seconds: f64,
    sweeps: u32,
    edges: usize,
    pages: usize,
    /// Links followed, over all sweeps and components.
    followed: u64,
    /// No score is further off than this.
    error: f64,
    /// For reading and expanding the graph's files.
    reading_seconds: f64,
    nanoseconds_per_edge: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagerank: Option<pagerank::Account>,
}

/// Solves, writes the scores, and prints what it took.
pub fn run(args: &DecayArgs) -> Result<(), EvalError> {
    let start = Instant::now();
    let (graph, failures) = args.question.read()?;
    let reading_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let case = DecayProblem { sigma: args.question.sigma, failures: &failures };
    let workers = args.workers.map_or(Threads::Cores, Threads::Exactly);
    let effort = SolverOptions { error: args.error, workers };
    let solution = solve(&graph, args.question.form.into(), &[case], effort);
    let seconds = start.elapsed().as_secs_f64();
    let scores = solution.scores.first().map_or(&[][..], Vec::as_slice);
    write_scores(&args.out, scores).map_err(|error| EvalError::File(args.out.clone(), error))?;
    let account = Account {
        seconds,
        sweeps: solution.sweeps,
        edges: graph.link_count(),
        pages: scores.len(),
        followed: solution.followed,
        error: solution.error,
        reading_seconds,
        nanoseconds_per_edge: nanoseconds(seconds, graph.link_count()),
        pagerank: args.beside_pagerank.then(|| pagerank::measure(&graph)),
    };
    print(&account)
}

impl Question {
    /// The graph, and which of its pages are dead.
    fn read(&self) -> Result<(CsrGraph, FailureProbabilities), EvalError> {
        use relink_decay::Graph as _;
        let graph = read_graph(&self.graph)?;
        let dead = read_dead(&self.dead)?;
        let failures = FailureProbabilities::of_pages(graph.pages(), &dead)
            .map_err(|error| EvalError::Graph(self.dead.clone(), error.to_string()))?;
        Ok((graph, failures))
    }
}

fn write_scores(path: &Path, scores: &[Decay]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "node,decay")?;
    for (node, decay) in scores.iter().enumerate() {
        writeln!(out, "{node},{}", decay.get())?;
    }
    out.flush()
}

/// Prints one line of JSON.
fn print(account: &impl Serialize) -> Result<(), EvalError> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, account).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "three digits matter")]
fn nanoseconds(seconds: f64, edges: usize) -> f64 {
    seconds * 1e9 / edges.max(1) as f64
}
