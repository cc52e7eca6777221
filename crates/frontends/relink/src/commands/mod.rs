//! The commands, one module each.

mod check;
mod crawl;
mod db;
mod decay;
mod demo;
mod explain;
mod export;
mod extract;
mod patterns;
mod report;
mod revive;
mod signals;
mod survey;

use std::io::IsTerminal;

use relink_report::human::Paint;

use crate::cli::{Cli, Color, Command, Face};
use crate::failure::{Exit, Failure};
use crate::{panic_hook, wiring};

/// Runs a command.
pub fn run(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {
        Command::Explain(args) => block_on(explain::run(args, paint(&cli.face))),
        Command::Extract(args) => block_on(extract::run(args, cli.face)),
        Command::Check(args) => block_on(check::run(*args, cli.face)),
        Command::Crawl(args) => block_on(crawl::run(*args, cli.face)),
        Command::Revive(args) => block_on(revive::run(*args, cli.face)),
        Command::Report(args) => block_on(report::run(args, cli.face)),
        Command::Patterns(args) => block_on(patterns::run(args)),
        Command::Decay(args) => block_on(decay::run(*args, cli.face)),
        Command::Survey(args) => block_on(survey::run(*args, cli.face)),
        Command::Demo => block_on(demo::run(cli.face)),
        Command::Db(args) => block_on(db::run(args)),
    }
}

/// Whether stdout is painted.
pub fn paint(face: &Face) -> Paint {
    let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_painted = match face.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !wants_none && std::io::stdout().is_terminal(),
    };
    if is_painted { Paint::Ansi } else { Paint::Plain }
}

fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|fault| Failure::fault("cannot start").cause(fault.to_string()))?;
    let result = panic_hook::run(|| runtime.block_on(future));
    wiring::close_stores();
    relink_render::end_browsers();
    // Whatever still hangs in a name server or a disk must not hold us back.
    runtime.shutdown_background();
    result
}
