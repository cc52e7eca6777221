//! The command line of `cargo xtask`: parses the command and its options, and prints
//! the result.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for a terminal")]

use std::process::ExitCode;

use xtask::{
    Workspace, XtaskError, bench, check, crawl_real, docs, fuzz, kills, simulate_queue, tidy,
    truth, workers,
};

/// The text printed for an unknown command.
const USAGE: &str = "\
usage: cargo xtask COMMAND

  check                               fmt, clippy, tidy and the tests of the pure crates
  tidy                                checks the rules of ARCHITECTURE.md, prints code sizes
  docs                                rewrites the generated parts of the documentation
  fuzz [--seed N] [--urls N] [--documents N] [--responses N]
                                      feeds mutated inputs; reports panics, hangs, memory use
  kills [--relink PATH] [--kills N]   kills crawl, survey and revive, 30 times each
  workers [--relink PATH] [--hosts N] [--pages N]
                                      check with four workers, two killed, one stopped
  bench check [--urls N] [--hosts H]  relink compared with lychee on a local nginx
  bench judge                         verdicts per second from stored probes
  bench extract                       relink extract against lychee --dump
  bench decay                         decay of a graph: time per link and memory
  bench controls                      requests per page of a healthy site
  bench survey                        planning a survey of a million URLs
  bench harvest [--records N]         reading a million records of an OAI-PMH list
  bench programs                      learning and applying URL programs
  bench alias                         matching dead pages of a large site with live ones
  bench queue [--urls N] [--hosts N] [--seconds N]
                                      the PostgreSQL queue compared with pgbench, no requests
  bench workers [--relink PATH]       1 to 8 processes on one PostgreSQL and slow servers
  bench fix                           diff of 10,000 files with 100,000 moved links
  bench watch                         relink watch run on 5,000 unchanged members
  bench crawl [PAGES]                 relink compared with linkinator and LinkChecker
  simulate-queue [--urls N] [--hosts N] [--workers N] [--concurrency N] [--interval-ms N]
                                      the PostgreSQL queue with 10^9 URLs and 1,000 workers
  crawl-real [--site NAME] [--max-pages N] [--relink FILE] [--cache DIR] [--out DIR]
                                      relink compared with a reference crawl of real sites
  truth [--product NAME] [--relink FILE] [--cache DIR]
                                      verdicts on pages of real programs, as a table";

/// Exit code for an unknown command.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let raw_args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = raw_args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Default number of kills of each command.
const DEFAULT_KILLS: usize = 30;

/// Runs `relink check` with workers that are killed or suspended.
fn run_workers(options: &[&str]) -> Result<ExitCode, XtaskError> {
    let (relink, options) = match options {
        ["--relink", path, rest @ ..] => (*path, rest),
        _ => ("target/debug/relink", options),
    };
    let size = workers::WorkersSize::read(options)?;
    let path = absolute(relink)?;
    let outcome = workers::run(&path, &size, print_progress)?;
    Ok(print_result(&outcome, outcome.is_correct()))
}

/// Measures a check with several processes on one database.
fn run_speedup(options: &[&str]) -> Result<ExitCode, XtaskError> {
    let relink = match options {
        [] => "target/release/relink",
        ["--relink", path] => path,
        _ => return Ok(print_usage()),
    };
    let size = bench::SpeedupSize::default();
    println!("{}", bench::bench_speedup(&absolute(relink)?, &size, print_progress)?);
    Ok(ExitCode::SUCCESS)
}

/// Returns the absolute path. A relative path would be wrong for the started processes,
/// which run in other directories.
fn absolute(path: &str) -> Result<std::path::PathBuf, XtaskError> {
    std::path::absolute(path).map_err(|error| XtaskError::io(path.as_ref(), &error))
}

/// Parses the options of `kills` and runs it.
fn run_kills(options: &[&str]) -> Result<Vec<kills::KillOutcome>, XtaskError> {
    let (mut relink, mut count) = ("target/debug/relink", DEFAULT_KILLS);
    for option in options.chunks(2) {
        match option {
            ["--relink", path] => relink = path,
            ["--kills", number] => {
                count = number.parse().map_err(|_| XtaskError::new("`--kills` needs a number"))?;
            }
            _ => return Err(XtaskError::new("kills takes `--relink PATH` and `--kills N`")),
        }
    }
    kills::run(&absolute(relink)?, count)
}

/// Runs a command, and returns the exit code.
fn run(args: &[&str]) -> Result<ExitCode, XtaskError> {
    match args {
        ["check"] => {
            check::run(&Workspace::load()?)?;
            run(&["tidy"])
        }
        ["tidy"] => Ok(print_tidy_report(&tidy::report(&Workspace::load()?)?)),
        ["docs"] => {
            docs::rewrite(&Workspace::load()?)?;
            Ok(ExitCode::SUCCESS)
        }
        ["fuzz", options @ ..] => run_fuzz(args, options),
        ["kills", options @ ..] => {
            let outcomes = run_kills(options)?;
            for outcome in &outcomes {
                println!("{outcome}");
            }
            Ok(success_if(outcomes.iter().all(kills::KillOutcome::is_correct)))
        }
        ["simulate-queue", options @ ..] => {
            let size = simulate_queue::QueueSimulation::read(options)?;
            if cfg!(debug_assertions) {
                bench::rerun_optimized(&Workspace::load()?, args)?;
            } else {
                println!("{}", size.run());
            }
            Ok(ExitCode::SUCCESS)
        }
        ["workers", options @ ..] => run_workers(options),
        ["bench", "workers", options @ ..] => run_speedup(options),
        ["bench", "check" | "extract" | "fix" | "crawl" | "controls" | "harvest" | "watch", ..] => {
            run_program_bench(args)
        }
        ["bench", "judge" | "decay" | "survey" | "programs" | "alias" | "queue", ..] => {
            run_rule_bench(args)
        }
        ["crawl-real", options @ ..] => {
            let options = crawl_real::CrawlRealOptions::read(options)?;
            let workspace = Workspace::load()?;
            let outcome = crawl_real::crawl_real(&workspace, &options, print_progress)?;
            println!("{outcome}");
            Ok(success_if(outcome.is_equal()))
        }
        ["truth", options @ ..] => {
            let options = truth::TruthOptions::read(options)?;
            let outcome = truth::truth(&Workspace::load()?, &options, print_progress)?;
            Ok(print_result(&outcome, outcome.is_good()))
        }
        _ => Ok(print_usage()),
    }
}

/// Runs a benchmark that starts `relink` and other programs.
fn run_program_bench(args: &[&str]) -> Result<ExitCode, XtaskError> {
    let workspace = Workspace::load()?;
    match args {
        ["bench", "check", options @ ..] => {
            let size = bench::ListSize::read(options)?;
            let outcome = bench::bench_check(&workspace, size, print_progress)?;
            Ok(print_result(&outcome, outcome.counts_agree()))
        }
        ["bench", "extract"] => {
            let size = bench::ExtractSize::default();
            let outcome = bench::bench_extract(&workspace, size, print_progress)?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "fix"] => {
            let outcome = bench::bench_fix(&workspace, bench::FixSize::default(), print_progress)?;
            Ok(print_result(&outcome, outcome.is_within_limits()))
        }
        ["bench", "crawl", options @ ..] => {
            let size = bench::CrawlSize::read(options)?;
            let outcome = bench::bench_crawl(&workspace, size, print_progress)?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "harvest", options @ ..] => {
            let size = bench::HarvestSize::read(options)?;
            let outcome = bench::bench_harvest(&workspace, size, print_progress)?;
            Ok(print_result(&outcome, outcome.is_fast()))
        }
        ["bench", "watch"] => {
            let outcome = bench::bench_watch(&workspace, print_progress)?;
            Ok(print_result(&outcome, outcome.is_within_limits()))
        }
        ["bench", "controls"] => {
            let size = bench::ControlsSize::default();
            let outcome = bench::bench_controls(&workspace, size, print_progress)?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_frugal()))
        }
        _ => Ok(print_usage()),
    }
}

/// Runs a benchmark of Relink's own crates, in an optimized build.
fn run_rule_bench(args: &[&str]) -> Result<ExitCode, XtaskError> {
    if cfg!(debug_assertions) {
        bench::rerun_optimized(&Workspace::load()?, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    match args {
        ["bench", "judge"] => {
            let outcome = bench::bench_judge(bench::JudgeSize::default())?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "decay"] => {
            let outcome = bench::bench_decay(bench::DecaySize::default())?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "survey"] => {
            let outcome = bench::bench_survey(bench::SurveySize::default());
            Ok(print_result(&outcome, outcome.is_fast()))
        }
        ["bench", "alias"] => {
            let outcome = bench::bench_alias(bench::AliasSize::default());
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "queue", options @ ..] => {
            let outcome = bench::bench_queue(&bench::QueueSize::read(options)?, print_progress)?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        ["bench", "programs"] => {
            let outcome = bench::bench_programs(bench::ProgramsSize::default())?;
            Ok(print_result(&outcome, outcome.is_correct() && outcome.is_fast()))
        }
        _ => Ok(print_usage()),
    }
}

fn print_usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(USAGE_ERROR)
}

fn print_progress(line: &str) {
    eprintln!("{line}");
}

/// Prints a result, and returns the exit code for its limits.
fn print_result(result: &impl std::fmt::Display, is_within_limits: bool) -> ExitCode {
    println!("{result}");
    success_if(is_within_limits)
}

/// Runs the fuzzer, in an optimized build unless `--unoptimized` is given.
fn run_fuzz(args: &[&str], options: &[&str]) -> Result<ExitCode, XtaskError> {
    let size = fuzz::FuzzSize::read(options)?;
    if cfg!(debug_assertions) && !options.contains(&fuzz::UNOPTIMIZED) {
        bench::rerun_optimized(&Workspace::load()?, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = fuzz::fuzz(&size, print_progress)?;
    println!("{outcome}");
    Ok(success_if(outcome.is_correct()))
}

/// Prints the result of `tidy`.
fn print_tidy_report(report: &tidy::TidyReport) -> ExitCode {
    println!("{}", report.sizes);
    for violation in &report.violations {
        eprintln!("tidy: {violation}");
    }
    success_if(report.violations.is_empty())
}

fn success_if(is_success: bool) -> ExitCode {
    if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
