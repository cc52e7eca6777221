//! Runs plans against given result counts.

use proptest::prelude::*;

use super::*;
use crate::keyphrase::Keyphrase;

/// Returns keyphrases of one word each, the most specific first.
fn page(phrases: &str) -> Keyphrases {
    let phrases = phrases.split_whitespace().map(|text| Keyphrase {
        text: text.to_owned(),
        count: 1,
        weighted_count: 1,
    });
    let phrases: Vec<_> = phrases.collect();
    Keyphrases { exact: phrases.clone(), similar: phrases }
}

/// Runs a plan with these result counts and returns its queries, separated by ` > `.
fn run_plan(mut plan: QueryPlan, result_counts: &[u64]) -> String {
    let mut queries = Vec::new();
    for found in result_counts {
        let Some(query) = plan.query() else { break };
        queries.push(query.to_string().replace('"', ""));
        plan.record_result_count(*found);
    }
    queries.push(plan.query().map_or("end".to_owned(), |query| query.to_string().replace('"', "")));
    queries.join(" > ")
}

/// Asserts the queries of a plan, in the notation of [`run_plan`].
#[track_caller]
fn check(goal: SearchGoal, phrases: &str, result_counts: &[u64], expect: &str) {
    assert_eq!(run_plan(QueryPlan::new(goal, &page(phrases), None), result_counts), expect);
}

#[test]
fn identical_plan_adds_phrases_until_few_results_remain() {
    check(SearchGoal::Identical, "a b c d", &[900, 40, 3], "a b > a b c > a b c d > end");
    check(SearchGoal::Identical, "a b c d", &[7], "a b > end");
}

#[test]
fn identical_plan_replaces_phrases_without_results() {
    check(SearchGoal::Identical, "a b c d e", &[900, 0, 0, 2], "a b > a b c > a b d > a b e > end");
    check(SearchGoal::Identical, "a b c", &[0, 0], "a b > a c > end");
}

#[test]
fn similar_plan_drops_phrases_until_enough_results() {
    check(SearchGoal::Similar, "a b c", &[0, 4, 500], "a b c > a b > a > end");
    check(SearchGoal::Similar, "a b c", &[0, 0, 0], "a b c > a b > a > end");
    check(SearchGoal::Similar, "a b c d e f g h i j", &[10], "a b c d e f g h > end");
}

#[test]
fn plan_without_phrases_has_no_query() {
    check(SearchGoal::Identical, "", &[], "end");
    check(SearchGoal::Similar, "", &[], "end");
}

#[test]
fn leading_queries_are_sent_first_regardless_of_results() {
    let title = title_query("Snowy owls", Some("example.org"));
    let nothing = title_query("—", None);
    let plan = QueryPlan::new(SearchGoal::Identical, &page("a b c"), Some("example.org"));
    let plan = plan.with_leading_queries([nothing, title]);
    let site = "site:example.org";
    let expect = format!("snowy owls {site} > a b {site} > end");
    assert_eq!(run_plan(plan, &[4_000, 1]), expect);
}

#[test]
fn plan_ends_after_the_maximum_number_of_queries() {
    let limits = PlanLimits { max_queries: 2, ..PlanLimits::for_goal(SearchGoal::Identical) };
    let plan = QueryPlan::with_limits(SearchGoal::Identical, &page("a b c d e f"), None, limits);
    assert_eq!(run_plan(plan, &[900; 9]), "a b > a b c > end");
}

/// Asserts the words of the query for a title.
#[track_caller]
fn check_title(title: &str, site: &str, expect: &str) {
    assert_eq!(title_query(title, Some(site)).terms.join(" "), expect);
}

#[test]
fn title_query_excludes_the_site_name() {
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
        result_counts in prop::collection::vec(0_u64..50, 20),
        is_similar in any::<bool>(),
    ) {
        let goal = if is_similar { SearchGoal::Similar } else { SearchGoal::Identical };
        let plan = QueryPlan::new(goal, &page(&phrases), None);
        prop_assert!(run_plan(plan, &result_counts).ends_with("end"));
    }
}
