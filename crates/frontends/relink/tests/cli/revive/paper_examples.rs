//! The examples in the paper *Reviving Dead Links on the Web with FABLE*: dead pages of a site,
//! their archived titles, and a list of live pages. The list contains the new pages and similar
//! pages. The names of the tests start with the table of the paper, or with the site.
//!
//! Host names end in `.test`. Where the paper prints a single page, the test adds other pages of
//! the same form, because the method of the paper needs two.

use std::collections::BTreeSet;

use relink_demo::ArchivedPage;

use super::Fixture;

/// A moved page: the old URL, the archived title (empty if there is no copy) and
/// the new URL.
type MovedPage<'a> = (&'a str, &'a str, &'a str);

/// Returns the URL at the test server of a URL without scheme.
fn test_url(url: &str, port: u16) -> String {
    let (host, path) = url.split_once('/').unwrap();
    format!("http://{host}:{port}/{path}")
}

/// Returns the hosts of all pages as `--resolve` flags.
fn resolve_flags(pages: &[MovedPage<'_>], others: &[(&str, &str)], port: u16) -> Vec<String> {
    let page_urls = pages.iter().flat_map(|(old, _, new)| [*old, *new]);
    let urls = page_urls.chain(others.iter().map(|(url, _)| *url));
    let hosts: BTreeSet<&str> = urls.map(|url| url.split_once('/').unwrap().0).collect();
    let mut flags = Vec::new();
    for host in hosts {
        flags.push("--resolve".to_owned());
        flags.push(format!("{host}:{port}:127.0.0.1"));
    }
    flags
}

/// Returns a page with a title, and a text that is distinct for each `seed`.
fn page(title: &str, seed: &str) -> String {
    format!("<!doctype html><title>{title}</title><h1>{title}</h1><p>About {seed}.</p>")
}

/// Searches for the dead pages, and checks that each gets its new URL as the alias. `others` are
/// URLs and titles of live pages that are not aliases.
#[track_caller]
fn check_aliases(pages: &[MovedPage<'_>], others: &[(&str, &str)]) {
    let fixture = Fixture::new(|web| {
        let copies = pages.iter().filter(|(_, title, _)| !title.is_empty());
        let copy = |(old, title, _): &MovedPage<'_>| {
            let url = test_url(old, web.port());
            ArchivedPage::page(&url, "20140102030405", &page(title, old))
        };
        copies.map(copy).collect()
    });
    let port = fixture.web.port();
    let live = pages.iter().map(|(_, title, new)| (*new, *title)).chain(others.iter().copied());
    let mut rows = Vec::new();
    for (url, title) in live {
        let (host, path) = url.split_once('/').unwrap();
        fixture.web.host(host).page(&format!("/{path}"), 200, &page(title, url));
        rows.push(serde_json::json!({"url": test_url(url, port), "title": title}).to_string());
    }
    fixture.sandbox.write_urls("live.jsonl", &rows);
    let old: Vec<String> = pages.iter().map(|(old, ..)| test_url(old, port)).collect();
    let resolve = resolve_flags(pages, others, port);
    let flags = ["--live-pages", "live.jsonl", "--search", "none", "--format", "jsonl"];
    let args: Vec<&str> =
        flags.into_iter().chain(resolve.iter().chain(&old).map(String::as_str)).collect();
    let found = fixture.revive(&args).exits(0).rows();
    let aliases: Vec<&str> = old
        .iter()
        .map(|url| found.row(url)["alias"]["url"].as_str().unwrap_or("no alias"))
        .collect();
    let expected: Vec<String> = pages.iter().map(|(_, _, new)| test_url(new, port)).collect();
    assert_eq!(aliases, expected, "{found:?}");
}

#[test]
fn table_1_new_url_contains_the_old_query_value() {
    let title = "A book of the press";
    check_aliases(
        &[
            ("sup.test/book.cgi?id=21682", "", "sup.test/books/title/?id=21682"),
            ("sup.test/book.cgi?id=20411", "", "sup.test/books/title/?id=20411"),
            ("sup.test/book.cgi?id=9924", "", "sup.test/books/title/?id=9924"),
        ],
        &[
            ("sup.test/books/title/?id=21683", title),
            ("sup.test/books/title/?id=1682", title),
            ("sup.test/books/", "Books"),
        ],
    );
}

#[test]
fn table_1_numbers_lose_leading_zeros() {
    check_aliases(
        &[
            (
                "elections.nyt.test/2010/house/new-york/03",
                "",
                "nyt.test/elections/2010/house/new-york/3.html",
            ),
            (
                "elections.nyt.test/2010/house/new-york/07",
                "",
                "nyt.test/elections/2010/house/new-york/7.html",
            ),
            (
                "elections.nyt.test/2010/house/new-york/12",
                "",
                "nyt.test/elections/2010/house/new-york/12.html",
            ),
            (
                "elections.nyt.test/2010/house/new-york/01",
                "",
                "nyt.test/elections/2010/house/new-york/1.html",
            ),
        ],
        &[
            ("nyt.test/elections/2010/house/ohio/3.html", "Ohio 3"),
            ("nyt.test/elections/2010/senate/new-york.html", "New York"),
            ("nyt.test/elections/2010/house/new-york/30.html", "New York 30"),
        ],
    );
}

#[test]
fn table_3_new_url_contains_the_title_and_a_new_id() {
    check_aliases(
        &[
            (
                "cbc.test/news/story/2000/01/28/pankiw000128.html",
                "Pankiw will not be silenced",
                "cbc.test/news/canada/pankiw-will-not-be-silenced-1.249577",
            ),
            (
                "cbc.test/news/story/2000/07/12/mb_120700Potter.html",
                "Potter book flies off shelves",
                "cbc.test/news/canada/potter-book-flies-off-shelves-1.201722",
            ),
            (
                "cbc.test/news/story/2000/07/04/rancher000724.html",
                "Rancher survives tornado",
                "cbc.test/news/canada/rancher-survives-tornado-1.215189",
            ),
        ],
        &[
            ("cbc.test/news/canada/potter-film-opens-1.301722", "Potter film opens"),
            ("cbc.test/news/canada/tornado-season-starts-1.215190", "Tornado season starts"),
            ("cbc.test/news/canada/budget-passes-1.215191", "Budget passes"),
        ],
    );
}

#[test]
fn table_5_new_url_contains_the_title_and_the_old_id() {
    check_aliases(
        &[
            (
                "solomon.test/news.aspx?nwid=1121",
                "No Need for Government Candidate: CEO Transparency Solomon Islands",
                "solomon.test/news/no-need-for-government-candidate-ceo-transparency-solomon-islands/1121",
            ),
            (
                "solomon.test/news.aspx?nwid=6540",
                "High Court Rules against Lusibaea",
                "solomon.test/news/high-court-rules-against-lusibaea/6540",
            ),
        ],
        &[
            ("solomon.test/letter/1121", "A letter"),
            (
                "solomon.test/news/governments-prime-minister-candidate-pledges-reconciliation-as-priority/1112",
                "Government's Prime Minister Candidate Pledges Reconciliation as Priority",
            ),
            (
                "solomon.test/news/high-court-to-review-lusibaea-case/5862",
                "High Court to Review Lusibaea Case",
            ),
            (
                "solomon.test/news/lusibaea-released-opposition-uproar/5814",
                "Lusibaea Released, Opposition Uproar",
            ),
        ],
    );
}

#[test]
fn table_7_pages_of_a_directory_moved_to_two_directories() {
    check_aliases(
        &[
            ("w3.test/html5/tag_i.asp", "", "w3.test/tags/tag_i.asp"),
            ("w3.test/html5/att_video_preload.asp", "", "w3.test/tags/att_video_preload.asp"),
            ("w3.test/html5/html5_geolocation.asp", "", "w3.test/html/html5_geolocation.asp"),
            ("w3.test/html5/html5_webstorage.asp", "", "w3.test/html/html5_webstorage.asp"),
        ],
        &[
            ("w3.test/tags/tag_b.asp", "HTML b tag"),
            ("w3.test/tags/att_audio_preload.asp", "HTML audio preload"),
            ("w3.test/html/html5_intro.asp", "HTML5 introduction"),
            ("w3.test/css/css_intro.asp", "CSS introduction"),
        ],
    );
}

#[test]
fn udacity_new_url_contains_new_words_before_the_old_code() {
    check_aliases(
        &[
            ("udacity.test/courses/cs262", "", "udacity.test/course/programming-languages--cs262"),
            (
                "udacity.test/courses/ud405",
                "",
                "udacity.test/course/2d-game-development-with-libgdx--ud405",
            ),
            (
                "udacity.test/courses/cs101",
                "",
                "udacity.test/course/intro-to-computer-science--cs101",
            ),
        ],
        &[
            ("udacity.test/course/intro-to-statistics--st101", "Intro to Statistics"),
            ("udacity.test/course/programming-foundations--ud036", "Programming Foundations"),
            ("udacity.test/catalog", "Catalog"),
        ],
    );
}

#[test]
fn marvel_page_with_the_same_title_is_not_the_alias() {
    let title = "What If? (2008) #1";
    check_aliases(
        &[
            (
                "marvel.test/comic_books/issue/22962/what_if_2008_1",
                title,
                "marvel.test/comics/issue/22962/what_if_2008_1",
            ),
            (
                "marvel.test/comic_books/issue/17233/avengers_1963_4",
                "Avengers (1963) #4",
                "marvel.test/comics/issue/17233/avengers_1963_4",
            ),
            (
                "marvel.test/comic_books/issue/30144/thor_2007_12",
                "Thor (2007) #12",
                "marvel.test/comics/issue/30144/thor_2007_12",
            ),
        ],
        &[
            ("marvel.test/comics/issue/22964/what_if_2008_1", title),
            ("marvel.test/comics/issue/17234/avengers_1963_5", "Avengers (1963) #5"),
            ("marvel.test/comics/", "Comics"),
        ],
    );
}

#[test]
fn technologyreview_new_url_contains_a_new_date_and_id() {
    check_aliases(
        &[
            (
                "review.test/article/419483/measure-for-measure/",
                "Measure for Measure",
                "review.test/2010/06/22/202620/measure-for-measure/",
            ),
            (
                "review.test/article/401234/the-quantum-hacker/",
                "The Quantum Hacker",
                "review.test/2004/11/02/103377/the-quantum-hacker/",
            ),
            (
                "review.test/article/412880/sun-and-sand/",
                "Sun and Sand",
                "review.test/2009/03/17/115922/sun-and-sand/",
            ),
            (
                "review.test/article/423001/letters-from-readers/",
                "Letters from Readers",
                "review.test/2011/02/21/196817/letters-from-readers/",
            ),
        ],
        &[
            ("review.test/2010/06/22/202621/measure-of-man/", "Measure of Man"),
            ("review.test/2012/01/01/300001/quantum-computers/", "Quantum Computers"),
            ("review.test/about/", "About"),
        ],
    );
}

#[test]
fn new_url_with_a_new_id_is_found_without_archived_titles() {
    let names = ["apple-pie", "plum-cake", "onion-soup", "rye-bread", "fish-stew", "oat-biscuits"];
    let ids = [40_117, 51_250, 33_008, 90_412, 77_231, 61_190];
    let mut urls = Vec::new();
    for (name, id) in names.iter().zip(ids) {
        let old = format!("food.test/food/{name}.html");
        let new = format!("food.test/recipes/{id}-{name}");
        urls.push((old, new));
    }
    let pages: Vec<MovedPage<'_>> =
        urls.iter().map(|(old, new)| (old.as_str(), "", new.as_str())).collect();
    let others = [
        ("food.test/recipes/40118-apple-tart", "Apple tart"),
        ("food.test/recipes/51251-carrot-cake", "Carrot cake"),
        ("food.test/kitchen/knives", "Knives"),
    ];
    check_aliases(&pages, &others);
}
