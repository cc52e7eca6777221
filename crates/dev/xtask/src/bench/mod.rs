//! Measurements. Numbers come from here, never from timed tests.

mod alias;
mod check;
mod controls;
mod crawl;
mod decay;
mod extract;
mod judge;
mod meter;
pub(crate) mod nginx;
mod programs;
pub(crate) mod scratch;
mod site;
mod survey;

pub use alias::{AliasOutcome, AliasSize, bench_alias};
pub use check::{CheckBenchResult, check};
pub use controls::{ControlsOutcome, ControlsSize, controls, count_requests};
pub use crawl::{CrawlOutcome, CrawlSize, crawl, many_workers_are_faster};
pub use decay::{DecayOutcome, DecaySize, bench_decay};
pub use extract::{ExtractOutcome, ExtractSize, extract};
pub use judge::{JudgeOutcome, JudgeSize, bench_judge};
pub(crate) use meter::own_peak;
pub use programs::{ProgramsOutcome, ProgramsSize, bench_programs};
pub use survey::{SurveyOutcome, SurveySize, bench_survey};

use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Runs a measurement of code that is part of this program again, in an
/// optimized build of it: anything else says nothing.
pub fn optimized(workspace: &Workspace, words: &[&str]) -> Result<(), XtaskError> {
    let build = ["run", "--release", "--locked", "--quiet", "--package", "xtask", "--"];
    run(workspace.cargo().args(build).args(words))
}

/// How large a measurement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many URLs are asked.
    pub urls: usize,
    /// On how many loopback addresses they lie.
    pub hosts: u8,
}

impl Default for Size {
    fn default() -> Self {
        Self { urls: 20_000, hosts: 1 }
    }
}

impl Size {
    /// Reads `--urls N` and `--hosts H`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        let mut rest = options;
        while let [name, value, tail @ ..] = rest {
            match *name {
                "--urls" => size.urls = number(name, value)?,
                "--hosts" => size.hosts = number(name, value)?,
                _ => return Err(unknown(name)),
            }
            rest = tail;
        }
        match rest {
            [] => Ok(size),
            [name, ..] => Err(unknown(name)),
        }
    }
}

/// A number from 1 on.
pub(crate) fn number<T: std::str::FromStr + Default + PartialEq>(
    name: &str,
    value: &str,
) -> Result<T, XtaskError> {
    value
        .parse()
        .ok()
        .filter(|number| *number != T::default())
        .ok_or_else(|| XtaskError::new(format!("`{value}` is no number for `{name}`")))
}

fn unknown(name: &str) -> XtaskError {
    XtaskError::new(format!("`{name}` is no option, or has no value"))
        .hint("the options are `--urls N` and `--hosts H`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_any_order() {
        let size = Size::read(&["--hosts", "4", "--urls", "100"]).unwrap();
        assert_eq!(size, Size { urls: 100, hosts: 4 });
        assert_eq!(Size::read(&[]).unwrap(), Size::default());
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for options in [["--urls", "0"], ["--hosts", "256"], ["--url", "1"]] {
            assert!(Size::read(&options).is_err(), "{options:?}");
        }
        assert!(Size::read(&["--urls"]).is_err());
    }
}
