//! Tests of links to other values of the query, which show that a parameter selects pages.
//!
//! The notation is that of [`crate::notation`]: `^/a?x=2` is a link of the page, and `#1` and `#2`
//! are different texts.

use super::{check, check_controls};

/// Checks the verdict on a page that a random value and the URL without the parameter return as
/// well. The first of its `links` leads to another page.
#[track_caller]
fn check_fallback(url: &str, links: &str, expect: &str) {
    let fallback = "200 \"Town of Elm\" #1";
    let first_link = links.split(' ').next().unwrap().trim_start_matches('^');
    let context = [
        &*format!("random-query-value: {fallback}"),
        &format!("without-parameter: {fallback}"),
        &format!("linked-query-value: {first_link} 200 \"Museum\" #2"),
        "random-name: 404",
    ];
    check(&format!("{url} {fallback} {links}"), &context, expect);
}

#[test]
fn unknown_value_is_soft_404_if_a_linked_value_is_another_page() {
    check_fallback("/?page=harbor", "^/?page=museum", "soft-404 RL301");
    check_fallback("/?id=88", "^/?id=7", "soft-404 RL301");
    check_fallback("/show.php?id=88", "^/show.php?id=7", "soft-404 RL301");
    check_fallback("/shop?cat=lamps", "^/shop?cat=bowls", "soft-404 RL301");
}

#[test]
fn value_to_which_the_page_links_is_alive() {
    check_fallback("/?page=harbor", "^/?page=museum ^/?page=harbor", "alive");
    check_fallback("/?id=88", "^/?id=7 ^?id=88&lang=de", "alive");
}

#[test]
fn page_is_alive_if_its_links_have_other_parameters_or_paths() {
    for links in ["^/?lang=museum", "^/other?page=museum", "^//b.test/?page=museum", "^/?x=1"] {
        check_fallback("/?page=harbor", links, "alive");
    }
    check_fallback("/oak?shade=grey", "^/oak?shade=blue", "alive");
}

#[test]
fn default_values_and_periods_are_alive() {
    check_fallback("/?page=home", "^/?page=museum", "alive");
    check_fallback("/?id=1", "^/?id=7", "alive");
    check_fallback("/calendar.php?month=5", "^/calendar.php?month=6", "alive");
    check_fallback("/?show=2024-05", "^/?show=2024-06", "alive");
    // The title contains the value: this is the default page.
    check_fallback("/?page=elm", "^/?page=museum", "alive");
}

#[test]
fn languages_layouts_and_orders_are_alive() {
    check_fallback("/?l=en", "^/?l=de", "alive");
    check_fallback("/?l=pt-br", "^/?l=de", "alive");
    check_fallback("/?mode=light", "^/?mode=dark", "alive");
    check_fallback("/?sort=new", "^/?sort=top", "alive");
    // Another order of the same list has the same title.
    let page = "200 \"Trees\" \"All trees\" #1";
    let context = [
        &*format!("random-query-value: {page}"),
        &format!("without-parameter: {page}"),
        "linked-query-value: /?by=height 200 \"Trees\" \"All trees\" #2",
    ];
    check(&format!("/?by=name {page} ^/?by=height"), &context, "alive");
}

#[test]
fn parameter_is_ignored_if_a_linked_value_is_the_same_page() {
    let page = "200 \"Oak\" #1";
    let context = [
        &*format!("random-query-value: {page}"),
        &format!("without-parameter: {page}"),
        &format!("linked-query-value: /oak?reply=15 {page}"),
        "random-name: 404",
    ];
    check(&format!("/oak?reply=99 {page} ^?reply=15"), &context, "alive");
}

#[test]
fn linked_value_is_requested_only_if_the_parameter_seems_to_have_no_effect() {
    let page = "/?id=88 200 \"Oak\" #1 ^/?id=7";
    check_controls(page, &["random-query-value: 200 \"Elm\" #2"], "random-query-value");
    let same = "200 \"Oak\" #1";
    let context = [format!("random-query-value: {same}"), format!("without-parameter: {same}")];
    // The controls in the order of their requests.
    let controls = "random-query-value without-parameter linked-query-value neighbor \
                    second-neighbor";
    check_controls(page, &[&context[0], &context[1]], controls);
}
