//! Tests of limits on time, size, requests, traffic and memory.

use std::time::{Duration, Instant};

use relink_ports::{RenderError, Truncation};
use relink_render::RenderSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{
    browser, browser_with, check_contains, html, long_timeout, render_user_supplied, short_timeout,
};

/// Upper bound for these tests on a busy machine.
const MAX_DURATION: Duration = Duration::from_secs(50);

#[tokio::test]
async fn endless_script_is_stopped() {
    let web = TestServer::start().await;
    web.page("/", 200, "<a href=/before>before</a><script>while (true);</script>after")
        .page(
            "/repeated",
            200,
            "<a href=/x>x</a><script>setInterval(() => { while (true); })</script>",
        )
        .page("/fine", 200, "fine");
    let browser = browser_with(short_timeout());
    let start = Instant::now();
    for path in ["/", "/repeated"] {
        let rendered = render_user_supplied(&browser, web.url(path)).await.unwrap();
        assert_eq!(rendered.truncation, Some(Truncation::Time), "{path}");
        check_contains(&rendered, "<a href=");
    }
    check_contains(&render_user_supplied(&browser, web.url("/fine")).await.unwrap(), "fine");
    assert!(start.elapsed() < MAX_DURATION);
}

#[tokio::test]
async fn growing_page_is_truncated() {
    let web = TestServer::start().await;
    let page = "<a href=/first>first</a><script>
        const text = 'x'.repeat(100000);
        setInterval(() => document.body.append(document.createElement('p'), text), 1);
        </script>";
    web.page("/", 200, page);
    let limit = 50_000;
    let browser = browser_with(RenderSettings { max_html_bytes: limit, ..long_timeout() });
    let rendered = render_user_supplied(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Size));
    assert!(html(&rendered).len() <= limit && html(&rendered).contains("/first"));
}

#[tokio::test]
async fn unresponsive_server_times_out() {
    let web = TestServer::start().await;
    web.respond("/", CannedResponse::new(200, "late").with_delay(Duration::from_mins(10)))
        .page("/half", 200, "<a href=/there>there</a><script src=/late></script>")
        .respond("/late", CannedResponse::new(200, "").with_delay(Duration::from_mins(10)));
    let browser = browser_with(short_timeout());
    assert_eq!(
        render_user_supplied(&browser, web.url("/")).await.unwrap_err(),
        RenderError::TimedOut
    );
    let rendered = render_user_supplied(&browser, web.url("/half")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Time));
    check_contains(&rendered, "there");
}

#[tokio::test]
async fn open_background_request_does_not_delay() {
    let web = TestServer::start().await;
    web.page("/", 200, "<a href=/there>there</a><script>fetch('/news')</script>")
        .respond("/news", CannedResponse::new(200, "").with_delay(Duration::from_mins(10)));
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, None);
}

#[tokio::test]
async fn number_of_requests_is_limited() {
    let web = TestServer::start().await;
    let page = "<a href=/there>there</a><script>
        for (let n = 0; n < 30; n++) fetch('/n' + n).catch(() => 0);
        </script>";
    web.page("/", 200, page);
    let browser = browser_with(RenderSettings { max_requests: 10, ..long_timeout() });
    let rendered = render_user_supplied(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Requests));
    // The page itself and 30 requests of its script.
    assert_eq!((rendered.requests, rendered.blocked_requests), (10, 21));
    assert_eq!(web.requests().len(), 10);
    check_contains(&rendered, "there");
}

#[tokio::test]
async fn page_with_request_flood_is_stopped() {
    let web = TestServer::start().await;
    let page = "<a href=/there>there</a><script>
        setInterval(() => fetch('/n').catch(() => 0), 5);
        </script>";
    web.page("/", 200, page);
    let browser = browser_with(RenderSettings { max_requests: 10, ..long_timeout() });
    let rendered = render_user_supplied(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Requests));
    check_contains(&rendered, "there");
}

#[tokio::test]
async fn traffic_is_limited() {
    let web = TestServer::start().await;
    let page = "<p id=p></p><script>
        fetch('/big').then(response => response.text())
            .then(text => text.length, () => 'aborted')
            .then(end => { p.textContent = 'big: ' + end; });
        </script>";
    web.page("/", 200, page).page("/big", 200, &"x".repeat(200_000));
    let browser = browser_with(RenderSettings { max_traffic_bytes: 100_000, ..long_timeout() });
    check_contains(&render_user_supplied(&browser, web.url("/")).await.unwrap(), "big: aborted");
}

#[tokio::test]
async fn memory_is_limited() {
    let web = TestServer::start().await;
    let page = "<script>
        const arrays = [];
        setInterval(() => arrays.push(new Uint8Array(16 << 20).fill(1)), 10);
        setInterval(() => fetch('/'), 100);
        </script>";
    web.page("/", 200, page).page("/fine", 200, "fine");
    let browser = browser_with(RenderSettings { max_memory_bytes: 400 << 20, ..long_timeout() });
    assert_eq!(
        render_user_supplied(&browser, web.url("/")).await.unwrap_err(),
        RenderError::Crashed
    );
    check_contains(&render_user_supplied(&browser, web.url("/fine")).await.unwrap(), "fine");
}
