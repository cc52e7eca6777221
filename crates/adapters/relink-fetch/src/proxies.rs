//! Which proxy a URL is fetched through.

use url::Url;

use crate::no_proxy::NoProxy;
use crate::proxy::{Proxy, ProxyProtocol};

/// The proxies to use, and the hosts that are reached without one.
///
/// ```
/// use relink_fetch::{Proxies, Proxy};
/// let proxy: Proxy = "http://127.0.0.1:3128".parse()?;
/// let proxies = Proxies { exclude: "localhost".parse()?, ..Proxies::all(proxy) };
/// assert!(proxies.http.is_some() && proxies.https.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http://` URLs.
    pub http: Option<Proxy>,
    /// For `https://` URLs.
    pub https: Option<Proxy>,
    /// Hosts that neither is used for.
    pub exclude: NoProxy,
}

/// The way to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// Without a proxy.
    Direct,
    /// The proxy gets the request itself and passes it on.
    Forward(&'a Proxy),
    /// The proxy passes on bytes to the host.
    Tunnel(&'a Proxy),
}

impl Proxies {
    /// One proxy for every URL.
    pub fn all(proxy: Proxy) -> Self {
        Self { http: Some(proxy.clone()), https: Some(proxy), exclude: NoProxy::default() }
    }

    /// The way to the host of `url` for an HTTP request.
    pub(crate) fn route(&self, url: &Url) -> Route<'_> {
        match self.proxy_for(url) {
            Some(proxy) if url.scheme() == "http" && proxy.is_http() => Route::Forward(proxy),
            Some(proxy) => Route::Tunnel(proxy),
            None => Route::Direct,
        }
    }

    /// The way to the host of `url` for bytes of any kind.
    pub(crate) fn tunnel(&self, url: &Url) -> Route<'_> {
        self.proxy_for(url).map_or(Route::Direct, Route::Tunnel)
    }

    fn proxy_for(&self, url: &Url) -> Option<&Proxy> {
        let proxy = if url.scheme() == "https" { &self.https } else { &self.http };
        proxy.as_ref().filter(|_| !self.exclude.contains(url))
    }
}

impl Route<'_> {
    /// Whether the proxy looks up the host, out of reach of the address policy.
    pub fn hides_address(self) -> bool {
        match self {
            Self::Direct => false,
            Self::Forward(_) => true,
            Self::Tunnel(proxy) => proxy.protocol() != ProxyProtocol::Socks5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(proxies: &Proxies, url: &str, expect: &str) {
        let url = Url::parse(url).unwrap();
        let said = match proxies.route(&url) {
            Route::Direct => "direct".to_owned(),
            Route::Forward(proxy) => format!("forward {proxy}"),
            Route::Tunnel(proxy) => format!("tunnel {proxy}"),
        };
        assert_eq!(said, expect, "{url}");
    }

    #[test]
    fn route_follows_the_scheme_and_the_exclusions() {
        let proxies = Proxies {
            http: Some("https://one.test:1".parse().unwrap()),
            https: Some("http://two.test:2".parse().unwrap()),
            exclude: "b.test".parse().unwrap(),
        };
        check(&proxies, "http://a.test/", "forward https://one.test:1");
        check(&proxies, "https://a.test/", "tunnel http://two.test:2");
        check(&proxies, "http://b.test/", "direct");
        check(&proxies, "https://b.test/", "direct");
        check(&Proxies::default(), "https://a.test/", "direct");
    }

    #[test]
    fn socks_proxy_only_tunnels() {
        let socks = Proxies::all("socks5://one.test".parse().unwrap());
        check(&socks, "http://a.test/", "tunnel socks5://one.test:1080");
        check(&socks, "https://a.test/", "tunnel socks5://one.test:1080");
        let url = Url::parse("http://a.test/").unwrap();
        assert!(!socks.route(&url).hides_address());
        let remote = Proxies::all("socks5h://one.test".parse().unwrap());
        assert!(remote.route(&url).hides_address());
    }
}
