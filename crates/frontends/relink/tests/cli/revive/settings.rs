//! The table `[revive]` of a configuration file.

use super::Fixture;
use crate::sandbox::NO_DELAYS;

/// Creates a project. `table` is the table `[revive]` of the user's configuration.
fn project_with_settings(table: &str) -> Fixture {
    let fixture = Fixture::new(|_| Vec::new());
    fixture.sandbox.write_user_config(&format!("db = \"relink.db\"\n[revive]\n{table}\n"));
    fixture
}

/// Asserts that a table is rejected with a message that contains all texts of `expected`.
#[track_caller]
fn check_rejected(table: &str, expected: &[&str]) {
    let fixture = project_with_settings(table);
    let output = fixture.sandbox.run(&["revive", "http://127.0.0.1:9/a"]).exits(2);
    for text in expected {
        assert!(output.stderr.contains(text), "{}", output.stderr);
    }
}

#[test]
fn config_names_archives_and_engines() {
    let fixture = project_with_settings("");
    let table =
        format!("db = \"relink.db\"\n[revive]\narchive = [\"{}\"]\n", fixture.archive.root());
    fixture.sandbox.write_user_config(&table);
    let url = fixture.url("/old/oak");
    fixture.sandbox.run(&[&["revive"], NO_DELAYS, &[&url]].concat()).exits(0);
    assert!(fixture.archive_requests_with("oak") > 0);
    let requests_before = fixture.archive.requests().len();
    let flag = ["revive", "--archive", "none", "--max-result-age", "0", &url];
    fixture.sandbox.run(&[&flag[..], NO_DELAYS].concat()).exits(0);
    assert_eq!(fixture.archive.requests().len(), requests_before, "a flag overrides the file");
}

#[test]
fn unknown_revive_key_exits_2_with_a_hint() {
    check_rejected("archives = []", &["unknown key `archives`", "did you mean `archive`?"]);
    check_rejected("max_result_age = 0", &["did you mean `max-result-age`?"]);
    check_rejected("color = 1", &["the keys are archive, archive-budget"]);
}

#[test]
fn invalid_revive_value_exits_2() {
    check_rejected("date = \"yesterday\"", &["invalid configuration file"]);
    check_rejected("replacements = \"perhaps\"", &["line 3, column 16: ", "`never`"]);
    check_rejected("search = [\"altavista\"]", &["unknown search engine `altavista`", "`local`"]);
    check_rejected("search = [\"json:http://127.0.0.1/\"]", &["expected `{query}`"]);
    check_rejected("min-confidence = 7.0", &["`--min-confidence`: 7"]);
}
