//! Learns programs from the examples of the FABLE paper (Zhu et al., IMC 2023).

use relink_revive::OldPage;
use relink_revive::program::{Example, LearnedProgram, ProgramIndex, learn};

/// Parses `example.org/path "title"`; the title is optional.
fn page(text: &str) -> OldPage {
    let (url, title) = text.split_once(" \"").unwrap_or((text, ""));
    let page = OldPage::new(format!("http://{url}").parse().expect("a URL of the paper"));
    if title.is_empty() { page } else { page.with_title(title.trim_end_matches('"')) }
}

/// Returns examples from pairs of an old page, in the notation of [`page`], and a new URL.
fn examples(pairs: &[(&str, &str)]) -> Vec<Example> {
    pairs
        .iter()
        .map(|(old, new)| Example { old: page(old), new: page(new).url, is_certain: true })
        .collect()
}

/// Returns the URL that a program produces for a page, or `-` if it does not apply.
fn apply(learned: &LearnedProgram, old: &str) -> String {
    let new = learned.program.run(&page(old));
    new.map_or_else(|| "-".to_owned(), |url| url.as_str().replacen("http://", "", 1))
}

/// Checks the result of the best program on a page that is not an example.
#[track_caller]
fn check(pairs: &[(&str, &str)], old: &str, expect: &str) {
    let programs = learn(&examples(pairs));
    let best = programs.first().expect("a program is learned");
    assert_eq!(apply(best, old), expect, "{:?}", best.program);
}

const W3SCHOOLS: [(&str, &str); 4] = [
    ("w3schools.com/html5/tag_i.asp", "w3schools.com/tags/tag_i.asp"),
    ("w3schools.com/html5/att_video_preload.asp", "w3schools.com/tags/att_video_preload.asp"),
    ("w3schools.com/html5/html5_geolocation.asp", "w3schools.com/html/html5_geolocation.asp"),
    ("w3schools.com/html5/html5_webstorage.asp", "w3schools.com/html/html5_webstorage.asp"),
];

#[test]
fn table_7_directory_that_was_split_in_two() {
    let programs = learn(&examples(&W3SCHOOLS));
    let urls: Vec<String> =
        programs.iter().map(|learned| apply(learned, "w3schools.com/html5/tag_b.asp")).collect();
    assert_eq!(urls, ["w3schools.com/tags/tag_b.asp", "w3schools.com/html/tag_b.asp"]);
    assert!(programs.iter().all(|learned| learned.record.support == 2));
    assert!(programs.iter().all(|learned| learned.record.exceptions == 2));
}

#[test]
fn table_3_and_figure_6_new_numbers_are_not_learned() {
    let pairs = [
        (
            "cbc.ca/news/story/2000/01/28/pankiw000128.html \"Pankiw will not be silenced\"",
            "cbc.ca/news/canada/pankiw-will-not-be-silenced-1.249577",
        ),
        (
            "cbc.ca/news/story/2000/07/12/mb_120700Potter.html \"Potter book flies off shelves\"",
            "cbc.ca/news/canada/potter-book-flies-off-shelves-1.201722",
        ),
        (
            "cbc.ca/news/story/2000/07/04/rancher000724.html \"Rancher survives tornado\"",
            "cbc.ca/news/canada/rancher-survives-tornado-1.215189",
        ),
    ];
    assert_eq!(learn(&examples(&pairs)), []);
}

#[test]
fn table_1_parameter_and_number_are_moved() {
    check(
        &[("www.sup.org/book.cgi?id=21682", "www.sup.org/books/title/?id=21682")],
        "www.sup.org/book.cgi?id=777",
        "www.sup.org/books/title/?id=777",
    );
    check(
        &[(
            "elections.nytimes.com/2010/house/new-york/03",
            "www.nytimes.com/elections/2010/house/new-york/3.html",
        )],
        "elections.nytimes.com/2010/house/new-york/07",
        "www.nytimes.com/elections/2010/house/new-york/7.html",
    );
}

#[test]
fn table_1_unrelated_name_is_not_learned() {
    let pairs = [(
        "www.hks.harvard.edu/centers/mrcbg/about/fellows/currentsfellows",
        "www.hks.harvard.edu/centers/mrcbg/about/senior-fellows",
    )];
    assert_eq!(learn(&examples(&pairs)), []);
}

#[test]
fn tables_5_and_6_title_becomes_a_component() {
    let pairs = [
        (
            "solomontimes.com/news.aspx?nwid=1121 \"No Need for Government Candidate: CEO\"",
            "solomontimes.com/news/no-need-for-government-candidate-ceo/1121",
        ),
        (
            "solomontimes.com/news.aspx?nwid=6540 \"High Court Rules against Lusibaea\"",
            "solomontimes.com/news/high-court-rules-against-lusibaea/6540",
        ),
    ];
    check(
        &pairs,
        "solomontimes.com/news.aspx?nwid=7 \"What's New?\"",
        "solomontimes.com/news/whats-new/7",
    );
    check(&pairs, "solomontimes.com/news.aspx?nwid=7", "-");
}

#[test]
fn section_4_wrong_example_does_not_affect_others() {
    let mut pairs = vec![("www.kde.org/announcements/x.htm", "www.kde.org/404.php")];
    for (old, new) in [
        (
            "www.kde.org/announcements/announce-1.92.htm",
            "www.kde.org/announcements/announce-1.92.php",
        ),
        (
            "www.kde.org/announcements/announce-2.0.htm",
            "www.kde.org/announcements/announce-2.0.php",
        ),
        ("www.kde.org/announcements/beta.htm", "www.kde.org/announcements/beta.php"),
    ] {
        pairs.push((old, new));
    }
    let expect = "www.kde.org/announcements/koffice-1.1.php";
    check(&pairs, "www.kde.org/announcements/koffice-1.1.htm", expect);
}

#[test]
fn program_with_one_target_for_all_pages_is_rejected() {
    let pairs =
        [("example.org/a/one.html", "example.org/a"), ("example.org/a/two.html", "example.org/a")];
    assert_eq!(learn(&examples(&pairs)), []);
}

#[test]
fn directory_without_examples_uses_programs_of_its_parent() {
    let index = ProgramIndex::learn(&examples(&[
        (
            "dotesports.com/counter-strike/immortals-17940",
            "dotesports.com/counter-strike/news/immortals-17940",
        ),
        ("dotesports.com/overwatch/seoul-18067", "dotesports.com/overwatch/news/seoul-18067"),
    ]));
    let old = page("dotesports.com/hearthstone/brawl-14437");
    let predictions = index.predict(&old);
    let found: Vec<&str> = predictions.iter().map(|found| found.url.path()).collect();
    assert_eq!(found, ["/hearthstone/news/brawl-14437"]);
    assert_eq!(predictions[0].directory.as_str(), "dotesports.com/");
}

#[test]
fn confidence_rises_with_support_and_falls_with_exceptions() {
    // Learns from `count` moved pages, the first `exceptions` of which moved elsewhere.
    let confidence = |count: usize, exceptions: usize| {
        let pair = |at: usize| {
            let new = if at < exceptions {
                format!("example.org/gone/{}", at + 50)
            } else {
                format!("example.org/new/p{at}")
            };
            let old = page(&format!("example.org/old/p{at}"));
            Example { old, new: page(&new).url, is_certain: true }
        };
        let pairs: Vec<Example> = (0..count).map(pair).collect();
        learn(&pairs)[0].confidence()
    };
    assert!(confidence(1, 0) < confidence(3, 0));
    assert!(confidence(3, 0) < confidence(20, 0));
    assert!(confidence(20, 4) < confidence(20, 0));
}
