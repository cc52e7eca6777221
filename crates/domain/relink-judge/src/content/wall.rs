//! Something stands before the page: a login, a test for robots, a demand for
//! consent. Whether the page behind it exists cannot be told.

use relink_model::{ControlKind, Doubt, Mark};

use super::{Answer, Inquiry, Opinion, Sought};
use crate::address::{Address, parameters};
use crate::codes;
use crate::page::Page;
use crate::phrases::Saying;

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

impl Inquiry<'_> {
    /// The page shows a wall in place of itself.
    pub(super) fn wall(&self) -> Option<Opinion> {
        self.challenge().or_else(|| self.login()).or_else(|| self.consent())
    }

    fn challenge(&self) -> Option<Opinion> {
        let page = &self.page;
        let says_so = page.point(Saying::Challenge).filter(|_| page.is_slight());
        if !page.has(Mark::Challenge) && says_so.is_none() {
            return None;
        }
        let reason = "the server tests visitors for being human".to_owned();
        let sign = says_so.map_or("scripts of a test for robots".to_owned(), quoted);
        Some(Opinion::unclear(Doubt::Challenge, codes::CHALLENGED, reason).by_sign(sign))
    }

    fn login(&self) -> Option<Opinion> {
        let page = &self.page;
        let is_sent = page.is_elsewhere() && is_login(&page.arrival());
        // A box for members beside the text is no wall.
        let is_form = page.has(Mark::AsksPassword)
            && page.is_slight()
            && page.mentions(Saying::NotFound).is_none()
            && (page.labels().next().is_none() || page.point(Saying::Login).is_some());
        if !(is_sent || is_form) || page.is_front() || is_login(&page.address()) {
            return None;
        }
        let reason = if is_sent {
            format!("redirects to the login page {}", page.landing)
        } else {
            "a login stands in place of the page".to_owned()
        };
        let opinion = Opinion::unclear(Doubt::Login, codes::LOGIN_WALL, reason);
        Some(if is_form { opinion.by_sign("the page asks for a password") } else { opinion })
    }

    fn consent(&self) -> Option<Opinion> {
        let page = &self.page;
        let is_sent = page.is_elsewhere() && is_named(&page.arrival(), &CONSENT_NAMES);
        let is_shown = page.has(Mark::Consent) && page.mentions(Saying::Consent).is_some();
        if !(is_sent || is_shown) || page.is_front() || is_named(&page.address(), &CONSENT_NAMES) {
            return None;
        }
        let reason = "a demand for consent or payment stands before the page".to_owned();
        Some(Opinion::unclear(Doubt::Consent, codes::CONSENT_WALL, reason))
    }

    /// A page that strays get as well, and that is a wall.
    pub(super) fn common_wall(&self) -> Option<Opinion> {
        let page = &self.page;
        if page.has(Mark::ScriptShell) {
            let reason = "the page shows nothing until its scripts have run".to_owned();
            return Some(Opinion::unclear(Doubt::NeedsScript, codes::NEEDS_SCRIPT, reason));
        }
        let (address, arrival) = (page.address(), page.arrival());
        // The front page of a journal may well have a box for its members.
        let is_top = page.is_elsewhere() && (arrival.is_index() || address.is_below(&arrival));
        let says = |saying| !is_top && page.is_slight() && page.mentions(saying).is_some();
        if page.point(Saying::Restricted).is_some() || says(Saying::Restricted) {
            let reason = "every address there says that access is restricted".to_owned();
            return Some(Opinion::unclear(Doubt::Refused, codes::CONSENT_WALL, reason));
        }
        // Whoever says that a page is missing has looked for it.
        if page.mentions(Saying::NotFound).is_some() {
            return None;
        }
        let asks = page.has(Mark::AsksPassword) && page.is_slight() && !is_top;
        if asks || says(Saying::Login) {
            let reason = "every address there shows a login".to_owned();
            return Some(Opinion::unclear(Doubt::Login, codes::LOGIN_WALL, reason));
        }
        if page.has(Mark::Consent) || page.point(Saying::Consent).is_some() || says(Saying::Consent)
        {
            let reason = "every address there asks for consent or payment first".to_owned();
            return Some(Opinion::unclear(Doubt::Consent, codes::CONSENT_WALL, reason));
        }
        says(Saying::Challenge).then(|| {
            let reason = "every address there shows a test for robots".to_owned();
            Opinion::unclear(Doubt::Challenge, codes::CHALLENGED, reason)
        })
    }

    /// A page that says it is kept from us, where strays are answered, too.
    pub(super) fn kept_from_us(&self) -> Sought<Option<Opinion>> {
        let page = &self.page;
        let point = page.point(Saying::Restricted);
        let mention = page.mentions(Saying::Restricted).filter(|_| page.is_slight());
        let Some(phrase) = point.or(mention) else { return Ok(None) };
        let is_soft = (point.is_some() && page.is_slight())
            || matches!(self.consult(ControlKind::Stray)?, Answer::Page(_))
            || (page.address().query.is_some()
                && matches!(self.consult(ControlKind::StrayQuery)?, Answer::Page(_)));
        if !is_soft || page.is_about_its_address() {
            return Ok(None);
        }
        let reason = "the page says that it is kept from us".to_owned();
        Ok(Some(
            Opinion::unclear(Doubt::Refused, codes::CONSENT_WALL, reason).by_sign(quoted(phrase)),
        ))
    }
}

/// Whether an address is that of a login page by its name.
pub(crate) fn is_login(address: &Address<'_>) -> bool {
    is_named(address, &LOGIN_NAMES)
}

/// Whether a page is its site's login page.
pub(crate) fn is_login_page(page: &Page<'_>) -> bool {
    is_login(&page.arrival()) || page.has(Mark::AsksPassword)
}

fn is_named(address: &Address<'_>, names: &[&str]) -> bool {
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
