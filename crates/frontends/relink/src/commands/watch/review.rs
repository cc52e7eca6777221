//! `relink watch diff` in a terminal: an interactive review.
//!
//! [`TerminalReview`] contains the state and computes the screen. This file reads keys,
//! applies the actions and writes the screen to the terminal.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use console::{Key, Term};
use jiff::SignedDuration;
use relink_report::human::TextStyle;
use relink_report::watch::{ReviewAction, ReviewKey, TerminalReview, WatchReport};
use relink_requests::StopSignal;
use relink_watch::{MemberSelector, WatchAction, apply_action, replace_member, review_collection};

use super::suggest::ReplacementSearch;
use crate::cli::{ExplainFormat, GlobalArgs, WatchDiffArgs};
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::commands::text_style;
use crate::error::{CommandError, Exit};

/// The time for which the key `m` mutes a member: the default of `relink watch mute`.
const MUTE_DURATION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Escape sequence that shows the alternate screen and hides the cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";

/// Escape sequence that shows the cursor and the normal screen.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// Escape sequence that moves the cursor to the first line.
const HOME: &str = "\x1b[H";

/// Escape sequences that erase the rest of the line, and the rest of the screen.
const ERASE_LINE: &str = "\x1b[K";
const ERASE_SCREEN: &str = "\x1b[J";

/// Whether the review is interactive: in a terminal, and without flags for other output.
pub(super) fn is_interactive(args: &WatchDiffArgs) -> bool {
    let is_text = args.format == ExplainFormat::Human
        && args.output.is_none()
        && args.from.is_none()
        && !args.plain;
    is_text && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Runs the review: draws the screen, waits for a key and applies its action.
pub(super) async fn review(
    args: WatchDiffArgs,
    db: Option<PathBuf>,
    clock: RunClock,
    global: &GlobalArgs,
) -> Result<Exit, CommandError> {
    let search = ReplacementSearch::open(args.search, db, clock).await?;
    let mut session = ReviewSession { search, name: args.name, stop: stop_on_signal() };
    let mut review = TerminalReview::new(session.report().await?);
    let screen = Screen::open(text_style(global))?;
    loop {
        screen.draw(&mut review)?;
        let Some(key) = screen.read_key().await? else { continue };
        let action = review.press(key);
        if action == ReviewAction::Quit {
            return Ok(Exit::Clean);
        }
        // A search takes long, so show a message first.
        if let ReviewAction::Suggest(_) = action {
            review.set_message("searching for replacements … (Ctrl-C ends the review)".to_owned());
            screen.draw(&mut review)?;
        }
        if let Err(error) = session.apply(action, &mut review).await {
            review.set_message(error.one_line());
        }
        if session.stop.is_stopped() {
            return Ok(Exit::Interrupted);
        }
    }
}

/// The collection under review.
struct ReviewSession {
    search: ReplacementSearch,
    name: String,
    stop: StopSignal,
}

impl ReviewSession {
    async fn report(&self) -> Result<WatchReport, CommandError> {
        let search = &self.search;
        let report =
            review_collection(&search.ports, &*search.collections, &self.name, "watch diff");
        Ok(report.await?)
    }

    /// Applies an action to the collection and passes its result to the screen.
    async fn apply(
        &mut self,
        action: ReviewAction,
        review: &mut TerminalReview,
    ) -> Result<(), CommandError> {
        let message = match action {
            ReviewAction::Redraw | ReviewAction::Quit => return Ok(()),
            ReviewAction::Accept(number) => {
                self.act(number, WatchAction::Accept, "accepted").await?
            }
            ReviewAction::Reject(number) => {
                self.act(number, WatchAction::Reject { reason: String::new() }, "rejected").await?
            }
            ReviewAction::Mute(number) => {
                let now = self.search.ports.clock.now();
                let until = now.checked_add(MUTE_DURATION).unwrap_or(jiff::Timestamp::MAX);
                let action = WatchAction::Mute { until, reason: String::new() };
                self.act(number, action, "muted for 30 days:").await?
            }
            ReviewAction::Suggest(number) => {
                let member = MemberSelector::Number(number);
                let found = self.search.suggest(&self.name, &member, &self.stop).await?;
                if found.candidates.is_empty() {
                    review.set_message("no candidates found".to_owned());
                } else {
                    review.set_candidates(found);
                }
                return Ok(());
            }
            ReviewAction::Replace { number, url } => {
                let (ports, store) = (&self.search.ports, &*self.search.collections);
                let member = MemberSelector::Number(number);
                replace_member(ports, store, &self.name, &member, &url).await?;
                format!("replaced {number} by {url}")
            }
        };
        review.update(self.report().await?, message);
        Ok(())
    }

    /// Applies an action to one member. Returns a message such as `accepted URL`.
    async fn act(
        &self,
        number: u32,
        action: WatchAction,
        effect: &str,
    ) -> Result<String, CommandError> {
        let (ports, store) = (&self.search.ports, &*self.search.collections);
        let selectors = [MemberSelector::Number(number)];
        let urls = apply_action(ports, store, &self.name, &selectors, &action).await?;
        Ok(format!("{effect} {}", urls.join(" ")))
    }
}

/// The alternate screen of the terminal, until it is dropped.
struct Screen {
    term: Term,
    style: TextStyle,
}

impl Screen {
    fn open(style: TextStyle) -> Result<Self, CommandError> {
        let screen = Self { term: Term::stdout(), style };
        screen.write(ENTER)?;
        Ok(screen)
    }

    fn draw(&self, review: &mut TerminalReview) -> Result<(), CommandError> {
        let (rows, columns) = self.term.size();
        let lines = review.screen(columns.into(), rows.into(), self.style);
        let lines: Vec<String> =
            lines.into_iter().take(rows.into()).map(|line| line + ERASE_LINE).collect();
        self.write(&format!("{HOME}{}{ERASE_SCREEN}", lines.join("\r\n")))
    }

    /// Waits for a key. Returns `None` for a key without a meaning, and an error at the end
    /// of the input.
    async fn read_key(&self) -> Result<Option<ReviewKey>, CommandError> {
        let term = self.term.clone();
        let key = tokio::task::spawn_blocking(move || term.read_key_raw()).await;
        let key = key.map_err(|error| std::io::Error::other(error.to_string())).flatten();
        Ok(match key.map_err(|error| terminal_error(&error))? {
            Key::Char(key) => Some(ReviewKey::Char(key)),
            Key::ArrowUp => Some(ReviewKey::Up),
            Key::ArrowDown => Some(ReviewKey::Down),
            Key::PageUp => Some(ReviewKey::PageUp),
            Key::PageDown => Some(ReviewKey::PageDown),
            Key::Enter => Some(ReviewKey::Enter),
            Key::Escape => Some(ReviewKey::Escape),
            Key::CtrlC => Some(ReviewKey::Interrupt),
            _ => None,
        })
    }

    fn write(&self, text: &str) -> Result<(), CommandError> {
        let mut term = &self.term;
        let written = term.write_all(text.as_bytes()).and_then(|()| term.flush());
        written.map_err(|error| terminal_error(&error))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Ignore the error: it occurs only if the terminal was closed.
        let _ = self.write(LEAVE);
    }
}

fn terminal_error(error: &std::io::Error) -> CommandError {
    CommandError::usage("cannot use the terminal")
        .cause(error.to_string())
        .hint("use `--plain` to print the review")
}
