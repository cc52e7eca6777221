//! `relink config show`: every setting with its value and its source.
//!
//! Secrets are never printed.

use std::path::Path;

use clap::CommandFactory as _;
use toml::{Table, Value};

use crate::cli::{Cli, ConfigArgs, ConfigCommand};
use crate::config::{Config, KEY_EXAMPLES, is_inside};
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::paths;
use crate::settings::current_dir;

/// Keys whose values may contain passwords, tokens or the paths of private keys.
const SECRET_KEYS: [&str; 5] = ["header", "header-for", "host", "proxy", "client-key"];

/// Text instead of a secret.
const HIDDEN: &str = "\"***\"";

/// A configuration file. If several layers set a key, the first layer wins.
struct Layer {
    /// The path of the file.
    path: String,
    table: Table,
    /// Keys of the file that have no effect, because a project must not set them.
    ignored: Vec<String>,
}

/// Runs `relink config`.
pub fn run(args: &ConfigArgs) -> Result<Exit, CommandError> {
    match &args.command {
        ConfigCommand::Show { config } => show(config.as_deref()),
    }
}

/// Prints all settings. `config` is the file of `--config`.
fn show(config: Option<&Path>) -> Result<Exit, CommandError> {
    let dir = current_dir()?;
    let first_file = config.map(Path::to_owned).or_else(|| paths::project_config(&dir));
    let mut layers = Vec::new();
    layers.extend(first_file.map(|file| first_layer(&file, &dir)).transpose()?);
    layers.extend(paths::user_config().map(|file| user_layer(&file)).transpose()?);
    let mut text = String::new();
    for (key, _example) in KEY_EXAMPLES {
        let (value, source) = setting(key, &layers);
        text.extend([*key, " = ", &value, "  # ", &source, "\n"]);
    }
    // The contents of tables are not shown: they may contain secrets.
    for table in ["revive", "host"] {
        for layer in layers.iter().filter(|layer| layer.table.contains_key(table)) {
            text.extend(["[", table, "]  # ", &layer.path, "\n"]);
        }
    }
    print(&text)?;
    Ok(Exit::Clean)
}

/// Returns the value of a key and its source. Environment variables come before
/// files.
fn setting(key: &str, layers: &[Layer]) -> (String, String) {
    if let Some(variable) = variable_of(key)
        && let Ok(value) = std::env::var(&variable)
    {
        return (value_text(key, &Value::String(value)), variable);
    }
    for layer in layers {
        let is_ignored = layer.ignored.iter().any(|ignored| ignored == key);
        if let Some(value) = layer.table.get(key).filter(|_| !is_ignored) {
            return (value_text(key, value), layer.path.clone());
        }
    }
    ("unset".to_owned(), "default".to_owned())
}

/// Formats a value. Hides secrets.
fn value_text(key: &str, value: &Value) -> String {
    if SECRET_KEYS.contains(&key) {
        return HIDDEN.to_owned();
    }
    let text = value.to_string();
    relink_report::printable(&relink_report::redact_prose(&text)).into_owned()
}

/// Returns the environment variable of a setting, such as `RELINK_TIMEOUT` for `timeout`. The
/// name is declared with the flag.
fn variable_of(key: &str) -> Option<String> {
    let command = Cli::command();
    let arguments = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let mut flags = arguments.filter(|argument| argument.get_long() == Some(key));
    let variable = flags.find_map(|flag| flag.get_env())?;
    Some(variable.to_string_lossy().into_owned())
}

/// Reads the file of the project, or the file of `--config`. As in other commands, some
/// keys of a file inside of the project are ignored.
fn first_layer(file: &Path, dir: &Path) -> Result<Layer, CommandError> {
    let root = paths::project_root(dir);
    if !is_inside(&root, &dir.join(file)) {
        return user_layer(file);
    }
    let config = Config::read_project(file, &root, dir)?;
    let ignored = config.project.map(|project| project.ignored).unwrap_or_default();
    Ok(Layer { ignored, ..user_layer(file)? })
}

/// Reads a file that may set all keys.
fn user_layer(file: &Path) -> Result<Layer, CommandError> {
    // `Config::read` only validates the file here, because it converts the values. The
    // output shows the values as they are written.
    Config::read(file)?;
    let text = relink_files::read_to_string(file).unwrap_or_default();
    let table = text.parse().unwrap_or_default();
    Ok(Layer { path: file.display().to_string(), table, ignored: Vec::new() })
}
