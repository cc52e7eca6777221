//! Plans, played against engines that are only numbers.

use proptest::prelude::*;

use super::*;
use crate::keyphrase::Keyphrase;

fn page(phrases: &str) -> Keyphrases {
    let phrases = phrases.split_whitespace().map(|it| Keyphrase { text: it.to_owned(), count: 1 });
    let phrases: Vec<_> = phrases.collect();
    Keyphrases { exact: phrases.clone(), similar: phrases }
}

/// The queries of a plan to which these numbers of pages fit.
fn played(mut plan: QueryPlan, answers: &[u64]) -> String {
    let mut story = Vec::new();
    for found in answers {
        let Some(query) = plan.query() else { break };
        story.push(query.to_string().replace('"', ""));
        plan.answered(*found);
    }
    story.push(plan.query().map_or("end".to_owned(), |query| query.to_string().replace('"', "")));
    story.join(" > ")
}

#[track_caller]
fn check(aim: SearchGoal, phrases: &str, answers: &[u64], expect: &str) {
    assert_eq!(played(QueryPlan::new(aim, &page(phrases), None), answers), expect);
}

#[test]
fn the_very_page_is_found_by_adding_phrases() {
    check(SearchGoal::Identical, "a b c d", &[900, 40, 3], "a b > a b c > a b c d > end");
    check(SearchGoal::Identical, "a b c d", &[7], "a b > end");
}

#[test]
fn a_phrase_that_fits_nothing_gives_way_to_another() {
    check(SearchGoal::Identical, "a b c d e", &[900, 0, 0, 2], "a b > a b c > a b d > a b e > end");
    check(SearchGoal::Identical, "a b c", &[0, 0], "a b > a c > end");
}

#[test]
fn pages_like_it_are_found_by_dropping_phrases() {
    check(SearchGoal::Similar, "a b c", &[0, 4, 500], "a b c > a b > a > end");
    check(SearchGoal::Similar, "a b c", &[0, 0, 0], "a b c > a b > a > end");
    check(SearchGoal::Similar, "a b c d e f g h i j", &[10], "a b c d e f g h > end");
}

#[test]
fn a_plan_without_phrases_is_at_its_end() {
    check(SearchGoal::Identical, "", &[], "end");
    check(SearchGoal::Similar, "", &[], "end");
}

#[test]
fn the_title_is_asked_for_first_whatever_it_finds() {
    let title = title_query("Snowy owls", Some("example.org"));
    let nothing = title_query("—", None);
    let plan = QueryPlan::new(SearchGoal::Identical, &page("a b c"), Some("example.org"));
    let plan = plan.led_by([nothing, title]);
    let site = "site:example.org";
    let expect = format!("snowy owls {site} > a b {site} > end");
    assert_eq!(played(plan, &[4_000, 1]), expect);
}

#[test]
fn a_plan_ends_after_so_many_queries() {
    let limits = PlanLimits { queries: 2, ..PlanLimits::of(SearchGoal::Identical) };
    let plan = QueryPlan::with_limits(SearchGoal::Identical, &page("a b c d e f"), None, limits);
    assert_eq!(played(plan, &[900; 9]), "a b > a b c > end");
}

#[track_caller]
fn check_title(title: &str, site: &str, expect: &str) {
    assert_eq!(title_query(title, Some(site)).terms.join(" "), expect);
}

#[test]
fn the_name_of_the_site_is_no_part_of_the_title() {
    check_title("Example - The snowy owl – Birds", "www.example.org", "snowy owl birds");
    check_title("Open-source: a guide | My Example", "myexample.test", "open-source guide");
    check_title("Example", "example.org", "example");
    check_title("About Us", "example.org", "about us");
    check_title("AI | Notes", "mail.test", "ai notes");
}

proptest! {
    #[test]
    fn every_plan_ends(
        phrases in "([a-e] ){0,9}",
        answers in prop::collection::vec(0_u64..50, 20),
        is_similar in any::<bool>(),
    ) {
        let aim = if is_similar { SearchGoal::Similar } else { SearchGoal::Identical };
        let plan = QueryPlan::new(aim, &page(&phrases), None);
        prop_assert!(played(plan, &answers).ends_with("end"));
    }
}
