//! Builds the request headers.
//!
//! User-supplied headers may contain secrets. They are sent only to the hosts
//! and ports that the settings allow, and never from https to http. Credentials
//! in a URL are never sent, and neither is a `Referer`.

use std::collections::HashMap;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST,
    HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE, USER_AGENT,
};
use hyper::{Method, Request, Uri};
use relink_model::{FetchOutcome, InvalidRedirect};
use relink_ports::{RequestBody, UserAgent};
use url::{Position, Url};

use crate::HeaderHost;
use crate::basic_auth::basic;
use crate::cookies::CookieJar;
use crate::pool::PoolKey;
use crate::settings::{FetchSettings, HostSettings, SetupError};

/// Prefers web pages and accepts anything.
const ACCEPTED: HeaderValue = HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8");

/// The content codings that `decode` supports.
const ACCEPTED_CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd");

/// Headers that the user cannot set. With another `Host`, the contacted server would not be the
/// reported server. The proxy login is part of the proxy settings. As a request header, the login
/// would be sent to the server.
const RESERVED: [HeaderName; 8] = [
    HOST,
    CONNECTION,
    CONTENT_LENGTH,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Prefix of the user agents of browsers, which old servers check for.
const BROWSER: &str = "Mozilla/";

/// The headers of requests, prepared once from the settings.
pub(crate) struct RequestHeaders {
    relink: HeaderValue,
    browser_compatible: HeaderValue,
    /// Headers for all hosts, without `User-Agent`.
    common: HeaderMap,
    /// The common headers and the user-supplied headers.
    with_user_headers: HeaderMap,
    /// The hosts that receive the user-supplied headers. `None` means every
    /// host that the user supplied.
    header_hosts: Option<Vec<HeaderHost>>,
    /// User-supplied headers for single hosts.
    host_headers: Vec<(HeaderHost, (HeaderName, HeaderValue))>,
    /// Headers from the settings of single hosts. They replace all other headers with
    /// the same name.
    hosts: HashMap<PoolKey, Vec<(HeaderName, HeaderValue)>>,
}

impl RequestHeaders {
    /// Creates the headers. Fails if a value cannot be sent.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let unsendable = |_| SetupError::UserAgent(settings.user_agent.clone());
        let relink = HeaderValue::from_str(&settings.user_agent).map_err(unsendable)?;
        let browser_compatible = browser_compatible(&settings.user_agent);
        let browser_compatible = HeaderValue::from_str(&browser_compatible).map_err(unsendable)?;
        let mut common = HeaderMap::with_capacity(8);
        common.insert(ACCEPT, ACCEPTED);
        common.insert(ACCEPT_ENCODING, ACCEPTED_CODINGS);
        let user_headers = settings.headers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut with_user_headers = common.clone();
        replace(&mut with_user_headers, user_headers);
        let parse_for_host = |(host, header): &(HeaderHost, _)| Ok((host.clone(), parse(header)?));
        let host_headers = settings.host_headers.iter().map(parse_for_host);
        Ok(Self {
            relink,
            browser_compatible,
            common,
            with_user_headers,
            header_hosts: settings.header_hosts.clone(),
            host_headers: host_headers.collect::<Result<_, SetupError>>()?,
            hosts: settings.hosts.iter().map(configured_headers).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the `User-Agent` to send.
    pub fn user_agent(&self, user_agent: UserAgent) -> &HeaderValue {
        match user_agent {
            UserAgent::Relink => &self.relink,
            UserAgent::BrowserCompatible => &self.browser_compatible,
        }
    }

    /// Builds the request for `url`. `trusted_url` is the start of the redirect
    /// chain if the user supplied it.
    pub fn request(
        &self,
        url: &Url,
        trusted_url: Option<&Url>,
        user_agent: UserAgent,
        jar: &CookieJar,
    ) -> Result<Request<Full<Bytes>>, FetchOutcome> {
        let unsendable = FetchOutcome::InvalidRedirect(InvalidRedirect::NotAUrl);
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let uri: Uri = path.parse().map_err(|_| unsendable.clone())?;
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let host = HeaderValue::from_str(host).map_err(|_| unsendable)?;
        let mut request = Request::new(Full::default());
        *request.uri_mut() = uri;
        *request.headers_mut() = match trusted_url {
            Some(trusted) if may_receive_user_headers(url, trusted) => self.trusted_headers(url),
            _ => self.common.clone(),
        };
        if !self.hosts.is_empty()
            && let Some(configured) = self.hosts.get(&PoolKey::from_url(url))
        {
            replace(request.headers_mut(), configured.clone());
        }
        request.headers_mut().insert(HOST, host);
        // A user agent among the user-supplied headers takes precedence.
        let entry = request.headers_mut().entry(USER_AGENT);
        entry.or_insert_with(|| self.user_agent(user_agent).clone());
        add_cookies(request.headers_mut(), jar.header_for(url));
        Ok(request)
    }

    /// Whether `url` receives the headers and the client certificate from the
    /// command line. `trusted_url` has the same meaning as in [`Self::request`].
    pub fn is_trusted(&self, url: &Url, trusted_url: Option<&Url>) -> bool {
        trusted_url.is_some_and(|trusted| may_receive_user_headers(url, trusted))
            && self.is_header_host(url)
    }

    /// Whether the host of a URL receives the user-supplied headers according to the settings.
    fn is_header_host(&self, url: &Url) -> bool {
        let hosts = self.header_hosts.as_deref();
        hosts.is_none_or(|hosts| hosts.iter().any(|host| host.covers(url)))
    }

    /// Returns the headers for a URL that the user supplied. User-supplied
    /// headers are included only if they are for its host.
    fn trusted_headers(&self, url: &Url) -> HeaderMap {
        let mut headers = if self.is_header_host(url) {
            self.with_user_headers.clone()
        } else {
            self.common.clone()
        };
        let for_this_host = self.host_headers.iter().filter(|(host, _)| host.covers(url));
        replace(&mut headers, for_this_host.map(|(_, header)| header.clone()).collect());
        headers
    }
}

/// Returns the headers for one host, including its login.
fn configured_headers(
    host: &HostSettings,
) -> Result<(PoolKey, Vec<(HeaderName, HeaderValue)>), SetupError> {
    let mut headers = host.headers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    if let Some((user, password)) = &host.login {
        let value = basic(user.as_bytes(), password.as_bytes());
        let name = || host.origin.host_str().unwrap_or_default().to_owned();
        headers.push((AUTHORIZATION, value.ok_or_else(|| SetupError::Login(name()))?));
    }
    Ok((PoolKey::from_url(&host.origin), headers))
}

/// Converts a user agent to the format that old servers expect of a browser: `Mozilla/5.0
/// (compatible; …)`. Parentheses cannot be nested in this format, so the texts inside and
/// outside of parentheses are joined with semicolons.
fn browser_compatible(user_agent: &str) -> String {
    if user_agent.starts_with(BROWSER) {
        return user_agent.to_owned();
    }
    let parts = user_agent.split(['(', ')']).map(|part| part.trim_matches([' ', ';']));
    let parts = ["compatible"].into_iter().chain(parts.filter(|part| !part.is_empty()));
    format!("{BROWSER}5.0 ({})", parts.collect::<Vec<_>>().join("; "))
}

/// Makes a request a POST request with this body.
pub(crate) fn set_body(request: &mut Request<Full<Bytes>>, body: &RequestBody) {
    *request.method_mut() = Method::POST;
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(body.content_type));
    *request.body_mut() = Full::new(body.bytes.clone());
}

/// Adds the headers of a single request. Replaces headers with the same name. Skips headers that
/// are invalid or reserved.
pub(crate) fn add(headers: &mut HeaderMap, additional: &[(String, String)]) {
    replace(headers, additional.iter().filter_map(|header| parse(header).ok()).collect());
}

/// Adds headers, after removing all headers of the same names.
fn replace(headers: &mut HeaderMap, new: Vec<(HeaderName, HeaderValue)>) {
    for (name, _) in &new {
        headers.remove(name);
    }
    for (name, value) in new {
        headers.append(name, value);
    }
}

/// Whether a request for `url` may carry headers that are meant for
/// `trusted_url`.
pub(crate) fn may_receive_user_headers(url: &Url, trusted_url: &Url) -> bool {
    let is_downgrade = trusted_url.scheme() == "https" && url.scheme() != "https";
    same_host_and_port(url, trusted_url) && !is_downgrade
}

/// Whether two URLs have the same host and port.
pub(crate) fn same_host_and_port(left: &Url, right: &Url) -> bool {
    left.host() == right.host() && left.port_or_known_default() == right.port_or_known_default()
}

/// Parses a header that the user supplied.
fn parse((name, value): &(String, String)) -> Result<(HeaderName, HeaderValue), SetupError> {
    let parsed: HeaderName = name.parse().map_err(|_| SetupError::HeaderName(name.clone()))?;
    if RESERVED.contains(&parsed) {
        return Err(SetupError::HeaderReserved(name.clone()));
    }
    let value = HeaderValue::from_str(value).map_err(|_| SetupError::HeaderValue(name.clone()));
    let mut value = value?;
    // Sensitive values are not printed by `Debug` and not indexed by HTTP/2.
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Adds the cookies of the redirect chain to the user-supplied cookies, in one
/// header (RFC 6265, section 5.4).
fn add_cookies(headers: &mut HeaderMap, stored: Option<String>) {
    let Some(stored) = stored else { return };
    let supplied = headers.get(COOKIE).and_then(|value| value.to_str().ok());
    let all = supplied.map_or_else(|| stored.clone(), |supplied| format!("{supplied}; {stored}"));
    if let Ok(value) = HeaderValue::from_str(&all) {
        headers.insert(COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns headers with the user-supplied header `Authorization: secret`.
    fn headers() -> RequestHeaders {
        let settings = FetchSettings {
            headers: vec![("Authorization".into(), "secret".into())],
            ..FetchSettings::default()
        };
        RequestHeaders::new(&settings).unwrap()
    }

    /// Checks the `Authorization` header of a request to `url` in a chain that started at the
    /// user-supplied URL `first`.
    #[track_caller]
    fn check(first: &str, url: &str, expect: Option<&str>) {
        let (first, url) = (Url::parse(first).unwrap(), Url::parse(url).unwrap());
        let request = headers()
            .request(&url, Some(&first), UserAgent::Relink, &CookieJar::default())
            .unwrap();
        let sent = request.headers().get("authorization");
        assert_eq!(sent.map(|value| value.to_str().unwrap()), expect, "{first} to {url}");
    }

    #[test]
    fn user_headers_stay_on_the_first_host_and_port() {
        check("http://a.test/", "http://a.test/x", Some("secret"));
        check("http://a.test:443/", "https://a.test/", Some("secret"));
        check("http://a.test/", "http://b.test/", None);
        check("http://a.test/", "http://www.a.test/", None);
        check("http://a.test/", "http://a.test:81/", None);
        check("http://a.test/", "https://a.test/", None);
        check("https://a.test/", "http://a.test/", None);
        check("https://a.test:8080/", "http://a.test:8080/", None);
    }

    #[test]
    fn headers_are_sent_only_to_configured_hosts() {
        let for_b = ("b.test".parse().unwrap(), ("X-B".into(), "other".into()));
        let settings = FetchSettings {
            headers: vec![("Authorization".into(), "secret".into())],
            header_hosts: Some(vec!["a.test".parse().unwrap()]),
            host_headers: vec![for_b],
            ..FetchSettings::default()
        };
        let headers = RequestHeaders::new(&settings).unwrap();
        let has_header = |url: &str, name: &str| {
            let url = Url::parse(url).unwrap();
            let request =
                headers.request(&url, Some(&url), UserAgent::Relink, &CookieJar::default());
            request.unwrap().headers().contains_key(name)
        };
        assert!(has_header("http://a.test/", "authorization"));
        assert!(!has_header("http://a.test/", "x-b"));
        assert!(has_header("http://b.test/", "x-b"));
        assert!(!has_header("http://b.test/", "authorization"));
        assert!(!has_header("http://c.test/", "x-b"));
        assert!(!has_header("http://c.test/", "authorization"));
    }

    #[test]
    fn discovered_url_gets_no_user_headers() {
        let url = Url::parse("http://a.test/").unwrap();
        let request =
            headers().request(&url, None, UserAgent::Relink, &CookieJar::default()).unwrap();
        assert_eq!(request.headers().get("authorization"), None);
        assert!(request.headers().contains_key(USER_AGENT));
    }

    #[test]
    fn credentials_in_a_url_are_not_sent() {
        let url = Url::parse("http://user:word@a.test:81/x?y#z").unwrap();
        let request =
            headers().request(&url, Some(&url), UserAgent::Relink, &CookieJar::default()).unwrap();
        assert_eq!(request.uri(), "/x?y");
        assert_eq!(request.headers()["host"], "a.test:81");
        assert_eq!(request.headers()["authorization"], "secret");
    }

    #[test]
    fn invalid_header_is_reported_without_its_value() {
        let error = |name: &str, value: &str| {
            let settings = FetchSettings {
                headers: vec![(name.into(), value.into())],
                ..FetchSettings::default()
            };
            RequestHeaders::new(&settings).err().map(|error| error.to_string())
        };
        assert_eq!(error("X-Key", "fine"), None);
        assert_eq!(error("X Key", "s"), Some("invalid header name: `X Key`".into()));
        assert_eq!(
            error("X-Key", "s\nt"),
            Some(
                "invalid value of header `X-Key`: it contains characters that cannot be sent"
                    .into()
            )
        );
        for name in ["host", "proxy-authorization"] {
            let expect = format!("cannot set header `{name}`: it is reserved for the HTTP client");
            assert_eq!(error(name, "s"), Some(expect));
        }
    }

    #[track_caller]
    fn check_compatible(user_agent: &str, expect: &str) {
        assert_eq!(browser_compatible(user_agent), expect);
    }

    #[test]
    fn compatible_wraps_user_agent_in_browser_format() {
        check_compatible("Relink/1.0", "Mozilla/5.0 (compatible; Relink/1.0)");
        check_compatible(
            "Relink/1.0 (+https://example.org/bot)",
            "Mozilla/5.0 (compatible; Relink/1.0; +https://example.org/bot)",
        );
        check_compatible(
            "Checker/2 (a; b (c)) Relink/1.0",
            "Mozilla/5.0 (compatible; Checker/2; a; b; c; Relink/1.0)",
        );
        check_compatible("Mozilla/5.0 (X11) Own/1", "Mozilla/5.0 (X11) Own/1");
        check_compatible("", "Mozilla/5.0 (compatible)");
    }

    #[test]
    fn new_rejects_invalid_user_agent() {
        let settings = FetchSettings { user_agent: "Relink\n".into(), ..FetchSettings::default() };
        assert!(matches!(RequestHeaders::new(&settings), Err(SetupError::UserAgent(_))));
    }

    #[test]
    fn user_agent_header_is_used_on_trusted_hosts_only() {
        let settings = FetchSettings {
            headers: vec![("user-agent".into(), "Mine".into())],
            ..FetchSettings::default()
        };
        let headers = RequestHeaders::new(&settings).unwrap();
        let url = Url::parse("http://a.test/").unwrap();
        let sent = |trusted_url| {
            let request = headers.request(
                &url,
                trusted_url,
                UserAgent::BrowserCompatible,
                &CookieJar::default(),
            );
            request.unwrap().headers()[USER_AGENT].clone()
        };
        assert_eq!(sent(Some(&url)), "Mine");
        assert!(sent(None).to_str().unwrap().starts_with("Mozilla/5.0 (compatible; Relink/"));
    }

    #[test]
    fn user_header_replaces_default() {
        let settings = FetchSettings {
            headers: vec![("accept".into(), "text/plain".into())],
            ..FetchSettings::default()
        };
        let url = Url::parse("http://a.test/").unwrap();
        let headers = RequestHeaders::new(&settings).unwrap();
        let request =
            headers.request(&url, Some(&url), UserAgent::Relink, &CookieJar::default()).unwrap();
        let sent: Vec<_> = request.headers().get_all(ACCEPT).iter().collect();
        assert_eq!(sent, ["text/plain"]);
    }
}
