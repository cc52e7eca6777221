//! Arguments that would have no effect are refused.
//!
//! A flag that changes what a command computes, given where the command does
//! not use it, is a mistake: the result would not be what was asked for. Only
//! what is typed counts; variables and files set what several commands use.
//! Flags about how requests are sent (`--timeout`, `--proxy`) are accepted by
//! commands that send none: they change no result.

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::error::CommandError;

/// Arguments that a command does not use in one of its modes.
struct Rule {
    /// The command, with its subcommand.
    command: &'static [&'static str],
    /// Whether the rule applies.
    applies: fn(&ArgMatches) -> bool,
    /// The mode, as the message names it.
    mode: &'static str,
    /// The arguments that have no effect in it.
    unused: &'static [&'static str],
}

/// Arguments about the fields of a catalog.
const FIELDS: &[&str] = &["column", "domain_column", "read_as"];

const RULES: [Rule; 9] = [
    Rule {
        command: &["decay"],
        applies: |given| has(given, "crawl"),
        mode: "with `--crawl`",
        unused: &["dead", "walks", "within", "seed", "max_pages"],
    },
    Rule {
        command: &["decay"],
        applies: |given| has(given, "graph"),
        mode: "with `--graph`",
        unused: &["walks", "within", "seed", "max_pages"],
    },
    Rule {
        command: &["decay"],
        applies: |given| !has(given, "graph") && !has(given, "crawl"),
        mode: "without `--crawl` or `--graph`",
        unused: &["top", "dead"],
    },
    Rule {
        command: &["check"],
        applies: |given| !given.get_flag("revive"),
        mode: "without `--revive`",
        unused: &["archive", "search"],
    },
    Rule {
        command: &["check"],
        applies: |given| given.get_flag("offline"),
        mode: "with `--offline`",
        unused: &["remote_anchors", "revive"],
    },
    Rule {
        command: &["revive"],
        applies: |given| given.get_flag("summary"),
        mode: "with `--summary`",
        unused: &[
            "all",
            "archive",
            "warc",
            "live",
            "search",
            "elsewhere",
            "searches",
            "archive_budget",
            "search_budget",
            "date",
            "least",
            "answer_age",
        ],
    },
    Rule {
        command: &["survey"],
        applies: |given| given.subcommand().is_none() && given.get_flag("store"),
        mode: "with `--store`",
        unused: FIELDS,
    },
    Rule {
        command: &["survey", "analyze"],
        applies: |given| given.get_flag("store"),
        mode: "with `--store`",
        unused: FIELDS,
    },
    Rule {
        command: &["explain"],
        applies: |given| given.get_flag("list"),
        mode: "with `--list`",
        unused: &["subject", "format", "db"],
    },
];

/// Arguments of `survey simulate` that describe a catalog.
const OF_A_CATALOG: Rule = Rule {
    command: &["survey", "simulate"],
    applies: |given| !has(given, "catalog"),
    mode: "without a catalog",
    unused: &["column", "domain_column", "read_as", "truth_column"],
};

/// Refuses arguments that would have no effect.
pub fn refuse(matches: &ArgMatches) -> Result<(), CommandError> {
    for rule in RULES.iter().chain([&OF_A_CATALOG]) {
        let Some(given) = of_command(matches, rule.command) else { continue };
        let unused = rule.unused.iter().find(|id| is_typed(given, id));
        if let Some(unused) = unused.filter(|_| (rule.applies)(given)) {
            let command = rule.command.join(" ");
            return Err(CommandError::usage(format!(
                "`{}` has no effect {}",
                named(unused),
                rule.mode
            ))
            .cause(format!("`relink {command}` does not use it there"))
            .hint(format!("leave one of them out; see `relink {command} --help`")));
        }
    }
    Ok(())
}

/// The arguments of a command, if it is the one that runs.
fn of_command<'a>(matches: &'a ArgMatches, command: &[&str]) -> Option<&'a ArgMatches> {
    let mut matches = matches;
    for name in command {
        matches = matches.subcommand_matches(name)?;
    }
    Some(matches)
}

fn has(given: &ArgMatches, id: &str) -> bool {
    matches!(given.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

fn is_typed(given: &ArgMatches, id: &str) -> bool {
    given.value_source(id) == Some(ValueSource::CommandLine)
}

/// How people write an argument.
fn named(id: &str) -> String {
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

    fn refused(args: &str) -> bool {
        let args = ["relink"].into_iter().chain(args.split(' '));
        refuse(&Cli::command().try_get_matches_from(args).unwrap()).is_err()
    }

    #[test]
    fn rules_name_arguments_that_exist() {
        for rule in RULES.iter().chain([&OF_A_CATALOG]) {
            let mut command = Cli::command();
            command.build();
            let mut command = &command;
            for name in rule.command {
                command = command.find_subcommand(name).unwrap();
            }
            for id in rule.unused {
                let is_there = command.get_arguments().any(|argument| argument.get_id() == id);
                assert!(is_there, "{id} of {:?}", rule.command);
            }
        }
    }

    #[test]
    fn refuse_reports_arguments_without_effect() {
        for args in [
            "decay --crawl latest --seed 3",
            "decay --graph g.csv --walks 3",
            "decay https://example.org/ --top 3",
            "check a.md --archive none",
            "check a.md --offline --remote-anchors",
            "revive --all --summary",
            "survey --store --column url",
            "survey analyze --store --as csv",
            "survey simulate --truth-column dead",
            "explain RL101 --list",
        ] {
            assert!(refused(args), "{args}");
        }
    }

    #[test]
    fn refuse_accepts_arguments_that_are_used() {
        for args in [
            "decay --crawl latest --top 3 --sigma 0.1",
            "decay --graph g.csv --dead d.txt --host-interval 0",
            "decay https://example.org/ --seed 3",
            "check a.md --revive --archive none",
            "check a.md --offline",
            "revive --summary --format json",
            "survey a.csv --column url",
            "explain --list",
        ] {
            assert!(!refused(args), "{args}");
        }
    }
}
