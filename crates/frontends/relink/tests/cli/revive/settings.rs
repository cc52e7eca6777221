//! The table `[revive]` of a configuration file.

use super::Scene;
use crate::desk::QUICK;

/// A project whose file says this.
fn project(table: &str) -> Scene {
    let scene = Scene::new(|_| Vec::new());
    scene.desk.write_user_config(&format!("db = \"relink.db\"\n[revive]\n{table}\n"));
    scene
}

#[track_caller]
fn check_refused(table: &str, expect: &[&str]) {
    let scene = project(table);
    let said = scene.desk.run(&["revive", "http://127.0.0.1:9/a"]).exits(2);
    for part in expect {
        assert!(said.stderr.contains(part), "{}", said.stderr);
    }
}

#[test]
fn a_file_says_whom_to_ask() {
    let scene = project("");
    let table = format!("db = \"relink.db\"\n[revive]\narchive = [\"{}\"]\n", scene.archive.root());
    scene.desk.write_user_config(&table);
    let url = scene.url("/old/oak");
    scene.desk.run(&[&["revive"], QUICK, &[&url]].concat()).exits(0);
    assert!(scene.asked("oak") > 0);
    let asked = scene.archive.asked().len();
    let flag = ["revive", "--archive", "none", "--answer-age", "0", &url];
    scene.desk.run(&[&flag[..], QUICK].concat()).exits(0);
    assert_eq!(scene.archive.asked().len(), asked, "a flag wins over the file");
}

#[test]
fn a_bad_key_exits_2_with_a_hint() {
    check_refused("archives = []", &["there is no key `archives`", "did you mean `archive`?"]);
    check_refused("answer_age = 0", &["did you mean `answer-age`?"]);
    check_refused("color = 1", &["the keys are answer-age, archive"]);
}

#[test]
fn a_bad_value_exits_2() {
    check_refused("date = \"yesterday\"", &["config.toml` cannot be used"]);
    check_refused("elsewhere = \"perhaps\"", &["line 3, column 13: ", "`never`"]);
    check_refused("search = [\"altavista\"]", &["`altavista` is no search engine", "`local`"]);
    check_refused("search = [\"json:http://127.0.0.1/\"]", &["has no `{query}`"]);
    check_refused("least = 7.0", &["`7` is no share"]);
}
