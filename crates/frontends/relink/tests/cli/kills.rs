//! Runs killed by SIGKILL: a short form of `cargo xtask kills`.

use std::path::Path;

/// Number of kills of each command.
const KILLS_PER_COMMAND: usize = 5;

#[test]
fn killed_commands_end_with_the_same_verdicts_and_few_repeats() {
    let relink = Path::new(env!("CARGO_BIN_EXE_relink"));
    let outcomes = xtask::kills::run(relink, KILLS_PER_COMMAND).unwrap();
    for outcome in &outcomes {
        assert!(outcome.verdicts > 30, "{outcome}");
        assert!(outcome.is_correct(), "{outcome}");
    }
    assert_eq!(outcomes.len(), 3, "crawl, survey and revive");
}
