//! The `relink` binary: flags, configuration, wiring of edges, printing.
//!
//! Rules live in the crates below; this one only joins them and speaks to the
//! person at the terminal. It is the only place that prints or exits.

mod byte_size;
mod cli;
mod clock;
mod commands;
mod config;
mod failure;
mod output;
mod panic_hook;
mod places;
mod settings;
mod span_of_time;
mod stdin;
mod wiring;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

use crate::cli::Cli;

/// Most of what one thread makes, another one drops: that is what this
/// allocator is made for, and the system's is not.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    panic_hook::install();
    let cli = Cli::parse();
    let ended = commands::run(cli);
    panic_hook::report();
    match ended {
        Ok(exit) => panic_hook::exit(exit).into(),
        Err(failure) => failure.report(),
    }
}
