//! The three reasons of §2.1, and what they leave alone.

use relink_model::ControlKind;

use crate::{Policy, control_key};

#[track_caller]
fn check(page: &str, beside: &[&str], expect: &str, asked: &str) {
    super::check(&Policy::fable(), page, beside, expect, asked);
}

#[test]
fn reason_1_no_request_could_be_issued() {
    check("/a/oak nowhere", &[], "dead RL103", "");
    check("/a/oak silence", &[], "dead RL103", "");
}

#[test]
fn reason_2_a_404() {
    check("/a/oak 404", &[], "dead RL101", "");
    check("/a/oak -> /sorry 404", &[], "dead RL101", "");
}

#[test]
fn any_other_status_is_left_alone() {
    for status in [400, 401, 403, 410, 429, 500, 503] {
        check(&format!("/a/oak {status}"), &[], "alive", "");
    }
}

#[test]
fn reason_3_a_stray_is_redirected_to_the_same_target() {
    let page = "/a/oak -> / 200 #1";
    check(page, &["stray-suffix: -> / 200 #1"], "soft-404 RL301", "stray-suffix");
    check(page, &["stray-suffix: -> /b -> / 200 #2"], "soft-404 RL301", "stray-suffix");
    check(page, &["stray-suffix: 404"], "alive", "stray-suffix");
    check(page, &["stray-suffix: -> /b 200 #1"], "alive", "stray-suffix");
}

#[test]
fn a_number_in_the_middle_makes_a_second_stray() {
    let page = "/news/4711/oak -> /news 200 #1";
    let asked = "stray-suffix stray-number";
    let suffix = "stray-suffix: 404";
    check(page, &[suffix, "stray-number: -> /news 200 #1"], "soft-404 RL301", asked);
    check(page, &[suffix, "stray-number: 404"], "alive", asked);
}

#[test]
fn both_kinds_of_stray_are_those_of_the_paper() {
    let key = |kind, url: &str| {
        control_key(kind, url).map(|key| key.split_once(' ').unwrap().1.to_owned())
    };
    let url = "http://site.test/news/4711/oak.html?x";
    let suffix = key(ControlKind::RandomSuffix, url);
    assert_eq!(suffix.as_deref(), Some("http://site.test/news/4711/*"));
    let number = key(ControlKind::RandomPathNumber, url);
    assert_eq!(number.as_deref(), Some("http://site.test/news/*/oak.html?x"));
    assert_eq!(key(ControlKind::RandomPathNumber, "http://site.test/news/oak"), None);
}

#[test]
fn a_login_page_is_no_soft_404() {
    let page = "/a/oak -> /login 200 \"Log in\" {Name} !password";
    check(
        page,
        &["stray-suffix: -> /login 200 \"Log in\" {Name} !password"],
        "alive",
        "stray-suffix",
    );
}

#[test]
fn footnote_1_a_canonical_address_means_a_page() {
    check("/a/oak -> / 200 #1 @/", &["stray-suffix: -> / 200 #1 @/"], "alive", "");
}

#[test]
fn without_a_redirect_nothing_is_asked() {
    check("/a/oak 200 #1", &["stray-suffix: 200 #1"], "alive", "");
}
