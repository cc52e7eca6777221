//! What a document says about links to be left alone.
//!
//! A note that cannot be read, or whose day has passed, ignores nothing: it is
//! better to hear of a finding than to miss one.

use jiff::civil::Date;
use relink_page::{DocumentFormat, IgnoreDirective, Problem, ignore_directives};

/// The notes of one document.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    /// Those that hold, in document order.
    holding: Vec<IgnoreDirective>,
    /// What is wrong with some.
    pub(super) problems: Vec<Problem>,
    /// Those whose day has passed.
    pub(super) expired: Vec<Problem>,
}

/// What a note says of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum IgnoreEffect {
    /// Nothing.
    #[default]
    Nothing,
    /// It is ignored.
    Ignored,
    /// Findings with these codes are ignored.
    Hidden(Vec<String>),
}

impl IgnoreRules {
    /// The notes of a document, as they stand on a day.
    pub(super) fn of(format: DocumentFormat, bytes: &[u8], today: Date) -> Self {
        Self::sorted(ignore_directives(format, bytes), today)
    }

    /// Notes in document order, as they stand on a day.
    pub(super) fn sorted(all: Vec<IgnoreDirective>, today: Date) -> Self {
        let mut notes = Self::default();
        for note in all {
            let line = *note.lines.start();
            if let Some(word) = &note.invalid_token {
                let text = format!(
                    "`relink:ignore` cannot be read from `{word}` on, so it ignores nothing; \
                     write it like `relink:ignore RL101 until 2027-01-01 because …`"
                );
                notes.problems.push(Problem { line, text });
            } else if let Some(until) = note.until.filter(|until| *until < today) {
                let text = format!("`relink:ignore` held until {until}");
                notes.expired.push(Problem { line, text });
            } else {
                notes.holding.push(note);
            }
        }
        notes
    }

    /// What is said of links in a line.
    pub(super) fn tell(&self, line: u32) -> IgnoreEffect {
        // A line has one note at most, and a note reaches no further than to
        // the next line of text; so only the last two can speak of it.
        let next = self.holding.partition_point(|note| *note.lines.start() <= line);
        let near = &self.holding[next.saturating_sub(2)..next];
        let mut codes = Vec::new();
        for note in near.iter().filter(|note| note.covers(line)) {
            if note.codes.is_empty() {
                return IgnoreEffect::Ignored;
            }
            codes.extend(note.codes.iter().cloned());
        }
        if codes.is_empty() { IgnoreEffect::Nothing } else { IgnoreEffect::Hidden(codes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(text: &str) -> IgnoreRules {
        IgnoreRules::of(DocumentFormat::Markdown, text.as_bytes(), jiff::civil::date(2026, 11, 10))
    }

    #[test]
    fn a_note_tells_of_its_lines() {
        let notes = notes("a\n<!-- relink:ignore -->\nb\nc <!-- relink:ignore RL601 RL603 -->\n");
        assert_eq!(notes.tell(1), IgnoreEffect::Nothing);
        assert_eq!((notes.tell(2), notes.tell(3)), (IgnoreEffect::Ignored, IgnoreEffect::Ignored));
        assert_eq!(notes.tell(4), IgnoreEffect::Hidden(vec!["RL601".into(), "RL603".into()]));
    }

    #[test]
    fn the_last_day_still_holds_and_the_next_does_not() {
        let today = "a <!-- relink:ignore until 2026-11-10 -->";
        assert_eq!(notes(today).tell(1), IgnoreEffect::Ignored);
        let past = notes("a <!-- relink:ignore until 2026-11-09 -->");
        assert_eq!(past.tell(1), IgnoreEffect::Nothing);
        assert_eq!(past.expired[0].to_string(), "line 1: `relink:ignore` held until 2026-11-09");
    }

    #[test]
    fn what_cannot_be_read_ignores_nothing_and_is_told() {
        let notes = notes("a <!-- relink:ignore RL101 utnil 2027-01-01 -->");
        assert_eq!(notes.tell(1), IgnoreEffect::Nothing);
        assert!(notes.problems[0].text.contains("from `utnil` on"), "{}", notes.problems[0]);
    }
}
