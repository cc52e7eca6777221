//! Ignore directives (`relink:ignore`) across windows. A *window* is the part of a long
//! document that is in memory.
//!
//! A directive may apply to the next line that is not blank, which may be in a later
//! window. The next window starts where the processing of the current window ended, so
//! the text after that position is parsed again.

use memchr::memchr_iter;

use crate::safe_slice::SafeSlice as _;
use crate::source_text::Origin;
use crate::{DocumentFormat, IgnoreDirective, ignore_directives};

/// The ignore directives that apply to a window.
#[derive(Debug, Default)]
pub(super) struct WindowDirectives {
    all: Vec<IgnoreDirective>,
    /// Index of the first directive that did not occur in an earlier window.
    new_from: usize,
    /// Last line that had a directive.
    last_seen_line: u32,
    /// Whether the last directive applies to text that has not been read yet.
    awaits_text: bool,
}

impl WindowDirectives {
    /// Parses the directives of a window that starts in `line`.
    pub(super) fn read(&mut self, format: DocumentFormat, window: &[u8], line: u32) {
        if self.awaits_text {
            self.extend_open_directive(window, line);
        }
        let known_count = self.all.len();
        for mut directive in ignore_directives(format, window) {
            let start = directive.lines.start().saturating_add(line - 1);
            let end = directive.lines.end().saturating_add(line - 1);
            directive.lines = start..=end;
            // A directive in the rest of the previous window is known already.
            match self.all.iter_mut().take(known_count).find(|known| *known.lines.start() == start)
            {
                Some(known) => known.lines = start..=end.max(*known.lines.end()),
                None => self.all.push(directive),
            }
        }
        let last_seen = self.last_seen_line;
        self.new_from = self.all.partition_point(|directive| *directive.lines.start() <= last_seen);
    }

    /// Extends the last directive to the first line of a window that is not blank.
    fn extend_open_directive(&mut self, window: &[u8], line: u32) {
        let blank_length = window.len() - window.trim_ascii_start().len();
        let blank_lines = memchr_iter(b'\n', window.slice(..blank_length)).count();
        let text_line = line.saturating_add(u32::try_from(blank_lines).unwrap_or(u32::MAX));
        if let Some(last) = self.all.last_mut() {
            last.lines = *last.lines.start()..=text_line.max(*last.lines.end());
        }
    }

    pub(super) fn all(&self) -> &[IgnoreDirective] {
        &self.all
    }

    pub(super) fn new_directives(&self) -> &[IgnoreDirective] {
        self.all.get(self.new_from..).unwrap_or_default()
    }

    /// Moves to the next window, which starts at `next`. The current window ends in
    /// `last_line`. Directives before `next` are retained if they apply to lines from
    /// `next` on. Directives after `next` are dropped, because they are parsed again with
    /// the next window.
    pub(super) fn advance(&mut self, next: Origin, last_line: u32) {
        self.last_seen_line = self
            .all
            .last()
            .map_or(self.last_seen_line, |last| self.last_seen_line.max(*last.lines.start()));
        self.all.retain(|directive| {
            let starts_before_next = *directive.lines.start() < next.line
                || (*directive.lines.start() == next.line && next.column > 1);
            starts_before_next && *directive.lines.end() >= next.line
        });
        self.awaits_text = self
            .all
            .last()
            .is_some_and(|last| *last.lines.start() < next.line && *last.lines.end() == last_line);
    }
}
