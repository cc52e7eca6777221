//! Cookie jar of one redirect chain.
//!
//! Some sites set a cookie, redirect to the same page and check that the cookie
//! is sent back. Without a jar they redirect forever. A cookie is sent only to
//! the host and port that set it, and never from https to http. Cookies are not
//! stored between chains, so sites cannot track Relink across pages.

use url::{Host, Url};

/// Maximum size of a cookie (RFC 6265, section 6.1).
const MAX_COOKIE_BYTES: usize = 4096;

/// Maximum number of cookies (RFC 6265, section 6.1, has this limit per
/// domain).
const MAX_COOKIES: usize = 50;

/// The cookies of a redirect chain.
#[derive(Debug, Default)]
pub(crate) struct CookieJar {
    cookies: Vec<Cookie>,
    /// How often `cookies` has changed.
    changes: usize,
}

/// A cookie and where it is sent.
#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    /// The host that set the cookie, or the domain of the `Domain` attribute.
    host: String,
    /// The port of the host that set the cookie. `None` means the standard port of the scheme:
    /// 80 for http, 443 for https.
    port: Option<u16>,
    /// Whether the cookie was set over https.
    is_encrypted: bool,
    scope: CookieScope,
    /// The cookie is sent only to URLs below this path.
    path: String,
    /// Whether the cookie has the attribute `Secure`, which limits it to https.
    is_secure: bool,
}

/// The hosts that receive a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CookieScope {
    /// Only the host that set the cookie.
    HostOnly,
    /// The domain and its subdomains.
    Subdomains,
}

impl CookieJar {
    /// Returns how often the content changed. A repeated URL is a redirect loop
    /// only if the cookies have not changed since its first request.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Processes a `Set-Cookie` header of a response from `url`.
    pub fn store(&mut self, url: &Url, header: &str) {
        let Some((cookie, action)) = parse(url, header) else {
            return;
        };
        let identity = |cookie: &Cookie| {
            (cookie.name.clone(), cookie.host.clone(), cookie.port, cookie.path.clone())
        };
        let index = self.cookies.iter().position(|stored| identity(stored) == identity(&cookie));
        let is_protected = index.is_some_and(|index| self.cookies[index].is_encrypted);
        if is_protected && !cookie.is_encrypted {
            // An http response must not change a cookie that was set over
            // https.
            return;
        }
        match (index, action) {
            (Some(index), CookieAction::Delete) => _ = self.cookies.swap_remove(index),
            (Some(index), CookieAction::Set) if self.cookies[index] != cookie => {
                self.cookies[index] = cookie;
            }
            (None, CookieAction::Set) if self.cookies.len() < MAX_COOKIES => {
                self.cookies.push(cookie);
            }
            _ => return,
        }
        self.changes += 1;
    }

    /// Returns the `Cookie` header for a request to `url`, if a cookie applies.
    pub fn header_for(&self, url: &Url) -> Option<String> {
        let applicable = self.cookies.iter().filter(|cookie| cookie.applies_to(url));
        let pairs: Vec<_> =
            applicable.map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

/// Effect of a `Set-Cookie` header.
#[derive(Debug, Clone, Copy)]
enum CookieAction {
    Set,
    Delete,
}

impl Cookie {
    /// Whether the cookie is sent with a request to `url`.
    fn applies_to(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_in_scope = match self.scope {
            CookieScope::HostOnly => host == self.host,
            CookieScope::Subdomains => is_subdomain_or_same(host, &self.host),
        };
        let needs_encryption = self.is_secure || self.is_encrypted;
        is_in_scope
            && self.port == url.port()
            && is_in_directory(url.path(), &self.path)
            && (!needs_encryption || url.scheme() == "https")
    }
}

/// Parses a `Set-Cookie` header of a response from `url`.
fn parse(url: &Url, header: &str) -> Option<(Cookie, CookieAction)> {
    if header.len() > MAX_COOKIE_BYTES {
        return None;
    }
    let mut parts = header.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    let mut cookie = Cookie {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
        host: url.host_str()?.to_owned(),
        port: url.port(),
        is_encrypted: url.scheme() == "https",
        scope: CookieScope::HostOnly,
        path: default_path(url.path()).to_owned(),
        is_secure: false,
    };
    if cookie.name.is_empty() || cookie.has_control_characters() {
        return None;
    }
    let mut action = CookieAction::Set;
    for attribute in parts {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        match key.trim().to_ascii_lowercase().as_str() {
            "domain" => cookie.set_domain(url, value.trim())?,
            "path" if value.trim().starts_with('/') => value.trim().clone_into(&mut cookie.path),
            "secure" => cookie.is_secure = true,
            "max-age" if value.trim().parse::<i64>().is_ok_and(|age| age <= 0) => {
                action = CookieAction::Delete;
            }
            _ => {}
        }
    }
    // An http response must not set a cookie that is then trusted over https.
    let is_insecure = cookie.is_secure && url.scheme() != "https";
    (!is_insecure).then_some((cookie, action))
}

impl Cookie {
    fn has_control_characters(&self) -> bool {
        self.name.chars().chain(self.value.chars()).any(char::is_control)
    }

    /// Extends the scope to `domain`. Returns `None` if the host may not set
    /// cookies for that domain.
    fn set_domain(&mut self, url: &Url, domain: &str) -> Option<()> {
        let domain = domain.strip_prefix('.').unwrap_or(domain).to_ascii_lowercase();
        if domain.is_empty() || domain == self.host {
            return Some(());
        }
        let is_domain_name = matches!(url.host(), Some(Host::Domain(_)));
        // A domain without a dot is a top-level domain, which has many owners.
        if !is_domain_name || !domain.contains('.') || !is_subdomain_or_same(&self.host, &domain) {
            return None;
        }
        self.host = domain;
        self.scope = CookieScope::Subdomains;
        Some(())
    }
}

/// Returns the directory of the page that set the cookie. A cookie without a `Path` attribute
/// has this path (RFC 6265, section 5.1.4).
fn default_path(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((directory, _)) => directory,
    }
}

fn is_subdomain_or_same(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_in_directory(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || directory.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the `Cookie` header that is sent to the URL `to` after a page at `from` has sent
    /// these `Set-Cookie` headers.
    #[track_caller]
    fn check(from: &str, headers: &[&str], to: &str, expect: Option<&str>) {
        let mut jar = CookieJar::default();
        for header in headers {
            jar.store(&Url::parse(from).unwrap(), header);
        }
        let sent = jar.header_for(&Url::parse(to).unwrap());
        assert_eq!(sent.as_deref(), expect, "{headers:?} from {from} to {to}");
    }

    #[test]
    fn cookie_is_sent_to_its_host() {
        check("http://a.test/x", &["k=v"], "http://a.test/y", Some("k=v"));
        check("http://a.test/", &["k=1", "l=2"], "http://a.test/", Some("k=1; l=2"));
        check("http://a.test/", &["k=1", "k=2"], "http://a.test/", Some("k=2"));
    }

    #[test]
    fn cookie_is_not_sent_to_other_hosts() {
        check("http://a.test/", &["k=v"], "http://b.test/", None);
        check("http://a.test/", &["k=v"], "http://www.a.test/", None);
        check("http://127.0.0.1/", &["k=v"], "http://127.0.0.2/", None);
    }

    #[test]
    fn cookie_is_not_sent_to_other_ports() {
        check("http://a.test:8080/", &["k=v"], "http://a.test:8080/", Some("k=v"));
        check("http://a.test:8080/", &["k=v"], "http://a.test:8081/", None);
        check("http://a.test:8080/", &["k=v"], "http://a.test/", None);
        check("http://a.test/", &["k=v"], "http://a.test:8080/", None);
        let for_parent = ["k=v; Domain=example.org"];
        check("http://a.example.org:81/", &for_parent, "http://b.example.org:81/", Some("k=v"));
        check("http://a.example.org:81/", &for_parent, "http://b.example.org/", None);
    }

    #[test]
    fn cookie_set_over_https_is_not_sent_over_http() {
        check("https://a.test/", &["k=v"], "https://a.test/", Some("k=v"));
        check("https://a.test/", &["k=v"], "http://a.test/", None);
        check("https://a.test:8080/", &["k=v"], "http://a.test:8080/", None);
        check("http://a.test/", &["k=v"], "https://a.test/", Some("k=v"));
    }

    #[test]
    fn cookie_set_over_https_is_not_replaced_over_http() {
        let mut jar = CookieJar::default();
        let url = |text| Url::parse(text).unwrap();
        jar.store(&url("https://a.test/"), "k=good");
        jar.store(&url("http://a.test/"), "k=planted");
        jar.store(&url("http://a.test/"), "k=; Max-Age=0");
        assert_eq!(jar.header_for(&url("https://a.test/")).as_deref(), Some("k=good"));
    }

    #[test]
    fn domain_attribute_must_be_a_parent_domain_with_a_dot() {
        let parent = ["k=v; Domain=example.org"];
        check("http://www.example.org/", &parent, "http://img.example.org/", Some("k=v"));
        check("http://www.example.org/", &parent, "http://notexample.org/", None);
        check("http://evil.test/", &parent, "http://example.org/", None);
        check("http://a.org/", &["k=v; Domain=org"], "http://b.org/", None);
        check("http://10.0.0.1/", &["k=v; Domain=0.0.1"], "http://10.0.0.1/", None);
    }

    #[test]
    fn path_and_secure_attributes_are_applied() {
        check("http://a.test/d/x", &["k=v"], "http://a.test/d/y", Some("k=v"));
        check("http://a.test/d/x", &["k=v"], "http://a.test/dd", None);
        check("http://a.test/d/x", &["k=v; Path=/"], "http://a.test/", Some("k=v"));
        check("https://a.test/", &["k=v; Secure"], "https://a.test/", Some("k=v"));
        check("https://a.test/", &["k=v; Secure"], "http://a.test/", None);
        check("http://a.test/", &["k=v; Secure"], "https://a.test/", None);
    }

    #[test]
    fn max_age_zero_deletes_the_cookie() {
        check("http://a.test/", &["k=v", "k=; Max-Age=0"], "http://a.test/", None);
    }

    #[test]
    fn malformed_and_huge_cookies_are_ignored() {
        let huge = format!("k={}", "v".repeat(MAX_COOKIE_BYTES));
        check("http://a.test/", &["", "k", "=v", "k=\u{1}", &huge], "http://a.test/", None);
    }

    #[test]
    fn changes_counts_only_modifications() {
        let url = Url::parse("http://a.test/").unwrap();
        let mut jar = CookieJar::default();
        let mut changes = |header| {
            jar.store(&url, header);
            jar.changes()
        };
        assert_eq!([changes("k=1"), changes("k=1"), changes("k=2")], [1, 1, 2]);
        assert_eq!([changes("k=; Max-Age=0"), changes("k=; Max-Age=0")], [3, 3]);
    }
}
