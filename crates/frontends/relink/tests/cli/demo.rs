//! `relink demo`.

use crate::desk::Desk;

#[test]
fn every_planted_fault_is_judged_as_planted() {
    let desk = Desk::new();
    let said = desk.run(&["demo"]).exits(0);
    let last = said.stdout.lines().find(|line| line.contains("planted faults")).unwrap();
    let (right, rest) = last.split_once(" of ").unwrap();
    assert_eq!(rest, format!("{right} planted faults judged as planted."));
    assert!(right.parse::<usize>().unwrap() >= 90, "{last}");
    let others = said.stdout.lines().find(|line| line.contains("other links")).unwrap();
    let (alive, rest) = others.split_once(" of ").unwrap();
    assert_eq!(rest, format!("{alive} other links found alive."));
    assert_eq!(said.stderr, "");
}

#[test]
fn pages_that_only_answer_are_told_from_those_that_are_there() {
    let said = Desk::new().run(&["demo"]).exits(0);
    assert!(said.stdout.contains("as they were a year ago"), "{}", said.stdout);
    for code in
        ["RL203", "RL301", "RL302", "RL303", "RL304", "RL492", "RL493", "RL494", "RL495", "RL499"]
    {
        assert!(said.stdout.contains(code), "{code}: {}", said.stdout);
    }
}

#[test]
fn dead_pages_are_found_where_they_live_and_nowhere_else() {
    let said = Desk::new().run(&["demo"]).exits(0);
    let line = said.stdout.lines().find(|line| line.starts_with("4/5 revive")).unwrap();
    for part in ["14 of 49 dead pages", "5 by pattern", "6 by archived redirect", "3 by name"] {
        assert!(line.contains(part), "`{part}` in: {line}");
    }
    let pattern = "society.test/papers/ -> society.test/articles/<name>\n";
    assert!(said.stdout.contains(pattern), "{}", said.stdout);
    assert!(said.stdout.contains("\n49 of 49 dead pages found, or given up, as planted.\n"));
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

#[test]
fn a_page_without_a_dead_link_of_its_own_is_shown_to_be_rotten() {
    let said = Desk::new().run(&["demo"]).exits(0);
    let line = said.stdout.lines().find(|line| line.starts_with("5/5 decay")).unwrap();
    assert!(line.contains("portal.test 0.65 without a dead link of its own"), "{line}");
    assert!(line.contains("fix the worst 5 links around it → 0.36"), "{line}");
}
