//! Tests of the archive without a socket.

use super::*;

/// Returns three captures of one page and a captured error, in the order of the index.
fn captures() -> Vec<ArchivedPage> {
    let mut captures = vec![
        ArchivedPage::page("http://press.test/a", "20140102030405", "one"),
        ArchivedPage::redirect("http://press.test/a", "20150102030405", 301, "/b"),
        ArchivedPage::redirect("http://www.press.test/a", "20160102030405", 302, "/c"),
        ArchivedPage::error("http://press.test/d?e=f", "20160102030405", 404, "gone"),
    ];
    captures.sort_by_cached_key(|capture| (capture.key(), capture.captured_at.clone()));
    captures
}

/// Returns the HTTP response to a request for a path and query.
fn get(target: &str, accept_datetime: Option<&str>) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method: "GET".to_owned(),
        host: "127.0.0.1".to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        has_cookie: false,
        accept_datetime: accept_datetime.map(str::to_owned),
    };
    respond(&request, &captures()).to_http(&request)
}

/// Checks the years in the response of the index. A resume key follows the years.
#[track_caller]
fn check_index(query: &str, expected: &str) {
    let text = get(&format!("/cdx/search/cdx?{query}&output=json"), None);
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    // The second string of a row is the time. A row with one string is a resume key.
    let time_or_key = |row: &str| {
        let mut strings = row.split('"').skip(1).step_by(2).map(str::to_owned);
        let first = strings.next();
        strings.next().or(first)
    };
    // The first line is the header.
    let times: Vec<String> = body.lines().skip(1).filter_map(time_or_key).collect();
    let years: Vec<&str> = times.iter().map(|time| time.get(..4).unwrap_or(time)).collect();
    assert_eq!(years.join(" "), expected, "{body}");
}

#[test]
fn index_returns_the_captures_that_match_the_query() {
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

/// Checks the status of a replay, and texts that the response contains. `date` is the header
/// `Accept-Datetime`.
#[track_caller]
fn check_capture(target: &str, date: Option<&str>, status: u16, expected_parts: &[&str]) {
    let text = get(target, date);
    assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
    for part in expected_parts {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}

#[test]
fn capture_is_replayed_with_its_time() {
    let time = "Memento-Datetime: Thu, 02 Jan 2014 03:04:05 GMT";
    check_capture("/web/20140102030405id_/http://press.test/a", None, 200, &[time, "one"]);
    check_capture("/web/20150102030405/http://press.test/a", None, 301, &["Location: /b\r\n"]);
    // Another time redirects to the time of the nearest capture.
    let exact = "Location: /web/20140102030405id_/http://press.test/a";
    check_capture("/web/2013id_/http://press.test/a", None, 302, &[exact]);
    check_capture(
        "/web/20160102030405id_/http://press.test/d?e=f",
        None,
        404,
        &["Memento", "gone"],
    );
}

#[test]
fn url_without_captures_is_not_found() {
    for target in ["/web/2014id_/http://press.test/x", "/web/http://press.test/x", "/"] {
        let text = get(target, None);
        assert!(text.starts_with("HTTP/1.1 404 ") && !text.contains("Memento"), "{text}");
    }
}

#[test]
fn date_selects_the_nearest_capture() {
    let date = Some("Sun, 01 Feb 2015 00:00:00 GMT");
    let capture = "Location: /web/20150102030405/http://press.test/a";
    check_capture("/web/http://press.test/a", date, 302, &[capture, "Vary: accept-datetime"]);
    check_capture("/web/http://press.test/a", None, 302, &["/web/20160102030405/"]);
}

#[test]
fn time_map_lists_captures() {
    let capture = "</web/20140102030405/http://press.test/a>; rel=\"memento\"; \
                datetime=\"Thu, 02 Jan 2014 03:04:05 GMT\"";
    check_capture("/web/timemap/link/http://press.test/a", None, 200, &["link-format", capture]);
}
