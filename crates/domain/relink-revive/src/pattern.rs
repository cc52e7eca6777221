//! Coarse patterns: how far a candidate URL follows from the old page.
//!
//! FABLE, §4.1.2: each component of the candidate is *predictable* from the old
//! URL and title, *partly predictable* or *unpredictable*. The exact
//! transformation does not matter here.

mod cluster;

pub use cluster::{Cluster, NoClusterReason, best_cluster, clusters};

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::OldPage;
use crate::tokens::{stem, tokens};
use crate::url_parts::{bare_host, components};

/// How far a component follows from the old page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Predictability {
    /// All tokens of the component occur in the old page.
    #[serde(rename = "Pr")]
    Predictable,
    /// At least one token, and at least half of the pairs of adjacent tokens, occur in the old
    /// page.
    #[serde(rename = "PP")]
    PartlyPredictable,
    /// Too few tokens of the component occur in the old page.
    #[serde(rename = "UP")]
    Unpredictable,
}

impl fmt::Display for Predictability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Predictable => "Pr",
            Self::PartlyPredictable => "PP",
            Self::Unpredictable => "UP",
        })
    }
}

/// Which tokens of the old page a component is compared with. The *sources* of an old page are
/// the components of its URL and its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRule {
    /// The tokens of all sources together: the paper's rule.
    AllTogether,
    /// The tokens of one source at a time; the best source counts. All tokens of the component
    /// must occur in the source, and at least half of the tokens of the source must be used.
    /// Common tokens that match by chance then do not form a pattern.
    OneSource,
}

/// Divisor for the minimum share of known token pairs (§4.1.2, footnote 4) and
/// for the minimum share of used source tokens ([`TokenRule::OneSource`]).
const HALF: usize = 2;

/// A coarse pattern: a host, and the predictability of each path component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CoarsePattern {
    host: String,
    components: Vec<Predictability>,
}

impl CoarsePattern {
    /// Returns the pattern that leads from `old` to `candidate`.
    pub fn new(old: &OldPage, candidate: &Url, rule: TokenRule) -> Self {
        OldPageTokens::from_page(old).pattern(candidate, rule)
    }

    /// Returns the predictability of each path component, in order.
    pub fn components(&self) -> &[Predictability] {
        &self.components
    }

    /// Returns the number of components that are at least partly predictable.
    pub fn predictable_count(&self) -> usize {
        self.components
            .iter()
            .filter(|predictability| **predictability != Predictability::Unpredictable)
            .count()
    }
}

/// The notation of the paper: `example.org/Pr/UP`.
impl fmt::Display for CoarsePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        self.components.iter().try_for_each(|predictability| write!(f, "/{predictability}"))
    }
}

/// The tokens of an old page: one list per source.
struct OldPageTokens {
    lists: Vec<Vec<String>>,
    /// All tokens of the lists and of the whole URL.
    pool: HashSet<String>,
    /// Pairs of adjacent tokens of the lists.
    pairs: HashSet<[String; 2]>,
}

impl OldPageTokens {
    fn from_page(old: &OldPage) -> Self {
        let mut lists = vec![tokens(&bare_host(&old.url))];
        lists.extend(components(&old.url).map(|component| tokens(stem(component))));
        let values = old.url.query().unwrap_or_default().split('&');
        lists.extend(values.map(|value| tokens(value.split_once('=').map_or(value, |it| it.1))));
        lists.extend(old.title.as_deref().map(tokens));
        lists.retain(|list| !list.is_empty());
        let whole = tokens(old.url.as_str());
        let pool = lists.iter().flatten().chain(&whole).cloned().collect();
        let pairs = lists.iter().flat_map(|list| pairs(list)).collect();
        Self { lists, pool, pairs }
    }

    fn pattern(&self, candidate: &Url, rule: TokenRule) -> CoarsePattern {
        let predictability =
            component_tokens(candidate).map(|part| self.predictability(&part, rule));
        CoarsePattern { host: bare_host(candidate), components: predictability.collect() }
    }

    fn predictability(&self, part: &[String], rule: TokenRule) -> Predictability {
        match rule {
            TokenRule::AllTogether => self.grade_against_pool(part),
            TokenRule::OneSource => {
                let best = self.lists.iter().map(|list| grade_against_source(part, list)).min();
                best.unwrap_or(Predictability::Unpredictable)
            }
        }
    }

    fn grade_against_pool(&self, part: &[String]) -> Predictability {
        let known = part.iter().filter(|token| self.pool.contains(*token)).count();
        grade(part, known, |pair| self.pairs.contains(pair))
    }
}

/// Grades a component by the tokens of a single source.
pub(crate) fn grade_against_source<T: PartialEq + Clone>(
    part: &[T],
    source: &[T],
) -> Predictability {
    let known = part.iter().filter(|token| source.contains(token)).count();
    let used = source.iter().filter(|token| part.contains(token)).count();
    if used * HALF < source.len() {
        return Predictability::Unpredictable;
    }
    grade(part, known, |pair| source.windows(2).any(|own| own == pair))
}

/// Grades a component of which `known` tokens occur in the old page.
fn grade<T: PartialEq + Clone>(
    part: &[T],
    known: usize,
    is_known_pair: impl Fn(&[T; 2]) -> bool,
) -> Predictability {
    if known == part.len() {
        return Predictability::Predictable;
    }
    let pairs = pairs(part);
    let known_pairs = pairs.iter().filter(|pair| is_known_pair(pair)).count();
    let is_partly = known > 0 && !pairs.is_empty() && known_pairs * HALF >= pairs.len();
    if is_partly { Predictability::PartlyPredictable } else { Predictability::Unpredictable }
}

/// Returns all pairs of adjacent tokens.
fn pairs<T: Clone>(tokens: &[T]) -> Vec<[T; 2]> {
    let next = tokens.iter().skip(1);
    tokens.iter().zip(next).map(|(token, next)| [token.clone(), next.clone()]).collect()
}

/// Returns the tokens of each component of a candidate. The query belongs to
/// the last component, because the paper splits at `/` only.
fn component_tokens(candidate: &Url) -> impl Iterator<Item = Vec<String>> {
    let mut parts: Vec<Vec<String>> =
        components(candidate).map(|component| tokens(stem(component))).collect();
    if let Some(query) = candidate.query() {
        if candidate.path().ends_with('/') {
            parts.push(Vec::new());
        }
        if let Some(last) = parts.last_mut() {
            last.extend(tokens(query));
        }
    }
    parts.into_iter().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the pattern from an old page to a candidate. URLs are written without scheme.
    #[track_caller]
    fn check(rule: TokenRule, old: &str, title: &str, candidate: &str, expect: &str) {
        let url = |text: &str| format!("http://{text}").parse::<Url>().unwrap();
        let old = OldPage::new(url(old)).with_title(title);
        let found = CoarsePattern::new(&old, &url(candidate), rule);
        assert_eq!(found.to_string(), expect);
    }

    // `u1`, `c12` and `c13` are the names of the URLs in the paper's tables 5 and 6.
    const U1: &str = "solomontimes.com/news.aspx?nwid=1121";
    const U1_TITLE: &str = "No Need for Government Candidate: CEO Transparency Solomon Islands";
    const C12: &str = "solomontimes.com/news/\
        no-need-for-government-candidate-ceo-transparency-solomon-islands/1121";
    const C13: &str = "solomontimes.com/news/\
        governments-prime-minister-candidate-pledges-reconciliation-as-priority/1112";

    #[test]
    fn fable_table_5() {
        let check = |candidate, expect| {
            check(TokenRule::AllTogether, U1, U1_TITLE, candidate, expect);
            check(TokenRule::OneSource, U1, U1_TITLE, candidate, expect);
        };
        check("solomontimes.com/letter/1121", "solomontimes.com/UP/Pr");
        check(C12, "solomontimes.com/Pr/Pr/Pr");
        check(C13, "solomontimes.com/Pr/UP/UP");
    }

    #[test]
    fn fable_figure_6_new_number_makes_component_partly_predictable() {
        let old = "cbc.ca/news/story/2000/07/04/rancher000724.html";
        let candidate = "cbc.ca/news/canada/rancher-survives-tornado-1.215189";
        for rule in [TokenRule::AllTogether, TokenRule::OneSource] {
            check(rule, old, "Rancher survives tornado", candidate, "cbc.ca/Pr/UP/PP");
        }
    }

    #[test]
    fn patterns_equal_fable_table_1() {
        let check =
            |old, candidate, expect| check(TokenRule::AllTogether, old, "", candidate, expect);
        check("sup.org/book.cgi?id=21682", "sup.org/books/title/?id=21682", "sup.org/UP/UP/Pr");
        check(
            "elections.nytimes.com/2010/house/new-york/03",
            "www.nytimes.com/elections/2010/house/new-york/3.html",
            "nytimes.com/Pr/Pr/Pr/Pr/Pr",
        );
    }

    #[test]
    fn fable_footnote_4_few_shared_tokens_are_unpredictable() {
        let old = "example.org/chili_peppers_camron_top_the_chart";
        let candidate = "example.org/red-hot-chili-peppers-attack-the-chart-116269";
        check(TokenRule::AllTogether, old, "", candidate, "example.org/UP");
    }

    #[test]
    fn tokens_of_several_sources_match_only_in_the_pool() {
        let (old, candidate) = ("example.org/music/jazz/miles", "example.org/music-miles");
        check(TokenRule::AllTogether, old, "", candidate, "example.org/Pr");
        check(TokenRule::OneSource, old, "", candidate, "example.org/UP");
    }

    #[test]
    fn small_part_of_a_title_does_not_match_per_source() {
        let title = "The long and winding road to somewhere else";
        check(TokenRule::AllTogether, "example.org/1", title, "example.org/road", "example.org/Pr");
        check(TokenRule::OneSource, "example.org/1", title, "example.org/road", "example.org/UP");
    }
}
