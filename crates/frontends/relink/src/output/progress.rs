//! Progress on stderr, on terminals only.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use relink_engine::{Progress, Waiting};
use relink_report::human::{counted, duration};
use relink_report::printable;

use crate::cli::GlobalArgs;

/// A progress bar, or none.
pub struct ProgressDisplay(Option<ProgressBar>);

impl ProgressDisplay {
    /// A bar if somebody can see it and wants to.
    pub fn new(face: &GlobalArgs) -> Self {
        let is_seen = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        Self((is_seen && !face.quiet).then(bar))
    }

    /// Shows how far the run has come.
    pub fn show(&self, progress: &Progress) {
        let Some(bar) = &self.0 else { return };
        match progress {
            Progress::Loading { documents, links } => {
                bar.set_message(format!(
                    "reading: {}, {}",
                    counted(*documents, "file"),
                    counted(*links, "link")
                ));
                bar.tick();
            }
            Progress::Asking { checked: settled, targets, in_flight, waiting } => {
                bar.set_length(*targets);
                bar.set_position(*settled);
                bar.set_message(format!("{in_flight} in flight{}", waits(waiting)));
            }
            Progress::Surveying { requests: asked, in_flight, waiting, standings } => {
                // How many will be asked is not known before the end.
                bar.set_length(asked + *in_flight as u64);
                bar.set_position(*asked);
                let domains = super::survey::standings(*standings);
                bar.set_message(format!("{domains}{}", waits(waiting)));
            }
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A count of steps with a word on what is being done, or none.
pub struct Steps(Option<ProgressBar>);

impl Steps {
    /// A bar if somebody can see it and wants to.
    pub fn new(face: &GlobalArgs) -> Self {
        Self(ProgressDisplay::new(face).0)
    }

    /// So many of so many are done, and this is next.
    pub fn show(&self, done: u64, all: u64, next: &str) {
        let Some(bar) = &self.0 else { return };
        bar.set_length(all);
        bar.set_position(done);
        bar.set_message(printable(next).into_owned());
    }

    /// Makes something to print while the bar is out of the way.
    pub fn beside<T>(&self, make: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(make),
            None => make(),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} eta {eta}  {msg}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // The template is fixed; if it could not be read the default would do.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn waits(waiting: &[Waiting]) -> String {
    let wait = |waiting: &Waiting| {
        let time = duration(u64::try_from(waiting.wait.as_millis()).unwrap_or(u64::MAX));
        let why = if waiting.is_throttled { "asked us to slow down, " } else { "" };
        format!(" · {} {why}{time}", printable(&waiting.host))
    };
    waiting.iter().map(wait).collect()
}
