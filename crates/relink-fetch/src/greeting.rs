//! What we say to a server: the headers of a request.
//!
//! Headers the user gave may hold secrets. They go to the host and port the
//! user named, never elsewhere and never from https down to http. Credentials
//! in a URL are never sent, and no page is told where its link was found.

use bytes::Bytes;
use http_body_util::Empty;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, HeaderMap, HeaderName,
    HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use hyper::{Request, Uri};
use relink_model::{Ending, Malformation};
use url::{Position, Url};

use crate::cookies::Jar;
use crate::settings::{Settings, SetupError};

/// Web pages first, then anything.
const ACCEPTED: HeaderValue = HeaderValue::from_static("text/html,application/xhtml+xml,*/*;q=0.8");

/// The codings `decode` undoes.
const ACCEPTED_CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd");

/// Headers that frame the request and are not the user's to set. A false
/// `Host` would make the server asked differ from the one reported.
const RESERVED: [HeaderName; 7] =
    [HOST, CONNECTION, CONTENT_LENGTH, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// The headers of every request.
pub(crate) struct Greeting {
    common: HeaderMap,
    /// The common headers with the user's own.
    private: HeaderMap,
}

impl Greeting {
    /// Checks that what the user gave can be sent.
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let user_agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| SetupError::UserAgent(settings.user_agent.clone()))?;
        let mut common = HeaderMap::with_capacity(8);
        common.insert(USER_AGENT, user_agent);
        common.insert(ACCEPT, ACCEPTED);
        common.insert(ACCEPT_ENCODING, ACCEPTED_CODINGS);
        let given = settings.headers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut private = common.clone();
        for (name, _) in &given {
            private.remove(name);
        }
        for (name, value) in given {
            private.append(name, value);
        }
        Ok(Self { common, private })
    }

    /// The request for `url` on a chain that began at a `named` URL, or at one
    /// that only a page names.
    pub fn request(
        &self,
        url: &Url,
        named: Option<&Url>,
        jar: &Jar,
    ) -> Result<Request<Empty<Bytes>>, Ending> {
        let unsendable = Ending::Malformed(Malformation::NotAnAddress);
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let uri: Uri = path.parse().map_err(|_| unsendable.clone())?;
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let host = HeaderValue::from_str(host).map_err(|_| unsendable)?;
        let headers = if named.is_some_and(|named| is_entrusted(url, named)) {
            &self.private
        } else {
            &self.common
        };
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = uri;
        *request.headers_mut() = headers.clone();
        request.headers_mut().insert(HOST, host);
        add_cookies(request.headers_mut(), jar.header_for(url));
        Ok(request)
    }
}

/// Whether `url` may see what was meant for `named`.
fn is_entrusted(url: &Url, named: &Url) -> bool {
    let is_downgrade = named.scheme() == "https" && url.scheme() != "https";
    is_same_place(url, named) && !is_downgrade
}

/// Whether two URLs share host and port.
pub(crate) fn is_same_place(one: &Url, other: &Url) -> bool {
    one.host() == other.host() && one.port_or_known_default() == other.port_or_known_default()
}

fn parse((name, value): &(String, String)) -> Result<(HeaderName, HeaderValue), SetupError> {
    let parsed: HeaderName = name.parse().map_err(|_| SetupError::HeaderName(name.clone()))?;
    if RESERVED.contains(&parsed) {
        return Err(SetupError::HeaderReserved(name.clone()));
    }
    let value = HeaderValue::from_str(value).map_err(|_| SetupError::HeaderValue(name.clone()))?;
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

    fn greeting() -> Greeting {
        let settings = Settings {
            headers: vec![("Authorization".into(), "secret".into())],
            ..Settings::default()
        };
        Greeting::new(&settings).unwrap()
    }

    #[track_caller]
    fn check(first: &str, url: &str, expect: Option<&str>) {
        let (first, url) = (Url::parse(first).unwrap(), Url::parse(url).unwrap());
        let request = greeting().request(&url, Some(&first), &Jar::default()).unwrap();
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
    fn a_url_that_only_a_page_names_gets_no_headers_of_the_users() {
        let url = Url::parse("http://a.test/").unwrap();
        let request = greeting().request(&url, None, &Jar::default()).unwrap();
        assert_eq!(request.headers().get("authorization"), None);
        assert!(request.headers().contains_key(USER_AGENT));
    }

    #[test]
    fn credentials_in_a_url_are_not_sent() {
        let url = Url::parse("http://user:word@a.test:81/x?y#z").unwrap();
        let request = greeting().request(&url, Some(&url), &Jar::default()).unwrap();
        assert_eq!(request.uri(), "/x?y");
        assert_eq!(request.headers()["host"], "a.test:81");
        assert_eq!(request.headers()["authorization"], "secret");
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_named_without_its_value() {
        let fault = |name: &str, value: &str| {
            let settings =
                Settings { headers: vec![(name.into(), value.into())], ..Settings::default() };
            Greeting::new(&settings).err().map(|fault| fault.to_string())
        };
        assert_eq!(fault("X-Key", "fine"), None);
        assert_eq!(fault("X Key", "s"), Some("`X Key` is not a header name".into()));
        assert_eq!(
            fault("X-Key", "s\nt"),
            Some("the value of the header `X-Key` has characters that cannot be sent".into())
        );
        assert_eq!(fault("host", "s"), Some("the header `host` cannot be set by hand".into()));
    }

    #[test]
    fn the_users_header_replaces_ours() {
        let settings = Settings {
            headers: vec![("accept".into(), "text/plain".into())],
            ..Settings::default()
        };
        let url = Url::parse("http://a.test/").unwrap();
        let greeting = Greeting::new(&settings).unwrap();
        let request = greeting.request(&url, Some(&url), &Jar::default()).unwrap();
        let sent: Vec<_> = request.headers().get_all(ACCEPT).iter().collect();
        assert_eq!(sent, ["text/plain"]);
    }
}
