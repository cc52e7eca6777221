//! Comparison of the page with the digest that an earlier run stored for the same URL.
//!
//! Unchanged content means `alive`. Content that has nothing in common with the earlier
//! page is evidence of a new owner, a soft-404 or drift (other content at the same URL).

use relink_model::{DeadReason, Digest};

use super::{ContentAssessor, Finding, redirect_code};
use crate::page::PageView;
use crate::phrases::{PhraseClass, count_phrases, host_names, title_parts};
use crate::url_parts::{UrlParts, same_owner};
use crate::url_words::{script, share, words};
use crate::{codes, confidence};

/// Minimum resemblance of an unchanged page.
const UNCHANGED: f64 = 0.8;
/// Minimum resemblance of an unchanged page with the same title.
const UNCHANGED_WITH_SAME_TITLE: f64 = 0.5;
/// Minimum share of common words of an unchanged page with the same title.
const UNCHANGED_WORD_SHARE: f64 = 0.7;
/// Below this resemblance, two pages have no text in common.
const NO_COMMON_TEXT: f64 = 0.05;
/// Share of words that unrelated texts of one language have in common.
const CHANCE_OVERLAP: f64 = 0.2;
/// Minimum number of different phrases on a spam page.
const MIN_SPAM_PHRASES: usize = 3;
/// Minimum number of different phrases on a spam page without an earlier version.
const MIN_SPAM_PHRASES_ON_HOME_PAGE: usize = 5;
/// Minimum length of a significant word.
const MIN_SIGNIFICANT_LETTERS: usize = 4;

impl<'a> ContentAssessor<'a> {
    fn earlier_digest(&self) -> Option<&'a Digest> {
        self.input.history.digest.as_deref()
    }

    /// Returns `alive` if the text is the same as in an earlier run.
    pub(super) fn check_unchanged(&self) -> Option<Finding> {
        let earlier = self.earlier_digest().filter(|earlier| earlier.text_length > 0)?;
        let resemblance = self.page.digest.sketch.resemblance(&earlier.sketch);
        let has_same_title = earlier.title.is_some() && earlier.title == self.page.digest.title;
        let word_share = || shared_word_share(&earlier.text_start, &self.page.digest.text_start);
        let is_same = resemblance >= UNCHANGED
            || (has_same_title
                && (resemblance >= UNCHANGED_WITH_SAME_TITLE
                    || word_share() >= UNCHANGED_WORD_SHARE));
        is_same.then(|| {
            let note = "content unchanged since an earlier run".to_owned();
            self.alive(confidence::ALIVE_UNCHANGED, Some(note))
        })
    }

    /// Whether neither title nor text has anything in common with the earlier page.
    pub(super) fn title_and_text_changed(&self) -> bool {
        let Some(earlier) = self.earlier_digest() else { return false };
        !shares_title(earlier, &self.page) && self.text_changed()
    }

    /// Whether the text has nothing in common with the earlier page, regardless of
    /// the title.
    pub(super) fn text_changed(&self) -> bool {
        let Some(earlier) = self.earlier_digest() else { return false };
        let is_comparable = earlier.text_length > 0 && self.page.digest.text_length > 0;
        is_comparable
            && self.page.digest.sketch.resemblance(&earlier.sketch) < NO_COMMON_TEXT
            && shared_word_share(&earlier.text_start, &self.page.digest.text_start) < CHANCE_OVERLAP
    }

    /// Returns a finding if the URL redirects to a page that is not the earlier one.
    pub(super) fn check_replaced(&self) -> Option<Finding> {
        let earlier =
            self.earlier_digest().filter(|_| self.page.is_redirected() && self.text_changed())?;
        let before: Vec<String> = earlier.title.as_deref().into_iter().flat_map(words).collect();
        let now: Vec<String> = words(self.page.title()).collect();
        let shared = before.iter().filter(|word| now.contains(word)).count();
        let is_same_name = !before.is_empty() && 2 * shared >= before.len().max(now.len());
        if is_same_name {
            return None;
        }
        let final_url = self.page.final_url;
        let reason =
            format!("redirects to {final_url}, which has nothing in common with the earlier page");
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence::FILE_BECAME_PAGE);
        Some(self.with_titles(dead, earlier))
    }

    /// Returns a finding if another owner uses the domain for something else.
    pub(super) fn check_owner_change(&self) -> Option<Finding> {
        let earlier = self.earlier_digest().filter(|_| self.title_and_text_changed())?;
        let page = &self.page;
        let spam = count_phrases(&all_text(page.digest), PhraseClass::Spam);
        let is_spam =
            spam >= MIN_SPAM_PHRASES && count_phrases(&all_text(earlier), PhraseClass::Spam) < 2;
        let scripts = script(&all_text(earlier)).zip(script(&all_text(page.digest)));
        let changes_script = scripts.is_some_and(|(before, now)| before != now);
        let leaves_owner = page.is_redirected() && !self.knows_owner(&page.final_url_parts());
        if !is_spam && !changes_script {
            return None;
        }
        let reason = "title and text have nothing in common with the earlier page".to_owned();
        let mut finding =
            Finding::dead(DeadReason::Hijacked, codes::HIJACKED, reason, confidence::CHANGED_OWNER);
        if is_spam {
            finding = finding.with_page_sign(format!("{spam} different spam phrases"));
        }
        if changes_script {
            finding = finding.with_page_sign("written in another script");
        }
        if leaves_owner {
            finding = finding.with_page_sign("redirects to another owner's site");
        }
        Some(self.with_titles(finding, earlier))
    }

    /// Returns a finding if a home page advertises gambling or the like in its title,
    /// under a host name that has nothing to do with it. Sellers of such links take over
    /// expired domains of schools, clubs and towns. If the domain is redirected to another
    /// owner's site, fewer phrases suffice.
    pub(super) fn check_spam_home_page(&self) -> Option<Finding> {
        if !self.page.is_home_page() {
            return None;
        }
        if self.page.is_redirected() && !self.knows_owner(&self.page.final_url_parts()) {
            return self.spam_finding(MIN_SPAM_PHRASES);
        }
        let in_title = || count_phrases(self.page.title(), PhraseClass::Spam);
        let spam = self.spam_finding(MIN_SPAM_PHRASES_ON_HOME_PAGE);
        spam.filter(|_| in_title() >= MIN_SPAM_PHRASES)
    }

    /// Returns a finding for a page that all URLs of the site show, if it is spam.
    pub(super) fn check_site_wide_spam(&self) -> Option<Finding> {
        self.spam_finding(MIN_SPAM_PHRASES)
    }

    /// Returns a finding if the page has at least `min_phrases` spam phrases, one of them in its
    /// title, and the host name has nothing to do with it.
    fn spam_finding(&self, min_phrases: usize) -> Option<Finding> {
        let page = &self.page;
        if !page.may_contain(PhraseClass::Spam) {
            return None;
        }
        let title = page.title();
        let host = page.url_parts().host().to_lowercase();
        let is_own_brand = host_names(&host, PhraseClass::Spam)
            || words(title)
                .any(|word| word.len() >= MIN_SIGNIFICANT_LETTERS && host.contains(&word));
        let spam = count_phrases(&all_text(page.digest), PhraseClass::Spam);
        let is_spam = count_phrases(title, PhraseClass::Spam) > 0 && spam >= min_phrases;
        if !is_spam || is_own_brand {
            return None;
        }
        let reason = "the title is spam that has nothing to do with the host name".to_owned();
        let (code, confidence) = (codes::HIJACKED, confidence::SPAM_HOME_PAGE);
        let finding = Finding::dead(DeadReason::Hijacked, code, reason, confidence);
        Some(finding.with_page_sign(format!("{spam} different spam phrases")))
    }

    /// Returns a finding if a document became a web page about something else.
    pub(super) fn check_file_became_page(&self) -> Option<Finding> {
        let before = self.earlier_digest()?.content_type.as_deref()?;
        let was_file = !before.starts_with("text/") && !before.contains("html");
        if !was_file || !self.page.is_html() || self.page.has_url_words_in_title() {
            return None;
        }
        let now = self.page.digest.content_type.as_deref().unwrap_or("text/html");
        let reason = format!("media type changed from {before} to {now}");
        Some(Finding::dead(
            DeadReason::Soft404,
            codes::SOFT_404,
            reason,
            confidence::FILE_BECAME_PAGE,
        ))
    }

    /// Returns `drifted` if title and text have nothing in common with the earlier page.
    pub(super) fn check_drifted(&self) -> Option<Finding> {
        let earlier = self.earlier_digest().filter(|_| self.title_and_text_changed())?;
        let reason = "title and text have nothing in common with the earlier page".to_owned();
        let finding = Finding {
            verdict: relink_model::Verdict::Drifted,
            code: Some(codes::DRIFTED),
            reason,
            ..self.alive(confidence::DRIFTED, None)
        };
        Some(self.with_titles(finding, earlier))
    }

    fn with_titles(&self, finding: Finding, earlier: &Digest) -> Finding {
        match (&earlier.title, &self.page.digest.title) {
            (Some(before), Some(now)) => {
                finding.with_page_sign(format!("title changed from “{before}” to “{now}”"))
            }
            _ => finding,
        }
    }

    /// Whether a URL belongs to the current or earlier owner of this page.
    fn knows_owner(&self, url: &UrlParts<'_>) -> bool {
        let earlier = self.input.history.final_url.as_deref().and_then(UrlParts::parse);
        same_owner(self.page.url_parts().host(), url.host())
            || earlier.is_some_and(|earlier| same_owner(earlier.host(), url.host()))
    }
}

/// Whether at least half of the significant words of the earlier title are still
/// in the title or headings. The name of the site does not count.
fn shares_title(earlier: &Digest, page: &PageView<'_>) -> bool {
    let Some(earlier_title) = earlier.title.as_deref() else {
        // Without an earlier title, only the text is compared.
        return false;
    };
    let earlier_parts: Vec<&str> = title_parts(earlier_title).map(str::trim).collect();
    let parts: Vec<&str> = title_parts(page.title()).map(str::trim).collect();
    // A part of both titles, as in “Oak | Library”, is the name of the site.
    let is_site_name = |part: &&str| earlier_parts.contains(part) && parts.contains(part);
    if earlier_parts.iter().all(is_site_name) {
        return true;
    }
    let earlier_words: Vec<String> = earlier_parts
        .iter()
        .filter(|part| !is_site_name(part))
        .flat_map(|part| words(part))
        .collect();
    let own_parts = parts.iter().copied().filter(|part| !is_site_name(part));
    let headings = page.digest.headings.iter().map(String::as_str);
    let current_words: Vec<String> = own_parts.chain(headings).flat_map(words).collect();
    let is_significant = |word: &&String| {
        word.chars().count() >= MIN_SIGNIFICANT_LETTERS || earlier_words.len() == 1
    };
    let significant: Vec<&String> = earlier_words.iter().filter(is_significant).collect();
    let shared = significant.iter().filter(|word| current_words.contains(word)).count();
    shared > 0 && 2 * shared >= significant.len()
}

/// Returns the share of significant words of the shorter text that both texts contain.
fn shared_word_share(one: &str, other: &str) -> f64 {
    let is_significant = |text: &str| -> Vec<String> {
        words(text).filter(|word| word.chars().count() >= MIN_SIGNIFICANT_LETTERS).collect()
    };
    let (one, other) = (is_significant(one), is_significant(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    share(shared, one.len().min(other.len()))
}

/// Returns title, headings and the start of the text.
fn all_text(digest: &Digest) -> String {
    let mut text = digest.title.clone().unwrap_or_default();
    for part in digest.headings.iter().chain([&digest.text_start]) {
        text.push(' ');
        text.push_str(part);
    }
    text
}
