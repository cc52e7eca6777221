//! `relink demo`.

use crate::desk::Desk;

#[test]
fn every_planted_fault_is_judged_as_planted() {
    let desk = Desk::new();
    let said = desk.run(&["demo"]).exits(0);
    let last = said.stdout.lines().find(|line| line.contains("planted faults")).unwrap();
    let (right, rest) = last.split_once(" of ").unwrap();
    assert_eq!(rest, format!("{right} planted faults judged as planted."));
    assert!(right.parse::<usize>().unwrap() >= 24, "{last}");
    assert_eq!(said.stderr, "");
}

#[test]
fn the_demo_leaves_nothing_behind() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("tmp")).unwrap();
    let mut command = desk.command(&["demo"]);
    command.env("TMPDIR", desk.path("tmp")).output().unwrap();
    assert_eq!(std::fs::read_dir(desk.path("tmp")).unwrap().count(), 0);
    assert!(!desk.home().exists());
}
