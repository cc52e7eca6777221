//! What an earlier visit saw, and what its difference to now means.

use relink_model::{DeadReason, Digest};

use super::{ContentAssessor, Finding, redirect_code};
use crate::page::PageView;
use crate::phrases::{PhraseClass, count, parts};
use crate::url_parts::{UrlParts, same_owner};
use crate::url_words::{script, share, words};
use crate::{codes, confidence};

/// From this resemblance on a page is what it was.
const AS_BEFORE: f64 = 0.8;
/// The same, where the title is also the same.
const AS_BEFORE_BY_TITLE: f64 = 0.5;
/// The share of words by which a page of the same title is what it was.
const STILL_SAID: f64 = 0.7;
/// Below this resemblance no text is left of what was there.
const NOTHING_LEFT: f64 = 0.05;
/// The share of words that any two texts of one language have in common.
const CHANCE: f64 = 0.2;
/// Different spam words that make a page spam.
const MUCH_SPAM: usize = 3;
/// Letters a word must have to be telling.
const TELLING: usize = 4;

impl<'a> ContentAssessor<'a> {
    fn prior(&self) -> Option<&'a Digest> {
        self.case.history.digest.as_deref()
    }

    /// The page says what it said on an earlier visit.
    pub(super) fn as_before(&self) -> Option<Finding> {
        let prior = self.prior().filter(|prior| prior.text_length > 0)?;
        let resemblance = self.page.digest.sketch.resemblance(&prior.sketch);
        let has_title = prior.title.is_some() && prior.title == self.page.digest.title;
        let still_said = || shared_words(&prior.text_start, &self.page.digest.text_start);
        let is_same = resemblance >= AS_BEFORE
            || (has_title && (resemblance >= AS_BEFORE_BY_TITLE || still_said() >= STILL_SAID));
        is_same.then(|| {
            let note = "the page says what it said before".to_owned();
            self.alive(confidence::ALIVE_AS_BEFORE, Some(note))
        })
    }

    /// Title and text have nothing in common with what was there.
    pub(super) fn has_changed(&self) -> bool {
        let Some(prior) = self.prior() else { return false };
        !shares_title(prior, &self.page) && self.has_other_text()
    }

    /// The text has nothing in common with what was there, whatever the title
    /// says.
    pub(super) fn has_other_text(&self) -> bool {
        let Some(prior) = self.prior() else { return false };
        let is_comparable = prior.text_length > 0 && self.page.digest.text_length > 0;
        is_comparable
            && self.page.digest.sketch.resemblance(&prior.sketch) < NOTHING_LEFT
            && shared_words(&prior.text_start, &self.page.digest.text_start) < CHANCE
    }

    /// The address leads elsewhere, to a page that is not the one it was.
    pub(super) fn replaced(&self) -> Option<Finding> {
        let prior = self.prior().filter(|_| self.page.is_elsewhere() && self.has_other_text())?;
        let before: Vec<String> = prior.title.as_deref().into_iter().flat_map(words).collect();
        let now: Vec<String> = words(self.page.title()).collect();
        let shared = before.iter().filter(|word| now.contains(word)).count();
        let is_same_name = !before.is_empty() && 2 * shared >= before.len().max(now.len());
        if is_same_name {
            return None;
        }
        let landing = self.page.landing;
        let reason = format!("redirects to {landing}, which has nothing of what was there");
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence::FLIPPED);
        Some(self.with_titles(dead, prior))
    }

    /// The name has another owner, who uses it for something else.
    pub(super) fn resold(&self) -> Option<Finding> {
        let prior = self.prior().filter(|_| self.has_changed())?;
        let page = &self.page;
        let spam = count(&told(page.digest), PhraseClass::Spam);
        let is_spam = spam >= MUCH_SPAM && count(&told(prior), PhraseClass::Spam) < 2;
        let changes_script = script(&told(prior)).zip(script(&told(page.digest)));
        let changes_script = changes_script.is_some_and(|(before, now)| before != now);
        let is_sent_away = page.is_elsewhere() && !self.knows_owner(&page.arrival());
        if !is_spam && !changes_script {
            return None;
        }
        let reason = "title and text have nothing in common with what was there".to_owned();
        let mut opinion =
            Finding::dead(DeadReason::Hijacked, codes::HIJACKED, reason, confidence::RESOLD);
        if is_spam {
            opinion = opinion.by_sign(format!("{spam} different words of betting and other spam"));
        }
        if changes_script {
            opinion = opinion.by_sign("it is written in another script");
        }
        if is_sent_away {
            opinion = opinion.by_sign("it redirects to another owner's site");
        }
        Some(self.with_titles(opinion, prior))
    }

    /// A document became a web page that is about something else.
    pub(super) fn flipped(&self) -> Option<Finding> {
        let before = self.prior()?.content_type.as_deref()?;
        let was_file = !before.starts_with("text/") && !before.contains("html");
        if !was_file || !self.page.is_html() || self.page.is_about_its_address() {
            return None;
        }
        let now = self.page.digest.content_type.as_deref().unwrap_or("text/html");
        let reason = format!("was {before} on an earlier visit, is {now} now");
        Some(Finding::dead(DeadReason::Soft404, codes::SOFT_404, reason, confidence::FLIPPED))
    }

    /// The page lives, but is about something else now.
    pub(super) fn drifted(&self) -> Option<Finding> {
        let prior = self.prior().filter(|_| self.has_changed())?;
        let reason = "title and text have nothing in common with an earlier visit".to_owned();
        let opinion = Finding {
            verdict: relink_model::Verdict::Drifted,
            code: Some(codes::DRIFTED),
            reason,
            ..self.alive(confidence::DRIFTED, None)
        };
        Some(self.with_titles(opinion, prior))
    }

    fn with_titles(&self, opinion: Finding, prior: &Digest) -> Finding {
        match (&prior.title, &self.page.digest.title) {
            (Some(before), Some(now)) => {
                opinion.by_sign(format!("the title was “{before}” and is “{now}”"))
            }
            _ => opinion,
        }
    }

    /// Whether an address belongs to the owner of this page, now or before.
    fn knows_owner(&self, address: &UrlParts<'_>) -> bool {
        let landing = self.case.history.final_url.as_deref().and_then(UrlParts::of);
        same_owner(self.page.address().host(), address.host())
            || landing.is_some_and(|landing| same_owner(landing.host(), address.host()))
    }
}

/// Whether at least half of the telling words of a title are still there,
/// beside the name of the site.
fn shares_title(prior: &Digest, page: &PageView<'_>) -> bool {
    let Some(before) = prior.title.as_deref() else {
        // Without an earlier title, the words of the text must do.
        return false;
    };
    let now: Vec<&str> = parts(page.title()).map(str::trim).collect();
    let own: Vec<&str> = parts(before).map(str::trim).filter(|part| !now.contains(part)).collect();
    if own.is_empty() {
        return true;
    }
    let labels = now.into_iter().filter(|part| !parts(before).any(|old| old.trim() == *part));
    let headings = page.digest.headings.iter().map(String::as_str);
    let now: Vec<String> = labels.chain(headings).flat_map(words).collect();
    let all: Vec<String> = own.into_iter().flat_map(words).collect();
    let telling = |word: &&String| word.chars().count() >= TELLING || all.len() == 1;
    let before: Vec<&String> = all.iter().filter(telling).collect();
    let shared = before.iter().filter(|word| now.contains(word)).count();
    shared > 0 && 2 * shared >= before.len()
}

/// The share of the telling words of one text that the other has, too.
fn shared_words(one: &str, other: &str) -> f64 {
    let telling = |text: &str| -> Vec<String> {
        words(text).filter(|word| word.chars().count() >= TELLING).collect()
    };
    let (one, other) = (telling(one), telling(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    share(shared, one.len().min(other.len()))
}

/// All that is known of a page's words.
fn told(digest: &Digest) -> String {
    let mut told = digest.title.clone().unwrap_or_default();
    for part in digest.headings.iter().chain([&digest.text_start]) {
        told.push(' ');
        told.push_str(part);
    }
    told
}
