//! Pages that replace a whole site: parked domains, suspended accounts, default
//! pages of servers, maintenance notices. A rule returns the kind of a control as its error
//! if the control must be fetched first.

use std::ops::RangeInclusive;

use relink_model::{ControlKind, DeadReason, InconclusiveReason, PageFlag};

use super::redirects::is_error;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::page::PageView;
use crate::page_similarity::{HeadingMatch, SAME_TEXT, compare_headings, text_resemblance};
use crate::phrases::PhraseClass;
use crate::url_parts::{Parameter, same_owner, same_site};
use crate::url_words::words;
use crate::{codes, confidence};

/// Maximum length in characters of a notice or a parked page.
const NOTICE_LENGTH: u64 = 1500;
/// Length in characters of a home page that is a notice. A shorter text, such as `ok`, is the
/// response of a service.
const HOME_NOTICE_LENGTH: RangeInclusive<u64> = 20..=300;
/// Maximum length in characters of a server's default page.
const DEFAULT_PAGE_LENGTH: u64 = 6000;

/// Domain marketplaces to which domains for sale redirect.
const DOMAIN_MARKETS: [&str; 12] = [
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
    /// Returns a finding if the domain is parked or for sale.
    pub(super) fn check_parked(&self) -> Option<Finding> {
        let page = &self.page;
        let sale = page.find_phrase(PhraseClass::ForSale);
        let is_parked = is_on_domain_market(page)
            || (page.has(PageFlag::Parking) && (sale.is_some() || shows_only_links(page)))
            || (page.main_phrase(PhraseClass::ForSale).is_some() && page.is_brief())
            || (sale.is_some() && page.digest.text_length <= NOTICE_LENGTH && mentions_host(page))
            || is_forwarded_for_sale(page);
        if !is_parked || page.has_url_words_in_title() {
            return None;
        }
        let reason = "the domain is parked or for sale".to_owned();
        let finding =
            Finding::dead(DeadReason::Hijacked, codes::HIJACKED, reason, confidence::PARKED);
        let finding = match sale {
            Some(phrase) => finding.with_page_sign(format!("the page contains “{phrase}”")),
            None => finding,
        };
        let has_parking_scripts = page.has(PageFlag::Parking);
        Some(if has_parking_scripts {
            finding.with_page_sign("scripts of a parking service")
        } else {
            finding
        })
    }

    /// Returns a finding for a notice of the hosting provider, a suspended account, a
    /// default page, or a closed service.
    pub(super) fn check_placeholder(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let Some(phrase) = placeholder_phrase(page) else { return Ok(None) };
        if page.has_url_words_in_title() {
            return Ok(None);
        }
        let needs_no_control = page.is_home_page() || self.title_and_text_changed();
        if !needs_no_control && !self.is_shown_for_random_names()? {
            return Ok(None);
        }
        let reason = format!("placeholder instead of the site: “{phrase}”");
        let dead = Finding::dead(
            DeadReason::Placeholder,
            codes::PLACEHOLDER,
            reason,
            confidence::PLACEHOLDER,
        );
        Ok(Some(if needs_no_control { dead } else { self.with_random_name_evidence(dead) }))
    }

    /// Returns a finding if the whole site shows a maintenance notice.
    pub(super) fn check_notice(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let fits_notice = page.digest.text_length <= NOTICE_LENGTH;
        let heading = page.main_phrase(PhraseClass::Maintenance).filter(|_| fits_notice);
        let anywhere = || page.find_phrase(PhraseClass::Maintenance).filter(|_| page.is_brief());
        let Some(phrase) = heading.or_else(anywhere) else { return Ok(None) };
        let redirects_to_error_page = page.is_redirected() && is_error(&page.final_url_parts());
        if redirects_to_error_page || page.has_url_words_in_title() {
            return Ok(None);
        }
        // A heading on the home page is enough. Otherwise the text must have changed, or random
        // names must get the same page.
        let needs_no_control = (heading.is_some() && page.is_home_page()) || self.text_changed();
        let notice = if needs_no_control {
            Self::notice("the page shows a short notice instead of its content")
        } else if self.is_shown_for_random_names()? {
            self.with_random_name_evidence(Self::site_notice())
        } else {
            return Ok(None);
        };
        Ok(Some(notice.with_page_sign(format!("the page contains “{phrase}”"))))
    }

    /// Returns a finding if the page shows a server error with a success status.
    pub(super) fn check_server_failure(&self) -> Option<Finding> {
        let page = &self.page;
        let phrase = page.main_phrase(PhraseClass::ServerError).filter(|_| page.is_brief())?;
        // An error page may name the class of the error, and then the error: “404 Not Found”.
        let is_relevant =
            page.has_url_words_in_title() || page.main_phrase(PhraseClass::NotFound).is_some();
        (!is_relevant).then(|| {
            Self::notice("the page shows a server error instead of its content")
                .with_page_sign(format!("the page contains “{phrase}”"))
        })
    }

    /// Returns a finding for a home page that random names get, too, without a redirect, if it
    /// is spam or brief. All URLs of the site then show spam, or a notice such as a captcha or a
    /// form that sends the client to a login.
    pub(super) fn check_site_wide_notice(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let spam = self.check_site_wide_spam();
        let is_notice = page.is_brief()
            && HOME_NOTICE_LENGTH.contains(&page.digest.text_length)
            && !page.has(PageFlag::AppShell);
        if !(is_notice || spam.is_some())
            || page.is_redirected()
            || !self.is_shown_for_random_names()?
        {
            return Ok(None);
        }
        Ok(Some(self.with_random_name_evidence(spam.unwrap_or_else(Self::site_notice))))
    }

    /// Returns a finding for a notice that all URLs of the site show.
    pub(super) fn site_notice() -> Finding {
        Self::notice("all URLs of the site show the same short notice")
    }

    fn notice(reason: &str) -> Finding {
        let (doubt, code) = (InconclusiveReason::SiteNotice, codes::SITE_NOTICE);
        Finding::inconclusive(doubt, code, reason.to_owned())
    }

    /// Adds the comparison with a random name, which got the same page.
    fn with_random_name_evidence(&self, finding: Finding) -> Finding {
        let note = "random names get the same page";
        finding.with_evidence(self.comparison_evidence(ControlKind::RandomName, note, None))
    }

    fn is_shown_for_random_names(&self) -> RuleResult<bool> {
        let ControlResponse::Page(random_page) = self.control_response(ControlKind::RandomName)?
        else {
            return Ok(false);
        };
        // Random names are redirected to this page, so it exists.
        let is_redirect_target = self.is_target_of(&random_page);
        let is_same = compare_headings(&self.page, &random_page) != HeadingMatch::Different;
        Ok(is_same
            && !is_redirect_target
            && text_resemblance(&self.page, &random_page) >= SAME_TEXT)
    }
}

fn placeholder_phrase(page: &PageView<'_>) -> Option<&'static str> {
    let is_suspended = page.is_redirected() && page.final_url.contains("suspendedpage");
    let phrase = page
        .main_phrase(PhraseClass::Placeholder)
        .or_else(|| page.main_phrase(PhraseClass::Closed));
    let fits_default_page = page.digest.text_length <= DEFAULT_PAGE_LENGTH;
    phrase.filter(|_| fits_default_page).or(is_suspended.then_some("account suspended"))
}

fn is_on_domain_market(page: &PageView<'_>) -> bool {
    let host = page.final_url_parts().host();
    let is_market = |market: &str| {
        host == market || host.strip_suffix(market).is_some_and(|sub| sub.ends_with('.'))
    };
    !same_site(page.url_parts().host(), host) && DOMAIN_MARKETS.into_iter().any(is_market)
}

/// Whether the URL leads to another owner's site that receives the bare host name and
/// shows a short page about it. Marketplaces sell domains in this way, whatever their
/// language. Parameters such as `ref` and `utm_source`, in
/// which a successor may also receive the old name, are not considered.
fn is_forwarded_for_sale(page: &PageView<'_>) -> bool {
    let (url, target) = (page.url_parts(), page.final_url_parts());
    let names_host = |parameter: Parameter<'_>| same_site(parameter.value, url.host());
    let is_other_owner = page.is_redirected() && !same_owner(url.host(), target.host());
    is_other_owner
        && target.selecting_parameters().any(names_host)
        && page.digest.text_length <= NOTICE_LENGTH
        && mentions_host(page)
}

/// Parked pages with advertisements contain hardly any text.
fn shows_only_links(page: &PageView<'_>) -> bool {
    page.digest.text_length <= NOTICE_LENGTH && (page.title().is_empty() || mentions_host(page))
}

/// Whether the page mentions its host name: `example` or `example.org`.
fn mentions_host(page: &PageView<'_>) -> bool {
    let host = page.url_parts().host().to_lowercase();
    let bare = host.strip_prefix("www.").unwrap_or(&host);
    let label = bare.split('.').next().unwrap_or_default();
    let is_named = |text: &str| {
        text.to_lowercase().contains(bare)
            || (label.len() >= 5 && words(text).any(|word| word == label))
    };
    is_named(page.title()) || is_named(&page.digest.text_start)
}
