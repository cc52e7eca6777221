//! Redirect rules: distinguishes moved pages from redirects to unrelated pages.

use relink_model::{ControlKind, DeadReason};

use super::{ContentAssessor, ControlResponse, Finding, RuleResult, redirect_code};
use crate::control_url::varied_parameter;
use crate::url_parts::{Parameter, UrlParts, numbers, parameters, same_site};
use crate::url_words::{percent_decoded, without_accents, words};
use crate::{codes, confidence};

/// Words in the URLs of error pages, or in parameters that are added to a URL when
/// a page is gone.
const ERROR_NAMES: [&str; 43] = [
    "404",
    "410",
    "error",
    "errors",
    "err",
    "aspxerrorpath",
    "fehler",
    "erreur",
    "notfound",
    "missing",
    "removed",
    "deleted",
    "unavailable",
    "expired",
    "gone",
    "discontinued",
    "withdrawn",
    "retired",
    "soldout",
    "verwijderd",
    "entfernt",
    "geloescht",
    "gelöscht",
    "ausgelaufen",
    "supprime",
    "supprimé",
    "eliminado",
    "rimosso",
    "removido",
    "poistettu",
    "usunieto",
    "eliminada",
    "eliminato",
    "eliminata",
    "rimossa",
    "removida",
    "supprimee",
    "supprimée",
    "introuvable",
    "inexistente",
    "slettet",
    "borttagen",
    "silindi",
];

/// Query parameters with a message that the target of a redirect shows.
const MESSAGE_PARAMETERS: [&str; 8] =
    ["msg", "message", "notice", "flash", "alert", "warning", "errmsg", "errorcode"];
/// Parts of messages that do not report an error.
const HARMLESS_MESSAGES: [&str; 6] = ["moved", "welcome", "new", "redirect", "success", "ok"];

/// Minimum number of letters of a word that identifies a page.
const MIN_WORD_LETTERS: usize = 3;

impl ContentAssessor<'_> {
    /// Returns a finding if the page redirects to a URL that cannot be the page.
    pub(super) fn check_misdirected(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let (url, target) = (page.url_parts(), page.final_url_parts());
        if !page.is_redirected() || url.is_index() || page.has_url_words_in_title() {
            return Ok(None);
        }
        if is_error(&target) && !is_error(&url) {
            let reason = format!("redirects to {}", page.final_url);
            let confidence = confidence::REDIRECTED_TO_ERROR;
            return Ok(Some(Finding::dead(
                DeadReason::Soft404,
                codes::SOFT_404,
                reason,
                confidence,
            )));
        }
        if let Some(finding) = self.check_last_redirect() {
            return Ok(Some(finding));
        }
        if retains_name(&url, &target) || self.is_redirected_without_parameter()? {
            return Ok(None);
        }
        if self.is_redirected_with_message() {
            return Ok(Some(self.message_finding()));
        }
        match self.shares_target_with_neighbors()? {
            Some(true) => Ok(Some(self.neighbor_finding())),
            _ if self.is_unrelated_target()? => Ok(Some(self.unrelated_finding())),
            Some(false) => Ok(None),
            None => Ok(leads_to_parent(&url, &target).then(|| self.parent_finding(&target))),
        }
    }

    /// Whether a redirect to another page of the site adds a message, which servers do if they
    /// cannot fulfil a request.
    fn is_redirected_with_message(&self) -> bool {
        let (url, target) = (self.page.url_parts(), self.page.final_url_parts());
        let is_message = |parameter: Parameter<'_>| {
            let value = parameter.value.to_ascii_lowercase();
            MESSAGE_PARAMETERS.contains(&parameter.name.to_ascii_lowercase().as_str())
                && !value.is_empty()
                && !HARMLESS_MESSAGES.iter().any(|harmless| value.contains(harmless))
        };
        let adds_message = parameters(target.query.unwrap_or_default()).any(is_message)
            && !parameters(url.query.unwrap_or_default()).any(is_message);
        adds_message && same_site(url.host(), target.host()) && !self.contains_word_of_name()
    }

    fn message_finding(&self) -> Finding {
        let reason = format!("redirects to {}, with a message", self.page.final_url);
        let (code, confidence) = (redirect_code(&self.page), confidence::REDIRECTED_TO_PARENT);
        Finding::dead(DeadReason::Soft404, code, reason, confidence)
    }

    /// Whether the page without its parameter is redirected to the same URL, so that the
    /// parameter is not the reason.
    fn is_redirected_without_parameter(&self) -> RuleResult<bool> {
        if varied_parameter(self.page.url_parts()).is_none() {
            return Ok(false);
        }
        Ok(match self.control_response(ControlKind::WithoutParameter)? {
            ControlResponse::Page(bare) => bare.final_url == self.page.final_url,
            _ => false,
        })
    }

    /// Whether the redirect leaves a directory that still has pages, and the target
    /// contains no word of the requested name. Shops redirect discontinued products to
    /// a category in this way. A page that moved still contains words of its name.
    fn is_unrelated_target(&self) -> RuleResult<bool> {
        let page = &self.page;
        let target = page.final_url_parts();
        if !self.leaves_section() || !same_site(page.url_parts().host(), target.host()) {
            return Ok(false);
        }
        let url = page.url_parts();
        if self.contains_word_of_name() {
            return Ok(false);
        }
        let mut has_pages = false;
        for kind in [ControlKind::Neighbor, ControlKind::SecondNeighbor] {
            if let ControlResponse::Page(neighbor) = self.control_response(kind)? {
                let is_inside = neighbor.final_url_parts().path.starts_with(url.parent());
                has_pages |= is_inside && same_site(url.host(), neighbor.final_url_parts().host());
            }
        }
        Ok(has_pages)
    }

    fn contains_word_of_name(&self) -> bool {
        let page = &self.page;
        let (url, target) = (page.url_parts(), page.final_url_parts());
        let stem = url.extension().map_or_else(|| url.name(), |(stem, _)| stem);
        let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        let (numbers, name): (Vec<String>, Vec<String>) =
            words(&percent_decoded(stem)).map(|word| without_accents(&word)).partition(is_number);
        let name: Vec<String> =
            name.into_iter().filter(|word| word.chars().count() >= MIN_WORD_LETTERS).collect();
        let texts = [target.path, &page.digest.text_start, &page.digest.text_end];
        let mut target_words = page.title_and_headings().chain(texts).flat_map(words);
        let url_words = || words(target.path).chain(words(target.query.unwrap_or_default()));
        name.len() < 2
            || url_words().any(|word| numbers.contains(&word))
            || target_words.any(|word| name.contains(&without_accents(&word)))
    }

    fn unrelated_finding(&self) -> Finding {
        let reason = format!(
            "redirects to {}, which contains no word of the name, while other pages of the \
             directory exist",
            self.page.final_url
        );
        let (code, confidence) = (redirect_code(&self.page), confidence::REDIRECTED_TO_PARENT);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence);
        let note = "not redirected out of the directory";
        dead.with_evidence(self.comparison_evidence(ControlKind::Neighbor, note, None))
    }

    /// Returns a finding if the page redirects to another site, where the last
    /// redirect leads from a page to a parent directory. Then the other site does not
    /// have the page.
    fn check_last_redirect(&self) -> Option<Finding> {
        let hops = &self.input.probe.hops;
        let [.., _, from, _] = hops.as_slice() else { return None };
        let (from, target) = (UrlParts::parse(&from.url)?, self.page.final_url_parts());
        let is_other_site = !same_site(self.page.url_parts().host(), from.host());
        (is_other_site && !from.is_index() && leads_to_parent(&from, &target))
            .then(|| self.parent_finding(&target))
    }

    /// Whether the page was redirected together with other pages of its directory;
    /// `None` if the neighbors are inconclusive.
    ///
    /// If a whole section was removed, one rule redirects all its pages with the
    /// same chain of statuses. Two pages may also have been merged into one.
    /// Therefore one neighbor with the same chain suffices only if the redirect
    /// leaves the section.
    fn shares_target_with_neighbors(&self) -> RuleResult<Option<bool>> {
        let (mut same_chain, mut same_target, mut other_target) = (0, 0, 0);
        for kind in [ControlKind::Neighbor, ControlKind::SecondNeighbor] {
            let ControlResponse::Page(neighbor) = self.control_response(kind)? else { continue };
            if !neighbor.is_redirected() {
                continue;
            }
            let has_same_target = neighbor.final_url == self.page.final_url;
            same_target += u32::from(has_same_target);
            other_target += u32::from(!has_same_target);
            same_chain += u32::from(
                has_same_target && neighbor.redirect_statuses().eq(self.page.redirect_statuses()),
            );
        }
        if same_chain > 1 || (same_chain == 1 && other_target == 0 && self.leaves_section()) {
            return Ok(Some(true));
        }
        Ok((other_target > 0 && same_target == 0).then_some(false))
    }

    /// Whether the redirect leaves the directory of the page. The root directory
    /// does not count, because it contains pages of all kinds.
    fn leaves_section(&self) -> bool {
        let (section, target) = (self.page.url_parts().parent(), self.page.final_url_parts());
        let is_same_site = same_site(self.page.url_parts().host(), target.host());
        let is_inside = is_same_site && target.path.starts_with(section);
        !is_inside && section != "/"
    }

    fn neighbor_finding(&self) -> Finding {
        let final_url = self.page.final_url;
        let reason = format!("redirects to {final_url}, as other pages of the directory do");
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence::SAME_AS_NEIGHBOR);
        let note = "redirected to the same URL";
        dead.with_evidence(self.comparison_evidence(ControlKind::Neighbor, note, None))
    }

    fn parent_finding(&self, target: &UrlParts<'_>) -> Finding {
        let what = if target.is_home_page() { "the home page" } else { "a parent directory" };
        let reason = format!("redirects to {what}, {}", self.page.final_url);
        Finding::dead(
            DeadReason::Soft404,
            codes::REDIRECT_HOME,
            reason,
            confidence::REDIRECTED_TO_PARENT,
        )
    }
}

/// Whether a redirect leads to a parent directory, or to the start page of another
/// version of the section that contains the page.
fn leads_to_parent(url: &UrlParts<'_>, target: &UrlParts<'_>) -> bool {
    if numbers(target.path).next().is_some() || retains_name(url, target) {
        return false;
    }
    let (from, to): (Vec<_>, Vec<_>) = (url.segments().collect(), target.segments().collect());
    let is_start = target.path.ends_with('/') && target.query.is_none();
    let is_other_version = is_start
        && same_site(url.host(), target.host())
        && to.len() + 2 <= from.len()
        && to.first() == from.first();
    url.is_below(target) || is_other_version
}

/// Whether a URL names an error page.
pub(super) fn is_error(url: &UrlParts<'_>) -> bool {
    /// Parts of the names of error pages and of images that replace missing ones.
    const PARTS: [&str; 4] = ["notfound", "noimage", "nophoto", "nopicture"];
    let name: String = url.name().chars().filter(|c| c.is_alphanumeric()).collect();
    let name = name.to_ascii_lowercase();
    PARTS.into_iter().any(|part| name.contains(part)) || contains_word(url, &ERROR_NAMES)
}

fn contains_word(url: &UrlParts<'_>, names: &[&str]) -> bool {
    let decoded = percent_decoded(url.path) + "?" + url.query.unwrap_or_default();
    words(&split_camel_case(&decoded)).any(|word| names.contains(&word.as_str()))
}

/// Inserts spaces between the words of names such as `GenericError`.
fn split_camel_case(text: &str) -> String {
    let mut parts = String::with_capacity(text.len());
    let mut is_after_lowercase = false;
    for character in text.chars() {
        if is_after_lowercase && character.is_uppercase() {
            parts.push(' ');
        }
        is_after_lowercase = character.is_lowercase();
        parts.push(character);
    }
    parts
}

/// Whether the final URL is another one but contains at least half of the words of
/// the requested name.
pub(super) fn retains_name(url: &UrlParts<'_>, target: &UrlParts<'_>) -> bool {
    if url.path == target.path {
        return false;
    }
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_significant = |word: &String| word.chars().count() >= 3 || is_number(word);
    let stem = url.extension().map_or_else(|| url.name(), |(stem, _)| stem);
    let name: Vec<String> = words(stem).filter(is_significant).collect();
    let target_words: Vec<String> =
        words(target.path).chain(words(target.query.unwrap_or_default())).collect();
    let retained = name.iter().filter(|word| target_words.contains(word)).count();
    !name.is_empty() && 2 * retained >= name.len()
}
