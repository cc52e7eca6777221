//! Something stands before the page: a login, a test for robots, a demand for
//! consent. Whether the page behind it exists cannot be told.

use relink_model::{ControlKind, InconclusiveReason, PageFlag};

use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::codes;
use crate::page::PageView;
use crate::phrases::PhraseClass;
use crate::url_parts::{UrlParts, parameters};

/// Path segments and host labels of login pages.
const LOGIN_NAMES: [&str; 22] = [
    "login",
    "signin",
    "sign-in",
    "sign_in",
    "log-in",
    "log_in",
    "logon",
    "sso",
    "auth",
    "cas",
    "saml",
    "saml2",
    "oauth",
    "oauth2",
    "authorize",
    "authenticate",
    "accounts",
    "idp",
    "shibboleth",
    "wp-login",
    "anmelden",
    "connexion",
];

/// The same for demands of consent or payment.
const CONSENT_NAMES: [&str; 27] = [
    "consent",
    "privacygate",
    "cookie-consent",
    "gdpr",
    "privacy-wall",
    "paywall",
    "subscribe",
    "subscription",
    "subscriptions",
    "abbonamenti",
    "abbonamento",
    "abonnement",
    "abonnements",
    "abo",
    "suscripcion",
    "suscripciones",
    "assinatura",
    "agegate",
    "age-gate",
    "age-check",
    "agecheck",
    "age-verification",
    "verify-age",
    "majorite",
    "altersverifikation",
    "geoblock",
    "geo-block",
];

impl ContentAssessor<'_> {
    /// The page shows a wall in place of itself.
    pub(super) fn wall(&self) -> Option<Finding> {
        self.challenge().or_else(|| self.login()).or_else(|| self.consent())
    }

    fn challenge(&self) -> Option<Finding> {
        let page = &self.page;
        let says_so = page.point(PhraseClass::Challenge).filter(|_| page.is_slight());
        if !page.has(PageFlag::BotChallenge) && says_so.is_none() {
            return None;
        }
        let reason = "the server tests visitors for being human".to_owned();
        let sign = says_so.map_or("scripts of a test for robots".to_owned(), quoted);
        Some(
            Finding::unclear(InconclusiveReason::BotChallenge, codes::CHALLENGED, reason)
                .by_sign(sign),
        )
    }

    fn login(&self) -> Option<Finding> {
        let page = &self.page;
        let is_sent = page.is_elsewhere() && is_login(&page.arrival());
        // A box for members beside the text is no wall.
        let is_form = page.has(PageFlag::PasswordField)
            && page.is_slight()
            && page.mentions(PhraseClass::NotFound).is_none()
            && (page.labels().next().is_none() || page.point(PhraseClass::Login).is_some());
        if !(is_sent || is_form) || page.is_front() || is_login(&page.address()) {
            return None;
        }
        let reason = if is_sent {
            format!("redirects to the login page {}", page.landing)
        } else {
            "a login stands in place of the page".to_owned()
        };
        let opinion = Finding::unclear(InconclusiveReason::Login, codes::LOGIN_WALL, reason);
        Some(if is_form { opinion.by_sign("the page asks for a password") } else { opinion })
    }

    fn consent(&self) -> Option<Finding> {
        let page = &self.page;
        let is_sent = page.is_elsewhere() && is_named(&page.arrival(), &CONSENT_NAMES);
        let is_shown = page.has(PageFlag::Consent) && page.mentions(PhraseClass::Consent).is_some();
        if !(is_sent || is_shown) || page.is_front() || is_named(&page.address(), &CONSENT_NAMES) {
            return None;
        }
        let reason = "a demand for consent or payment stands before the page".to_owned();
        Some(Finding::unclear(InconclusiveReason::Consent, codes::CONSENT_WALL, reason))
    }

    /// A page that strays get as well, and that is a wall.
    pub(super) fn common_wall(&self) -> Option<Finding> {
        let page = &self.page;
        if page.has(PageFlag::AppShell) {
            let reason = "the page shows nothing until its scripts have run".to_owned();
            return Some(Finding::unclear(
                InconclusiveReason::RequiresJavaScript,
                codes::NEEDS_SCRIPT,
                reason,
            ));
        }
        let (address, arrival) = (page.address(), page.arrival());
        // The front page of a journal may well have a box for its members.
        let is_top = page.is_elsewhere() && (arrival.is_index() || address.is_below(&arrival));
        let says = |saying| !is_top && page.is_slight() && page.mentions(saying).is_some();
        if page.point(PhraseClass::Restricted).is_some() || says(PhraseClass::Restricted) {
            let reason = "every address there says that access is restricted".to_owned();
            return Some(Finding::unclear(
                InconclusiveReason::Refused,
                codes::CONSENT_WALL,
                reason,
            ));
        }
        // Whoever says that a page is missing has looked for it.
        if page.mentions(PhraseClass::NotFound).is_some() {
            return None;
        }
        let asks = page.has(PageFlag::PasswordField) && page.is_slight() && !is_top;
        if asks || says(PhraseClass::Login) {
            let reason = "every address there shows a login".to_owned();
            return Some(Finding::unclear(InconclusiveReason::Login, codes::LOGIN_WALL, reason));
        }
        if page.has(PageFlag::Consent)
            || page.point(PhraseClass::Consent).is_some()
            || says(PhraseClass::Consent)
        {
            let reason = "every address there asks for consent or payment first".to_owned();
            return Some(Finding::unclear(
                InconclusiveReason::Consent,
                codes::CONSENT_WALL,
                reason,
            ));
        }
        says(PhraseClass::Challenge).then(|| {
            let reason = "every address there shows a test for robots".to_owned();
            Finding::unclear(InconclusiveReason::BotChallenge, codes::CHALLENGED, reason)
        })
    }

    /// A page that says it is kept from us, where strays are answered, too.
    pub(super) fn kept_from_us(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let point = page.point(PhraseClass::Restricted);
        let mention = page.mentions(PhraseClass::Restricted).filter(|_| page.is_slight());
        let Some(phrase) = point.or(mention) else { return Ok(None) };
        let is_soft = (point.is_some() && page.is_slight())
            || matches!(self.control_response(ControlKind::RandomName)?, ControlResponse::Page(_))
            || (page.address().query.is_some()
                && matches!(
                    self.control_response(ControlKind::RandomQueryValue)?,
                    ControlResponse::Page(_)
                ));
        if !is_soft || page.is_about_its_address() {
            return Ok(None);
        }
        let reason = "the page says that it is kept from us".to_owned();
        Ok(Some(
            Finding::unclear(InconclusiveReason::Refused, codes::CONSENT_WALL, reason)
                .by_sign(quoted(phrase)),
        ))
    }
}

/// Whether an address is that of a login page by its name.
pub(crate) fn is_login(address: &UrlParts<'_>) -> bool {
    is_named(address, &LOGIN_NAMES)
}

/// Whether a page is its site's login page.
pub(crate) fn is_login_page(page: &PageView<'_>) -> bool {
    is_login(&page.arrival()) || page.has(PageFlag::PasswordField)
}

fn is_named(address: &UrlParts<'_>, names: &[&str]) -> bool {
    let is_one = |segment: &str| {
        let stem = segment.split('.').next().unwrap_or_default();
        let is_name = |word: &str| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        is_name(stem) || stem.split(['-', '_']).next_back().is_some_and(is_name)
    };
    let label = address.host().split('.').next().unwrap_or_default();
    let query = address.query.unwrap_or_default();
    is_one(label)
        || address.segments().any(is_one)
        || parameters(query).any(|parameter| is_one(parameter.value))
}

fn quoted(phrase: &str) -> String {
    format!("the page says “{phrase}”")
}
