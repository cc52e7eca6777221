//! Groups candidates by their coarse pattern: the host of the candidate, and for each component
//! of its path, whether it is predictable from the old page.
//!
//! The best cluster has the most predictable components in its pattern (FABLE, §4.1.2). Among
//! clusters with equally many, the cluster with the most old pages is the best. The best
//! cluster is rejected if it covers only one page or has no predictable component.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::{CoarsePattern, OldPageTokens, TokenRule};
use crate::OldPage;

/// Candidates with the same pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The pattern.
    pub pattern: CoarsePattern,
    /// Pairs of indices: the old page, and its candidate.
    pub matches: Vec<(usize, usize)>,
}

impl Cluster {
    /// Returns the number of old pages with a candidate in this cluster.
    pub fn pages(&self) -> usize {
        self.matches.iter().map(|(page, _)| page).collect::<BTreeSet<_>>().len()
    }

    /// Returns the aliases: matches of old pages with exactly one candidate.
    pub fn aliases(&self) -> impl Iterator<Item = (usize, usize)> {
        self.matches.iter().copied().filter(|(page, _)| self.candidate_count(*page) == 1)
    }

    /// Returns the matches of old pages with several candidates. Only a
    /// comparison of the live pages can decide between them.
    pub fn ambiguous(&self) -> impl Iterator<Item = (usize, usize)> {
        self.matches.iter().copied().filter(|(page, _)| self.candidate_count(*page) > 1)
    }

    fn candidate_count(&self, page: usize) -> usize {
        self.matches.iter().filter(|(other, _)| *other == page).count()
    }
}

/// Why no cluster was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoClusterReason {
    /// There are no candidates.
    NoCandidates,
    /// The best cluster covers a single old page.
    OnePage,
    /// The best cluster has no predictable component.
    NothingPredictable,
}

/// Returns all clusters, best first. `candidates` has one list for each page.
pub fn clusters(pages: &[OldPage], candidates: &[Vec<Url>], rule: TokenRule) -> Vec<Cluster> {
    let mut matches: BTreeMap<CoarsePattern, Vec<(usize, usize)>> = BTreeMap::new();
    for (page, (old, urls)) in pages.iter().zip(candidates).enumerate() {
        let tokens = OldPageTokens::from_page(old);
        for (candidate, url) in urls.iter().enumerate() {
            let pattern = tokens.pattern(url, rule);
            matches.entry(pattern).or_default().push((page, candidate));
        }
    }
    let mut clusters: Vec<Cluster> =
        matches.into_iter().map(|(pattern, matches)| Cluster { pattern, matches }).collect();
    clusters.sort_by_key(|cluster| {
        std::cmp::Reverse((cluster.pattern.predictable_count(), cluster.pages()))
    });
    clusters
}

/// Returns the best cluster, or why none was chosen.
pub fn best_cluster(
    pages: &[OldPage],
    candidates: &[Vec<Url>],
    rule: TokenRule,
) -> Result<Cluster, NoClusterReason> {
    let first = clusters(pages, candidates, rule).into_iter().next();
    let best = first.ok_or(NoClusterReason::NoCandidates)?;
    if best.pages() < 2 {
        return Err(NoClusterReason::OnePage);
    }
    if best.pattern.predictable_count() == 0 {
        return Err(NoClusterReason::NothingPredictable);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One old page: path, title and candidate paths.
    type Case<'a> = (&'a str, &'a str, &'a [&'a str]);

    /// Returns the old pages, and for each of them its candidates.
    fn parse(cases: &[Case]) -> (Vec<OldPage>, Vec<Vec<Url>>) {
        let url = |path: &&str| format!("http://solomontimes.com/{path}").parse::<Url>().unwrap();
        let pages =
            cases.iter().map(|case| OldPage::new(url(&case.0)).with_title(case.1)).collect();
        (pages, cases.iter().map(|case| case.2.iter().map(url).collect()).collect())
    }

    /// Asserts the best cluster: its pattern and the paths of its aliases.
    #[track_caller]
    fn check(cases: &[Case], expect: Result<&str, NoClusterReason>) {
        let (pages, candidates) = parse(cases);
        let found = best_cluster(&pages, &candidates, TokenRule::AllTogether).map(|best| {
            let aliases: Vec<String> =
                best.aliases().map(|(page, url)| candidates[page][url].path().to_owned()).collect();
            format!("{} {}", best.pattern, aliases.join(" "))
        });
        assert_eq!(found.as_deref(), expect.as_ref().map(|expect| *expect));
    }

    // The names of the old pages in the paper.
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
        let (pages, candidates) = parse(&[U1, U2]);
        let all = clusters(&pages, &candidates, TokenRule::AllTogether);
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
    fn cluster_with_one_page_is_rejected() {
        check(&[U1], Err(NoClusterReason::OnePage));
        check(&[("a", "", &[]), ("b", "", &[])], Err(NoClusterReason::NoCandidates));
    }

    #[test]
    fn unpredictable_cluster_is_rejected() {
        let cases: &[Case] = &[("a", "", &["x"]), ("b", "", &["y"])];
        check(cases, Err(NoClusterReason::NothingPredictable));
    }

    #[test]
    fn more_pages_win_a_tie() {
        let cases: &[Case] =
            &[("a", "", &["x/a", "a/x"]), ("b", "", &["x/b"]), ("c", "", &["c/x", "x/c"])];
        check(cases, Ok("solomontimes.com/UP/Pr /x/a /x/b /x/c"));
    }

    #[test]
    fn several_candidates_for_one_page_are_ambiguous() {
        let (pages, candidates) = parse(&[("a", "", &["x/a", "y/a"]), ("b", "", &["x/b"])]);
        let best = best_cluster(&pages, &candidates, TokenRule::AllTogether).unwrap();
        assert_eq!(best.aliases().collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(best.ambiguous().collect::<Vec<_>>(), [(0, 0), (0, 1)]);
    }
}
