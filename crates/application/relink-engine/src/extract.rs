//! `extract`: which links do these documents hold?
//!
//! Nothing is asked, resolved or stored. As many threads as there are cores
//! take documents one by one; each reads, extracts and renders into a buffer
//! of its own, and the buffers come out in the order of the documents. What is
//! in memory at a time is a document for each thread and a bounded number of
//! buffers, however large the tree.
//!
//! What cannot be read is a problem beside the links, never the end.

mod document;
mod in_order;

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use jiff::civil::Date;
use relink_page::{Column, DocumentFormat};
use relink_ports::{DocumentSource, FileError, Files, WalkRequest, WalkResult};
use relink_report::extract::LinkFormat;

use self::document::{RenderedPart, Worker};
use self::in_order::OrderedOutput;
use crate::isolation::isolate;

/// Problems that are kept; more are only counted.
const PROBLEMS_KEPT: usize = 1000;

/// The path that stands for standard input.
const STDIN: &str = "-";

/// What to extract, and how.
#[derive(Debug, Clone)]
pub struct ExtractSettings {
    /// Files, directories and globs, as the user gave them.
    pub paths: Vec<PathBuf>,
    /// The format of every document, whatever its name.
    pub format: Option<DocumentFormat>,
    /// The column of tables that holds the addresses.
    pub column: Option<Column>,
    /// What links are written as.
    pub shape: LinkFormat,
    /// The day, for notes that hold until one.
    pub today: Date,
}

/// What was extracted, in numbers, and what could not be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractSummary {
    /// Documents read, if only in part.
    pub documents: u64,
    /// Links found, those that are skipped among them.
    pub links: u64,
    /// Links that are not to be checked.
    pub skipped: u64,
    /// Problems met.
    pub problems: u64,
    /// The first of them.
    pub first_problems: Vec<ExtractProblem>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractProblem {
    /// The document's path, or the input as given.
    pub path: String,
    /// The line, from 1, if it is about one.
    pub line: Option<u32>,
    /// What is wrong, in plain words.
    pub text: String,
}

/// Standard input, read as it comes.
pub type StdinReader = Box<dyn Read + Send>;

/// Extracts links and hands them to `write` as text, in the order of the
/// documents; standard input, if it is one of the inputs, comes last.
///
/// It takes the thread it is called on until all is done.
///
/// # Errors
///
/// If `write` fails. Nothing else ends an extraction.
pub async fn extract(
    files: &dyn Files,
    settings: &ExtractSettings,
    stdin: Option<StdinReader>,
    write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
) -> io::Result<ExtractSummary> {
    let (found, errors) = find(files, &settings.paths).await;
    let mut extracted = ExtractSummary::default();
    for problem in errors {
        extracted.add_problem(problem);
    }
    let count = found.len() + usize::from(stdin.is_some());
    let documents = Documents { found: &found, stdin: Mutex::new(stdin), count };
    let mut take = |part: RenderedPart| extracted.add(part, write);
    let desk = OrderedOutput::new(documents.count, &mut take);
    let threads = available_parallelism().map_or(1, usize::from).min(documents.count.max(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(files, settings, &documents, &desk));
        }
        work(files, settings, &documents, &desk);
    });
    desk.finish()?;
    Ok(extracted)
}

/// All that is to be read, in order.
struct Documents<'a> {
    found: &'a [DocumentSource],
    /// Standard input, until somebody takes it.
    stdin: Mutex<Option<StdinReader>>,
    /// How many there are.
    count: usize,
}

impl Documents<'_> {
    fn take_stdin(&self) -> Option<StdinReader> {
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What one thread does.
fn work(
    files: &dyn Files,
    settings: &ExtractSettings,
    documents: &Documents<'_>,
    desk: &OrderedOutput<'_, RenderedPart>,
) {
    let mut worker = Worker::new(settings);
    while let Some(ticket) = desk.draw() {
        let mut hand_in_part = |part| desk.hand_in_part(ticket, part);
        let source = documents.found.get(ticket);
        let label = source.map_or(STDIN, |source| &source.label);
        let last = isolate(label, || match source {
            Some(source) => worker.read_file(files, source, &mut hand_in_part),
            None => documents.take_stdin().map_or_else(RenderedPart::default, |stdin| {
                worker.read_stream(STDIN, stdin, &mut hand_in_part)
            }),
        });
        let last = last.unwrap_or_else(|panicked| {
            worker = Worker::new(settings);
            RenderedPart::of_panic(label, panicked)
        });
        // The other threads wait for every ticket, whatever becomes of it.
        desk.hand_in(ticket, last);
    }
}

/// The documents that the paths stand for, each once, and what stands for
/// none.
async fn find(files: &dyn Files, paths: &[PathBuf]) -> (Vec<DocumentSource>, Vec<ExtractProblem>) {
    let walk = WalkRequest { inputs: paths.to_vec() };
    if let Ok(walked) = files.walk(&walk).await {
        return sorted_out(walked, Vec::new());
    }
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match files.walk(&WalkRequest { inputs: vec![path.clone()] }).await {
            Ok(_) => good.push(path.clone()),
            Err(error) => problems.push(ExtractProblem::of_file(&path.to_string_lossy(), &error)),
        }
    }
    // Walked together again, so that no document comes twice.
    let found = files.walk(&WalkRequest { inputs: good.clone() }).await;
    let walked = found.unwrap_or_else(|error| {
        problems.push(ExtractProblem::of_file(error.path(), &error));
        WalkResult::default()
    });
    sorted_out(walked, problems)
}

/// The documents of a walk, and what could not be looked into among the
/// problems.
fn sorted_out(
    walked: WalkResult,
    mut problems: Vec<ExtractProblem>,
) -> (Vec<DocumentSource>, Vec<ExtractProblem>) {
    let unreadable = walked.unreadable.iter();
    problems.extend(unreadable.map(|error| ExtractProblem::of_file(error.path(), error)));
    (walked.documents, problems)
}

impl ExtractSummary {
    fn add(
        &mut self,
        part: RenderedPart,
        write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> io::Result<()> {
        self.documents += u64::from(part.is_read);
        self.links += part.links;
        self.skipped += part.skipped;
        for problem in part.problems {
            self.add_problem(problem);
        }
        if part.text.is_empty() { Ok(()) } else { write(&part.text) }
    }

    fn add_problem(&mut self, problem: ExtractProblem) {
        self.problems += 1;
        if self.first_problems.len() < PROBLEMS_KEPT {
            self.first_problems.push(problem);
        }
    }
}

impl ExtractProblem {
    fn of_file(path: &str, error: &FileError) -> Self {
        let text = match error {
            FileError::Missing { .. } => "there is no such file or directory".to_owned(),
            FileError::NoMatch { .. } => "no file matches this pattern".to_owned(),
            FileError::BadPattern { reason, .. } => format!("this is no pattern: {reason}"),
            FileError::Unreadable { path: inner, source } if inner == path => {
                format!("cannot be read: {source}")
            }
            FileError::Unreadable { path: inner, source } => {
                format!("`{inner}` cannot be read: {source}")
            }
        };
        Self { path: path.to_owned(), line: None, text }
    }
}

#[cfg(test)]
mod tests;
