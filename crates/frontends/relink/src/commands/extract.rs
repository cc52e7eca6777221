//! `relink extract`: which links do these documents hold?

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use relink_engine::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
use relink_files::{Bounded, LocalFiles, LocalFilesSettings, MAX_DOCUMENT_BYTES};
use relink_ports::Clock as _;
use relink_report::extract::{
    ExtractProblemRow, LinkFormat, LinkReportTail, LinkSummary, problem_line, report_ending,
    report_opening,
};
use relink_report::{redact, redact_prose};

use crate::cli::{ExtractArgs, ExtractFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::panic_hook;

/// Bytes that are written at a time.
const WRITTEN_AT_ONCE: usize = 1 << 18;

/// The input that stands for standard input.
const STDIN: &str = "-";

/// Extracts.
pub async fn run(args: ExtractArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    let (settings, stdin) = settings(&args)?;
    let disk = LocalFiles::new(LocalFilesSettings::default());
    let mut page = LinkOutput::new(args.format);
    let extracted = extract(&disk, &settings, stdin, &mut |text| page.write(text)).await;
    let written = extracted.and_then(|extracted| {
        if !is_void(&extracted) {
            page.finish(&extracted)?;
        }
        Ok(extracted)
    });
    match written {
        // Whoever read our results has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Clean),
        Err(error) => {
            Err(CommandError::internal("cannot write the links").cause(error.to_string()))
        }
        Ok(extracted) if is_void(&extracted) => Err(nothing_read(&extracted)),
        Ok(extracted) => {
            if !face.quiet {
                print_problems(&extracted);
            }
            Ok(Exit::Clean)
        }
    }
}

fn settings(args: &ExtractArgs) -> Result<(ExtractSettings, Option<StdinReader>), CommandError> {
    let is_address = |input: &&str| input.starts_with("http://") || input.starts_with("https://");
    if let Some(address) = args.inputs.iter().filter_map(|input| input.to_str()).find(is_address) {
        return Err(CommandError::usage(format!("cannot extract from `{address}`"))
            .cause("nothing is fetched here")
            .hint(format!("`relink check {address}` checks the links of a page")));
    }
    let (stdin, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.inputs.iter().map(PathBuf::from).partition(|input| input == Path::new(STDIN));
    let now = RunClock::start()?.now();
    let stdin = (!stdin.is_empty()).then(stdin_reader);
    let settings = ExtractSettings {
        paths,
        format: args.read_as,
        column: args.column.as_deref().map(Into::into),
        shape: match args.format {
            ExtractFormat::Human => LinkFormat::Human,
            ExtractFormat::Json => LinkFormat::JsonMember,
            ExtractFormat::Jsonl => LinkFormat::JsonLine,
        },
        today: now.to_zoned(TimeZone::UTC).date(),
    };
    Ok((settings, stdin))
}

/// Standard input, read up to the limit of a document.
fn stdin_reader() -> StdinReader {
    Box::new(Bounded::new(io::stdin(), MAX_DOCUMENT_BYTES))
}

/// Where links are written to. A JSON document is begun with its first link or
/// at its end, so that an extraction of nothing leaves no half of one behind.
struct LinkOutput {
    out: BufWriter<io::Stdout>,
    is_document: bool,
    is_begun: bool,
}

impl LinkOutput {
    fn new(format: ExtractFormat) -> Self {
        Self {
            out: BufWriter::with_capacity(WRITTEN_AT_ONCE, io::stdout()),
            is_document: format == ExtractFormat::Json,
            is_begun: false,
        }
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let is_first = !self.is_begun;
        self.begin()?;
        // The first member of a list has no comma before it.
        let text = if is_first && self.is_document { &text[1..] } else { text };
        self.out.write_all(text)
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.is_document && !self.is_begun {
            self.out.write_all(&report_opening(env!("CARGO_PKG_VERSION")))?;
        }
        self.is_begun = true;
        Ok(())
    }

    fn finish(&mut self, extracted: &ExtractSummary) -> io::Result<()> {
        self.begin()?;
        if self.is_document {
            self.out.write_all(&report_ending(&tail(extracted))?)?;
        }
        self.out.flush()
    }
}

fn tail(extracted: &ExtractSummary) -> LinkReportTail<'_> {
    LinkReportTail {
        problems: extracted.first_problems.iter().map(row).collect(),
        summary: LinkSummary {
            documents: extracted.documents,
            links: extracted.links,
            skipped: extracted.skipped,
            problems: extracted.problems,
        },
    }
}

fn row(problem: &ExtractProblem) -> ExtractProblemRow<'_> {
    ExtractProblemRow {
        path: redact(&problem.path),
        line: problem.line,
        text: redact_prose(&problem.text),
    }
}

/// Whether there was something to read and nothing could be.
fn is_void(extracted: &ExtractSummary) -> bool {
    extracted.documents == 0 && extracted.problems > 0
}

fn nothing_read(extracted: &ExtractSummary) -> CommandError {
    let problems = extracted.first_problems.iter().take(10);
    let nothing = "nothing could be read";
    let is_ours = panic_hook::has_panicked();
    let failure =
        if is_ours { CommandError::internal(nothing) } else { CommandError::usage(nothing) };
    let failure =
        problems.fold(failure, |failure, problem| failure.cause(problem_line(&row(problem))));
    failure.hint("give files, directories, globs or `-`")
}

#[expect(clippy::print_stderr, reason = "problems stand beside the links")]
fn print_problems(extracted: &ExtractSummary) {
    for problem in &extracted.first_problems {
        eprintln!("problem: {}", problem_line(&row(problem)));
    }
    let kept = extracted.first_problems.len() as u64;
    if extracted.problems > kept {
        eprintln!("problem: and {} more", extracted.problems - kept);
    }
}
