//! The whole site is something else.

use super::{check, check_asked, check_told};

#[test]
fn a_name_for_sale_is_hijacked() {
    check("/roses 200 \"site.test\" {This domain is for sale} !parking", &[], "hijacked RL302");
    check("/roses 200 \"site.test\" {Buy this domain}", &[], "hijacked RL302");
    check("/roses -> //www.sedo.com/search 200 \"Names\" #1", &[], "hijacked RL302");
    check_told("/roses 200 \"site.test\" {Buy this domain}", &[], "buy this domain");
}

#[test]
fn a_front_page_may_be_for_sale_as_well() {
    check("/ 200 \"site.test\" {This domain is for sale} !parking", &[], "hijacked RL302");
    check_asked("/ 200 \"site.test\" {This domain is for sale} !parking", &[], "");
}

#[test]
fn a_page_about_names_for_sale_is_none() {
    check("/buy-this-domain 200 \"How to buy this domain or that\" #1", &["stray: 404"], "alive");
    check("/advice/7 200 \"Advice\" {Buy this domain}", &["stray: 404"], "alive");
}

#[test]
fn a_placeholder_that_strays_get_too_stands_for_the_site() {
    let page = "200 \"Account suspended\" {Contact your hosting provider}";
    check(&format!("/roses {page}"), &[&format!("stray: {page}")], "soft-404 RL304");
    check_told(&format!("/roses {page}"), &[&format!("stray: {page}")], "strays");
}

#[test]
fn a_placeholder_on_the_front_page_needs_no_stray() {
    check("/ 200 \"Welcome to nginx!\" {It works}", &[], "soft-404 RL304");
    check_asked("/ 200 \"Welcome to nginx!\" {It works}", &[], "");
}

#[test]
fn a_placeholder_in_place_of_what_was_there_needs_no_stray() {
    let page = "/roses 200 \"Account suspended\" {Contact your hosting provider}";
    check(page, &["before: \"Roses in winter\" #1"], "soft-404 RL304");
}

#[test]
fn one_page_among_others_that_speaks_of_placeholders_is_none() {
    let page = "/manual/12 200 \"Default page\" {The default page greets visitors}";
    check(page, &["stray: 404", "stray-number: 404"], "alive");
}

#[test]
fn a_service_that_has_closed_is_gone() {
    let page = "200 \"This service has been discontinued\" {Thank you for many years}";
    check(&format!("/roses {page}"), &[&format!("stray: {page}")], "soft-404 RL304");
}

#[test]
fn a_maintenance_notice_on_every_address_says_nothing_of_the_page() {
    let page = "200 \"Maintenance\" {We will be right back}";
    check(&format!("/roses {page}"), &[&format!("stray: {page}")], "blocked RL495");
    check(&format!("/ {page}"), &[], "blocked RL495");
}

#[test]
fn a_page_about_maintenance_is_none() {
    check(
        "/lawns/7 200 \"Maintenance\" {Mow twice a week}",
        &["stray: 404", "stray-number: 404"],
        "alive",
    );
    check("/lawns/7 200 \"Maintenance\" #1", &["stray: 404", "stray-number: 404"], "alive");
}

#[test]
fn a_server_that_tells_of_its_own_fault_says_nothing_of_the_page() {
    check(
        "/roses 200 \"Error establishing a database connection\" {}",
        &["stray: 404"],
        "blocked RL495",
    );
}

#[test]
fn one_short_notice_everywhere_is_no_soft_404() {
    let page = "200 \"Gardens\" {A new site opens in May}";
    let beside = [format!("stray: {page}"), format!("front: {page}")];
    check(&format!("/roses {page}"), &[&beside[0], &beside[1]], "blocked RL495");
    check(&format!("/roses {page}"), &[&beside[0], "front: 200 \"Gardens\" #1"], "soft-404 RL301");
}
