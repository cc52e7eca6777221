//! The `relink` command-line program: arguments, configuration and output.
//!
//! This crate connects the engine to adapters, the implementations of HTTP, files and the
//! database. No other crate prints or ends the process.

mod byte_size;
mod cli;
mod clock;
mod commands;
mod config;
mod database;
mod duration_arg;
mod error;
mod gate;
mod output;
mod panic_hook;
mod paths;
mod settings;
mod stdin;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use mimalloc::MiMalloc;

use crate::cli::{Cli, Command, ExitCodesArg};
use crate::error::Exit;

/// One thread usually frees the memory that another thread allocated. mimalloc does this
/// faster than the system allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    panic_hook::install();
    let (cli, matches) = match parse_arguments() {
        Ok(parsed) => parsed,
        Err(error) => return print_usage(&error),
    };
    let exit_codes = match &cli.command {
        Command::Check(args) => args.walk.exit_codes,
        _ => ExitCodesArg::Relink,
    };
    let result = cli::reject_unused(&matches).and_then(|()| commands::run(cli));
    panic_hook::report();
    let exit = match result {
        Ok(exit) => panic_hook::exit_code(exit),
        Err(error) => error.print(),
    };
    ExitCode::from(exit_codes.code(exit))
}

/// Parses the command line. The untyped matches show which arguments are set.
fn parse_arguments() -> Result<(Cli, clap::ArgMatches), clap::Error> {
    let matches = Cli::command().try_get_matches()?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((cli, matches))
}

/// Prints help, the version, or the error in the arguments. Masks secrets in the arguments.
#[expect(clippy::print_stderr, reason = "errors go to stderr")]
fn print_usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let redacted = relink_report::redact_prose(&text);
    if error.use_stderr() && redacted.is_changed() {
        eprint!("{redacted}");
    } else {
        // Ignore the error: the reader of the output, such as `head`, closed the pipe.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8))
}
