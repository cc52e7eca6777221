//! Candidates made by one pattern belong together.
//!
//! FABLE, §4.1.2: the cluster whose pattern has the most components that
//! follow from the old page is the best; on a tie, the one with more old
//! pages. It is no answer if it explains one page only, or nothing.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::{CoarsePattern, Sources, TokenRule};
use crate::OldPage;

/// Candidates that one pattern makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The pattern.
    pub pattern: CoarsePattern,
    /// Each match: the index of the old page and that of its candidate.
    pub matches: Vec<(usize, usize)>,
}

impl Cluster {
    /// How many old pages have a candidate here.
    pub fn pages(&self) -> usize {
        self.matches.iter().map(|(page, _)| page).collect::<BTreeSet<_>>().len()
    }

    /// The aliases: old pages with exactly one candidate here.
    pub fn aliases(&self) -> impl Iterator<Item = (usize, usize)> {
        self.matches.iter().copied().filter(|(page, _)| self.candidates_of(*page) == 1)
    }

    /// Matches that only a look at the live pages can settle, because the old
    /// page has several candidates here.
    pub fn to_compare(&self) -> impl Iterator<Item = (usize, usize)> {
        self.matches.iter().copied().filter(|(page, _)| self.candidates_of(*page) > 1)
    }

    fn candidates_of(&self, page: usize) -> usize {
        self.matches.iter().filter(|(other, _)| *other == page).count()
    }
}

/// Why no cluster is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCluster {
    /// There are no candidates.
    NoCandidates,
    /// The best cluster explains a single old page.
    OnePage,
    /// In the best cluster nothing follows from the old pages.
    NothingPredictable,
}

/// All clusters, the best first. `candidates` are those of each page, in the
/// same order.
pub fn clusters(pages: &[OldPage], candidates: &[Vec<Url>], rule: TokenRule) -> Vec<Cluster> {
    let mut matches: BTreeMap<CoarsePattern, Vec<(usize, usize)>> = BTreeMap::new();
    for (page, (old, urls)) in pages.iter().zip(candidates).enumerate() {
        let sources = Sources::of(old);
        for (candidate, url) in urls.iter().enumerate() {
            let pattern = sources.pattern(url, rule);
            matches.entry(pattern).or_default().push((page, candidate));
        }
    }
    let mut clusters: Vec<Cluster> =
        matches.into_iter().map(|(pattern, matches)| Cluster { pattern, matches }).collect();
    clusters.sort_by_key(|cluster| std::cmp::Reverse((cluster.pattern.known(), cluster.pages())));
    clusters
}

/// The cluster whose candidates are the aliases, or why there is none.
pub fn best(
    pages: &[OldPage],
    candidates: &[Vec<Url>],
    rule: TokenRule,
) -> Result<Cluster, NoCluster> {
    let first = clusters(pages, candidates, rule).into_iter().next();
    let best = first.ok_or(NoCluster::NoCandidates)?;
    if best.pages() < 2 {
        return Err(NoCluster::OnePage);
    }
    if best.pattern.known() == 0 {
        return Err(NoCluster::NothingPredictable);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One old page: address, title, candidates; hosts and schemes left out.
    type Case<'a> = (&'a str, &'a str, &'a [&'a str]);

    fn read(cases: &[Case]) -> (Vec<OldPage>, Vec<Vec<Url>>) {
        let url = |path: &&str| format!("http://solomontimes.com/{path}").parse::<Url>().unwrap();
        let pages = cases.iter().map(|case| OldPage::new(url(&case.0)).titled(case.1)).collect();
        (pages, cases.iter().map(|case| case.2.iter().map(url).collect()).collect())
    }

    #[track_caller]
    fn check(cases: &[Case], expect: Result<&str, NoCluster>) {
        let (pages, candidates) = read(cases);
        let found = best(&pages, &candidates, TokenRule::Pooled).map(|best| {
            let aliases: Vec<String> =
                best.aliases().map(|(page, url)| candidates[page][url].path().to_owned()).collect();
            format!("{} {}", best.pattern, aliases.join(" "))
        });
        assert_eq!(found.as_deref(), expect.as_ref().map(|expect| *expect));
    }

    const U1: Case = (
        "news.aspx?nwid=1121",
        "No Need for Government Candidate",
        &["letter/1121", "news/no-need-for-government-candidate/1121", "news/prime-minister/1112"],
    );
    const U2: Case = (
        "news.aspx?nwid=6540",
        "High Court Rules against Lusibaea",
        &[
            "news/high-court-rules-against-lusibaea/6540",
            "news/high-court-to-review-lusibaea-case/5862",
            "news/lusibaea-released-opposition-uproar/5814",
        ],
    );

    #[test]
    fn fable_table_6() {
        let aliases = "solomontimes.com/Pr/Pr/Pr /news/no-need-for-government-candidate/1121 \
                       /news/high-court-rules-against-lusibaea/6540";
        check(&[U1, U2], Ok(aliases));
        let (pages, candidates) = read(&[U1, U2]);
        let all = clusters(&pages, &candidates, TokenRule::Pooled);
        let shown: Vec<String> = all
            .iter()
            .map(|cluster| format!("{} {}", cluster.pattern, cluster.matches.len()))
            .collect();
        let expect = [
            "solomontimes.com/Pr/Pr/Pr 2",
            "solomontimes.com/Pr/UP/UP 3",
            "solomontimes.com/UP/Pr 1",
        ];
        assert_eq!(shown, expect);
    }

    #[test]
    fn a_pattern_seen_once_is_no_pattern() {
        check(&[U1], Err(NoCluster::OnePage));
        check(&[("a", "", &[]), ("b", "", &[])], Err(NoCluster::NoCandidates));
    }

    #[test]
    fn candidates_that_share_nothing_are_none() {
        let cases: &[Case] = &[("a", "", &["x"]), ("b", "", &["y"])];
        check(cases, Err(NoCluster::NothingPredictable));
    }

    #[test]
    fn on_a_tie_more_pages_win() {
        let cases: &[Case] =
            &[("a", "", &["x/a", "a/x"]), ("b", "", &["x/b"]), ("c", "", &["c/x", "x/c"])];
        check(cases, Ok("solomontimes.com/UP/Pr /x/a /x/b /x/c"));
    }

    #[test]
    fn several_candidates_for_one_page_are_left_to_a_look() {
        let (pages, candidates) = read(&[("a", "", &["x/a", "y/a"]), ("b", "", &["x/b"])]);
        let best = best(&pages, &candidates, TokenRule::Pooled).unwrap();
        assert_eq!(best.aliases().collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(best.to_compare().collect::<Vec<_>>(), [(0, 0), (0, 1)]);
    }
}
