//! `relink demo`: runs the commands on built-in sites with planted faults, and compares the results
//! with the expected results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::Sandbox;

#[test]
fn every_planted_fault_gets_its_expected_verdict() {
    let sandbox = Sandbox::new();
    let result = sandbox.run(&["demo"]).exits(0);
    let faults = result.stdout.lines().find(|line| line.contains("planted faults")).unwrap();
    let (correct, rest) = faults.split_once(" of ").unwrap();
    assert_eq!(rest, format!("{correct} planted faults reported correctly."));
    assert!(correct.parse::<usize>().unwrap() >= 90, "{faults}");
    let others = result.stdout.lines().find(|line| line.contains("other links")).unwrap();
    let (alive, rest) = others.split_once(" of ").unwrap();
    assert_eq!(rest, format!("{alive} other links reported as alive."));
    assert_eq!(result.stderr, "");
}

#[test]
fn soft_404_pages_are_distinguished_from_live_pages() {
    let result = Sandbox::new().run(&["demo"]).exits(0);
    assert!(result.stdout.contains("in their state of a year ago"), "{}", result.stdout);
    for code in
        ["RL203", "RL301", "RL302", "RL303", "RL304", "RL492", "RL493", "RL494", "RL495", "RL499"]
    {
        assert!(result.stdout.contains(code), "{code}: {}", result.stdout);
    }
}

#[test]
fn dead_pages_are_revived_at_their_new_urls_only() {
    let result = Sandbox::new().run(&["demo"]).exits(0);
    let line = result.stdout.lines().find(|line| line.starts_with("4/8 revive")).unwrap();
    for part in ["14 of 49 dead pages", "5 by pattern", "6 by archived redirect", "3 by URL"] {
        assert!(line.contains(part), "`{part}` in: {line}");
    }
    let pattern = "society.test/papers/ -> society.test/articles/<name>\n";
    assert!(result.stdout.contains(pattern), "{}", result.stdout);
    assert!(result.stdout.contains("\n49 of 49 dead pages with the expected search result.\n"));
}

#[test]
fn demo_removes_its_files() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let mut command = sandbox.command(&["demo"]);
    command.env("TMPDIR", sandbox.path("tmp")).output().unwrap();
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0);
    assert!(!sandbox.home().exists());
}

#[test]
fn demo_shows_decay_of_a_page_without_dead_links() {
    let result = Sandbox::new().run(&["demo"]).exits(0);
    let line = result.stdout.lines().find(|line| line.starts_with("5/8 decay")).unwrap();
    assert!(line.contains("portal.test 0.65 without dead links of its own"), "{line}");
    assert!(line.contains("repairing 5 links → 0.36"), "{line}");
}

#[test]
fn demo_harvests_thirty_records_over_a_quarter() {
    let result = Sandbox::new().run(&["demo"]).exits(0);
    let line = result.stdout.lines().find(|line| line.starts_with("6/8 harvest")).unwrap();
    assert!(line.contains("30 records of 2 providers, 91 days: 5 incidents"), "{line}");
    assert!(line.contains("5 of 5 on the planned days"), "{line}");
}

#[test]
fn demo_watches_a_reading_list_and_finds_a_replacement() {
    let result = Sandbox::new().run(&["demo"]).exits(0);
    let line = result.stdout.lines().find(|line| line.starts_with("7/8 watch")).unwrap();
    for part in ["8 of 8 with the expected next step", "left the topic", "replacement found"] {
        assert!(line.contains(part), "`{part}` in: {line}");
    }
}

/// Returns the bytes of all files below a directory.
fn read_files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(read_files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn git_applies_the_patch_of_the_demo_and_reverts_it() {
    let sandbox = Sandbox::new();
    let result = sandbox.run(&["demo", "--keep", "kept"]).exits(0);
    let step = result.stdout.lines().find(|line| line.starts_with("8/8 fix")).unwrap();
    let collection = sandbox.path("kept/collection");
    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(&collection).status().unwrap();
        assert!(status.success(), "git {args:?}");
    };
    let original = read_files(&collection);
    git(&["init", "-q"]);
    git(&["apply", "../fix.patch"]);
    let patched = read_files(&collection);
    let changed = original.iter().filter(|(path, bytes)| patched[*path] != **bytes).count();
    assert!(changed > 0 && step.contains(&format!("in {changed} file")), "{changed}: {step}");
    let patch = sandbox.read("kept/fix.patch");
    assert!(patch.starts_with("# Permanent redirects: "), "{patch}");
    git(&["apply", "--reverse", "../fix.patch"]);
    let reverted = read_files(&collection);
    assert!(original.iter().all(|(path, bytes)| reverted[path] == *bytes));
    // An existing directory is not overwritten.
    sandbox.run(&["demo", "--keep", "kept"]).exits(2);
}
