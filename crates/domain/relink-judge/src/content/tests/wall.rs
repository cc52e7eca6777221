//! Tests of access walls.

use super::{check, check_controls, check_text};

#[test]
fn bot_challenge_is_recognized_by_scripts_or_text() {
    check("/roses 200 {One moment} !challenge", &[], "blocked RL499");
    check("/roses 200 \"Just a moment...\" {Checking your browser}", &[], "blocked RL499");
    check_text("/roses 200 \"Are you human?\" {Tick the box}", &[], "are you human");
}

#[test]
fn article_about_bot_challenges_is_alive() {
    check("/essays/1 200 \"Captcha\" #1", &["random-name: 404"], "alive");
}

#[test]
fn login_instead_of_the_page_is_blocked() {
    check(
        "/report -> /login?next=report 200 \"Sign in\" {Name, password} !password",
        &[],
        "blocked RL493",
    );
    check("/report -> //sso.other.test/ 200 \"Welcome\" #1", &[], "blocked RL493");
    check("/report 200 \"Log in\" {Name, password} !password", &[], "blocked RL493");
}

#[test]
fn login_form_in_the_frame_of_a_site_is_blocked() {
    let page = "/reports/9 200 \"Sign in\" \"Sign in\" #1 [Sign in] !password";
    check(page, &["home-page: 200 \"Portal\" #2"], "blocked RL493");
    let box_on_all_pages = "home-page: 200 \"Portal\" #2 !password";
    check(page, &[box_on_all_pages, "random-name: 404"], "alive");
}

#[test]
fn requested_login_page_is_alive() {
    check("/ 200 \"Log in\" {Name, password} !password", &[], "alive");
    check("/login 200 \"Log in\" {Name, password} !password", &["random-name: 404"], "alive");
}

#[test]
fn login_box_next_to_text_is_alive() {
    check("/roses 200 \"Roses\" #1 !password", &["random-name: 404"], "alive");
}

#[test]
fn consent_wall_is_blocked() {
    check("/roses -> //consent.site.test/ask 200 \"Consent\" {Choose}", &[], "blocked RL494");
    check(
        "/roses 200 \"Before you continue\" {We value your privacy} !consent",
        &[],
        "blocked RL494",
    );
}

#[test]
fn question_for_consent_instead_of_the_page_is_blocked() {
    for wall in [
        "\"We value your privacy\" {We and our 812 partners store cookies. Accept all Reject all}",
        "\"Mit Werbung weiterlesen\" {Wir verwenden Cookies. Akzeptieren und weiter}",
    ] {
        check(&format!("/roses 200 {wall}"), &["random-name: 404"], "blocked RL494");
    }
    let banner = "/roses 200 \"Roses\" {Red roses grow here. We value your privacy. Accept all}";
    check(banner, &["random-name: 404"], "alive");
    let page = "/abo 200 \"Abonnement\" {Lesen Sie ab 3 Euro im Monat, jederzeit kündbar.}";
    check(page, &["random-name: 404"], "alive");
}

#[test]
fn page_with_consent_script_is_alive() {
    check("/roses 200 \"Roses\" #1 !consent", &["random-name: 404"], "alive");
    check(
        "/consent 200 \"Before you continue\" {We value your privacy} !consent",
        &["random-name: 404"],
        "alive",
    );
}

#[test]
fn walls_on_the_page_need_no_control() {
    check_controls("/roses 200 {One moment} !challenge", &[], "");
    check_controls("/report -> /login 200 \"Sign in\" {Name}", &[], "");
}

#[test]
fn site_wide_walls_are_blocked_and_not_soft_404() {
    let shell = "200 \"Shop\" {Loading} !shell";
    check(&format!("/item {shell}"), &[&format!("random-name: {shell}")], "blocked RL492");
    let login = "200 \"Intranet\" {Please sign in to go on}";
    check(&format!("/item {login}"), &[&format!("random-name: {login}")], "blocked RL493");
    let consent = "200 \"Shop\" {Please accept all cookies}";
    check(&format!("/item {consent}"), &[&format!("random-name: {consent}")], "blocked RL494");
    let test = "200 \"Shop\" {Prove that you are not a robot}";
    check(&format!("/item {test}"), &[&format!("random-name: {test}")], "blocked RL499");
    let restricted = "200 \"Access restricted\" {Only on the campus network}";
    check(
        &format!("/item {restricted}"),
        &[&format!("random-name: {restricted}")],
        "blocked RL494",
    );
}

#[test]
fn app_shell_is_alive_if_random_names_are_rejected() {
    check("/item 200 \"Shop\" {Loading} !shell", &["random-name: 404"], "alive");
}

#[test]
fn restricted_page_is_blocked_if_random_names_are_accepted() {
    let page = "/item/7 200 \"Restricted access\" #1";
    check(page, &["random-name: 200 \"Catalog\" #2"], "blocked RL494");
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn redirect_with_the_requested_url_is_a_login_wall() {
    let welcome = "200 \"Welcome\" {Choose how to continue}";
    let urls = [
        "/wiki/Oak -> /w?title=Special:Users&returnto=Oak",
        "/report/7 -> /start?next=%2Freport%2F7",
        "/report?id=3 -> /start?came_from=http://site.test/report?id%3D3",
    ];
    for url in urls {
        check(&format!("{url} {welcome}"), &["random-name: 404"], "blocked RL493");
    }
    let random = "random-name: /report/x -> /start?next=%2Freport%2Fx 200 \"Welcome\" {Choose how to continue}";
    check(
        &format!("/report/oak -> /start?next=%2Freport%2Foak {welcome}"),
        &[random],
        "blocked RL493",
    );
    check("/oak -> /start?theme=oak 200 \"Welcome\" #1", &["random-name: 404"], "alive");
}

#[test]
fn login_word_in_a_menu_is_not_a_wall() {
    let error = "200 \"Garden club\" {Home About Plants Events Log in. The plant that you wanted was moved to another bed, ask the gardener}";
    check(&format!("/plants/oak {error}"), &[&format!("random-name: {error}")], "soft-404 RL301");
}

#[test]
fn incomplete_request_is_a_challenge() {
    check("/roses 202 {One moment}", &[], "blocked RL499");
    check("/ 202 {One moment}", &[], "blocked RL499");
    let long = "202 \"Roses\" #1";
    check(&format!("/roses {long}"), &[&format!("random-name: {long}")], "blocked RL499");
    check(&format!("/roses {long}"), &["random-name: 404"], "alive");
}

#[test]
fn redirect_to_a_captcha_is_a_challenge() {
    check("/roses -> /captcha?r=1 200 \"Shop\" #1", &[], "blocked RL499");
    check("/docs/captcha -> /help/captcha 200 \"Captcha\" #1", &["random-name: 404"], "alive");
}

#[test]
fn page_that_mentions_a_reading_room_is_alive() {
    let page = "/tour 200 \"Tour\" {Volunteers look after the reading room on Tuesdays}";
    check(page, &["random-name: 200 \"Nothing to see\" #2"], "alive");
}
