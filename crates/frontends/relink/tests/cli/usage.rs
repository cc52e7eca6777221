//! The command line.

use crate::sandbox::Sandbox;

#[test]
fn mistyped_command_is_corrected() {
    let result = Sandbox::new().run(&["chekc"]).exits(2);
    assert_eq!(result.stdout, "");
    assert!(result.stderr.contains("'check'"), "{}", result.stderr);
}

#[test]
fn help_lists_exactly_the_existing_commands() {
    let help = Sandbox::new().run(&["--help"]).exits(0).stdout;
    // The list starts after the line `Commands:` and ends with an empty line.
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let commands: Vec<&str> =
        list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        commands,
        [
            "demo",
            "check",
            "baseline",
            "crawl",
            "survey",
            "harvest",
            "decay",
            "report",
            "revive",
            "fix",
            "archive",
            "patterns",
            "extract",
            "explain",
            "watch",
            "serve",
            "init",
            "config",
            "worker",
            "db",
            "completions",
            "man",
            "help"
        ]
    );
}

#[test]
fn missing_command_prints_help_and_exits_2() {
    let result = Sandbox::new().run(&[]).exits(2);
    assert!(result.stderr.contains("Usage: relink"), "{}", result.stderr);
}

#[test]
fn version_is_printed() {
    let result = Sandbox::new().run(&["--version"]).exits(0);
    assert!(result.stdout.starts_with("relink "), "{}", result.stdout);
}

#[test]
fn arguments_without_effect_are_rejected() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "text\n");
    for (args, rejected) in [
        // A slice, so that argument lists of other lengths have the same type.
        (&["decay", "--crawl", "latest", "--walks", "300"][..], "--walks"),
        (&["decay", "--crawl", "latest", "--radius", "2"], "--radius"),
        (&["check", "a.md", "--search", "local"], "--search"),
        (&["revive", "--summary", "--all"], "--all"),
        (&["explain", "RL101", "--format", "json"], "--format json"),
    ] {
        sandbox.run(args).fails(2, &[rejected]);
    }
    let output =
        sandbox.command(&["check", "a.md"]).env("RELINK_SEARCH", "local").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "a variable applies to several commands");
}
