//! Cookies, for the length of one chain of redirects.
//!
//! Some sites set a cookie, redirect to the same page and look whether it
//! comes back; without a jar they redirect for ever. A cookie goes back to the
//! host and port that set it, and never from https to http. Nothing is kept
//! between chains, so that no site can follow Relink from page to page.

use url::{Host, Url};

/// The longest cookie kept (RFC 6265, section 6.1).
const COOKIE_CAP: usize = 4096;

/// The most cookies kept (RFC 6265, section 6.1, per domain; here in all).
const JAR_CAP: usize = 50;

/// The cookies set so far on a chain.
#[derive(Debug, Default)]
pub(crate) struct CookieJar {
    cookies: Vec<Cookie>,
    changes: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    host: String,
    /// The port it was set at. Both standard ports are one server.
    port: Option<u16>,
    /// Whether it was set over https.
    is_encrypted: bool,
    reach: CookieScope,
    path: String,
    is_secure: bool,
}

/// Which hosts get a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CookieScope {
    /// The host that set it.
    HostOnly,
    /// Its domain and all below.
    Subdomains,
}

impl CookieJar {
    /// How often the jar's content changed. A page asked again is a loop
    /// only if it did not.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Takes in one `Set-Cookie` value of an answer from `url`.
    pub fn store(&mut self, url: &Url, header: &str) {
        let Some((cookie, life)) = parse(url, header) else {
            return;
        };
        let key = |it: &Cookie| (it.name.clone(), it.host.clone(), it.port, it.path.clone());
        let place = self.cookies.iter().position(|kept| key(kept) == key(&cookie));
        let is_kept_encrypted = place.is_some_and(|place| self.cookies[place].is_encrypted);
        if is_kept_encrypted && !cookie.is_encrypted {
            // A plain connection may not change what an encrypted one said.
            return;
        }
        match (place, life) {
            (Some(place), CookieAction::Over) => _ = self.cookies.swap_remove(place),
            (Some(place), CookieAction::Session) if self.cookies[place] != cookie => {
                self.cookies[place] = cookie;
            }
            (None, CookieAction::Session) if self.cookies.len() < JAR_CAP => {
                self.cookies.push(cookie)
            }
            _ => return,
        }
        self.changes += 1;
    }

    /// The `Cookie` value to send to `url`, if any cookie is for it.
    pub fn header_for(&self, url: &Url) -> Option<String> {
        let meant = self.cookies.iter().filter(|cookie| cookie.is_for(url));
        let pairs: Vec<_> = meant.map(|it| format!("{}={}", it.name, it.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

/// Whether a `Set-Cookie` sets or deletes.
#[derive(Debug, Clone, Copy)]
enum CookieAction {
    Session,
    Over,
}

impl Cookie {
    fn is_for(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_host = match self.reach {
            CookieScope::HostOnly => host == self.host,
            CookieScope::Subdomains => is_below(host, &self.host),
        };
        let needs_encryption = self.is_secure || self.is_encrypted;
        is_host
            && self.port == url.port()
            && is_path_below(url.path(), &self.path)
            && (!needs_encryption || url.scheme() == "https")
    }
}

fn parse(url: &Url, header: &str) -> Option<(Cookie, CookieAction)> {
    if header.len() > COOKIE_CAP {
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
        reach: CookieScope::HostOnly,
        path: default_path(url.path()).to_owned(),
        is_secure: false,
    };
    if cookie.name.is_empty() || cookie.has_control_characters() {
        return None;
    }
    let mut life = CookieAction::Session;
    for attribute in parts {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        match key.trim().to_ascii_lowercase().as_str() {
            "domain" => cookie.widen(url, value.trim())?,
            "path" if value.trim().starts_with('/') => value.trim().clone_into(&mut cookie.path),
            "secure" => cookie.is_secure = true,
            "max-age" if value.trim().parse::<i64>().is_ok_and(|age| age <= 0) => {
                life = CookieAction::Over
            }
            _ => {}
        }
    }
    // A plain connection may not plant what an encrypted one will trust.
    let is_planted = cookie.is_secure && url.scheme() != "https";
    (!is_planted).then_some((cookie, life))
}

impl Cookie {
    fn has_control_characters(&self) -> bool {
        self.name.chars().chain(self.value.chars()).any(char::is_control)
    }

    /// Widens the reach to the domain named; `None` if it may not be named.
    fn widen(&mut self, url: &Url, domain: &str) -> Option<()> {
        let domain = domain.strip_prefix('.').unwrap_or(domain).to_ascii_lowercase();
        if domain.is_empty() || domain == self.host {
            return Some(());
        }
        let is_name = matches!(url.host(), Some(Host::Domain(_)));
        if !is_name || !domain.contains('.') || !is_below(&self.host, &domain) {
            return None;
        }
        self.host = domain;
        self.reach = CookieScope::Subdomains;
        Some(())
    }
}

/// The directory of the page that set the cookie (RFC 6265, section 5.1.4).
fn default_path(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((directory, _)) => directory,
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_path_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || directory.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_cookie_goes_back_to_its_host() {
        check("http://a.test/x", &["k=v"], "http://a.test/y", Some("k=v"));
        check("http://a.test/", &["k=1", "l=2"], "http://a.test/", Some("k=1; l=2"));
        check("http://a.test/", &["k=1", "k=2"], "http://a.test/", Some("k=2"));
    }

    #[test]
    fn a_cookie_goes_nowhere_else() {
        check("http://a.test/", &["k=v"], "http://b.test/", None);
        check("http://a.test/", &["k=v"], "http://www.a.test/", None);
        check("http://127.0.0.1/", &["k=v"], "http://127.0.0.2/", None);
    }

    #[test]
    fn cookie_goes_to_no_other_port() {
        check("http://a.test:8080/", &["k=v"], "http://a.test:8080/", Some("k=v"));
        check("http://a.test:8080/", &["k=v"], "http://a.test:8081/", None);
        check("http://a.test:8080/", &["k=v"], "http://a.test/", None);
        check("http://a.test/", &["k=v"], "http://a.test:8080/", None);
        let parent = ["k=v; Domain=example.org"];
        check("http://a.example.org:81/", &parent, "http://b.example.org:81/", Some("k=v"));
        check("http://a.example.org:81/", &parent, "http://b.example.org/", None);
    }

    #[test]
    fn cookie_set_over_https_never_goes_over_http() {
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
    fn a_domain_must_be_a_dotted_parent() {
        let parent = ["k=v; Domain=example.org"];
        check("http://www.example.org/", &parent, "http://img.example.org/", Some("k=v"));
        check("http://www.example.org/", &parent, "http://notexample.org/", None);
        check("http://evil.test/", &parent, "http://example.org/", None);
        check("http://a.org/", &["k=v; Domain=org"], "http://b.org/", None);
        check("http://10.0.0.1/", &["k=v; Domain=0.0.1"], "http://10.0.0.1/", None);
    }

    #[test]
    fn path_and_secure_are_honored() {
        check("http://a.test/d/x", &["k=v"], "http://a.test/d/y", Some("k=v"));
        check("http://a.test/d/x", &["k=v"], "http://a.test/dd", None);
        check("http://a.test/d/x", &["k=v; Path=/"], "http://a.test/", Some("k=v"));
        check("https://a.test/", &["k=v; Secure"], "https://a.test/", Some("k=v"));
        check("https://a.test/", &["k=v; Secure"], "http://a.test/", None);
        check("http://a.test/", &["k=v; Secure"], "https://a.test/", None);
    }

    #[test]
    fn an_age_of_nothing_deletes() {
        check("http://a.test/", &["k=v", "k=; Max-Age=0"], "http://a.test/", None);
    }

    #[test]
    fn malformed_and_huge_cookies_are_ignored() {
        let huge = format!("k={}", "v".repeat(COOKIE_CAP));
        check("http://a.test/", &["", "k", "=v", "k=\u{1}", &huge], "http://a.test/", None);
    }

    #[test]
    fn only_news_counts_as_a_change() {
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
