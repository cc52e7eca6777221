//! Tests of the three reasons of §2.1 and of pages to which none applies.

use relink_model::ControlKind;

use crate::{Policy, control_key};

#[track_caller]
fn check(page: &str, context: &[&str], expect: &str, controls: &str) {
    super::check(&Policy::fable(), page, context, expect, controls);
}

#[test]
fn reason_1_no_request_could_be_issued() {
    check("/a/oak nxdomain", &[], "dead RL103", "");
    check("/a/oak timeout", &[], "dead RL103", "");
}

#[test]
fn reason_2_status_404() {
    check("/a/oak 404", &[], "dead RL101", "");
    check("/a/oak -> /sorry 404", &[], "dead RL101", "");
}

#[test]
fn any_other_status_is_alive() {
    for status in [400, 401, 403, 410, 429, 500, 503] {
        check(&format!("/a/oak {status}"), &[], "alive", "");
    }
}

#[test]
fn reason_3_random_url_redirects_to_the_same_target() {
    let page = "/a/oak -> / 200 #1";
    check(page, &["random-suffix: -> / 200 #1"], "soft-404 RL301", "random-suffix");
    check(page, &["random-suffix: -> /b -> / 200 #2"], "soft-404 RL301", "random-suffix");
    check(page, &["random-suffix: 404"], "alive", "random-suffix");
    check(page, &["random-suffix: -> /b 200 #1"], "alive", "random-suffix");
}

#[test]
fn number_in_path_adds_a_second_control() {
    let page = "/news/4711/oak -> /news 200 #1";
    let controls = "random-suffix random-path-number";
    let suffix = "random-suffix: 404";
    check(page, &[suffix, "random-path-number: -> /news 200 #1"], "soft-404 RL301", controls);
    check(page, &[suffix, "random-path-number: 404"], "alive", controls);
}

#[test]
fn control_urls_are_those_of_the_paper() {
    let key = |kind, url: &str| {
        control_key(kind, url).map(|key| key.split_once(' ').unwrap().1.to_owned())
    };
    let url = "http://site.test/news/4711/oak.html?x";
    let suffix = key(ControlKind::RandomSuffix, url);
    assert_eq!(suffix.as_deref(), Some("http://site.test/news/4711/*"));
    let number = key(ControlKind::RandomPathNumber, url);
    assert_eq!(number.as_deref(), Some("http://site.test/news/#/oak.html?x"));
    assert_eq!(key(ControlKind::RandomPathNumber, "http://site.test/news/oak"), None);
}

#[test]
fn login_page_is_not_a_soft_404() {
    let page = "/a/oak -> /login 200 \"Log in\" {Name} !password";
    check(
        page,
        &["random-suffix: -> /login 200 \"Log in\" {Name} !password"],
        "alive",
        "random-suffix",
    );
}

#[test]
fn footnote_1_page_with_canonical_url_is_alive() {
    check("/a/oak -> / 200 #1 @/", &["random-suffix: -> / 200 #1 @/"], "alive", "");
}

#[test]
fn page_without_redirect_requests_no_control() {
    check("/a/oak 200 #1", &["random-suffix: 200 #1"], "alive", "");
}
