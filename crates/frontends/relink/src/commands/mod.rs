//! The commands, one module each.

mod archive;
mod check;
mod completions;
mod config_show;
mod crawl;
mod db;
mod decay;
mod demo;
mod explain;
mod export;
mod extract;
mod fix;
mod harvest;
mod init;
mod patterns;
mod report;
mod revive;
mod serve;
mod signals;
mod survey;
mod watch;
mod worker;

use std::io::IsTerminal;

use relink_model::TaskId;
use relink_report::human::TextStyle;

use crate::cli::{Cli, Color, Command, GlobalArgs};
use crate::error::{CommandError, Exit};
use crate::{panic_hook, wiring};

/// The cursor of a query that starts at the first task of a run. Task ids start at 1.
const BEFORE_FIRST_TASK: TaskId = TaskId(0);

/// Runs a command.
pub fn run(cli: Cli) -> Result<Exit, CommandError> {
    match cli.command {
        Command::Explain(args) => block_on(explain::run(args, text_style(&cli.global))),
        Command::Extract(args) => block_on(extract::run(args, cli.global)),
        Command::Init(args) => init::run(&args),
        Command::Config(args) => config_show::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man => completions::run_man(),
        Command::Baseline(args) => block_on(check::run_baseline(*args, cli.global)),
        Command::Check(args) => block_on(check::run(*args, cli.global)),
        Command::Crawl(args) => block_on(crawl::run(*args, cli.global)),
        Command::Revive(args) => block_on(revive::run(*args, cli.global)),
        Command::Fix(args) => block_on(fix::run(*args, cli.global)),
        Command::Archive(args) => block_on(archive::run(*args, cli.global)),
        Command::Report(args) => block_on(report::run(args, cli.global)),
        Command::Patterns(args) => block_on(patterns::run(args)),
        Command::Decay(args) => block_on(decay::run(*args, cli.global)),
        Command::Survey(args) => block_on(survey::run(*args, cli.global)),
        Command::Watch(args) => block_on(watch::run(*args, cli.global)),
        Command::Harvest(args) => block_on(harvest::run(*args)),
        Command::Demo(args) => block_on(demo::run(args, cli.global)),
        Command::Serve(args) => block_on(serve::run(*args)),
        Command::Worker(args) => block_on(worker::run(*args, cli.global)),
        Command::Db(args) => block_on(db::run(args)),
    }
}

/// Returns the style of standard output: with colors or plain.
pub fn text_style(global: &GlobalArgs) -> TextStyle {
    // The convention of https://no-color.org: any text disables colors.
    let is_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let has_colors = match global.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !is_disabled && std::io::stdout().is_terminal(),
    };
    if has_colors { TextStyle::Ansi } else { TextStyle::Plain }
}

/// Runs a command on an async runtime. Closes databases and browsers at the end.
fn block_on<T>(future: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        CommandError::internal("cannot start the async runtime").cause(error.to_string())
    })?;
    let result = panic_hook::run(|| {
        runtime.block_on(async {
            let result = future.await;
            wiring::end_workers().await;
            result
        })
    });
    wiring::close_stores();
    relink_render::end_browsers();
    // Do not wait for blocked DNS lookups or file operations.
    runtime.shutdown_background();
    result
}
