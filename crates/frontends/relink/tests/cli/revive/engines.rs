//! Several engines, asked for one page: what they name is weighed together.

use relink_testkit::web::CannedResponse;
use serde_json::{Value, json};

use super::elsewhere::{DEAD, Lost, MIRROR};
use super::{alias, article};

impl Lost {
    /// An engine on the web that names these pages, whatever it is asked.
    fn engine(&self, urls: &[&str]) -> String {
        let web = &self.scene.web;
        let rows: Vec<Value> =
            urls.iter().map(|url| json!({ "url": url, "title": "Found" })).collect();
        let answer = CannedResponse::new(200, json!({ "results": rows }).to_string());
        web.below("/find/", answer.header("Content-Type", "application/json"));
        format!("json:{}?q={{query}}", web.url("/find/"))
    }

    /// A page is on a host, and nobody has seen it.
    fn put(&self, host: &str, path: &str) -> String {
        self.scene.web.host(host).page(path, 200, &article("owl"));
        self.scene.web.host(host).url(path).into()
    }

    /// A page of the lost site that `relink check` has seen.
    fn put_and_seen(&self, path: &str) -> String {
        let url = self.put(DEAD, path);
        let args = [&self.names()[..], &["--allow-private", &url]].concat();
        self.scene.desk.check(&args).exits(0);
        url
    }
}

/// The addresses that are like it, in order.
fn others(story: &Value) -> Vec<&str> {
    let others = story["others"].as_array().unwrap();
    let mut urls: Vec<_> = others.iter().map(|other| other["url"].as_str().unwrap()).collect();
    urls.sort_unstable();
    urls
}

#[test]
fn of_two_pages_with_the_same_text_none_is_taken_whoever_names_them() {
    let lost = Lost::new();
    let one = lost.put_and_seen("/animals/7");
    let other = lost.put(DEAD, "/print/7");
    let engine = lost.engine(&[&other]);
    let story = lost.story(&["--search", "local", "--search", &engine]);
    assert_eq!(alias(&story), None, "{story}");
    assert_eq!(others(&story), [one.as_str(), &other], "{story}");
    let story = lost.story(&["--search", &engine, "--answer-age", "0"]);
    assert_eq!(alias(&story).as_deref(), Some("/print/7"), "alone it is taken: {story}");
    assert_eq!(others(&story), [""; 0], "{story}");
}

#[test]
fn a_page_that_many_name_is_listed_once() {
    let lost = Lost::new();
    let urls = ["/animals/7", "/print/7"].map(|path| lost.put_and_seen(path));
    let engine = lost.engine(&[&urls[0], &urls[1]]);
    let story = lost.story(&["--search", "local", "--search", &engine]);
    assert_eq!(alias(&story), None, "{story}");
    assert_eq!(others(&story), urls, "{story}");
}

#[test]
fn a_page_is_no_alias_of_itself() {
    let lost = Lost::new();
    lost.put(DEAD, "/birds/owls.html");
    lost.scene.web.host(DEAD).redirect("/go/7", 302, &lost.dead);
    let away: String = lost.scene.web.host(DEAD).url("/go/7").into();
    let engine = lost.engine(&[&lost.dead, &away]);
    let story = lost.story(&["--search", &engine]);
    assert_eq!(alias(&story), None, "{story}");
    assert_eq!(others(&story), [""; 0], "{story}");
    lost.scene.desk.list("live.txt", [&lost.dead]);
    let story = lost.story(&["--search", "none", "--live", "live.txt", "--answer-age", "0"]);
    assert_eq!(alias(&story), None, "{story}");
}

#[test]
fn an_archive_that_leads_to_its_copy_is_no_mirror() {
    let lost = Lost::new();
    let copy = lost.put(MIRROR, &format!("/web/2015/{}", lost.dead));
    lost.scene.web.host(MIRROR).redirect("/s/7", 302, &copy);
    let short: String = lost.scene.web.host(MIRROR).url("/s/7").into();
    let engine = lost.engine(&[&copy, &short]);
    let story = lost.story(&["--search", &engine]);
    assert!(lost.scene.web.host(MIRROR).hits("/s/7") > 0, "it was looked at");
    assert_eq!(story["replacements"], Value::Array(Vec::new()), "{story}");
}

#[test]
fn who_was_not_asked_costs_nothing() {
    let lost = Lost::new();
    let engine = lost.engine(&[]);
    let story = lost.story(&["--search", &engine, "--search-budget", "0"]);
    let costs = story["costs"].as_object().unwrap();
    assert!(costs.values().all(|cost| cost["searches"] == 0), "{story}");
    let remark = "today's 0 requests to the search engine `JSON` are used up";
    assert_eq!(story["remarks"], json!([remark]), "{story}");
}

#[test]
fn an_address_with_a_comma_is_one_engine() {
    let lost = Lost::new();
    let mirror = lost.put(MIRROR, "/copies/1.html");
    let engine = format!("{}&fields=url,title", lost.engine(&[&mirror]));
    let story = lost.story(&["--search", &engine]);
    assert_eq!(story["replacements"][0]["url"], mirror.as_str(), "{story}");
}

#[test]
fn the_database_holds_no_password_and_no_key_of_a_service() {
    let lost = Lost::new();
    let engine = lost.engine(&[]).replace("http://", "http://me:hunter2@");
    let engine = format!("{engine}&key=s3cret");
    let archive = lost.scene.archive.root().replace("http://", "http://me:hunter2@");
    let services = ["--archive", &archive, "--search", &engine];
    let args = [&lost.names()[..], &["--allow-private"], &services, &[&lost.dead]].concat();
    let budgets = ["revive", "--db", "relink.db", "--search-budget", "9", "--archive-budget", "9"];
    let said = lost.scene.desk.run(&[&budgets[..], &args].concat()).exits(0);
    assert!(said.stdout.contains("good copy http://"), "{}", said.stdout);
    lost.scene.desk.check(&[&["--revive"], &args[..]].concat()).exits(1);
    for name in ["relink.db", "relink.db-wal"] {
        let bytes = std::fs::read(lost.scene.desk.path(name)).unwrap_or_default();
        for secret in ["hunter2", "s3cret"] {
            let place = bytes.windows(secret.len()).position(|part| part == secret.as_bytes());
            let shown = |at: usize| String::from_utf8_lossy(&bytes[at.saturating_sub(80)..at]);
            assert_eq!(place.map(shown), None, "{name} holds {secret}");
        }
    }
}
