//! The `relink` binary: flags, configuration, wiring of edges, printing.
//!
//! Rules live in the crates below; this one only joins them and speaks to the
//! person at the terminal. It is the only place that prints or exits.

mod byte_size;
mod cli;
mod clock;
mod commands;
mod config;
mod duration_arg;
mod error;
mod output;
mod panic_hook;
mod paths;
mod settings;
mod stdin;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use mimalloc::MiMalloc;

use crate::cli::Cli;
use crate::error::Exit;

/// Most of what one thread makes, another one drops: that is what this
/// allocator is made for, and the system's is not.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    panic_hook::install();
    let parsed = Cli::command().try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage_error(&error),
    };
    let ended = cli::refuse(&matches).and_then(|()| commands::run(cli));
    panic_hook::report();
    match ended {
        Ok(exit) => panic_hook::exit(exit).into(),
        Err(failure) => failure.report(),
    }
}

/// Prints help, the version, or what is wrong with the arguments. Arguments may
/// hold secrets, which are not repeated.
#[expect(clippy::print_stderr, reason = "this is where wrong arguments are reported")]
fn usage_error(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let redacted = relink_report::redact_prose(&text);
    if error.use_stderr() && redacted.is_changed() {
        eprint!("{redacted}");
    } else {
        // Printing fails only if there is no reader.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8))
}
