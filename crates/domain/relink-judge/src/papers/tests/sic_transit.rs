//! `isDeadPage`, Table 1. The tests carry the numbers of its lines.

use crate::Policy;

/// A control of the paper is always `u.PARENT` and 25 random characters.
const STRAY: &str = "stray-in-parent";

#[track_caller]
fn check(page: &str, stray: &str, expect: &str) {
    let beside = format!("{STRAY}: {stray}");
    let asked = if stray.is_empty() { "" } else { STRAY };
    let beside = if stray.is_empty() { vec![] } else { vec![beside.as_str()] };
    super::check(&Policy::sic_transit(), page, &beside, expect, asked);
}

#[test]
fn lines_3_and_4_a_failed_fetch_is_dead_without_a_stray() {
    for status in [403, 404, 410, 500, 503, 599] {
        check(&format!("/a/oak {status}"), "", "dead RL101");
    }
    check("/a/oak nowhere", "", "dead RL102");
    check("/a/oak silence", "", "dead RL103");
    check("/a/oak circle", "", "dead RL101");
}

#[test]
fn any_other_4xx_is_success() {
    for status in [400, 401, 402, 405, 406, 418, 429, 451] {
        check(&format!("/a/oak {status} #1"), "404", "alive");
        check(&format!("/a/oak {status} #1"), &format!("{status} #1"), "soft-404 RL301");
    }
}

#[test]
fn lines_5_and_6_the_stray_lies_in_the_parent_directory() {
    let stray = |url: &str| {
        let kind = relink_model::ControlKind::RandomNameInParent;
        let url = crate::control_url(kind, url, 1).unwrap().url;
        let (parent, name) = url.split_at(url.rfind('/').unwrap() + 1);
        assert_eq!(name.len(), crate::RANDOM_NAME_LENGTH);
        parent.to_owned()
    };
    assert_eq!(stray("http://site.test/a/oak.html?x=1"), "http://site.test/a/");
    // The parent of `/us/` is `/`, as is that of `/us`.
    assert_eq!(stray("http://site.test/us/"), "http://site.test/");
    assert_eq!(stray("http://site.test/us"), "http://site.test/");
    assert_eq!(stray("http://site.test/"), "http://site.test/");
}

#[test]
fn lines_7_and_8_a_stray_that_fails_acquits() {
    for stray in ["404", "403", "410", "500", "nowhere", "silence", "circle"] {
        check("/a/oak 200 #1", stray, "alive");
    }
    check("/a/oak -> / 200 #1", "-> / 404", "alive");
}

#[test]
fn lines_9_and_10_a_root_is_alive() {
    check("/ 200 #1", "200 #1", "alive");
    check("/ -> /home 200 #1", "-> /home 200 #1", "alive");
    check("/index.html 200 #1", "200 #1", "soft-404 RL301");
}

#[test]
fn lines_11_and_12_another_number_of_redirects_acquits() {
    check("/a/oak -> /b -> / 200 #1", "-> / 200 #1", "alive");
    check("/a/oak 200 #1", "-> / 200 #1", "alive");
}

#[test]
fn lines_13_and_14_the_same_end_by_as_many_redirects_convicts() {
    check("/a/oak -> / 200 #1", "-> / 200 #1", "soft-404 RL301");
    check("/a/oak -> / 200 #1", "-> / 200 #2", "soft-404 RL301");
    check("/a/oak -> /b -> / 200 #1", "-> /c -> / 200 #2", "soft-404 RL301");
}

#[test]
fn lines_15_and_16_almost_the_same_content_convicts() {
    check("/a/oak 200 #1", "200 #1'", "soft-404 RL301");
    check("/a/oak -> /b 200 #1", "-> /c 200 #1", "soft-404 RL301");
    // Title and headings are no part of the paper.
    check("/a/oak 200 \"Oak\" #1", "200 \"Ash\" #1", "soft-404 RL301");
}

#[test]
fn line_17_other_content_acquits() {
    check("/a/oak 200 #1", "200 #2", "alive");
    check("/a/oak 200 #1+2", "200 #1+3", "alive");
}
