//! The whole site is something else: parked, suspended, not set up, closed for
//! maintenance.

use relink_model::{ControlKind, DeadReason, InconclusiveReason, PageFlag};

use super::redirects::is_error;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::page::PageView;
use crate::page_similarity::{HeadingMatch, SAME_TEXT, labels, text};
use crate::phrases::PhraseClass;
use crate::url_parts::same_site;
use crate::url_words::words;
use crate::{codes, confidence};

/// Characters up to which a page may be a notice or a parked domain's.
const NOTICE_LENGTH: u64 = 1500;
/// Characters up to which a page may be a server's default page.
const DEFAULT_PAGE_LENGTH: u64 = 6000;

/// Where names for sale are redirected to.
const MARKETS: [&str; 12] = [
    "sedo.com",
    "sedoparking.com",
    "dan.com",
    "afternic.com",
    "hugedomains.com",
    "bodis.com",
    "parkingcrew.net",
    "above.com",
    "parklogic.com",
    "undeveloped.com",
    "buydomains.com",
    "domainmarket.com",
];

impl ContentAssessor<'_> {
    /// The name is parked or for sale.
    pub(super) fn parked(&self) -> Option<Finding> {
        let page = &self.page;
        let sale = page.mentions(PhraseClass::ForSale);
        let is_parked = is_at_market(page)
            || (page.has(PageFlag::Parking) && (sale.is_some() || shows_only_links(page)))
            || (page.point(PhraseClass::ForSale).is_some() && page.is_slight())
            || (sale.is_some() && page.digest.text_length <= NOTICE_LENGTH && names_its_host(page));
        if !is_parked || page.is_about_its_address() {
            return None;
        }
        let reason = "the domain is parked or for sale".to_owned();
        let opinion =
            Finding::dead(DeadReason::Hijacked, codes::HIJACKED, reason, confidence::PARKED);
        let opinion = match sale {
            Some(phrase) => opinion.by_sign(format!("the page says “{phrase}”")),
            None => opinion,
        };
        let has_scripts = page.has(PageFlag::Parking);
        Some(if has_scripts { opinion.by_sign("scripts of a parking service") } else { opinion })
    }

    /// A host's notice, a suspended account, a default page, a service that
    /// has closed.
    pub(super) fn placeholder(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let Some(phrase) = placeholder_phrase(page) else { return Ok(None) };
        let is_site_wide = page.is_front() || self.has_changed() || self.is_shown_to_strays()?;
        if !is_site_wide || page.is_about_its_address() {
            return Ok(None);
        }
        let reason = format!("a placeholder stands in place of the site: “{phrase}”");
        let dead = Finding::dead(
            DeadReason::Placeholder,
            codes::PLACEHOLDER,
            reason,
            confidence::PLACEHOLDER,
        );
        Ok(Some(match self.seen(ControlKind::RandomName) {
            Some(_) => {
                dead.because(self.ground(ControlKind::RandomName, "strays get the same", None))
            }
            None => dead,
        }))
    }

    /// Closed for a while: nothing can be said about the pages.
    pub(super) fn notice(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let is_short = page.digest.text_length <= NOTICE_LENGTH;
        let point = page.point(PhraseClass::Maintenance).filter(|_| is_short);
        let mention = || page.mentions(PhraseClass::Maintenance).filter(|_| page.is_slight());
        let Some(phrase) = point.or_else(mention) else { return Ok(None) };
        let is_sent_to_error = page.is_elsewhere() && is_error(&page.arrival());
        if is_sent_to_error || page.is_about_its_address() {
            return Ok(None);
        }
        let is_plain = point.is_some() && page.is_front();
        if !is_plain && !self.has_other_text() && !self.is_shown_to_strays()? {
            return Ok(None);
        }
        Ok(Some(Self::site_notice().by_sign(format!("the page says “{phrase}”"))))
    }

    /// The server has failed, though it answers as if it had not.
    pub(super) fn broken(&self) -> Option<Finding> {
        let page = &self.page;
        let phrase = page.point(PhraseClass::ServerError).filter(|_| page.is_slight())?;
        let is_about = page.is_about_its_address();
        (!is_about).then(|| Self::site_notice().by_sign(format!("the page says “{phrase}”")))
    }

    pub(super) fn site_notice() -> Finding {
        let reason = "every address there shows one short notice".to_owned();
        Finding::unclear(InconclusiveReason::SiteNotice, codes::SITE_NOTICE, reason)
    }

    fn is_shown_to_strays(&self) -> RuleResult<bool> {
        let ControlResponse::Page(stray) = self.control_response(ControlKind::RandomName)? else {
            return Ok(false);
        };
        // The page that strays are sent to is a page of its own.
        let is_target = stray.landing == self.page.landing && !self.page.is_elsewhere();
        let is_same = labels(&self.page, &stray) != HeadingMatch::Differ;
        Ok(is_same && !is_target && text(&self.page, &stray) >= SAME_TEXT)
    }
}

fn placeholder_phrase(page: &PageView<'_>) -> Option<&'static str> {
    let is_sent = page.is_elsewhere() && page.landing.contains("suspendedpage");
    let phrase = page.point(PhraseClass::Placeholder).or_else(|| page.point(PhraseClass::Closed));
    let is_short = page.digest.text_length <= DEFAULT_PAGE_LENGTH;
    phrase.filter(|_| is_short).or(is_sent.then_some("account suspended"))
}

fn is_at_market(page: &PageView<'_>) -> bool {
    let arrival = page.arrival().host();
    let is_market = |market: &str| {
        arrival == market || arrival.strip_suffix(market).is_some_and(|sub| sub.ends_with('.'))
    };
    !same_site(page.address().host(), arrival) && MARKETS.into_iter().any(is_market)
}

/// Parked pages of advertisements hold hardly any text.
fn shows_only_links(page: &PageView<'_>) -> bool {
    page.digest.text_length <= NOTICE_LENGTH && (page.title().is_empty() || names_its_host(page))
}

/// Whether the page speaks of its own name: `example` or `example.org`.
fn names_its_host(page: &PageView<'_>) -> bool {
    let host = page.address().host().to_lowercase();
    let bare = host.strip_prefix("www.").unwrap_or(&host);
    let label = bare.split('.').next().unwrap_or_default();
    let is_named = |text: &str| {
        text.to_lowercase().contains(bare)
            || (label.len() >= 5 && words(text).any(|word| word == label))
    };
    is_named(page.title()) || is_named(&page.digest.text_start)
}
