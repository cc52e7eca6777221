//! Runs killed by SIGKILL: a short form of `cargo xtask kills`.

use std::path::Path;

#[test]
fn killed_commands_end_with_the_same_verdicts_and_few_repeats() {
    let outcomes = xtask::kills::run(Path::new(env!("CARGO_BIN_EXE_relink")), 5).unwrap();
    for outcome in &outcomes {
        assert!(outcome.verdicts > 30, "{outcome}");
        assert!(outcome.is_correct(), "{outcome}");
    }
    assert_eq!(outcomes.len(), 3);
}
