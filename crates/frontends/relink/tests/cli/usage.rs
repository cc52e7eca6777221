//! The command line itself.

use crate::desk::Desk;

#[test]
fn a_mistyped_command_is_corrected() {
    let said = Desk::new().run(&["chekc"]).exits(2);
    assert_eq!(said.stdout, "");
    assert!(said.stderr.contains("'check'"), "{}", said.stderr);
}

#[test]
fn help_names_every_command_and_nothing_that_is_not_there() {
    let help = Desk::new().run(&["--help"]).exits(0).stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        commands,
        [
            "demo", "check", "crawl", "survey", "decay", "report", "revive", "patterns", "extract",
            "explain", "db", "help"
        ]
    );
}

#[test]
fn without_a_command_the_help_is_shown_and_the_exit_is_2() {
    let said = Desk::new().run(&[]).exits(2);
    assert!(said.stderr.contains("Usage: relink"), "{}", said.stderr);
}

#[test]
fn the_version_is_told() {
    let said = Desk::new().run(&["--version"]).exits(0);
    assert!(said.stdout.starts_with("relink "), "{}", said.stdout);
}

#[test]
fn arguments_without_effect_are_refused() {
    let desk = Desk::new();
    desk.write("dead.txt", "a\n").write("a.md", "text\n");
    for (args, named) in [
        (&["decay", "--crawl", "latest", "--dead", "dead.txt"][..], "--dead"),
        (&["decay", "--crawl", "latest", "--walks", "300"], "--walks"),
        (&["check", "a.md", "--search", "local"], "--search"),
        (&["revive", "--summary", "--all"], "--all"),
        (&["explain", "RL101", "--format", "json"], "--format json"),
    ] {
        desk.run(args).fails(2, &[named]);
    }
    let variable = desk.command(&["check", "a.md"]).env("RELINK_SEARCH", "local").output().unwrap();
    assert_eq!(variable.status.code(), Some(0), "a variable is for several commands");
}
