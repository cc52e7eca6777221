//! What the mini archive says, without a socket.

use super::*;

fn kept() -> Vec<ArchivedPage> {
    let mut kept = vec![
        ArchivedPage::page("http://press.test/a", "20140102030405", "one"),
        ArchivedPage::redirect("http://press.test/a", "20150102030405", 301, "/b"),
        ArchivedPage::redirect("http://www.press.test/a", "20160102030405", 302, "/c"),
        ArchivedPage::error("http://press.test/d?e=f", "20160102030405", 404, "gone"),
    ];
    kept.sort_by_cached_key(|it| (it.key(), it.taken.clone()));
    kept
}

fn ask(target: &str, accept_datetime: Option<&str>) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method: "GET".to_owned(),
        host: "127.0.0.1".to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        has_cookie: false,
        accept_datetime: accept_datetime.map(str::to_owned),
    };
    answer(&request, &kept()).written(&request)
}

/// The times in the index's answer.
#[track_caller]
fn check_index(query: &str, expect: &str) {
    let text = ask(&format!("/cdx/search/cdx?{query}&output=json"), None);
    let body = text.split_once("\r\n\r\n").unwrap().1;
    let rows = body.lines().skip(1).map(|row| row.split('"').nth(3).or(row.split('"').nth(1)));
    let years: Vec<_> = rows.flatten().map(|time| time.get(..4).unwrap_or(time)).collect();
    assert_eq!(years.join(" "), expect, "{body}");
}

#[test]
fn the_index_answers_as_asked() {
    check_index("url=press.test/a", "2014 2015 2016");
    check_index("url=http%3A%2F%2Fpress.test%2F&matchType=prefix", "2014 2015 2016 2016");
    check_index("url=press.test/*&filter=statuscode:3..", "2015 2016");
    check_index("url=press.test/a&from=2015&to=2015", "2015");
    check_index("url=press.test/a&limit=-1", "2016");
    check_index("url=press.test/a&sort=closest&closest=20150601000000&limit=1", "2015");
    check_index("url=press.test/a&limit=2&showResumeKey=true", "2014 2015 2");
    check_index("url=press.test/a&limit=2&showResumeKey=true&resumeKey=2", "2016");
    check_index("url=press.test/never", "");
}

#[track_caller]
fn check_copy(target: &str, date: Option<&str>, status: u16, parts: &[&str]) {
    let text = ask(target, date);
    assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}

#[test]
fn a_copy_is_replayed_with_its_time() {
    let time = "Memento-Datetime: Thu, 02 Jan 2014 03:04:05 GMT";
    check_copy("/web/20140102030405id_/http://press.test/a", None, 200, &[time, "one"]);
    check_copy("/web/20150102030405/http://press.test/a", None, 301, &["Location: /b\r\n"]);
    let exact = "Location: /web/20140102030405id_/http://press.test/a";
    check_copy("/web/2013id_/http://press.test/a", None, 302, &[exact]);
    check_copy("/web/20160102030405id_/http://press.test/d?e=f", None, 404, &["Memento", "gone"]);
}

#[test]
fn what_was_never_archived_has_no_time() {
    for target in ["/web/2014id_/http://press.test/x", "/web/http://press.test/x", "/"] {
        let text = ask(target, None);
        assert!(text.starts_with("HTTP/1.1 404 ") && !text.contains("Memento"), "{text}");
    }
}

#[test]
fn a_date_leads_to_the_nearest_copy() {
    let date = Some("Sun, 01 Feb 2015 00:00:00 GMT");
    let copy = "Location: /web/20150102030405/http://press.test/a";
    check_copy("/web/http://press.test/a", date, 302, &[copy, "Vary: accept-datetime"]);
    check_copy("/web/http://press.test/a", None, 302, &["/web/20160102030405/"]);
}

#[test]
fn copies_are_listed() {
    let copy = "</web/20140102030405/http://press.test/a>; rel=\"memento\"; \
                datetime=\"Thu, 02 Jan 2014 03:04:05 GMT\"";
    check_copy("/web/timemap/link/http://press.test/a", None, 200, &["link-format", copy]);
}
