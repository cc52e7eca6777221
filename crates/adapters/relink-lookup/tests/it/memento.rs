//! Archives of which only the addresses of RFC 7089 are known.

use relink_lookup::WebArchiveSettings;
use relink_ports::{Archive, CaptureQuery};
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{archive, lines, moment, outcome, url};

fn settings(web: &TestServer) -> WebArchiveSettings {
    WebArchiveSettings::memento("aggregator", &web.url("/map/"), &web.url("/gate/"))
}

const PAGE: &str = "http://example.org/a?b=c";

fn list(text: &str) -> CannedResponse {
    CannedResponse::new(200, text).header("Content-Type", "application/link-format")
}

const TWO: &str = "<http://example.org/a?b=c>; rel=\"original\",\n\
     </copy/1>; rel=\"first memento\"; datetime=\"Tue, 06 May 2014 07:08:09 GMT\",\n\
     </copy/2>; rel=\"memento\"; datetime=\"Wed, 06 May 2015 07:08:09 GMT\"";

#[tokio::test]
async fn a_list_in_parts_is_read_whole() {
    let web = TestServer::start().await;
    let pages = "<http://example.org/a?b=c>; rel=\"original\",\n\
         </map/http://example.org/a?b=c>; rel=\"self\",\n\
         </part/1>; rel=\"timemap\"; from=\"x\",\n</part/2>; rel=\"timemap\"";
    web.answer("/map/http://example.org/a?b=c", list(pages));
    web.answer("/part/1", list(TWO));
    let third = "</copy/3>; rel=\"memento\"; datetime=\"Fri, 06 May 2016 07:08:09 GMT\",\n\
         </part/1>; rel=\"timemap\"";
    web.answer("/part/2", list(third));
    let captures = archive(settings(&web)).captures(&CaptureQuery::new(url(PAGE))).await.unwrap();
    assert_eq!(
        lines(&captures),
        [
            "2014-05-06T07:08:09Z - http://example.org/a?b=c",
            "2015-05-06T07:08:09Z - http://example.org/a?b=c",
            "2016-05-06T07:08:09Z - http://example.org/a?b=c",
        ]
    );
    assert_eq!(web.requests().len(), 3);
}

#[tokio::test]
async fn a_list_of_lists_without_end_has_one() {
    let web = TestServer::start().await;
    let pages: Vec<_> = (0..500).map(|it| format!("</part/{it}>; rel=\"timemap\"")).collect();
    web.below("/", list(&format!("<x>; rel=\"original\",{}", pages.join(","))));
    let query = CaptureQuery::new(url(PAGE));
    assert_eq!(outcome(&archive(settings(&web)), &query).await, "0 captures, 0 skipped, cut");
    assert_eq!(web.requests().len(), 20);
}

#[tokio::test]
async fn a_copy_with_an_address_of_its_own_is_replayed_from_there() {
    let web = TestServer::start().await;
    web.answer("/map/http://example.org/a?b=c", list(TWO));
    let copy = CannedResponse::new(200, "copied")
        .header("Memento-Datetime", "Wed, 06 May 2015 07:08:09 GMT");
    web.answer("/copy/2", copy);
    let archive = archive(settings(&web));
    let captures = archive.captures(&CaptureQuery::new(url(PAGE))).await.unwrap().captures;
    assert!(archive.replay(&captures[0]).await.unwrap().is_none());
    let replay = archive.replay(&captures[1]).await.unwrap().unwrap();
    assert_eq!(&replay.body.bytes[..], b"copied");
}

#[tokio::test]
async fn a_directory_cannot_be_listed() {
    let web = TestServer::start().await;
    let query = CaptureQuery::below(url("http://example.org/"));
    let expect = "the archive `aggregator` cannot list the captures of a directory";
    assert_eq!(outcome(&archive(settings(&web)), &query).await, expect);
    assert_eq!(web.requests().len(), 0);
}

/// Asks for a copy near to 2015 through a gate that answers like this.
async fn near(answer: CannedResponse) -> String {
    let web = TestServer::start().await;
    web.answer("/gate/http://example.org/a?b=c", answer);
    web.redirect("/step", 302, "/copy");
    let copy =
        CannedResponse::new(200, "").header("Memento-Datetime", "Tue, 06 May 2014 07:08:09 GMT");
    web.answer("/copy", copy);
    let found = archive(settings(&web)).nearest(&url(PAGE), moment("2015-01-01T00:00:00Z")).await;
    let asked = web.requests()[0].header("accept-datetime").map(str::to_owned);
    assert_eq!(asked.as_deref(), Some("Thu, 01 Jan 2015 00:00:00 GMT"));
    match found {
        Ok(Some(snapshot)) => format!("{} at {}", snapshot.replay_url.path(), snapshot.captured_at),
        Ok(None) => "none".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_gate_leads_to_a_copy_in_one_step_or_more() {
    let stamped = "/web/20150506070809/http://example.org/a";
    let found = near(CannedResponse::redirect(302, stamped)).await;
    assert_eq!(found, format!("{stamped} at 2015-05-06T07:08:09Z"));
    assert_eq!(near(CannedResponse::redirect(302, "/step")).await, "/copy at 2014-05-06T07:08:09Z");
    let here =
        CannedResponse::new(200, "").header("Memento-Datetime", "Tue, 06 May 2014 07:08:09 GMT");
    let gate = "/gate/http://example.org/a";
    assert_eq!(near(here).await, format!("{gate} at 2014-05-06T07:08:09Z"));
}

#[tokio::test]
async fn a_gate_without_a_copy_is_told_from_one_that_is_none() {
    assert_eq!(near(CannedResponse::new(404, "nothing")).await, "none");
    let no_copy = "the answer of the archive `aggregator` is not an archived page";
    assert_eq!(near(CannedResponse::new(200, "<iframe>")).await, no_copy);
    assert_eq!(near(CannedResponse::redirect(302, "javascript:alert(1)")).await, no_copy);
    let refused = "the archive `aggregator` refuses with status 500";
    assert_eq!(near(CannedResponse::new(500, "")).await, refused);
}
