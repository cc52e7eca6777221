//! The commands that are killed, and the sites they work on.

use std::time::Duration;

use relink_testkit::warc::Warc;
use relink_testkit::web::{CannedResponse, TestServer};

use super::CONCURRENCY;

/// How long each response takes, so that requests are in flight at a kill.
const RESPONSE_DELAY: Duration = Duration::from_millis(4);
/// Pages of the crawled site.
const SITE_PAGES: usize = 240;
/// Domains of the catalog.
const SURVEY_DOMAINS: usize = 12;
/// Pages of each domain of the catalog.
const PAGES_PER_DOMAIN: usize = 60;
/// Dead pages that `revive` searches for.
const MOVED_PAGES: usize = 120;
/// Directories of the dead pages. `revive` processes a directory at a time. There are
/// few, so that kills occur while one is processed.
const OLD_DIRECTORIES: usize = 3;

/// A command, the site it works on and the files it reads.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) web: TestServer,
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
    /// A command that runs first and is not killed.
    pub(super) before: Option<Vec<String>>,
    pub(super) args: Vec<String>,
}

impl Scenario {
    /// Returns one scenario per command.
    pub(super) fn all() -> [Self; 3] {
        [crawl(), survey(), revive()]
    }
}

/// Returns the arguments of a command: `command` is split at spaces, `inputs` and common
/// flags follow.
fn args(command: &str, inputs: &[&str]) -> Vec<String> {
    let common = format!(
        "--db relink.db --format jsonl --host-interval 0 --retries 0 --concurrency {CONCURRENCY} \
         --host-concurrency {CONCURRENCY}"
    );
    let args = command.split_whitespace().chain(inputs.iter().copied());
    args.chain(common.split_whitespace()).map(str::to_owned).collect()
}

/// Returns a page of random words. Pages about different subjects share no
/// words.
fn page_html(subject: &str, links: &str) -> String {
    // The FNV-1a hash of the subject is the seed of a linear congruential generator.
    let mut state = subject.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let letter =
            |at: u32| char::from(b'a' + u8::try_from((state >> (20 + 5 * at)) % 26).unwrap_or(0));
        (0..7).map(letter).collect::<String>()
    };
    let title = word();
    let paragraphs: Vec<String> = (0..5)
        .map(|_| format!("<p>{}</p>", (0..12).map(|_| word()).collect::<Vec<_>>().join(" ")))
        .collect();
    format!("<!doctype html><title>{title}</title><h1>{title}</h1>{}{links}", paragraphs.concat())
}

/// Returns the number in a path that consists of `before` and a number.
fn number_after(path: &str, before: &str) -> Option<usize> {
    path.strip_prefix(before)?.parse().ok()
}

/// A site in which each page links to three others, some of them dead.
fn crawl() -> Scenario {
    let web = TestServer::start_blocking();
    web.respond_below_with("/", |request| {
        let page =
            number_after(&request.path, "/p").filter(|page| *page < SITE_PAGES && page % 17 != 9);
        let Some(page) = page else {
            return CannedResponse::new(404, "not here").with_delay(RESPONSE_DELAY);
        };
        let links = [page + 1, 2 * page + 1, 3 * page + 2].map(|target| target % SITE_PAGES);
        let links = links.map(|target| format!("<a href='/p{target}'>{target}</a>")).concat();
        CannedResponse::new(200, page_html(&format!("p{page}"), &links)).with_delay(RESPONSE_DELAY)
    });
    let url = web.url("/p0").to_string();
    let (files, before) = (Vec::new(), None);
    Scenario { name: "crawl", args: args("crawl", &[&url]), web, files, before }
}

/// A catalog in which all pages of one domain are dead.
fn survey() -> Scenario {
    let web = TestServer::start_blocking();
    web.respond_below_with("/", |request| {
        let exists = request.path.contains("/page") && !request.path.starts_with("/d3/");
        let body = page_html(&request.path.replace('/', "y"), "");
        CannedResponse::new(if exists { 200 } else { 404 }, body).with_delay(RESPONSE_DELAY)
    });
    let mut table = "domain,url\n".to_owned();
    for (domain, page) in
        (0..SURVEY_DOMAINS).flat_map(|domain| (0..PAGES_PER_DOMAIN).map(move |page| (domain, page)))
    {
        let url = web.url(&format!("/d{domain}/page{page}"));
        table.extend([format!("d{domain}.test,{url}\n")]);
    }
    let files = vec![("catalog.csv", table.into_bytes())];
    let args = args("survey catalog.csv --seed 7", &[]);
    Scenario { name: "survey", args, web, files, before: None }
}

/// Pages that moved, and a local archive with the redirects to their new URLs.
fn revive() -> Scenario {
    let web = TestServer::start_blocking();
    web.respond_below_with("/", |request| {
        let page = number_after(&request.path, "/new/page").filter(|page| *page < MOVED_PAGES);
        let Some(page) = page else {
            return CannedResponse::new(404, "not here").with_delay(RESPONSE_DELAY);
        };
        CannedResponse::new(200, page_html(&format!("m{page}"), "")).with_delay(RESPONSE_DELAY)
    });
    let (mut warc, mut list) = (Warc::new(), String::new());
    for page in 0..MOVED_PAGES {
        let old = web.url(&format!("/old{}/page{page}", page % OLD_DIRECTORIES)).to_string();
        warc = warc.page(&old, "20140102030405", 200, &page_html(&format!("m{page}"), ""));
        warc = warc.redirect(&old, "20150102030405", 301, &format!("/new/page{page}"));
        list.extend([old.as_str(), "\n"]);
    }
    let files = vec![("own.warc.gz", warc.to_gzip()), ("urls.txt", list.into_bytes())];
    let before = Some(args("check urls.txt", &[]));
    let command = "revive --all --archive none --warc own.warc.gz --db relink.db --format jsonl \
                   --host-interval 0 --retries 0";
    let args = command.split_whitespace().map(str::to_owned).collect();
    Scenario { name: "revive", args, web, files, before }
}
