//! Where redirects lead: to the page's new place, or to where no page of its
//! own can be.

use relink_model::{ControlKind, DeadReason};

use super::{ContentAssessor, ControlResponse, Finding, RuleResult, redirect_code};
use crate::url_parts::{UrlParts, numbers, same_site};
use crate::url_words::{percent_decoded, words};
use crate::{codes, confidence};

/// Words in the addresses of error pages, and in what is added to the address
/// of another page to say that the one asked for is gone.
const ERROR_NAMES: [&str; 30] = [
    "404",
    "410",
    "error",
    "errors",
    "err",
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
];

impl ContentAssessor<'_> {
    /// The page redirects to where no page of its own can be.
    pub(super) fn misdirected(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let (address, arrival) = (page.address(), page.arrival());
        if !page.is_elsewhere() || address.is_index() || page.is_about_its_address() {
            return Ok(None);
        }
        if is_error(&arrival) && !is_error(&address) {
            let reason = format!("redirects to {}", page.landing);
            let confidence = confidence::SENT_TO_ERROR;
            return Ok(Some(Finding::dead(
                DeadReason::Soft404,
                codes::SOFT_404,
                reason,
                confidence,
            )));
        }
        if let Some(opinion) = self.last_leg_up() {
            return Ok(Some(opinion));
        }
        if keeps_name(&address, &arrival) {
            return Ok(None);
        }
        match self.shared_landing()? {
            Some(true) => Ok(Some(self.sent_with_neighbors())),
            Some(false) => Ok(None),
            None => Ok(is_up(&address, &arrival).then(|| self.sent_up(&arrival))),
        }
    }

    /// A page may be passed on to another site, which then does not have it:
    /// the last redirect leads from a page to the top of its own site.
    fn last_leg_up(&self) -> Option<Finding> {
        let hops = &self.case.probe.hops;
        let [.., _, from, _] = hops.as_slice() else { return None };
        let (from, arrival) = (UrlParts::of(&from.url)?, self.page.arrival());
        let is_foreign = !same_site(self.page.address().host(), from.host());
        (is_foreign && !from.is_index() && is_up(&from, &arrival)).then(|| self.sent_up(&arrival))
    }

    /// Whether the page was redirected with its directory, or as one page of
    /// many; `None` if the neighbors cannot tell.
    ///
    /// A section that was given up is redirected by one rule, and so in one way:
    /// a page that moved for good and another that is elsewhere for today may
    /// well meet. Two pages may also have become one; that is told from a rule
    /// by where it happens.
    fn shared_landing(&self) -> RuleResult<Option<bool>> {
        let (mut alike, mut met, mut apart) = (0, 0, 0);
        for kind in [ControlKind::Neighbor, ControlKind::SecondNeighbor] {
            let ControlResponse::Page(neighbor) = self.control_response(kind)? else { continue };
            if !neighbor.is_elsewhere() {
                continue;
            }
            let is_met = neighbor.landing == self.page.landing;
            met += u32::from(is_met);
            apart += u32::from(!is_met);
            alike += u32::from(is_met && neighbor.way().eq(self.page.way()));
        }
        if alike > 1 || (alike == 1 && apart == 0 && self.leaves_section()) {
            return Ok(Some(true));
        }
        Ok((apart > 0 && met == 0).then_some(false))
    }

    /// Whether the page was in a directory of its own kind and is sent out of
    /// it. At the top of a site are pages of all kinds.
    fn leaves_section(&self) -> bool {
        let (section, arrival) = (self.page.address().parent(), self.page.arrival());
        let is_same_site = same_site(self.page.address().host(), arrival.host());
        let is_inside = is_same_site && arrival.path.starts_with(section);
        !is_inside && section != "/"
    }

    fn sent_with_neighbors(&self) -> Finding {
        let landing = self.page.landing;
        let reason = format!("redirects to {landing}, as other pages of the directory do");
        let code = redirect_code(&self.page);
        let dead = Finding::dead(DeadReason::Soft404, code, reason, confidence::SAME_AS_NEIGHBOR);
        let note = "redirected to the same address";
        dead.because(self.ground(ControlKind::Neighbor, note, None))
    }

    fn sent_up(&self, arrival: &UrlParts<'_>) -> Finding {
        let what = if arrival.is_front() { "the front page" } else { "a directory above" };
        let reason = format!("redirects to {what}, {}", self.page.landing);
        Finding::dead(DeadReason::Soft404, codes::REDIRECT_HOME, reason, confidence::SENT_UP)
    }
}

/// Whether a redirect leads up: to a directory above, or to the start of
/// another version of the part of the site the page was in.
fn is_up(address: &UrlParts<'_>, arrival: &UrlParts<'_>) -> bool {
    if numbers(arrival.path).next().is_some() || keeps_name(address, arrival) {
        return false;
    }
    let (from, to): (Vec<_>, Vec<_>) = (address.segments().collect(), arrival.segments().collect());
    let is_start = arrival.path.ends_with('/') && arrival.query.is_none();
    let is_other_version = is_start
        && same_site(address.host(), arrival.host())
        && to.len() + 2 <= from.len()
        && to.first() == from.first();
    address.is_below(arrival) || is_other_version
}

/// Whether an address is that of an error page by its name.
pub(super) fn is_error(address: &UrlParts<'_>) -> bool {
    let name: String = address.name().chars().filter(|c| c.is_alphanumeric()).collect();
    name.to_ascii_lowercase().contains("notfound") || is_named(address, &ERROR_NAMES)
}

fn is_named(address: &UrlParts<'_>, names: &[&str]) -> bool {
    let decoded = percent_decoded(address.path) + "?" + address.query.unwrap_or_default();
    words(&decoded).any(|word| names.contains(&word.as_str()))
}

/// Whether the address that answers holds the name of the one asked, though it
/// is another.
pub(super) fn keeps_name(address: &UrlParts<'_>, arrival: &UrlParts<'_>) -> bool {
    if address.path == arrival.path {
        return false;
    }
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let telling = |word: &String| word.chars().count() >= 3 || is_number(word);
    let stem = address.extension().map_or_else(|| address.name(), |(stem, _)| stem);
    let name: Vec<String> = words(stem).filter(telling).collect();
    let arrived: Vec<String> =
        words(arrival.path).chain(words(arrival.query.unwrap_or_default())).collect();
    let kept = name.iter().filter(|word| arrived.contains(word)).count();
    !name.is_empty() && 2 * kept >= name.len()
}
