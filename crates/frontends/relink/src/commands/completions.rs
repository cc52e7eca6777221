//! `relink completions` and `relink man`: generated from the declared flags.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::error::{CommandError, Exit};
use crate::output::print;

/// Prints a completion script.
pub fn run(args: &CompletionsArgs) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "relink", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Clean)
}

/// Prints the man pages of the program and of each command, one after the other.
pub fn run_man() -> Result<Exit, CommandError> {
    let mut command = Cli::command();
    command.build();
    let mut pages = vec![clap_mangen::Man::new(command.clone())];
    let subcommands = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    pages.extend(subcommands.map(|sub| {
        let name = format!("relink-{}", sub.get_name());
        clap_mangen::Man::new(sub.clone()).title(name)
    }));
    let mut text = Vec::new();
    for page in pages {
        page.render(&mut text).map_err(|error| {
            CommandError::internal("cannot write the man page").cause(error.to_string())
        })?;
    }
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Clean)
}
