//! A table of proposed repairs that a community reviews before anything is edited.
//!
//! The authors of FABLE published such a table on a wiki (Zhu et al. 2023, section 5.1.2).
//! It contains a random sample of the new URLs, at most two per domain, with the article and
//! the text of each link. Reviewers fill the last column with `correct`, `incorrect` or
//! `unsure`.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The first lines of the table.
const HEADER: &str = "\
{| class=\"wikitable sortable\"
! Article !! Anchor text !! Dead link !! New URL !! Verdict
";

/// A proposed repair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proposal {
    /// The title of the page, or the path of the document.
    pub article: String,
    /// The text of the link.
    pub anchor_text: String,
    /// The URL of the dead page.
    pub old_url: String,
    /// The proposed URL.
    pub new_url: String,
    /// The registrable domain of the dead page.
    pub domain: String,
}

/// The decision of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReviewDecision {
    /// The new URL is right.
    Correct,
    /// The new URL is wrong.
    Incorrect,
    /// The reviewer could not decide.
    Unsure,
}

/// The decisions of a review, by old and new URL.
pub type ReviewDecisions = BTreeMap<(String, String), ReviewDecision>;

/// Selects proposals for a review: one per pair of URLs, at most `per_domain` per domain
/// and `limit` in total. The same seed selects the same proposals.
pub fn sample(
    mut proposals: Vec<Proposal>,
    seed: u64,
    per_domain: usize,
    limit: usize,
) -> Vec<Proposal> {
    proposals.sort();
    let mut pairs = BTreeSet::new();
    proposals.retain(|proposal| pairs.insert((proposal.old_url.clone(), proposal.new_url.clone())));
    // A seeded hash gives a random order that does not depend on the input order.
    proposals.sort_by_cached_key(|proposal| {
        let urls = format!("{} {}", proposal.old_url, proposal.new_url);
        xxh3_64_with_seed(urls.as_bytes(), seed)
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    proposals.retain(|proposal| {
        let count = counts.entry(proposal.domain.clone()).or_default();
        *count += 1;
        *count <= per_domain
    });
    proposals.truncate(limit);
    proposals.sort();
    proposals
}

/// Returns the table in wikitext.
pub fn review_table(proposals: &[Proposal]) -> String {
    let mut table = HEADER.to_owned();
    for proposal in proposals {
        let cells = [
            format!("[[:{}]]", cell(&proposal.article)),
            format!("<nowiki>{}</nowiki>", cell(&proposal.anchor_text)),
            url_cell(&proposal.old_url),
            url_cell(&proposal.new_url),
            String::new(),
        ];
        table.push_str("|-\n| ");
        table.push_str(&cells.join(" || "));
        table.push('\n');
    }
    table.push_str("|}\n");
    table
}

/// Returns a text without characters that end a cell.
fn cell(text: &str) -> String {
    let text: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    text.replace('|', "&#124;").replace("</", "&lt;/").replace(['[', ']'], "")
}

/// Returns a URL for a cell. Its special characters are percent-encoded. Servers treat encoded
/// characters like literal characters.
fn url_cell(url: &str) -> String {
    url.replace('|', "%7C").replace(' ', "%20").replace('[', "%5B").replace(']', "%5D")
}

/// Reads the decisions from a table in wikitext. Different decisions on the same URLs count
/// as unsure. Rows without a decision are omitted.
pub fn read_decisions(table: &str) -> ReviewDecisions {
    let mut decisions = ReviewDecisions::new();
    for ([old, new], cell) in rows(table) {
        let Some(decision) = decision(cell) else { continue };
        let merged = match decisions.get(&(old.clone(), new.clone())) {
            Some(earlier) if *earlier != decision => ReviewDecision::Unsure,
            _ => decision,
        };
        decisions.insert((old, new), merged);
    }
    decisions
}

/// Returns the old URLs of rows whose verdict is not empty and not one of the three words.
pub fn unknown_decisions(table: &str) -> Vec<String> {
    let is_unknown = |cell: &str| {
        decision(cell).is_none() && url_of(cell).is_none() && cell.contains(char::is_alphanumeric)
    };
    rows(table).filter(|(_, cell)| is_unknown(cell)).map(|([old, _], _)| old).collect()
}

/// Returns the old URL, the new URL and the last cell of each row.
fn rows(table: &str) -> impl Iterator<Item = ([String; 2], &str)> {
    table.split("\n|-").skip(1).filter_map(|row| {
        let row = row.split("\n|}").next().unwrap_or_default();
        let cells: Vec<&str> = row.split("\n|").flat_map(|line| line.split("||")).collect();
        let urls: Vec<String> = cells.iter().filter_map(|cell| url_of(cell)).collect();
        Some((<[String; 2]>::try_from(urls).ok()?, cells.last().copied()?))
    })
}

/// Returns the URL of a cell, which may be written as an external link in brackets.
fn url_of(cell: &str) -> Option<String> {
    let cell = cell.trim().trim_start_matches('|').trim().trim_matches(['[', ']']);
    let url = cell.split_whitespace().next()?;
    let is_url = url.starts_with("http://") || url.starts_with("https://");
    is_url.then(|| url.replace("%7C", "|"))
}

/// Returns the decision in a cell. Several different words count as unsure.
fn decision(cell: &str) -> Option<ReviewDecision> {
    let words: BTreeSet<String> = cell
        .split(|letter: char| !letter.is_alphabetic())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
        .collect();
    let has = |word: &str| words.contains(word);
    match (has("correct"), has("incorrect"), has("unsure")) {
        (false, false, false) => None,
        (true, false, false) => Some(ReviewDecision::Correct),
        (false, true, false) => Some(ReviewDecision::Incorrect),
        _ => Some(ReviewDecision::Unsure),
    }
}

/// Counts of a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// Correct proposals.
    pub correct: usize,
    /// Incorrect proposals.
    pub incorrect: usize,
    /// Proposals that could not be decided.
    pub unsure: usize,
}

impl ReviewCounts {
    /// Counts decisions.
    pub fn new(decisions: &ReviewDecisions) -> Self {
        let count = |decision: ReviewDecision| {
            decisions.values().filter(|other| **other == decision).count()
        };
        Self {
            correct: count(ReviewDecision::Correct),
            incorrect: count(ReviewDecision::Incorrect),
            unsure: count(ReviewDecision::Unsure),
        }
    }

    /// Returns the minimum and maximum precision in percent, or `None` without decisions. For the
    /// minimum, all unsure proposals count as wrong, for the maximum as right.
    pub fn precision_range(self) -> Option<(usize, usize)> {
        let total = self.correct + self.incorrect + self.unsure;
        let percent = |count: usize| (100 * count + total / 2) / total;
        (total > 0).then(|| (percent(self.correct), percent(self.correct + self.unsure)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal(index: usize, domain: &str) -> Proposal {
        Proposal {
            article: format!("Article {index}"),
            anchor_text: format!("text | {index}"),
            old_url: format!("http://{domain}/old/{index}"),
            new_url: format!("http://{domain}/new/{index}?a=[1]"),
            domain: domain.to_owned(),
        }
    }

    #[test]
    fn sample_is_limited_per_domain_and_repeatable() {
        let proposals: Vec<Proposal> = (0..40)
            .map(|index| proposal(index, if index % 4 == 0 { "a.test" } else { "b.test" }))
            .collect();
        let one = sample(proposals.clone(), 7, 2, 100);
        assert_eq!(one.len(), 4);
        let mut reversed = proposals.clone();
        reversed.reverse();
        assert_eq!(sample(reversed, 7, 2, 100), one);
        assert_ne!(sample(proposals.clone(), 8, 2, 100), one);
        assert_eq!(sample(proposals, 7, 100, 5).len(), 5);
    }

    #[test]
    fn decisions_of_a_written_table_are_read() {
        let table = review_table(&[proposal(1, "a.test"), proposal(2, "a.test")]);
        assert_eq!(read_decisions(&table), ReviewDecisions::new());
        let filled = table.replace("|| \n", "|| Correct ~~~~\n");
        let decisions = read_decisions(&filled);
        assert_eq!(decisions.len(), 2, "{filled}");
        assert!(decisions.values().all(|decision| *decision == ReviewDecision::Correct));
        let (old, _) = decisions.keys().next().unwrap();
        assert_eq!(old, "http://a.test/old/1");
    }

    #[test]
    fn cells_on_their_own_lines_are_read() {
        let table = "{|\n! a\n|-\n| [[A]]\n| x\n| [http://a.test/1 old]\n| http://a.test/2\n| \
                     '''incorrect''', I think\n|-\n| B || y || http://a.test/3 || \
                     http://a.test/4 || correct; incorrect\n|}\n";
        let decisions = read_decisions(table);
        let values: Vec<ReviewDecision> = decisions.values().copied().collect();
        assert_eq!(values, [ReviewDecision::Incorrect, ReviewDecision::Unsure]);
        let counts = ReviewCounts::new(&decisions);
        assert_eq!(counts.precision_range(), Some((0, 50)));
    }

    #[test]
    fn precision_range_is_that_of_the_paper() {
        // The values of Zhu et al. 2023, section 5.1.2.
        let counts = ReviewCounts { correct: 89, incorrect: 6, unsure: 8 };
        assert_eq!(counts.precision_range(), Some((86, 94)));
        assert_eq!(ReviewCounts::default().precision_range(), None);
    }

    #[test]
    fn unknown_words_are_reported() {
        let table = |verdict: &str| {
            format!("{{|\n|-\n| A || a || http://a.test/ || http://b.test/ || {verdict}\n|}}\n")
        };
        assert_eq!(unknown_decisions(&table("perhaps")), ["http://a.test/"]);
        for known in ["correct", "unsure", ""] {
            assert!(unknown_decisions(&table(known)).is_empty(), "{known}");
        }
    }
}
