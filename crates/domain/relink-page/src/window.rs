//! Extracts links from large documents window by window, in bounded memory.
//!
//! The parser of most formats can stop between two tokens and resume later. Each
//! window is processed up to the point where the following input could change the
//! result; the rest becomes part of the next window. Links, locations and problems
//! are the same as for the whole document, for any window size. A document whose
//! format must be parsed as a whole is one window. Markdown, for example, may define
//! a reference on its last line.
//!
//! Two results depend on the window: the encoding of bytes that are neither UTF-8
//! nor in a declared encoding, and the ignore directive (`relink:ignore`) of a line
//! that is longer than a window.

mod directives;

use std::io::{self, Read};

use encoding_rs::Encoding;
use memchr::{memchr_iter, memrchr};
use relink_model::Link;

use self::directives::WindowDirectives;
use crate::link_sink::{Extractor, LinkSink};
use crate::problem::{MAX_PROBLEMS, Problem};
use crate::safe_slice::SafeSlice as _;
use crate::source_text::{Origin, SourceText, declared_encoding, is_utf16};
use crate::{DocumentFormat, DocumentInfo, IgnoreDirective, Options};

/// Window size above which a problem is reported.
const LARGE_WINDOW: usize = 64 << 20;

/// Minimum window size, enough for any byte order mark.
const MIN_WINDOW: usize = 4;

/// Whether a part of a document is its last part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputEnd {
    /// More input follows.
    More,
    /// The part ends the document.
    Last,
}

impl InputEnd {
    /// Returns the end of the last complete line of `text`.
    pub(crate) fn complete_lines_end(self, text: &str) -> usize {
        match self {
            Self::More => memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1),
            Self::Last => text.len(),
        }
    }
}

/// An extractor that processes a document part by part.
pub(crate) trait IncrementalExtractor {
    /// Reports the links of `text`, which continues where the previous part
    /// ended. Stops where the following input could change the result, and
    /// returns that offset; the next part starts there.
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize;
}

/// An extractor adapter for formats that must be parsed as a whole.
pub(crate) struct WholeDocument<E>(pub(crate) E);

impl<E: Extractor> IncrementalExtractor for WholeDocument<E> {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        if input_end == InputEnd::More {
            return 0;
        }
        self.0.extract(text, sink);
        text.len()
    }
}

/// Extracts the links of a document window by window.
///
/// ```
/// use relink_page::{DocumentFormat, Options, WindowedExtractor};
/// let list: &[u8] = b"https://a.test/\nhttps://b.test/\n";
/// let options = Options::default();
/// let mut windows = WindowedExtractor::new(DocumentFormat::UrlList, &options, 20, list);
/// let mut lines = Vec::new();
/// while windows.next_window() {
///     windows.for_each_link(&mut |link| lines.push(link.location.line));
/// }
/// assert_eq!(lines, [1, 2]);
/// ```
pub struct WindowedExtractor<'o, R> {
    reader: R,
    format: DocumentFormat,
    extractor: Box<dyn IncrementalExtractor + Send + 'o>,
    /// Regular window size in bytes.
    size: usize,
    /// Size of the current window in bytes; larger than `size` if a construct did not fit.
    target_size: usize,
    /// Input that was read but not processed.
    buffer: Vec<u8>,
    /// Position of the buffer in the document.
    origin: Origin,
    input_end: InputEnd,
    state: State,
    /// The encoding declared at the start of the document.
    declared: Option<&'static Encoding>,
    directives: WindowDirectives,
    /// Number of problems reported so far.
    problems: usize,
    is_large_reported: bool,
    error: Option<io::Error>,
}

/// The progress through the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The next window is the first window, which may declare an encoding.
    First,
    Later,
    Done,
}

impl<'o, R: Read> WindowedExtractor<'o, R> {
    /// Creates windows of about `size` bytes over `reader`. A window grows if a
    /// construct does not fit.
    pub fn new(format: DocumentFormat, options: &'o Options, size: usize, reader: R) -> Self {
        let size = size.max(MIN_WINDOW);
        Self {
            reader,
            format,
            extractor: format.incremental_extractor(options),
            size,
            target_size: size,
            buffer: Vec::new(),
            origin: Origin::default(),
            input_end: InputEnd::More,
            state: State::First,
            declared: None,
            directives: WindowDirectives::default(),
            problems: 0,
            is_large_reported: false,
            error: None,
        }
    }

    /// Reads the next window. Returns `false` at the end of the document. A
    /// read error ends the document.
    pub fn next_window(&mut self) -> bool {
        if self.state == State::Done {
            return false;
        }
        self.read_up_to(self.target_size);
        if self.state == State::First {
            self.declared = declared_encoding(&self.buffer);
            // UTF-16 is decoded as a whole.
            if is_utf16(&self.buffer) {
                self.read_up_to(usize::MAX);
            }
        }
        let window = window(&self.buffer, self.input_end);
        self.directives.read(self.format, window, self.origin.line);
        true
    }

    /// Fills the buffer up to `length` bytes.
    fn read_up_to(&mut self, length: usize) {
        let missing = length.saturating_sub(self.buffer.len());
        if self.input_end == InputEnd::Last || missing == 0 {
            return;
        }
        let missing = u64::try_from(missing).unwrap_or(u64::MAX);
        let read = self.reader.by_ref().take(missing).read_to_end(&mut self.buffer);
        let has_more = read.as_ref().is_ok_and(|&read| read as u64 == missing);
        if !has_more {
            self.input_end = InputEnd::Last;
        }
        self.error = read.err();
    }

    /// Returns the ignore directives that apply to lines of the window, in
    /// document order.
    pub fn directives(&self) -> &[IgnoreDirective] {
        self.directives.all()
    }

    /// Returns the directives that did not occur in an earlier window.
    pub fn new_directives(&self) -> &[IgnoreDirective] {
        self.directives.new_directives()
    }

    /// Calls `each` for every link of the window, in document order, and
    /// returns the base URL and the problems found in the window.
    pub fn for_each_link(&mut self, each: &mut dyn FnMut(Link)) -> DocumentInfo {
        let window = window(&self.buffer, self.input_end);
        let document = match self.state {
            State::First => SourceText::decode(window, None),
            State::Later | State::Done => SourceText::decode_part(window, self.declared),
        };
        let mut sink = LinkSink::starting_at(&document, self.origin, each);
        let end = self.extractor.extract_part(document.text(), self.input_end, &mut sink);
        let next = sink.origin_of(end);
        let mut info = sink.into_info();
        let newlines = memchr_iter(b'\n', window).count();
        let last_line =
            self.origin.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        self.directives.advance(next, last_line);
        info.problems.extend(self.advance_to(next));
        info.problems.truncate(MAX_PROBLEMS - self.problems);
        self.problems += info.problems.len();
        info
    }

    /// Drops the processed input. Doubles the window size if nothing could be
    /// processed.
    fn advance_to(&mut self, next: Origin) -> Option<Problem> {
        let passed = next.offset - self.origin.offset;
        if self.input_end == InputEnd::Last {
            (self.state, self.buffer) = (State::Done, Vec::new());
            return None;
        }
        if passed == 0 {
            self.target_size = 2 * self.buffer.len().max(self.size);
            return self.large_window_problem();
        }
        self.buffer.drain(..passed);
        self.buffer.shrink_to(2 * self.size);
        (self.state, self.target_size, self.origin) = (State::Later, self.size, next);
        None
    }

    /// Returns a problem the first time that a window exceeds [`LARGE_WINDOW`].
    fn large_window_problem(&mut self) -> Option<Problem> {
        let is_new = self.target_size > LARGE_WINDOW
            && self.format.is_incremental()
            && !self.is_large_reported;
        self.is_large_reported |= is_new;
        is_new.then(|| Problem {
            line: self.origin.line,
            text: format!(
                "a construct is longer than {} MiB and is buffered as a whole",
                LARGE_WINDOW >> 20
            ),
        })
    }

    /// Returns the error that ended reading, if any.
    pub fn into_error(self) -> Option<io::Error> {
        self.error
    }
}

/// Returns the part of the buffer to process: up to the last line end, because
/// an ignore directive may be at the end of a line.
fn window(buffer: &[u8], input_end: InputEnd) -> &[u8] {
    match memrchr(b'\n', buffer) {
        Some(newline) if input_end == InputEnd::More => buffer.slice(..=newline),
        _ => buffer,
    }
}

#[cfg(test)]
mod tests;
