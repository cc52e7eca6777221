//! The rules of `ARCHITECTURE.md` and `CONTRIBUTING.md`.

use xtask::numbers::SizeStats;
use xtask::{Workspace, contracts, docs, layers, sources, vocabulary};

#[track_caller]
fn check(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn crates_depend_only_on_allowed_layers() {
    check(&layers::violations(&Workspace::load().unwrap()).unwrap());
}

#[test]
fn sources_follow_the_rules() {
    let sources = sources::read(&Workspace::load().unwrap()).unwrap();
    assert!(!sources.is_empty());
    println!("{}", SizeStats::measure(&sources));
    check(&sources::violations(&sources));
}

#[test]
fn list_of_crates_is_up_to_date() {
    check(&docs::violations(&Workspace::load().unwrap()).unwrap());
}

#[test]
fn tables_of_codes_and_hazards_agree_with_the_code() {
    let workspace = Workspace::load().unwrap();
    let sources = sources::read(&workspace).unwrap();
    check(&contracts::violations(&workspace, &sources).unwrap());
}

#[test]
fn sources_and_documents_use_the_standard_vocabulary() {
    let workspace = Workspace::load().unwrap();
    let sources = sources::read(&workspace).unwrap();
    check(&vocabulary::violations(&workspace, &sources).unwrap());
}
