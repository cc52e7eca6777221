//! `cargo xtask fuzz`: passes mutated URLs, documents and server responses to Relink's
//! parsers, and reports panics, hangs and excessive memory.
//!
//! Every input is derived from the seed and its number, so failures can be
//! reproduced. A full run takes minutes in an optimized build. A small run with
//! a fixed seed is part of the test suite.

mod documents;
mod guard;
mod mutate;
mod random;
mod responses;
mod samples;
mod urls;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use relink_page::DocumentFormat;

pub use self::guard::{Failure, Guard};
pub use self::mutate::mutate;
pub use self::random::Random;
use crate::XtaskError;
use crate::bench::own_peak_kib;

/// Maximum memory of a run, in KiB.
const MAX_PEAK_KIB: u64 = 512 << 10;
/// Number of items that a worker takes at a time.
const BATCH_SIZE: u64 = 256;

/// The size of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzSize {
    /// Seed of all inputs.
    pub seed: u64,
    /// URLs.
    pub urls: u64,
    /// Documents of each format.
    pub documents: u64,
    /// Responses of servers.
    pub responses: u64,
    /// Directory for failing inputs.
    pub folder: PathBuf,
}

impl Default for FuzzSize {
    fn default() -> Self {
        Self {
            seed: 1,
            urls: 10_000_000,
            documents: 100_000,
            responses: 100_000,
            folder: PathBuf::from("target/fuzz"),
        }
    }
}

impl FuzzSize {
    /// Reads `--seed N`, `--urls N`, `--documents N` and `--responses N`.
    ///
    /// # Errors
    ///
    /// If an option is not known or its value is not a number.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut size = Self::default();
        let mut rest = options;
        while let [name, tail @ ..] = rest {
            if *name == UNOPTIMIZED {
                rest = tail;
                continue;
            }
            let [value, tail @ ..] = tail else {
                return Err(XtaskError::new(format!("`{name}` needs a number")));
            };
            let number = || {
                let number = value.replace('_', "").parse();
                number.map_err(|_| XtaskError::new(format!("`{name} {value}` is not a number")))
            };
            match *name {
                "--seed" => size.seed = number()?,
                "--urls" => size.urls = number()?,
                "--documents" => size.documents = number()?,
                "--responses" => size.responses = number()?,
                _ => return Err(XtaskError::new(format!("`{name}` is not an option of fuzz"))),
            }
            rest = tail;
        }
        Ok(size)
    }
}

/// Option that runs the fuzzer without an optimized build.
pub const UNOPTIMIZED: &str = "--unoptimized";

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzOutcome {
    /// URLs that were read.
    pub urls: u64,
    /// Documents that were read, of all formats.
    pub documents: u64,
    /// Responses that were sent.
    pub responses: u64,
    /// Every panic.
    pub failures: Vec<Failure>,
    /// Peak memory of this process in KiB, if known.
    pub peak_kib: Option<u64>,
}

impl FuzzOutcome {
    /// Whether nothing panicked and the memory limit was kept. A hang ends the run.
    pub fn is_correct(&self) -> bool {
        self.failures.is_empty() && self.peak_kib.is_none_or(|peak| peak < MAX_PEAK_KIB)
    }
}

impl fmt::Display for FuzzOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { urls, documents, responses, failures, peak_kib } = self;
        writeln!(f, "{urls} URLs, {documents} documents, {responses} responses")?;
        let peak = peak_kib.map_or("unknown".to_owned(), |kib| format!("{} MiB", kib >> 10));
        write!(f, "{} panics, 0 hangs, peak memory {peak}", failures.len())?;
        for Failure { location, input } in failures {
            let input = input.as_ref().map(|path| format!(": {}", path.display()));
            write!(f, "\npanic at {location}{}", input.unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Runs all parts in turn. `progress` receives status lines.
///
/// # Errors
///
/// If the servers of the last part cannot be started.
pub fn fuzz(size: &FuzzSize, progress: impl Fn(&str)) -> Result<FuzzOutcome, XtaskError> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let guard = Guard::new(&size.folder, workers);
    progress(&format!("{} URLs", size.urls));
    run_in_parallel(workers, size.urls, |worker, item| urls::run(&guard, worker, size.seed, item));
    for format in DocumentFormat::ALL {
        progress(&format!("{} documents: {format}", size.documents));
        let fuzzer = documents::FormatFuzzer::new(format, size.seed);
        run_in_parallel(workers, size.documents, |worker, item| fuzzer.run(&guard, worker, item));
    }
    progress(&format!("{} responses", size.responses));
    let responses = responses::run(&guard, size.seed, size.responses)?;
    guard.record_caught_panics();
    Ok(FuzzOutcome {
        urls: size.urls,
        documents: size.documents * DocumentFormat::ALL.len() as u64,
        responses,
        failures: guard.failures(),
        peak_kib: own_peak_kib(),
    })
}

/// Runs the items on all workers.
fn run_in_parallel(workers: usize, items: u64, work: impl Fn(usize, u64) + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let first = next.fetch_add(BATCH_SIZE, Ordering::Relaxed);
                    if first >= items {
                        return;
                    }
                    (first..items.min(first + BATCH_SIZE)).for_each(|item| work(worker, item));
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_options_set_the_size() {
        let options = ["--seed", "7", "--urls", "1_000", "--unoptimized", "--responses", "3"];
        let size = FuzzSize::read(&options).unwrap();
        assert_eq!((size.seed, size.urls, size.responses), (7, 1_000, 3));
        assert!(FuzzSize::read(&["--urls", "many"]).is_err());
        assert!(FuzzSize::read(&["--pages", "3"]).is_err());
        assert!(FuzzSize::read(&["--urls"]).is_err());
    }

    #[test]
    fn run_in_parallel_runs_every_item_once() {
        let sum = AtomicU64::new(0);
        run_in_parallel(3, 1_000, |_, item| _ = sum.fetch_add(item, Ordering::Relaxed));
        assert_eq!(sum.into_inner(), 999 * 1_000 / 2);
    }
}
