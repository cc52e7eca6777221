//! Recognizes pages that servers send instead of the requested page, by their URLs: login and
//! consent pages, and home pages.

use relink_judge::{CONSENT_NAMES, LOGIN_NAMES};
use url::Url;

/// Names of login and registration pages in addition to [`LOGIN_NAMES`].
const ACCOUNT_NAMES: [&str; 12] = [
    "signup",
    "sign-up",
    "sign_up",
    "register",
    "registration",
    "registrieren",
    "account",
    "myaccount",
    "my-account",
    "my_account",
    "useraccount",
    "log-on",
];

/// Login names that are also recognized as the first or last word of a longer name, such as
/// `login-form`. Other names, such as `auth`, also occur in names of content.
const LOGIN_WORDS: [&str; 5] = ["login", "signin", "signup", "logon", "register"];

/// Names of consent pages in addition to [`CONSENT_NAMES`].
const WALL_NAMES: [&str; 8] = [
    "cmp",
    "cookieconsent",
    "cookiewall",
    "cookie-wall",
    "privacy-gate",
    "cookie-policy",
    "cookiepolicy",
    "cookie-notice",
];

/// Words of consent pages, as in `cookie-policy-consent`.
const CONSENT_WORDS: [&str; 4] = ["consent", "paywall", "agegate", "cookiewall"];

/// Words that, together with `cookie`, name a consent page, as in `cookies/accept`.
const COOKIE_WORDS: [&str; 8] =
    ["accept", "consent", "policy", "settings", "wall", "notice", "preferences", "banner"];

/// File names of a home page, without their extension.
const HOME_NAMES: [&str; 18] = [
    "index",
    "home",
    "default",
    "welcome",
    "homepage",
    "home-page",
    "home_page",
    "main",
    "mainpage",
    "main-page",
    "main_page",
    "start",
    "startpage",
    "startseite",
    "frontpage",
    "accueil",
    "inicio",
    "portal",
];

/// Query parameters that select a page. A parameter whose name ends with `id` does, too.
const PAGE_PARAMETERS: [&str; 28] = [
    "p",
    "page",
    "q",
    "post",
    "article",
    "cat",
    "category",
    "t",
    "topic",
    "thread",
    "node",
    "title",
    "name",
    "path",
    "file",
    "doc",
    "document",
    "item",
    "product",
    "r",
    "route",
    "view",
    "section",
    "story",
    "news",
    "content",
    "f",
    "showtopic",
];

/// Maximum number of words of a name in which the first and the last word are compared.
const MAX_WORDS: usize = 3;

/// Whether a URL is the home page of a host or of one of its languages. A query counts only if
/// it selects a page.
pub(crate) fn is_home(url: &Url) -> bool {
    if url.query_pairs().any(|(name, value)| selects_page(&name, &value)) {
        return false;
    }
    let segments: Vec<&str> = segments(url).collect();
    match segments.as_slice() {
        [] => true,
        [name] => is_home_name(name) || is_language(name),
        [language, name] => is_language(language) && is_home_name(name),
        _ => false,
    }
}

/// Whether a query parameter selects a page.
fn selects_page(name: &str, value: &str) -> bool {
    // `index.php?/topic/1` selects a page by the query itself.
    if value.is_empty() {
        return name.starts_with('/');
    }
    let name = name.to_ascii_lowercase();
    !is_home_name(value) && (name.ends_with("id") || PAGE_PARAMETERS.contains(&name.as_str()))
}

fn is_home_name(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment);
    HOME_NAMES.iter().any(|name| stem.eq_ignore_ascii_case(name))
}

/// Whether a segment is a language tag such as `de` or `pt-BR`. `go` is a common name of
/// redirectors, and not a language.
fn is_language(segment: &str) -> bool {
    let (language, region) = segment.split_once(['-', '_']).unwrap_or((segment, "xx"));
    let is_tag =
        |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_tag(language) && is_tag(region) && !language.eq_ignore_ascii_case("go")
}

/// Whether a path segment, a label of the host or a value of the query names a login page.
pub(crate) fn is_login(url: &Url) -> bool {
    let names = || LOGIN_NAMES.iter().chain(&ACCOUNT_NAMES);
    let segments: Vec<&str> = segments(url).collect();
    // Ruby on Rails serves its login at `session/new` or `sessions/new`.
    let creates_session = segments.windows(2).any(|pair| {
        matches!(pair, [one, two] if one.trim_end_matches('s').eq_ignore_ascii_case("session")
            && two.eq_ignore_ascii_case("new"))
    });
    creates_session || has_name(url, |name| equals_one_of(name, names()), &LOGIN_WORDS)
}

/// Whether a path segment, a label of the host or a value of the query names a consent,
/// payment or age wall.
pub(crate) fn is_consent(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    let words = || path.split(['/', '-', '_', '.']);
    let is_cookie_page = words().any(|word| word == "cookie" || word == "cookies")
        && words().any(|word| COOKIE_WORDS.contains(&word));
    let names = || CONSENT_NAMES.iter().chain(&WALL_NAMES);
    is_cookie_page || has_name(url, |name| equals_one_of(name, names()), &CONSENT_WORDS)
}

fn equals_one_of<'a>(name: &str, mut names: impl Iterator<Item = &'a &'a str>) -> bool {
    names.any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a path segment, a label of the host or a value of the query fulfills `is_name`, or a
/// path segment starts or ends with one of the words, as in `login-form`.
fn has_name(url: &Url, is_name: impl Fn(&str) -> bool, words: &[&str]) -> bool {
    let starts_or_ends_with_word = |stem: &str| {
        let parts: Vec<&str> = stem.split(['-', '_']).collect();
        let outer_parts = [parts.first(), parts.last()];
        parts.len() <= MAX_WORDS
            && outer_parts.into_iter().flatten().any(|part| equals_one_of(part, words.iter()))
    };
    let is_named = |segment: &str| {
        let stem = segment.split(['.', ';']).next().unwrap_or(segment);
        // For example, WordPress serves its login at `wp-login.php`.
        is_name(stem) || starts_or_ends_with_word(stem)
    };
    segments(url).any(is_named)
        || url.host_str().is_some_and(|host| host.split('.').any(&is_name))
        || url.query_pairs().any(|(_, value)| is_name(&value))
}

/// Returns the path segments that are not empty.
pub(crate) fn segments(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://example.org/").unwrap().join(path).unwrap()
    }

    #[test]
    fn home_pages_are_recognized_with_parameters_that_select_no_page() {
        for path in [
            "/",
            "/?from=old",
            "/?utm_source=x",
            "/index.html?k=1",
            "/en/?k=1",
            "/homepage",
            "/main.html",
            "/de/start.html",
            "/index.php?page=home",
        ] {
            assert!(is_home(&url(path)), "{path}");
        }
        for path in ["/?p=12", "/index.php?page_id=7", "/index.php?/topic/5", "/a", "/?q=node/1"] {
            assert!(!is_home(&url(path)), "{path}");
        }
    }

    #[test]
    fn login_pages_are_recognized() {
        for path in [
            "/wp-login.php",
            "/session/new",
            "/sessions/new",
            "/login-form",
            "/user-login",
            "/signup",
            "/register",
            "/my-account/",
            "/x?action=login",
            "https://sso.example.org/x",
        ] {
            assert!(is_login(&url(path)), "{path}");
        }
        for path in ["/docs/authentication", "/docs/auth-guide", "/talks/session/12", "/new"] {
            assert!(!is_login(&url(path)), "{path}");
        }
    }

    #[test]
    fn consent_pages_are_recognized() {
        for path in [
            "/subscribe",
            "/paywall",
            "/cookies/accept",
            "/cookie_consent",
            "/cookie-policy-consent",
            "/cmp",
            "/agegate",
            "https://consent.example.org/x",
        ] {
            assert!(is_consent(&url(path)), "{path}");
        }
        for path in ["/recipes/cookies", "/guide/accept-header", "/informed/choice"] {
            assert!(!is_consent(&url(path)), "{path}");
        }
    }
}
