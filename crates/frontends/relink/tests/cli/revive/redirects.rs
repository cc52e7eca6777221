//! Historical redirects: redirects of a dead page that the archive recorded. The target of such a
//! redirect is an alias only if it is a live page, and not a login page, home page or error page.

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, TestServer};

use super::{Fixture, alias_path, article, failure_reasons, rejection_reasons};

/// Returns a copy of `/old/oak`, and archived redirects of `/old/oak` and of its neighbor
/// `/old/elm`.
fn two_redirects(web: &TestServer, oak_target: &str, elm_target: &str) -> Vec<ArchivedPage> {
    let (oak, elm) = (web.url("/old/oak"), web.url("/old/elm"));
    vec![
        ArchivedPage::page(oak.as_str(), "20140102030405", &article("oak")),
        ArchivedPage::redirect(oak.as_str(), "20150102030405", 301, oak_target),
        ArchivedPage::redirect(elm.as_str(), "20150202030405", 301, elm_target),
    ]
}

#[test]
fn historical_redirect_gives_the_alias() {
    let fixture = Fixture::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    fixture.web.page("/trees/oak", 200, &article("oak"));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/oak"));
    assert_eq!(revival["alias"]["method"], "historical-redirect");
    assert_eq!(revival["alias"]["confidence"], 0.97);
    assert!(revival["archived"]["replay_url"].as_str().unwrap().contains("20140102030405"));
    let evidence = revival["alias"]["evidence"].as_array().unwrap();
    let kinds: Vec<&str> = evidence.iter().filter_map(|item| item["kind"].as_str()).collect();
    assert_eq!(kinds, ["historical-redirect", "title", "content"]);
}

#[test]
fn human_output_shows_alias_evidence_and_copy() {
    let fixture = Fixture::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    fixture.web.page("/trees/oak", 200, &article("oak"));
    let text = fixture.revive(&[&fixture.url("/old/oak")]).exits(0).stdout;
    for part in [
        format!("  alias     {}   0.97\n", fixture.url("/trees/oak")),
        "an archive recorded this redirect on 2015-01-02, and no neighboring page redirected there\n"
            .to_owned(),
        "  archive   2014-01-02 good copy ".to_owned(),
    ] {
        assert!(text.contains(&part), "`{part}` in:\n{text}");
    }
}

#[test]
fn redirect_shared_with_neighbors_is_rejected_with_a_reason() {
    let fixture = Fixture::new(|web| two_redirects(web, "/welcome", "/welcome"));
    fixture.web.page("/welcome", 200, &article("welcome"));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert!(failure_reasons(&revival).contains(&"erroneous-redirect"), "{revival}");
    assert!(rejection_reasons(&revival).contains("/old/elm redirected there too"), "{revival}");
    assert_eq!(fixture.web.hits("/welcome"), 0, "a rejected target is not fetched");
}

#[test]
fn neighbors_are_compared_only_at_a_similar_date() {
    let fixture = Fixture::new(|web| {
        let (oak, elm) = (web.url("/old/oak"), web.url("/old/elm"));
        vec![
            ArchivedPage::redirect(oak.as_str(), "20150102030405", 301, "/trees/oak"),
            ArchivedPage::redirect(elm.as_str(), "20180202030405", 301, "/trees/oak"),
        ]
    });
    fixture.web.page("/trees/oak", 200, &article("oak"));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival).as_deref(), Some("/trees/oak"));
    assert_eq!(revival["alias"]["confidence"], 0.8, "no evidence for or against it");
    assert_eq!(
        fixture.archive_requests_with("20180202030405"),
        0,
        "{:?}",
        fixture.archive.requests()
    );
}

/// Asserts that an archived redirect of `/old/oak` to the live page `target` is rejected with a
/// reason that contains `expected`, with and without an archived redirect of a neighbor.
#[track_caller]
fn check_no_alias(target: &str, page: &str, expected: &str) {
    for has_neighbor in [false, true] {
        let fixture = Fixture::new(|web| {
            if has_neighbor {
                return two_redirects(web, target, "/trees/elm");
            }
            let oak = web.url("/old/oak");
            vec![ArchivedPage::redirect(oak.as_str(), "20150102030405", 301, target)]
        });
        fixture.web.page(target, 200, page);
        let revival = fixture.revival("/old/oak", &[]);
        assert_eq!(alias_path(&revival), None, "{target}: {revival}");
        assert!(rejection_reasons(&revival).contains(expected), "{target}: {revival}");
    }
}

#[test]
fn archived_redirect_to_a_login_page_is_not_an_alias() {
    let form = "<title>Sign in</title><h1>Sign in</h1><form><input name=user>\
                <input type=password name=word></form>";
    check_no_alias("/login?next=%2Fold%2Foak", form, "login page");
    check_no_alias("/members/enter", form, "no live page there");
    check_no_alias("/sso/start", &article("portal"), "login page");
}

#[test]
fn archived_redirect_to_a_consent_page_is_not_an_alias() {
    check_no_alias("/cookie-consent", &article("privacy"), "consent");
    check_no_alias("/subscribe", &article("offers"), "consent");
}

#[test]
fn archived_redirect_to_an_error_page_is_not_an_alias() {
    check_no_alias("/error.html", &article("sorry"), "error page");
    check_no_alias("/404", &article("sorry"), "error page");
}

#[test]
fn archived_redirect_to_the_home_page_is_not_an_alias() {
    check_no_alias("/", &article("home"), "home page");
    check_no_alias("/index.html", &article("home"), "home page");
}

/// The path looks like the path of a login page, but the page has the text of the dead page.
#[test]
fn archived_redirect_to_a_page_with_the_old_text_is_an_alias() {
    let fixture = Fixture::new(|web| two_redirects(web, "/accounts/oak", "/trees/elm"));
    fixture.web.page("/accounts/oak", 200, &article("oak"));
    assert_eq!(alias_path(&fixture.revival("/old/oak", &[])).as_deref(), Some("/accounts/oak"));
}

#[test]
fn home_page_is_not_an_alias() {
    let fixture = Fixture::new(|web| {
        let old = web.url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, "/")]
    });
    fixture.web.page("/", 200, &article("home"));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert!(rejection_reasons(&revival).contains("it is the home page"), "{revival}");
}

#[test]
fn redirect_to_a_dead_page_is_not_an_alias() {
    let fixture = Fixture::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert!(rejection_reasons(&revival).contains("no live page there"), "{revival}");
}

#[test]
fn redirect_to_a_soft_404_is_not_an_alias() {
    let fixture = Fixture::new(|web| two_redirects(web, "/trees/oak", "/trees/elm"));
    fixture.web.respond_below("/trees/", CannedResponse::new(200, article("sorry")));
    let revival = fixture.revival("/old/oak", &[]);
    assert_eq!(alias_path(&revival), None, "{revival}");
    assert!(rejection_reasons(&revival).contains("no live page there"), "{revival}");
}

#[test]
fn redirect_to_another_site_is_rejected() {
    let fixture = Fixture::new(|web| {
        let target = web.host("casino.test").url("/oak");
        let old = web.host("trees.test").url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, target.as_str())]
    });
    fixture.web.page("/oak", 200, &article("oak"));
    let old: String = fixture.web.host("trees.test").url("/old/oak").into();
    let resolve = ["trees.test", "casino.test"].map(|name| {
        let port = fixture.web.port();
        format!("{name}:{port}:127.0.0.1")
    });
    let args = ["--resolve", &resolve[0], "--resolve", &resolve[1], "--format", "jsonl", &old];
    let revival = fixture.revive(&args).exits(0).rows().row(&old).clone();
    assert_eq!(alias_path(&revival), None, "{revival}");
    assert!(rejection_reasons(&revival).contains("it is another site"), "{revival}");
    assert_eq!(fixture.web.hits("/oak"), 0, "the other site gets no request");
}

#[test]
fn redirect_that_now_leads_to_another_site_is_rejected() {
    let fixture = Fixture::new(|web| {
        let old = web.host("trees.test").url("/old/oak");
        vec![ArchivedPage::redirect(old.as_str(), "20150102030405", 301, "/trees/oak")]
    });
    let target = fixture.web.host("casino.test").url("/oak");
    fixture.web.redirect("/trees/oak", 302, target.as_str()).page("/oak", 200, &article("oak"));
    let old: String = fixture.web.host("trees.test").url("/old/oak").into();
    let resolve = ["trees.test", "casino.test"]
        .map(|name| format!("{name}:{}:127.0.0.1", fixture.web.port()));
    let args = ["--resolve", &resolve[0], "--resolve", &resolve[1], "--allow-private"];
    let args = [&args[..], &["--format", "jsonl", &old]].concat();
    let revival = fixture.revive(&args).exits(0).rows().row(&old).clone();
    assert_eq!(alias_path(&revival), None, "{revival}");
}
