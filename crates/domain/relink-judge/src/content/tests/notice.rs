//! Tests of pages that replace a whole site.

use super::{check, check_controls, check_text};

#[test]
fn domain_for_sale_is_hijacked() {
    check("/roses 200 \"site.test\" {This domain is for sale} !parking", &[], "hijacked RL302");
    check("/roses 200 \"site.test\" {Buy this domain}", &[], "hijacked RL302");
    check("/roses -> //www.sedo.com/search 200 \"Names\" #1", &[], "hijacked RL302");
    check_text("/roses 200 \"site.test\" {Buy this domain}", &[], "buy this domain");
}

#[test]
fn home_page_for_sale_is_hijacked() {
    check("/ 200 \"site.test\" {This domain is for sale} !parking", &[], "hijacked RL302");
    check_controls("/ 200 \"site.test\" {This domain is for sale} !parking", &[], "");
}

#[test]
fn page_about_domain_sales_is_alive() {
    check(
        "/buy-this-domain 200 \"How to buy this domain or that\" #1",
        &["random-name: 404"],
        "alive",
    );
    check("/advice/7 200 \"Advice\" {Buy this domain}", &["random-name: 404"], "alive");
}

#[test]
fn placeholder_for_random_names_is_soft_404() {
    let page = "200 \"Account suspended\" {Contact your hosting provider}";
    check(&format!("/roses {page}"), &[&format!("random-name: {page}")], "soft-404 RL304");
    check_text(&format!("/roses {page}"), &[&format!("random-name: {page}")], "random names");
}

#[test]
fn placeholder_on_home_page_needs_no_control() {
    check("/ 200 \"Welcome to nginx!\" {It works}", &[], "soft-404 RL304");
    check_controls("/ 200 \"Welcome to nginx!\" {It works}", &[], "");
}

#[test]
fn placeholder_instead_of_earlier_page_needs_no_control() {
    let page = "/roses 200 \"Account suspended\" {Contact your hosting provider}";
    check(page, &["before: \"Roses in winter\" #1"], "soft-404 RL304");
}

#[test]
fn single_page_about_placeholders_is_alive() {
    let page = "/manual/12 200 \"Default page\" {The default page greets visitors}";
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn closed_service_is_soft_404() {
    let page = "200 \"This service has been discontinued\" {Thank you for many years}";
    check(&format!("/roses {page}"), &[&format!("random-name: {page}")], "soft-404 RL304");
}

#[test]
fn site_wide_maintenance_notice_is_blocked() {
    let page = "200 \"Maintenance\" {We will be right back}";
    check(&format!("/roses {page}"), &[&format!("random-name: {page}")], "blocked RL495");
    check(&format!("/ {page}"), &[], "blocked RL495");
}

#[test]
fn page_about_maintenance_is_alive() {
    check(
        "/lawns/7 200 \"Maintenance\" {Mow twice a week}",
        &["random-name: 404", "random-path-number: 404"],
        "alive",
    );
    check(
        "/lawns/7 200 \"Maintenance\" #1",
        &["random-name: 404", "random-path-number: 404"],
        "alive",
    );
}

#[test]
fn server_error_text_is_blocked() {
    check(
        "/roses 200 \"Error establishing a database connection\" {}",
        &["random-name: 404"],
        "blocked RL495",
    );
}

#[test]
fn site_wide_short_notice_is_blocked() {
    let page = "200 \"Gardens\" {A new site opens in May}";
    let context = [format!("random-name: {page}"), format!("home-page: {page}")];
    check(&format!("/roses {page}"), &[&context[0], &context[1]], "blocked RL495");
    check(
        &format!("/roses {page}"),
        &[&context[0], "home-page: 200 \"Gardens\" #1"],
        "soft-404 RL301",
    );
}

#[test]
fn domain_forwarded_with_its_name_to_another_owner_is_hijacked() {
    let page = "/a -> //market.test/lp?d=site.test 200 \"site.test\" {site.test 128.000}";
    check(page, &[], "hijacked RL302");
    check(
        "/ -> //market.test/lp?d=site.test 200 \"site.test\" {site.test 9}",
        &[],
        "hijacked RL302",
    );
    // A successor, a long page, and a page that does not name the domain.
    let alive = ["random-name: 404", "without-parameter: 404", "home-page: 200 \"Home\" #9"];
    for page in [
        "/a -> //market.test/a?ref=site.test 200 \"site.test\" {site.test 128.000}",
        "/a -> //market.test/a?d=site.test 200 \"site.test\" #1",
        "/a -> //market.test/a?d=site.test 200 \"Trees\" {All trees}",
    ] {
        check(page, &alive, "alive");
    }
}

#[test]
fn error_page_that_names_the_class_of_the_error_is_soft_404() {
    let page = "200 \"404 Not Found\" \"Server Error\" {Page not found}";
    let context = [format!("random-name: {page}"), "home-page: 200 \"Welcome\" #1".to_owned()];
    check(&format!("/roses {page}"), &[&context[0], &context[1]], "soft-404 RL301");
}

#[test]
fn gambling_on_every_url_is_hijacked() {
    let page = "200 \"Situs Judi Slot Gacor\" {Togel taruhan maxwin jackpot}";
    let context = [format!("random-name: {page}"), format!("home-page: {page}")];
    check(&format!("/roses {page}"), &[&context[0], &context[1]], "hijacked RL302");
    check(&format!("/ {page}"), &[&context[0]], "hijacked RL302");
}

#[test]
fn brief_home_page_that_random_names_get_is_a_notice() {
    let page = "200 {Press the button to continue}";
    check(&format!("/ {page}"), &[&format!("random-name: {page}")], "blocked RL495");
    check(&format!("/ {page}"), &["random-name: 404"], "alive");
    let long = "200 \"Roses\" #1";
    check(&format!("/ {long}"), &[&format!("random-name: {long}")], "alive");
    check_controls(&format!("/ {long}"), &[], "");
    let application = "200 \"Roses\" {Loading} !shell";
    check(&format!("/ {application}"), &[&format!("random-name: {application}")], "alive");
}

#[test]
fn long_gambling_page_on_every_url_is_hijacked() {
    let page = "200 \"Situs Judi Slot Gacor\" \"Togel taruhan maxwin jackpot\" #1";
    check(&format!("/ {page}"), &[&format!("random-name: {page}")], "hijacked RL302");
    let advice = "200 \"Casino, jackpot, roulette: advice\" #1";
    check(&format!("/ {advice}"), &["random-name: 404"], "alive");
}

#[test]
fn domain_that_redirects_to_a_gambling_site_is_hijacked() {
    let target = "//slotgacor.test/ 200 \"Slot Gacor\" {Togel taruhan maxwin jackpot}";
    check(&format!("/ -> {target}"), &[], "hijacked RL302");
    check("/ -> //garden.test/ 200 \"Garden\" {Roses}", &[], "alive");
}

#[test]
fn reason_of_a_notice_states_whether_random_names_were_compared() {
    let page = "200 \"Maintenance\" {We will be back}";
    check_text(&format!("/ {page}"), &[], "the page shows a short notice");
    let random = format!("random-name: {page}");
    check_text(&format!("/roses {page}"), &[&random], "all URLs of the site");
    check_text("/roses 200 \"Database error\" {Sorry}", &[], "the page shows a server error");
    // The random name gets another page.
    let placeholder = "/ 200 \"Welcome to nginx!\" {It works}";
    assert!(super::judge(placeholder, &["random-name: 404"]).judgment.evidence.is_empty());
}

#[test]
fn expired_or_seized_site_is_soft_404() {
    check("/ 200 \"Website expired\" {Log in to renew}", &[], "soft-404 RL304");
    check("/ 200 \"This domain has been seized\" {By order of a court}", &[], "soft-404 RL304");
}

#[test]
fn page_equal_to_the_home_page_is_soft_404_if_a_neighbor_is_another_page() {
    let page = "200 \"Notes\" {Nothing was written}";
    let (random, home) = (format!("random-name: {page}"), format!("home-page: {page}"));
    let neighbor = "neighbor: /notes/oak 200 \"Notes\" {Oaks grow slowly}";
    check(&format!("/notes/elm {page}"), &[&random, &home, neighbor], "soft-404 RL301");
    check(&format!("/notes/elm {page}"), &[&random, &home], "blocked RL495");
}
