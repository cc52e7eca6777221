//! Builds search queries for a lost page, on its site and on the whole web.
//!
//! The queries consist of the title first, then of the *lexical signature* (the most
//! characteristic words of the text, see Phelps and Wilensky), then of keyphrases (the papers
//! on Walden's Paths, section 5). A search for the identical page adds phrases while there
//! are too many results. A search for similar pages removes phrases while there are too
//! few. This module does not send queries.

use relink_keyphrase::{
    DocumentFrequencies, Keyphrases, PlanLimits, QueryPlan, SIGNATURE_WORDS, SearchGoal,
    keyphrases, lexical_signature, title_query,
};
use relink_model::{Digest, SearchQuery};
use relink_revive::Site;

use super::AliasSearch;

/// Limits on the site of the page: one search, as in the paper on FABLE (section 4.3), and
/// one more if the first finds nothing.
const SITE_LIMITS: PlanLimits =
    PlanLimits { initial_phrases: 2, min_phrases: 1, enough_results: 10, max_queries: 2 };

/// Limits for the identical page on the whole web: title, signature, then two
/// or more phrases.
const IDENTICAL_LIMITS: PlanLimits =
    PlanLimits { initial_phrases: 2, min_phrases: 1, enough_results: 10, max_queries: 5 };

/// Limits for similar pages on the whole web: from five phrases down to one.
const SIMILAR_LIMITS: PlanLimits =
    PlanLimits { initial_phrases: 5, min_phrases: 1, enough_results: 3, max_queries: 4 };

/// Returns the plan to find a page on its own site.
pub(super) fn site_plan(search: &AliasSearch) -> QueryPlan {
    let site = Site::from_url(&search.page.url);
    let text = search.copy.as_ref().map(known_text).unwrap_or_default();
    let plan = QueryPlan::with_limits(
        SearchGoal::Identical,
        &keyphrases_of(&text),
        Some(site.as_str()),
        SITE_LIMITS,
    );
    let leading = [title_search(search), signature_search(&text)];
    plan.with_leading_queries(leading.map(|query| query.with_site(site.as_str())))
}

/// Returns the plan to find a page, or similar pages, on the whole web.
pub(super) fn web_plan(search: &AliasSearch, goal: SearchGoal) -> QueryPlan {
    let text = search.copy.as_ref().map(known_text).unwrap_or_default();
    match goal {
        SearchGoal::Identical => {
            QueryPlan::with_limits(goal, &keyphrases_of(&text), None, IDENTICAL_LIMITS)
                .with_leading_queries([title_search(search), signature_search(&text)])
        }
        SearchGoal::Similar => {
            QueryPlan::with_limits(goal, &keyphrases_of(&text), None, SIMILAR_LIMITS)
        }
    }
}

/// Returns the known text of a page. The parts are separated by full stops, so that no phrase
/// contains words of two parts.
fn known_text(copy: &Digest) -> String {
    let parts = copy.title.iter().chain(&copy.headings);
    let parts: Vec<&str> =
        parts.chain([&copy.text_start, &copy.text_end]).map(String::as_str).collect();
    parts.join(".\n")
}

fn keyphrases_of(text: &str) -> Keyphrases {
    keyphrases(text, &DocumentFrequencies::default())
}

/// Returns the query for the lexical signature of a text.
fn signature_search(text: &str) -> SearchQuery {
    SearchQuery::new(lexical_signature(text, &DocumentFrequencies::default(), SIGNATURE_WORDS))
}

/// Returns the query for the title of the last good copy, or for the words of
/// the URL.
fn title_search(search: &AliasSearch) -> SearchQuery {
    let site = Site::from_url(&search.page.url);
    match &search.old.title {
        Some(title) => SearchQuery { site: None, ..title_query(title, Some(site.as_str())) },
        None => SearchQuery::new(path_words(search.page.url.path())),
    }
}

/// Returns the words of the last path segment, without its extension and without words of
/// one or two letters.
fn path_words(path: &str) -> Vec<String> {
    const MIN_LETTERS: usize = 3;
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    name.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().count() >= MIN_LETTERS)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::RequestRights;

    use super::super::DeadPage;
    use super::*;

    /// Returns the search for a page with this title and text. Without a text, no copy is known.
    fn search(title: Option<&str>, text: &str) -> AliasSearch {
        let url = "http://www.example.org/birds/snowy_owls.html".parse().unwrap();
        let page = DeadPage { url, stored: None, rights: RequestRights::discovered() };
        let mut search = AliasSearch::new(page, Timestamp::UNIX_EPOCH);
        search.old.title = title.map(str::to_owned);
        let has_copy = !text.is_empty();
        search.copy = has_copy.then(|| Digest { text_start: text.to_owned(), ..Digest::default() });
        search
    }

    /// Asserts the queries of a plan. `result_counts` are the numbers of results of the first,
    /// second, … query.
    #[track_caller]
    fn check(mut plan: QueryPlan, result_counts: &[u64], expected: &[&str]) {
        let mut queries = Vec::new();
        for result_count in result_counts {
            let Some(query) = plan.query() else { break };
            queries.push(query.to_string());
            plan.record_result_count(*result_count);
        }
        assert_eq!(queries, expected);
    }

    const TEXT: &str = "Lemmings. Lemmings. Tundra. Plumage. Arctic.";

    #[test]
    fn plan_has_title_then_signature_then_phrases() {
        let search = search(Some("Snowy owls | Example"), TEXT);
        // On the site, a second query is sent because the first finds nothing.
        check(
            site_plan(&search),
            &[0, 0, 0, 0],
            &["snowy owls site:example.org", "lemmings plumage tundra arctic site:example.org"],
        );
        check(
            web_plan(&search, SearchGoal::Identical),
            &[900, 900, 900, 1, 0],
            &[
                "snowy owls",
                "lemmings plumage tundra arctic",
                "\"lemmings\" \"tundra\"",
                "\"lemmings\" \"tundra\" \"plumage\"",
            ],
        );
    }

    #[test]
    fn similar_plan_removes_phrases() {
        let text = "Lemmings. Tundra. Plumage. Lemmings. Tundra. Plumage.";
        check(
            web_plan(&search(None, text), SearchGoal::Similar),
            &[0, 0, 9, 9],
            &["\"lemmings\" \"tundra\" \"plumage\"", "\"lemmings\" \"tundra\"", "\"lemmings\""],
        );
    }

    #[test]
    fn page_without_copy_is_searched_by_url_words() {
        check(site_plan(&search(None, "")), &[0, 0], &["snowy owls site:example.org"]);
    }

    #[test]
    fn path_words_splits_the_last_segment() {
        assert_eq!(path_words("/guide/How_to-set.up.html"), ["how", "set"]);
        assert_eq!(path_words("/a/b/"), [""; 0]);
    }
}
