//! Renders the links of one document as text.
//!
//! A document is read into a buffer. A large document is read in *windows* instead: one
//! section of limited size after the other. The text is passed on in *parts*, so that memory
//! use does not depend on the number of links. A *directive* is a `relink:ignore` comment.

use std::io::{self, Cursor, ErrorKind, Read};

use relink_model::{Link, LinkTarget, SkipReason};
use relink_page::{
    DocumentFormat, DocumentInfo, IgnoreDirective, Options, WindowedExtractor, for_each_link_with,
    ignore_directives,
};
use relink_ports::{DocumentSource, Files};
use relink_report::extract::LinkWriter;

use super::ordered_output::OutputChunk;
use super::{ExtractProblem, ExtractSettings, STDIN};
use crate::binary::binary_problem;
use crate::decompress::{DecompressError, DecompressLimits, GzipReader, inner_name, is_gzip};
use crate::reserved::is_reserved_url;
use crate::{LARGE_DOCUMENT_SIZE, WINDOW_SIZE};
use relink_requests::Panicked;

/// Size in bytes at which a part of a document is passed on.
const PART_SIZE: usize = 256 << 10;

/// Initial size of the read buffer in bytes.
const INITIAL_BUFFER: usize = 64 << 10;

/// Maximum size in bytes of a buffer that is used again for the next document.
const MAX_REUSED_BUFFER: usize = 4 << 20;

/// Rendered part of a document.
#[derive(Debug, Default)]
pub(super) struct RenderedPart {
    /// The links as text.
    pub(super) text: Vec<u8>,
    /// Number of links.
    pub(super) links: u64,
    /// Number of links that `relink check` would not check.
    pub(super) skipped: u64,
    /// Parts that could not be read.
    pub(super) problems: Vec<ExtractProblem>,
    /// Whether this is the last part of a document that was read.
    pub(super) is_document_end: bool,
}

impl RenderedPart {
    /// Returns the output for a document that could not be read.
    fn from_problem(problem: ExtractProblem) -> Self {
        Self { problems: vec![problem], ..Self::default() }
    }

    /// Returns the output for a document whose parser panicked.
    pub(super) fn from_panic(label: &str, panicked: Panicked) -> Self {
        Self::from_problem(problem(label, None, panicked.to_string()))
    }
}

impl OutputChunk for RenderedPart {
    fn size(&self) -> usize {
        self.text.len()
    }
}

/// Receives a part of an unfinished document. Returns whether more is accepted.
pub(super) type PartSink<'a> = &'a mut dyn FnMut(RenderedPart) -> bool;

/// State of one thread.
pub(super) struct Worker<'a> {
    settings: &'a ExtractSettings,
    /// Read buffer, which grows with the largest document so far.
    buffer: Vec<u8>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(settings: &'a ExtractSettings) -> Self {
        Self { settings, buffer: vec![0; INITIAL_BUFFER] }
    }

    /// Reads a file. Returns its last part.
    pub(super) fn read_file(
        &mut self,
        files: &dyn Files,
        source: &DocumentSource,
        sink: PartSink<'_>,
    ) -> RenderedPart {
        match files.open(&source.path) {
            Ok(file) => self.read_stream(&source.label, file, sink),
            Err(error) => {
                RenderedPart::from_problem(ExtractProblem::from_file_error(&source.label, &error))
            }
        }
    }

    /// Reads a document from a stream. Returns its last part.
    pub(super) fn read_stream(
        &mut self,
        label: &str,
        mut file: impl Read,
        sink: PartSink<'_>,
    ) -> RenderedPart {
        let head = self.fill(&mut file);
        if !is_gzip(&self.buffer[..head.length]) {
            return self.read(label, head, file, sink);
        }
        // The buffer is needed for the decompressed document.
        let bytes = std::mem::replace(&mut self.buffer, vec![0; INITIAL_BUFFER]);
        let compressed = (&bytes[..head.length]).chain(file);
        let mut part = self.read_gzip(label, compressed, sink);
        if let DocumentEnd::InBuffer(Some(error)) = head.end {
            part.problems.push(read_problem(label, &error));
        }
        part
    }

    /// Reads a compressed document from a stream. Returns its last part.
    fn read_gzip(
        &mut self,
        label: &str,
        compressed: impl Read,
        sink: PartSink<'_>,
    ) -> RenderedPart {
        let mut decompressed = GzipReader::new(compressed, DecompressLimits::default());
        let head = self.fill(&mut decompressed);
        self.read(label, head, decompressed, sink)
    }

    /// Reads a document whose first bytes are in the buffer.
    fn read(
        &mut self,
        label: &str,
        head: BufferedHead,
        rest: impl Read,
        sink: PartSink<'_>,
    ) -> RenderedPart {
        let error = match head.end {
            DocumentEnd::BeyondBuffer => return self.read_windows(label, head.length, rest, sink),
            DocumentEnd::InBuffer(error) => error.map(|error| read_problem(label, &error)),
        };
        if head.length == 0
            && let Some(problem) = error
        {
            return RenderedPart::from_problem(problem);
        }
        let mut part = read_whole(self.settings, label, &self.buffer[..head.length], sink);
        part.problems.extend(error);
        if self.buffer.len() > MAX_REUSED_BUFFER {
            self.buffer = vec![0; INITIAL_BUFFER];
        }
        part
    }

    /// Reads a large document in windows. Its first bytes are in the buffer.
    fn read_windows(
        &mut self,
        label: &str,
        length: usize,
        rest: impl Read,
        sink: PartSink<'_>,
    ) -> RenderedPart {
        let head = std::mem::replace(&mut self.buffer, vec![0; INITIAL_BUFFER]);
        let (format, options) = read_options(self.settings, label, &head[..length]);
        let binary = binary_problem(self.settings.format, &head[..length]);
        let document = Cursor::new(head).take(length as u64).chain(rest);
        let mut windows = WindowedExtractor::new(format, &options, WINDOW_SIZE, document);
        let mut renderer = DocumentRenderer::new(self.settings, label, sink);
        while renderer.is_accepted && windows.next_window() {
            renderer.add_invalid_directives(windows.new_directives());
            renderer.directives = windows.directives().to_vec();
            let info = windows.for_each_link(&mut |link| renderer.add(&link));
            renderer.add_problems(info);
        }
        let mut part = renderer.finish();
        part.problems.extend(binary.map(|text| problem(label, None, text.to_owned())));
        part.problems.extend(windows.into_error().map(|error| read_problem(label, &error)));
        part
    }

    /// Fills the buffer up to the size of a large document.
    fn fill(&mut self, document: &mut impl Read) -> BufferedHead {
        let mut length = 0;
        loop {
            if length >= LARGE_DOCUMENT_SIZE {
                return BufferedHead { length, end: DocumentEnd::BeyondBuffer };
            }
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            match document.read(&mut self.buffer[length..]) {
                Ok(0) => return BufferedHead { length, end: DocumentEnd::InBuffer(None) },
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return BufferedHead { length, end: DocumentEnd::InBuffer(Some(error)) };
                }
            }
        }
    }
}

/// The first part of a document, which is in the buffer.
struct BufferedHead {
    /// Number of bytes.
    length: usize,
    end: DocumentEnd,
}

/// The position of the end of a document.
enum DocumentEnd {
    /// The whole document is in the buffer, or the part before a read error.
    InBuffer(Option<io::Error>),
    /// The buffer contains only the first part of the document.
    BeyondBuffer,
}

/// Returns the format and options of a document.
fn read_options(settings: &ExtractSettings, label: &str, head: &[u8]) -> (DocumentFormat, Options) {
    let name = (label != STDIN).then(|| inner_name(label));
    let format = settings.format.unwrap_or_else(|| DocumentFormat::from_file(name, head));
    let column = settings.column.clone();
    (format, Options { column, ..name.map(Options::from_file_name).unwrap_or_default() })
}

/// Renders a document that is completely in memory. Returns its last part.
fn read_whole(
    settings: &ExtractSettings,
    label: &str,
    bytes: &[u8],
    sink: PartSink<'_>,
) -> RenderedPart {
    let (format, options) = read_options(settings, label, bytes);
    let mut renderer = DocumentRenderer::new(settings, label, sink);
    renderer.directives = ignore_directives(format, bytes);
    let info = for_each_link_with(format, bytes, &options, &mut |link| renderer.add(&link));
    let directives = std::mem::take(&mut renderer.directives);
    renderer.add_invalid_directives(&directives);
    renderer.add_problems(info);
    let mut part = renderer.finish();
    let binary = binary_problem(settings.format, bytes);
    part.problems.extend(binary.map(|text| problem(label, None, text.to_owned())));
    part
}

fn read_problem(label: &str, error: &io::Error) -> ExtractProblem {
    let decompress_error =
        error.get_ref().and_then(|inner| inner.downcast_ref::<DecompressError>());
    let text =
        decompress_error.map_or_else(|| format!("cannot be read: {error}"), ToString::to_string);
    problem(label, None, text)
}

fn problem(path: &str, line: Option<u32>, text: String) -> ExtractProblem {
    ExtractProblem { path: path.to_owned(), line, text }
}

/// Renders the links of a document.
struct DocumentRenderer<'a> {
    settings: &'a ExtractSettings,
    label: &'a str,
    /// Directives, in the order of their lines.
    directives: Vec<IgnoreDirective>,
    writer: LinkWriter,
    /// The current part.
    part: RenderedPart,
    sink: PartSink<'a>,
    /// Whether the sink accepts further parts.
    is_accepted: bool,
}

impl<'a> DocumentRenderer<'a> {
    fn new(settings: &'a ExtractSettings, label: &'a str, sink: PartSink<'a>) -> Self {
        let writer = LinkWriter::new(settings.link_format, label);
        let (directives, part) = Default::default();
        Self { settings, label, directives, writer, part, sink, is_accepted: true }
    }

    /// Renders a link, and passes the part on if it is full.
    fn add(&mut self, link: &Link) {
        let skip_reason = self.skip_reason(link);
        self.part.links += 1;
        self.part.skipped += u64::from(skip_reason.is_some());
        self.writer.write(&mut self.part.text, link, skip_reason);
        if self.part.text.len() >= PART_SIZE {
            let buffer = Vec::with_capacity(self.part.text.capacity());
            let next = RenderedPart { text: buffer, ..RenderedPart::default() };
            let part = std::mem::replace(&mut self.part, next);
            // If the sink accepts nothing more (a closed pipe), the remaining links are
            // rendered and discarded. That is simpler than aborting every extractor.
            self.is_accepted = self.is_accepted && (self.sink)(part);
        }
    }

    /// Returns why `relink check` would not check a link.
    fn skip_reason(&self, link: &Link) -> Option<SkipReason> {
        if let LinkTarget::Skipped(_, reason) = link.target {
            return Some(reason);
        }
        if self.is_reserved(link) {
            return Some(SkipReason::Reserved);
        }
        // A line has at most one directive, and a directive extends at most to the next
        // line of text. So only the last two directives before the link can apply.
        let end = self
            .directives
            .partition_point(|directive| *directive.lines.start() <= link.location.line);
        let mut candidates = self.directives[end.saturating_sub(2)..end].iter();
        candidates
            .any(|directive| self.ignores_link(directive, link))
            .then_some(SkipReason::Ignored)
    }

    /// Whether the link is skipped because its host is reserved for examples. A link on
    /// standard input is not skipped, because the user passed it on purpose.
    fn is_reserved(&self, link: &Link) -> bool {
        let LinkTarget::Web(text) = &link.target else { return false };
        self.label != STDIN && is_reserved_url(text)
    }

    /// Whether a directive ignores the link, not only some of its findings.
    fn ignores_link(&self, directive: &IgnoreDirective, link: &Link) -> bool {
        directive.covers(link.location.line)
            && directive.codes.is_empty()
            && directive.invalid_token.is_none()
            && directive.until.is_none_or(|date| self.settings.today <= date)
    }

    /// Adds the problems of the document.
    fn add_problems(&mut self, info: DocumentInfo) {
        let problems = info.problems.into_iter();
        let problems = problems.map(|found| problem(self.label, Some(found.line), found.text));
        self.part.problems.extend(problems);
    }

    /// Adds the invalid directives as problems.
    fn add_invalid_directives(&mut self, directives: &[IgnoreDirective]) {
        for directive in directives {
            if let Some(token) = &directive.invalid_token {
                let text = format!("invalid `relink:ignore` at `{token}`");
                self.part.problems.push(problem(self.label, Some(*directive.lines.start()), text));
            }
        }
    }

    /// Returns the last part.
    fn finish(mut self) -> RenderedPart {
        self.part.is_document_end = true;
        self.part
    }
}
