//! Something stands before the page.

use super::{check, check_asked, check_told};

#[test]
fn a_test_for_robots_is_known_by_its_scripts_or_its_words() {
    check("/roses 200 {One moment} !challenge", &[], "blocked RL499");
    check("/roses 200 \"Just a moment...\" {Checking your browser}", &[], "blocked RL499");
    check_told("/roses 200 \"Are you human?\" {Tick the box}", &[], "are you human");
}

#[test]
fn an_article_about_tests_for_robots_is_none() {
    check("/essays/1 200 \"Captcha\" #1", &["stray: 404"], "alive");
}

#[test]
fn a_login_in_place_of_the_page_hides_it() {
    check(
        "/report -> /login?next=report 200 \"Sign in\" {Name, password} !password",
        &[],
        "blocked RL493",
    );
    check("/report -> //sso.other.test/ 200 \"Welcome\" #1", &[], "blocked RL493");
    check("/report 200 \"Log in\" {Name, password} !password", &[], "blocked RL493");
}

#[test]
fn a_login_page_that_was_asked_for_is_the_page() {
    check("/ 200 \"Log in\" {Name, password} !password", &[], "alive");
    check("/login 200 \"Log in\" {Name, password} !password", &["stray: 404"], "alive");
}

#[test]
fn a_box_for_members_beside_the_text_is_no_wall() {
    check("/roses 200 \"Roses\" #1 !password", &["stray: 404"], "alive");
}

#[test]
fn a_demand_for_consent_hides_the_page() {
    check("/roses -> //consent.site.test/ask 200 \"Consent\" {Choose}", &[], "blocked RL494");
    check(
        "/roses 200 \"Before you continue\" {We value your privacy} !consent",
        &[],
        "blocked RL494",
    );
}

#[test]
fn a_consent_service_on_a_page_that_is_there_is_none() {
    check("/roses 200 \"Roses\" #1 !consent", &["stray: 404"], "alive");
    check(
        "/consent 200 \"Before you continue\" {We value your privacy} !consent",
        &["stray: 404"],
        "alive",
    );
}

#[test]
fn walls_seen_at_once_cost_no_further_question() {
    check_asked("/roses 200 {One moment} !challenge", &[], "");
    check_asked("/report -> /login 200 \"Sign in\" {Name}", &[], "");
}

#[test]
fn what_every_address_shows_may_be_a_wall_and_then_it_is_no_soft_404() {
    let shell = "200 \"Shop\" {Loading} !shell";
    check(&format!("/item {shell}"), &[&format!("stray: {shell}")], "blocked RL492");
    let login = "200 \"Intranet\" {Please sign in to go on}";
    check(&format!("/item {login}"), &[&format!("stray: {login}")], "blocked RL493");
    let consent = "200 \"Shop\" {Please accept all cookies}";
    check(&format!("/item {consent}"), &[&format!("stray: {consent}")], "blocked RL494");
    let test = "200 \"Shop\" {Prove that you are not a robot}";
    check(&format!("/item {test}"), &[&format!("stray: {test}")], "blocked RL499");
    let restricted = "200 \"Access restricted\" {Only on the campus network}";
    check(&format!("/item {restricted}"), &[&format!("stray: {restricted}")], "blocked RL494");
}

#[test]
fn a_shell_whose_site_refuses_strays_is_alive() {
    check("/item 200 \"Shop\" {Loading} !shell", &["stray: 404"], "alive");
}

#[test]
fn a_page_that_says_it_is_kept_from_us_is_so_where_strays_are_answered() {
    let page = "/item/7 200 \"Restricted access\" #1";
    check(page, &["stray: 200 \"Catalog\" #2"], "blocked RL494");
    check(page, &["stray: 404", "stray-number: 404"], "alive");
}
