//! Tests of the matcher on small made-up sites.

use proptest::prelude::*;

use super::{
    Abstention, Baseline, KnownAlias, MIN_AUTOMATIC_CONFIDENCE, MatchEvidence, MatchResult,
    PageInfo, SiteMatcher,
};

/// Parses pages, one per line: a path, then a space and the title, if any.
fn pages(text: &str) -> Vec<(String, Option<String>)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let page = |line: &str| {
        let (path, title) =
            line.split_once(' ').map_or((line, None), |(path, title)| (path, Some(title)));
        (format!("https://example.org{path}"), title.map(str::to_owned))
    };
    lines.map(page).collect()
}

/// Converts pages to the input of the matcher.
fn page_infos(pages: &[(String, Option<String>)]) -> Vec<PageInfo<'_>> {
    pages.iter().map(|(url, title)| PageInfo { url, title: title.as_deref(), text: None }).collect()
}

/// Returns all results: the path of the live page, or the reason for none.
fn results(dead: &str, live: &str, known: &[(&str, &str)]) -> Vec<String> {
    let (dead, live) = (pages(dead), pages(live));
    let known: Vec<(String, String)> = known
        .iter()
        .map(|(old, new)| {
            (format!("https://example.org{old}"), format!("https://example.org{new}"))
        })
        .collect();
    let known: Vec<KnownAlias> = known.iter().map(|(old, new)| KnownAlias { old, new }).collect();
    let matcher = SiteMatcher::new(&page_infos(&dead), &page_infos(&live), &known);
    let result = |at| match matcher.match_page(at) {
        MatchResult::Alias(found) => {
            live[found.live].0.trim_start_matches("https://example.org").to_owned()
        }
        MatchResult::Nothing(reason) => reason.code().to_owned(),
    };
    (0..dead.len()).map(result).collect()
}

/// Asserts all results without known aliases.
#[track_caller]
fn check(dead: &str, live: &str, expect: &[&str]) {
    assert_eq!(results(dead, live, &[]), expect);
}

/// A site whose recipes moved from `/food` to `/kitchen/recipes`, with other
/// pages.
const KITCHEN: &str = "
    /kitchen/recipes/apple-pie Apple pie
    /kitchen/recipes/plum-cake Plum cake
    /kitchen/recipes/onion-soup Onion soup
    /kitchen/recipes/rye-bread Rye bread
    /kitchen/tools/whisk The whisk
    /garden/roses Roses through the year
    /garden/soil What soil needs
    /about About this site
    /contact Contact
";

#[test]
fn moved_folder_is_found_without_titles() {
    check(
        "/food/apple-pie\n/food/plum-cake\n/food/onion-soup\n/food/rye-bread",
        KITCHEN,
        &[
            "/kitchen/recipes/apple-pie",
            "/kitchen/recipes/plum-cake",
            "/kitchen/recipes/onion-soup",
            "/kitchen/recipes/rye-bread",
        ],
    );
}

#[test]
fn deleted_page_gets_no_alias() {
    let found = results("/food/apple-pie\n/food/plum-cake\n/food/goulash Goulash", KITCHEN, &[]);
    assert_eq!(found[2], Abstention::NoSimilarPage.code());
}

#[test]
fn one_shared_common_word_is_not_enough() {
    let found = results("/food/apple-pie\n/food/plum-cake\n/food/apple-vinegar", KITCHEN, &[]);
    assert!(!found[2].starts_with('/'), "{}", found[2]);
}

#[test]
fn extensions_and_index_names_are_ignored() {
    check("/kitchen/tools/whisk.html The whisk", KITCHEN, &["/kitchen/tools/whisk"]);
    check("/garden/roses/index.php Roses through the year", KITCHEN, &["/garden/roses"]);
}

#[test]
fn empty_list_of_live_pages_yields_nothing() {
    check("/food/apple-pie Apple pie", "", &["no-similar-page"]);
}

#[test]
fn votes_of_siblings_decide_between_equal_names() {
    let live = "
        /v2/guide/setup Setup
        /v2/guide/deploy-to-production Deploy to production
        /v2/guide/rotate-secrets Rotate secrets
        /admin/setup Setup
        /admin/users Users
    ";
    let dead = "/guide/deploy-to-production\n/guide/rotate-secrets\n/guide/setup";
    let expect = ["/v2/guide/deploy-to-production", "/v2/guide/rotate-secrets", "/v2/guide/setup"];
    check(dead, live, &expect);
}

#[test]
fn equal_name_in_parallel_tree_is_never_automatic() {
    let live = "
        /guide/apple-pie Apple pie
        /guide/plum-cake Plum cake
        /guide/onion-soup Onion soup
        /glossary/apple-pie Apple pie
        /glossary/plum-cake Plum cake
        /glossary/onion-soup Onion soup
        /glossary/rye-bread Rye bread
    ";
    let (dead, live) =
        (pages("/food/apple-pie\n/food/plum-cake\n/food/onion-soup\n/food/rye-bread"), pages(live));
    let known = [
        ("https://example.org/food/apple-pie", "https://example.org/guide/apple-pie"),
        ("https://example.org/food/plum-cake", "https://example.org/guide/plum-cake"),
    ];
    let known: Vec<KnownAlias> = known.iter().map(|&(old, new)| KnownAlias { old, new }).collect();
    let matcher = SiteMatcher::new(&page_infos(&dead), &page_infos(&live), &known);
    if let MatchResult::Alias(found) = matcher.match_page(3) {
        assert!(found.confidence < MIN_AUTOMATIC_CONFIDENCE, "{}", found.confidence);
    }
}

#[test]
fn known_aliases_are_generalized() {
    let known = [
        ("/food/plum-cake", "/kitchen/recipes/plum-cake"),
        ("/food/rye-bread", "/kitchen/recipes/rye-bread"),
    ];
    let found = results("/food/onion-soup", KITCHEN, &known);
    assert_eq!(found, ["/kitchen/recipes/onion-soup"]);
}

#[test]
fn evidence_lists_what_is_equal() {
    let (dead, live) = (
        pages("/food/apple-pie Apple pie\n/food/plum-cake Plum cake\n/food/rye-bread Rye bread"),
        pages(KITCHEN),
    );
    let matcher = SiteMatcher::new(&page_infos(&dead), &page_infos(&live), &[]);
    let MatchResult::Alias(found) = matcher.match_page(0) else { panic!("no alias") };
    for evidence in [
        MatchEvidence::SiblingsMoved,
        MatchEvidence::SameTitle,
        MatchEvidence::SameSlug,
        MatchEvidence::OnlyOne,
    ] {
        assert!(found.evidence.contains(&evidence), "{evidence}");
    }
    assert!(found.confidence >= MIN_AUTOMATIC_CONFIDENCE, "{}", found.confidence);
}

/// Asserts for each dead page the position of the live page that a baseline returns.
#[track_caller]
fn check_baseline(method: Baseline, dead: &str, live: &str, expect: &[Option<usize>]) {
    let (dead, live) = (pages(dead), pages(live));
    assert_eq!(method.find_aliases(&page_infos(&dead), &page_infos(&live)), expect);
}

#[test]
fn baselines_require_a_single_match() {
    let live = "/x/a Alpha rays\n/y/b Beta rays\n/z/b Gamma rays";
    check_baseline(Baseline::SameSlug, "/old/a\n/old/b", live, &[Some(0), None]);
    check_baseline(Baseline::Title, "/old/q Gamma rays\n/old/r", live, &[Some(2), None]);
    check_baseline(Baseline::TwoOfThree, "/old/a Alpha rays\n/old/b", live, &[Some(0), None]);
}

#[test]
fn baselines_compare_texts() {
    let page = |url, text| PageInfo { url, title: None, text: Some(text) };
    let live =
        [page("https://example.org/x", "one two three"), page("https://example.org/y", "four")];
    let dead =
        [page("https://example.org/a", "One, two: three!"), page("https://example.org/b", "five")];
    assert_eq!(Baseline::ContentHash.find_aliases(&dead, &live), [Some(0), None]);
    assert_eq!(Baseline::SimilarText.find_aliases(&dead, &live), [Some(0), None]);
}

#[test]
fn baselines_compare_titles_without_texts() {
    let live = "/x/a Alpha rays\n/y/b Beta rays\n/z/b Gamma rays";
    let dead = "/old/q Gamma rays\n/old/r Delta rays\n/old/s";
    let expect = [Some(2), None, None];
    check_baseline(Baseline::ContentHash, dead, live, &expect);
    check_baseline(Baseline::SimilarText, dead, live, &expect);
}

/// A path of two short names, with an optional title.
fn path() -> impl Strategy<Value = String> {
    "/[a-d]{1,2}/[a-e]{1,3}(-[a-e]{1,2})?( [A-E]{2} [a-e]{2})?"
}

/// Lines of pages.
fn list() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(path(), 0..12)
}

proptest! {
    #[test]
    fn order_of_lists_does_not_matter(dead in list(), live in list()) {
        let forward = results(&dead.join("\n"), &live.join("\n"), &[]);
        let reversed = |list: &[String]| list.iter().rev().cloned().collect::<Vec<_>>().join("\n");
        let mut backward = results(&reversed(&dead), &reversed(&live), &[]);
        backward.reverse();
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn unrelated_live_page_is_never_an_alias(dead in list(), live in list()) {
        let before = results(&dead.join("\n"), &live.join("\n"), &[]);
        let more = format!("{}\n/zz/zzzz Zzz zzzzz", live.join("\n"));
        let after = results(&dead.join("\n"), &more, &[]);
        for result in after {
            prop_assert_ne!(result, "/zz/zzzz");
        }
        prop_assert_eq!(before.len(), dead.len());
    }

    #[test]
    fn any_text_is_accepted(url in ".{0,40}", title in ".{0,20}", other in ".{0,40}") {
        let dead = [PageInfo { url: &url, title: Some(&title), text: None }];
        let live = [PageInfo { url: &other, title: Some(&title), text: None }];
        let known = [KnownAlias { old: &url, new: &other }];
        let matcher = SiteMatcher::new(&dead, &live, &known);
        if let MatchResult::Alias(found) = matcher.match_page(0) {
            prop_assert_eq!(found.live, 0);
        }
    }
}
