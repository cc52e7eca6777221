//! Tests of the comparison with random URLs and with neighbors.

use super::{check, check_controls, check_text, judge};

#[test]
fn page_equal_to_random_name_is_soft_404() {
    check("/a/oak 200 \"Library\" #1", &["random-name: 200 \"Library\" #1"], "soft-404 RL301");
    check_text("/a/oak 200 \"Library\" #1", &["random-name: 200 \"Library\" #1"], "the same page");
}

#[test]
fn page_unlike_random_name_is_alive() {
    check("/a/oak 200 \"Oak\" #2", &["random-name: 200 \"Library\" #1"], "alive");
    check("/a/oak 200 \"Oak\" #1+2", &["random-name: 200 \"Library\" #1"], "alive");
}

#[test]
fn page_is_alive_if_random_names_are_rejected() {
    for random_page in
        ["random-name: 404", "random-name: 410", "random-name: 403", "random-name: loop"]
    {
        check("/a/oak 200 \"Oak\" #1", &[random_page], "alive");
    }
    check_controls("/a/oak 200 \"Oak\" #1", &["random-name: 404"], "random-name");
}

#[test]
fn control_without_response_is_ignored() {
    for random_page in ["random-name: timeout", "random-name: nxdomain", "random-name: unfetched"] {
        check("/a/oak 200 \"Oak\" #1", &[random_page], "alive");
    }
}

#[test]
fn error_page_that_repeats_the_url_is_soft_404() {
    let page = "/a/oak 200 \"Nothing at /a/oak\" {Sorry, /a/oak is not here. Request 8k3j2h1g}";
    let random_page = "random-name: /a/xyz 200 \"Nothing at /a/xyz\" {Sorry, /a/xyz is not here. Request 1q2w3e4r}";
    check(page, &[random_page], "soft-404 RL301");
}

#[test]
fn page_with_large_shared_template_is_alive() {
    let page = "/a/oak 200 \"Library\" \"Oak\" #1+2+3";
    let context = [
        "random-name: 200 \"Library\" \"Sorry\" #1+2",
        "second-random-name: 200 \"Library\" \"Sorry\" #1+2",
    ];
    check(page, &context, "alive");
}

#[test]
fn page_that_changes_like_random_names_is_soft_404() {
    let page = "/a/oak 200 \"Library\" #1";
    let random = ["random-name: 200 \"Library\" #2", "second-random-name: 200 \"Library\" #3"];
    let changing = [random[0], random[1], "refetch: /a/oak 200 \"Library\" #4"];
    check(page, &changing, "soft-404 RL301");
    check_controls(page, &changing, "random-name second-random-name refetch");
    let steady = [random[0], random[1], "refetch: /a/oak 200 \"Library\" #1"];
    check(page, &steady, "alive");
}

#[test]
fn page_equal_to_random_query_value_is_soft_404() {
    let page = "/show?id=12 200 \"Record\" {There is no such record}";
    check(
        page,
        &["random-query-value: 200 \"Record\" {There is no such record}", "random-name: 404"],
        "soft-404 RL301",
    );
}

#[test]
fn parameter_without_effect_leaves_page_alive() {
    let page = "/show?page=12 200 \"Oak\" #1";
    check(page, &["random-query-value: 200 \"Oak\" #1", "random-name: 404"], "alive");
    check(page, &["random-query-value: 404", "random-name: 404"], "alive");
}

#[test]
fn page_equal_to_random_path_number_is_soft_404() {
    let page = "/news/4711 200 \"News\" #1";
    check(page, &["random-name: 404", "random-path-number: 200 \"News\" #1"], "soft-404 RL301");
    check(page, &["random-name: 404", "random-path-number: 200 \"News\" #2"], "alive");
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn page_selected_by_number_is_alive_although_name_is_ignored() {
    let page = "/news/4711/oak-felled 200 \"Oak felled\" #1";
    let random_page = "random-name: 200 \"Oak felled\" #1";
    check(page, &[random_page, "random-path-number: 404"], "alive");
    check(page, &[random_page, "random-path-number: 200 \"Ash planted\" #2"], "alive");
    check(page, &[random_page, "random-path-number: 200 \"Oak felled\" #1"], "soft-404 RL301");
}

#[test]
fn random_page_with_canonical_url_of_the_page_is_an_alias() {
    let page = "/wiki/oak 200 \"Oak\" #1 @/wiki/oak";
    check(page, &["random-name: 200 \"Oak\" #1 @/wiki/oak"], "alive");
    check(page, &["random-name: 200 \"Oak\" #1"], "soft-404 RL301");
    let home = "/wiki/oak 200 \"Home\" #1 @/";
    check(home, &["random-name: 200 \"Home\" #1 @/"], "soft-404 RL301");
}

#[test]
fn page_redirected_like_random_names_is_soft_404() {
    check(
        "/a/oak -> / 200 \"Library\" #1",
        &["random-name: -> / 200 \"Library\" #1"],
        "soft-404 RL203",
    );
    check(
        "/a/oak -> /a/ 200 \"Shelf A\" #1",
        &["random-name: -> /a/ 200 \"Shelf A\" #1"],
        "soft-404 RL203",
    );
    check(
        "/a/oak -> /sorry 200 \"Library\" #1",
        &["random-name: -> /sorry 200 \"Library\" #1"],
        "soft-404 RL301",
    );
}

#[test]
fn target_of_random_name_redirects_is_alive() {
    check("/ 200 \"Library\" #1", &["random-name: -> / 200 \"Library\" #1"], "alive");
    check("/welcome 200 \"Library\" #1", &["random-name: -> / 200 \"Home\" #2"], "alive");
}

#[test]
fn page_redirected_unlike_random_names_is_alive() {
    let page = "/a/oak -> /trees/oak 200 \"Oak\" #1";
    check(page, &["random-name: -> / 200 \"Library\" #2"], "alive");
    check("/a/oak => /trees/oak 200 \"Oak\" #1", &["random-name: 404"], "moved RL201");
}

#[test]
fn redirect_to_error_url_is_soft_404() {
    check("/a/oak -> /errors/404.html 200 \"Library\" #1", &["random-name: 404"], "soft-404 RL301");
    check("/errors/oak -> /errors/ash 200 \"Oak\" #1", &["random-name: 404"], "alive");
}

#[test]
fn redirect_to_parent_directory_is_soft_404() {
    check("/a/b/oak -> /a/ 200 \"Shelf A\" #1", &["random-name: 404"], "soft-404 RL203");
    check("/a/b/oak -> / 200 \"Library\" #1", &["random-name: 404"], "soft-404 RL203");
}

#[test]
fn redirect_that_retains_the_name_is_alive() {
    check("/a/b/oak -> /trees/oak-and-ash 200 \"Trees\" #1", &["random-name: 404"], "alive");
    check("/a/index.html -> /a/ 200 \"Shelf A\" #1", &["random-name: 404"], "alive");
}

#[test]
fn neighbor_with_same_target_means_soft_404_and_with_other_target_alive() {
    let page = "/a/oak -> /collection 200 \"Collection\" #1";
    let ash = "neighbor: /a/ash -> /collection 200 \"Collection\" #1";
    check(page, &["random-name: 404", ash], "soft-404 RL301");
    let elm = "second-neighbor: /a/elm -> /trees/elm 200 \"Elm\" #2";
    check(page, &["random-name: 404", ash, elm], "alive");
    let up = "/a/oak -> / 200 \"Library\" #1";
    check(up, &["random-name: 404", "neighbor: /a/ash -> /trees/ash 200 \"Ash\" #2"], "alive");
    let home = "neighbor: /a/ash => / 200 \"Library\" #1";
    check(up, &["random-name: 404", home, elm], "soft-404 RL203");
}

#[test]
fn redirect_to_a_page_without_a_word_of_the_name_is_soft_404_if_the_directory_has_pages() {
    let page = "/p/941-iron-bench => /c/garden 200 \"Garden\" {Hoses and spades}";
    let gone = ["random-name: 404", "random-path-number: 404"];
    let check_with = |page: &str, neighbor: &str, expect: &str| {
        check(page, &[gone[0], gone[1], neighbor], expect);
    };
    let (shed, renamed) = (
        "neighbor: /p/944-shed 200 \"Shed\" #1",
        "neighbor: /p/945-hut => /p/945-cabin 200 \"Cabin\" #2",
    );
    check_with(page, shed, "soft-404 RL301");
    check_with(page, renamed, "soft-404 RL301");
    // The whole directory moved, or the target names the page.
    check_with(page, "neighbor: /p/944-shed => /x/shed 200 \"Shed\" #1", "moved RL201");
    check_with("/p/941-iron-bench => /c/garden 200 \"Garden bench\" #3", shed, "moved RL201");
    check_with("/p/941-iron-bench => /c/941 200 \"Garden\" #3", shed, "moved RL201");
    check_with("/p/bench => /c/garden 200 \"Garden\" #3", shed, "moved RL201");
}

#[test]
fn neighbor_with_same_target_but_other_chain_is_ignored() {
    let page = "/a/oak -> /collection 200 \"Collection\" #1";
    let moved = "neighbor: /a/ash => /collection 200 \"Collection\" #1";
    check(page, &["random-name: 404", moved], "alive");
}

#[test]
fn two_pages_with_same_target_are_alive_but_three_are_soft_404() {
    for (page, ash, elm) in [
        ("/oak -> /trees", "/ash -> /trees", "/elm -> /trees"),
        ("/a/oak -> /a/trees", "/a/ash -> /a/trees", "/a/elm -> /a/trees"),
    ] {
        let page = format!("{page} 200 \"Trees\" #1");
        let ash = format!("neighbor: {ash} 200 \"Trees\" #1");
        let elm = format!("second-neighbor: {elm} 200 \"Trees\" #1");
        check(&page, &["random-name: 404", &ash], "alive");
        check(&page, &["random-name: 404", &ash, &elm], "soft-404 RL301");
    }
}

#[test]
fn evidence_contains_url_status_and_resemblance() {
    let judgment =
        judge("/a/oak 200 \"Library\" #1", &["random-name: /a/xq 200 \"Library\" #1"]).judgment;
    let evidence = &judgment.evidence[0];
    let control = evidence.control.as_ref().unwrap();
    assert_eq!((control.url.as_str(), control.status), ("http://site.test/a/xq", Some(200)));
    assert_eq!(evidence.resemblance, Some(1.0));
    assert!(judgment.confidence < relink_model::Confidence::CERTAIN);
}

#[test]
fn resource_with_the_same_bytes_for_any_query_is_alive() {
    let same = |kind: &str, path: &str| {
        let page = format!("{path} 200 type={kind} bytes=7");
        let other = format!("random-query-value: 200 type={kind} bytes=7");
        check(&page, &[&other, "random-name: 404"], "alive");
        check(&page, &[&other, "random-name: 200 \"Site\" #1"], "alive");
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
        let other = "random-query-value: 200 type=text/css {.page not found}";
        check(&page, &[other, "random-name: 404"], "alive");
        check(&page, &[other, "random-name: 200 \"Site\" #1"], "alive");
    }
}

#[test]
fn resource_without_media_type_is_judged_by_its_bytes() {
    let page = "/font.woff2?v=2 200 type= bytes=7";
    check(page, &["random-query-value: 200 type= bytes=7", "random-name: 404"], "alive");
    let script = "/a.js?ver=6.1 200 type=text/plain #1";
    check(script, &["random-query-value: 200 type=text/plain #1", "random-name: 404"], "alive");
}

#[test]
fn missing_image_with_page_response_is_soft_404() {
    let page = "/img/oak.png?v=3 200 \"Shop\" {Sorry, there is nothing here}";
    check(page, &["random-name: 200 \"Shop\" {Sorry, there is nothing here}"], "soft-404 RL301");
    let long = "/img/oak.png?v=3 200 \"Shop\" #1";
    check(long, &["random-name: 200 \"Shop\" #1"], "soft-404 RL301");
    let sent = "/img/oak.png -> / 200 \"Shop\" #1";
    check(sent, &["random-name: -> / 200 \"Shop\" #1"], "soft-404 RL203");
}

#[test]
fn resource_with_the_same_content_for_any_name_is_soft_404() {
    let page = "/img/oak.png?v=3 200 type=image/png bytes=7";
    check(page, &["random-name: 200 type=image/png bytes=7"], "soft-404 RL301");
    let style = "/css/oak.css?v=3 200 type=text/css #1";
    check(style, &["random-name: 200 type=text/css #1"], "soft-404 RL301");
    check(
        style,
        &["random-name: 200 type=text/css #2", "second-random-name: 200 type=text/css #3"],
        "alive",
    );
}

#[test]
fn cache_busting_query_of_a_page_is_judged_like_its_path() {
    let moved = "/about?ver=6.1 -> /about-us 200 \"About\" #1";
    check(
        moved,
        &["random-query-value: -> /about-us 200 \"About\" #1", "random-name: 404"],
        "alive",
    );
    assert!(!judge(moved, &["random-name: 404"]).controls().contains("random-query-value"));
}

#[test]
fn page_with_a_title_of_its_own_is_alive_whatever_rotates() {
    let page = "/shop/oak 200 \"Oak\" #1";
    let context = [
        "random-name: 200 \"\" #2",
        "second-random-name: 200 \"\" #3",
        "refetch: /shop/oak 200 \"Oak\" #4",
    ];
    check(page, &context, "alive");
    let echoing = [
        "random-name: /shop/xyz 200 \"Xyz\" #2",
        "second-random-name: /shop/abc 200 \"Abc\" #3",
        "refetch: /shop/oak 200 \"Oak\" #4",
    ];
    check(page, &echoing, "soft-404 RL301");
}

#[test]
fn words_that_differ_between_two_controls_are_ignored() {
    let page = |id: &str| {
        format!("200 \"Report {id} - Shop\" {{The shop is here. Built in 0.00{id} s by node {id}}}")
    };
    let context =
        [format!("random-name: {}", page("k7q")), format!("second-random-name: {}", page("m2w"))];
    let context = context.each_ref().map(String::as_str);
    check(&format!("/a/oak {}", page("x9z")), &context, "soft-404 RL301");
    let own = "/a/oak 200 \"Report oak - Shop\" {All about the oak and how it grows here}";
    check(own, &context, "alive");
}

#[test]
fn phrase_of_the_page_template_leaves_page_alive() {
    let template = "Page not found? Write to us}";
    let page = format!("/a/oak 200 \"Wiki\" {{The oak grows slowly and lives long. {template}");
    let random = format!("200 \"Wiki\" {{Start a new article here today. {template}");
    let home = format!("home-page: 200 \"Wiki\" {{Welcome to all trees. {template}");
    let context = [format!("random-name: {random}"), format!("second-random-name: {random}"), home];
    check(&page, &context.each_ref().map(String::as_str), "alive");
    check(&page, &[&context[0], &context[1], "home-page: 200 \"Wiki\" #4"], "soft-404 RL301");
}

#[test]
fn phrases_leave_page_alive_if_the_control_was_refused() {
    let page = "/a/oak 200 \"Page not found\" \"Page not found\" {Page not found}";
    check(page, &["random-name: 404"], "soft-404 RL301");
    for refused in ["403", "401", "429", "503", "unfetched", "timeout"] {
        check(page, &[&format!("random-name: {refused}")], "alive");
    }
    let in_text = "/a/oak 200 \"Oak\" {Page not found. It does not exist}";
    check(in_text, &["random-name: 404"], "alive");
}

#[test]
fn empty_page_is_judged_by_its_controls() {
    check("/a/oak 200 {}", &["random-name: 404"], "alive");
    let context = ["random-name: 200 {}", "home-page: 200 \"Home\" #1"];
    check("/a/oak 200 {}", &context, "soft-404 RL301");
    check("/a/oak 200 {}", &["random-name: 200 {}", "home-page: 200 {}"], "blocked RL495");
}
