//! Rejects arguments that would have no effect.
//!
//! A flag that the selected mode of a command ignores is a mistake of the user. Only
//! arguments on the command line are checked, because environment variables and
//! configuration files apply to several commands. Flags that only affect how requests are
//! sent (`--timeout`, `--proxy`) are always accepted, because they do not change results.

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::error::CommandError;

/// Arguments that a command does not use in one of its modes.
struct Rule {
    /// The command, with its subcommand.
    command: &'static [&'static str],
    /// Whether the arguments select the mode.
    is_selected: fn(&ArgMatches) -> bool,
    /// The mode, as printed in the message.
    mode: &'static str,
    /// The ids of the arguments that have no effect in the mode.
    unused: &'static [&'static str],
}

/// Arguments that select the fields of a catalog.
const FIELDS: &[&str] = &["column", "domain_column", "read_as"];

/// The rules for all commands but `survey simulate`. An id is the name of a field in the
/// arguments of the command.
const RULES: [Rule; 9] = [
    Rule {
        command: &["decay"],
        is_selected: |args| is_set(args, "crawl"),
        mode: "with `--crawl`",
        unused: &["walks", "half_width", "seed", "max_pages", "radius"],
    },
    Rule {
        command: &["decay"],
        is_selected: |args| is_set(args, "graph"),
        mode: "with `--graph`",
        unused: &["walks", "half_width", "seed", "max_pages", "radius"],
    },
    Rule {
        command: &["check"],
        is_selected: |args| !args.get_flag("revive"),
        mode: "without `--revive`",
        unused: &["archive", "search"],
    },
    Rule {
        command: &["fix"],
        is_selected: |args| !args.get_flag("revive"),
        mode: "without `--revive`",
        unused: &["archive", "search"],
    },
    Rule {
        command: &["check"],
        is_selected: |args| args.get_flag("offline"),
        mode: "with `--offline`",
        unused: &["remote_anchors", "revive"],
    },
    Rule {
        command: &["revive"],
        is_selected: |args| args.get_flag("summary"),
        mode: "with `--summary`",
        unused: &[
            "all",
            "archive",
            "warc",
            "live_pages",
            "search",
            "replacements",
            "max_searches",
            "archive_budget",
            "search_budget",
            "date",
            "min_confidence",
            "max_result_age",
        ],
    },
    Rule {
        command: &["survey"],
        is_selected: |args| args.subcommand().is_none() && args.get_flag("from_db"),
        mode: "with `--from-db`",
        unused: FIELDS,
    },
    Rule {
        command: &["survey", "analyze"],
        is_selected: |args| args.get_flag("from_db"),
        mode: "with `--from-db`",
        unused: FIELDS,
    },
    Rule {
        command: &["explain"],
        is_selected: |args| args.get_flag("list"),
        mode: "with `--list`",
        unused: &["subject", "format", "db"],
    },
];

/// The rule for arguments of `survey simulate` that describe the columns of a catalog.
const CATALOG_RULE: Rule = Rule {
    command: &["survey", "simulate"],
    is_selected: |args| !is_set(args, "catalog"),
    mode: "without a catalog",
    unused: &["column", "domain_column", "read_as", "truth_column"],
};

/// Returns an error if an argument would have no effect.
pub fn reject_unused(matches: &ArgMatches) -> Result<(), CommandError> {
    for rule in RULES.iter().chain([&CATALOG_RULE]) {
        let Some(args) = command_args(matches, rule.command) else { continue };
        if !(rule.is_selected)(args) {
            continue;
        }
        if let Some(unused) = rule.unused.iter().find(|id| is_on_command_line(args, id)) {
            let command = rule.command.join(" ");
            return Err(CommandError::usage(format!(
                "`{}` has no effect {}",
                flag_name(unused),
                rule.mode
            ))
            .cause(format!("`relink {command}` does not use it in this mode"))
            .hint(format!("remove one of the arguments; see `relink {command} --help`")));
        }
    }
    Ok(())
}

/// Returns the arguments of a command if it is the selected one.
fn command_args<'a>(matches: &'a ArgMatches, command: &[&str]) -> Option<&'a ArgMatches> {
    let mut args = matches;
    for name in command {
        args = args.subcommand_matches(name)?;
    }
    Some(args)
}

/// Whether an argument is set on the command line or by an environment variable.
fn is_set(args: &ArgMatches, id: &str) -> bool {
    matches!(args.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

fn is_on_command_line(args: &ArgMatches, id: &str) -> bool {
    args.value_source(id) == Some(ValueSource::CommandLine)
}

/// Returns an argument as written on the command line.
fn flag_name(id: &str) -> String {
    match id {
        "subject" => "CODE|STATUS|URL".to_owned(),
        "read_as" => "--as".to_owned(),
        id => format!("--{}", id.replace('_', "-")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// Whether `relink` rejects these arguments, separated by spaces.
    fn is_rejected(args: &str) -> bool {
        let command_line = ["relink"].into_iter().chain(args.split(' '));
        reject_unused(&Cli::command().try_get_matches_from(command_line).unwrap()).is_err()
    }

    #[test]
    fn rules_name_existing_arguments() {
        for rule in RULES.iter().chain([&CATALOG_RULE]) {
            let mut command = Cli::command();
            command.build();
            let mut command = &command;
            for name in rule.command {
                command = command.find_subcommand(name).unwrap();
            }
            for id in rule.unused {
                let exists = command.get_arguments().any(|argument| argument.get_id() == id);
                assert!(exists, "{id} of {:?}", rule.command);
            }
        }
    }

    #[test]
    fn reject_unused_rejects_arguments_without_effect() {
        for args in [
            "decay --crawl latest --seed 3",
            "decay --graph g.csv --walks 3",
            "decay https://example.org/ --dead d.txt --graph g.csv --walks 3",
            "decay --crawl latest --radius 2",
            "check a.md --archive none",
            "fix a.md --archive none",
            "check a.md --offline --remote-anchors",
            "revive --all --summary",
            "survey --from-db --column url",
            "survey analyze --from-db --as csv",
            "survey simulate --truth-column dead",
            "explain RL101 --list",
        ] {
            assert!(is_rejected(args), "{args}");
        }
    }

    #[test]
    fn reject_unused_accepts_used_arguments() {
        for args in [
            "decay --crawl latest --top 3 --sigma 0.1",
            "decay --graph g.csv --dead d.txt --host-interval 0",
            "decay --crawl latest --dead d.txt",
            "decay https://example.org/ --dead d.txt --fail-match old",
            "decay https://example.org/ --seed 3",
            "decay list.md --top 3",
            "check a.md --revive --archive none",
            "check a.md --offline",
            "revive --summary --format json",
            "survey a.csv --column url",
            "explain --list",
        ] {
            assert!(!is_rejected(args), "{args}");
        }
    }
}
