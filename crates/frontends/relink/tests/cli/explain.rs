//! `relink explain`.

use crate::desk::Desk;

#[test]
fn a_code_and_a_status_are_explained_with_what_to_do() {
    let desk = Desk::new();
    let code = desk.run(&["explain", "RL101"]).exits(0).stdout;
    assert!(code.starts_with("RL101 dead: ") && code.contains("what to do: "), "{code}");
    let status = desk.run(&["explain", "451"]).exits(0).stdout;
    assert!(status.contains("Legal Reasons") && status.contains("blocked, RL451"), "{status}");
}

#[test]
fn every_code_is_listed_once() {
    let list = Desk::new().run(&["explain", "--list"]).exits(0).stdout;
    let mut codes: Vec<&str> = list.lines().map(|line| &line[..5]).collect();
    for code in ["RL101", "RL201", "RL301", "RL403", "RL500", "RL601", "RL901"] {
        assert!(codes.contains(&code), "{code}");
    }
    let all = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), all);
}

#[test]
fn what_cannot_be_explained_exits_2_with_a_hint() {
    let desk = Desk::new();
    for nonsense in ["RL999", "banana", "42", ""] {
        let said = desk.run(&["explain", nonsense]).exits(2);
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains("relink explain --list"), "{}", said.stderr);
    }
}

#[test]
fn explain_of_a_code_that_is_given_does_not_call_it_reserved() {
    let said = Desk::new().run(&["explain", "RL491"]).exits(0);
    assert!(said.stdout.contains("robots.txt") && !said.stdout.contains("reserved"), "{said:?}");
}
