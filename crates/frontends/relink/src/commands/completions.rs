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
    for subcommand in command.get_subcommands() {
        if subcommand.get_name() != "help" {
            let title = format!("relink-{}", subcommand.get_name());
            pages.push(clap_mangen::Man::new(subcommand.clone()).title(title));
        }
    }
    let mut text = Vec::new();
    for page in pages {
        page.render(&mut text).map_err(|error| {
            CommandError::internal("cannot write the man page").cause(error.to_string())
        })?;
    }
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Clean)
}
