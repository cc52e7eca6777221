//! Pages that ask for a human.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use crate::{browser, check_says, html, named};

#[tokio::test]
async fn dialogs_are_dismissed() {
    let web = TestServer::start().await;
    let page = r#"<p id="p"></p><script>
        addEventListener('beforeunload', event => event.preventDefault());
        alert('a\ud800');
        p.textContent = 'said: ' + confirm('b') + ' ' + prompt('c', 'd');
        print();
        </script>"#;
    web.page("/", 200, page);
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, "said: false null");
    assert_eq!(rendered.truncation, None);
}

#[tokio::test]
async fn who_leaves_is_let_go() {
    let web = TestServer::start().await;
    let page = "<script>
        addEventListener('beforeunload', event => { event.returnValue = 'stay'; });
        setTimeout(() => { location = '/next'; }, 100);
        </script>";
    web.page("/", 200, page).page("/next", 200, "next");
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    assert_eq!(rendered.url, web.url("/next"));
}

#[tokio::test]
async fn new_windows_are_closed() {
    let web = TestServer::start().await;
    let page = "<a href=/kept>kept</a><script>
        for (let n = 0; n < 5; n++) window.open('/popup' + n);
        </script>";
    web.page("/", 200, page);
    let browser = browser();
    let rendered = named(&browser, web.url("/")).await.unwrap();
    check_says(&rendered, "kept");
    assert_eq!(rendered.url, web.url("/"));
    check_says(&named(&browser, web.url("/")).await.unwrap(), "kept");
}

#[tokio::test]
async fn nothing_is_downloaded() {
    let web = TestServer::start().await;
    let file = || {
        CannedResponse::new(200, "MZ")
            .header("Content-Type", "application/octet-stream")
            .header("Content-Disposition", "attachment; filename=evil.exe")
    };
    let page = "<p id=p></p><a id=a href=/file download>file</a><script>
        a.click();
        p.textContent = 'still here';
        </script>";
    web.page("/", 200, page).answer("/file", file()).answer("/direct", file());
    let browser = browser();
    check_says(&named(&browser, web.url("/")).await.unwrap(), "still here");
    let error = named(&browser, web.url("/direct")).await.unwrap_err();
    assert!(error.to_string().starts_with("the page was not loaded"), "{error}");
}

#[tokio::test]
async fn nothing_is_permitted() {
    let web = TestServer::start().await;
    let page = "<p id=p>asked: </p><script>
        const say = (word) => { p.textContent += word + ' '; };
        Notification.requestPermission().then(say);
        navigator.geolocation.getCurrentPosition(() => say('located'), () => say('hidden'));
        navigator.mediaDevices.getUserMedia({ video: true })
            .then(() => say('filmed'), () => say('unseen'));
        navigator.clipboard.readText().then(() => say('copied'), () => say('unread'));
        fetch('/slow');
        </script>";
    // The wait gives the questions time to be answered.
    let slow = CannedResponse::new(200, "").after(Duration::from_secs(2));
    web.page("/", 200, page).answer("/slow", slow);
    let rendered = named(&browser(), web.url_at("localhost", "/")).await.unwrap();
    check_says(&rendered, "asked: ");
    for word in ["granted ", "located ", "filmed ", "copied "] {
        assert!(!html(&rendered).contains(word), "{}", html(&rendered));
    }
}
