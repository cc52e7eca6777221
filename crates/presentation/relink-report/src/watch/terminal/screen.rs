//! The lines of the screen for each view.

use super::diff::{inline_lines, side_by_side_lines};
use super::{DiffLayout, TerminalReview, View};
use crate::human::{TextStyle, counted, cut_end, padded, shown_prose, shown_url, width};
use crate::watch::text::{context_text, headline, status, step_text};
use crate::watch::{WatchMember, WatchSuggestions};

/// Minimum width of a screen in columns. A smaller terminal shows the start of each line.
const MIN_COLUMNS: usize = 40;
/// Minimum height of the screen in rows.
const MIN_ROWS: usize = 8;

/// Number of lines below the view: the message and the keys.
const LAST_LINES: usize = 2;

/// The mark of the selected line.
const MARK: &str = "›";

impl TerminalReview {
    /// Returns the lines of the screen: at most `rows` lines of at most `columns`
    /// columns, without line ends. The text of pages contains no control
    /// characters.
    pub fn screen(&mut self, columns: usize, rows: usize, style: TextStyle) -> Vec<String> {
        let (columns, rows) = (columns.max(MIN_COLUMNS), rows.max(MIN_ROWS));
        let mut lines = vec![cut_end(&headline(&self.report, TextStyle::Plain), columns)];
        lines.push(String::new());
        let height = rows.saturating_sub(lines.len() + LAST_LINES);
        let body = match &self.view {
            View::Members => self.member_lines(columns, height, style),
            View::Candidates { found, selected } => {
                candidate_lines(found, *selected, columns, height, style)
            }
            View::Diff => self.diff_lines(columns, height, style),
        };
        lines.extend(body);
        lines.resize(rows - LAST_LINES, String::new());
        lines.push(cut_end(&shown_prose(&self.message), columns));
        lines.push(style.quiet(&cut_end(self.key_help(), columns)));
        lines
    }

    /// Returns the help line for the current view.
    fn key_help(&self) -> &'static str {
        match &self.view {
            View::Members => {
                "j/k move · d diff · r replace · a accept · x reject · m mute · q quit"
            }
            View::Diff => {
                "j/k scroll · s side by side/inline · d back · a accept · r replace · x reject · m mute"
            }
            View::Candidates { .. } => "j/k move · Enter replace by this page · q back",
        }
    }

    /// Lists the members, three lines each, with the selected one visible.
    fn member_lines(&self, columns: usize, height: usize, style: TextStyle) -> Vec<String> {
        let members = self.notable();
        if members.is_empty() {
            return vec!["Nothing needs your attention.".to_owned()];
        }
        let visible = (height / LINES_PER_MEMBER).max(1);
        // Scroll so that the selected member is at most the last visible one.
        let first = self.selected.saturating_sub(visible.saturating_sub(1));
        let mut lines = Vec::new();
        for (index, member) in members.iter().enumerate().skip(first).take(visible) {
            let mark = if index == self.selected { MARK } else { " " };
            let title = if member.title.is_empty() { &member.url } else { &member.title };
            let title = format!("{mark} {:>4}. {}", member.number, shown_prose(title));
            let title = cut_end(&title, columns);
            lines.push(if index == self.selected { style.strong(&title) } else { title });
            lines.push(cut_end(&format!("        {}", status(member)), columns));
            let step = member.next_step.map(step_text).unwrap_or_default();
            lines.push(style.quiet(&cut_end(&format!("        next: {step}"), columns)));
        }
        lines
    }

    /// Returns the lines of the two versions of the selected member.
    fn diff_lines(&mut self, columns: usize, height: usize, style: TextStyle) -> Vec<String> {
        let Some(member) = self.member() else { return Vec::new() };
        let mut lines = head_lines(member, columns, style);
        let rows = &member.comparison;
        let body = if rows.is_empty() {
            vec!["There are no two versions to compare.".to_owned()]
        } else if self.layout == DiffLayout::SideBySide {
            side_by_side_lines(rows, columns, style)
        } else {
            inline_lines(rows, columns, style)
        };
        let height = height.saturating_sub(lines.len());
        let scroll = self.scroll.min(body.len().saturating_sub(height));
        lines.extend(body.into_iter().skip(scroll).take(height));
        self.scroll = scroll;
        lines
    }
}

/// Number of lines of a member in the list.
const LINES_PER_MEMBER: usize = 3;

/// Number of lines of a candidate in the list.
const LINES_PER_CANDIDATE: usize = 2;

/// Returns the title, URL and status of a member.
fn head_lines(member: &WatchMember, columns: usize, style: TextStyle) -> Vec<String> {
    let title = if member.title.is_empty() { &member.url } else { &member.title };
    vec![
        style.strong(&cut_end(&format!("{}. {}", member.number, shown_prose(title)), columns)),
        style.quiet(&cut_end(&shown_url(&member.url), columns)),
        cut_end(&status(member), columns),
        String::new(),
    ]
}

/// Returns the lines of the pages that can replace the selected member.
fn candidate_lines(
    found: &WatchSuggestions,
    selected: usize,
    columns: usize,
    height: usize,
    style: TextStyle,
) -> Vec<String> {
    let count = counted(found.candidates.len() as u64, "candidate");
    let head = format!("{count} for {}", shown_url(&found.url));
    let mut lines = vec![style.strong(&cut_end(&head, columns))];
    lines.extend(
        found
            .warnings
            .iter()
            .map(|text| cut_end(&format!("warning: {}", shown_prose(text)), columns)),
    );
    let visible = (height.saturating_sub(lines.len()) / LINES_PER_CANDIDATE).max(1);
    let first = selected.saturating_sub(visible.saturating_sub(1));
    for (index, candidate) in found.candidates.iter().enumerate().skip(first).take(visible) {
        let mark = if index == selected { MARK } else { " " };
        let kind = padded(candidate.kind.as_str(), 9);
        let line = format!("{mark} {kind} {}", shown_url(&candidate.url));
        let line = cut_end(&line, columns);
        lines.push(if index == selected { style.strong(&line) } else { line });
        let mut reason = format!("            {}", shown_prose(&candidate.reason));
        if let Some(similarity) = &candidate.similarity {
            let percent = format!("; similarity {:.0} %", similarity.total * 100.0);
            reason.push_str(&percent);
        }
        if let Some(context) = &candidate.context {
            reason.push_str("; ");
            reason.push_str(&context_text(context));
        }
        lines.push(cut_end(&reason, columns));
    }
    lines
}

/// Splits words into lines of at most `columns` columns. Each word has a flag that states
/// whether the word is changed. A longer word is truncated.
pub(super) fn wrap(words: &[(String, bool)], columns: usize) -> Vec<Vec<(String, bool)>> {
    let mut lines: Vec<Vec<(String, bool)>> = vec![Vec::new()];
    let mut line_width = 0;
    for (word, is_changed) in words {
        let word = cut_end(word, columns);
        let space = usize::from(line_width > 0);
        if line_width > 0 && line_width + space + width(&word) > columns {
            lines.push(Vec::new());
            line_width = 0;
        }
        line_width += width(&word) + usize::from(line_width > 0);
        if let Some(line) = lines.last_mut() {
            line.push((word, *is_changed));
        }
    }
    lines
}
