//! One document's links, rendered.

use std::io::{self, Cursor, ErrorKind, Read};

use relink_model::{Link, LinkTarget, SkipReason};
use relink_page::{
    DocumentFormat, DocumentInfo, IgnoreDirective, Options, WindowedExtractor, each_link_with,
    ignore_directives,
};
use relink_ports::{DocumentSource, Files};
use relink_report::extract::LinkWriter;

use super::in_order::OutputChunk;
use super::{ExtractProblem, ExtractSettings, STDIN};
use crate::binary::binary_problem;
use crate::decompress::{Bounds, DecompressError, Unpacking, inner_name, is_packed};
use crate::isolation::Panicked;
use crate::reserved::is_reserved_address;
use crate::{HUGE, WINDOW};

/// Text that is handed in before its document is done, so that a page of a
/// million links needs no more room than this.
const PART: usize = 256 << 10;

/// Room to read a document into, at first.
const ROOM: usize = 64 << 10;

/// The most room that is kept for the next document.
const KEPT: usize = 4 << 20;

/// What of a document has been rendered.
#[derive(Debug, Default)]
pub(super) struct RenderedPart {
    /// The links as text.
    pub(super) text: Vec<u8>,
    /// How many.
    pub(super) links: u64,
    /// How many of them are not to be checked.
    pub(super) skipped: u64,
    /// What could not be read.
    pub(super) problems: Vec<ExtractProblem>,
    /// Whether this is the end of a document that was read.
    pub(super) is_read: bool,
}

impl RenderedPart {
    /// Of a document that could not be read at all.
    fn unread(problem: ExtractProblem) -> Self {
        Self { problems: vec![problem], ..Self::default() }
    }

    /// Of a document whose reading panicked.
    pub(super) fn of_panic(label: &str, panicked: Panicked) -> Self {
        Self::unread(problem(label, None, panicked.to_string()))
    }
}

impl OutputChunk for RenderedPart {
    fn size(&self) -> usize {
        self.text.len()
    }
}

/// Takes a part of a document that is not done; whether more is wanted.
pub(super) type TakePart<'a> = &'a mut dyn FnMut(RenderedPart) -> bool;

/// What one thread works with.
pub(super) struct Worker<'a> {
    settings: &'a ExtractSettings,
    /// Room to read into, larger than any document so far.
    buffer: Vec<u8>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(settings: &'a ExtractSettings) -> Self {
        Self { settings, buffer: vec![0; ROOM] }
    }

    /// Reads a file. Its last part is returned.
    pub(super) fn read_file(
        &mut self,
        files: &dyn Files,
        source: &DocumentSource,
        take: TakePart<'_>,
    ) -> RenderedPart {
        match files.open(&source.path) {
            Ok(file) => self.read_stream(&source.label, file, take),
            Err(error) => RenderedPart::unread(ExtractProblem::of_file(&source.label, &error)),
        }
    }

    /// Reads a document as it comes. Its last part is returned.
    pub(super) fn read_stream(
        &mut self,
        label: &str,
        mut file: impl Read,
        take: TakePart<'_>,
    ) -> RenderedPart {
        let filled = self.fill(&mut file);
        if !is_packed(&self.buffer[..filled.length]) {
            return self.read(label, filled, file, take);
        }
        let head = std::mem::replace(&mut self.buffer, vec![0; ROOM]);
        let packed = (&head[..filled.length]).chain(file);
        let mut part = self.read_packed(label, packed, take);
        if let Ends::Here(Some(error)) = filled.ends {
            part.problems.push(unread(label, &error));
        }
        part
    }

    fn read_packed(&mut self, label: &str, packed: impl Read, take: TakePart<'_>) -> RenderedPart {
        let mut unpacking = Unpacking::new(packed, Bounds::default());
        let filled = self.fill(&mut unpacking);
        self.read(label, filled, unpacking, take)
    }

    /// Reads a document that is in the buffer, or of which the first bytes are.
    fn read(
        &mut self,
        label: &str,
        filled: Filled,
        rest: impl Read,
        take: TakePart<'_>,
    ) -> RenderedPart {
        let error = match filled.ends {
            Ends::Later => return self.read_huge(label, filled.length, rest, take),
            Ends::Here(error) => error.map(|error| unread(label, &error)),
        };
        if filled.length == 0
            && let Some(problem) = error
        {
            return RenderedPart::unread(problem);
        }
        let mut part = read_whole(self.settings, label, &self.buffer[..filled.length], take);
        part.problems.extend(error);
        if self.buffer.len() > KEPT {
            self.buffer = vec![0; ROOM];
        }
        part
    }

    /// Reads a huge document, whose first bytes are in the buffer, in windows.
    fn read_huge(
        &mut self,
        label: &str,
        length: usize,
        rest: impl Read,
        take: TakePart<'_>,
    ) -> RenderedPart {
        let head = std::mem::replace(&mut self.buffer, vec![0; ROOM]);
        let (format, options) = manner(self.settings, label, &head[..length]);
        let binary = binary_problem(self.settings.format, &head[..length]);
        let document = Cursor::new(head).take(length as u64).chain(rest);
        let mut windows = WindowedExtractor::new(format, &options, WINDOW, document);
        let mut rendering = DocumentRenderer::new(self.settings, label, take);
        while rendering.is_wanted && windows.next_window() {
            rendering.tell_unread(windows.new_notes());
            rendering.notes = windows.notes().to_vec();
            let remarks = windows.for_each_link(&mut |link| rendering.add(&link));
            rendering.tell(remarks);
        }
        let mut part = rendering.finish();
        part.problems.extend(binary.map(|text| problem(label, None, text.to_owned())));
        part.problems.extend(windows.into_error().map(|error| unread(label, &error)));
        part
    }

    /// Fills the buffer, up to where a document is huge.
    fn fill(&mut self, document: &mut impl Read) -> Filled {
        let mut length = 0;
        loop {
            if length >= HUGE {
                return Filled { length, ends: Ends::Later };
            }
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            match document.read(&mut self.buffer[length..]) {
                Ok(0) => return Filled { length, ends: Ends::Here(None) },
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Filled { length, ends: Ends::Here(Some(error)) },
            }
        }
    }
}

/// What of a document is in the buffer.
struct Filled {
    length: usize,
    ends: Ends,
}

/// Where a document ends.
enum Ends {
    /// In the buffer, perhaps for an error.
    Here(Option<io::Error>),
    /// Not in the buffer.
    Later,
}

/// The format of a document and how it is read.
fn manner(settings: &ExtractSettings, label: &str, head: &[u8]) -> (DocumentFormat, Options) {
    let name = (label != STDIN).then(|| inner_name(label));
    let format = settings.format.unwrap_or_else(|| DocumentFormat::of_file(name, head));
    let column = settings.column.clone();
    (format, Options { column, ..name.map(Options::of_name).unwrap_or_default() })
}

fn read_whole(
    settings: &ExtractSettings,
    label: &str,
    bytes: &[u8],
    take: TakePart<'_>,
) -> RenderedPart {
    let (format, options) = manner(settings, label, bytes);
    let mut rendering = DocumentRenderer::new(settings, label, take);
    rendering.notes = ignore_directives(format, bytes);
    let remarks = each_link_with(format, bytes, &options, &mut |link| rendering.add(&link));
    let notes = std::mem::take(&mut rendering.notes);
    rendering.tell_unread(&notes);
    rendering.tell(remarks);
    let mut part = rendering.finish();
    let binary = binary_problem(settings.format, bytes);
    part.problems.extend(binary.map(|text| problem(label, None, text.to_owned())));
    part
}

fn unread(label: &str, error: &io::Error) -> ExtractProblem {
    let unpacked = error.get_ref().and_then(|inner| inner.downcast_ref::<DecompressError>());
    let text = unpacked.map_or_else(|| format!("cannot be read: {error}"), ToString::to_string);
    problem(label, None, text)
}

fn problem(path: &str, line: Option<u32>, text: String) -> ExtractProblem {
    ExtractProblem { path: path.to_owned(), line, text }
}

/// A document whose links are being written.
struct DocumentRenderer<'a> {
    settings: &'a ExtractSettings,
    label: &'a str,
    notes: Vec<IgnoreDirective>,
    writer: LinkWriter,
    part: RenderedPart,
    take: TakePart<'a>,
    is_wanted: bool,
}

impl<'a> DocumentRenderer<'a> {
    fn new(settings: &'a ExtractSettings, label: &'a str, take: TakePart<'a>) -> Self {
        let writer = LinkWriter::new(settings.shape, label);
        let (notes, part) = Default::default();
        Self { settings, label, notes, writer, part, take, is_wanted: true }
    }

    fn add(&mut self, link: &Link) {
        let skipped = self.skipped(link);
        self.part.links += 1;
        self.part.skipped += u64::from(skipped.is_some());
        self.writer.write(&mut self.part.text, link, skipped);
        if self.part.text.len() >= PART {
            let room = Vec::with_capacity(self.part.text.capacity());
            let next = RenderedPart { text: room, ..RenderedPart::default() };
            let part = std::mem::replace(&mut self.part, next);
            // Once nobody reads any more, the rest is rendered in vain, which
            // is simpler than a way out of every extractor.
            self.is_wanted = self.is_wanted && (self.take)(part);
        }
    }

    fn skipped(&self, link: &Link) -> Option<SkipReason> {
        if let LinkTarget::Skipped(_, reason) = link.target {
            return Some(reason);
        }
        if self.is_example(link) {
            return Some(SkipReason::Reserved);
        }
        // A line has one note at most, and a note reaches no further than to
        // the next line of text; so only the last two can speak of it.
        let next = self.notes.partition_point(|note| *note.lines.start() <= link.location.line);
        let mut near = self.notes[next.saturating_sub(2)..next].iter();
        near.any(|note| self.silences(note, link)).then_some(SkipReason::Ignored)
    }

    /// Whether the link is for show, as `check` takes it: what comes by hand,
    /// on standard input, is meant.
    fn is_example(&self, link: &Link) -> bool {
        let LinkTarget::Web(text) = &link.target else { return false };
        self.label != STDIN && is_reserved_address(text)
    }

    /// Whether a note speaks of the link as a whole, whatever may be found
    /// about it.
    fn silences(&self, note: &IgnoreDirective, link: &Link) -> bool {
        note.covers(link.location.line)
            && note.codes.is_empty()
            && note.invalid_token.is_none()
            && note.until.is_none_or(|day| self.settings.today <= day)
    }

    /// Takes in what the document says beside its links.
    fn tell(&mut self, remarks: DocumentInfo) {
        let problems = remarks.problems.into_iter();
        let problems = problems.map(|found| problem(self.label, Some(found.line), found.text));
        self.part.problems.extend(problems);
    }

    /// Takes in the notes that are not understood.
    fn tell_unread(&mut self, notes: &[IgnoreDirective]) {
        for note in notes {
            if let Some(word) = &note.invalid_token {
                let text = format!("the note `relink:ignore` is not understood at `{word}`");
                self.part.problems.push(problem(self.label, Some(*note.lines.start()), text));
            }
        }
    }

    fn finish(mut self) -> RenderedPart {
        self.part.is_read = true;
        self.part
    }
}
