//! Plans the search engine queries for a page, one after the other.
//!
//! A plan to find the identical page starts with few phrases and adds phrases
//! until few results are left. A plan to find similar pages starts with many
//! phrases and drops the least specific phrase until there are enough results (Walden's
//! Paths, section 5). The caller sends the queries and reports the number of results.

use relink_model::SearchQuery;
use relink_page::is_stop_word;

use crate::keyphrase::Keyphrases;
use crate::word_runs::words;

/// Maximum number of words in a title query.
const MAX_TITLE_WORDS: usize = 16;

/// Separators between the title of a page and the name of its site.
const SEPARATORS: [&str; 9] = [" | ", " - ", " – ", " — ", " :: ", " · ", " • ", " » ", " « "];

/// Minimum length of a site name, in characters. A shorter text may occur in the
/// host name by chance.
const MIN_SITE_NAME: usize = 3;

/// Returns a query for the words of a title, without the name of the site.
///
/// ```
/// let query = relink_keyphrase::title_query("The snowy owl | Example", Some("example.org"));
/// assert_eq!(query.to_string(), "snowy owl site:example.org");
/// ```
pub fn title_query(title: &str, site: Option<&str>) -> SearchQuery {
    let all: Vec<_> = words(&without_site_name(title, site)).collect();
    let content_words: Vec<_> = all.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    // Use all words of a title that consists of stop words.
    let mut terms = if content_words.is_empty() { all } else { content_words };
    terms.truncate(MAX_TITLE_WORDS);
    SearchQuery { site: site.map(str::to_owned), ..SearchQuery::new(terms) }
}

/// Returns a title without the parts that only name its site.
fn without_site_name(title: &str, site: Option<&str>) -> String {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|character| character.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let host = site.map(letters).unwrap_or_default();
    let mut lines = title.to_owned();
    for separator in SEPARATORS {
        lines = lines.replace(separator, "\n");
    }
    let is_site_name = |part: &&str| {
        let name = letters(part);
        name.chars().count() >= MIN_SITE_NAME && host.contains(&name)
    };
    let parts: Vec<_> = lines.split('\n').filter(|part| !is_site_name(part)).collect();
    if letters(&parts.concat()).is_empty() { title.to_owned() } else { parts.join("\n") }
}

/// The goal of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchGoal {
    /// The page itself or a copy of it.
    Identical,
    /// Pages on the same topic.
    Similar,
}

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// Number of phrases in the first query.
    pub initial_phrases: usize,
    /// Minimum number of phrases in a query for similar pages.
    pub min_phrases: usize,
    /// Number of results at which the plan ends: the maximum for
    /// [`SearchGoal::Identical`], the minimum for [`SearchGoal::Similar`].
    pub enough_results: u64,
    /// Maximum number of queries.
    pub max_queries: usize,
}

impl PlanLimits {
    /// Returns the default limits. Five or six phrases usually find one page
    /// (Walden's Paths, section 5); the other numbers are Relink's own.
    pub const fn for_goal(goal: SearchGoal) -> Self {
        match goal {
            SearchGoal::Identical => {
                Self { initial_phrases: 2, min_phrases: 1, enough_results: 10, max_queries: 6 }
            }
            SearchGoal::Similar => {
                Self { initial_phrases: 8, min_phrases: 1, enough_results: 10, max_queries: 8 }
            }
        }
    }
}

/// A sequence of queries, each of which depends on the results of the last.
///
/// ```
/// use relink_keyphrase::{DocumentFrequencies, QueryPlan, SearchGoal, keyphrases};
/// let page = keyphrases("Snowy owl. Barn owl. Eagle owl.", &DocumentFrequencies::default());
/// let mut plan = QueryPlan::new(SearchGoal::Identical, &page, None);
/// assert_eq!(plan.query().unwrap().to_string(), "\"snowy owl\" \"barn owl\"");
/// plan.record_result_count(5_000);
/// assert_eq!(plan.query().unwrap().to_string(), "\"snowy owl\" \"barn owl\" \"eagle owl\"");
/// plan.record_result_count(1);
/// assert_eq!(plan.query(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryPlan {
    goal: SearchGoal,
    limits: PlanLimits,
    site: Option<String>,
    /// Queries to send before those with phrases, in order.
    leading_queries: Vec<SearchQuery>,
    /// Phrases that were not used yet, the most specific first.
    remaining_phrases: Vec<String>,
    /// Phrases of the current query.
    current_phrases: Vec<String>,
    query: Option<SearchQuery>,
    query_count: usize,
}

impl QueryPlan {
    /// Creates a plan to find a page by its keyphrases, on one site or on the
    /// whole web.
    pub fn new(goal: SearchGoal, page: &Keyphrases, site: Option<&str>) -> Self {
        Self::with_limits(goal, page, site, PlanLimits::for_goal(goal))
    }

    /// Creates a plan with the given limits.
    pub fn with_limits(
        goal: SearchGoal,
        page: &Keyphrases,
        site: Option<&str>,
        limits: PlanLimits,
    ) -> Self {
        let phrases = match goal {
            SearchGoal::Identical => &page.exact,
            SearchGoal::Similar => &page.similar,
        };
        let mut current_phrases: Vec<_> =
            phrases.iter().map(|phrase| phrase.text.clone()).collect();
        let remaining_phrases =
            current_phrases.split_off(limits.initial_phrases.max(1).min(current_phrases.len()));
        let site = site.map(str::to_owned);
        let (leading_queries, query_count) = (Vec::new(), 0);
        let mut plan = Self {
            goal,
            limits,
            site,
            leading_queries,
            remaining_phrases,
            current_phrases,
            query: None,
            query_count,
        };
        plan.prepare_query();
        plan
    }

    /// Adds queries to send first, such as one for the title.
    #[must_use]
    pub fn with_leading_queries(
        mut self,
        leading_queries: impl IntoIterator<Item = SearchQuery>,
    ) -> Self {
        self.leading_queries =
            leading_queries.into_iter().filter(|query| !query.is_empty()).collect();
        self.prepare_query();
        self
    }

    /// Returns the query to send, or `None` if the plan has ended.
    pub fn query(&self) -> Option<&SearchQuery> {
        self.query.as_ref()
    }

    /// Records the number of results of the current query and prepares the next
    /// one.
    pub fn record_result_count(&mut self, result_count: u64) {
        if self.query.take().is_none() {
            return;
        }
        self.query_count += 1;
        let continues = match self.goal {
            _ if !self.leading_queries.is_empty() => {
                self.leading_queries.remove(0);
                true
            }
            SearchGoal::Identical => self.tighten(result_count),
            SearchGoal::Similar => self.loosen(result_count),
        };
        if continues {
            self.prepare_query();
        }
    }

    /// Sets the query to send: the first leading query, or the current phrases.
    fn prepare_query(&mut self) {
        let phrases = self.leading_queries.is_empty().then(|| {
            let query =
                SearchQuery { phrases: self.current_phrases.clone(), ..SearchQuery::new([""; 0]) };
            SearchQuery { site: self.site.clone(), ..query }
        });
        let next = phrases.or_else(|| self.leading_queries.first().cloned());
        self.query =
            next.filter(|query| !query.is_empty() && self.query_count < self.limits.max_queries);
    }

    /// Adds a phrase if there are too many results. If there are no results, replaces the last
    /// phrase by another phrase, because the page no longer contains it. Returns whether the
    /// plan continues.
    fn tighten(&mut self, result_count: u64) -> bool {
        if (1..=self.limits.enough_results).contains(&result_count)
            || self.remaining_phrases.is_empty()
        {
            return false;
        }
        if result_count == 0 {
            self.current_phrases.pop();
        }
        self.current_phrases.push(self.remaining_phrases.remove(0));
        true
    }

    /// Drops the last, least specific phrase if there are too few results. Returns whether the
    /// plan continues.
    fn loosen(&mut self, result_count: u64) -> bool {
        let is_last = self.current_phrases.len() <= self.limits.min_phrases;
        if result_count >= self.limits.enough_results || is_last {
            return false;
        }
        self.current_phrases.pop();
        true
    }
}

#[cfg(test)]
mod tests;
