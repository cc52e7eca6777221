//! Tests of the running demo sites over TCP.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::collections::HashSet;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

/// A text that occurs in all error pages of the demo server.
const ERROR_PAGE_TEXT: &str = "points at a small sign";
/// A text that occurs in the pages of links that only appear broken.
const GOOD_PAGE_TEXT: &str = "All is well";

/// Sends a request and returns everything that is received.
async fn fetch(library: &Library, method: &str, host: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, library.port())).await?;
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

/// Sends a GET request for a URL without scheme and port. Checks that the response starts
/// with `status_line` and contains `expected_part`.
async fn check(library: &Library, url: &str, status_line: &str, expected_part: &str) {
    let (host, path) = url.split_once('/').unwrap();
    let response = fetch(library, "GET", host, &format!("/{path}")).await.unwrap();
    assert!(response.starts_with(status_line), "{url}: {response}");
    assert!(response.contains(expected_part), "{url}: {response}");
}

#[tokio::test]
async fn every_good_page_is_served() {
    let library = Library::start().await.unwrap();
    for page in pages::all() {
        let heading = format!("<h1>{}</h1>", page.title);
        check(&library, &page.route_key(), "HTTP/1.1 200 ", &heading).await;
    }
    for key in sites::good_pages() {
        check(&library, &key, "HTTP/1.1 200 ", "<h1>").await;
    }
    assert_eq!(library.good_page_count(), 40 + sites::good_pages().count());
}

#[tokio::test]
async fn statuses_and_redirects_are_as_planted() {
    let library = Library::start().await.unwrap();
    let port = library.port();
    for (url, status_line, expected_part) in [
        ("library.test/exhibits/sundial", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("library.test/no/such/page", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("stranger.test/", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("club.test/members", "HTTP/1.1 999 ", ERROR_PAGE_TEXT),
        ("archive.library.test/plans", "HTTP/1.1 308 ", "\r\nLocation: /maps\r\n"),
        ("labyrinth.test/maze?41", "HTTP/1.1 302 ", "/maze?42\r\n"),
        ("busy.test/new-arrivals", "HTTP/1.1 429 ", "\r\nRetry-After: 0\r\n"),
        ("archive.library.test/names/Gr%C3%BCnspan", "HTTP/1.1 200 ", "Ottilie"),
        ("archive.library.test/telegraph", "HTTP/1.0 200 ", "well"),
        ("reference.test/letters", "220 ", "mail"),
    ] {
        check(&library, url, status_line, expected_part).await;
    }
    let location = format!("\r\nLocation: http://library.test:{port}/hours\r\n");
    check(&library, "library.test/opening-times", "HTTP/1.1 301 ", &location).await;
}

#[tokio::test]
async fn url_that_fails_once_succeeds_at_later_requests() {
    let library = Library::start().await.unwrap();
    for (url, first) in [
        ("press.test/crossword", "HTTP/1.1 500 "),
        ("press.test/small-ads", "HTTP/1.1 404 "),
        ("shy.test/reading-hour", "HTTP/1.1 429 "),
    ] {
        check(&library, url, first, ERROR_PAGE_TEXT).await;
        check(&library, url, "HTTP/1.1 200 ", GOOD_PAGE_TEXT).await;
        check(&library, url, "HTTP/1.1 200 ", GOOD_PAGE_TEXT).await;
    }
    let first = fetch(&library, "GET", "press.test", "/obituaries").await;
    assert_eq!(first.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    check(&library, "press.test/obituaries", "HTTP/1.1 200 ", GOOD_PAGE_TEXT).await;
}

#[tokio::test]
async fn each_library_counts_its_own_requests() {
    for _ in 0..2 {
        let library = Library::start().await.unwrap();
        check(&library, "press.test/crossword", "HTTP/1.1 500 ", ERROR_PAGE_TEXT).await;
    }
}

#[tokio::test]
async fn unknown_urls_get_the_response_of_their_site() {
    let library = Library::start().await.unwrap();
    for (url, status_line, expected_part) in [
        ("museum.test/exhibits/xqz", "HTTP/1.1 200 ", "Page not found"),
        ("theater.test/plays/xqz", "HTTP/1.1 200 ", "There is no /plays/xqz in"),
        ("bakery.test/xqz", "HTTP/1.1 302 ", "\r\nLocation: /\r\n"),
        ("tower.test/bells/xqz", "HTTP/1.1 200 ", "content=\"0; url=/\""),
        ("harbor.test/xqz", "HTTP/1.1 302 ", "\r\nLocation: /sorry/page-not-found.html\r\n"),
        ("harbor.test/sorry/page-not-found.html", "HTTP/1.1 200 ", "Lost at sea"),
        ("market.test/stalls/xqz", "HTTP/1.1 302 ", "\r\nLocation: /search?q=xqz\r\n"),
        ("market.test/search?q=xqz", "HTTP/1.1 200 ", "search for xqz has no results"),
        ("ferry.test/xqz", "HTTP/1.1 200 ", "Across in six minutes"),
        ("nursery.test/plants/xqz", "HTTP/1.1 200 ", "no longer grow"),
        ("records.test/record?id=9", "HTTP/1.1 200 ", "No such record"),
        ("records.test/xqz", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("weekly.test/news/2009/xqz", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("biblioteca.test/obras/12", "HTTP/1.1 200 ", "Obra no encontrada"),
        ("biblioteca.test/obras/98765", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("council.test/offices/xqz", "HTTP/1.1 200 ", "Nothing to show"),
        ("wire.test/18710/xqz", "HTTP/1.1 200 ", "nine yards long"),
        ("wire.test/9/xqz", "HTTP/1.1 200 ", "Story not found"),
        ("homestead.test/xqz", "HTTP/1.1 200 ", "for sale"),
        ("choir.test/xqz", "HTTP/1.1 302 ", "/cgi-sys/suspendedpage.cgi\r\n"),
        ("regatta.test/xqz", "HTTP/1.1 404 ", ERROR_PAGE_TEXT),
        ("school.test/xqz", "HTTP/1.1 302 ", "\r\nLocation: /login?next=/xqz\r\n"),
        ("tram.test/xqz", "HTTP/1.1 200 ", "<div id=\"root\"></div>"),
    ] {
        check(&library, url, status_line, expected_part).await;
    }
}

#[tokio::test]
async fn some_pages_change_with_every_request() {
    let library = Library::start().await.unwrap();
    for (host, path) in [
        ("theater.test", "/xqz"),
        ("nursery.test", "/xqz"),
        ("market.test", "/search?q=xqz"),
        ("daily.test", "/"),
    ] {
        let first = fetch(&library, "GET", host, path).await.unwrap();
        let second = fetch(&library, "GET", host, path).await.unwrap();
        assert_ne!(first, second, "{host}");
    }
}

#[tokio::test]
async fn some_pages_had_other_content_a_year_ago() {
    let library = Library::start().await.unwrap();
    for (url, then, now) in [
        ("allotment.test/notes/pruning-old-roses", "forsythia", "roulette"),
        ("college.test/papers/tides-and-towns.pdf", "application/pdf", "text/html"),
        ("college.test/papers/on-slow-rivers.pdf", "application/pdf", "application/pdf"),
        ("pier.test/notice", "silver oar", "lifebelts"),
        ("mill.test/history", "about eels", "about eels"),
        ("daily.test/", "All the news", "All the news"),
        ("museum.test/exhibits/tin-soldiers", "watchman", "watchman"),
    ] {
        library.set_time(SimulatedTime::OneYearAgo);
        check(&library, url, "HTTP/1.1 200 ", then).await;
        library.set_time(SimulatedTime::Today);
        check(&library, url, "HTTP/1.1 200 ", now).await;
    }
}

#[tokio::test]
async fn previously_visited_urls_are_linked() {
    let library = Library::start().await.unwrap();
    let documents = library.documents();
    for url in library.previously_visited() {
        let counts = documents.iter().map(|document| mentions(&document.text, &url));
        assert_eq!(counts.sum::<usize>(), 1, "{url}");
    }
}

#[tokio::test]
async fn windmill_fails_every_other_time() {
    let library = Library::start().await.unwrap();
    for status_line in ["HTTP/1.1 502 ", "HTTP/1.1 200 ", "HTTP/1.1 502 ", "HTTP/1.1 200 "] {
        check(&library, "windmill.test/grinding-days", status_line, "The Windmill").await;
    }
    // An unknown URL fails every other time too.
    check(&library, "windmill.test/xqz", "HTTP/1.1 502 ", "No wind").await;
    check(&library, "windmill.test/xqz", "HTTP/1.1 404 ", ERROR_PAGE_TEXT).await;
}

#[tokio::test]
async fn malformed_responses_are_as_planted() {
    let library = Library::start().await.unwrap();
    let reset = fetch(&library, "GET", "reference.test", "/dictionary").await;
    assert_eq!(reset.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    let closed = fetch(&library, "GET", "reference.test", "/telephone-book").await;
    assert_eq!(closed.unwrap(), "");
    let truncated = fetch(&library, "GET", "reference.test", "/serial-novel").await;
    let truncated = truncated.unwrap();
    assert!(truncated.contains("Content-Length: 5000\r\n") && truncated.len() < 5000);
    let huge_headers = fetch(&library, "GET", "reference.test", "/shelf-list").await;
    // The headers end after 64 KiB.
    assert!(huge_headers.unwrap().find("\r\n\r\n").unwrap() > 64 * 1024);
}

#[tokio::test]
async fn head_response_has_no_body_or_is_rejected() {
    let library = Library::start().await.unwrap();
    let response = fetch(&library, "HEAD", "library.test", "/hours").await;
    assert!(response.unwrap().ends_with("\r\n\r\n"));
    let response = fetch(&library, "HEAD", "library.test", "/reservations").await;
    assert!(response.unwrap().starts_with("HTTP/1.1 405 "));
    check(&library, "library.test/reservations", "HTTP/1.1 200 ", "well").await;
}

#[tokio::test]
async fn waiting_clients_do_not_block_others() {
    let library = Library::start().await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..64 {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, library.port())).await.unwrap();
        let request = b"GET /dial-up HTTP/1.1\r\nHost: slow.test\r\n\r\n";
        stream.write_all(request).await.unwrap();
        waiting.push(stream);
    }
    check(&library, "library.test/hours", "HTTP/1.1 200 ", "Opening hours").await;
}

#[tokio::test]
async fn refusing_port_refuses_connections() {
    let library = Library::start().await.unwrap();
    let refused = TcpStream::connect((Ipv4Addr::LOCALHOST, library.ports.refusing)).await;
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn dropped_library_stops_serving() {
    let library = Library::start().await.unwrap();
    let port = library.port();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    drop(library);
    // The runtime drops the aborted server task some time later, and the connection ends.
    let mut rest = Vec::new();
    _ = stream.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err());
}

#[tokio::test]
async fn every_site_has_an_override() {
    let library = Library::start().await.unwrap();
    let overrides = library.overrides();
    for planted in library.expected_findings() {
        let Some((_, rest)) = planted.url.split_once("://") else {
            continue;
        };
        let authority = rest.split('/').next().unwrap().to_ascii_lowercase();
        let is_known = overrides.contains(&format!("{authority}:127.0.0.1"));
        let is_fault =
            matches!(authority.as_str(), "nowhere.invalid" | ":8080" | "library.test:99999");
        assert_ne!(is_known, is_fault, "{}", planted.url);
    }
}

/// Returns how often a URL occurs in a text, not counting longer URLs.
fn mentions(text: &str, url: &str) -> usize {
    let is_in_url = |char: char| char.is_alphanumeric() || matches!(char, '/' | ':' | '-');
    let is_whole_url = |start: usize| {
        let (before, after) = (&text[..start], &text[start + url.len()..]);
        !before.ends_with(is_in_url) && !after.starts_with(is_in_url)
    };
    text.match_indices(url).filter(|(start, _)| is_whole_url(*start)).count()
}

#[tokio::test]
async fn every_fault_occurs_once_in_the_documents() {
    let library = Library::start().await.unwrap();
    let documents = library.documents();
    for planted in library.expected_findings() {
        let counts = documents.iter().map(|document| mentions(&document.text, &planted.url));
        assert_eq!(counts.sum::<usize>(), 1, "{}", planted.url);
    }
}

#[tokio::test]
async fn every_good_page_is_linked() {
    let library = Library::start().await.unwrap();
    let documents = library.documents();
    let keys = pages::all().into_iter().map(|page| page.route_key());
    for key in keys.chain(sites::good_pages()) {
        let url = library.ports.insert_ports(&format!("http://{key}"));
        let is_linked = documents.iter().any(|document| mentions(&document.text, &url) > 0);
        assert!(is_linked, "{url}");
    }
}

#[tokio::test]
async fn local_links_lead_to_documents_unless_planted() {
    let library = Library::start().await.unwrap();
    let documents = library.documents();
    let paths: HashSet<&str> = documents.iter().map(|document| document.path).collect();
    assert!(paths.contains("shelf/reading list.md"));
    for missing in ["shelf/lost-and-found.md", "shelf/pictures/reading-room.jpg"] {
        assert!(!paths.contains(missing));
    }
}

#[tokio::test]
async fn soft_404_sites_have_good_pages() {
    let library = Library::start().await.unwrap();
    let good_pages: Vec<String> = sites::good_pages().collect();
    let expected_findings = library.expected_findings();
    // Sites with the code RL304 are closed: they have no good pages.
    let is_of_open_site = |finding: &&ExpectedFinding| {
        finding.verdict == Verdict::Soft404 && finding.code != Some(FindingCode::new(304))
    };
    let soft_404s = expected_findings.iter().filter(is_of_open_site);
    // The first parts of `http://HOST:PORT/` are `http`, two empty parts, and the host.
    let hosts: HashSet<&str> =
        soft_404s.filter_map(|finding| finding.url.split(['/', ':']).nth(3)).collect();
    // The papers of the college are not part of its list of good pages.
    for host in hosts.into_iter().filter(|host| *host != "college.test") {
        assert!(good_pages.iter().any(|key| key.starts_with(host)), "{host}");
    }
}

#[tokio::test]
async fn expected_findings_are_distinct_and_complete() {
    let library = Library::start().await.unwrap();
    let planted = library.expected_findings();
    let urls: HashSet<String> =
        planted.iter().map(|finding| finding.url.to_ascii_lowercase()).collect();
    let names: HashSet<&str> = planted.iter().map(|finding| finding.name).collect();
    assert_eq!((urls.len(), names.len()), (planted.len(), planted.len()));
    for finding in &planted {
        let is_alive = finding.verdict == Verdict::Alive;
        assert_eq!(finding.code.is_none(), is_alive, "{}", finding.name);
    }
    for verdict in Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::AtRisk) {
        assert!(planted.iter().any(|finding| finding.verdict == verdict), "{verdict}");
    }
    let faults = planted.iter().filter(|finding| finding.verdict != Verdict::Alive);
    assert!(faults.count() >= 26);
}

#[tokio::test]
async fn moved_pages_exist_at_their_new_urls_only() {
    let library = Library::start().await.unwrap();
    let port = format!(":{}", library.port());
    let moved = library.moved_pages();
    let host_and_path = |url: &str| url.replace("http://", "").replace(&port, "");
    for (old, new) in &moved {
        check(&library, &host_and_path(old), "HTTP/1.1 404 ", ERROR_PAGE_TEXT).await;
        check(&library, &host_and_path(new), "HTTP/1.1 200 ", "<h1>").await;
    }
    let planted: HashSet<String> =
        library.expected_findings().into_iter().map(|finding| finding.url).collect();
    assert!(moved.iter().all(|(old, new)| planted.contains(old) && !planted.contains(new)));
    let copies = library.archived_pages();
    assert!(copies.iter().all(|copy| planted.contains(&copy.url)), "{copies:?}");
    assert!(copies.iter().any(|copy| copy.location.as_deref() == Some("/welcome")));
}

#[tokio::test]
async fn portal_links_to_live_pages_with_dead_links() {
    let library = Library::start().await.unwrap();
    check(&library, "portal.test/", "HTTP/1.1 200 ", "href=\"/shops\"").await;
    check(&library, "portal.test/shops", "HTTP/1.1 200 ", "href=\"/shops/hat-hospital\"").await;
    check(&library, "portal.test/shops/hat-hospital", "HTTP/1.1 404 ", ERROR_PAGE_TEXT).await;
    check(&library, "portal.test/railways/valley-line", "HTTP/1.1 200 ", "steam").await;
    let neighborhood = library.neighborhood();
    // The shares of dead links in the four lists: 0.9 × (4/5 + 4/4 + 2/3 + 3/4) × 0.9 / 4
    assert!((neighborhood.decay - 0.651_375).abs() < 1e-9, "{neighborhood:?}");
}
