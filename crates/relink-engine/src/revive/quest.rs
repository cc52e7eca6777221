//! One page that is being looked for, and what is known of it so far.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_model::{Confidence, Digest};
use relink_revive::evidence::{EvidenceItem, EvidenceKind};
use relink_revive::redirects::RedirectHistory;
use relink_revive::replacement::SAME_TEXT;
use relink_revive::{NoAlias, OldPage};

use super::archives::OldCopy;
use super::live::Living;
use super::{Alias, DeadPage, Other, Revival};

/// One page being looked for.
pub(super) struct Quest {
    pub(super) page: DeadPage,
    pub(super) old: OldPage,
    pub(super) copy: Option<Digest>,
    /// What that copy is, in plain words: `the page as seen on 2026-01-02`.
    pub(super) copy_name: String,
    pub(super) redirects: RedirectHistory,
    pub(super) revival: Revival,
    /// Whether programs were learnt from an earlier answer: what they make of
    /// it is no news.
    pub(super) has_taught: bool,
    /// Searches of engines that count them.
    pub(super) searches: u32,
    /// Whether other sites were searched for it.
    pub(super) was_sought_elsewhere: bool,
}

impl Quest {
    pub(super) fn new(page: DeadPage, now: Timestamp) -> Self {
        let known = page.known.as_ref();
        let digest = known.and_then(|known| known.digest.clone());
        let mut old = OldPage::new(page.url.clone());
        old.title = digest.as_ref().and_then(|digest| digest.title.clone());
        let word = known.map(|known| known.word);
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
            let Alias { url, confidence, .. } = alias;
            revival.others.push(Other { url, confidence });
            revival.because(NoAlias::NoMatch);
        }
        if revival.alias.is_some() {
            revival.reasons.clear();
        }
    }

    /// Learns from the last good copy what the page was about.
    pub(super) fn remember(&mut self, copy: OldCopy) {
        if let Some(title) = copy.digest.title.as_ref().filter(|_| self.old.title.is_none()) {
            self.old.title = Some(title.clone());
        }
        self.old.date.get_or_insert(copy.taken.to_zoned(TimeZone::UTC).date());
        self.revival.archived = copy.snapshot;
        self.copy_name = format!("the copy of {}", copy.taken.strftime("%Y-%m-%d"));
        self.copy = Some(copy.digest);
    }

    /// What speaks for a living candidate beside the way it was found.
    pub(super) fn evidence(
        &self,
        living: &Living,
        mut found: Vec<EvidenceItem>,
    ) -> Vec<EvidenceItem> {
        let Some(digest) = &living.digest else { return found };
        let same_title = self.old.title.as_deref().is_some_and(|old| {
            digest.title.as_deref().is_some_and(|new| new.trim().eq_ignore_ascii_case(old.trim()))
        });
        if same_title {
            let note = EvidenceKind::Title.to_string();
            found.push(EvidenceItem { kind: EvidenceKind::Title, note });
        }
        let resemblance = self.copy.as_ref().map(|copy| copy.sketch.resemblance(&digest.sketch));
        if let Some(share) = resemblance.filter(|share| *share >= SAME_TEXT) {
            let note = format!("{:.0} % of its text is that of the old page", share * 100.0);
            found.push(EvidenceItem { kind: EvidenceKind::Content, note });
        }
        found
    }
}
