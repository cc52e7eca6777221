//! Notes to leave links alone, from window to window.
//!
//! A note may speak of the next text, which may stand in a later window, and
//! what was not gone through of a window is seen again in the next.

use memchr::memchr_iter;

use crate::cut::Cut as _;
use crate::document::Origin;
use crate::{DocumentFormat, IgnoreDirective, ignore_directives};

/// The notes that speak of a window.
#[derive(Debug, Default)]
pub(super) struct WindowDirectives {
    all: Vec<IgnoreDirective>,
    /// Where the notes begin that no earlier window had.
    new_from: usize,
    /// The last line whose note has been seen.
    seen: u32,
    /// Whether the text that the last note speaks of had not come yet.
    is_open: bool,
}

impl WindowDirectives {
    /// Reads the notes of a window that begins in `line`.
    pub(super) fn read(&mut self, format: DocumentFormat, window: &[u8], line: u32) {
        if self.is_open {
            self.reach_text(window, line);
        }
        let carried = self.all.len();
        for mut note in ignore_directives(format, window) {
            let start = note.lines.start().saturating_add(line - 1);
            let end = note.lines.end().saturating_add(line - 1);
            note.lines = start..=end;
            match self.all.iter_mut().take(carried).find(|known| *known.lines.start() == start) {
                Some(known) => known.lines = start..=end.max(*known.lines.end()),
                None => self.all.push(note),
            }
        }
        let seen = self.seen;
        self.new_from = self.all.partition_point(|note| *note.lines.start() <= seen);
    }

    /// Lets the last note speak of the first text of a window.
    fn reach_text(&mut self, window: &[u8], line: u32) {
        let blank = window.len() - window.trim_ascii_start().len();
        let lines = memchr_iter(b'\n', window.cut(..blank)).count();
        let text = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        if let Some(last) = self.all.last_mut() {
            last.lines = *last.lines.start()..=text.max(*last.lines.end());
        }
    }

    pub(super) fn all(&self) -> &[IgnoreDirective] {
        &self.all
    }

    pub(super) fn new_ones(&self) -> &[IgnoreDirective] {
        self.all.get(self.new_from..).unwrap_or_default()
    }

    /// Keeps what speaks of lines from `next` on and will not be read again.
    /// The window ended in `last_line`.
    pub(super) fn advance(&mut self, next: Origin, last_line: u32) {
        self.seen = self.all.last().map_or(self.seen, |last| self.seen.max(*last.lines.start()));
        self.all.retain(|note| {
            let is_passed = *note.lines.start() < next.line
                || (*note.lines.start() == next.line && next.column > 1);
            is_passed && *note.lines.end() >= next.line
        });
        self.is_open = self
            .all
            .last()
            .is_some_and(|last| *last.lines.start() < next.line && *last.lines.end() == last_line);
    }
}
