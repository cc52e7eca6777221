//! What to ask search engines for a lost page, on its site and anywhere.
//!
//! First its title, then its lexical signature (Phelps and Wilensky), then its
//! keyphrases (Walden's Paths, section 5): more of them while too many pages
//! fit, if the very page is wanted; fewer while too few do, if pages like it
//! are. Nobody is asked here.

use relink_model::{Digest, SearchQuery};
use relink_page::{
    DocumentFrequencies, Keyphrases, PlanLimits, QueryPlan, SIGNATURE_WORDS, SearchGoal,
    keyphrases, lexical_signature, title_query,
};
use relink_revive::Site;

use super::AliasSearch;

/// On the site of the page: one search, as FABLE has it (§4.3), and one more
/// where that finds nothing.
const ON_SITE: PlanLimits = PlanLimits { first: 2, wanted: 10, queries: 2 };

/// Anywhere, the very page: by title, by signature, by two phrases and more.
const THE_PAGE: PlanLimits = PlanLimits { first: 2, wanted: 10, queries: 5 };

/// Anywhere, pages like it: from five phrases, or as many as there are, down to
/// one.
const ITS_LIKE: PlanLimits = PlanLimits { first: 5, wanted: 3, queries: 4 };

/// The plan to find a page on its own site.
pub(super) fn on_site(quest: &AliasSearch) -> QueryPlan {
    let site = Site::of(&quest.page.url);
    let text = quest.copy.as_ref().map(text).unwrap_or_default();
    let plan = QueryPlan::with_limits(
        SearchGoal::Identical,
        &phrases(&text),
        Some(site.as_str()),
        ON_SITE,
    );
    let leads = [by_title(quest), by_signature(&text)];
    plan.led_by(leads.map(|query| query.within(site.as_str())))
}

/// The plan to find a page, or pages like it, wherever they are.
pub(super) fn anywhere(quest: &AliasSearch, aim: SearchGoal) -> QueryPlan {
    let text = quest.copy.as_ref().map(text).unwrap_or_default();
    match aim {
        SearchGoal::Identical => QueryPlan::with_limits(aim, &phrases(&text), None, THE_PAGE)
            .led_by([by_title(quest), by_signature(&text)]),
        SearchGoal::Similar => QueryPlan::with_limits(aim, &phrases(&text), None, ITS_LIKE),
    }
}

/// The words that are known of a page. Each part ends a phrase.
fn text(copy: &Digest) -> String {
    let parts = copy.title.iter().chain(&copy.headings);
    let parts: Vec<&str> =
        parts.chain([&copy.text_start, &copy.text_end]).map(String::as_str).collect();
    parts.join(".\n")
}

fn phrases(text: &str) -> Keyphrases {
    keyphrases(text, &DocumentFrequencies::default())
}

fn by_signature(text: &str) -> SearchQuery {
    SearchQuery::new(lexical_signature(text, &DocumentFrequencies::default(), SIGNATURE_WORDS))
}

/// The title of the last good copy, or else the words that the address itself
/// is made of.
fn by_title(quest: &AliasSearch) -> SearchQuery {
    let site = Site::of(&quest.page.url);
    match &quest.old.title {
        Some(title) => SearchQuery { site: None, ..title_query(title, Some(site.as_str())) },
        None => SearchQuery::new(words(quest.page.url.path())),
    }
}

/// The words of the last part of a path, its extension aside.
fn words(path: &str) -> Vec<String> {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::RequestRights;

    use super::super::DeadPage;
    use super::*;

    /// A quest for a page of which this much is remembered.
    fn quest(title: Option<&str>, opening: &str) -> AliasSearch {
        let url = "http://www.example.org/birds/snowy_owls.html".parse().unwrap();
        let page = DeadPage { url, known: None, rights: RequestRights::discovered() };
        let mut quest = AliasSearch::new(page, Timestamp::UNIX_EPOCH);
        quest.old.title = title.map(str::to_owned);
        let is_known = !opening.is_empty();
        quest.copy =
            is_known.then(|| Digest { text_start: opening.to_owned(), ..Digest::default() });
        quest
    }

    /// All queries of a plan, answered by these numbers of pages.
    #[track_caller]
    fn check(mut plan: QueryPlan, answers: &[u64], expect: &[&str]) {
        let mut asked = Vec::new();
        for found in answers {
            let Some(query) = plan.query() else { break };
            asked.push(query.to_string());
            plan.answered(*found);
        }
        assert_eq!(asked, expect);
    }

    const TEXT: &str = "Lemmings. Lemmings. Tundra. Plumage. Arctic.";

    #[test]
    fn the_title_comes_first_then_rare_words_then_phrases() {
        let quest = quest(Some("Snowy owls | Example"), TEXT);
        check(
            on_site(&quest),
            &[0, 0, 0, 0],
            &["snowy owls site:example.org", "lemmings plumage tundra arctic site:example.org"],
        );
        check(
            anywhere(&quest, SearchGoal::Identical),
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
    fn pages_like_it_are_looked_for_with_ever_fewer_phrases() {
        let text = "Lemmings. Tundra. Plumage. Lemmings. Tundra. Plumage.";
        check(
            anywhere(&quest(None, text), SearchGoal::Similar),
            &[0, 0, 9, 9],
            &["\"lemmings\" \"tundra\" \"plumage\"", "\"lemmings\" \"tundra\"", "\"lemmings\""],
        );
    }

    #[test]
    fn a_page_that_nobody_remembers_has_its_address() {
        check(on_site(&quest(None, "")), &[0, 0], &["snowy owls site:example.org"]);
    }

    #[test]
    fn an_address_is_made_of_words() {
        assert_eq!(words("/guide/How_to-set.up.html"), ["how", "set"]);
        assert_eq!(words("/a/b/"), [""; 0]);
    }
}
