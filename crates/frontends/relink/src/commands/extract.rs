//! `relink extract`: prints the links of documents.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use relink_documents::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
use relink_files::{BoundedReader, LocalFiles, LocalFilesSettings, MAX_DOCUMENT_BYTES};
use relink_ports::Clock as _;
use relink_report::extract::{
    ExtractProblemRow, LinkFormat, LinkReportTail, LinkSummary, problem_line, report_end,
    report_start,
};
use relink_report::{redact, redact_prose};

use crate::cli::{ExtractArgs, ExtractFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::panic_hook;

/// Size of the output buffer in bytes.
const OUTPUT_BUFFER: usize = 1 << 18;

/// Maximum number of problems in the error if no document could be read.
const MAX_CAUSES: usize = 10;

/// The argument for standard input.
const STDIN: &str = "-";

/// Runs `relink extract`.
pub async fn run(args: ExtractArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let (settings, stdin) = settings(&args)?;
    let disk = LocalFiles::new(LocalFilesSettings::default());
    let mut output = LinkOutput::new(args.format);
    let summary = write_links(&disk, &settings, stdin, &mut output).await;
    match summary {
        // The reader of the output, such as `head`, closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Clean),
        Err(error) => {
            Err(CommandError::internal("cannot write the links").cause(error.to_string()))
        }
        Ok(summary) if has_only_problems(&summary) => Err(no_document_error(&summary)),
        Ok(summary) => {
            if !global.quiet {
                print_problems(&summary);
            }
            Ok(Exit::Clean)
        }
    }
}

/// Writes all links to the output. If no document could be read, writes nothing.
async fn write_links(
    disk: &LocalFiles,
    settings: &ExtractSettings,
    stdin: Option<StdinReader>,
    output: &mut LinkOutput,
) -> io::Result<ExtractSummary> {
    let summary = extract(disk, settings, stdin, &mut |text| output.write(text)).await?;
    if !has_only_problems(&summary) {
        output.finish(&summary)?;
    }
    Ok(summary)
}

/// Returns the settings, and standard input if it is one of the inputs.
fn settings(args: &ExtractArgs) -> Result<(ExtractSettings, Option<StdinReader>), CommandError> {
    let is_url = |input: &&str| input.starts_with("http://") || input.starts_with("https://");
    if let Some(url) = args.inputs.iter().filter_map(|input| input.to_str()).find(is_url) {
        return Err(CommandError::usage(format!("cannot extract from `{url}`"))
            .cause("`relink extract` sends no requests")
            .hint(format!("use `relink check {url}` to check the links of a page")));
    }
    let mut paths: Vec<PathBuf> = args.inputs.iter().map(PathBuf::from).collect();
    let has_stdin = paths.iter().any(|input| input == Path::new(STDIN));
    paths.retain(|input| input != Path::new(STDIN));
    let now = RunClock::start()?.now();
    let stdin = has_stdin.then(stdin_reader);
    let settings = ExtractSettings {
        paths,
        format: args.read_as,
        column: args.column.as_deref().map(Into::into),
        link_format: match args.format {
            ExtractFormat::Human => LinkFormat::Human,
            ExtractFormat::Json => LinkFormat::JsonMember,
            ExtractFormat::Jsonl => LinkFormat::JsonLine,
        },
        today: now.to_zoned(TimeZone::UTC).date(),
    };
    Ok((settings, stdin))
}

/// Returns standard input, limited to the maximum size of a document.
fn stdin_reader() -> StdinReader {
    Box::new(BoundedReader::new(io::stdin(), MAX_DOCUMENT_BYTES))
}

/// The links on standard output. The start of the JSON document is written together with the
/// first link, so that a failed extraction without links prints nothing.
struct LinkOutput {
    out: BufWriter<io::Stdout>,
    /// Whether the output is one JSON document, not lines.
    is_document: bool,
    is_started: bool,
}

impl LinkOutput {
    fn new(format: ExtractFormat) -> Self {
        Self {
            out: BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout()),
            is_document: format == ExtractFormat::Json,
            is_started: false,
        }
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let is_first = !self.is_started;
        self.start()?;
        // The text of a link starts with a comma, which the first element must not have.
        let text = if is_first && self.is_document { &text[1..] } else { text };
        self.out.write_all(text)
    }

    fn start(&mut self) -> io::Result<()> {
        if self.is_document && !self.is_started {
            self.out.write_all(&report_start(env!("CARGO_PKG_VERSION")))?;
        }
        self.is_started = true;
        Ok(())
    }

    fn finish(&mut self, summary: &ExtractSummary) -> io::Result<()> {
        self.start()?;
        if self.is_document {
            self.out.write_all(&report_end(&report_tail(summary))?)?;
        }
        self.out.flush()
    }
}

fn report_tail(summary: &ExtractSummary) -> LinkReportTail<'_> {
    LinkReportTail {
        problems: summary.first_problems.iter().map(problem_row).collect(),
        summary: LinkSummary {
            documents: summary.documents,
            links: summary.links,
            skipped: summary.skipped,
            problems: summary.problems,
        },
    }
}

fn problem_row(problem: &ExtractProblem) -> ExtractProblemRow<'_> {
    ExtractProblemRow {
        path: redact(&problem.path),
        line: problem.line,
        text: redact_prose(&problem.text),
    }
}

/// Whether problems were found and no document could be read.
fn has_only_problems(summary: &ExtractSummary) -> bool {
    summary.documents == 0 && summary.problems > 0
}

/// Returns the error of an extraction that could read no document.
fn no_document_error(summary: &ExtractSummary) -> CommandError {
    let message = "no document could be read";
    let mut error = if panic_hook::has_panicked() {
        CommandError::internal(message)
    } else {
        CommandError::usage(message)
    };
    for problem in summary.first_problems.iter().take(MAX_CAUSES) {
        error = error.cause(problem_line(&problem_row(problem)));
    }
    error.hint("use files, directories, globs or `-`")
}

#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn print_problems(summary: &ExtractSummary) {
    for problem in &summary.first_problems {
        eprintln!("warning: {}", problem_line(&problem_row(problem)));
    }
    let printed = summary.first_problems.len() as u64;
    if summary.problems > printed {
        eprintln!("warning: {} more problems", summary.problems - printed);
    }
}
