//! `extract`: prints the links of documents.
//!
//! Nothing is fetched, resolved or stored. One thread per core reads documents
//! and renders their links into buffers. The buffers are written in the order
//! of the documents. Memory use is bounded by one document per thread and a
//! fixed number of buffers.
//!
//! A document that cannot be read is reported as a problem and does not end the
//! extraction.

mod document;
mod ordered_output;

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use jiff::civil::Date;
use relink_page::{Column, DocumentFormat};
use relink_ports::{DocumentSource, FileError, Files, WalkRequest, WalkResult};
use relink_report::extract::LinkFormat;

use self::document::{RenderedPart, Worker};
use self::ordered_output::OrderedOutput;
use relink_requests::isolate;

/// Maximum number of stored problems. Further problems are only counted.
const MAX_PROBLEMS: usize = 1000;

/// Name of standard input in the output.
const STDIN: &str = "-";

/// Settings of an extraction.
#[derive(Debug, Clone)]
pub struct ExtractSettings {
    /// Files, directories and globs, as given by the user.
    pub paths: Vec<PathBuf>,
    /// Format of all documents, regardless of their names.
    pub format: Option<DocumentFormat>,
    /// Table column with the URLs.
    pub column: Option<Column>,
    /// Output format of links.
    pub link_format: LinkFormat,
    /// Current date, for directives with an expiry date.
    pub today: Date,
}

/// Statistics and problems of an extraction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractSummary {
    /// Documents read, completely or partly.
    pub documents: u64,
    /// Links found, including skipped ones.
    pub links: u64,
    /// Links that `relink check` would not check.
    pub skipped: u64,
    /// Number of problems.
    pub problems: u64,
    /// The first problems.
    pub first_problems: Vec<ExtractProblem>,
}

/// Part of an input that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractProblem {
    /// The path of the document, or the input as given.
    pub path: String,
    /// The line, from 1, if there is one.
    pub line: Option<u32>,
    /// The message.
    pub text: String,
}

/// Standard input as a stream.
pub type StdinReader = Box<dyn Read + Send>;

/// Extracts links and passes them to `write` as text, in the order of the
/// documents. Standard input, if present, comes last.
///
/// Blocks the thread until all documents are processed.
///
/// # Errors
///
/// If `write` fails. No other error ends an extraction.
pub async fn extract(
    files: &dyn Files,
    settings: &ExtractSettings,
    stdin: Option<StdinReader>,
    write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
) -> io::Result<ExtractSummary> {
    let (sources, path_problems) = find_documents(files, &settings.paths).await;
    let mut summary = ExtractSummary::default();
    for problem in path_problems {
        summary.add_problem(problem);
    }
    let count = sources.len() + usize::from(stdin.is_some());
    let documents = Documents { files: &sources, stdin: Mutex::new(stdin), count };
    let mut sink = |part: RenderedPart| summary.add(part, write);
    let output = OrderedOutput::new(documents.count, &mut sink);
    let threads = available_parallelism().map_or(1, usize::from).min(documents.count.max(1));
    // This thread is one of the threads.
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(files, settings, &documents, &output));
        }
        work(files, settings, &documents, &output);
    });
    output.finish()?;
    Ok(summary)
}

/// All documents, in order. Standard input comes after the files.
struct Documents<'a> {
    files: &'a [DocumentSource],
    /// Standard input, until a thread takes it.
    stdin: Mutex<Option<StdinReader>>,
    /// Number of documents, including standard input.
    count: usize,
}

impl Documents<'_> {
    fn take_stdin(&self) -> Option<StdinReader> {
        self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Renders documents until none is left. Each thread runs this loop.
fn work(
    files: &dyn Files,
    settings: &ExtractSettings,
    documents: &Documents<'_>,
    output: &OrderedOutput<'_, RenderedPart>,
) {
    let mut worker = Worker::new(settings);
    while let Some(index) = output.next_index() {
        let mut push_part = |part| output.push_part(index, part);
        let source = documents.files.get(index);
        let label = source.map_or(STDIN, |source| &source.label);
        let last_part = isolate(label, || match source {
            Some(source) => worker.read_file(files, source, &mut push_part),
            None => documents.take_stdin().map_or_else(RenderedPart::default, |stdin| {
                worker.read_stream(STDIN, stdin, &mut push_part)
            }),
        });
        let last_part = last_part.unwrap_or_else(|panicked| {
            // The buffers of the old worker may be inconsistent.
            worker = Worker::new(settings);
            RenderedPart::from_panic(label, panicked)
        });
        // The output waits for every document, so finish it after a panic, too.
        output.finish_item(index, last_part);
    }
}

/// Returns the documents of the paths without duplicates, and a problem for
/// each invalid path.
async fn find_documents(
    files: &dyn Files,
    paths: &[PathBuf],
) -> (Vec<DocumentSource>, Vec<ExtractProblem>) {
    let walk = WalkRequest { inputs: paths.to_vec() };
    if let Ok(result) = files.walk(&walk).await {
        return split_walk(result, Vec::new());
    }
    // A walk fails with the first invalid path. Find all of them.
    let (mut valid, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match files.walk(&WalkRequest { inputs: vec![path.clone()] }).await {
            Ok(_) => valid.push(path.clone()),
            Err(error) => {
                problems.push(ExtractProblem::from_file_error(&path.to_string_lossy(), &error));
            }
        }
    }
    // Walk all valid paths together, so that no document is listed twice.
    let sources = files.walk(&WalkRequest { inputs: valid.clone() }).await;
    let result = sources.unwrap_or_else(|error| {
        problems.push(ExtractProblem::from_file_error(error.path(), &error));
        WalkResult::default()
    });
    split_walk(result, problems)
}

/// Returns the documents of a walk, and adds unreadable directories to the
/// problems.
fn split_walk(
    result: WalkResult,
    mut problems: Vec<ExtractProblem>,
) -> (Vec<DocumentSource>, Vec<ExtractProblem>) {
    let unreadable = result.unreadable.iter();
    problems.extend(unreadable.map(|error| ExtractProblem::from_file_error(error.path(), error)));
    (result.documents, problems)
}

impl ExtractSummary {
    fn add(
        &mut self,
        part: RenderedPart,
        write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> io::Result<()> {
        self.documents += u64::from(part.is_document_end);
        self.links += part.links;
        self.skipped += part.skipped;
        for problem in part.problems {
            self.add_problem(problem);
        }
        if part.text.is_empty() { Ok(()) } else { write(&part.text) }
    }

    fn add_problem(&mut self, problem: ExtractProblem) {
        self.problems += 1;
        if self.first_problems.len() < MAX_PROBLEMS {
            self.first_problems.push(problem);
        }
    }
}

impl ExtractProblem {
    fn from_file_error(path: &str, error: &FileError) -> Self {
        let text = match error {
            FileError::Missing { .. } => "no such file or directory".to_owned(),
            FileError::NoMatch { .. } => "no file matches this pattern".to_owned(),
            FileError::InvalidPattern { reason, .. } => format!("invalid pattern: {reason}"),
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
