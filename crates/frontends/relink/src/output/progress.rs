//! Progress bars on stderr, on terminals only.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use relink_engine::{Observer, Progress, SurveyForecast, Waiting};
use relink_ports::CheckedTarget;
use relink_report::human::{counted, duration};
use relink_report::printable;

use crate::cli::GlobalArgs;

/// The interval at which the elapsed time is updated.
const REDRAW_INTERVAL: Duration = Duration::from_millis(250);

/// The progress of a run on stderr.
pub struct ProgressDisplay {
    /// The bar; `None` if stderr is not a terminal or output is quiet.
    bar: Option<ProgressBar>,
    is_quiet: bool,
}

impl ProgressDisplay {
    /// Creates a bar if stderr is a terminal and output is not quiet.
    pub fn new(global: &GlobalArgs) -> Self {
        // Some CI systems provide a terminal, but record its output as a log.
        let is_terminal = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        Self { bar: (is_terminal && !global.quiet).then(create_bar), is_quiet: global.quiet }
    }

    /// Shows the progress of a run.
    pub fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        match progress {
            Progress::Loading { documents, links } => {
                bar.set_message(format!(
                    "reading: {}, {}",
                    counted(*documents, "file"),
                    counted(*links, "link")
                ));
                bar.tick();
            }
            Progress::Checking { checked, targets, in_flight, waiting } => {
                bar.set_length(*targets);
                bar.set_position(*checked);
                bar.set_message(format!("{in_flight} in flight{}", wait_texts(waiting)));
            }
            Progress::Surveying { requests, in_flight, waiting, domain_counts } => {
                // The total number of requests is not known before the end.
                bar.set_length(requests + *in_flight as u64);
                bar.set_position(*requests);
                let domains = super::survey::domain_counts(*domain_counts);
                bar.set_message(format!("{domains}{}", wait_texts(waiting)));
            }
        }
    }

    /// Prints the forecast of a survey.
    #[expect(clippy::print_stderr, reason = "progress goes to stderr")]
    pub fn print_forecast(&self, forecast: &SurveyForecast) {
        let line = super::survey::forecast(forecast);
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None if self.is_quiet => {}
            None => eprintln!("{line}"),
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows only the progress; commands with this observer read the results from the store.
impl Observer for ProgressDisplay {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.show(progress);
    }
}

/// A progress bar for a number of steps; `None` if it is not shown.
pub struct Steps(Option<ProgressBar>);

impl Steps {
    /// Creates a bar if stderr is a terminal and output is not quiet.
    pub fn new(global: &GlobalArgs) -> Self {
        Self(ProgressDisplay::new(global).bar)
    }

    /// Shows the number of finished steps and the next step.
    pub fn show(&self, done: u64, all: u64, next: &str) {
        let Some(bar) = &self.0 else { return };
        bar.set_length(all);
        bar.set_position(done);
        bar.set_message(printable(next).into_owned());
    }

    /// Calls `action` while the bar is hidden.
    pub fn suspended<T>(&self, action: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(action),
            None => action(),
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn create_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed} eta {eta}  {msg}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // The template is a constant; the default style is never used.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(REDRAW_INTERVAL);
    bar
}

/// Formats the waits for hosts: ` · example.org throttled, 12 s`.
fn wait_texts(waiting: &[Waiting]) -> String {
    let wait_text = |waiting: &Waiting| {
        let time = duration(u64::try_from(waiting.wait.as_millis()).unwrap_or(u64::MAX));
        let reason = if waiting.is_throttled { "throttled, " } else { "" };
        format!(" · {} {reason}{time}", printable(&waiting.host))
    };
    waiting.iter().map(wait_text).collect()
}
