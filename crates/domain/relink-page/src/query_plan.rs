//! What to ask search engines for a page, one query after the other.
//!
//! The very page is looked for with few phrases, and more are added until few
//! pages are left; pages like it are looked for with many phrases, and the
//! weakest are dropped until there are enough (Walden's Paths, section 5).
//! Nobody is asked here: whoever asks tells how many pages fit.

use relink_model::SearchQuery;

use crate::keyphrase::Keyphrases;
use crate::runs::words;
use crate::stop_words::is_stop_word;

/// The most words of a title that are asked for.
const MOST_TITLE_WORDS: usize = 16;

/// What parts the title of a page from the name of its site.
const SEPARATORS: [&str; 9] = [" | ", " - ", " – ", " — ", " :: ", " · ", " • ", " » ", " « "];

/// A name shorter than this may stand in a host by chance.
const SHORTEST_NAME: usize = 3;

/// A query for the words of a title, without the name of the site.
///
/// ```
/// let query = relink_page::title_query("The snowy owl | Example", Some("example.org"));
/// assert_eq!(query.to_string(), "snowy owl site:example.org");
/// ```
pub fn title_query(title: &str, site: Option<&str>) -> SearchQuery {
    let all: Vec<_> = words(&without_site_name(title, site)).collect();
    let telling: Vec<_> = all.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    // A title of nothing but such words is still a title.
    let mut terms = if telling.is_empty() { all } else { telling };
    terms.truncate(MOST_TITLE_WORDS);
    SearchQuery { site: site.map(str::to_owned), ..SearchQuery::new(terms) }
}

/// A title without those pieces that only name its site.
fn without_site_name(title: &str, site: Option<&str>) -> String {
    let letters = |text: &str| -> String {
        text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let host = site.map(letters).unwrap_or_default();
    let parted = SEPARATORS.iter().fold(title.to_owned(), |text, mark| text.replace(mark, "\n"));
    let is_name = |piece: &&str| {
        let name = letters(piece);
        name.chars().count() >= SHORTEST_NAME && host.contains(&name)
    };
    let kept: Vec<_> = parted.split('\n').filter(|piece| !is_name(piece)).collect();
    if letters(&kept.concat()).is_empty() { title.to_owned() } else { kept.join("\n") }
}

/// What a plan looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchGoal {
    /// The very page, or a copy of it.
    Identical,
    /// Pages about the same thing.
    Similar,
}

/// The numbers of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// With how many phrases it begins.
    pub first: usize,
    /// So many pages are few enough, or enough.
    pub wanted: u64,
    /// The most queries in all.
    pub queries: usize,
}

impl PlanLimits {
    /// The numbers unless told. Five or six phrases usually find one page
    /// (Walden's Paths, section 5); the rest is ours.
    pub const fn of(aim: SearchGoal) -> Self {
        match aim {
            SearchGoal::Identical => Self { first: 2, wanted: 10, queries: 6 },
            SearchGoal::Similar => Self { first: 8, wanted: 10, queries: 8 },
        }
    }
}

/// A search, query by query.
///
/// ```
/// use relink_page::{Aim, Frequencies, QueryPlan, keyphrases};
/// let page = keyphrases("Snowy owl. Barn owl. Eagle owl.", &Frequencies::default());
/// let mut plan = QueryPlan::new(Aim::Identical, &page, None);
/// assert_eq!(plan.query().unwrap().to_string(), "\"snowy owl\" \"barn owl\"");
/// plan.answered(5_000);
/// assert_eq!(plan.query().unwrap().to_string(), "\"snowy owl\" \"barn owl\" \"eagle owl\"");
/// plan.answered(1);
/// assert_eq!(plan.query(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryPlan {
    aim: SearchGoal,
    limits: PlanLimits,
    site: Option<String>,
    /// Asked before any phrase, the next one first.
    leads: Vec<SearchQuery>,
    /// Those not tried yet, the most telling first.
    left: Vec<String>,
    /// Those in the next query.
    chosen: Vec<String>,
    query: Option<SearchQuery>,
    asked: usize,
}

impl QueryPlan {
    /// A plan to find a page by its keyphrases, on one site or anywhere.
    pub fn new(aim: SearchGoal, page: &Keyphrases, site: Option<&str>) -> Self {
        Self::with_limits(aim, page, site, PlanLimits::of(aim))
    }

    /// The same with other numbers.
    pub fn with_limits(
        aim: SearchGoal,
        page: &Keyphrases,
        site: Option<&str>,
        limits: PlanLimits,
    ) -> Self {
        let phrases = match aim {
            SearchGoal::Identical => &page.exact,
            SearchGoal::Similar => &page.similar,
        };
        let mut chosen: Vec<_> = phrases.iter().map(|phrase| phrase.text.clone()).collect();
        let left = chosen.split_off(limits.first.max(1).min(chosen.len()));
        let site = site.map(str::to_owned);
        let (leads, asked) = (Vec::new(), 0);
        let mut plan = Self { aim, limits, site, leads, left, chosen, query: None, asked };
        plan.propose();
        plan
    }

    /// The plan with other queries before it, such as one for the title, the
    /// first one first.
    #[must_use]
    pub fn led_by(mut self, leads: impl IntoIterator<Item = SearchQuery>) -> Self {
        self.leads = leads.into_iter().filter(|query| !query.is_empty()).collect();
        self.propose();
        self
    }

    /// What to ask now, or nothing if the plan is at its end.
    pub fn query(&self) -> Option<&SearchQuery> {
        self.query.as_ref()
    }

    /// Goes on, now that so many pages are known to fit the query.
    pub fn answered(&mut self, found: u64) {
        if self.query.take().is_none() {
            return;
        }
        self.asked += 1;
        let goes_on = match self.aim {
            _ if !self.leads.is_empty() => {
                self.leads.remove(0);
                true
            }
            SearchGoal::Identical => self.tighten(found),
            SearchGoal::Similar => self.loosen(found),
        };
        if goes_on {
            self.propose();
        }
    }

    fn propose(&mut self) {
        let phrases = self.leads.is_empty().then(|| {
            let query = SearchQuery { phrases: self.chosen.clone(), ..SearchQuery::new([""; 0]) };
            SearchQuery { site: self.site.clone(), ..query }
        });
        let next = phrases.or_else(|| self.leads.first().cloned());
        self.query = next.filter(|it| !it.is_empty() && self.asked < self.limits.queries);
    }

    /// Adds a phrase while too many pages fit. A phrase with which none fits
    /// is not on the page any more: another takes its place.
    fn tighten(&mut self, found: u64) -> bool {
        if (1..=self.limits.wanted).contains(&found) || self.left.is_empty() {
            return false;
        }
        if found == 0 {
            self.chosen.pop();
        }
        self.chosen.push(self.left.remove(0));
        true
    }

    /// Drops the weakest phrase while too few pages fit.
    fn loosen(&mut self, found: u64) -> bool {
        if found >= self.limits.wanted {
            return false;
        }
        self.chosen.pop();
        true
    }
}

#[cfg(test)]
mod tests;
