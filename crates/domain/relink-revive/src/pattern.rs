//! How a candidate's address is made from the old one, roughly.
//!
//! FABLE, §4.1.2: each component of the candidate is *predictable* from the
//! old address and title, *partly predictable* or *unpredictable*. Precisely
//! how it is made does not matter here.

mod cluster;

pub use cluster::{Cluster, NoCluster, best, clusters};

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::OldPage;
use crate::address::{bare_host, components};
use crate::tokens::{stem, tokens};

/// How far a component follows from the old page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Predictability {
    /// All its words do.
    #[serde(rename = "Pr")]
    Predictable,
    /// Some do, and at least half of its pairs of neighboring words.
    #[serde(rename = "PP")]
    PartlyPredictable,
    /// None do, or too few.
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

/// What the words of a component are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRule {
    /// All words of the old address and title in one pool: the paper's rule.
    Pooled,
    /// One component of the old address, or the title, at a time; all words
    /// must be in it, and it must be at least half used up. Common words that
    /// come together by chance are not taken for a pattern.
    PerSource,
}

/// The share of neighboring pairs that must be known (§4.1.2, footnote 4), and
/// the share of a source that must be used up under [`TokenRule::PerSource`].
const HALF: usize = 2;

/// A coarse pattern: a host, and how far each component follows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CoarsePattern {
    host: String,
    components: Vec<Predictability>,
}

impl CoarsePattern {
    /// The pattern by which `candidate` is made from `old`.
    pub fn of(old: &OldPage, candidate: &Url, rule: TokenRule) -> Self {
        Sources::of(old).pattern(candidate, rule)
    }

    /// How far each component of the path follows, in order.
    pub fn components(&self) -> &[Predictability] {
        &self.components
    }

    /// How many components follow, at least in part.
    pub fn known(&self) -> usize {
        self.components.iter().filter(|seen| **seen != Predictability::Unpredictable).count()
    }
}

/// As the paper writes it: `example.org/Pr/UP`.
impl fmt::Display for CoarsePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        self.components.iter().try_for_each(|seen| write!(f, "/{seen}"))
    }
}

/// The words of an old page: one list for each component and for the title.
struct Sources {
    lists: Vec<Vec<String>>,
    pool: HashSet<String>,
    pairs: HashSet<[String; 2]>,
}

impl Sources {
    fn of(old: &OldPage) -> Self {
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
        let seen = parts(candidate).map(|part| self.predictability(&part, rule));
        CoarsePattern { host: bare_host(candidate), components: seen.collect() }
    }

    fn predictability(&self, part: &[String], rule: TokenRule) -> Predictability {
        match rule {
            TokenRule::Pooled => self.pooled(part),
            TokenRule::PerSource => {
                let best = self.lists.iter().map(|list| in_source(part, list)).min();
                best.unwrap_or(Predictability::Unpredictable)
            }
        }
    }

    fn pooled(&self, part: &[String]) -> Predictability {
        let known = part.iter().filter(|word| self.pool.contains(*word)).count();
        grade(part, known, |pair| self.pairs.contains(pair))
    }
}

/// How far `part` follows from one source alone.
fn in_source(part: &[String], source: &[String]) -> Predictability {
    let known = part.iter().filter(|word| source.contains(word)).count();
    let used = source.iter().filter(|word| part.contains(word)).count();
    if used * HALF < source.len() {
        return Predictability::Unpredictable;
    }
    grade(part, known, |pair| source.windows(2).any(|own| own == pair))
}

/// The grade of a component of which so many words are known.
fn grade(
    part: &[String],
    known: usize,
    is_known_pair: impl Fn(&[String; 2]) -> bool,
) -> Predictability {
    if known == part.len() {
        return Predictability::Predictable;
    }
    let pairs = pairs(part);
    let known_pairs = pairs.iter().filter(|pair| is_known_pair(pair)).count();
    let is_partly = known > 0 && !pairs.is_empty() && known_pairs * HALF >= pairs.len();
    if is_partly { Predictability::PartlyPredictable } else { Predictability::Unpredictable }
}

/// Every pair of neighboring words.
fn pairs(words: &[String]) -> Vec<[String; 2]> {
    let next = words.iter().skip(1);
    words.iter().zip(next).map(|(word, next)| [word.clone(), next.clone()]).collect()
}

/// The words of each component of a candidate. A query belongs to the last
/// component, because the paper divides at `/` only.
fn parts(candidate: &Url) -> impl Iterator<Item = Vec<String>> {
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

    #[track_caller]
    fn check(rule: TokenRule, old: &str, title: &str, candidate: &str, expect: &str) {
        let url = |text: &str| format!("http://{text}").parse::<Url>().unwrap();
        let old = OldPage::new(url(old)).titled(title);
        let found = CoarsePattern::of(&old, &url(candidate), rule);
        assert_eq!(found.to_string(), expect);
    }

    const U1: &str = "solomontimes.com/news.aspx?nwid=1121";
    const U1_TITLE: &str = "No Need for Government Candidate: CEO Transparency Solomon Islands";
    const C12: &str = "solomontimes.com/news/\
        no-need-for-government-candidate-ceo-transparency-solomon-islands/1121";
    const C13: &str = "solomontimes.com/news/\
        governments-prime-minister-candidate-pledges-reconciliation-as-priority/1112";

    #[test]
    fn fable_table_5() {
        let check = |candidate, expect| {
            check(TokenRule::Pooled, U1, U1_TITLE, candidate, expect);
            check(TokenRule::PerSource, U1, U1_TITLE, candidate, expect);
        };
        check("solomontimes.com/letter/1121", "solomontimes.com/UP/Pr");
        check(C12, "solomontimes.com/Pr/Pr/Pr");
        check(C13, "solomontimes.com/Pr/UP/UP");
    }

    #[test]
    fn fable_figure_6_a_new_number_leaves_a_component_partly_predictable() {
        let old = "cbc.ca/news/story/2000/07/04/rancher000724.html";
        let candidate = "cbc.ca/news/canada/rancher-survives-tornado-1.215189";
        for rule in [TokenRule::Pooled, TokenRule::PerSource] {
            check(rule, old, "Rancher survives tornado", candidate, "cbc.ca/Pr/UP/PP");
        }
    }

    #[test]
    fn fable_table_1() {
        let check = |old, candidate, expect| check(TokenRule::Pooled, old, "", candidate, expect);
        check("sup.org/book.cgi?id=21682", "sup.org/books/title/?id=21682", "sup.org/UP/UP/Pr");
        check(
            "elections.nytimes.com/2010/house/new-york/03",
            "www.nytimes.com/elections/2010/house/new-york/3.html",
            "nytimes.com/Pr/Pr/Pr/Pr/Pr",
        );
    }

    #[test]
    fn fable_footnote_4_a_few_shared_words_are_no_pattern() {
        let old = "example.org/chili_peppers_camron_top_the_chart";
        let candidate = "example.org/red-hot-chili-peppers-attack-the-chart-116269";
        check(TokenRule::Pooled, old, "", candidate, "example.org/UP");
    }

    #[test]
    fn words_of_many_sources_make_a_component_only_in_the_pool() {
        let (old, candidate) = ("example.org/music/jazz/miles", "example.org/music-miles");
        check(TokenRule::Pooled, old, "", candidate, "example.org/Pr");
        check(TokenRule::PerSource, old, "", candidate, "example.org/UP");
    }

    #[test]
    fn a_small_piece_of_a_title_is_none_of_it() {
        let title = "The long and winding road to somewhere else";
        check(TokenRule::Pooled, "example.org/1", title, "example.org/road", "example.org/Pr");
        check(TokenRule::PerSource, "example.org/1", title, "example.org/road", "example.org/UP");
    }
}
