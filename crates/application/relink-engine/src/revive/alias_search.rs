//! One page that is being looked for, and what is known of it so far.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_judge::{Misdirection, misdirection};
use relink_model::{Confidence, Digest};
use relink_revive::evidence::{AliasEvidence, AliasEvidenceKind};
use relink_revive::redirects::RedirectHistory;
use relink_revive::replacement::{is_recognizable, likeness};
use relink_revive::{NoAliasReason, OldPage};
use url::{Position, Url};

use super::archives::ArchivedCopy;
use super::live::LiveCandidate;
use super::{DeadPage, Revival};

/// One page being looked for.
pub(super) struct AliasSearch {
    pub(super) page: DeadPage,
    pub(super) old: OldPage,
    pub(super) copy: Option<Digest>,
    /// What that copy is, in plain words: `the page as seen on 2026-01-02`.
    pub(super) copy_name: String,
    pub(super) redirects: RedirectHistory,
    pub(super) revival: Revival,
    /// Whether programs were learned from an earlier answer: what they make of
    /// it is no news.
    pub(super) has_taught: bool,
    /// Searches of engines that count them.
    pub(super) searches: u32,
    /// Whether other sites were searched for it.
    pub(super) was_sought_elsewhere: bool,
    /// Pages of its site that have its text, with what speaks for each: those
    /// of all engines, since of several none is sure.
    pub(super) recognized: BTreeMap<Url, Vec<AliasEvidence>>,
}

impl AliasSearch {
    pub(super) fn new(page: DeadPage, now: Timestamp) -> Self {
        let known = page.known.as_ref();
        let digest = known.and_then(|known| known.digest.clone());
        let mut old = OldPage::new(page.url.clone());
        old.title = digest.as_ref().and_then(|digest| digest.title.clone());
        let word = known.map(|known| known.verdict);
        let seen = known.and_then(|known| known.seen);
        Self {
            revival: Revival::new(page.url.clone(), word, now),
            redirects: RedirectHistory { url: page.url.clone(), redirects: Vec::new() },
            old,
            copy: digest,
            copy_name: seen.map_or_else(
                || "the page as it was last seen".to_owned(),
                |seen| format!("the page as seen on {}", seen.strftime("%Y-%m-%d")),
            ),
            has_taught: false,
            searches: 0,
            was_sought_elsewhere: false,
            recognized: BTreeMap::new(),
            page,
        }
    }

    pub(super) fn is_open(&self, least: Confidence) -> bool {
        self.revival.alias.as_ref().is_none_or(|alias| alias.confidence < least)
    }

    /// Drops what is not sure enough, and the reasons that did not hold.
    pub(super) fn conclude(&mut self, least: Confidence) {
        let revival = &mut self.revival;
        if let Some(alias) = revival.alias.take_if(|alias| alias.confidence < least) {
            revival.other(alias.url, alias.confidence);
            revival.because(NoAliasReason::NoMatch);
        }
        if let Some(alias) = &revival.alias {
            revival.reasons.clear();
            revival.others.retain(|other| other.url != alias.url);
        }
    }

    /// Whether an address is that of the page itself, which is no news of it.
    /// Another scheme, host or closing slash is: where the page is dead and the
    /// other alive, it moved there.
    pub(super) fn is_itself(&self, url: &Url) -> bool {
        let place = |url: &Url| url[Position::BeforeHost..Position::AfterQuery].to_owned();
        url.scheme() == self.page.url.scheme() && place(url) == place(&self.page.url)
    }

    /// Learns from the last good copy what the page was about.
    pub(super) fn remember(&mut self, copy: ArchivedCopy) {
        if let Some(title) = copy.digest.title.as_ref().filter(|_| self.old.title.is_none()) {
            self.old.title = Some(title.clone());
        }
        self.old.date.get_or_insert(copy.captured_at.to_zoned(TimeZone::UTC).date());
        self.revival.archived = copy.snapshot;
        self.copy_name = format!("the copy of {}", copy.captured_at.strftime("%Y-%m-%d"));
        self.copy = Some(copy.digest);
    }

    /// What speaks for a living candidate beside the way it was found.
    pub(super) fn evidence(
        &self,
        living: &LiveCandidate,
        mut found: Vec<AliasEvidence>,
    ) -> Vec<AliasEvidence> {
        let Some(digest) = &living.digest else { return found };
        let same_title = self.old.title.as_deref().is_some_and(|old| {
            digest.title.as_deref().is_some_and(|new| new.trim().eq_ignore_ascii_case(old.trim()))
        });
        if same_title {
            let note = AliasEvidenceKind::Title.to_string();
            found.push(AliasEvidence { kind: AliasEvidenceKind::Title, note });
        }
        if let TextComparison::Same(note) = self.compare(living) {
            found.push(AliasEvidence { kind: AliasEvidenceKind::Content, note });
        }
        found
    }

    /// What a living candidate is in place of the page, unless it has the
    /// page's text.
    pub(super) fn misdirection(&self, living: &LiveCandidate) -> Option<Misdirection> {
        if self.is_copy(living) {
            return None;
        }
        let (from, to) = (self.page.url.as_str(), living.url.as_str());
        misdirection(from, to, living.digest.as_ref())
    }

    /// Whether a living page has the text of the old copy.
    pub(super) fn is_copy(&self, living: &LiveCandidate) -> bool {
        matches!(self.compare(living), TextComparison::Same(_))
    }

    /// What the text of a living page says about its being the old one.
    pub(super) fn compare(&self, living: &LiveCandidate) -> TextComparison {
        let Some(copy) = self.copy.as_ref().filter(|copy| is_recognizable(copy)) else {
            return TextComparison::Impossible;
        };
        let Some(digest) = &living.digest else { return TextComparison::Impossible };
        match likeness(copy, digest) {
            None => TextComparison::Unlike,
            Some((likeness, _)) if !likeness.is_mirror() => TextComparison::Alike,
            Some(_) if copy.fingerprint.is_some() => {
                TextComparison::Same("it is the same file as the old page".to_owned())
            }
            Some((_, share)) => {
                let percent = share * 100.0;
                TextComparison::Same(format!("{percent:.0} % of its text is that of the old page"))
            }
        }
    }
}

/// What comparing the texts of two pages says about their being one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextComparison {
    /// They have the same text, told in plain words.
    Same(String),
    /// They have much of it in common.
    Alike,
    /// They have little in common.
    Unlike,
    /// One of them has no text by which it could be told from others.
    Impossible,
}

#[cfg(test)]
mod tests {
    use relink_model::{RequestRights, Sketch};

    use super::*;

    /// A text of so many shingles, beginning with this one.
    fn text(first: u32, shingles: u32) -> Digest {
        Digest {
            sketch: Sketch::from_hashes((first..first + shingles).collect()),
            ..Digest::default()
        }
    }

    #[track_caller]
    fn check(old: Digest, new: Digest, expect: &str) {
        let url: Url = "https://example.org/a".parse().unwrap();
        let page = DeadPage { url: url.clone(), known: None, rights: RequestRights::discovered() };
        let quest =
            AliasSearch { copy: Some(old), ..AliasSearch::new(page, Timestamp::UNIX_EPOCH) };
        let living = LiveCandidate { url, digest: Some(new) };
        let evidence = quest.evidence(&living, Vec::new());
        let notes: Vec<&str> = evidence.iter().map(|item| item.note.as_str()).collect();
        assert_eq!(notes.join(", "), expect);
    }

    #[test]
    fn the_same_text_speaks_for_a_page() {
        check(text(0, 100), text(0, 100), "100 % of its text is that of the old page");
        check(text(0, 100), text(0, 90), "90 % of its text is that of the old page");
        check(text(0, 100), text(0, 50), "");
    }

    #[test]
    fn pages_without_a_text_of_their_own_say_nothing() {
        check(text(0, 0), text(0, 0), "");
        check(text(0, 12), text(0, 12), "");
    }

    #[test]
    fn files_are_compared_by_what_is_in_them() {
        let file = |print| Digest { fingerprint: Some(print), bytes: 4096, ..Digest::default() };
        check(file(1), file(1), "it is the same file as the old page");
        check(file(1), file(2), "");
    }

    #[track_caller]
    fn check_itself(url: &str, expect: bool) {
        let dead = "http://example.org/owls?page=2".parse().unwrap();
        let page = DeadPage { url: dead, known: None, rights: RequestRights::discovered() };
        let quest = AliasSearch::new(page, Timestamp::UNIX_EPOCH);
        assert_eq!(quest.is_itself(&url.parse().unwrap()), expect, "{url}");
    }

    #[test]
    fn a_page_is_itself_whatever_its_fragment() {
        check_itself("http://example.org/owls?page=2", true);
        check_itself("http://ann:secret@EXAMPLE.org:80/owls?page=2#top", true);
        check_itself("http://example.org/owls", false);
        check_itself("https://example.org/owls?page=2", false);
        check_itself("http://www.example.org/owls?page=2", false);
    }
}
