//! The rules of `ARCHITECTURE.md`, kept by the test suite.

use xtask::numbers::SizeStats;
use xtask::{Workspace, contracts, docs, layers, sources};

#[track_caller]
fn check(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn no_crate_leans_on_what_its_ring_forbids() {
    check(&layers::violations(&Workspace::load().unwrap()).unwrap());
}

#[test]
fn no_source_says_what_it_may_not() {
    let sources = sources::read(&Workspace::load().unwrap()).unwrap();
    assert!(!sources.is_empty());
    println!("{}", SizeStats::of(&sources));
    check(&sources::violations(&sources));
}

#[test]
fn the_list_of_crates_is_up_to_date() {
    check(&docs::violations(&Workspace::load().unwrap()).unwrap());
}

#[test]
fn tables_of_codes_and_hazards_agree_with_the_code() {
    let workspace = Workspace::load().unwrap();
    let sources = sources::read(&workspace).unwrap();
    check(&contracts::violations(&workspace, &sources).unwrap());
}
