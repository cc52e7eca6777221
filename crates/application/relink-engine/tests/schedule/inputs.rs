//! Pages and sitemaps among the inputs: they are requested while links are loaded, with the
//! rate limits of all other requests. A *gap* is the minimum time between the requests to a
//! host.

use std::time::Duration;

use relink_engine::{CheckEnd, check};
use relink_model::Verdict;
use relink_requests::StopSignal;

use crate::harness::{Scenario, Verdicts};
use crate::network::{Reply, Site};

const GAP: Duration = Duration::from_secs(1);
const INDEX: &str = "http://one.test/index.xml";
const MAP: &str = "http://one.test/map.xml";

fn locations(urls: &[&str]) -> String {
    urls.iter().fold(String::new(), |text, url| text + "<url><loc>" + url + "</loc></url>")
}

fn sitemap(urls: &[&str]) -> String {
    format!("<?xml version='1.0'?><urlset>{}</urlset>", locations(urls))
}

fn index(urls: &[&str]) -> String {
    let entries = locations(urls).replace("url>", "sitemap>");
    format!("<?xml version='1.0'?><sitemapindex>{entries}</sitemapindex>")
}

/// A check whose input is a sitemap with two pages.
fn map_scenario() -> Scenario {
    let pages = ["http://one.test/page1", "http://one.test/page2"];
    let documents = [(MAP.to_owned(), sitemap(&pages))].into();
    Scenario { inputs: vec![MAP.to_owned()], documents, ..Scenario::new(&[], GAP) }
}

#[tokio::test(start_paused = true)]
async fn inputs_and_the_links_on_them_keep_one_gap() {
    for seed in 0..50 {
        let maps = ["http://one.test/a.xml", "http://one.test/b.xml", "http://two.test/c.xml"];
        let documents = [
            (INDEX.to_owned(), index(&maps)),
            (maps[0].to_owned(), sitemap(&["http://one.test/page1", "http://two.test/page1"])),
            (maps[1].to_owned(), sitemap(&["http://one.test/page2", "http://one.test/page3"])),
            (maps[2].to_owned(), sitemap(&["http://two.test/page2", "http://one.test/page4"])),
        ];
        let inputs = vec![INDEX.to_owned(), "http://one.test/page9".to_owned()];
        let scenario = Scenario { inputs, documents: documents.into(), ..Scenario::new(&[], GAP) };
        let harness = Scenario { seed, ..scenario }.open();
        let (end, verdicts) = harness.check().await;
        // Five pages and four sitemaps of the first host, two pages of the second host.
        assert_eq!((end, verdicts.url_count()), (CheckEnd::Finished, 11), "seed {seed}");
        for url in maps.iter().chain([&INDEX]) {
            assert_eq!(harness.times_of(url).len(), 1, "seed {seed}: {url}");
        }
        harness.assert_polite(&format!("seed {seed}"));
        assert!(harness.times_of("http://one.test/robots.txt").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn input_that_fails_for_a_short_time_is_read() {
    for failure in [Reply::status(503), Reply::status(500), Reply::throttled(30)] {
        let replies = [failure, Reply::status(200)];
        let harness = map_scenario().script(MAP, &replies).open();
        let (_, verdicts) = harness.check().await;
        assert_eq!(verdicts.of("http://one.test/page2"), [Verdict::Alive], "{failure:?}");
        let times = harness.times_of(MAP);
        assert_eq!(times.len(), 2, "{failure:?}");
        let wait = Duration::from_secs(failure.retry_after.unwrap_or(1));
        assert!(times[1] >= times[0] + wait, "{failure:?}: {times:?}");
        harness.assert_polite("retry");
    }
}

#[tokio::test(start_paused = true)]
async fn input_of_a_host_that_requests_a_long_wait_is_requested_once() {
    let harness = map_scenario().script(MAP, &[Reply::throttled(3600)]).open();
    let (end, verdicts) = harness.check().await;
    assert_eq!((end, verdicts.url_count()), (CheckEnd::Finished, 1));
    assert_eq!(verdicts.of(MAP), [Verdict::Blocked]);
    assert_eq!(harness.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn input_of_a_host_that_is_down_is_reported_as_a_link() {
    let scenario = map_scenario().site("down.test", Site::Down);
    let inputs = vec![MAP.to_owned(), "http://down.test/map.xml".to_owned()];
    let harness = Scenario { inputs, ..scenario }.open();
    let (end, verdicts) = harness.check().await;
    assert_eq!(end, CheckEnd::Finished);
    assert_eq!(verdicts.of("http://down.test/map.xml"), [Verdict::Failing]);
    assert_eq!(verdicts.of("http://one.test/page1"), [Verdict::Alive]);
    harness.assert_polite("host that is down");
}

/// Two processes with different runs on one store read sitemaps of the same host.
#[tokio::test(start_paused = true)]
async fn processes_that_read_inputs_of_one_host_keep_one_gap() {
    for seed in 0..100 {
        let maps: Vec<String> =
            (0..6).map(|number| format!("http://one.test/{number}.xml")).collect();
        let content = |number: usize| sitemap(&[&format!("http://one.test/page{number}")]);
        let documents = maps.iter().cloned().zip((0..6).map(content)).collect();
        let scenario = Scenario { documents, seed, is_shared: true, ..Scenario::new(&[], GAP) };
        let harness = scenario.open();
        let run = async |worker: usize| {
            let mut settings = harness.settings.clone();
            let inputs = &maps[3 * worker..3 * worker + 3];
            settings.load.inputs = inputs
                .iter()
                .map(|url| relink_documents::Input::Page {
                    original_url: url.clone(),
                    url: url.parse().unwrap(),
                })
                .collect();
            let (mut verdicts, stop) = (Verdicts::default(), StopSignal::never());
            let ports = harness.ports(worker);
            let outcome = check(&ports, &settings, &mut verdicts, &stop).await.unwrap();
            assert_eq!(outcome.end, CheckEnd::Finished, "seed {seed}");
            assert_eq!(verdicts.url_count(), 6, "seed {seed}");
        };
        tokio::join!(run(0), run(1));
        harness.assert_polite(&format!("seed {seed}"));
    }
}
