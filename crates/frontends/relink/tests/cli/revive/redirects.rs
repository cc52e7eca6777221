//! Redirects that an archive remembers: which are believed.

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, TestServer};

use super::{Scene, alias, article, passed_over, reasons};

/// Two pages of one directory that once redirected.
fn two_redirects(web: &TestServer, one: &str, other: &str) -> Vec<ArchivedPage> {
    let (a, b) = (web.url("/old/oak"), web.url("/old/elm"));
    vec![
        ArchivedPage::page(a.as_str(), "20140102030405", &article("oak")),
        ArchivedPage::redirect(a.as_str(), "20150102030405", 301, one),
        ArchivedPage::redirect(b.as_str(), "20150202030405", 301, other),
    ]
}

#[test]
fn a_redirect_of_its_own_leads_to_the_alias() {
    let scene = Scene::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    scene.web.page("/trees/oak", 200, &article("oak"));
    let story = scene.story("/old/oak", &[]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/oak"));
    assert_eq!(story["alias"]["method"], "historical-redirect");
    assert_eq!(story["alias"]["confidence"], 0.97);
    assert!(story["archived"]["address"].as_str().unwrap().contains("20140102030405"));
    let kinds: Vec<&str> = story["alias"]["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["historical-redirect", "title", "content"]);
}

#[test]
fn people_are_told_alias_evidence_and_copy() {
    let scene = Scene::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    scene.web.page("/trees/oak", 200, &article("oak"));
    let text = scene.revive(&[&scene.url("/old/oak")]).exits(0).stdout;
    for part in [
        format!("  alias    {}   0.97\n", scene.url("/trees/oak")),
        "an archive saw it redirect there on 2015-01-02, and no page beside it\n".to_owned(),
        "  archive  2014-01-02 good copy ".to_owned(),
    ] {
        assert!(text.contains(&part), "`{part}` in:\n{text}");
    }
}

#[test]
fn a_redirect_that_its_neighbors_share_is_ignored_and_named() {
    let scene = Scene::new(|web| two_redirects(web, "/welcome", "/welcome"));
    scene.web.page("/welcome", 200, &article("welcome"));
    let story = scene.story("/old/oak", &[]);
    assert_eq!(alias(&story), None);
    assert!(reasons(&story).contains(&"erroneous-redirect"), "{story}");
    assert!(passed_over(&story).contains("/old/elm led there too"), "{story}");
    assert_eq!(scene.web.hits("/welcome"), 0, "nobody needs to look at it");
}

#[test]
fn a_neighbor_is_compared_only_at_about_the_same_time() {
    let scene = Scene::new(|web| {
        let (a, b) = (web.url("/old/oak"), web.url("/old/elm"));
        vec![
            ArchivedPage::redirect(a.as_str(), "20150102030405", 301, "/trees/oak"),
            ArchivedPage::redirect(b.as_str(), "20180202030405", 301, "/trees/oak"),
        ]
    });
    scene.web.page("/trees/oak", 200, &article("oak"));
    let story = scene.story("/old/oak", &[]);
    assert_eq!(alias(&story).as_deref(), Some("/trees/oak"));
    assert_eq!(story["alias"]["confidence"], 0.8, "nothing speaks against it, and nothing for it");
    assert_eq!(scene.asked("20180202030405"), 0, "{:?}", scene.archive.asked());
}

/// A site whose lost page was redirected to this path, which is alive.
#[track_caller]
fn check_no_alias(target: &str, page: &str, expect: &str) {
    for kept in [
        |web: &TestServer, to: &str| {
            vec![ArchivedPage::redirect(web.url("/old/oak").as_str(), "20150102030405", 301, to)]
        },
        |web: &TestServer, to: &str| two_redirects(web, to, "/trees/elm"),
    ] {
        let scene = Scene::new(|web| kept(web, target));
        scene.web.page(target, 200, page);
        let story = scene.story("/old/oak", &[]);
        assert_eq!(alias(&story), None, "{target}: {story}");
        assert!(passed_over(&story).contains(expect), "{target}: {story}");
    }
}

#[test]
fn archived_redirect_to_a_login_page_is_no_alias() {
    let form = "<title>Sign in</title><h1>Sign in</h1><form><input name=user>\
                <input type=password name=word></form>";
    check_no_alias("/login?next=%2Fold%2Foak", form, "login page");
    check_no_alias("/members/enter", form, "nothing is alive there");
    check_no_alias("/sso/start", &article("portal"), "login page");
}

#[test]
fn archived_redirect_to_a_demand_for_consent_is_no_alias() {
    check_no_alias("/cookie-consent", &article("privacy"), "consent");
    check_no_alias("/subscribe", &article("offers"), "consent");
}

#[test]
fn archived_redirect_to_an_error_page_is_no_alias() {
    check_no_alias("/error.html", &article("sorry"), "error page");
    check_no_alias("/404", &article("sorry"), "error page");
}

#[test]
fn archived_redirect_to_the_front_page_is_no_alias() {
    check_no_alias("/", &article("home"), "front page");
    check_no_alias("/index.html", &article("home"), "front page");
}

/// A page about logins may move to a path with that name.
#[test]
fn archived_redirect_to_a_page_with_the_old_text_is_an_alias_whatever_its_name() {
    let scene = Scene::new(|web| two_redirects(web, "/accounts/oak", "/trees/elm"));
    scene.web.page("/accounts/oak", 200, &article("oak"));
    assert_eq!(alias(&scene.story("/old/oak", &[])).as_deref(), Some("/accounts/oak"));
}

#[test]
fn the_front_page_is_no_alias() {
    let alone = Scene::new(|web| {
        let old = web.url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, "/")]
    });
    alone.web.page("/", 200, &article("home"));
    let story = alone.story("/old/oak", &[]);
    assert_eq!(alias(&story), None);
    assert!(passed_over(&story).contains("it is the front page"), "{story}");
}

#[test]
fn a_redirect_to_a_dead_page_is_no_alias() {
    let scene = Scene::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    let story = scene.story("/old/oak", &[]);
    assert_eq!(alias(&story), None);
    assert!(passed_over(&story).contains("nothing is alive there"), "{story}");
}

#[test]
fn a_redirect_to_a_soft_404_is_no_alias() {
    let scene = Scene::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    scene.web.below("/trees/", CannedResponse::new(200, article("sorry")));
    let story = scene.story("/old/oak", &[]);
    assert_eq!(alias(&story), None, "{story}");
    assert!(passed_over(&story).contains("nothing is alive there"), "{story}");
}

#[test]
fn a_redirect_to_another_site_is_refused() {
    let scene = Scene::new(|web| {
        let elsewhere = web.host("casino.test").url("/oak");
        let old = web.host("trees.test").url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, elsewhere.as_str())]
    });
    scene.web.page("/oak", 200, &article("oak"));
    let old: String = scene.web.host("trees.test").url("/old/oak").into();
    let names = ["trees.test", "casino.test"].map(|name| {
        let port = scene.web.port();
        format!("{name}:{port}:127.0.0.1")
    });
    let args = ["--resolve", &names[0], "--resolve", &names[1], "--format", "jsonl", &old];
    let story = scene.revive(&args).exits(0).rows().of(&old).clone();
    assert_eq!(alias(&story), None, "{story}");
    assert!(passed_over(&story).contains("it is another site"), "{story}");
    assert_eq!(scene.web.hits("/oak"), 0, "a stranger is not even asked");
}

#[test]
fn a_redirect_that_leads_on_to_another_site_today_is_refused() {
    let scene = Scene::new(|web| {
        let old = web.host("trees.test").url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, "/trees/oak")]
    });
    let elsewhere = scene.web.host("casino.test").url("/oak");
    scene.web.redirect("/trees/oak", 302, elsewhere.as_str()).page("/oak", 200, &article("oak"));
    let old: String = scene.web.host("trees.test").url("/old/oak").into();
    let names =
        ["trees.test", "casino.test"].map(|name| format!("{name}:{}:127.0.0.1", scene.web.port()));
    let args = ["--resolve", &names[0], "--resolve", &names[1], "--allow-private"];
    let args = [&args[..], &["--format", "jsonl", &old]].concat();
    let story = scene.revive(&args).exits(0).rows().of(&old).clone();
    assert_eq!(alias(&story), None, "{story}");
}
