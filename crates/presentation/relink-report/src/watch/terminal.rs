//! The review of a collection in a terminal, as a state machine. A collection is a list of
//! watched pages, its members.
//!
//! [`TerminalReview::press`] turns a key into an action for the caller, and
//! [`TerminalReview::screen`] returns the lines to show. This module does not read keys, print
//! or store anything.

mod diff;
mod screen;

use super::text::is_notable;
use super::{WatchMember, WatchReport, WatchSuggestions};

/// Number of lines that Page up and Page down move.
const LINES_PER_PAGE: isize = 10;

/// A key of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewKey {
    /// A character.
    Char(char),
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Ctrl-C.
    Interrupt,
}

/// The action that the caller must perform after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewAction {
    /// Only show the screen again.
    Redraw,
    /// Make the latest version of the member with this number the reference.
    Accept(u32),
    /// Mark the member as unacceptable.
    Reject(u32),
    /// Do not report changes of the member for some time.
    Mute(u32),
    /// Search for pages that can replace the member.
    Suggest(u32),
    /// Replace the page of the member.
    Replace {
        /// The number of the member.
        number: u32,
        /// The new URL.
        url: String,
    },
    /// End the review.
    Quit,
}

/// The layout of two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffLayout {
    SideBySide,
    Inline,
}

/// The content of the screen.
#[derive(Debug, Clone, PartialEq)]
enum View {
    /// The members that need attention.
    Members,
    /// Both versions of the selected member.
    Diff,
    /// Pages that can replace the selected member.
    Candidates { found: Box<WatchSuggestions>, selected: usize },
}

/// The state of a review.
///
/// ```
/// use relink_report::watch::{ReviewAction, ReviewKey, TerminalReview, WatchReport};
/// let report = WatchReport::new("watch diff", "owls".into(), Default::default(), vec![], vec![]);
/// let mut review = TerminalReview::new(report);
/// assert_eq!(review.press(ReviewKey::Char('q')), ReviewAction::Quit);
/// ```
#[derive(Debug, Clone)]
pub struct TerminalReview {
    report: WatchReport,
    view: View,
    layout: DiffLayout,
    /// The selected member, as an index of [`Self::notable`].
    selected: usize,
    /// The first line of the diff that is shown.
    scroll: usize,
    /// The result of the last action.
    message: String,
}

impl TerminalReview {
    /// Starts with the list of members.
    pub fn new(report: WatchReport) -> Self {
        Self {
            report,
            view: View::Members,
            layout: DiffLayout::SideBySide,
            selected: 0,
            scroll: 0,
            message: String::new(),
        }
    }

    /// Shows a new report and the result of an action. The selection stays on the same member.
    /// If this member needs no more attention, selects the next one.
    pub fn update(&mut self, report: WatchReport, message: String) {
        let number = self.member().map(|member| member.number);
        self.report = report;
        self.message = message;
        self.view = View::Members;
        self.scroll = 0;
        let notable = self.notable();
        // Numbers are ascending, so this finds the same member or the next one.
        let next = notable.iter().position(|member| Some(member.number) >= number);
        self.selected = next.unwrap_or(notable.len().saturating_sub(1));
    }

    /// Shows the result of an action that changed nothing.
    pub fn set_message(&mut self, message: String) {
        self.message = message;
    }

    /// Shows the pages that can replace the selected member.
    pub fn set_candidates(&mut self, found: WatchSuggestions) {
        self.message.clear();
        self.view = View::Candidates { found: Box::new(found), selected: 0 };
    }

    /// Handles a key.
    pub fn press(&mut self, key: ReviewKey) -> ReviewAction {
        self.message.clear();
        match key {
            ReviewKey::Interrupt => return ReviewAction::Quit,
            ReviewKey::Char('q') | ReviewKey::Escape if self.view == View::Members => {
                return ReviewAction::Quit;
            }
            ReviewKey::Char('q') | ReviewKey::Escape => self.view = View::Members,
            ReviewKey::Char('j') | ReviewKey::Down => self.move_by(1),
            ReviewKey::Char('k') | ReviewKey::Up => self.move_by(-1),
            ReviewKey::PageDown => self.move_by(LINES_PER_PAGE),
            ReviewKey::PageUp => self.move_by(-LINES_PER_PAGE),
            ReviewKey::Char('s') => self.toggle_layout(),
            ReviewKey::Char('d') => self.toggle_diff(),
            ReviewKey::Enter => return self.confirm(),
            ReviewKey::Char(key) => return self.member_action(key),
        }
        ReviewAction::Redraw
    }

    /// Returns the members that need attention.
    fn notable(&self) -> Vec<&WatchMember> {
        self.report.members().filter(|member| is_notable(member)).collect()
    }

    /// Returns the selected member.
    fn member(&self) -> Option<&WatchMember> {
        self.notable().get(self.selected).copied()
    }

    /// Moves the selection, or scrolls the diff.
    fn move_by(&mut self, steps: isize) {
        let moved = |index: usize, count: usize| {
            index.saturating_add_signed(steps).min(count.saturating_sub(1))
        };
        let members = self.notable().len();
        match &mut self.view {
            View::Members => self.selected = moved(self.selected, members),
            // `screen` limits the scroll position, because the height is unknown here.
            View::Diff => self.scroll = self.scroll.saturating_add_signed(steps),
            View::Candidates { found, selected } => {
                *selected = moved(*selected, found.candidates.len());
            }
        }
    }

    /// Opens or closes the two versions of the selected member.
    fn toggle_diff(&mut self) {
        self.scroll = 0;
        self.view = if self.view == View::Diff { View::Members } else { View::Diff };
    }

    /// Switches between the two versions side by side and one after the other.
    fn toggle_layout(&mut self) {
        self.scroll = 0;
        self.layout = match self.layout {
            DiffLayout::SideBySide => DiffLayout::Inline,
            DiffLayout::Inline => DiffLayout::SideBySide,
        };
    }

    /// Opens the selected member, or chooses the selected candidate.
    fn confirm(&mut self) -> ReviewAction {
        let Some(number) = self.member().map(|member| member.number) else {
            return ReviewAction::Redraw;
        };
        match &self.view {
            View::Candidates { found, selected } => match found.candidates.get(*selected) {
                Some(candidate) => ReviewAction::Replace { number, url: candidate.url.clone() },
                None => ReviewAction::Redraw,
            },
            View::Members | View::Diff => {
                self.toggle_diff();
                ReviewAction::Redraw
            }
        }
    }

    /// Returns the action of a letter on the selected member.
    fn member_action(&self, key: char) -> ReviewAction {
        let Some(number) = self.member().map(|member| member.number) else {
            return ReviewAction::Redraw;
        };
        match key {
            'a' => ReviewAction::Accept(number),
            'm' => ReviewAction::Mute(number),
            'r' => ReviewAction::Suggest(number),
            'x' => ReviewAction::Reject(number),
            _ => ReviewAction::Redraw,
        }
    }
}

#[cfg(test)]
mod tests;
