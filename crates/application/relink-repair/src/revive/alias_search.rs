//! The search for the new URL of one dead page, with everything known about the page so far.
//!
//! The search looks for an *alias*: a live URL of the same page. "The copy" is the last
//! known content of the dead page, from an archive or from an earlier check. A *program*
//! predicts new URLs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_change::{Background, TermVector, tf_idf_similarity};
use relink_judge::{Misdirection, misdirection};
use relink_model::{Confidence, Digest};
use relink_revive::copy_gap::{CopyComparison, CopyGap, copy_gaps};
use relink_revive::cost::Cost;
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::redirects::RedirectHistory;
use relink_revive::replacement::{is_recognizable, similarity};
use relink_revive::{NoAliasReason, OldPage};
use url::{Position, Url};

use super::archives::ArchivedCopy;
use super::live::LiveCandidate;
use super::{DeadPage, Revival};

/// The search for the new URL of one dead page.
pub(super) struct AliasSearch {
    pub(super) page: DeadPage,
    /// URL, title and date of the dead page.
    pub(super) old: OldPage,
    /// The last known content of the dead page.
    pub(super) copy: Option<Digest>,
    /// The weighted words of the archived copy.
    pub(super) copy_terms: Option<TermVector>,
    /// Description of the copy: `the page as seen on 2026-01-02`.
    pub(super) copy_name: String,
    pub(super) redirects: RedirectHistory,
    pub(super) revival: Revival,
    /// Whether programs were learned from an earlier result for this page. Their predictions
    /// are then not evidence for the page.
    pub(super) is_training_example: bool,
    /// Number of paid searches.
    pub(super) searches: u32,
    /// Whether other sites were searched.
    pub(super) has_replacement_search: bool,
    /// Pages of the same site with the same text as the dead page, with their evidence. If
    /// there are several such pages, none of them is certain to be the alias.
    pub(super) recognized: BTreeMap<Url, Vec<AliasEvidence>>,
    /// Live candidates that were fetched for this page.
    pub(super) fetched: Vec<LiveCandidate>,
    /// URLs that searches of the site returned, best first.
    pub(super) results: Vec<String>,
    /// Whether an archive was queried.
    pub(super) has_archive_query: bool,
}

impl AliasSearch {
    pub(super) fn new(page: DeadPage, now: Timestamp) -> Self {
        let stored = page.stored.as_ref();
        let digest = stored.and_then(|stored| stored.digest.clone());
        let mut old = OldPage::new(page.url.clone());
        old.title = digest.as_ref().and_then(|digest| digest.title.clone());
        let verdict = stored.map(|stored| stored.verdict);
        let last_seen = stored.and_then(|stored| stored.last_reached_at);
        Self {
            revival: Revival {
                code: stored.and_then(|stored| stored.code),
                ..Revival::new(page.url.clone(), verdict, now)
            },
            redirects: RedirectHistory { url: page.url.clone(), redirects: Vec::new() },
            old,
            copy: digest,
            copy_terms: None,
            copy_name: last_seen.map_or_else(
                || "the page as it was last seen".to_owned(),
                |last_seen| format!("the page as seen on {}", last_seen.strftime("%Y-%m-%d")),
            ),
            is_training_example: false,
            searches: 0,
            has_replacement_search: false,
            recognized: BTreeMap::new(),
            fetched: Vec::new(),
            results: Vec::new(),
            has_archive_query: false,
            page,
        }
    }

    /// Whether no alias with this confidence is known yet.
    pub(super) fn lacks_alias(&self, min_confidence: Confidence) -> bool {
        self.revival.alias.as_ref().is_none_or(|alias| alias.confidence < min_confidence)
    }

    /// Drops an alias below the minimum confidence, and the reasons for no alias if there is an
    /// alias.
    pub(super) fn conclude(&mut self, min_confidence: Confidence) {
        let revival = &mut self.revival;
        if let Some(alias) = revival.alias.take_if(|alias| alias.confidence < min_confidence) {
            revival.add_weak_candidate(alias.url, alias.confidence);
            revival.add_reason(NoAliasReason::NoMatch);
        }
        if let Some(alias) = &revival.alias {
            revival.reasons.clear();
            revival.weak_candidates.retain(|candidate| candidate.url != alias.url);
        }
    }

    /// Sets the figures for the summary that depend on the final result.
    pub(super) fn set_statistics(&mut self) {
        self.revival.copy_gaps = self.copy_gaps();
        self.revival.similar_ct = self.copy.is_some().then(|| self.similar_ct_cost());
    }

    /// Returns what the archived copy lacks compared with the alias.
    fn copy_gaps(&self) -> Option<Vec<CopyGap>> {
        let alias = self.revival.alias.as_ref()?;
        let page = self.fetched.iter().find(|page| page.url == alias.url)?;
        if !self.has_archive_query {
            return None;
        }
        Some(copy_gaps(self.copy_comparison(page), &page.functions))
    }

    /// Compares the archived copy with the page at the alias.
    fn copy_comparison(&self, page: &LiveCandidate) -> CopyComparison {
        if self.revival.archived.is_none() {
            return CopyComparison::Missing;
        }
        match (&self.copy_terms, &page.terms) {
            (Some(copy), Some(live)) => {
                let background = Background::builtin();
                CopyComparison::from_similarity(tf_idf_similarity(copy, live, background))
            }
            // Files that are not text are identical or different.
            (None, None) if self.is_copy(page) => CopyComparison::SameText,
            _ => CopyComparison::OtherText,
        }
    }

    /// Returns the minimum cost of `SimilarCT` for this page, the method with which the
    /// paper on FABLE compares (section 5.2, figure 9). It searches by title, then by text,
    /// and fetches the results one by one until it finds the alias. If no engine was
    /// queried, the cost is one search and one fetch.
    fn similar_ct_cost(&self) -> Cost {
        let alias = self.revival.alias.as_ref().map(|alias| alias.url.as_str());
        let rank = self.results.iter().position(|url| Some(url.as_str()) == alias);
        let is_found = rank.is_some() || (self.results.is_empty() && alias.is_some());
        let fetches = rank.map_or(self.results.len().max(usize::from(is_found)), |rank| rank + 1);
        Cost {
            searches: if is_found { 1 } else { 2 },
            page_fetches: u32::try_from(fetches).unwrap_or(u32::MAX),
            ..Cost::default()
        }
    }

    /// Whether a URL is the URL of the dead page. A URL with another scheme, host or
    /// trailing slash is a different URL. If that URL is alive, the page moved there.
    pub(super) fn is_same_page(&self, url: &Url) -> bool {
        let host_and_path = |url: &Url| url[Position::BeforeHost..Position::AfterQuery].to_owned();
        url.scheme() == self.page.url.scheme()
            && host_and_path(url) == host_and_path(&self.page.url)
    }

    /// Sets the last good copy of the page.
    pub(super) fn set_copy(&mut self, copy: ArchivedCopy) {
        if let Some(title) = copy.digest.title.as_ref().filter(|_| self.old.title.is_none()) {
            self.old.title = Some(title.clone());
        }
        self.old.date.get_or_insert(copy.captured_at.to_zoned(TimeZone::UTC).date());
        self.revival.archived = copy.snapshot;
        self.copy_name = format!("the copy of {}", copy.captured_at.strftime("%Y-%m-%d"));
        self.copy = Some(copy.digest);
        self.copy_terms = copy.terms;
    }

    /// Adds the evidence from the text of a live candidate to the evidence of the method that
    /// found the candidate.
    pub(super) fn evidence(
        &self,
        page: &LiveCandidate,
        mut evidence: Vec<AliasEvidence>,
    ) -> Vec<AliasEvidence> {
        let Some(digest) = &page.digest else { return evidence };
        let has_same_title = self.old.title.as_deref().is_some_and(|old| {
            digest.title.as_deref().is_some_and(|new| new.trim().eq_ignore_ascii_case(old.trim()))
        });
        if has_same_title {
            let note = AliasEvidenceKind::Title.to_string();
            evidence.push(AliasEvidence { kind: AliasEvidenceKind::Title, note });
        }
        if let TextComparison::Same(note) = self.compare(page) {
            evidence.push(AliasEvidence { kind: AliasEvidenceKind::Content, note });
        }
        evidence
    }

    /// Returns why a live candidate is another page than the dead page, such as a home page
    /// or a login page. Returns `None` if there is no sign of that, or if the candidate has
    /// the text of the dead page.
    pub(super) fn misdirection(&self, page: &LiveCandidate) -> Option<Misdirection> {
        if self.is_copy(page) {
            return None;
        }
        let (from, to) = (self.page.url.as_str(), page.url.as_str());
        misdirection(from, to, page.digest.as_ref())
    }

    /// Whether a live page has the text of the old copy.
    pub(super) fn is_copy(&self, page: &LiveCandidate) -> bool {
        matches!(self.compare(page), TextComparison::Same(_))
    }

    /// Compares the text of a live page with the old copy.
    pub(super) fn compare(&self, page: &LiveCandidate) -> TextComparison {
        let Some(copy) = self.copy.as_ref().filter(|copy| is_recognizable(copy)) else {
            return TextComparison::Impossible;
        };
        let Some(digest) = &page.digest else { return TextComparison::Impossible };
        match similarity(copy, digest) {
            None => TextComparison::Different,
            Some((similarity, _)) if !similarity.is_mirror() => TextComparison::Similar,
            Some(_) if copy.fingerprint.is_some() => {
                TextComparison::Same("same file as the old page".to_owned())
            }
            Some((_, share)) => {
                let percent = share * 100.0;
                TextComparison::Same(format!("{percent:.0} % of the text is that of the old page"))
            }
        }
    }
}

/// Result of a text comparison.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextComparison {
    /// The same text, with a description.
    Same(String),
    /// Much of the text is the same.
    Similar,
    /// Little of the text is the same.
    Different,
    /// A page has too little text to compare.
    Impossible,
}

#[cfg(test)]
mod tests {
    use relink_model::{RequestRights, Sketch};

    use super::*;

    /// A text with this number of shingles (word sequences), numbered from `first`.
    fn text(first: u32, shingles: u32) -> Digest {
        Digest {
            sketch: Sketch::from_hashes((first..first + shingles).collect()),
            ..Digest::default()
        }
    }

    /// Checks the evidence for a live page with the content `new`, if the dead page had the
    /// content `old`.
    #[track_caller]
    fn check(old: Digest, new: Digest, expected: &str) {
        let url: Url = "https://example.org/a".parse().unwrap();
        let page = DeadPage { url: url.clone(), stored: None, rights: RequestRights::discovered() };
        let search =
            AliasSearch { copy: Some(old), ..AliasSearch::new(page, Timestamp::UNIX_EPOCH) };
        let page = LiveCandidate {
            url,
            digest: Some(new),
            functions: std::collections::BTreeSet::default(),
            terms: None,
        };
        let evidence = search.evidence(&page, Vec::new());
        let notes: Vec<&str> = evidence.iter().map(|item| item.note.as_str()).collect();
        assert_eq!(notes.join(", "), expected);
    }

    #[test]
    fn text_is_evidence_if_nearly_all_of_it_is_the_same() {
        check(text(0, 100), text(0, 100), "100 % of the text is that of the old page");
        check(text(0, 100), text(0, 90), "90 % of the text is that of the old page");
        check(text(0, 100), text(0, 50), "");
    }

    #[test]
    fn short_texts_are_not_evidence() {
        check(text(0, 0), text(0, 0), "");
        check(text(0, 12), text(0, 12), "");
    }

    #[test]
    fn files_are_compared_by_content() {
        let file = |fingerprint| Digest {
            fingerprint: Some(fingerprint),
            bytes: 4096,
            ..Digest::default()
        };
        check(file(1), file(1), "same file as the old page");
        check(file(1), file(2), "");
    }

    /// Checks whether a URL is the dead page `http://example.org/owls?page=2`.
    #[track_caller]
    fn check_same_page(url: &str, expected: bool) {
        let dead = "http://example.org/owls?page=2".parse().unwrap();
        let page = DeadPage { url: dead, stored: None, rights: RequestRights::discovered() };
        let search = AliasSearch::new(page, Timestamp::UNIX_EPOCH);
        assert_eq!(search.is_same_page(&url.parse().unwrap()), expected, "{url}");
    }

    #[test]
    fn is_same_page_ignores_fragment_and_credentials() {
        check_same_page("http://example.org/owls?page=2", true);
        check_same_page("http://ann:secret@EXAMPLE.org:80/owls?page=2#top", true);
        check_same_page("http://example.org/owls", false);
        check_same_page("https://example.org/owls?page=2", false);
        check_same_page("http://www.example.org/owls?page=2", false);
    }
}
