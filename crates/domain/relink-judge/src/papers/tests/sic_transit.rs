//! Tests of `isDeadPage`, Table 1. The test names contain the numbers of its lines.

use crate::Policy;

/// The control of the paper is `u.PARENT` and 25 random characters.
const CONTROL: &str = "random-name-in-parent";

#[track_caller]
fn check(page: &str, random: &str, expect: &str) {
    let line = format!("{CONTROL}: {random}");
    let controls = if random.is_empty() { "" } else { CONTROL };
    let context = if random.is_empty() { vec![] } else { vec![line.as_str()] };
    super::check(&Policy::sic_transit(), page, &context, expect, controls);
}

#[test]
fn lines_3_and_4_failed_fetch_is_dead_without_control() {
    for status in [403, 404, 410, 500, 503, 599] {
        check(&format!("/a/oak {status}"), "", "dead RL101");
    }
    check("/a/oak nxdomain", "", "dead RL102");
    check("/a/oak timeout", "", "dead RL103");
    check("/a/oak loop", "", "dead RL101");
}

#[test]
fn any_other_4xx_is_success() {
    for status in [400, 401, 402, 405, 406, 418, 429, 451] {
        check(&format!("/a/oak {status} #1"), "404", "alive");
        check(&format!("/a/oak {status} #1"), &format!("{status} #1"), "soft-404 RL301");
    }
}

#[test]
fn lines_5_and_6_random_name_is_in_the_parent_directory() {
    let parent_of_control = |url: &str| {
        let kind = relink_model::ControlKind::RandomNameInParent;
        let url = crate::control_url(kind, url, 1).unwrap().url;
        let (parent, name) = url.split_at(url.rfind('/').unwrap() + 1);
        assert_eq!(name.len(), crate::RANDOM_NAME_LENGTH);
        parent.to_owned()
    };
    assert_eq!(parent_of_control("http://site.test/a/oak.html?x=1"), "http://site.test/a/");
    // The parent of `/us/` is `/`, as is that of `/us`.
    assert_eq!(parent_of_control("http://site.test/us/"), "http://site.test/");
    assert_eq!(parent_of_control("http://site.test/us"), "http://site.test/");
    assert_eq!(parent_of_control("http://site.test/"), "http://site.test/");
}

#[test]
fn lines_7_and_8_failed_control_means_alive() {
    for control in ["404", "403", "410", "500", "nxdomain", "timeout", "loop"] {
        check("/a/oak 200 #1", control, "alive");
    }
    check("/a/oak -> / 200 #1", "-> / 404", "alive");
}

#[test]
fn lines_9_and_10_root_is_alive() {
    check("/ 200 #1", "200 #1", "alive");
    check("/ -> /home 200 #1", "-> /home 200 #1", "alive");
    check("/index.html 200 #1", "200 #1", "soft-404 RL301");
}

#[test]
fn lines_11_and_12_different_number_of_redirects_means_alive() {
    check("/a/oak -> /b -> / 200 #1", "-> / 200 #1", "alive");
    check("/a/oak 200 #1", "-> / 200 #1", "alive");
}

#[test]
fn lines_13_and_14_same_final_url_and_number_of_redirects_means_soft_404() {
    check("/a/oak -> / 200 #1", "-> / 200 #1", "soft-404 RL301");
    check("/a/oak -> / 200 #1", "-> / 200 #2", "soft-404 RL301");
    check("/a/oak -> /b -> / 200 #1", "-> /c -> / 200 #2", "soft-404 RL301");
}

#[test]
fn lines_15_and_16_almost_identical_content_means_soft_404() {
    check("/a/oak 200 #1", "200 #1'", "soft-404 RL301");
    check("/a/oak -> /b 200 #1", "-> /c 200 #1", "soft-404 RL301");
    // The paper does not compare titles and headings.
    check("/a/oak 200 \"Oak\" #1", "200 \"Ash\" #1", "soft-404 RL301");
}

#[test]
fn line_17_different_content_means_alive() {
    check("/a/oak 200 #1", "200 #2", "alive");
    check("/a/oak 200 #1+2", "200 #1+3", "alive");
}
