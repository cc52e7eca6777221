//! Which rule comes before which, and what is not looked into at all.

use super::{check, check_asked};

#[test]
fn a_file_is_there_unless_strays_get_the_very_same() {
    let file = "/files/report.pdf 200 type=application/pdf bytes=1";
    check(file, &["stray: 404"], "alive");
    check(file, &["stray: 200 type=application/pdf bytes=2"], "alive");
    check(file, &["stray: 200 type=application/pdf bytes=1"], "soft-404 RL301");
    check("/ 200 type=image/png bytes=1", &["stray: 200 type=image/png bytes=1"], "alive");
}

#[test]
fn a_plain_file_sent_elsewhere_is_looked_into() {
    let page = "/files/report.pdf -> /logo.png 200 type=image/png";
    check(page, &["stray: -> /logo.png 200 type=image/png"], "soft-404 RL301");
}

#[test]
fn a_front_page_is_not_compared_with_strays() {
    for page in ["/ 200 \"Library\" #1", "/index.html 200 \"Library\" #1", "/ 200"] {
        check(page, &["stray: 200 \"Library\" #1"], "alive");
        check_asked(page, &["stray: 200 \"Library\" #1"], "");
    }
}

#[test]
fn a_wall_comes_before_memory_and_strays() {
    let page = "200 \"Just a moment...\" {Checking your browser} !challenge";
    let beside = ["before: \"Roses in winter\" #1", &format!("stray: {page}")];
    check(&format!("/roses {page}"), &beside, "blocked RL499");
}

#[test]
fn memory_comes_before_strays() {
    let beside = ["before: \"Oak\" #1", "stray: 200 \"Oak\" #1"];
    check("/a/oak 200 \"Oak\" #1", &beside, "alive");
}

#[test]
fn a_page_that_only_says_that_it_moved_is_told_so_when_it_lives() {
    check("/old => /new-oak 200 \"New oak\" #1", &["stray: 404"], "moved RL201");
    check("/a/old => / 200 \"Library\" #1", &["stray: => / 200 \"Library\" #1"], "soft-404 RL203");
}
