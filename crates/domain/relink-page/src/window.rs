//! Huge documents, read window by window in bounded memory.
//!
//! Formats that are read from front to back can stop anywhere between two
//! tokens and go on later. So a window is read as far as what follows it can
//! change nothing; the rest is carried over into the next one. Links, places
//! and problems are those of the document read whole, whatever the size of the
//! windows. Formats that must be seen whole (Markdown may define a reference
//! on its last line) are one window.
//!
//! Two things are settled by a window rather than by the whole document: the
//! encoding of bytes that are no UTF-8 and declare none, and the note of a
//! line that is longer than a window.

mod notes;

use std::io::{self, Read};

use encoding_rs::Encoding;
use memchr::{memchr_iter, memrchr};
use relink_model::Link;

use self::notes::WindowDirectives;
use crate::cut::Cut as _;
use crate::document::{Origin, SourceText, declared_by, is_utf16};
use crate::link_sink::{Extractor, LinkSink};
use crate::problem::{PROBLEMS, Problem};
use crate::{DocumentFormat, DocumentInfo, IgnoreDirective, Options};

/// A window this large is no window any more, and the reader is told.
const LARGEST: usize = 64 << 20;

/// The least that is looked at first: a byte order mark is no longer.
const SMALLEST: usize = 4;

/// Whether more of a document follows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputEnd {
    /// There is more.
    Follows,
    /// The text ends the document.
    None,
}

impl InputEnd {
    /// Where the lines end that are there in full.
    pub(crate) fn end_of_lines(self, text: &str) -> usize {
        match self {
            Self::Follows => memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1),
            Self::None => text.len(),
        }
    }
}

/// Reads the links of a document part by part.
pub(crate) trait IncrementalExtractor {
    /// Reports the links of `text`, which goes on where the last part ended,
    /// as far as what follows can change nothing. Returns where that is: the
    /// next part begins there.
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize;
}

/// A format that must be seen whole.
pub(crate) struct WholeDocument<E>(pub(crate) E);

impl<E: Extractor> IncrementalExtractor for WholeDocument<E> {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        if sequel == InputEnd::Follows {
            return 0;
        }
        self.0.extract(text, found);
        text.len()
    }
}

/// Goes through a document window by window.
///
/// ```
/// use relink_page::{Format, Options, Windows};
/// let list: &[u8] = b"https://a.test/\nhttps://b.test/\n";
/// let options = Options::default();
/// let mut windows = Windows::new(Format::UrlList, &options, 20, list);
/// let mut lines = Vec::new();
/// while windows.fill() {
///     windows.each_link(&mut |link| lines.push(link.place.line));
/// }
/// assert_eq!(lines, [1, 2]);
/// ```
pub struct WindowedExtractor<'o, R> {
    reader: R,
    format: DocumentFormat,
    parts: Box<dyn IncrementalExtractor + Send + 'o>,
    /// How large a window is to be.
    size: usize,
    /// How large this one is to be.
    wanted: usize,
    /// What was read and has not been gone through.
    buffer: Vec<u8>,
    /// Where the buffer begins.
    origin: Origin,
    sequel: InputEnd,
    state: State,
    declared: Option<&'static Encoding>,
    notes: WindowDirectives,
    /// How many problems have been told.
    problems: usize,
    is_told_large: bool,
    error: Option<io::Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    First,
    Further,
    Done,
}

impl<'o, R: Read> WindowedExtractor<'o, R> {
    /// Windows of about `size` bytes over what `reader` gives. They are larger
    /// where something does not end within one.
    pub fn new(format: DocumentFormat, options: &'o Options, size: usize, reader: R) -> Self {
        let size = size.max(SMALLEST);
        Self {
            reader,
            format,
            parts: format.parts(options),
            size,
            wanted: size,
            buffer: Vec::new(),
            origin: Origin::default(),
            sequel: InputEnd::Follows,
            state: State::First,
            declared: None,
            notes: WindowDirectives::default(),
            problems: 0,
            is_told_large: false,
            error: None,
        }
    }

    /// Reads the next window; `false` if there is none. An error of the reader
    /// ends the document where it is.
    pub fn next_window(&mut self) -> bool {
        if self.state == State::Done {
            return false;
        }
        self.read_up_to(self.wanted);
        if self.state == State::First {
            self.declared = declared_by(&self.buffer);
            if is_utf16(&self.buffer) {
                self.read_up_to(usize::MAX);
            }
        }
        let window = window(&self.buffer, self.sequel);
        self.notes.read(self.format, window, self.origin.line);
        true
    }

    fn read_up_to(&mut self, length: usize) {
        let missing = length.saturating_sub(self.buffer.len());
        if self.sequel == InputEnd::None || missing == 0 {
            return;
        }
        let missing = u64::try_from(missing).unwrap_or(u64::MAX);
        let read = self.reader.by_ref().take(missing).read_to_end(&mut self.buffer);
        let is_more = read.as_ref().is_ok_and(|&read| read as u64 == missing);
        if !is_more {
            self.sequel = InputEnd::None;
        }
        self.error = read.err();
    }

    /// The notes that speak of the window's lines, in document order.
    pub fn notes(&self) -> &[IgnoreDirective] {
        self.notes.all()
    }

    /// Those of the notes that no earlier window had.
    pub fn new_notes(&self) -> &[IgnoreDirective] {
        self.notes.new_ones()
    }

    /// Hands the links of the window to `each`, in document order, and returns
    /// what else it says. The base is the document's, once it is known.
    pub fn for_each_link(&mut self, each: &mut dyn FnMut(Link)) -> DocumentInfo {
        let window = window(&self.buffer, self.sequel);
        let document = match self.state {
            State::First => SourceText::read(window, None),
            State::Further | State::Done => SourceText::read_on(window, self.declared),
        };
        let mut found = LinkSink::starting_at(&document, self.origin, each);
        let end = self.parts.resume(document.text(), self.sequel, &mut found);
        let next = found.origin_of(end);
        let mut remarks = found.into_remarks();
        let newlines = memchr_iter(b'\n', window).count();
        let last_line =
            self.origin.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        self.notes.advance(next, last_line);
        remarks.problems.extend(self.go_on_from(next));
        remarks.problems.truncate(PROBLEMS - self.problems);
        self.problems += remarks.problems.len();
        remarks
    }

    /// Leaves what was gone through behind. What has no end within the window
    /// needs a larger one.
    fn go_on_from(&mut self, next: Origin) -> Option<Problem> {
        let passed = next.offset - self.origin.offset;
        if self.sequel == InputEnd::None {
            (self.state, self.buffer) = (State::Done, Vec::new());
            return None;
        }
        if passed == 0 {
            self.wanted = 2 * self.buffer.len().max(self.size);
            return self.tell_large();
        }
        self.buffer.drain(..passed);
        self.buffer.shrink_to(2 * self.size);
        (self.state, self.wanted, self.origin) = (State::Further, self.size, next);
        None
    }

    fn tell_large(&mut self) -> Option<Problem> {
        let is_new = self.wanted > LARGEST && self.format.is_cut() && !self.is_told_large;
        self.is_told_large |= is_new;
        is_new.then(|| Problem {
            line: self.origin.line,
            text: format!(
                "what begins here does not end within {} MiB, and is held in memory as a whole",
                LARGEST >> 20
            ),
        })
    }

    /// What kept the reader from reading to the end, if anything did.
    pub fn into_error(self) -> Option<io::Error> {
        self.error
    }
}

/// The part of what was read that is gone through: lines are seen whole where
/// they can be, for a note may stand at their end.
fn window(buffer: &[u8], sequel: InputEnd) -> &[u8] {
    match memrchr(b'\n', buffer) {
        Some(newline) if sequel == InputEnd::Follows => buffer.cut(..=newline),
        _ => buffer,
    }
}

#[cfg(test)]
mod tests;
