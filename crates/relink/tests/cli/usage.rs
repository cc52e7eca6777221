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
