//! Tests of the precedence of the rules.

use super::{check, check_controls};

#[test]
fn file_is_alive_unless_random_name_gets_the_same_file() {
    let file = "/files/report.pdf 200 type=application/pdf bytes=1";
    check(file, &["random-name: 404"], "alive");
    check(file, &["random-name: 200 type=application/pdf bytes=2"], "alive");
    check(file, &["random-name: 200 type=application/pdf bytes=1"], "soft-404 RL301");
    check("/ 200 type=image/png bytes=1", &["random-name: 200 type=image/png bytes=1"], "alive");
}

#[test]
fn file_named_by_a_number_is_compared_with_another_number() {
    let pdf = "200 type=application/pdf bytes=1";
    let random_number = format!("random-path-number: {pdf}");
    let context = ["random-name: 404", &random_number];
    check(&format!("/files/4711.pdf {pdf}"), &context, "soft-404 RL301");
    // The number of the directory is varied, because the year does not identify the file.
    check(&format!("/77/2024.pdf {pdf}"), &context, "alive");
}

#[test]
fn redirected_file_is_compared() {
    let page = "/files/report.pdf -> /logo.png 200 type=image/png";
    check(page, &["random-name: -> /logo.png 200 type=image/png"], "soft-404 RL301");
}

#[test]
fn home_page_is_not_compared_with_random_names() {
    for page in ["/ 200 \"Library\" #1", "/index.html 200 \"Library\" #1", "/ 200"] {
        check(page, &["random-name: 200 \"Library\" #1"], "alive");
        check_controls(page, &["random-name: 200 \"Library\" #1"], "");
    }
}

#[test]
fn wall_takes_precedence_over_history_and_random_names() {
    let page = "200 \"Just a moment...\" {Checking your browser} !challenge";
    let context = ["before: \"Roses in winter\" #1", &format!("random-name: {page}")];
    check(&format!("/roses {page}"), &context, "blocked RL499");
}

#[test]
fn history_takes_precedence_over_random_names() {
    let context = ["before: \"Oak\" #1", "random-name: 200 \"Oak\" #1"];
    check("/a/oak 200 \"Oak\" #1", &context, "alive");
}

#[test]
fn permanent_redirect_is_moved_only_if_page_is_alive() {
    check("/old => /new-oak 200 \"New oak\" #1", &["random-name: 404"], "moved RL201");
    check(
        "/a/old => / 200 \"Library\" #1",
        &["random-name: => / 200 \"Library\" #1"],
        "soft-404 RL203",
    );
}
