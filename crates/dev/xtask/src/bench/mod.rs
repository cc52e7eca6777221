//! Benchmarks: `cargo xtask bench NAME`. Each prints its figures and fails if a limit
//! is exceeded. The test suite never measures time.

mod alias;
mod check;
mod controls;
mod crawl;
mod decay;
mod extract;
mod fix;
mod harvest;
mod judge;
mod meter;
pub(crate) mod nginx;
mod programs;
mod queue;
pub(crate) mod scratch;
mod site;
mod speedup;
mod survey;
mod watch;

pub use alias::{AliasBenchResult, AliasSize, bench_alias};
pub use check::{CheckBenchResult, bench_check};
pub use controls::{ControlsBenchResult, ControlsSize, bench_controls, count_requests};
pub use crawl::{CrawlBenchResult, CrawlSize, bench_crawl, many_workers_are_faster};
pub use decay::{DecayBenchResult, DecaySize, bench_decay};
pub use extract::{ExtractBenchResult, ExtractSize, bench_extract};
pub use fix::{FixBenchResult, FixSize, bench_fix};
pub use harvest::{HarvestBenchResult, HarvestSize, bench_harvest};
pub use judge::{JudgeBenchResult, JudgeSize, bench_judge};
pub(crate) use meter::own_peak_kib;
pub use programs::{ProgramsBenchResult, ProgramsSize, bench_programs};
pub use queue::{QueueBenchResult, QueueRow, QueueSize, bench_queue};
pub use speedup::{SpeedupResult, SpeedupSize, bench_speedup};
pub use survey::{SurveyBenchResult, SurveySize, bench_survey};
pub use watch::{WatchBenchResult, bench_watch};

use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Runs this benchmark again in an optimized build of this program.
pub fn rerun_optimized(workspace: &Workspace, args: &[&str]) -> Result<(), XtaskError> {
    let build = ["run", "--release", "--locked", "--quiet", "--package", "xtask", "--"];
    run(workspace.cargo().args(build).args(args))
}

/// Number of URLs of a measurement, and of the hosts that serve them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListSize {
    /// Number of URLs.
    pub urls: usize,
    /// Number of loopback addresses that serve them.
    pub hosts: u8,
}

impl Default for ListSize {
    fn default() -> Self {
        Self { urls: 20_000, hosts: 1 }
    }
}

impl ListSize {
    /// Reads `--urls N` and `--hosts H`.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        let mut rest = options;
        while let [name, value, tail @ ..] = rest {
            match *name {
                "--urls" => size.urls = number(name, value)?,
                "--hosts" => size.hosts = number(name, value)?,
                _ => return Err(unknown_option(name)),
            }
            rest = tail;
        }
        match rest {
            [] => Ok(size),
            [name, ..] => Err(unknown_option(name)),
        }
    }
}

/// Parses a number of at least 1.
pub(crate) fn number<T: std::str::FromStr + Default + PartialEq>(
    name: &str,
    value: &str,
) -> Result<T, XtaskError> {
    value
        .parse()
        .ok()
        .filter(|number| *number != T::default())
        .ok_or_else(|| XtaskError::new(format!("`{value}` is not a number for `{name}`")))
}

fn unknown_option(name: &str) -> XtaskError {
    XtaskError::new(format!("`{name}` is not an option, or has no value"))
        .hint("the options are `--urls N` and `--hosts H`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_accepts_options_in_any_order() {
        let size = ListSize::read(&["--hosts", "4", "--urls", "100"]).unwrap();
        assert_eq!(size, ListSize { urls: 100, hosts: 4 });
        assert_eq!(ListSize::read(&[]).unwrap(), ListSize::default());
    }

    #[test]
    fn read_rejects_unknown_options() {
        for options in [["--urls", "0"], ["--hosts", "256"], ["--url", "1"]] {
            assert!(ListSize::read(&options).is_err(), "{options:?}");
        }
        assert!(ListSize::read(&["--urls"]).is_err());
    }
}
