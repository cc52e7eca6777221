//! A small part of `cargo xtask fuzz`, the same in every run.

use std::path::PathBuf;

use xtask::fuzz::{FuzzSize, fuzz};

#[test]
fn fuzz_small_part_with_fixed_seed_finds_nothing() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let size = FuzzSize { seed: 20_261_118, urls: 2_000, documents: 200, responses: 300, folder };
    let outcome = fuzz(&size, |_| {}).unwrap();
    assert!(outcome.is_correct(), "{outcome}");
    assert!(outcome.responses >= 300, "{outcome}");
}
