//! What we say to a server: the headers of a request.
//!
//! Headers the user gave may hold secrets. They go to the hosts and ports that
//! the settings name, never elsewhere and never from https down to http. Credentials
//! in a URL are never sent, and no page is told where its link was found.

use std::collections::HashMap;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, HeaderMap,
    HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    USER_AGENT,
};
use hyper::{Request, Uri};
use relink_model::{FetchOutcome, InvalidRedirect};
use relink_ports::UserAgent;
use url::{Position, Url};

use crate::HeaderHost;
use crate::basic_auth::basic;
use crate::cookies::CookieJar;
use crate::pool::PoolKey;
use crate::settings::{FetchSettings, HostSettings, SetupError};

/// Web pages first, then anything.
const ACCEPTED: HeaderValue = HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8");

/// The codings `decode` undoes.
const ACCEPTED_CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd");

/// Headers that frame the request and are not the user's to set. A false
/// `Host` would make the server asked differ from the one reported; the login
/// for a proxy is given with the proxy, for here the server would get it.
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

/// How browsers begin, and so what old servers look for.
const BROWSER: &str = "Mozilla/";

/// The headers of every request.
pub(crate) struct RequestHeaders {
    plain: HeaderValue,
    compatible: HeaderValue,
    /// What all servers are told, beside who asks.
    common: HeaderMap,
    /// The common headers with the user's own.
    private: HeaderMap,
    /// The hosts that get the user's own; `None` is every named one.
    header_hosts: Option<Vec<HeaderHost>>,
    /// Headers of the user for one host.
    host_headers: Vec<(HeaderHost, (HeaderName, HeaderValue))>,
    /// The headers that single hosts get, in place of ours of the same name.
    hosts: HashMap<PoolKey, Vec<(HeaderName, HeaderValue)>>,
}

impl RequestHeaders {
    /// Checks that what the user gave can be sent.
    pub fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let unsendable = |_| SetupError::UserAgent(settings.user_agent.clone());
        let plain = HeaderValue::from_str(&settings.user_agent).map_err(unsendable)?;
        let compatible = compatible(&settings.user_agent);
        let compatible = HeaderValue::from_str(&compatible).map_err(unsendable)?;
        let mut common = HeaderMap::with_capacity(8);
        common.insert(ACCEPT, ACCEPTED);
        common.insert(ACCEPT_ENCODING, ACCEPTED_CODINGS);
        let given = settings.headers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut private = common.clone();
        replace(&mut private, given);
        let for_host = |(host, header): &(HeaderHost, _)| Ok((host.clone(), parse(header)?));
        let host_headers = settings.host_headers.iter().map(for_host);
        Ok(Self {
            plain,
            compatible,
            common,
            private,
            header_hosts: settings.header_hosts.clone(),
            host_headers: host_headers.collect::<Result<_, SetupError>>()?,
            hosts: settings.hosts.iter().map(headers_of_host).collect::<Result<_, _>>()?,
        })
    }

    /// The name we go by.
    pub fn user_agent(&self, agent: UserAgent) -> &HeaderValue {
        match agent {
            UserAgent::Plain => &self.plain,
            UserAgent::Compatible => &self.compatible,
        }
    }

    /// The request for `url` on a chain that began at a `named` URL, or at one
    /// that only a page names.
    pub fn request(
        &self,
        url: &Url,
        named: Option<&Url>,
        agent: UserAgent,
        jar: &CookieJar,
    ) -> Result<Request<Empty<Bytes>>, FetchOutcome> {
        let unsendable = FetchOutcome::InvalidRedirect(InvalidRedirect::NotAnAddress);
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let uri: Uri = path.parse().map_err(|_| unsendable.clone())?;
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let host = HeaderValue::from_str(host).map_err(|_| unsendable)?;
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = uri;
        *request.headers_mut() = match named {
            Some(named) if may_receive_user_headers(url, named) => self.trusted_headers(url),
            _ => self.common.clone(),
        };
        if !self.hosts.is_empty()
            && let Some(given) = self.hosts.get(&PoolKey::of(url))
        {
            replace(request.headers_mut(), given.clone());
        }
        request.headers_mut().insert(HOST, host);
        // A name the user gave as a header stays.
        let name = request.headers_mut().entry(USER_AGENT);
        name.or_insert_with(|| self.user_agent(agent).clone());
        add_cookies(request.headers_mut(), jar.header_for(url));
        Ok(request)
    }

    /// Whether `url` gets what the user gave for hosts on the command line, on
    /// a chain that began at a `named` URL.
    pub fn is_trusted(&self, url: &Url, named: Option<&Url>) -> bool {
        named.is_some_and(|named| may_receive_user_headers(url, named)) && self.is_header_host(url)
    }

    fn is_header_host(&self, url: &Url) -> bool {
        let hosts = self.header_hosts.as_deref();
        hosts.is_none_or(|hosts| hosts.iter().any(|host| host.covers(url)))
    }

    /// The headers for a URL that the user named, with the user's own as far as
    /// they are for its host.
    fn trusted_headers(&self, url: &Url) -> HeaderMap {
        let mut headers =
            if self.is_header_host(url) { self.private.clone() } else { self.common.clone() };
        let own = self.host_headers.iter().filter(|(host, _)| host.covers(url));
        replace(&mut headers, own.map(|(_, header)| header.clone()).collect());
        headers
    }
}

/// The headers of one host, its login among them.
fn headers_of_host(
    host: &HostSettings,
) -> Result<(PoolKey, Vec<(HeaderName, HeaderValue)>), SetupError> {
    let mut headers = host.headers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    if let Some((user, password)) = &host.login {
        let value = basic(user.as_bytes(), password.as_bytes());
        let name = || host.origin.host_str().unwrap_or_default().to_owned();
        headers.push((AUTHORIZATION, value.ok_or_else(|| SetupError::Login(name()))?));
    }
    Ok((PoolKey::of(&host.origin), headers))
}

/// Our own name in the form that old servers expect of a browser. Brackets do
/// not nest there, so those of the name become parts of the one pair.
fn compatible(user_agent: &str) -> String {
    if user_agent.starts_with(BROWSER) {
        return user_agent.to_owned();
    }
    let parts = user_agent.split(['(', ')']).map(|part| part.trim_matches([' ', ';']));
    let parts = ["compatible"].into_iter().chain(parts.filter(|part| !part.is_empty()));
    format!("{BROWSER}5.0 ({})", parts.collect::<Vec<_>>().join("; "))
}

/// Adds the headers of one request in place of ours. What cannot be sent, or
/// is not for a request to say, is left out.
pub(crate) fn add(headers: &mut HeaderMap, given: &[(String, String)]) {
    replace(headers, given.iter().filter_map(|header| parse(header).ok()).collect());
}

fn replace(headers: &mut HeaderMap, given: Vec<(HeaderName, HeaderValue)>) {
    for (name, _) in &given {
        headers.remove(name);
    }
    for (name, value) in given {
        headers.append(name, value);
    }
}

/// Whether `url` may see what was meant for `named`.
pub(crate) fn may_receive_user_headers(url: &Url, named: &Url) -> bool {
    let is_downgrade = named.scheme() == "https" && url.scheme() != "https";
    same_host_and_port(url, named) && !is_downgrade
}

/// Whether two URLs share host and port.
pub(crate) fn same_host_and_port(one: &Url, other: &Url) -> bool {
    one.host() == other.host() && one.port_or_known_default() == other.port_or_known_default()
}

fn parse((name, value): &(String, String)) -> Result<(HeaderName, HeaderValue), SetupError> {
    let parsed: HeaderName = name.parse().map_err(|_| SetupError::HeaderName(name.clone()))?;
    if RESERVED.contains(&parsed) {
        return Err(SetupError::HeaderReserved(name.clone()));
    }
    let value = HeaderValue::from_str(value).map_err(|_| SetupError::HeaderValue(name.clone()));
    let mut value = value?;
    // Not shown by `Debug`, and not indexed by HTTP/2.
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Adds the chain's cookies to the user's own, in one header (RFC 6265, 5.4).
fn add_cookies(headers: &mut HeaderMap, kept: Option<String>) {
    let Some(kept) = kept else { return };
    let given = headers.get(COOKIE).and_then(|it| it.to_str().ok());
    let all = given.map_or_else(|| kept.clone(), |given| format!("{given}; {kept}"));
    if let Ok(value) = HeaderValue::from_str(&all) {
        headers.insert(COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting() -> RequestHeaders {
        let settings = FetchSettings {
            headers: vec![("Authorization".into(), "secret".into())],
            ..FetchSettings::default()
        };
        RequestHeaders::new(&settings).unwrap()
    }

    #[track_caller]
    fn check(first: &str, url: &str, expect: Option<&str>) {
        let (first, url) = (Url::parse(first).unwrap(), Url::parse(url).unwrap());
        let request = greeting()
            .request(&url, Some(&first), UserAgent::Plain, &CookieJar::default())
            .unwrap();
        let sent = request.headers().get("authorization");
        assert_eq!(sent.map(|it| it.to_str().unwrap()), expect, "{first} to {url}");
    }

    #[test]
    fn the_users_headers_stay_with_the_first_place() {
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
    fn headers_go_only_to_the_hosts_of_the_settings() {
        let for_b = ("b.test".parse().unwrap(), ("X-B".into(), "other".into()));
        let settings = FetchSettings {
            headers: vec![("Authorization".into(), "secret".into())],
            header_hosts: Some(vec!["a.test".parse().unwrap()]),
            host_headers: vec![for_b],
            ..FetchSettings::default()
        };
        let greeting = RequestHeaders::new(&settings).unwrap();
        let sent = |url: &str, name: &str| {
            let url = Url::parse(url).unwrap();
            let request =
                greeting.request(&url, Some(&url), UserAgent::Plain, &CookieJar::default());
            request.unwrap().headers().contains_key(name)
        };
        assert!(sent("http://a.test/", "authorization") && !sent("http://a.test/", "x-b"));
        assert!(sent("http://b.test/", "x-b") && !sent("http://b.test/", "authorization"));
        assert!(!sent("http://c.test/", "x-b") && !sent("http://c.test/", "authorization"));
    }

    #[test]
    fn a_url_that_only_a_page_names_gets_no_headers_of_the_users() {
        let url = Url::parse("http://a.test/").unwrap();
        let request =
            greeting().request(&url, None, UserAgent::Plain, &CookieJar::default()).unwrap();
        assert_eq!(request.headers().get("authorization"), None);
        assert!(request.headers().contains_key(USER_AGENT));
    }

    #[test]
    fn credentials_in_a_url_are_not_sent() {
        let url = Url::parse("http://user:word@a.test:81/x?y#z").unwrap();
        let request =
            greeting().request(&url, Some(&url), UserAgent::Plain, &CookieJar::default()).unwrap();
        assert_eq!(request.uri(), "/x?y");
        assert_eq!(request.headers()["host"], "a.test:81");
        assert_eq!(request.headers()["authorization"], "secret");
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_named_without_its_value() {
        let error = |name: &str, value: &str| {
            let settings = FetchSettings {
                headers: vec![(name.into(), value.into())],
                ..FetchSettings::default()
            };
            RequestHeaders::new(&settings).err().map(|error| error.to_string())
        };
        assert_eq!(error("X-Key", "fine"), None);
        assert_eq!(error("X Key", "s"), Some("`X Key` is not a header name".into()));
        assert_eq!(
            error("X-Key", "s\nt"),
            Some("the value of the header `X-Key` has characters that cannot be sent".into())
        );
        for name in ["host", "proxy-authorization"] {
            let expect = format!("the header `{name}` cannot be set by hand");
            assert_eq!(error(name, "s"), Some(expect));
        }
    }

    #[track_caller]
    fn check_compatible(user_agent: &str, expect: &str) {
        assert_eq!(compatible(user_agent), expect);
    }

    #[test]
    fn our_name_is_told_in_the_form_of_a_browser() {
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
    fn a_name_that_cannot_be_sent_is_refused_at_once() {
        let settings = FetchSettings { user_agent: "Relink\n".into(), ..FetchSettings::default() };
        assert!(matches!(RequestHeaders::new(&settings), Err(SetupError::UserAgent(_))));
    }

    #[test]
    fn a_name_given_as_a_header_stays_where_that_header_goes() {
        let settings = FetchSettings {
            headers: vec![("user-agent".into(), "Mine".into())],
            ..FetchSettings::default()
        };
        let greeting = RequestHeaders::new(&settings).unwrap();
        let url = Url::parse("http://a.test/").unwrap();
        let said = |named| {
            let asked = greeting.request(&url, named, UserAgent::Compatible, &CookieJar::default());
            asked.unwrap().headers()[USER_AGENT].clone()
        };
        assert_eq!(said(Some(&url)), "Mine");
        assert!(said(None).to_str().unwrap().starts_with("Mozilla/5.0 (compatible; Relink/"));
    }

    #[test]
    fn the_users_header_replaces_ours() {
        let settings = FetchSettings {
            headers: vec![("accept".into(), "text/plain".into())],
            ..FetchSettings::default()
        };
        let url = Url::parse("http://a.test/").unwrap();
        let greeting = RequestHeaders::new(&settings).unwrap();
        let request =
            greeting.request(&url, Some(&url), UserAgent::Plain, &CookieJar::default()).unwrap();
        let sent: Vec<_> = request.headers().get_all(ACCEPT).iter().collect();
        assert_eq!(sent, ["text/plain"]);
    }
}
