//! Access walls: a login, a bot challenge or a consent page instead of the page.
//! Whether the page behind a wall exists is unknown.

use relink_model::{ControlKind, InconclusiveReason, PageFlag};

use super::redirects::is_error;
use super::{ContentAssessor, ControlAccess, ControlResponse, Finding, RuleResult};
use crate::codes;
use crate::page::PageView;
use crate::page_similarity::compare;
use crate::phrases::{PhraseClass, count_phrases, main_phrase_in};
use crate::url_parts::{Parameter, UrlParts, parameters};
use crate::url_words::percent_decoded;

/// Path segments and host labels of login pages.
pub const LOGIN_NAMES: [&str; 22] = [
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
pub const CONSENT_NAMES: [&str; 27] = [
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

/// Path segments and host labels of captchas and waiting rooms.
const CHALLENGE_NAMES: [&str; 12] = [
    "captcha",
    "sgcaptcha",
    "recaptcha",
    "hcaptcha",
    "challenge",
    "botcheck",
    "bot-check",
    "waitingroom",
    "waiting-room",
    "queue-it",
    "validateclient",
    "are-you-human",
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
        let is_redirected_to_challenge = page.is_redirected()
            && is_path_named(&page.final_url_parts(), &CHALLENGE_NAMES)
            && !is_path_named(&page.url_parts(), &CHALLENGE_NAMES);
        let sign = match phrase {
            Some(phrase) => describe_phrase(phrase),
            None if page.has(PageFlag::BotChallenge) => "scripts of a bot challenge".to_owned(),
            // The request is not complete (RFC 9110 §15.3.3). Bot protections respond like this.
            None if self.status() == 202 && page.is_html() && page.is_brief() => {
                "status 202 and little text".to_owned()
            }
            None if is_redirected_to_challenge => format!("redirects to {}", page.final_url),
            None => return None,
        };
        let reason = "the server sends a bot challenge".to_owned();
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
        let is_titled = || main_phrase_in(page.title(), PhraseClass::Login).is_some();
        let is_untitled = || {
            page.title_and_headings().next().is_none()
                || (self.control_access != ControlAccess::Allowed && self.is_headed_login())
        };
        let is_form = page.has(PageFlag::PasswordField)
            && page.is_brief()
            && (is_titled()
                || (page.find_phrase(PhraseClass::NotFound).is_none() && is_untitled()));
        if !(is_login_target || is_form) || page.is_home_page() || is_login_url(&page.url_parts()) {
            return None;
        }
        if !is_login_target {
            return Some(Self::login_form_finding());
        }
        let reason = format!("redirects to the login page {}", page.final_url);
        Some(Finding::inconclusive(InconclusiveReason::Login, codes::LOGIN_WALL, reason))
    }

    /// Whether a heading requests a login.
    fn is_headed_login(&self) -> bool {
        self.page.main_phrase(PhraseClass::Login).is_some()
    }

    /// Returns a finding if a short page shows a login form under a heading, and the home
    /// page does not. Otherwise the form is a login box that all pages of the site contain.
    pub(super) fn check_login_form(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let is_form = page.has(PageFlag::PasswordField)
            && page.short_main_text().is_some()
            && self.is_headed_login()
            && page.find_phrase(PhraseClass::NotFound).is_none();
        if !is_form || page.is_home_page() || is_login_url(&page.url_parts()) {
            return Ok(None);
        }
        if let ControlResponse::Page(home) = self.control_response(ControlKind::HomePage)?
            && home.has(PageFlag::PasswordField)
            && self.match_with(&home, &compare(page, &home)).is_none()
        {
            return Ok(None);
        }
        Ok(Some(Self::login_form_finding()))
    }

    fn login_form_finding() -> Finding {
        let reason = "login page instead of the page".to_owned();
        Finding::inconclusive(InconclusiveReason::Login, codes::LOGIN_WALL, reason)
            .with_page_sign("the page has a password field")
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
        // A banner leaves the page its own title; a wall has nothing but the question.
        let is_question = page.is_brief()
            && page.main_phrase(PhraseClass::Consent).is_some()
            && page.find_phrase(PhraseClass::ConsentChoice).is_some();
        if !(is_wall_target || is_shown || is_question)
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
        let wall = self.shared_wall()?;
        let (code, reason) = match wall {
            InconclusiveReason::RequiresJavaScript => {
                (codes::REQUIRES_JAVASCRIPT, "the page is empty without JavaScript")
            }
            InconclusiveReason::Refused => {
                (codes::CONSENT_WALL, "all URLs of the site show that access is restricted")
            }
            InconclusiveReason::Login => (codes::LOGIN_WALL, "all URLs of the site show a login"),
            InconclusiveReason::Consent => {
                (codes::CONSENT_WALL, "all URLs of the site require consent or payment")
            }
            _ => (codes::BOT_CHALLENGE, "all URLs of the site show a bot challenge"),
        };
        Some(Finding::inconclusive(wall, code, reason.to_owned()))
    }

    /// Returns the kind of access wall that the page and random URLs show.
    fn shared_wall(&self) -> Option<InconclusiveReason> {
        let page = &self.page;
        // The link refers to the login page itself.
        if !page.is_redirected() && is_login_url(&page.url_parts()) {
            return None;
        }
        // A long page for a request that is not complete.
        if self.status() == 202 {
            return Some(InconclusiveReason::BotChallenge);
        }
        // A server may render the title of an application, and nothing else.
        if page.has(PageFlag::AppShell) && page.main_phrase(PhraseClass::NotFound).is_none() {
            return Some(InconclusiveReason::RequiresJavaScript);
        }
        let has_password = page.has(PageFlag::PasswordField);
        if self.shows_shared(PhraseClass::Restricted)
            || (has_password && page.find_phrase(PhraseClass::Restricted).is_some())
        {
            return Some(InconclusiveReason::Refused);
        }
        // A “not found” message takes precedence: such a page is an error page.
        if page.find_phrase(PhraseClass::NotFound).is_some() {
            return None;
        }
        let has_form = has_password && page.is_brief() && !self.is_redirected_to_parent();
        if has_form || self.is_login_request() {
            return Some(InconclusiveReason::Login);
        }
        if page.has(PageFlag::Consent) || self.shows_shared(PhraseClass::Consent) {
            return Some(InconclusiveReason::Consent);
        }
        self.contains_briefly(PhraseClass::Challenge).then_some(InconclusiveReason::BotChallenge)
    }

    /// Whether a phrase is the title or a heading, or occurs on a page with little text.
    fn shows_shared(&self, class: PhraseClass) -> bool {
        self.page.main_phrase(class).is_some() || self.contains_briefly(class)
    }

    /// Whether a page with little text contains a phrase of this class.
    fn contains_briefly(&self, class: PhraseClass) -> bool {
        let page = &self.page;
        !self.is_redirected_to_parent() && page.is_brief() && page.find_phrase(class).is_some()
    }

    /// Whether the page is redirected to the home page or a parent directory. The home
    /// page of a journal may contain a login box for members.
    fn is_redirected_to_parent(&self) -> bool {
        let (url, target) = (self.page.url_parts(), self.page.final_url_parts());
        self.page.is_redirected() && (target.is_index() || url.is_below(&target))
    }

    /// Whether a login is the title or the whole text. A menu contains “log in”, too.
    fn is_login_request(&self) -> bool {
        self.contains_briefly(PhraseClass::Login)
            && (self.page.main_phrase(PhraseClass::Login).is_some()
                || self.page.digest.text_length <= MAX_LOGIN_REQUEST)
    }

    /// Returns a finding if the page states that access is restricted, and random URLs
    /// get a success response.
    pub(super) fn check_restricted(&self) -> RuleResult<Option<Finding>> {
        let page = &self.page;
        let Some(phrase) = page.find_phrase(PhraseClass::Restricted) else { return Ok(None) };
        let main = page.main_phrase(PhraseClass::Restricted);
        let is_short = page.is_brief() || page.short_main_text().is_some();
        let is_wall = if main.is_some() || is_short {
            (main.is_some() && page.is_brief())
                || matches!(
                    self.control_response(ControlKind::RandomName)?,
                    ControlResponse::Page(_)
                )
                || self.random_value_response()?.is_some()
        } else {
            // A long explanation above a login form.
            page.has(PageFlag::PasswordField)
                && self
                    .random_value_response()?
                    .is_some_and(|other| self.match_with(&other, &compare(page, &other)).is_some())
        };
        let phrase = main.unwrap_or(phrase);
        if !is_wall || page.has_url_words_in_title() {
            return Ok(None);
        }
        let reason = "the page states that access is restricted".to_owned();
        Ok(Some(
            Finding::inconclusive(InconclusiveReason::Refused, codes::CONSENT_WALL, reason)
                .with_page_sign(describe_phrase(phrase)),
        ))
    }

    /// Returns the page for a random value in the query.
    fn random_value_response(&self) -> RuleResult<Option<PageView<'_>>> {
        if self.page.url_parts().query.is_none() {
            return Ok(None);
        }
        Ok(match self.control_response(ControlKind::RandomQueryValue)? {
            ControlResponse::Page(other) => Some(other),
            _ => None,
        })
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

/// Whether the first host label or a path segment is one of the names.
fn is_path_named(url: &UrlParts<'_>, names: &[&str]) -> bool {
    is_named(&UrlParts { query: None, ..*url }, names)
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
