//! `relink explain`.

use crate::sandbox::Sandbox;

#[test]
fn explain_shows_codes_and_statuses_with_advice() {
    let sandbox = Sandbox::new();
    let code = sandbox.run(&["explain", "RL101"]).exits(0).stdout;
    assert!(code.starts_with("RL101 dead: ") && code.contains("what to do: "), "{code}");
    let status = sandbox.run(&["explain", "451"]).exits(0).stdout;
    assert!(status.contains("Legal Reasons") && status.contains("blocked, RL451"), "{status}");
    assert!(status.contains("RFC 7725 §3"), "{status}");
}

#[test]
fn explain_lists_every_code_once() {
    let list = Sandbox::new().run(&["explain", "--list"]).exits(0).stdout;
    let mut codes: Vec<&str> = list.lines().map(|line| line.split(' ').next().unwrap()).collect();
    for code in ["RL101", "RL201", "RL301", "RL403", "RL500", "RL601", "RL901"] {
        assert!(codes.contains(&code), "{code}");
    }
    // The list is sorted, so that equal codes would be neighbors.
    let listed_count = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), listed_count);
}

#[test]
fn explain_of_an_unknown_subject_exits_2_with_a_hint() {
    let sandbox = Sandbox::new();
    for subject in ["RL999", "banana", "42", ""] {
        let output = sandbox.run(&["explain", subject]).exits(2);
        assert_eq!(output.stdout, "");
        assert!(output.stderr.contains("relink explain --list"), "{}", output.stderr);
    }
}

#[test]
fn explain_of_an_active_code_does_not_call_it_reserved() {
    let output = Sandbox::new().run(&["explain", "RL491"]).exits(0);
    assert!(
        output.stdout.contains("robots.txt") && !output.stdout.contains("reserved"),
        "{output:?}"
    );
}
