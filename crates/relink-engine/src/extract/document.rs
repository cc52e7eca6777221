//! One document's links, rendered.

use std::io::{ErrorKind, Read};

use relink_model::{Link, LinkTarget, SkipReason};
use relink_page::{Format, Ignore, Options, each_link_with, ignores, is_binary};
use relink_ports::{DocumentSource, FileFault, Files};
use relink_wire::extract::LinkWriter;

use super::in_order::Piece;
use super::{ExtractProblem, ExtractSettings, STDIN};
use crate::unpack::{Bounds, inner_name, is_packed, unpack};

/// Text that is handed in before its document is done, so that a page of a
/// million links needs no more room than this.
const PART: usize = 256 << 10;

/// Room to read a document into, at first.
const ROOM: usize = 64 << 10;

/// The most room that is kept for the next document.
const KEPT: usize = 4 << 20;

/// What of a document has been rendered.
#[derive(Debug, Default)]
pub(super) struct Part {
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

impl Piece for Part {
    fn size(&self) -> usize {
        self.text.len()
    }
}

/// Takes a part of a document that is not done; whether more is wanted.
pub(super) type TakePart<'a> = &'a mut dyn FnMut(Part) -> bool;

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
    ) -> Part {
        let (length, fault) = self.fill(files, source);
        let problem = fault.map(|fault| ExtractProblem::of_file(&source.label, &fault));
        if problem.is_some() && length == 0 {
            return Part { problems: problem.into_iter().collect(), ..Part::default() };
        }
        let mut part = read(self.settings, &source.label, &self.buffer[..length], take);
        part.problems.extend(problem);
        if self.buffer.len() > KEPT {
            self.buffer = vec![0; ROOM];
        }
        part
    }

    /// Reads standard input. Its last part is returned.
    pub(super) fn read_stdin(&self, bytes: &[u8], take: TakePart<'_>) -> Part {
        read(self.settings, STDIN, bytes, take)
    }

    /// Fills the buffer, and tells how far. After a fault it holds what came
    /// before.
    fn fill(&mut self, files: &dyn Files, source: &DocumentSource) -> (usize, Option<FileFault>) {
        let mut file = match files.open(&source.path) {
            Ok(file) => file,
            Err(fault) => return (0, Some(fault)),
        };
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            match file.read(&mut self.buffer[length..]) {
                Ok(0) => return (length, None),
                Ok(more) => length += more,
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(fault) => {
                    let path = source.label.clone();
                    return (length, Some(FileFault::Unreadable { path, source: fault }));
                }
            }
        }
    }
}

fn read(settings: &ExtractSettings, label: &str, bytes: &[u8], take: TakePart<'_>) -> Part {
    let name = inner_name(label);
    if !is_packed(bytes) {
        return render(settings, label, name, bytes, take);
    }
    let (bytes, fault) = unpack(bytes, Bounds::default());
    let mut part = render(settings, label, name, &bytes, take);
    part.problems.extend(fault.map(|fault| problem(label, None, fault.to_string())));
    part
}

fn render(
    settings: &ExtractSettings,
    label: &str,
    name: &str,
    bytes: &[u8],
    take: TakePart<'_>,
) -> Part {
    if settings.format.is_none() && is_binary(bytes) {
        let problem = problem(label, None, "it is not text, and passed over".to_owned());
        return Part { problems: vec![problem], is_read: true, ..Part::default() };
    }
    let name = (label != STDIN).then_some(name);
    let format = settings.format.unwrap_or_else(|| Format::of_file(name, bytes));
    let options = Options {
        column: settings.column.clone(),
        ..name.map(Options::of_name).unwrap_or_default()
    };
    let mut rendering = Rendering {
        notes: ignores(format, bytes),
        settings,
        writer: LinkWriter::new(settings.shape, label),
        part: Part::default(),
        take,
        is_wanted: true,
    };
    let remarks = each_link_with(format, bytes, &options, &mut |link| rendering.add(&link));
    let mut part = rendering.finish(label);
    let problems = remarks.problems.into_iter();
    part.problems.extend(problems.map(|found| problem(label, Some(found.line), found.text)));
    part
}

fn problem(path: &str, line: Option<u32>, text: String) -> ExtractProblem {
    ExtractProblem { path: path.to_owned(), line, text }
}

/// A document whose links are being written.
struct Rendering<'a> {
    settings: &'a ExtractSettings,
    notes: Vec<Ignore>,
    writer: LinkWriter,
    part: Part,
    take: TakePart<'a>,
    is_wanted: bool,
}

impl Rendering<'_> {
    fn add(&mut self, link: &Link) {
        let skipped = self.skipped(link);
        self.part.links += 1;
        self.part.skipped += u64::from(skipped.is_some());
        self.writer.write(&mut self.part.text, link, skipped);
        if self.part.text.len() >= PART {
            let room = Vec::with_capacity(self.part.text.capacity());
            let next = Part { text: room, ..Part::default() };
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
        // A line has one note at most, and a note reaches no further than to
        // the next line of text; so only the last two can speak of it.
        let next = self.notes.partition_point(|note| *note.lines.start() <= link.place.line);
        let mut near = self.notes[next.saturating_sub(2)..next].iter();
        near.any(|note| self.silences(note, link)).then_some(SkipReason::Ignored)
    }

    /// Whether a note speaks of the link as a whole, whatever may be found
    /// about it.
    fn silences(&self, note: &Ignore, link: &Link) -> bool {
        note.covers(link.place.line)
            && note.codes.is_empty()
            && note.unread.is_none()
            && note.until.is_none_or(|day| self.settings.today <= day)
    }

    fn finish(mut self, label: &str) -> Part {
        for note in &self.notes {
            if let Some(word) = &note.unread {
                let text = format!("the note `relink:ignore` is not understood at `{word}`");
                self.part.problems.push(problem(label, Some(*note.lines.start()), text));
            }
        }
        self.part.is_read = true;
        self.part
    }
}
