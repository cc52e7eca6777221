//! The page against addresses that cannot exist, and against its neighbors.

use super::{check, check_asked, check_told, judged};

#[test]
fn what_a_random_name_gets_too_is_no_page() {
    check("/a/oak 200 \"Library\" #1", &["stray: 200 \"Library\" #1"], "soft-404 RL301");
    check_told("/a/oak 200 \"Library\" #1", &["stray: 200 \"Library\" #1"], "the same page");
}

#[test]
fn a_page_of_its_own_among_answered_strays_is_alive() {
    check("/a/oak 200 \"Oak\" #2", &["stray: 200 \"Library\" #1"], "alive");
    check("/a/oak 200 \"Oak\" #1+2", &["stray: 200 \"Library\" #1"], "alive");
}

#[test]
fn where_random_names_are_refused_a_page_is_alive() {
    for stray in ["stray: 404", "stray: 410", "stray: 403", "stray: circle"] {
        check("/a/oak 200 \"Oak\" #1", &[stray], "alive");
    }
    check_asked("/a/oak 200 \"Oak\" #1", &["stray: 404"], "stray");
}

#[test]
fn a_stray_that_nobody_answered_says_nothing() {
    for stray in ["stray: silence", "stray: nowhere", "stray: unasked"] {
        check("/a/oak 200 \"Oak\" #1", &[stray], "alive");
    }
}

#[test]
fn an_error_page_that_repeats_the_address_is_still_one_page() {
    let page = "/a/oak 200 \"Nothing at /a/oak\" {Sorry, /a/oak is not here. Request 8k3j2h1g}";
    let stray =
        "stray: /a/xyz 200 \"Nothing at /a/xyz\" {Sorry, /a/xyz is not here. Request 1q2w3e4r}";
    check(page, &[stray], "soft-404 RL301");
}

#[test]
fn a_frame_heavier_than_its_pages_convicts_none_of_them() {
    let page = "/a/oak 200 \"Library\" \"Oak\" #1+2+3";
    let beside =
        ["stray: 200 \"Library\" \"Sorry\" #1+2", "second-stray: 200 \"Library\" \"Sorry\" #1+2"];
    check(page, &beside, "alive");
}

#[test]
fn a_page_as_unlike_itself_as_strays_are_is_one_of_them() {
    let page = "/a/oak 200 \"Library\" #1";
    let strays = ["stray: 200 \"Library\" #2", "second-stray: 200 \"Library\" #3"];
    let changing = [strays[0], strays[1], "again: /a/oak 200 \"Library\" #4"];
    check(page, &changing, "soft-404 RL301");
    check_asked(page, &changing, "stray second-stray again");
    let steady = [strays[0], strays[1], "again: /a/oak 200 \"Library\" #1"];
    check(page, &steady, "alive");
}

#[test]
fn what_a_random_value_gets_too_is_no_record() {
    let page = "/show?id=12 200 \"Record\" {There is no such record}";
    check(
        page,
        &["stray-query: 200 \"Record\" {There is no such record}", "stray: 404"],
        "soft-404 RL301",
    );
}

#[test]
fn a_parameter_that_chooses_nothing_leaves_the_page() {
    let page = "/show?page=12 200 \"Oak\" #1";
    check(page, &["stray-query: 200 \"Oak\" #1", "stray: 404"], "alive");
    check(page, &["stray-query: 404", "stray: 404"], "alive");
}

#[test]
fn a_number_that_any_other_equals_names_no_page() {
    let page = "/news/4711 200 \"News\" #1";
    check(page, &["stray: 404", "stray-number: 200 \"News\" #1"], "soft-404 RL301");
    check(page, &["stray: 404", "stray-number: 200 \"News\" #2"], "alive");
    check(page, &["stray: 404", "stray-number: 404"], "alive");
}

#[test]
fn a_number_that_chooses_saves_a_page_whose_name_does_not() {
    let page = "/news/4711/oak-felled 200 \"Oak felled\" #1";
    let stray = "stray: 200 \"Oak felled\" #1";
    check(page, &[stray, "stray-number: 404"], "alive");
    check(page, &[stray, "stray-number: 200 \"Ash planted\" #2"], "alive");
    check(page, &[stray, "stray-number: 200 \"Oak felled\" #1"], "soft-404 RL301");
}

#[test]
fn a_stray_that_names_this_page_as_its_own_is_another_spelling_of_it() {
    let page = "/wiki/oak 200 \"Oak\" #1 @/wiki/oak";
    check(page, &["stray: 200 \"Oak\" #1 @/wiki/oak"], "alive");
    check(page, &["stray: 200 \"Oak\" #1"], "soft-404 RL301");
    let home = "/wiki/oak 200 \"Home\" #1 @/";
    check(home, &["stray: 200 \"Home\" #1 @/"], "soft-404 RL301");
}

#[test]
fn where_strays_are_redirected_to_there_is_no_page() {
    check("/a/oak -> / 200 \"Library\" #1", &["stray: -> / 200 \"Library\" #1"], "soft-404 RL203");
    check(
        "/a/oak -> /a/ 200 \"Shelf A\" #1",
        &["stray: -> /a/ 200 \"Shelf A\" #1"],
        "soft-404 RL203",
    );
    check(
        "/a/oak -> /sorry 200 \"Library\" #1",
        &["stray: -> /sorry 200 \"Library\" #1"],
        "soft-404 RL301",
    );
}

#[test]
fn the_page_that_strays_are_sent_to_is_a_page() {
    check("/ 200 \"Library\" #1", &["stray: -> / 200 \"Library\" #1"], "alive");
    check("/welcome 200 \"Library\" #1", &["stray: -> / 200 \"Home\" #2"], "alive");
}

#[test]
fn a_page_sent_elsewhere_than_strays_are_is_alive() {
    let page = "/a/oak -> /trees/oak 200 \"Oak\" #1";
    check(page, &["stray: -> / 200 \"Library\" #2"], "alive");
    check("/a/oak => /trees/oak 200 \"Oak\" #1", &["stray: 404"], "moved RL201");
}

#[test]
fn a_redirect_to_an_error_page_says_so_by_its_address() {
    check("/a/oak -> /errors/404.html 200 \"Library\" #1", &["stray: 404"], "soft-404 RL301");
    check("/errors/oak -> /errors/ash 200 \"Oak\" #1", &["stray: 404"], "alive");
}

#[test]
fn a_redirect_to_a_directory_above_means_that_the_page_is_not_there() {
    check("/a/b/oak -> /a/ 200 \"Shelf A\" #1", &["stray: 404"], "soft-404 RL203");
    check("/a/b/oak -> / 200 \"Library\" #1", &["stray: 404"], "soft-404 RL203");
}

#[test]
fn a_redirect_that_keeps_the_name_keeps_the_page() {
    check("/a/b/oak -> /trees/oak-and-ash 200 \"Trees\" #1", &["stray: 404"], "alive");
    check("/a/index.html -> /a/ 200 \"Shelf A\" #1", &["stray: 404"], "alive");
}

#[test]
fn a_neighbor_sent_to_the_same_place_convicts_and_one_sent_elsewhere_acquits() {
    let page = "/a/oak -> /collection 200 \"Collection\" #1";
    let ash = "neighbor: /a/ash -> /collection 200 \"Collection\" #1";
    check(page, &["stray: 404", ash], "soft-404 RL301");
    let elm = "second-neighbor: /a/elm -> /trees/elm 200 \"Elm\" #2";
    check(page, &["stray: 404", ash, elm], "alive");
    let up = "/a/oak -> / 200 \"Library\" #1";
    check(up, &["stray: 404", "neighbor: /a/ash -> /trees/ash 200 \"Ash\" #2"], "alive");
    let home = "neighbor: /a/ash => / 200 \"Library\" #1";
    check(up, &["stray: 404", home, elm], "soft-404 RL203");
}

#[test]
fn a_neighbor_sent_to_the_same_place_in_another_way_says_nothing() {
    let page = "/a/oak -> /collection 200 \"Collection\" #1";
    let moved = "neighbor: /a/ash => /collection 200 \"Collection\" #1";
    check(page, &["stray: 404", moved], "alive");
}

#[test]
fn two_pages_may_become_one_but_three_are_sent_away() {
    for (page, ash, elm) in [
        ("/oak -> /trees", "/ash -> /trees", "/elm -> /trees"),
        ("/a/oak -> /a/trees", "/a/ash -> /a/trees", "/a/elm -> /a/trees"),
    ] {
        let page = format!("{page} 200 \"Trees\" #1");
        let ash = format!("neighbor: {ash} 200 \"Trees\" #1");
        let elm = format!("second-neighbor: {elm} 200 \"Trees\" #1");
        check(&page, &["stray: 404", &ash], "alive");
        check(&page, &["stray: 404", &ash, &elm], "soft-404 RL301");
    }
}

#[test]
fn the_habit_of_a_host_saves_the_stray_unless_the_page_is_odd() {
    check_asked("/a/oak 200 \"Oak\" #1", &["habit: 99 0"], "");
    check("/a/oak 200 \"Oak\" #1", &["habit: 99 0"], "alive");
    check_asked("/a/oak 200 \"Oak\" {Short}", &["habit: 99 0", "stray: 404"], "stray");
    check_asked("/a/oak 200 \"Oak\" #1", &["habit: 99 1", "stray: 404"], "stray");
}

#[test]
fn a_comparison_is_told_with_address_status_and_resemblance() {
    let judgment =
        judged("/a/oak 200 \"Library\" #1", &["stray: /a/xq 200 \"Library\" #1"]).judgment;
    let ground = &judgment.evidence[0];
    let seen = ground.control.as_ref().unwrap();
    assert_eq!((seen.url.as_str(), seen.status), ("http://site.test/a/xq", Some(200)));
    assert_eq!(ground.resemblance, Some(1.0));
    assert!(judgment.confidence < relink_model::Confidence::CERTAIN);
}

#[test]
fn resource_with_the_same_bytes_for_any_query_is_alive() {
    let same = |kind: &str, path: &str| {
        let page = format!("{path} 200 type={kind} bytes=7");
        let other = format!("stray-query: 200 type={kind} bytes=7");
        check(&page, &[&other, "stray: 404"], "alive");
        check(&page, &[&other, "stray: 200 \"Site\" #1"], "alive");
    };
    same("application/javascript", "/a.js?ver=6.1");
    same("text/javascript", "/a.js?id=12");
    same("image/svg+xml", "/logo.svg?v=3");
    same("font/woff2", "/font.woff2?v=4.7.0");
    same("application/vnd.ms-fontobject", "/font.eot?iefix=1");
    same("image/png", "/thumb.php?id=12");
    same("text/javascript", "/load.php?modules=a.b&only=scripts");
}

#[test]
fn style_sheet_with_the_same_text_for_any_query_is_alive() {
    for path in ["/a.css?ver=6.1", "/load.php?modules=site&only=styles", "/css?id=12"] {
        let page = format!("{path} 200 type=text/css {{.page not found}}");
        let other = "stray-query: 200 type=text/css {.page not found}";
        check(&page, &[other, "stray: 404"], "alive");
        check(&page, &[other, "stray: 200 \"Site\" #1"], "alive");
    }
}

#[test]
fn resource_without_media_type_is_judged_by_its_bytes() {
    let page = "/font.woff2?v=2 200 type= bytes=7";
    check(page, &["stray-query: 200 type= bytes=7", "stray: 404"], "alive");
    let script = "/a.js?ver=6.1 200 type=text/plain #1";
    check(script, &["stray-query: 200 type=text/plain #1", "stray: 404"], "alive");
}

#[test]
fn missing_image_answered_with_a_page_is_a_soft_404() {
    let page = "/img/oak.png?v=3 200 \"Shop\" {Sorry, there is nothing here}";
    check(page, &["stray: 200 \"Shop\" {Sorry, there is nothing here}"], "soft-404 RL301");
    let long = "/img/oak.png?v=3 200 \"Shop\" #1";
    check(long, &["stray: 200 \"Shop\" #1"], "soft-404 RL301");
    let sent = "/img/oak.png -> / 200 \"Shop\" #1";
    check(sent, &["stray: -> / 200 \"Shop\" #1"], "soft-404 RL203");
}

#[test]
fn resource_with_the_same_content_for_any_name_is_a_soft_404() {
    let page = "/img/oak.png?v=3 200 type=image/png bytes=7";
    check(page, &["stray: 200 type=image/png bytes=7"], "soft-404 RL301");
    let style = "/css/oak.css?v=3 200 type=text/css #1";
    check(style, &["stray: 200 type=text/css #1"], "soft-404 RL301");
    check(style, &["stray: 200 type=text/css #2", "second-stray: 200 type=text/css #3"], "alive");
}

#[test]
fn cache_busting_query_of_a_page_is_judged_like_its_path() {
    let moved = "/about?ver=6.1 -> /about-us 200 \"About\" #1";
    check(moved, &["stray-query: -> /about-us 200 \"About\" #1", "stray: 404"], "alive");
    assert!(!judged(moved, &["stray: 404"]).asked().contains("stray-query"));
}
