//! What an earlier visit saw.

use super::{check, check_asked, check_told};

#[test]
fn a_page_that_says_what_it_said_is_alive_whatever_strays_get() {
    let beside = ["before: \"Roses\" #1", "stray: 200 \"Roses\" #1'"];
    check("/roses 200 \"Roses\" #1'", &beside, "alive");
    check_asked("/roses 200 \"Roses\" #1'", &beside, "");
}

#[test]
fn a_page_that_says_something_else_is_not_as_it_was() {
    let beside = ["before: \"Roses\" #1", "stray: 200 \"Home\" #2"];
    check("/roses 200 \"Home\" #2", &beside, "soft-404 RL301");
}

const BETTING: &str =
    "200 \"Casino online\" \"Jackpot and roulette\" {Best odds, slots and betting}";

#[test]
fn spam_where_something_else_was_means_another_owner() {
    check(&format!("/ {BETTING}"), &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check(&format!("/tips/7 {BETTING}"), &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check_told(&format!("/ {BETTING}"), &["before: \"Roses in winter\" #1"], "Roses in winter");
}

#[test]
fn a_betting_site_that_always_was_one_has_the_same_owner() {
    check(
        &format!("/ {BETTING}"),
        &["before: \"Casino and poker\" {Roulette, odds and slots}"],
        "alive",
    );
    check(&format!("/ {BETTING}"), &[], "alive");
}

#[test]
fn another_script_where_something_else_was_means_another_owner() {
    let page = "/ 200 \"Ремонт квартир\" {Мы делаем ремонт быстро и недорого по всему городу}";
    check(page, &["before: \"Roses in winter\" #1"], "hijacked RL302");
    check(page, &["before: \"Ремонт домов\" {Кровля, полы и стены}"], "alive");
}

#[test]
fn a_document_that_became_a_web_page_is_gone() {
    let page = "/files/report.pdf 200 \"Downloads\" #1";
    check(page, &["before: type=application/pdf", "stray: 404"], "soft-404 RL301");
    check(page, &["before: type=text/html", "stray: 404"], "alive");
}

#[test]
fn a_document_that_got_a_page_of_its_own_is_not() {
    let page = "/files/report.pdf 200 \"Report\" #1";
    check(page, &["before: type=application/pdf", "stray: 404"], "alive");
}

#[test]
fn another_subject_at_the_same_address_has_drifted() {
    let beside = ["before: \"Roses in winter\" #1", "stray: 404"];
    check("/garden 200 \"Plumbing for beginners\" #2", &beside, "drifted RL303");
    check_told("/garden 200 \"Plumbing for beginners\" #2", &beside, "Roses in winter");
    check("/ 200 \"Plumbing for beginners\" #2", &beside[..1], "drifted RL303");
}

#[test]
fn a_page_that_keeps_its_name_or_half_its_text_has_not() {
    check(
        "/garden 200 \"Roses in winter\" #2",
        &["before: \"Roses in winter\" #1", "stray: 404"],
        "alive",
    );
    check("/garden 200 \"Garden\" #1+2", &["before: \"Roses\" #1", "stray: 404"], "alive");
}

#[test]
fn a_redirect_to_something_else_has_nothing_of_what_was_there() {
    let page = "/garden/roses -> /shop/offers 200 \"Offers of the week\" #2";
    check(page, &["before: \"Roses in winter\" #1", "stray: 404"], "soft-404 RL301");
    check(page, &["before: \"Offers of the week\" #1", "stray: 404"], "alive");
}
