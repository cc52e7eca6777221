//! What matching promises, stated as claims on small sites of our own.

use proptest::prelude::*;

use super::{
    AUTOMATIC, Abstention, Baseline, KnownAlias, MatchEvidence, MatchResult, PageInfo, SiteMatcher,
};

/// Reads pages, one a line: a path, then the title after a space, if any.
fn pages(text: &str) -> Vec<(String, Option<String>)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let page = |line: &str| {
        let (path, title) =
            line.split_once(' ').map_or((line, None), |(path, title)| (path, Some(title)));
        (format!("https://example.org{path}"), title.map(str::to_owned))
    };
    lines.map(page).collect()
}

/// Pages as matching takes them.
fn given(pages: &[(String, Option<String>)]) -> Vec<PageInfo<'_>> {
    pages.iter().map(|(url, title)| PageInfo { url, title: title.as_deref(), text: None }).collect()
}

/// All answers: the path of the live page, or why there is none.
fn answers(dead: &str, live: &str, known: &[(&str, &str)]) -> Vec<String> {
    let (dead, live) = (pages(dead), pages(live));
    let known: Vec<(String, String)> = known
        .iter()
        .map(|(old, new)| {
            (format!("https://example.org{old}"), format!("https://example.org{new}"))
        })
        .collect();
    let known: Vec<KnownAlias> = known.iter().map(|(old, new)| KnownAlias { old, new }).collect();
    let study = SiteMatcher::new(&given(&dead), &given(&live), &known);
    let said = |at| match study.answer(at) {
        MatchResult::Alias(found) => {
            live[found.live].0.trim_start_matches("https://example.org").to_owned()
        }
        MatchResult::Nothing(why) => why.code().to_owned(),
    };
    (0..dead.len()).map(said).collect()
}

#[track_caller]
fn check(dead: &str, live: &str, expect: &[&str]) {
    assert_eq!(answers(dead, live, &[]), expect);
}

/// A site whose recipes moved from `/food` to `/kitchen/recipes`; some pages
/// of other kinds beside them.
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
fn a_folder_that_moved_is_found_without_titles() {
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
fn a_page_that_was_deleted_is_left_unanswered() {
    let found = answers("/food/apple-pie\n/food/plum-cake\n/food/goulash Goulash", KITCHEN, &[]);
    assert_eq!(found[2], Abstention::NothingAlike.code());
}

#[test]
fn a_sibling_that_shares_one_common_word_is_no_alias() {
    let found = answers("/food/apple-pie\n/food/plum-cake\n/food/apple-vinegar", KITCHEN, &[]);
    assert!(!found[2].starts_with('/'), "{}", found[2]);
}

#[test]
fn endings_and_index_names_do_not_hide_a_page() {
    check("/kitchen/tools/whisk.html The whisk", KITCHEN, &["/kitchen/tools/whisk"]);
    check("/garden/roses/index.php Roses through the year", KITCHEN, &["/garden/roses"]);
}

#[test]
fn nothing_is_answered_where_nothing_is_alive() {
    check("/food/apple-pie Apple pie", "", &["nothing-alike"]);
}

#[test]
fn of_twins_the_one_that_siblings_point_at_is_meant() {
    let twins = "
        /v2/guide/setup Setup
        /v2/guide/deploy-to-production Deploy to production
        /v2/guide/rotate-secrets Rotate secrets
        /admin/setup Setup
        /admin/users Users
    ";
    let dead = "/guide/deploy-to-production\n/guide/rotate-secrets\n/guide/setup";
    let expect = ["/v2/guide/deploy-to-production", "/v2/guide/rotate-secrets", "/v2/guide/setup"];
    check(dead, twins, &expect);
}

#[test]
fn a_namesake_in_a_tree_beside_is_never_written_unasked() {
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
    let study = SiteMatcher::new(&given(&dead), &given(&live), &known);
    if let MatchResult::Alias(found) = study.answer(3) {
        assert!(found.confidence < AUTOMATIC, "{}", found.confidence);
    }
}

#[test]
fn known_aliases_show_the_way() {
    let known = [
        ("/food/plum-cake", "/kitchen/recipes/plum-cake"),
        ("/food/rye-bread", "/kitchen/recipes/rye-bread"),
    ];
    let found = answers("/food/onion-soup", KITCHEN, &known);
    assert_eq!(found, ["/kitchen/recipes/onion-soup"]);
}

#[test]
fn the_evidence_says_what_agreed() {
    let (dead, live) = (
        pages("/food/apple-pie Apple pie\n/food/plum-cake Plum cake\n/food/rye-bread Rye bread"),
        pages(KITCHEN),
    );
    let study = SiteMatcher::new(&given(&dead), &given(&live), &[]);
    let MatchResult::Alias(found) = study.answer(0) else { panic!("no answer") };
    for clue in [
        MatchEvidence::SiblingsMoved,
        MatchEvidence::SameTitle,
        MatchEvidence::SameSlug,
        MatchEvidence::OnlyOne,
    ] {
        assert!(found.clues.contains(&clue), "{clue}");
    }
    assert!(found.confidence >= AUTOMATIC, "{}", found.confidence);
}

#[track_caller]
fn check_baseline(method: Baseline, dead: &str, live: &str, expect: &[Option<usize>]) {
    let (dead, live) = (pages(dead), pages(live));
    assert_eq!(method.answers(&given(&dead), &given(&live)), expect);
}

#[test]
fn the_simple_rules_want_a_single_match() {
    let live = "/x/a Alpha rays\n/y/b Beta rays\n/z/b Gamma rays";
    check_baseline(Baseline::SameSlug, "/old/a\n/old/b", live, &[Some(0), None]);
    check_baseline(Baseline::Title, "/old/q Gamma rays\n/old/r", live, &[Some(2), None]);
    check_baseline(Baseline::TwoOfThree, "/old/a Alpha rays\n/old/b", live, &[Some(0), None]);
}

#[test]
fn texts_are_compared_where_there_are_any() {
    let page = |url, text| PageInfo { url, title: None, text: Some(text) };
    let live =
        [page("https://example.org/x", "one two three"), page("https://example.org/y", "four")];
    let dead =
        [page("https://example.org/a", "One, two: three!"), page("https://example.org/b", "five")];
    assert_eq!(Baseline::ContentHash.answers(&dead, &live), [Some(0), None]);
    assert_eq!(Baseline::SimilarText.answers(&dead, &live), [Some(0), None]);
}

/// Some path of two short names.
fn path() -> impl Strategy<Value = String> {
    "/[a-d]{1,2}/[a-e]{1,3}(-[a-e]{1,2})?( [A-E]{2} [a-e]{2})?"
}

/// Lines of pages.
fn list() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(path(), 0..12)
}

proptest! {
    #[test]
    fn the_order_of_the_lists_does_not_matter(dead in list(), live in list()) {
        let forth = answers(&dead.join("\n"), &live.join("\n"), &[]);
        let turn = |list: &[String]| list.iter().rev().cloned().collect::<Vec<_>>().join("\n");
        let mut back = answers(&turn(&dead), &turn(&live), &[]);
        back.reverse();
        prop_assert_eq!(forth, back);
    }

    #[test]
    fn a_live_page_that_shares_no_word_changes_no_silence(dead in list(), live in list()) {
        let before = answers(&dead.join("\n"), &live.join("\n"), &[]);
        let more = format!("{}\n/zz/zzzz Zzz zzzzz", live.join("\n"));
        let after = answers(&dead.join("\n"), &more, &[]);
        for answer in after {
            prop_assert_ne!(answer, "/zz/zzzz");
        }
        prop_assert_eq!(before.len(), dead.len());
    }

    #[test]
    fn any_text_can_be_asked_about(url in ".{0,40}", title in ".{0,20}", other in ".{0,40}") {
        let dead = [PageInfo { url: &url, title: Some(&title), text: None }];
        let live = [PageInfo { url: &other, title: Some(&title), text: None }];
        let known = [KnownAlias { old: &url, new: &other }];
        let study = SiteMatcher::new(&dead, &live, &known);
        if let MatchResult::Alias(found) = study.answer(0) {
            prop_assert_eq!(found.live, 0);
        }
    }
}
