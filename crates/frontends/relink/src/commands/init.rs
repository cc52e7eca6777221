//! `relink init`: writes a commented `relink.toml`.
//!
//! The comment of each key is the help text of the flag with this name.

mod generator;
mod lychee;

use std::path::Path;

use clap::CommandFactory as _;

use crate::cli::{Cli, InitArgs, InitSource};
use crate::config::KEY_EXAMPLES;
use crate::error::{CommandError, Exit};
use crate::output::{print, write_file};
use crate::paths::CONFIG_FILE;

/// The first lines of the file.
const HEADER: &str = "\
# Configuration of Relink. Every key is a long flag name; `relink check --help`
# describes them, `relink config show` prints the values in use. Keys that redirect
# requests or send secrets are accepted only in your own configuration file.
";

/// Runs `relink init`.
pub fn run(args: &InitArgs) -> Result<Exit, CommandError> {
    let path = Path::new(CONFIG_FILE);
    if path.exists() && !args.force {
        return Err(CommandError::usage(format!("`{CONFIG_FILE}` exists"))
            .hint("replace it with `--force`, or edit it"));
    }
    let (settings, notes) = match args.from {
        Some(InitSource::Lychee) => lychee::read_settings(Path::new("."), args.file.as_deref())?,
        None => generator::detect(Path::new(".")),
    };
    let text = config_text(&settings);
    write_file(path, &text).map_err(|error| {
        CommandError::usage(format!("cannot write `{CONFIG_FILE}`")).cause(error.to_string())
    })?;
    let notes: String = notes.iter().flat_map(|note| ["  ", note, "\n"]).collect();
    print(&format!("wrote {CONFIG_FILE}\n{notes}"))?;
    Ok(Exit::Clean)
}

/// Returns the text of the file: the settings, then every other key as a comment.
fn config_text(settings: &[(String, toml::Value)]) -> String {
    let mut text = HEADER.to_owned();
    for (key, value) in settings {
        text.extend(["\n", &help_comment(key), key, " = ", &value.to_string(), "\n"]);
    }
    for (key, example) in KEY_EXAMPLES {
        if !settings.iter().any(|(set_key, _)| set_key == key) {
            text.extend(["\n", &help_comment(key), "# ", key, " = ", example, "\n"]);
        }
    }
    text
}

/// Returns the help text of a flag as comment lines.
fn help_comment(key: &str) -> String {
    let command = Cli::command();
    let mut arguments = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let flag = arguments.find(|argument| argument.get_long() == Some(key));
    let help = flag.and_then(clap::Arg::get_help).map(ToString::to_string).unwrap_or_default();
    help.lines().flat_map(|line| ["# ", line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_comment() {
        for (key, _) in KEY_EXAMPLES {
            assert!(!help_comment(key).is_empty(), "{key}");
        }
    }

    #[test]
    fn config_text_sets_given_keys_and_lists_all_others_as_comments() {
        let settings = [("timeout".to_owned(), toml::Value::String("20s".to_owned()))];
        let text = config_text(&settings);
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table.len(), 1);
        let commented_keys =
            text.lines().filter(|line| line.starts_with("# ") && line.contains(" = "));
        assert!(commented_keys.count() >= KEY_EXAMPLES.len() - 1);
    }
}
