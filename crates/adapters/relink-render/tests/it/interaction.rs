//! Tests of dialogs, windows, downloads and permissions.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use crate::{browser, check_contains, html, render_user_supplied};

#[tokio::test]
async fn dialogs_are_dismissed() {
    let web = TestServer::start().await;
    // The unpaired surrogate makes the text of the first dialog invalid Unicode.
    let page = r#"<p id="p"></p><script>
        addEventListener('beforeunload', event => event.preventDefault());
        alert('a\ud800');
        p.textContent = 'results: ' + confirm('b') + ' ' + prompt('c', 'd');
        print();
        </script>"#;
    web.page("/", 200, page);
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, "results: false null");
    assert_eq!(rendered.truncation, None);
}

#[tokio::test]
async fn beforeunload_does_not_prevent_navigation() {
    let web = TestServer::start().await;
    let page = "<script>
        addEventListener('beforeunload', event => { event.returnValue = 'stay'; });
        setTimeout(() => { location = '/next'; }, 100);
        </script>";
    web.page("/", 200, page).page("/next", 200, "next");
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/next"));
}

#[tokio::test]
async fn new_windows_are_closed() {
    let web = TestServer::start().await;
    let page = "<a href=/link>link</a><script>
        for (let n = 0; n < 5; n++) window.open('/popup' + n);
        </script>";
    web.page("/", 200, page);
    let browser = browser();
    let rendered = render_user_supplied(&browser, web.url("/")).await.unwrap();
    check_contains(&rendered, "link");
    assert_eq!(rendered.url, web.url("/"));
    // The browser still works.
    check_contains(&render_user_supplied(&browser, web.url("/")).await.unwrap(), "link");
}

#[tokio::test]
async fn downloads_are_denied() {
    let web = TestServer::start().await;
    let file = || {
        CannedResponse::new(200, "MZ")
            .with_header("Content-Type", "application/octet-stream")
            .with_header("Content-Disposition", "attachment; filename=evil.exe")
    };
    let page = "<p id=p></p><a id=a href=/file download>file</a><script>
        a.click();
        p.textContent = 'still here';
        </script>";
    web.page("/", 200, page).respond("/file", file()).respond("/direct", file());
    let browser = browser();
    check_contains(&render_user_supplied(&browser, web.url("/")).await.unwrap(), "still here");
    let error = render_user_supplied(&browser, web.url("/direct")).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot load the page"), "{error}");
}

#[tokio::test]
async fn permissions_are_denied() {
    let web = TestServer::start().await;
    let page = "<p id=p>results: </p><script>
        const report = (text) => { p.textContent += text + ' '; };
        Notification.requestPermission().then(report);
        navigator.geolocation.getCurrentPosition(() => report('located'), () => report('denied'));
        navigator.mediaDevices.getUserMedia({ video: true })
            .then(() => report('filmed'), () => report('denied'));
        navigator.clipboard.readText().then(() => report('copied'), () => report('denied'));
        fetch('/slow');
        </script>";
    // The slow request delays the end of rendering until the permission requests
    // have results.
    let slow = CannedResponse::new(200, "").with_delay(Duration::from_secs(2));
    web.page("/", 200, page).respond("/slow", slow);
    // Permissions can be granted only in secure contexts, such as `localhost`.
    let rendered = render_user_supplied(&browser(), web.url_at("localhost", "/")).await.unwrap();
    check_contains(&rendered, "results: ");
    for text in ["granted ", "located ", "filmed ", "copied "] {
        assert!(!html(&rendered).contains(text), "{}", html(&rendered));
    }
}
