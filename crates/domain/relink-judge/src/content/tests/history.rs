//! Tests of the comparison with an earlier run.
//!
//! The notation is that of [`crate::notation`].

use super::{check, check_controls, check_text};

#[test]
fn unchanged_page_is_alive_regardless_of_random_names() {
    let context = ["before: \"Roses\" #1", "random-name: 200 \"Roses\" #1'"];
    check("/roses 200 \"Roses\" #1'", &context, "alive");
    check_controls("/roses 200 \"Roses\" #1'", &context, "");
}

#[test]
fn changed_page_equal_to_random_name_is_soft_404() {
    let context = ["before: \"Roses\" #1", "random-name: 200 \"Home\" #2"];
    check("/roses 200 \"Home\" #2", &context, "soft-404 RL301");
}

const BETTING: &str =
    "200 \"Casino online\" \"Jackpot and roulette\" {Best odds, slots and betting}";

#[test]
fn spam_instead_of_other_content_is_hijacked() {
    check(&format!("/ {BETTING}"), &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check(&format!("/tips/7 {BETTING}"), &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check_text(&format!("/ {BETTING}"), &["before: \"Roses in winter\" #1"], "Roses in winter");
}

#[test]
fn page_that_was_always_spam_is_alive() {
    check(
        &format!("/ {BETTING}"),
        &["before: \"Casino and poker\" {Roulette, odds and slots}"],
        "alive",
    );
    check(&format!("/ {BETTING}"), &[], "alive");
}

#[test]
fn other_script_instead_of_other_content_is_hijacked() {
    let page = "/ 200 \"Ремонт квартир\" {Мы делаем ремонт быстро и недорого по всему городу}";
    check(page, &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check(page, &["before: \"Ремонт домов\" {Кровля, полы и стены}"], "alive");
}

#[test]
fn document_that_became_a_web_page_is_soft_404() {
    let page = "/files/report.pdf 200 \"Downloads\" #1";
    check(page, &["before: type=application/pdf", "random-name: 404"], "soft-404 RL301");
    check(page, &["before: type=text/html", "random-name: 404"], "alive");
}

#[test]
fn document_that_became_a_page_about_it_is_alive() {
    let page = "/files/report.pdf 200 \"Report\" #1";
    check(page, &["before: type=application/pdf", "random-name: 404"], "alive");
}

#[test]
fn page_about_something_else_is_drifted() {
    let context = ["before: \"Roses in winter\" #1", "random-name: 404"];
    check("/garden 200 \"Plumbing for beginners\" #2", &context, "drifted RL303");
    check_text("/garden 200 \"Plumbing for beginners\" #2", &context, "Roses in winter");
    check("/ 200 \"Plumbing for beginners\" #2", &context[..1], "drifted RL303");
}

#[test]
fn page_with_same_title_or_half_the_text_is_not_drifted() {
    check(
        "/garden 200 \"Roses in winter\" #2",
        &["before: \"Roses in winter\" #1", "random-name: 404"],
        "alive",
    );
    check("/garden 200 \"Garden\" #1+2", &["before: \"Roses\" #1", "random-name: 404"], "alive");
}

#[test]
fn redirect_to_unrelated_page_is_soft_404() {
    let page = "/garden/roses -> /shop/offers 200 \"Offers of the week\" #2";
    check(page, &["before: \"Roses in winter\" #1", "random-name: 404"], "soft-404 RL301");
    check(page, &["before: \"Offers of the week\" #1", "random-name: 404"], "alive");
}
