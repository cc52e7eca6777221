//! Access walls: a login, a bot challenge or a consent page instead of the page.
//! Whether the page behind a wall exists is unknown.

use relink_model::{ControlKind, InconclusiveReason, PageFlag};

use super::redirects::is_error;
use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::codes;
use crate::page::PageView;
use crate::phrases::{PhraseClass, count_phrases};
use crate::url_parts::{Parameter, UrlParts, parameters};
use crate::url_words::percent_decoded;

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

/// Path segments and host labels of consent, payment and age walls.
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

/// Query parameters with the URL to return to, without punctuation.
const RETURN_PARAMETERS: [&str; 20] = [
    "returnto",
    "return",
    "returnurl",
    "returnpath",
    "next",
    "nexturl",
    "redirect",
    "redirectto",
    "redirecturi",
    "redirecturl",
    "back",
    "backurl",
    "camefrom",
    "continue",
    "dest",
    "destination",
    "goto",
    "service",
    "target",
    "referer",
];

/// Maximum length in characters of a text that only requests a login.
const MAX_LOGIN_REQUEST: u64 = 80;

/// Maximum length in characters of a bot challenge.
const MAX_CHALLENGE: u64 = 1500;

impl ContentAssessor<'_> {
    /// Returns a finding if the page shows or redirects to an access wall.
    pub(super) fn check_wall(&self) -> Option<Finding> {
        self.check_challenge().or_else(|| self.check_login()).or_else(|| self.check_consent())
    }

    fn check_challenge(&self) -> Option<Finding> {
        let page = &self.page;
        let main = page.main_phrase(PhraseClass::Challenge);
        let phrase = main.filter(|_| page.is_brief() || self.repeats_challenge());
        if !page.has(PageFlag::BotChallenge) && phrase.is_none() {
            return None;
        }
        let reason = "the server sends a bot challenge".to_owned();
        let sign = phrase.map_or("scripts of a bot challenge".to_owned(), describe_phrase);
        Some(
            Finding::inconclusive(InconclusiveReason::BotChallenge, codes::BOT_CHALLENGE, reason)
                .with_page_sign(sign),
        )
    }

    /// Whether a page of limited length contains several different phrases of challenges.
    fn repeats_challenge(&self) -> bool {
        let digest = self.page.digest;
        let text = format!("{} | {}", digest.text_start, digest.text_end);
        digest.text_length <= MAX_CHALLENGE && count_phrases(&text, PhraseClass::Challenge) >= 2
    }

    fn check_login(&self) -> Option<Finding> {
        let page = &self.page;
        let is_login_target = page.is_redirected()
            && (mentions_login(&page.final_url_parts()) || self.is_redirect_with_return());
        // A login box next to the text is not a wall.
        let is_form = page.has(PageFlag::PasswordField)
            && page.is_brief()
            && page.find_phrase(PhraseClass::NotFound).is_none()
            && (page.title_and_headings().next().is_none()
                || page.main_phrase(PhraseClass::Login).is_some());
        if !(is_login_target || is_form) || page.is_home_page() || is_login_url(&page.url_parts()) {
            return None;
        }
        let reason = if is_login_target {
            format!("redirects to the login page {}", page.final_url)
        } else {
            "login page instead of the page".to_owned()
        };
        let finding = Finding::inconclusive(InconclusiveReason::Login, codes::LOGIN_WALL, reason);
        Some(if is_form {
            finding.with_page_sign("the page has a password field")
        } else {
            finding
        })
    }

    /// Whether the redirect target receives the requested URL in a parameter such as
    /// `returnto`, to return to it after a login.
    fn is_redirect_with_return(&self) -> bool {
        let page = &self.page;
        let (url, target) = (page.url_parts(), page.final_url_parts());
        let is_return = |parameter: Parameter<'_>| {
            let name: String = parameter.name.chars().filter(char::is_ascii_alphanumeric).collect();
            RETURN_PARAMETERS.contains(&name.to_ascii_lowercase().as_str())
                && contains_url(&percent_decoded(parameter.value), &url)
        };
        parameters(target.query.unwrap_or_default()).any(is_return)
            && !is_error(&target)
            && page.find_phrase(PhraseClass::NotFound).is_none()
    }

    fn check_consent(&self) -> Option<Finding> {
        let page = &self.page;
        let is_wall_target =
            page.is_redirected() && is_named(&page.final_url_parts(), &CONSENT_NAMES);
        let is_shown =
            page.has(PageFlag::Consent) && page.find_phrase(PhraseClass::Consent).is_some();
        if !(is_wall_target || is_shown)
            || page.is_home_page()
            || is_named(&page.url_parts(), &CONSENT_NAMES)
        {
            return None;
        }
        let reason = "the page is behind a consent or payment wall".to_owned();
        Some(Finding::inconclusive(InconclusiveReason::Consent, codes::CONSENT_WALL, reason))
    }

    /// Returns a finding if the page is an access wall. The caller has found that it
    /// equals the response to random URLs.
    pub(super) fn check_shared_wall(&self) -> Option<Finding> {
        let page = &self.page;
        // The link refers to the login page itself.
        if !page.is_redirected() && is_login_url(&page.url_parts()) {
            return None;
        }
        // A server may render the title of an application, and nothing else.
        let is_titled_error = page.main_phrase(PhraseClass::NotFound).is_some();
        if page.has(PageFlag::AppShell) && !is_titled_error {
            let reason = "the page is empty without JavaScript".to_owned();
            return Some(Finding::inconclusive(
                InconclusiveReason::RequiresJavaScript,
                codes::REQUIRES_JAVASCRIPT,
                reason,
            ));
        }
        let (url, target) = (page.url_parts(), page.final_url_parts());
        // The home page of a journal may contain a login box for members.
        let is_parent_page = page.is_redirected() && (target.is_index() || url.is_below(&target));
        let contains =
            |class| !is_parent_page && page.is_brief() && page.find_phrase(class).is_some();
        if page.main_phrase(PhraseClass::Restricted).is_some() || contains(PhraseClass::Restricted)
        {
            let reason = "all URLs of the site show that access is restricted".to_owned();
            return Some(Finding::inconclusive(
                InconclusiveReason::Refused,
                codes::CONSENT_WALL,
                reason,
            ));
        }
        // A “not found” message takes precedence: such a page is an error page.
        if page.find_phrase(PhraseClass::NotFound).is_some() {
            return None;
        }
        let has_form = page.has(PageFlag::PasswordField) && page.is_brief() && !is_parent_page;
        // A menu contains “log in”, too. The phrase counts only as the title or as
        // the whole text.
        let is_login_request = contains(PhraseClass::Login)
            && (page.main_phrase(PhraseClass::Login).is_some()
                || page.digest.text_length <= MAX_LOGIN_REQUEST);
        if has_form || is_login_request {
            let reason = "all URLs of the site show a login".to_owned();
            return Some(Finding::inconclusive(
                InconclusiveReason::Login,
                codes::LOGIN_WALL,
                reason,
            ));
        }
        if page.has(PageFlag::Consent)
            || page.main_phrase(PhraseClass::Consent).is_some()
            || contains(PhraseClass::Consent)
        {
            let reason = "all URLs of the site require consent or payment".to_owned();
            return Some(Finding::inconclusive(
                InconclusiveReason::Consent,
                codes::CONSENT_WALL,
                reason,
            ));
        }
        contains(PhraseClass::Challenge).then(|| {
            let reason = "all URLs of the site show a bot challenge".to_owned();
            Finding::inconclusive(InconclusiveReason::BotChallenge, codes::BOT_CHALLENGE, reason)
        })
    }

    /// Returns a finding if the page states that access is restricted, and random URLs
    /// get a success response.
    pub(super) fn check_restricted(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let main = page.main_phrase(PhraseClass::Restricted);
        let is_short = page.is_brief() || page.short_main_text().is_some();
        let anywhere = page.find_phrase(PhraseClass::Restricted).filter(|_| is_short);
        let Some(phrase) = main.or(anywhere) else { return Ok(None) };
        let is_wall = (main.is_some() && page.is_brief())
            || matches!(self.control_response(ControlKind::RandomName)?, ControlResponse::Page(_))
            || (page.url_parts().query.is_some()
                && matches!(
                    self.control_response(ControlKind::RandomQueryValue)?,
                    ControlResponse::Page(_)
                ));
        if !is_wall || page.has_url_words_in_title() {
            return Ok(None);
        }
        let reason = "the page states that access is restricted".to_owned();
        Ok(Some(
            Finding::inconclusive(InconclusiveReason::Refused, codes::CONSENT_WALL, reason)
                .with_page_sign(describe_phrase(phrase)),
        ))
    }
}

/// Whether the host, the path or the query of a URL contains the name of a login.
pub(crate) fn mentions_login(url: &UrlParts<'_>) -> bool {
    is_named(url, &LOGIN_NAMES)
}

/// Whether the host or the last path segment of a URL is that of a login. Earlier
/// segments do not count: `/accounts/orders` is not a login.
fn is_login_url(url: &UrlParts<'_>) -> bool {
    mentions_login(&UrlParts { path: url.name(), ..*url })
}

/// Whether a page is the login page of its site.
pub(crate) fn is_login_page(page: &PageView<'_>) -> bool {
    mentions_login(&page.final_url_parts()) || page.has(PageFlag::PasswordField)
}

/// Whether the first host label, a path segment or a query value is one of the names.
fn is_named(url: &UrlParts<'_>, names: &[&str]) -> bool {
    let matches_name = |segment: &str| {
        let segment = segment.trim_start_matches(|c: char| !c.is_alphanumeric());
        let stem = segment.split('.').next().unwrap_or_default();
        let is_name = |word: &str| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        is_name(stem) || stem.split(['-', '_']).next_back().is_some_and(is_name)
    };
    let label = url.host().split('.').next().unwrap_or_default();
    let query = url.query.unwrap_or_default();
    matches_name(label)
        || url.segments().any(matches_name)
        || parameters(query).any(|parameter| matches_name(parameter.value))
}

/// Whether a parameter value contains the path or the query of a URL, or equals its last
/// path segment.
fn contains_url(value: &str, url: &UrlParts<'_>) -> bool {
    let path = percent_decoded(url.path);
    let name = percent_decoded(url.name());
    let is_long = path.trim_matches('/').len() >= 2;
    (is_long && value.contains(path.trim_end_matches('/')))
        || (!name.is_empty() && value.eq_ignore_ascii_case(&name))
        || url.query.is_some_and(|query| !query.is_empty() && value.contains(query))
}

fn describe_phrase(phrase: &str) -> String {
    format!("the page contains “{phrase}”")
}
