//! Pages without end.

use std::time::{Duration, Instant};

use relink_ports::{RenderError, Truncation};
use relink_render::RenderSettings;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{browser, browser_with, check_says, html, impatient, named, patient};

/// More than any of these may take, on a busy machine.
const LONG: Duration = Duration::from_secs(50);

#[tokio::test]
async fn a_script_that_never_ends_is_ended() {
    let web = TestServer::start().await;
    web.page("/", 200, "<a href=/before>before</a><script>while (true);</script>after")
        .page(
            "/again",
            200,
            "<a href=/x>x</a><script>setInterval(() => { while (true); })</script>",
        )
        .page("/fine", 200, "fine");
    let browser = browser_with(impatient());
    let start = Instant::now();
    for path in ["/", "/again"] {
        let rendered = named(&browser, web.url(path)).await.unwrap();
        assert_eq!(rendered.truncation, Some(Truncation::Time), "{path}");
        check_says(&rendered, "<a href=");
    }
    check_says(&named(&browser, web.url("/fine")).await.unwrap(), "fine");
    assert!(start.elapsed() < LONG);
}

#[tokio::test]
async fn a_page_that_grows_for_ever_is_read_and_cut() {
    let web = TestServer::start().await;
    let page = "<a href=/first>first</a><script>
        const text = 'x'.repeat(100000);
        setInterval(() => document.body.append(document.createElement('p'), text), 1);
        </script>";
    web.page("/", 200, page);
    let cap = 50_000;
    let browser = browser_with(RenderSettings { html_cap: cap, ..patient() });
    let rendered = named(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Size));
    assert!(html(&rendered).len() <= cap && html(&rendered).contains("/first"));
}

#[tokio::test]
async fn a_server_that_never_answers_costs_the_time_of_one_page() {
    let web = TestServer::start().await;
    web.answer("/", CannedResponse::new(200, "late").after(Duration::from_mins(10)))
        .page("/half", 200, "<a href=/there>there</a><script src=/late></script>")
        .answer("/late", CannedResponse::new(200, "").after(Duration::from_mins(10)));
    let browser = browser_with(impatient());
    assert_eq!(named(&browser, web.url("/")).await.unwrap_err(), RenderError::TimedOut);
    let rendered = named(&browser, web.url("/half")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Time));
    check_says(&rendered, "there");
}

#[tokio::test]
async fn a_page_that_waits_for_news_is_not_waited_for() {
    let web = TestServer::start().await;
    web.page("/", 200, "<a href=/there>there</a><script>fetch('/news')</script>")
        .answer("/news", CannedResponse::new(200, "").after(Duration::from_mins(10)));
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, None);
}

#[tokio::test]
async fn requests_are_counted_out() {
    let web = TestServer::start().await;
    let page = "<a href=/there>there</a><script>
        for (let n = 0; n < 30; n++) fetch('/n' + n).catch(() => 0);
        </script>";
    web.page("/", 200, page);
    let browser = browser_with(RenderSettings { request_cap: 10, ..patient() });
    let rendered = named(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Requests));
    assert_eq!((rendered.requests, rendered.refused), (10, 21));
    assert_eq!(web.requests().len(), 10);
    check_says(&rendered, "there");
}

#[tokio::test]
async fn a_page_that_asks_and_asks_is_stopped() {
    let web = TestServer::start().await;
    let page = "<a href=/there>there</a><script>
        setInterval(() => fetch('/n').catch(() => 0), 5);
        </script>";
    web.page("/", 200, page);
    let browser = browser_with(RenderSettings { request_cap: 10, ..patient() });
    let rendered = named(&browser, web.url("/")).await.unwrap();
    assert_eq!(rendered.truncation, Some(Truncation::Requests));
    check_says(&rendered, "there");
}

#[tokio::test]
async fn traffic_is_counted_out() {
    let web = TestServer::start().await;
    let page = "<p id=p></p><script>
        fetch('/big').then(answer => answer.text())
            .then(text => text.length, () => 'broken off')
            .then(end => { p.textContent = 'big: ' + end; });
        </script>";
    web.page("/", 200, page).page("/big", 200, &"x".repeat(200_000));
    let browser = browser_with(RenderSettings { traffic_cap: 100_000, ..patient() });
    check_says(&named(&browser, web.url("/")).await.unwrap(), "big: broken off");
}

#[tokio::test]
async fn memory_is_counted_out() {
    let web = TestServer::start().await;
    let page = "<script>
        const kept = [];
        setInterval(() => kept.push(new Uint8Array(16 << 20).fill(1)), 10);
        setInterval(() => fetch('/'), 100);
        </script>";
    web.page("/", 200, page).page("/fine", 200, "fine");
    let browser = browser_with(RenderSettings { memory_cap: 400 << 20, ..patient() });
    assert_eq!(named(&browser, web.url("/")).await.unwrap_err(), RenderError::Crashed);
    check_says(&named(&browser, web.url("/fine")).await.unwrap(), "fine");
}
